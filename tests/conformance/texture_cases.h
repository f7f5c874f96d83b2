/* Textures that a GPU and the simulated machine read at the same places; plain C, for both hosts. */
#ifndef WG_TESTS_CONFORMANCE_TEXTURE_CASES_H
#define WG_TESTS_CONFORMANCE_TEXTURE_CASES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TEXTURE_POINTS = 2048 };
enum { T_UNSIGNED, T_SIGNED, T_FLOAT };
enum { T_WRAP, T_CLAMP, T_MIRROR, T_BORDER };
typedef struct texture_case {
    const char *kernel;
    int width, height, depth; /* 0: not a dimension; depth is the layers (or cubes) of layered ones */
    int layered, cube;
    int components, bits, format;
    int normalised_float, normalised_coords, linear, address, levels;
    int hard; /* 1: texels of all exponents, infinities, NaN, denormals; 1 and 2: places a few floats beside where a texel or a weight changes */
    int srgb;
    float bias, level_min;
    int seamless;
} texture_case;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* what a row leaves out is zero */
#define T_MODES(...) \
    {__VA_ARGS__, 0, 0, T_CLAMP, 1}, {__VA_ARGS__, 0, 0, T_BORDER, 1}, {__VA_ARGS__, 0, 1, T_CLAMP, 1}, {__VA_ARGS__, 0, 1, T_BORDER, 1}, \
    {__VA_ARGS__, 1, 0, T_CLAMP, 1}, {__VA_ARGS__, 1, 0, T_WRAP, 1}, {__VA_ARGS__, 1, 0, T_MIRROR, 1}, {__VA_ARGS__, 1, 0, T_BORDER, 1}, \
    {__VA_ARGS__, 1, 1, T_CLAMP, 1}, {__VA_ARGS__, 1, 1, T_WRAP, 1}, {__VA_ARGS__, 1, 1, T_MIRROR, 1}, {__VA_ARGS__, 1, 1, T_BORDER, 1}
