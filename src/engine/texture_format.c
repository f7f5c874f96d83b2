#include "engine/texture_format.h"

#include <math.h>
#include <string.h>

#include "engine/half.h"

static uint32_t bits_of(float f) {
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}
uint32_t tex_half(uint16_t half) {
    return bits_of(half_value(half));
}
uint32_t tex_fraction(const eng_texture *t, int32_t v) {
    return bits_of((float)((double)v / (t->format == ENG_TEX_SIGNED ? 32767 : 65535)));
}

/* What an H200 makes of sRGB's 256 values, as halves: near the curve, yet rounding it to any number of bits gives others. */
static const uint16_t linear_of_srgb[256] = {
    0x0000, 0x0d00, 0x1100, 0x1380, 0x1500, 0x1640, 0x1780, 0x1860, 0x1900, 0x19a0, 0x1a40, 0x1ae0, 0x1b80, 0x1c20, 0x1c80, 0x1ce0,
    0x1d50, 0x1dc0, 0x1e30, 0x1eb0, 0x1f30, 0x1fb0, 0x2018, 0x2060, 0x20b0, 0x20f8, 0x2148, 0x21a0, 0x21f0, 0x2248, 0x22a8, 0x2300,
    0x2360, 0x23d0, 0x2418, 0x2450, 0x2488, 0x24c0, 0x24f8, 0x2530, 0x2570, 0x25b0, 0x25f0, 0x2630, 0x2670, 0x26b8, 0x2700, 0x2748,
    0x2790, 0x27e0, 0x2818, 0x2840, 0x2868, 0x2890, 0x28b8, 0x28e0, 0x2910, 0x2940, 0x2968, 0x2998, 0x29c8, 0x29f8, 0x2a28, 0x2a60,
    0x2a90, 0x2ac0, 0x2b00, 0x2b30, 0x2b60, 0x2ba0, 0x2bd0, 0x2c08, 0x2c28, 0x2c40, 0x2c60, 0x2c80, 0x2ca0, 0x2cc0, 0x2ce0, 0x2d00,
    0x2d20, 0x2d48, 0x2d68, 0x2d88, 0x2db0, 0x2dd0, 0x2df8, 0x2e18, 0x2e40, 0x2e68, 0x2e88, 0x2eb0, 0x2ed8, 0x2f00, 0x2f28, 0x2f50,
    0x2f80, 0x2fa0, 0x2fd0, 0x3000, 0x3010, 0x3028, 0x3040, 0x3058, 0x3070, 0x3088, 0x30a0, 0x30b8, 0x30d0, 0x30e8, 0x3100, 0x3118,
    0x3130, 0x3148, 0x3160, 0x3180, 0x3198, 0x31b0, 0x31d0, 0x31e8, 0x3200, 0x3220, 0x3238, 0x3258, 0x3270, 0x3290, 0x32b0, 0x32c8,
    0x32e8, 0x3308, 0x3328, 0x3340, 0x3360, 0x3380, 0x33a0, 0x33c0, 0x33e0, 0x3400, 0x3410, 0x3420, 0x3430, 0x3440, 0x3450, 0x3468,
    0x3478, 0x3488, 0x3498, 0x34a8, 0x34c0, 0x34d0, 0x34e0, 0x34f0, 0x3508, 0x3518, 0x3528, 0x3540, 0x3550, 0x3568, 0x3578, 0x3590,
    0x35a0, 0x35b0, 0x35c8, 0x35e0, 0x35f0, 0x3608, 0x3618, 0x3630, 0x3640, 0x3658, 0x3670, 0x3688, 0x3698, 0x36b0, 0x36c8, 0x36d8,
    0x36f0, 0x3708, 0x3720, 0x3738, 0x3750, 0x3768, 0x3780, 0x3790, 0x37b0, 0x37c0, 0x37e0, 0x37f0, 0x3808, 0x3810, 0x3820, 0x3828,
    0x3838, 0x3848, 0x3850, 0x3860, 0x3868, 0x3878, 0x3888, 0x3890, 0x38a0, 0x38b0, 0x38b8, 0x38c8, 0x38d8, 0x38e0, 0x38f0, 0x3900,
    0x3908, 0x3918, 0x3928, 0x3938, 0x3948, 0x3950, 0x3960, 0x3970, 0x3980, 0x3990, 0x3998, 0x39a8, 0x39b8, 0x39c8, 0x39d8, 0x39e8,
    0x39f8, 0x3a08, 0x3a18, 0x3a28, 0x3a38, 0x3a48, 0x3a58, 0x3a68, 0x3a78, 0x3a88, 0x3a98, 0x3aa8, 0x3ab8, 0x3ac8, 0x3ad8, 0x3ae8,
    0x3af8, 0x3b08, 0x3b18, 0x3b28, 0x3b40, 0x3b50, 0x3b60, 0x3b70, 0x3b80, 0x3b90, 0x3ba0, 0x3bb0, 0x3bd0, 0x3be0, 0x3bf0, 0x3c00,
};
uint16_t tex_linear_of_srgb(uint8_t encoded) {
    return linear_of_srgb[encoded];
}

