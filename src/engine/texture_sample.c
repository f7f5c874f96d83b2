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

/* Component c as it lies in memory, with its sign. */
static int32_t raw_component(const eng_texture *t, const uint8_t *bytes, unsigned c) {
    uint32_t raw;
    if (t->bits == 32) memcpy(&raw, bytes + 4 * c, 4);
    else raw = t->bits == 16 ? bytes[2 * c] | (uint32_t)bytes[2 * c + 1] << 8 : bytes[c];
    return t->format == ENG_TEX_SIGNED ? (int32_t)(raw << (32 - t->bits)) >> (32 - t->bits) : (int32_t)raw;
}
/* 8-bit values become 16-bit ones by having their bits twice; those are fractions of 65535 or 32767. */
static int32_t sixteen_bits(const eng_texture *t, int32_t raw) {
    if (t->bits == 16) return t->format == ENG_TEX_SIGNED && raw < -32767 ? -32767 : raw;
    if (t->format == ENG_TEX_UNSIGNED) return raw * 257;
    uint32_t v = (uint32_t)(raw < 0 ? raw < -127 ? 127 : -raw : raw), wide = v << 8 | v << 1 | v >> 6;
    return raw < 0 ? -(int32_t)wide : (int32_t)wide;
}
static float of_sixteen(const eng_texture *t, int32_t v) { return (float)((double)v / (t->format == ENG_TEX_SIGNED ? 32767 : 65535)); }

static uint32_t component(const eng_texture *t, const uint8_t *bytes, unsigned c) {
    int32_t raw = raw_component(t, bytes, c);
    if (t->format == ENG_TEX_FLOAT) return t->bits == 16 ? bits_of(half_of_bits((uint16_t)raw)) : (uint32_t)raw;
    if (!t->normalised_float) return (uint32_t)raw;
    return t->bits == 8 && t->format == ENG_TEX_SIGNED ? bits_of((float)((raw < -127 ? -127 : raw) / 127.0)) : bits_of(of_sixteen(t, sixteen_bits(t, raw)));
}

