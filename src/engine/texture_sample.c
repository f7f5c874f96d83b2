#include "engine/texture_sample.h"

#include <math.h>
#include <string.h>

/* --- texels ------------------------------------------------------------------------------------------------ */

static uint32_t bits_of(float f) {
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}
static float float_of(uint32_t b) {
    float f;
    memcpy(&f, &b, 4);
    return f;
}
static float half_of_bits(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
    if (exponent == 0) return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    return float_of(sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13);
}

static uint32_t component(const eng_texture *t, const uint8_t *bytes, unsigned c) {
    uint32_t raw = 0;
    memcpy(&raw, bytes + c * (t->bits / 8u), t->bits / 8u); /* little endian */
    if (t->format == ENG_TEX_FLOAT) return t->bits == 16 ? bits_of(half_of_bits((uint16_t)raw)) : raw;
    int32_t value = t->format == ENG_TEX_SIGNED ? (int32_t)(raw << (32 - t->bits)) >> (32 - t->bits) : (int32_t)raw;
    if (!t->normalised_float) return (uint32_t)value;
    double most = t->format == ENG_TEX_SIGNED ? (double)((1u << (t->bits - 1)) - 1) : (double)((UINT64_C(1) << t->bits) - 1);
    float r = (float)((double)value / most);
    return bits_of(r < -1.0f ? -1.0f : r);
}
static bool is_float(const eng_texture *t) { return t->format == ENG_TEX_FLOAT || t->normalised_float; }

/* Missing components read as 0, 0, 1. */
static tex_value texel(const eng_texture *t, const eng_tex_level *l, uint64_t plane, int32_t x, int32_t y, const tex_reader *reader) {
    uint8_t bytes[16] = {0};
    tex_value r = {{0, 0, 0, is_float(t) ? 0x3f800000u : 1u}};
    reader->read(reader->ctx, l->address + plane * l->slice + (uint64_t)y * l->pitch + (uint64_t)x * eng_texel_bytes(t), bytes, eng_texel_bytes(t));
    for (unsigned c = 0; c < t->components; c++) r.v[c] = component(t, bytes, c);
    return r;
}

/* --- addressing ---------------------------------------------------------------------------------------------- */

/* Index of a texel in [0, n) as the mode says; -1: the border. */
static int32_t address_texel(int64_t i, int32_t n, unsigned mode, bool normalised) {
    if (!normalised && (mode == ENG_TEX_WRAP || mode == ENG_TEX_MIRROR)) mode = ENG_TEX_CLAMP;
    if (i >= 0 && i < n) return (int32_t)i;
    switch (mode) {
    case ENG_TEX_WRAP: return (int32_t)((i % n + n) % n);
    case ENG_TEX_MIRROR: {
        int64_t k = (i % (2 * (int64_t)n) + 2 * (int64_t)n) % (2 * (int64_t)n);
        return (int32_t)(k < n ? k : 2 * (int64_t)n - 1 - k);
    }
    case ENG_TEX_BORDER: return -1;
    default: return i < 0 ? 0 : n - 1;
    }
}
static tex_value border(const eng_texture *t) {
    tex_value r;
    for (int c = 0; c < 4; c++) r.v[c] = is_float(t) ? bits_of(t->border[c]) : (uint32_t)(int32_t)t->border[c];
    return r;
}
static tex_value texel_at(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const int64_t i[3], const tex_reader *reader) {
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int32_t at[3] = {0, 0, 0};
    for (unsigned d = 0; d < t->dims; d++) {
        at[d] = address_texel(i[d], (int32_t)size[d], t->address[d], t->normalised_coords);
        if (at[d] < 0) return border(t);
    }
    return texel(t, l, layer + (uint64_t)at[2], at[0], at[1], reader);
}

/* --- coordinates ------------------------------------------------------------------------------------------------ */

enum { WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS };

/* A coordinate in texels, in 256ths. */
static int64_t fixed_point(float x, uint32_t n, bool normalised) {
    double v = (double)x * (normalised ? n : 1u) * WEIGHT_ONE;
    if (!(v > -0x1p40)) v = -0x1p40; /* NaN too */
    if (v > 0x1p40) v = 0x1p40;
    return (int64_t)floor(v + 0.5);
}

static float mix(float a, float b, int64_t w) { return a + (b - a) * (float)w / WEIGHT_ONE; }

/* --- one level --------------------------------------------------------------------------------------------------- */

static tex_value point(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const tex_place *p, const tex_reader *reader) {
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int64_t i[3] = {0, 0, 0};
    for (unsigned d = 0; d < t->dims; d++) {
        double v = floor((double)p->at[d] * (t->normalised_coords ? size[d] : 1u));
        i[d] = (v > -0x1p40 ? v < 0x1p40 ? (int64_t)v : INT64_C(1) << 40 : -(INT64_C(1) << 40)) + p->offset[d];
    }
    return texel_at(t, l, layer, i, reader);
}

static tex_value linear(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const tex_place *p, const tex_reader *reader) {
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int64_t base[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    for (unsigned d = 0; d < t->dims; d++) {
        int64_t f = fixed_point(p->at[d], size[d], t->normalised_coords) - WEIGHT_ONE / 2;
        base[d] = (f >> WEIGHT_BITS) + p->offset[d];
        w[d] = f & (WEIGHT_ONE - 1);
    }
    unsigned corners = 1u << t->dims;
    tex_value at[8], r;
    for (unsigned k = 0; k < corners; k++) {
        int64_t i[3] = {base[0] + (k & 1), base[1] + (k >> 1 & 1), base[2] + (k >> 2)};
        at[k] = texel_at(t, l, layer, i, reader);
    }
    for (int c = 0; c < 4; c++) {
        float v[8];
        for (unsigned k = 0; k < corners; k++) v[k] = float_of(at[k].v[c]);
        for (unsigned d = 0, n = corners; d < t->dims; d++, n /= 2)
            for (unsigned k = 0; k < n / 2; k++) v[k] = mix(v[2 * k], v[2 * k + 1], w[d]);
        r.v[c] = bits_of(v[0]);
    }
    return r;
}

tex_value tex_sample(const eng_texture *t, const tex_place *p, const tex_reader *reader) {
    uint64_t layer = p->layer;
    const eng_tex_level *l = &t->levels[0];
    return t->linear ? linear(t, l, layer, p, reader) : point(t, l, layer, p, reader);
}
tex_value tex_fetch(const eng_texture *t, const tex_place *p, uint32_t level, const tex_reader *reader) {
    const eng_tex_level *l = &t->levels[level < t->n_levels ? level : 0];
    const uint32_t size[3] = {l->width, l->height, l->depth};
    tex_value none = {{0, 0, 0, 0}};
    int64_t at[3] = {0, 0, 0};
    for (unsigned d = 0; d < t->dims; d++) {
        at[d] = (int64_t)p->index[d] + p->offset[d];
        if (level >= t->n_levels || at[d] < 0 || at[d] >= size[d]) return none;
    }
    return texel(t, l, p->layer + (uint64_t)at[2], (int32_t)at[0], (int32_t)at[1], reader);
}
tex_value tex_gather(const eng_texture *t, const tex_place *p, unsigned c, const tex_reader *reader) { tex_value v={0}; return v; }
float tex_gradient_lod(const eng_texture *t, const float dx[3], const float dy[3]) { return 0; }