static const texture_case texture_cases[] = {
    T_MODES("f_1d", 37, 0, 0, 0, 0, 1, 32, T_FLOAT, 0),
    T_MODES("f_1d", 37, 0, 0, 0, 0, 4, 8, T_UNSIGNED, 1),
    T_MODES("f_2d", 19, 11, 0, 0, 0, 1, 32, T_FLOAT, 0),
    T_MODES("f_2d", 16, 8, 0, 0, 0, 4, 32, T_FLOAT, 0),
    T_MODES("f_2d", 19, 11, 0, 0, 0, 4, 8, T_UNSIGNED, 1),
    T_MODES("f_2d", 19, 11, 0, 0, 0, 2, 8, T_SIGNED, 1),
    T_MODES("f_2d", 19, 11, 0, 0, 0, 2, 16, T_UNSIGNED, 1),
    T_MODES("f_2d", 19, 11, 0, 0, 0, 1, 16, T_SIGNED, 1),
    T_MODES("f_2d", 19, 11, 0, 0, 0, 4, 16, T_FLOAT, 0),
    T_MODES("f_3d", 9, 7, 5, 0, 0, 1, 32, T_FLOAT, 0),
    T_MODES("f_3d", 9, 7, 5, 0, 0, 4, 8, T_UNSIGNED, 1),
    T_MODES("f_1d_layer", 37, 0, 3, 1, 0, 1, 32, T_FLOAT, 0),
    T_MODES("f_2d_layer", 19, 11, 3, 1, 0, 2, 32, T_FLOAT, 0),
    T_MODES("f_gather0", 19, 11, 0, 0, 0, 4, 32, T_FLOAT, 0),
    T_MODES("f_gather2", 16, 8, 0, 0, 0, 4, 8, T_UNSIGNED, 1),
    {"f_cube", 13, 13, 0, 0, 1, 1, 32, T_FLOAT, 0, 1, 0, T_CLAMP, 1},
    {"f_cube", 13, 13, 0, 0, 1, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 1},
    {"f_cube", 16, 16, 0, 0, 1, 4, 32, T_FLOAT, 0, 1, 0, T_WRAP, 1},
    {"f_cube", 16, 16, 0, 0, 1, 4, 32, T_FLOAT, 0, 1, 1, T_WRAP, 1},
    {"f_cube_layer", 8, 8, 3, 1, 1, 1, 32, T_FLOAT, 0, 1, 0, T_CLAMP, 1},
    {"f_cube_layer", 8, 8, 3, 1, 1, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 1},
    {"f_2d_int", 19, 11, 0, 0, 0, 4, 8, T_UNSIGNED, 0, 0, 0, T_CLAMP, 1},
    {"f_2d_int", 19, 11, 0, 0, 0, 4, 8, T_SIGNED, 0, 0, 0, T_BORDER, 1},
    {"f_2d_int", 19, 11, 0, 0, 0, 2, 16, T_SIGNED, 0, 1, 0, T_WRAP, 1},
    {"f_2d_int", 19, 11, 0, 0, 0, 1, 16, T_UNSIGNED, 0, 1, 0, T_MIRROR, 1},
    {"f_2d_int", 19, 11, 0, 0, 0, 4, 32, T_SIGNED, 0, 0, 0, T_CLAMP, 1},
    {"f_1d_int", 37, 0, 0, 0, 0, 1, 32, T_UNSIGNED, 0, 0, 0, T_CLAMP, 1},
    {"f_2d_lod", 32, 16, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 0, T_WRAP, 5},
    {"f_2d_lod", 32, 16, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 5},
    {"f_2d_lod", 32, 16, 0, 0, 0, 4, 8, T_UNSIGNED, 1, 1, 1, T_WRAP, 5},
    {"f_2d_grad", 32, 16, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 5},
    {"f_2d_grad", 32, 16, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 0, T_WRAP, 5},
    {"f_3d_lod", 16, 8, 4, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 3},
    {"f_index", 1000, 0, 0, 0, 0, 1, 32, T_FLOAT, 0, 0, 0, T_CLAMP, 0},  /* levels 0: linear memory */
    {"f_index", 1000, 0, 0, 0, 0, 4, 32, T_FLOAT, 0, 0, 0, T_CLAMP, 0},
    {"f_index", 1000, 0, 0, 0, 0, 2, 8, T_UNSIGNED, 1, 0, 0, T_CLAMP, 0},
    {"f_1d", 1000, 0, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 0, T_WRAP, 1, 1},
    {"f_1d", 1000, 0, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 0, T_MIRROR, 1, 1},
    {"f_1d", 1000, 0, 0, 0, 0, 1, 32, T_FLOAT, 0, 0, 0, T_BORDER, 1, 1},
    {"f_1d", 4095, 0, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_WRAP, 1, 1},
    {"f_1d", 16384, 0, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_MIRROR, 1, 1},
    {"f_1d", 16384, 0, 0, 0, 0, 1, 32, T_FLOAT, 0, 0, 1, T_BORDER, 1, 1},
    {"f_1d", 37, 0, 0, 0, 0, 2, 8, T_SIGNED, 1, 1, 1, T_MIRROR, 1},
    {"f_1d", 37, 0, 0, 0, 0, 2, 16, T_FLOAT, 0, 0, 1, T_BORDER, 1, 1},
    {"f_2d", 100, 37, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_WRAP, 1, 1},
    {"f_2d", 100, 37, 0, 0, 0, 4, 32, T_FLOAT, 0, 0, 1, T_CLAMP, 1, 1},
    {"f_2d", 100, 37, 0, 0, 0, 4, 16, T_FLOAT, 0, 0, 1, T_CLAMP, 1, 1},
    {"f_2d", 100, 37, 0, 0, 0, 2, 16, T_FLOAT, 0, 1, 1, T_BORDER, 1, 1},
    {"f_2d", 100, 37, 0, 0, 0, 4, 8, T_UNSIGNED, 1, 1, 0, T_WRAP, 1, 1, 1},
    {"f_2d", 100, 37, 0, 0, 0, 4, 8, T_UNSIGNED, 1, 1, 1, T_WRAP, 1, 1, 1},
    {"f_2d", 100, 37, 0, 0, 0, 4, 8, T_UNSIGNED, 1, 0, 1, T_BORDER, 1, 1, 1},
    {"f_3d", 9, 7, 5, 0, 0, 2, 8, T_SIGNED, 1, 1, 1, T_MIRROR, 1, 1},
    {"f_3d", 9, 7, 5, 0, 0, 2, 16, T_SIGNED, 1, 0, 1, T_CLAMP, 1, 1},
    {"f_3d", 9, 7, 5, 0, 0, 1, 16, T_UNSIGNED, 1, 1, 1, T_BORDER, 1, 1},
    {"f_3d", 9, 7, 5, 0, 0, 4, 16, T_FLOAT, 0, 1, 1, T_CLAMP, 1, 1},
    {"f_3d", 9, 7, 5, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_WRAP, 1, 1},
    {"f_3d", 9, 7, 5, 0, 0, 4, 8, T_UNSIGNED, 1, 1, 1, T_WRAP, 1, 1, 1},
    {"f_2d_layer", 19, 11, 3, 1, 0, 2, 16, T_FLOAT, 0, 1, 1, T_MIRROR, 1, 1},
    {"f_gather0", 100, 37, 0, 0, 0, 4, 16, T_FLOAT, 0, 1, 1, T_WRAP, 1, 1},
    {"f_gather0", 100, 37, 0, 0, 0, 1, 8, T_UNSIGNED, 1, 0, 0, T_BORDER, 1, 1, 1},
    {"f_cube", 13, 13, 0, 0, 1, 4, 8, T_UNSIGNED, 1, 1, 1, T_CLAMP, 1},
    {"f_cube", 13, 13, 0, 0, 1, 2, 16, T_FLOAT, 0, 1, 1, T_MIRROR, 1, 1},
    {"f_2d_int", 19, 11, 0, 0, 0, 4, 32, T_UNSIGNED, 0, 1, 0, T_BORDER, 1, 1},
    {"f_2d_int", 19, 11, 0, 0, 0, 4, 16, T_SIGNED, 0, 1, 0, T_BORDER, 1, 1},
    {"f_2d_lod", 64, 32, 0, 0, 0, 4, 8, T_SIGNED, 1, 1, 1, T_WRAP, 6, 0, 0, 0.37f, 0.3f},
    {"f_2d_lod", 64, 32, 0, 0, 0, 4, 16, T_UNSIGNED, 1, 1, 1, T_MIRROR, 6, 0, 0, -0.813f, 0},
    {"f_2d_lod", 64, 32, 0, 0, 0, 4, 16, T_FLOAT, 0, 1, 1, T_WRAP, 6, 1},
    {"f_2d_lod", 64, 32, 0, 0, 0, 2, 32, T_FLOAT, 0, 1, 1, T_WRAP, 6, 1},
    {"f_2d_lod", 37, 21, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 0, T_WRAP, 6, 0, 0, 0.37f, 0.3f},
    {"f_2d_lod", 64, 32, 0, 0, 0, 4, 8, T_UNSIGNED, 1, 1, 1, T_CLAMP, 6, 1, 1},
    {"f_3d_lod", 16, 8, 4, 0, 0, 2, 8, T_SIGNED, 1, 1, 1, T_CLAMP, 5},
    {"f_3d_lod", 16, 8, 4, 0, 0, 2, 16, T_FLOAT, 0, 1, 1, T_WRAP, 5},
    {"f_2d_grad", 64, 64, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 7},
    {"f_cube", 5, 5, 0, 0, 1, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 1, 0, 0, 0, 0, 1},
    {"f_cube", 4, 4, 0, 0, 1, 4, 8, T_UNSIGNED, 1, 1, 1, T_WRAP, 1, 2, 0, 0, 0, 1},
    {"f_cube", 2, 2, 0, 0, 1, 2, 16, T_FLOAT, 0, 1, 1, T_CLAMP, 1, 2, 0, 0, 0, 1},
    {"f_cube", 16, 16, 0, 0, 1, 1, 32, T_FLOAT, 0, 1, 0, T_WRAP, 1, 2, 0, 0, 0, 1},
    {"f_cube", 5, 5, 0, 0, 1, 1, 32, T_FLOAT, 0, 1, 1, T_MIRROR, 1, 2},
    {"f_cube_layer", 3, 3, 3, 1, 1, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 1, 2, 0, 0, 0, 1},
    {"f_2d_offset", 19, 11, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 0, T_CLAMP, 1},
    {"f_2d_offset", 19, 11, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_WRAP, 1},
    {"f_2d_offset", 19, 11, 0, 0, 0, 4, 8, T_UNSIGNED, 1, 1, 1, T_MIRROR, 1},
    {"f_2d_offset", 19, 11, 0, 0, 0, 1, 32, T_FLOAT, 0, 0, 1, T_BORDER, 1, 1},
    {"f_1d_offset", 37, 0, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_BORDER, 1},
    {"f_3d_offset", 9, 7, 5, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_WRAP, 1},
    {"f_2d_lod_offset", 32, 16, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_WRAP, 5},
    {"f_2d_grad_offset", 32, 16, 0, 0, 0, 1, 32, T_FLOAT, 0, 1, 0, T_CLAMP, 5},
    {"f_2d_layer_offset", 19, 11, 3, 1, 0, 2, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 1},
    {"f_index_offset", 19, 11, 0, 0, 0, 1, 32, T_FLOAT, 0, 0, 0, T_CLAMP, 1},
    {"f_index_layer", 19, 11, 3, 1, 0, 1, 32, T_FLOAT, 0, 0, 0, T_CLAMP, 1},
    {"f_gather_offset", 19, 11, 0, 0, 0, 4, 32, T_FLOAT, 0, 1, 0, T_CLAMP, 1},
    {"f_gather_offset", 16, 8, 0, 0, 0, 4, 8, T_UNSIGNED, 1, 1, 1, T_BORDER, 1},
    {"f_gather_layer", 19, 11, 3, 1, 0, 4, 32, T_FLOAT, 0, 1, 0, T_CLAMP, 1},
    {"f_2d_layer_grad", 19, 11, 3, 1, 0, 2, 32, T_FLOAT, 0, 1, 0, T_MIRROR, 1}, /* of one level: what f_2d_layer reads */
    {"f_2d_layer_grad", 19, 11, 3, 1, 0, 2, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 1},
    {"f_1d_layer_grad", 37, 0, 3, 1, 0, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 1},
    {"f_3d_grad", 16, 16, 16, 0, 0, 1, 32, T_FLOAT, 0, 1, 0, T_WRAP, 5},
    {"f_3d_grad", 16, 16, 16, 0, 0, 1, 32, T_FLOAT, 0, 1, 1, T_CLAMP, 5},
};
#pragma GCC diagnostic pop
enum { TEXTURE_CASES = sizeof texture_cases / sizeof *texture_cases };

