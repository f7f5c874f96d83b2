/* MUFU as an H200 computes it, bit for bit: a table of quadratics in fixed point, found from the hardware's own answers for
 * every mantissa (tests/conformance/mufu_fit.py says how; mufu_dump.cu reads them from a GPU). The unit is the one of Oberman
 * and Siu, "A High-Performance Area-Efficient Multifunction Interpolator" (ARITH 2005); the widths were measured.
 *
 * The argument's leading bits choose a row, its following 17 bits are t: q = c0 + c1 t + c2 S(t), exact, in units of 2^-17 of
 * the last place of the table's values. S(t) is t * t without the partial products below 2^19, in units of 2^19: none of what
 * is left out carries. The result is q cut, never rounded: rounding constants are part of c0.
 *
 * Denormal operands are zeros of their sign and denormal results too, TANH's apart. All take and give words of floats. */
#ifndef WG_ENGINE_MUFU_H
#define WG_ENGINE_MUFU_H

#include <stdint.h>

#ifndef MUFU_FN /* mufu_dump.cu compiles all this for a GPU */
#define MUFU_FN static inline
#define MUFU_LEADING(v) (63 - __builtin_clzll(v))
#define MUFU_ROWS const
#endif

typedef struct mufu_row {
    int64_t c0;
    int32_t c1, c2;
} mufu_row;

enum { MUFU_TANH_ROWS = 51 };
#ifdef __CUDACC__ /* of a GPU's code all is in one file */
#include "engine/mufu_table.c"
#else
extern MUFU_ROWS mufu_row mufu_rcp_rows[128];             /* mantissas of [1, 2) */
extern MUFU_ROWS mufu_row mufu_rsq_rows[128];             /* [1, 4) in halves of 64 */
extern MUFU_ROWS mufu_row mufu_sqrt_rows[128];            /* likewise */
extern MUFU_ROWS mufu_row mufu_ex2_rows[64];              /* fractions */
extern MUFU_ROWS mufu_row mufu_lg2_rows[64];              /* mantissas of [1, 2) */
extern MUFU_ROWS mufu_row mufu_sin_rows[64];              /* a quarter of a turn */
extern MUFU_ROWS mufu_row mufu_tanh_rows[MUFU_TANH_ROWS]; /* [2^-8, 8): 1 row a binade, from 2^-5 on 2, then 4, 4, 4, 8, 16, 8 */
#endif

enum { MUFU_NAN = 0x7fffffff, MUFU_T = 0x1ffff, MUFU_MANTISSA = 0x7fffff, MUFU_ONE = 0x800000, MUFU_INF = 0x7f800000 };
#define MUFU_SIGN 0x80000000u

typedef struct mufu_at { /* where in the table */
    const mufu_row *row;
    uint32_t t;
} mufu_at;

/* t: 17 bits. The partial products t_i t_j of 2^(i + j + 1), i > j, and t_i of 2^(2 i), from 2^19 on. */
MUFU_FN uint32_t mufu_square(uint32_t t) {
    uint32_t s = 0;
    for (unsigned i = 10; i <= 16; i++)
        s += (((t & ((1u << i) - 1)) >> (18 - i)) + (1u << (2 * i - 19))) & -(t >> i & 1);
    return s;
}
MUFU_FN int64_t mufu_sum(const mufu_row *r, uint32_t t, uint32_t square) { return r->c0 + (int64_t)r->c1 * t + (int64_t)r->c2 * square; }
MUFU_FN int64_t mufu_value(mufu_at at) { return mufu_sum(at.row, at.t, mufu_square(at.t)); }

/* q 2^scale, cut to a float's 24 bits; no denormals come of it. */
MUFU_FN uint32_t mufu_cut(uint64_t q, int scale) {
    if (!q) return 0;
    int top = MUFU_LEADING(q);
    uint32_t m = top >= 23 ? (uint32_t)(q >> (top - 23)) : (uint32_t)q << (23 - top);
    return (uint32_t)(top + scale + 126) * MUFU_ONE + m;
}
MUFU_FN int mufu_is_nan(uint32_t x) { return (x & ~MUFU_SIGN) > MUFU_INF; }
MUFU_FN int mufu_exponent(uint32_t x) { return (int)(x >> 23 & 255) - 127; }
MUFU_FN int mufu_is_tiny(uint32_t x) { return !(x & MUFU_INF); } /* zero, or a denormal that counts as one */
MUFU_FN int mufu_is_inf(uint32_t x) { return (x & ~MUFU_SIGN) == MUFU_INF; }

/* --- RCP ---------------------------------------------------------------------------------------------------- */
MUFU_FN mufu_at mufu_rcp_at(uint32_t x) {
    mufu_at at = {&mufu_rcp_rows[x >> 16 & 127], (x & 0xffff) << 1};
    return at;
}
MUFU_FN uint32_t mufu_rcp_of(uint32_t x, int64_t q) {
    uint32_t sign = x & MUFU_SIGN;
    if (mufu_is_nan(x)) return MUFU_NAN;
    if (mufu_is_tiny(x)) return sign | MUFU_INF;
    int32_t r = (125 - mufu_exponent(x)) * MUFU_ONE + (int32_t)(q >> 17);
    return r < MUFU_ONE || mufu_is_inf(x) ? sign : sign | (uint32_t)r;
}

