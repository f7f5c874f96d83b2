/* The sums of tensor cores, as an H200 makes them. Products of a step are exact; they and the accumulator are brought to
 * the largest exponent among them, cut off (towards zero) some bits below the accumulator's last one, added
 * exactly, and the sum is cut to a float (towards zero), or rounded to a half (to nearest, ties to even).
 * tests/conformance compares every bit with the hardware. */
#ifndef WG_ENGINE_TENSOR_SUM_H
#define WG_ENGINE_TENSOR_SUM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TENSOR_KEPT = 25,     /* bits of fraction that are kept: two more than a float has */
    TENSOR_KEPT_QUARTER = 13 /* of products of 8-bit floats (published measurements of sm_89; not compared) */
};

typedef enum tensor_format { TENSOR_F16, TENSOR_BF16, TENSOR_TF32, TENSOR_F32, TENSOR_E4M3, TENSOR_E5M2 } tensor_format;

/* A number: sign * significand * 2^(exponent - bits of fraction). */
typedef struct tensor_number {
    int32_t exponent;
    uint32_t significand; /* with the hidden bit; 0: zero */
    bool negative, infinite, nan;
} tensor_number;

/* fraction and exponent bits of a format */
static inline int tensor_fraction(tensor_format f) {
    static const int8_t n[] = {10, 7, 10, 23, 3, 2};
    return n[f];
}
static inline tensor_number tensor_decode(uint32_t bits, tensor_format f) {
    static const int8_t exponents[] = {5, 8, 8, 8, 4, 5};
    int m = tensor_fraction(f), e = exponents[f], bias = (1 << (e - 1)) - 1;
    uint32_t exponent = bits >> m & ((1u << e) - 1), fraction = bits & ((1u << m) - 1);
    tensor_number x = {.negative = bits >> (m + e) & 1};
    if (f == TENSOR_E4M3 ? exponent == 15 && fraction == 7 : exponent == (1u << e) - 1) {
        x.nan = f == TENSOR_E4M3 || fraction != 0;
        x.infinite = !x.nan;
    }
    x.significand = exponent ? fraction | 1u << m : fraction;
    x.exponent = (exponent ? (int)exponent : 1) - bias;
    return x;
}

typedef struct tensor_sum {
    int n, fraction, kept; /* terms; bits of fraction of their products, and of the sum */
    int32_t exponent[33];
    uint64_t significand[33];
    bool negative[33];
    bool nan, plus_infinity, minus_infinity;
    int32_t most;
} tensor_sum;

static inline void tensor_begin(tensor_sum *s, int fraction, int kept) {
    s->n = 0;
    s->kept = kept;
    s->fraction = fraction;
    s->nan = s->plus_infinity = s->minus_infinity = false;
    s->most = INT32_MIN;
}
static inline void tensor_multiply(tensor_sum *s, tensor_number a, tensor_number b) {
    bool negative = a.negative != b.negative;
    if (a.nan || b.nan || (a.infinite && !b.infinite && !b.significand) || (b.infinite && !a.infinite && !a.significand)) s->nan = true;
    else if (a.infinite || b.infinite) *(negative ? &s->minus_infinity : &s->plus_infinity) = true;
    if (!a.significand || !b.significand) return;
    int k = s->n++;
    s->exponent[k] = a.exponent + b.exponent;
    s->significand[k] = (uint64_t)a.significand * b.significand;
    s->negative[k] = negative;
    if (s->exponent[k] > s->most) s->most = s->exponent[k];
}

/* Adds everything to c: the sum in units of 2^(*exponent - kept). */
static inline int64_t tensor_add(const tensor_sum *s, tensor_number c, int c_fraction, int32_t *exponent) {
    int32_t most = s->most;
    if (c.significand && c.exponent > most) most = c.exponent;
    int64_t sum = 0;
    for (int k = 0; k < s->n; k++) {
        int32_t right = most - s->exponent[k] - (s->kept - s->fraction);
        uint64_t v = right >= 64 ? 0 : right >= 0 ? s->significand[k] >> right : s->significand[k] << -right;
        sum += s->negative[k] ? -(int64_t)v : (int64_t)v;
    }
    if (c.significand) {
        int32_t right = most - c.exponent - (s->kept - c_fraction);
        uint64_t v = right >= 64 ? 0 : right >= 0 ? (uint64_t)c.significand >> right : (uint64_t)c.significand << -right;
        sum += c.negative ? -(int64_t)v : (int64_t)v;
    }
    *exponent = most;
    return sum;
}

/* sum * 2^(exponent - kept) as a float, cut off. */
static inline uint32_t tensor_to_float(int64_t sum, int32_t exponent, int kept) {
    uint32_t sign = sum < 0 ? 0x80000000u : 0;
    uint64_t v = sum < 0 ? (uint64_t)-sum : (uint64_t)sum;
    if (!v) return 0;
    int top = 63 - __builtin_clzll(v);
    int32_t e = exponent - kept + top;
    if (e > 127) return sign | 0x7f800000u;
    int drop = top - 23;
    if (e < -126) drop += -126 - e;
    uint64_t m = drop >= 64 ? 0 : drop >= 0 ? v >> drop : v << -drop;
    return e < -126 ? sign | (uint32_t)m : sign | (uint32_t)(e + 127) << 23 | ((uint32_t)m & 0x7fffff);
}
/* To a half, to nearest. */
static inline uint16_t tensor_to_half(int64_t sum, int32_t exponent, int kept) {
    uint16_t sign = sum < 0 ? 0x8000u : 0;
    uint64_t v = sum < 0 ? (uint64_t)-sum : (uint64_t)sum;
    if (!v) return 0;
    int top = 63 - __builtin_clzll(v);
    int32_t e = exponent - kept + top;
    int drop = top - 10;
    if (e < -14) drop += -14 - e;
    if (drop >= 64) return 0;
    uint64_t m = drop >= 0 ? v >> drop : v << -drop;
    if (drop > 0) {
        uint64_t rest = v & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
        m += rest > half || (rest == half && (m & 1));
    }
    uint32_t bits = e < -14 ? (uint32_t)m : (uint32_t)((e + 14) << 10) + (uint32_t)m; /* a carry goes into the exponent */
    return bits ? (uint16_t)(sign | (bits > 0x7c00 ? 0x7c00 : bits)) : 0; /* no negative zero */
}

static inline bool tensor_special(const tensor_sum *s, tensor_number c, uint32_t nan, uint32_t infinity, uint32_t sign, uint32_t *out) {
    bool plus = s->plus_infinity || (c.infinite && !c.negative), minus = s->minus_infinity || (c.infinite && c.negative);
    if (s->nan || c.nan || (plus && minus)) return *out = nan, true;
    if (plus || minus) return *out = infinity | (minus ? sign : 0), true;
    return false;
}
static inline uint32_t tensor_float(const tensor_sum *s, uint32_t c) {
    tensor_number n = tensor_decode(c, TENSOR_F32);
    uint32_t r;
    int32_t e;
    if (tensor_special(s, n, 0x7fffffffu, 0x7f800000u, 0x80000000u, &r)) return r;
    int64_t sum = tensor_add(s, n, 23, &e);
    return tensor_to_float(sum, e, s->kept);
}
static inline uint16_t tensor_half(const tensor_sum *s, uint16_t c) {
    tensor_number n = tensor_decode(c, TENSOR_F16);
    uint32_t r;
    int32_t e;
    if (tensor_special(s, n, 0x7fff, 0x7c00, 0x8000, &r)) return (uint16_t)r;
    int64_t sum = tensor_add(s, n, 10, &e);
    return tensor_to_half(sum, e, s->kept);
}

#endif
