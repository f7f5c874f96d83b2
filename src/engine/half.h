/* Half floats, one at a time and portably, for atomics and bulk reductions: sums, the least and the greatest. */
#ifndef WG_ENGINE_HALF_H
#define WG_ENGINE_HALF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float half_value(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff, bits;
    float f;
    if (exponent == 31) bits = sign | 0x7f800000 | fraction << 13;
    else if (exponent) bits = sign | (exponent + 112) << 23 | fraction << 13;
    else {
        f = (float)fraction * 0x1p-24f;
        return sign ? -f : f;
    }
    memcpy(&f, &bits, 4);
    return f;
}

/* To the nearest, ties to even. A sum of two halves fits a float so well that rounding twice is rounding once. */
static inline uint16_t half_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude >= 0x47800000) return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* subnormal: adding 0.5 rounds to multiples of 2^-24 */
        float a, shifted;
        memcpy(&a, &magnitude, 4);
        shifted = a + 0.5f;
        memcpy(&bits, &shifted, 4);
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

static inline float bfloat_value(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static inline uint16_t bfloat_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* What memory holds after the least or the greatest of both was to be kept: no NaN when there is a number, and -0 is less than 0. */
static inline uint16_t half_extreme(uint16_t old, uint16_t data, bool least, bool bfloat) {
    float a = bfloat ? bfloat_value(old) : half_value(old), b = bfloat ? bfloat_value(data) : half_value(data);
    if (isnan(a)) return isnan(b) ? 0x7fff : data;
    if (isnan(b)) return old;
    bool first = a == b ? (signbit(a) != 0) == least : (a < b) == least;
    return first ? old : data;
}

#endif