/* --- RSQ and SQRT: pairs of binades --------------------------------------------------------------------------- */
MUFU_FN uint32_t mufu_pair(uint32_t x) { return ((x >> 17 & 127) ^ 64); } /* an odd exponent is a biased even one */
MUFU_FN mufu_at mufu_rsq_at(uint32_t x) {
    mufu_at at = {&mufu_rsq_rows[mufu_pair(x)], x & MUFU_T};
    return at;
}
MUFU_FN int mufu_is_even_power(uint32_t x) { return (x & (2 * MUFU_ONE - 1)) == MUFU_ONE; } /* their RSQ is exact */
MUFU_FN uint32_t mufu_rsq_of(uint32_t x, int64_t q) {
    if (mufu_is_nan(x)) return MUFU_NAN;
    if (mufu_is_tiny(x)) return (x & MUFU_SIGN) | MUFU_INF;
    if (x & MUFU_SIGN) return MUFU_NAN;
    if (x == MUFU_INF) return 0;
    uint32_t y = mufu_is_even_power(x) ? 2 * MUFU_ONE : (uint32_t)(q >> 17);
    return (uint32_t)(125 - (mufu_exponent(x) >> 1)) * MUFU_ONE + y;
}
MUFU_FN mufu_at mufu_sqrt_at(uint32_t x) {
    mufu_at at = {&mufu_sqrt_rows[mufu_pair(x)], x & MUFU_T};
    return at;
}
MUFU_FN uint32_t mufu_sqrt_of(uint32_t x, int64_t q) {
    if (mufu_is_nan(x)) return MUFU_NAN;
    if (mufu_is_tiny(x)) return x & MUFU_SIGN;
    if (x & MUFU_SIGN) return MUFU_NAN;
    return x == MUFU_INF ? x : (uint32_t)((mufu_exponent(x) >> 1) + 126) * MUFU_ONE + (uint32_t)(q >> 17);
}

/* --- EX2 ------------------------------------------------------------------------------------------------------ */
/* |x| < 256 with 23 bits of fraction, the rest cut off; what is negative then loses one unit, whole numbers apart. */
MUFU_FN int32_t mufu_ex2_fixed(uint32_t x) {
    int e = mufu_exponent(x);
    uint32_t m = (x & MUFU_MANTISSA) | MUFU_ONE;
    uint32_t v = e >= 8 ? 0 : e >= 0 ? m << e : e > -24 ? m >> -e : 0;
    if (!(x & MUFU_SIGN)) return (int32_t)v;
    return v & MUFU_MANTISSA ? (int32_t)~v : -(int32_t)v;
}
MUFU_FN mufu_at mufu_ex2_at(uint32_t x) {
    int32_t v = mufu_ex2_fixed(x);
    mufu_at at = {&mufu_ex2_rows[v >> 17 & 63], (uint32_t)v & MUFU_T};
    return at;
}
MUFU_FN uint32_t mufu_ex2_of(uint32_t x, int64_t q) {
    if (mufu_is_nan(x)) return MUFU_NAN;
    int n = mufu_ex2_fixed(x) >> 23;
    if (mufu_exponent(x) >= 8) return x & MUFU_SIGN ? 0 : MUFU_INF;
    if (n > 127) return MUFU_INF;
    return n < -126 ? 0 : (uint32_t)(n + 126) * MUFU_ONE + (uint32_t)(q >> 17);
}

/* --- LG2 ------------------------------------------------------------------------------------------------------ */
MUFU_FN mufu_at mufu_lg2_at(uint32_t x) {
    mufu_at at = {&mufu_lg2_rows[x >> 17 & 63], x & MUFU_T};
    return at;
}
MUFU_FN uint32_t mufu_lg2_of(uint32_t x, int64_t q) {
    if (mufu_is_nan(x)) return MUFU_NAN;
    if (mufu_is_tiny(x)) return MUFU_SIGN | MUFU_INF;
    if (x & MUFU_SIGN) return MUFU_NAN;
    if (x == MUFU_INF) return x;
    if (x == 0x3f800000) return 0;
    q = (q >> 2) + (int64_t)mufu_exponent(x) * (INT64_C(1) << 36);
    return q < 0 ? MUFU_SIGN | mufu_cut((uint64_t)~q, -36) : mufu_cut((uint64_t)q, -36);
}