/* Components that the format has not are zero. */
static tex_value texel(const eng_texture *t, const eng_tex_level *l, uint64_t plane, int32_t x, int32_t y, const tex_reader *reader) {
    uint8_t bytes[16] = {0};
    tex_value r = {{0}};
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
/* The border's colour is one that a texel could have. */
static tex_value border(const eng_texture *t) {
    tex_value r = {{0}};
    for (unsigned c = 0; c < t->components; c++) {
        float v = t->border[c];
        if (t->format == ENG_TEX_FLOAT) r.v[c] = bits_of(v);
        else if (t->normalised_float) {
            bool is_signed = t->format == ENG_TEX_SIGNED;
            double most = is_signed ? (1 << (t->bits - 1)) - 1 : (1 << t->bits) - 1, least = is_signed ? -most : 0, n = floor((double)v * most + 0.5);
            uint32_t raw = (uint32_t)(int32_t)(n > most ? most : n < least ? least : n);
            r.v[c] = component(t, (const uint8_t *)&raw, 0);
        } else r.v[c] = (uint32_t)(int32_t)v;
    }
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

/* A coordinate in texels; normalised ones are rounded down to multiples of 2^-21 first, negative ones too. */
static double in_texels(const eng_texture *t, unsigned d, float x, uint32_t n) {
    double v = (double)x;
    if (!(v > -0x1p30)) v = -0x1p30; /* NaN too */
    if (v > 0x1p30) v = 0x1p30;
    if (!t->normalised_coords) return v;
    if (t->address[d] == ENG_TEX_WRAP) v -= floor(v);
    return floor(v * 0x1p21) * 0x1p-21 * n;
}

/* --- one level --------------------------------------------------------------------------------------------------- */

static tex_value point(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const tex_place *p, const tex_reader *reader) {
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int64_t i[3] = {0, 0, 0};
    for (unsigned d = 0; d < t->dims; d++) i[d] = (int64_t)floor(in_texels(t, d, p->at[d], size[d])) + p->offset[d];
    return texel_at(t, l, layer, i, reader);
}

/* The corners of a filter: corner k is base, and one further along each dimension whose bit k has. Their weights' sum is 256. */
typedef struct corners {
    unsigned n;
    int64_t base[3], weight[8];
} corners;
static void find_corners(const eng_texture *t, const eng_tex_level *l, const tex_place *p, corners *to) {
    const uint32_t size[3] = {l->width, l->height, l->depth};
    int64_t w[3] = {0, 0, 0};
    to->n = 1u << t->dims;
    to->base[1] = to->base[2] = 0;
    for (unsigned d = 0; d < t->dims; d++) {
        int64_t f = (int64_t)floor(in_texels(t, d, p->at[d], size[d]) * WEIGHT_ONE + 0.5) - WEIGHT_ONE / 2;
        to->base[d] = (f >> WEIGHT_BITS) + p->offset[d];
        w[d] = f & (WEIGHT_ONE - 1);
    }
    /* Only the farthest corner's product is rounded: the others are what is left of wx, of wy and of one. */
    int64_t both = (w[0] * w[1] + WEIGHT_ONE / 2) >> WEIGHT_BITS;
    to->weight[0] = WEIGHT_ONE - w[0] - w[1] + both;
    to->weight[1] = w[0] - both;
    to->weight[2] = w[1] - both;
    to->weight[3] = both;
    if (t->dims < 3) return;
    for (unsigned k = 0; k < 4; k++) { /* each is divided in two, in whole 256ths */
        int64_t far = (to->weight[k] * w[2] + WEIGHT_ONE / 2) >> WEIGHT_BITS;
        to->weight[k + 4] = far;
        to->weight[k] -= far;
    }
}
static tex_value corner_texel(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const corners *c, unsigned k, const tex_reader *reader) {
    const int64_t i[3] = {c->base[0] + (k & 1), c->base[1] + (k >> 1 & 1), c->base[2] + (k >> 2 & 1)};
    return texel_at(t, l, layer, i, reader);
}

/* What a filter adds up: floats, or the 16-bit integers that others were made of. */
typedef struct parts { double v[4]; } parts;
static void parts_of(const eng_texture *t, const tex_value *value, parts *to) {
    for (unsigned c = 0; c < t->components; c++) {
        double v = float_of(value->v[c]);
        to->v[c] = t->format == ENG_TEX_FLOAT ? v : rint(v * (t->format == ENG_TEX_SIGNED ? 32767 : 65535));
    }
}
static inline void parts_at(const eng_texture *t, const uint8_t *bytes, parts *to) {
    const bool plain_bytes = t->format == ENG_TEX_UNSIGNED && t->bits == 8;
    for (unsigned c = 0; c < t->components; c++)
        if (plain_bytes) to->v[c] = bytes[c] * 257;
        else if (t->format == ENG_TEX_FLOAT) to->v[c] = float_of(component(t, bytes, c));
        else to->v[c] = sixteen_bits(t, raw_component(t, bytes, c));
}
/* Most places lie inside, where the four corners are two pairs of neighbours. False: not here. Signed bytes are fractions of 127
 * before they are of 32767, and go the long way. */
static bool read_square(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const corners *c, const tex_reader *reader, parts *to) {
    const int64_t x = c->base[0], y = c->base[1];
    const unsigned n = eng_texel_bytes(t);
    if (t->dims != 2 || n > 8 || x < 0 || y < 0 || x + 1 >= l->width || y + 1 >= l->height) return false;
    if (t->format != ENG_TEX_FLOAT && (!t->normalised_float || (t->format == ENG_TEX_SIGNED && t->bits == 8))) return false;
    for (unsigned row = 0; row < 2; row++) {
        uint8_t bytes[16];
        reader->read(reader->ctx, l->address + layer * l->slice + ((uint64_t)y + row) * l->pitch + (uint64_t)x * n, bytes, 2 * n);
        parts_at(t, bytes, &to[2 * row]);
        parts_at(t, bytes + n, &to[2 * row + 1]);
    }
    return true;
}
/* Filtered halves are halves. */
static float to_half(double v) {
    int e;
    if (v == 0 || !isfinite(v)) return (float)v;
    frexp(v, &e);
    double unit = ldexp(1, (e - 1 < -14 ? -14 : e - 1) - 10), r = rint(v / unit) * unit;
    return fabs(r) > 65504 ? copysignf(INFINITY, (float)v) : (float)r;
}
static tex_value linear(const eng_texture *t, const eng_tex_level *l, uint64_t layer, const tex_place *p, const tex_reader *reader) {
    corners c;
    find_corners(t, l, p, &c);
    parts at[8];
    tex_value r = {{0}};
    if (!read_square(t, l, layer, &c, reader, at))
        for (unsigned k = 0; k < c.n; k++) {
            tex_value v = corner_texel(t, l, layer, &c, k, reader);
            parts_of(t, &v, &at[k]);
        }
    if (t->dims == 1 && !t->layered && t->address[1] == ENG_TEX_BORDER) { /* one row, read at its upper edge: half of it is border */
        tex_value v = border(t);
        for (unsigned k = 0; k < 2; k++) c.weight[k] = (c.weight[k] + k) / 2;
        parts_of(t, &v, &at[2]), c.weight[2] = WEIGHT_ONE / 2, c.n = 3;
    }
    for (unsigned n = 0; n < t->components; n++) {
        double sum = 0;
        for (unsigned k = 0; k < c.n; k++) sum += at[k].v[n] * (double)c.weight[k];
        if (t->format == ENG_TEX_FLOAT) r.v[n] = bits_of(t->bits == 16 ? to_half(sum / WEIGHT_ONE) : (float)(sum / WEIGHT_ONE));
        else r.v[n] = bits_of(of_sixteen(t, (int32_t)floor(sum / WEIGHT_ONE + 0.5)));
    }
    return r;
}

static tex_value one_level(const eng_texture *t, unsigned level, uint64_t layer, const tex_place *p, const tex_reader *reader) {
    return t->linear ? linear(t, &t->levels[level], layer, p, reader) : point(t, &t->levels[level], layer, p, reader);
}

/* A direction's face and the place in it. Code divides the direction by its largest component beforehand. */
static tex_place on_face(const tex_place *p, uint64_t *face) {
    float x = p->at[0], y = p->at[1], z = p->at[2], s, u;
    tex_place r = *p;
    if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y)) *face = z < 0 ? 5 : 4, s = z < 0 ? -x : x, u = -y;
    else if (fabsf(y) >= fabsf(x)) *face = y < 0 ? 3 : 2, s = x, u = y < 0 ? -z : z;
    else *face = x < 0 ? 1 : 0, s = x < 0 ? z : -z, u = -y;
    r.at[0] = s * 0.5f + 0.5f;
    r.at[1] = u * 0.5f + 0.5f;
    r.at[2] = 0;
    return r;
}

