/* Linear filters: weights and weighted sums, as an H200 makes them.
 *
 * One sum takes in all texels of a read: up to four of a plane in one pass, then those of the next plane (3-D), then those of the next
 * mipmap level. The weights of all are whole 256ths that add up to one. Integers are added exactly, and rounded once. Floats are added in fixed
 * point: within a pass, mantissas are shifted to the largest exponent that has a weight and cut four bits below the last place of that one, then
 * multiplied exactly. Of two passes, the one of smaller exponents is shifted to the other. The result is rounded, ties away from zero.
 * Halves are added as halves, their result is one. Infinities and NaN count if a filter
 * reaches them, though their weight may be rounded to nothing; denormal floats are zero, denormal halves are not. */
#ifndef WG_ENGINE_TEXTURE_FILTER_H
#define WG_ENGINE_TEXTURE_FILTER_H

#include "engine/texture_format.h"

enum { TEX_WEIGHT_BITS = 8, TEX_WEIGHT_ONE = 1 << TEX_WEIGHT_BITS };

/* The weights of a square whose sum is `total`, of the corners (0, 0), (1, 0), (0, 1), (1, 1). */
static inline void tex_square_weights(int32_t total, int32_t wx, int32_t wy, int32_t to[4]) {
    const int32_t half = TEX_WEIGHT_ONE / 2;
    int32_t right = (wx * total + half) >> TEX_WEIGHT_BITS;
    to[3] = (right * wy + half) >> TEX_WEIGHT_BITS;
    to[2] = ((total - right) * wy + half - 1) >> TEX_WEIGHT_BITS;
    to[1] = right - to[3];
    to[0] = total - right - to[2];
}
/* Of a total, what the farther of two planes has. */
static inline int32_t tex_plane_weight(int32_t total, int32_t wz) {
    return (wz * total + TEX_WEIGHT_ONE / 2 - 1) >> TEX_WEIGHT_BITS;
}

typedef struct tex_sum { /* of one component; begins as zero */
    int64_t sum;
    int exponent;                   /* of floats: the largest so far */
    bool positive, nan, infinite[2]; /* what the filter reached: infinite of either sign */
} tex_sum;

/* A pass: n texels, at most four. `taken`: those that the filter reaches, bit k texel k, though their weights may be rounded to nothing. */
void tex_sum_add(const eng_texture *t, tex_sum sums[4], const tex_texel *texels, const int32_t *weights, unsigned n, unsigned taken);
uint32_t tex_sum_result(const eng_texture *t, const tex_sum *sum, unsigned c);

#endif