/* --- SIN and COS: of turns -------------------------------------------------------------------------------------- */
/* |x| with 25 bits of fraction, the rest cut off; whole turns do not matter. */
MUFU_FN uint32_t mufu_turn(uint32_t x) {
    int shift = mufu_exponent(x) + 2;
    uint32_t m = (x & MUFU_MANTISSA) | MUFU_ONE;
    return shift >= 32 || shift <= -24 ? 0 : shift >= 0 ? m << shift : m >> -shift;
}
/* The way back through a quarter loses one unit; its end is 1, exactly. */
MUFU_FN mufu_at mufu_quarter_at(uint32_t v) {
    uint32_t f = (v & MUFU_ONE ? ~v : v) & MUFU_MANTISSA;
    mufu_at at = {&mufu_sin_rows[f >> 17], f & MUFU_T};
    return at;
}
MUFU_FN uint32_t mufu_quarter_of(uint32_t v, uint32_t sign, int64_t q) {
    sign ^= (v << 7) & MUFU_SIGN;
    return sign | ((v & (2 * MUFU_ONE - 1)) == MUFU_ONE ? 0x3f800000 : mufu_cut((uint64_t)q, -41));
}
MUFU_FN mufu_at mufu_sin_at(uint32_t x) { return mufu_quarter_at(mufu_turn(x)); }
MUFU_FN mufu_at mufu_cos_at(uint32_t x) { return mufu_quarter_at(mufu_turn(x) + MUFU_ONE); }
MUFU_FN int mufu_has_no_angle(uint32_t x) { return (x & MUFU_INF) == MUFU_INF; }
MUFU_FN uint32_t mufu_sin_of(uint32_t x, int64_t q) { return mufu_has_no_angle(x) ? MUFU_NAN : mufu_quarter_of(mufu_turn(x), x & MUFU_SIGN, q); }
MUFU_FN uint32_t mufu_cos_of(uint32_t x, int64_t q) { return mufu_has_no_angle(x) ? MUFU_NAN : mufu_quarter_of(mufu_turn(x) + MUFU_ONE, 0, q); }

/* --- TANH: the number itself below 2^-8, 1 from 8 on ------------------------------------------------------------- */
MUFU_FN mufu_at mufu_tanh_at(uint32_t x) {
    static const uint8_t bits[11] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3}, first[11] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    int e = mufu_exponent(x) + 8;
    e = e < 0 ? 0 : e > 10 ? 10 : e;
    mufu_at at = {&mufu_tanh_rows[first[e] + ((x & MUFU_MANTISSA) >> (23 - bits[e]))], x >> (6 - bits[e]) & MUFU_T};
    return at;
}
MUFU_FN uint32_t mufu_tanh_of(uint32_t x, int64_t q) {
    if (mufu_is_nan(x)) return MUFU_NAN;
    if (mufu_exponent(x) < -8) return x; /* denormals too */
    return (x & MUFU_SIGN) | (mufu_exponent(x) >= 3 ? 0x3f800000 : mufu_cut((uint64_t)q, -41));
}

/* --- RCP64H and RSQ64H: high words of doubles; what single precision makes of 20 bits, cut to 20 bits ------------- */
MUFU_FN int mufu_high_is_nan(uint32_t x) { return (x & ~MUFU_SIGN) > 0x7ff00000; }
MUFU_FN uint32_t mufu_high_single(uint32_t x) { return (x & 0x1fffff) << 3; } /* with the exponent's last bit */
MUFU_FN uint32_t mufu_rcp64h(uint32_t x) {
    uint32_t sign = x & MUFU_SIGN;
    if (mufu_high_is_nan(x)) return MUFU_NAN;
    if (!(x & 0x7ff00000)) return sign | 0x7ff00000;
    uint32_t y = (uint32_t)(mufu_value(mufu_rcp_at(mufu_high_single(x))) >> 17);
    int32_t r = (2044 - (int)(x >> 20 & 2047)) * 0x100000 + (int32_t)(y >> 3);
    return r < 0x100000 ? sign : sign | (uint32_t)r;
}
MUFU_FN uint32_t mufu_rsq64h(uint32_t x) {
    if (mufu_high_is_nan(x)) return MUFU_NAN;
    if (!(x & 0x7ff00000)) return (x & MUFU_SIGN) | 0x7ff00000;
    if (x & MUFU_SIGN) return MUFU_NAN;
    if (x == 0x7ff00000) return 0;
    uint32_t single = mufu_high_single(x), y = (uint32_t)(mufu_value(mufu_rsq_at(single)) >> 17);
    if (mufu_is_even_power(single)) y = 2 * MUFU_ONE;
    return (uint32_t)(1021 - (((int)(x >> 20) - 1023) >> 1)) * 0x100000 + (y >> 3);
}

/* --- .F16: single precision's result cut to a half, denormals too -------------------------------------------------- */
MUFU_FN uint32_t mufu_cut_to_half(uint32_t x) {
    uint32_t size = x & ~MUFU_SIGN, sign = x >> 16 & 0x8000;
    if (size > MUFU_INF) return 0x7fff;
    if (size >= 0x47800000) return sign | 0x7c00; /* 65536 and more is infinite */
    if (size >= 0x38800000) return sign | (size - 0x38000000) >> 13;
    return size < 0x33800000 ? sign : sign | ((size & MUFU_MANTISSA) | MUFU_ONE) >> (126 - (size >> 23));
}

#endif