static int32_t sign_extended(uint32_t raw, unsigned bits) {
    return (int32_t)(raw << (32 - bits)) >> (32 - bits);
}
tex_texel tex_texel_of(const eng_texture *t, const uint8_t *bytes) {
    tex_texel r = {{0}};
    if (t->bits == 32) {
        memcpy(r.v, bytes, 4 * t->components);
        return r;
    }
    for (unsigned c = 0; c < t->components; c++) {
        uint32_t raw = t->bits == 16 ? bytes[2 * c] | (uint32_t)bytes[2 * c + 1] << 8 : bytes[c];
        r.v[c] = t->format == ENG_TEX_SIGNED ? sign_extended(raw, t->bits) : (int32_t)raw;
    }
    return r;
}

/* A border's colour for halves is cut, and does not become infinite. */
static uint16_t half_cut(float v) {
    const uint16_t sign = signbit(v) ? 0x8000 : 0;
    float size = fabsf(v);
    if (isnan(v)) return 0x7e00;
    if (isinf(v)) return sign | 0x7c00;
    if (size >= 65504) return sign | 0x7bff;
    uint16_t h = half_of(size);
    if (half_value(h) > size) h--;
    return sign | h;
}
/* Halfway goes towards zero; NaN is zero. */
static int32_t border_fraction(const eng_texture *t, float v) {
    const float most = (float)(t->format == ENG_TEX_SIGNED ? (1 << (t->bits - 1)) - 1 : (1 << t->bits) - 1);
    const float least = t->format == ENG_TEX_SIGNED ? -most : 0;
    float n = v * most;
    if (isnan(n)) return 0;
    n = n > most ? most : n < least ? least : n;
    return (int32_t)copysignf(ceilf(fabsf(n) - 0.5f), n);
}
/* A border's colour is linear; the texel that it is, is not. */
static int32_t srgb_of(float v) {
    if (!(v > 0)) return 0;
    double encoded = v <= 0.0031308f ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return encoded >= 1 ? 255 : (int32_t)(encoded * 255 + 0.5);
}
tex_texel tex_border(const eng_texture *t) {
    tex_texel r = {{0}};
    for (unsigned c = 0; c < t->components; c++)
        switch (tex_class_of(t, c)) {
        case TEX_INTEGERS: /* the program writes integers into the words of borderColor */
            r.v[c] = t->format == ENG_TEX_SIGNED ? sign_extended(bits_of(t->border[c]), t->bits)
                                                 : (int32_t)(bits_of(t->border[c]) & 0xffffffffu >> (32 - t->bits));
            break;
        case TEX_SRGB: r.v[c] = srgb_of(t->border[c]); break;
        case TEX_HALVES: r.v[c] = half_cut(t->border[c]); break;
        case TEX_FLOATS: r.v[c] = (int32_t)bits_of(t->border[c]); break;
        default: r.v[c] = border_fraction(t, t->border[c]);
        }
    return r;
}

/* Unsigned bytes are fractions of 65535 by having their bits twice; signed ones are fractions of 127. */
static uint32_t fraction(const eng_texture *t, int32_t v) {
    if (t->format == ENG_TEX_UNSIGNED) return tex_fraction(t, t->bits == 8 ? v * 257 : v);
    const int32_t most = t->bits == 8 ? 127 : 32767;
    return bits_of((float)((v < -most ? -most : v) / (double)most));
}
uint32_t tex_component(const eng_texture *t, const tex_texel *texel, unsigned c) {
    int32_t v = texel->v[c];
    switch (tex_class_of(t, c)) {
    case TEX_FRACTIONS: return fraction(t, v);
    case TEX_HALVES: return tex_half((uint16_t)v);
    case TEX_SRGB: return tex_half(linear_of_srgb[v & 255]);
    default: return (uint32_t)v;
    }
}