tex_value tex_sample(const eng_texture *t, const tex_place *p, const tex_reader *reader) {
    uint64_t layer = p->layer < t->layers ? p->layer : t->layers ? t->layers - 1 : 0;
    tex_place place = *p;
    if (t->cube) {
        uint64_t face;
        place = on_face(p, &face);
        layer = layer * 6 + face;
    }
    float lod = p->lod + t->level_bias;
    lod = lod > t->level_max ? t->level_max : lod;
    lod = lod < t->level_min ? t->level_min : lod;
    if (!(lod > 0) || t->n_levels < 2) return one_level(t, 0, layer, &place, reader);
    if (lod > (float)(t->n_levels - 1)) lod = (float)(t->n_levels - 1);
    if (!t->linear_levels) return one_level(t, (unsigned)floorf(lod + 0.5f), layer, &place, reader);
    unsigned w = (unsigned)floorf(lod * WEIGHT_ONE), level = w >> WEIGHT_BITS; /* between levels too, 256ths */
    tex_value near = one_level(t, level, layer, &place, reader);
    w &= WEIGHT_ONE - 1;
    if (!w) return near;
    tex_value far = one_level(t, level + 1, layer, &place, reader);
    for (unsigned c = 0; c < t->components; c++) {
        double a = float_of(near.v[c]), b = float_of(far.v[c]);
        near.v[c] = bits_of((float)((a * (WEIGHT_ONE - w) + b * w) / WEIGHT_ONE));
    }
    return near;
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
tex_value tex_gather(const eng_texture *t, const tex_place *p, unsigned c, const tex_reader *reader) {
    static const uint8_t order[4] = {2, 3, 1, 0}; /* (0, 1) (1, 1) (1, 0) (0, 0) */
    corners at;
    tex_value r;
    find_corners(t, &t->levels[0], p, &at);
    for (unsigned n = 0; n < 4; n++) r.v[n] = corner_texel(t, &t->levels[0], p->layer, &at, order[n], reader).v[c & 3];
    return r;
}
float tex_gradient_lod(const eng_texture *t, const float dx[3], const float dy[3]) {
    const uint32_t size[3] = {t->levels[0].width, t->levels[0].height, t->levels[0].depth};
    double x = 0, y = 0;
    for (unsigned d = 0; d < t->dims; d++) {
        double scale = t->normalised_coords ? size[d] : 1;
        x += dx[d] * scale * (dx[d] * scale);
        y += dy[d] * scale * (dy[d] * scale);
    }
    return 0.5f * (float)log2(x > y ? x : y);
}
