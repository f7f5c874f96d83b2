/* Texels: what the bytes of one mean. A texel is kept as it lies in memory until it is filtered or returned, since an H200 filters
 * integers as integers and halves as halves. */
#ifndef WG_ENGINE_TEXTURE_FORMAT_H
#define WG_ENGINE_TEXTURE_FORMAT_H

#include "engine/texture.h"

typedef struct tex_texel { /* integers with their sign; halves and floats as bits */
    int32_t v[4];
} tex_texel;

/* How a component is read. */
typedef enum tex_class { TEX_INTEGERS, TEX_FRACTIONS, TEX_HALVES, TEX_FLOATS, TEX_SRGB } tex_class;
static inline tex_class tex_class_of(const eng_texture *t, unsigned c) {
    if (t->format == ENG_TEX_FLOAT) return t->bits == 16 ? TEX_HALVES : TEX_FLOATS;
    if (!t->normalised_float) return TEX_INTEGERS;
    return t->srgb && c < 3 && t->bits == 8 && t->format == ENG_TEX_UNSIGNED ? TEX_SRGB : TEX_FRACTIONS;
}

tex_texel tex_texel_of(const eng_texture *t, const uint8_t *bytes);
/* The border's colour is one that a texel could have. */
tex_texel tex_border(const eng_texture *t);
/* What a read without a filter returns: a float's bits, or the integer. */
uint32_t tex_component(const eng_texture *t, const tex_texel *texel, unsigned c);

/* A fraction of 65535 or 32767 as a float's bits. */
uint32_t tex_fraction(const eng_texture *t, int32_t of_sixteen_bits);
/* A half as a float's bits. */
uint32_t tex_half(uint16_t half);
/* Of sRGB, the half that it is read as: filters work on these. */
uint16_t tex_linear_of_srgb(uint8_t encoded);

#endif
