/* Half and bfloat16 values by number theory: every conversion goes through a double, which holds them all exactly, and
 * rounds once. */
#ifndef WG_ENGINE_SMALL_FLOAT_H
#define WG_ENGINE_SMALL_FLOAT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sass/sass.h"

typedef struct small_format {
    int bits;       /* of the significand, with the hidden one */
    int least;      /* exponent of the smallest normal number */
    int most;       /* of the largest */
} small_format;
static const small_format small_half = {11, -14, 15}, small_bfloat = {8, -126, 127};

static inline double round_integer(double x, unsigned mode) {
    return mode == SASS_RN ? rint(x) : mode == SASS_RM ? floor(x) : mode == SASS_RP ? ceil(x) : trunc(x);
}

/* x, not a NaN, to the format; infinities stay. */
static inline double small_round(double x, small_format f, unsigned mode) {
    if (x == 0 || isinf(x)) return x;
    int e;
    frexp(x, &e);
    e--;
    if (e < f.least) e = f.least;
    double unit = ldexp(1.0, e - f.bits + 1), r = round_integer(x / unit, mode) * unit;
    double largest = ldexp(2.0 - ldexp(1.0, 1 - f.bits), f.most);
    if (fabs(r) > largest) {
        bool away = mode == SASS_RN || (mode == SASS_RP && x > 0) || (mode == SASS_RM && x < 0);
        r = away ? copysign(INFINITY, x) : copysign(largest, x);
    }
    return copysign(r, x);
}

static inline uint16_t small_encode(double x, bool bfloat, unsigned mode) {
    if (isnan(x)) return 0x7fff;
    float r = (float)small_round(x, bfloat ? small_bfloat : small_half, mode); /* exact */
    uint32_t bits;
    memcpy(&bits, &r, 4);
    if (bfloat) return (uint16_t)(bits >> 16);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x7f800000) return (uint16_t)(sign | 0x7c00);
    if (magnitude >= 0x38800000) return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
    return (uint16_t)(sign | (uint32_t)(fabsf(r) * 0x1p24f));
}

static inline float small_decode(uint16_t h, bool bfloat) {
    uint32_t bits;
    float f;
    if (bfloat) bits = (uint32_t)h << 16;
    else {
        uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
        if (exponent == 31) bits = sign | 0x7f800000 | fraction << 13;
        else if (exponent) bits = sign | (exponent + 112) << 23 | fraction << 13;
        else {
            f = (float)fraction * 0x1p-24f;
            return sign ? -f : f;
        }
    }
    memcpy(&f, &bits, 4);
    return f;
}

/* a + b to double, rounded to odd: a later rounding to fewer bits is then as if there had been only that one. */
static inline double sum_to_odd(double a, double b) {
    double s = a + b;
    if (!isfinite(s)) return s;
    double t = s - a, error = (a - (s - t)) + (b - t);
    uint64_t bits;
    memcpy(&bits, &s, 8);
    if (error == 0 || bits & 1) return s;
    if ((error > 0) == (s > 0)) bits |= 1;
    else bits--;
    memcpy(&s, &bits, 8);
    return s;
}

#endif