static inline uint32_t texture_random(uint64_t *s) {
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return (uint32_t)(*s * UINT64_C(2685821657736338717) >> 32);
}
/* n bytes of texels of one level, all finite. */
static inline void texture_fill(const texture_case *c, int level, uint8_t *to, uint64_t n) {
    uint64_t s = UINT64_C(88172645463325252) + (uint64_t)(level * 7 + c->width * 31 + c->bits);
    for (uint64_t k = 0; k < n * 8 / (uint64_t)c->bits; k++) {
        uint32_t r = texture_random(&s), f = 0x3e000000u + (r & 0x80000000u) + (r & 0x03ffffffu);
        uint16_t h = (uint16_t)(0x3000 + (r >> 16 & 0x8fff)), w = (uint16_t)(r >> 12);
        uint8_t b = (uint8_t)(r >> 20);
        if (c->hard == 1) {
            static const uint32_t special[] = {0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc12345, 0xff812345};
            f = r % 40 < 10 ? special[r % 40] : (r & 0x81ffffffu) | (112 + (r >> 25 & 31)) << 23; /* exponents of 2^-15 to 2^16 */
            h = (uint16_t)(r >> 8);
        }
        if (c->bits == 32 && c->format == T_FLOAT) memcpy(to + 4 * k, &f, 4);
        else if (c->bits == 32) memcpy(to + 4 * k, &r, 4);
        else if (c->bits == 16 && c->format == T_FLOAT) memcpy(to + 2 * k, &h, 2);
        else if (c->bits == 16) memcpy(to + 2 * k, &w, 2);
        else to[k] = b;
    }
}
/* Where to read: at all 256ths around some texels, at and beyond the edges, anywhere. */
static inline void texture_points(const texture_case *c, float (*at)[4]) {
    uint64_t s = UINT64_C(2463534242) + (uint64_t)c->width;
    int size[3] = {c->width, c->height ? c->height : 1, c->depth && !c->layered ? c->depth : 1};
    for (int i = 0; i < TEXTURE_POINTS; i++) {
        for (int d = 0; d < 3; d++) {
            float x;
            int n = size[d];
            uint32_t r = texture_random(&s), q = texture_random(&s);
            if (c->cube && c->hard && i % 4 == 0) { /* where two or three faces meet, and no directions */
                static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 1.0f, -1.0f, 0.999f, -0.999f, 1e-45f, 3e38f, INFINITY, -INFINITY, NAN};
                x = special[r % (i % 8 ? 13 : 8)];
            } else if (c->cube && c->hard) x = (r & 1 ? 1.0f : -1.0f) * (1.0f - (float)(q % 1000) * (i % 4 == d + 1 ? 0.0f : 0.0005f));
            else if (c->cube) x = (float)((int)(r % 4001) - 2000) / 1000.0f;
            else if (i < 700) x = (float)(d ? (int)(r % (uint32_t)n) : 1) + (float)(i * (d + 1) % 700) / 512.0f; /* finer than the weights */
            else if (i < 900) x = (float)((int)(r % (uint32_t)(4 * n + 2)) - 2 * n) * 0.5f;
            else if (i < 1500) x = (float)((int)(r % (uint32_t)(3 * n)) - n) + (float)(q % 4096) / 4096.0f;
            else x = (float)n * (float)(q & 0xffffff) / 16777216.0f;
            if (c->hard && !c->cube && i % 8) x = (float)((int)(r % (uint32_t)(3 * 512 * n)) - 512 * n) / 512.0f;
            if (c->normalised_coords && !c->cube) x /= (float)n;
            if (c->hard && !c->cube) {
                static const float special[] = {0.0f, -0.0f, 1e-45f, -1e-45f, 1e-30f, -1e-30f, 3e9f, -3e9f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN};
                uint32_t bits;
                memcpy(&bits, &x, 4);
                bits += q % 17 - 8;
                memcpy(&x, &bits, 4);
                if (i % 100 == 99) x = special[q % 13];
            }
            at[i][d] = x;
        }
        uint32_t r = texture_random(&s);
        at[i][3] = c->layered ? (float)((int)(r % (uint32_t)(c->depth + 2)) - 1) : c->levels > 1 ? (float)(r % 6000) / 1000.0f - 0.5f : 0.0f;
    }
}
static inline uint64_t texture_hash(const void *p, uint64_t words) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint64_t k = 0; k < words; k++) {
        uint32_t w;
        memcpy(&w, (const uint8_t *)p + 4 * k, 4);
        h = (h ^ w) * UINT64_C(0x100000001b3);
    }
    return h;
}

#endif
