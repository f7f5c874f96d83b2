/* Operations: what each computes, and the simpler forms of those that have one. */
#include "evidence/ops.h"

/* --- what they compute ----------------------------------------------------------------------------- */

unsigned ev_op_args(ev_op op) {
    switch (op) {
    case EV_UDIV: case EV_SDIV: case EV_ABS: case EV_POPC: case EV_FLO: case EV_BREV: case EV_FIRST: return 1;
    case EV_LUT: case EV_FUNNEL: case EV_PRMT: case EV_SELECT: return 3;
    case EV_MULHI: case EV_CARRY: case EV_CARRY_WIDE: return 4;
    default: return 2;
    }
}

static uint32_t lut3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t r = 0;
    for (unsigned row = 0; row < 8; row++)
        if (table >> row & 1) r |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    return r;
}
static uint32_t sar(uint32_t v, uint32_t n) { return (uint32_t)((int32_t)v >> (n > 31 ? 31 : n)); }
static uint32_t funnel(uint32_t low, uint32_t n, uint32_t high, bool is_signed) {
    const uint64_t both = (uint64_t)high << 32 | low;
    return is_signed ? (uint32_t)((int64_t)both >> (n & 63)) : (uint32_t)(both >> (n & 63));
}
static uint64_t product64(uint32_t a, uint32_t b, bool is_signed) {
    return is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}
static uint32_t prmt(uint32_t a, uint32_t sel, uint32_t c, uint32_t mode) {
    static const uint16_t modes[7][4] = {{0},
                                         {0x3210, 0x4321, 0x5432, 0x6543}, /* F4E */
                                         {0x5670, 0x6701, 0x7012, 0x0123}, /* B4E */
                                         {0x0000, 0x1111, 0x2222, 0x3333}, /* RC8 */
                                         {0x3210, 0x3211, 0x3222, 0x3333}, /* ECL */
                                         {0x0000, 0x1110, 0x2210, 0x3210}, /* ECR */
                                         {0x1010, 0x3232, 0x1010, 0x3232}}; /* RC16 */
    const uint64_t both = (uint64_t)c << 32 | a;
    uint32_t r = 0;
    if (mode) sel = modes[mode % 7][sel & 3];
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t s = sel >> (4 * k) & 15;
        uint32_t byte = (uint32_t)(both >> (8 * (s & 7))) & 0xff;
        if (s & 8) byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * k);
    }
    return r;
}
static uint32_t field(uint32_t v, uint32_t n, bool is_signed) {
    if (n == 0) return 0;
    if (n > 31) return v;
    const uint32_t up = v << (32 - n);
    return is_signed ? sar(up, 32 - n) : up >> (32 - n);
}
static uint32_t flo(uint32_t v, uint32_t how) {
    if ((how & 1) && (int32_t)v < 0) v = ~v;
    if (!v) return UINT32_MAX;
    return how & 2 ? (uint32_t)__builtin_clz(v) : 31u - (uint32_t)__builtin_clz(v);
}
static uint32_t brev(uint32_t v) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k++) r |= (v >> k & 1) << (31 - k);
    return r;
}
static uint32_t bmsk(uint32_t at, uint32_t n) {
    const uint32_t ones = n > 31 ? UINT32_MAX : (1u << n) - 1;
    return at > 31 ? 0 : ones << at;
}

uint32_t ev_apply(ev_op op, uint32_t imm, const uint32_t v[4]) {
    const uint32_t a = v[0], b = v[1], c = v[2], d = v[3];
    const uint64_t dc = (uint64_t)d << 32 | c;
    switch (op) {
    case EV_PLUS: return a + b;
    case EV_LUT: return lut3(a, b, c, imm);
    case EV_SHL: return b > 31 ? 0 : a << b;
    case EV_SHR: return b > 31 ? 0 : a >> b;
    case EV_SAR: return sar(a, b);
    case EV_FUNNEL: return funnel(a, b, c, imm);
    case EV_MULHI: return (uint32_t)((product64(a, b, imm) + dc) >> 32);
    case EV_CARRY: return ((uint64_t)a + b + c + imm + d) >> 32 != 0;
    case EV_CARRY_WIDE: return product64(a, b, imm) + dc < dc;
    case EV_UDIV: return a / imm;
    case EV_SDIV: return (uint32_t)((int32_t)a / (int32_t)imm);
    case EV_UMIN: return a < b ? a : b;
    case EV_UMAX: return a > b ? a : b;
    case EV_SMIN: return (int32_t)a < (int32_t)b ? a : b;
    case EV_SMAX: return (int32_t)a > (int32_t)b ? a : b;
    case EV_ABS: return (int32_t)a < 0 ? 0 - a : a;
    case EV_PRMT: return prmt(a, b, c, imm);
    case EV_BFE: return field(a, b, imm);
    case EV_BMSK: return bmsk(a, b);
    case EV_POPC: return (uint32_t)__builtin_popcount(a);
    case EV_FLO: return flo(a, imm);
    case EV_BREV: return brev(a);
    case EV_LESS: return (int32_t)a < (int32_t)b;
    case EV_BELOW: return a < b;
    case EV_EQUAL: return a == b;
    case EV_SELECT: return a ? b : c;
    case EV_FIRST:
    case EV_OPS: break;
    }
    return a;
}

/* --- simpler forms --------------------------------------------------------------------------------------- */

static ev_id as_is(ev_graph *g, ev_op op, uint32_t imm, ev_id a, ev_id b, ev_id c, ev_id d) {
    const ev_id args[4] = {a, b, c, d};
    return ev_intern_op(g, op, imm, args);
}
static uint32_t most(const ev_graph *g, ev_id id) { return ev_at(g, id)->most; }
static uint32_t zeros(const ev_graph *g, ev_id id) { return ev_at(g, id)->zeros; }

ev_id ev_not(ev_graph *g, ev_id a) { return ev_add(g, ev_scale(g, a, UINT32_MAX), ev_const(g, UINT32_MAX)); }
ev_id ev_flip(ev_graph *g, ev_id a) { return ev_add(g, ev_scale(g, a, UINT32_MAX), ev_const(g, 1)); }

enum { LUT_AND = 0xc0, LUT_OR = 0xfc, LUT_XOR = 0x3c, LUT_A = 0xf0, LUT_B = 0xcc, LUT_C = 0xaa };

/* Terms of a sum that are multiples of 2^bits say nothing about the bits below. */
static ev_id without_high_terms(ev_graph *g, ev_id a, unsigned bits) {
    if (ev_at(g, a)->kind != EV_SUM || bits > 31) return a;
    const unsigned n = ev_at(g, a)->n;
    ev_id r = ev_const(g, ev_at(g, a)->imm & ((1u << bits) - 1));
    for (unsigned k = 0; k < n; k += 2) {
        const uint32_t factor = ev_word(g, a, k);
        const ev_id node = ev_word(g, a, k + 1);
        const uint32_t z = zeros(g, node);
        const unsigned low = (~z ? (unsigned)__builtin_ctz(~z) : 32) + (unsigned)__builtin_ctz(factor);
        if (low < bits) r = ev_add(g, r, ev_scale(g, node, factor));
    }
    return r;
}
static ev_id and_mask(ev_graph *g, ev_id a, uint32_t mask) {
    if (mask == 0) return 0;
    if ((mask | zeros(g, a)) == UINT32_MAX) return a;
    const ev_node n = *ev_at(g, a);
    uint32_t inner;
    if (n.kind == EV_CONST) return ev_const(g, n.imm & mask);
    if (n.kind == EV_OP && n.op == EV_LUT && n.imm == LUT_AND && ev_is_const(g, ev_word(g, a, 1), &inner))
        return and_mask(g, ev_word(g, a, 0), mask & inner);
    const unsigned bits = 32 - (unsigned)__builtin_clz(mask);
    const ev_id less = without_high_terms(g, a, bits);
    if (less != a) return and_mask(g, less, mask);
    return as_is(g, EV_LUT, LUT_AND, a, ev_const(g, mask), 0, 0);
}
ev_id ev_and(ev_graph *g, ev_id a, ev_id b) { return ev_make(g, EV_LUT, LUT_AND, a, b, 0, 0); }

static ev_id or_xor(ev_graph *g, ev_id a, ev_id b, uint32_t lut) {
    uint32_t v;
    if ((zeros(g, a) | zeros(g, b)) == UINT32_MAX) return ev_add(g, a, b); /* no bit in common */
    if (lut == LUT_XOR && ev_is_const(g, b, &v) && v == 0x80000000u) return ev_add(g, a, b);
    return a < b ? as_is(g, EV_LUT, lut, b, a, 0, 0) : as_is(g, EV_LUT, lut, a, b, 0, 0);
}

/* The table with argument k (0 a, 1 b, 2 c) fixed. */
static uint32_t fix(uint32_t lut, unsigned k, bool one) {
    const uint32_t bit = 4u >> k;
    uint32_t r = 0;
    for (unsigned row = 0; row < 8; row++) r |= (lut >> (one ? row | bit : row & ~bit) & 1) << row;
    return r;
}
/* The table with two arguments exchanged. */
static uint32_t exchange(uint32_t lut, unsigned j, unsigned k) {
    const uint32_t x = 4u >> j, y = 4u >> k;
    uint32_t r = 0;
    for (unsigned row = 0; row < 8; row++) {
        uint32_t to = row & ~(x | y);
        if (row & x) to |= y;
        if (row & y) to |= x;
        r |= (lut >> to & 1) << row;
    }
    return r;
}
/* The table of (x inner y) outer z, where z is argument number `last`. */
static uint32_t table_of(uint32_t inner, uint32_t outer, unsigned last) {
    static const uint32_t pattern[3] = {LUT_A, LUT_B, LUT_C};
    const uint32_t x = pattern[last == 0 ? 1 : 0], y = pattern[last == 2 ? 1 : 2];
    return lut3(lut3(x, y, 0, inner), pattern[last], 0, outer) & 0xff;
}
/* Three arguments as two operations with two each, where that is possible. */
static ev_id two_level(ev_graph *g, uint32_t lut, ev_id a, ev_id b, ev_id c) {
    static const uint8_t ops[3] = {LUT_AND, LUT_OR, LUT_XOR};
    const ev_id args[3] = {a, b, c};
    uint32_t v;
    if (ev_is_const(g, c, &v)) { /* a mask chooses between two simpler tables, bit by bit */
        const uint32_t on = fix(lut, 2, true), off = fix(lut, 2, false);
        const bool simple = (on == 0 || on == LUT_A || on == LUT_B) && (off == 0 || off == LUT_A || off == LUT_B);
        if (simple) return ev_add(g, and_mask(g, ev_make(g, EV_LUT, on, a, b, 0, 0), v), and_mask(g, ev_make(g, EV_LUT, off, a, b, 0, 0), ~v));
    }
    for (unsigned last = 0; last < 3; last++)
        for (unsigned k = 0; k < 9; k++) {
            if (table_of(ops[k / 3], ops[k % 3], last) != lut) continue;
            const ev_id x = args[last == 0 ? 1 : 0], y = args[last == 2 ? 1 : 2];
            const ev_id inner = ev_make(g, EV_LUT, ops[k / 3], x, y, 0, 0);
            return ev_make(g, EV_LUT, ops[k % 3], inner, args[last], 0, 0);
        }
    return as_is(g, EV_LUT, lut, a, b, c, 0);
}
static ev_id make_lut(ev_graph *g, uint32_t lut, ev_id a, ev_id b, ev_id c) {
    ev_id args[3] = {a, b, c};
    uint32_t v;
    for (unsigned k = 0; k < 3; k++) {
        if (ev_is_const(g, args[k], &v) && (v == 0 || v == UINT32_MAX)) lut = fix(lut, k, v != 0);
        if (fix(lut, k, false) == fix(lut, k, true)) args[k] = 0; /* does not matter */
    }
    if (args[1] && args[0] == args[1]) { /* x with itself */
        uint32_t r = 0;
        for (unsigned row = 0; row < 8; row++) r |= (lut >> ((row & 4) | (row & 4) >> 1 | (row & 1)) & 1) << row;
        return make_lut(g, r, args[0], 0, args[2]);
    }
    /* those that matter first, constants last */
    for (unsigned j = 0; j < 3; j++)
        for (unsigned k = j + 1; k < 3; k++) {
            const bool later = !args[j] ? args[k] != 0 : args[k] && ev_is_const(g, args[j], NULL) && !ev_is_const(g, args[k], NULL);
            if (!later) continue;
            const ev_id t = args[j];
            args[j] = args[k], args[k] = t;
            lut = exchange(lut, j, k);
        }
    a = args[0], b = args[1], c = args[2];
    if (lut == 0) return 0;
    if (lut == 0xff) return ev_const(g, UINT32_MAX);
    if (lut == LUT_A) return a;
    if (lut == 0x0f) return ev_not(g, a);
    if (c) return two_level(g, lut, a, b, c);
    if (lut == 0x30 && ev_is_const(g, b, &v)) return and_mask(g, a, ~v);
    if (lut == LUT_AND && ev_is_const(g, b, &v)) return and_mask(g, a, v);
    if (lut == LUT_AND && a < b) return as_is(g, EV_LUT, lut, b, a, 0, 0);
    if (lut == LUT_OR || lut == LUT_XOR) return or_xor(g, a, b, lut);
    return as_is(g, EV_LUT, lut, a, b, 0, 0);
}

/* A sum whose every part is a multiple of 2^n and that does not overflow. */
static bool divide_sum(ev_graph *g, ev_id a, uint32_t n, ev_id *out) {
    const ev_node s = *ev_at(g, a);
    uint64_t largest = s.imm; /* of the sum as it stands, before any bit is lost */
    if (s.kind != EV_SUM || s.imm % (1u << n)) return false;
    for (unsigned k = 0; k < s.n; k += 2) {
        if (ev_word(g, a, k) % (1u << n)) return false;
        largest += (uint64_t)ev_word(g, a, k) * most(g, ev_word(g, a, k + 1));
        if (largest > UINT32_MAX) return false;
    }
    ev_id r = ev_const(g, s.imm >> n);
    for (unsigned k = 0; k < s.n; k += 2) {
        const uint32_t factor = ev_word(g, a, k) >> n;
        r = ev_add(g, r, ev_scale(g, ev_word(g, a, k + 1), factor));
    }
    *out = r;
    return true;
}
__extension__ typedef unsigned __int128 u128;
/* floor(x * m / 2^(32+s)) is floor(x / d) for every x below 2^32 when 0 <= m*d - 2^(32+s) <= 2^s (Granlund and
 * Montgomery, "Division by invariant integers using multiplication", theorem 4.2). */
/* The d for which low <= m*d - 2^p <= high; 0: none. */
static uint32_t divisor_of(uint64_t m, unsigned p, uint64_t low, uint64_t high) {
    const u128 power = (u128)1 << p;
    const uint64_t near = m > 1 ? (uint64_t)(power / m) : 0;
    for (uint64_t d = near > 1 ? near : 2; d <= near + 1 && d <= INT32_MAX; d++) {
        const u128 product = (u128)m * d;
        if (product >= power + low && product <= power + high) return (uint32_t)d;
    }
    return 0;
}
static uint32_t magic_divisor(uint64_t m, uint32_t s) { return s > 31 ? 0 : divisor_of(m, 32 + s, 0, (uint64_t)1 << s); }

/* x and m of a high word x * m, plain; x is what is not the constant. */
static bool high_word(const ev_graph *g, ev_id id, bool is_signed, ev_id *x, uint32_t *m) {
    if (!ev_is_op(g, id, EV_MULHI) || (ev_at(g, id)->imm != 0) != is_signed || ev_word(g, id, 2)) return false;
    const bool second = ev_is_const(g, ev_word(g, id, 1), m);
    *x = ev_word(g, id, second ? 0 : 1);
    return second || ev_is_const(g, ev_word(g, id, 0), m);
}
/* Theorem 5.1 there: for signed x, 0 < m*d - 2^(32+s) <= 2^(s+1). A magic number that does not fit 31 bits is compiled
 * as a negative one with x added. */
ev_id ev_signed_quotient(ev_graph *g, ev_id h, uint32_t shift) {
    ev_id x;
    uint32_t m;
    if (shift > 30 || !high_word(g, h, true, &x, &m)) return 0;
    const ev_id added = ev_word(g, h, 3);
    if (added != ((int32_t)m < 0 ? x : 0)) return 0;
    const uint32_t d = divisor_of(m, 32 + shift, 1, (uint64_t)2 << shift);
    return d ? ev_make(g, EV_SDIV, d, x, 0, 0, 0) : 0;
}
/* ((x - t) / 2 + t) >> s with t the high word of x * m: division by a magic number of 33 bits, 2^32 + m. */
static ev_id long_division(ev_graph *g, ev_id a, uint32_t s) {
    for (unsigned k = 0; ev_at(g, a)->kind == EV_SUM && k < ev_args(g, a); k++) {
        const ev_id t = ev_arg(g, a, k);
        ev_id x;
        uint32_t m;
        if (ev_word(g, a, 2 * k) != 1 || !high_word(g, t, false, &x, &m) || ev_word(g, t, 3)) continue;
        const ev_id half = ev_make(g, EV_SHR, 0, ev_add(g, x, ev_scale(g, t, UINT32_MAX)), ev_const(g, 1), 0, 0);
        if (ev_add(g, a, ev_scale(g, t, UINT32_MAX)) != half) continue;
        const uint32_t d = magic_divisor(((uint64_t)1 << 32) + m, s + 1);
        if (d) return ev_make(g, EV_UDIV, d, x, 0, 0, 0);
    }
    return 0;
}

static ev_id make_shr(ev_graph *g, ev_id a, ev_id b) {
    uint32_t n, m;
    ev_id r;
    if (!ev_is_const(g, b, &n)) return as_is(g, EV_SHR, 0, a, b, 0, 0);
    if (n > 31 || most(g, a) >> n == 0) return 0;
    if (n == 0) return a;
    if (divide_sum(g, a, n, &r)) return r;
    if (ev_is_op(g, a, EV_SHR) && ev_is_const(g, ev_word(g, a, 1), &m)) return make_shr(g, ev_word(g, a, 0), ev_const(g, n + m));
    if (high_word(g, a, false, &r, &m) && !ev_word(g, a, 3)) {
        const uint32_t d = magic_divisor(m, n);
        if (d) return ev_make(g, EV_UDIV, d, r, 0, 0, 0);
    }
    if ((r = long_division(g, a, n))) return r;
    return as_is(g, EV_SHR, 0, a, b, 0, 0);
}
/* (y + ((y >> 31) >>> 32-n)) >> n is how y / 2^n is compiled, rounded towards zero. */
static bool signed_division(ev_graph *g, ev_id a, uint32_t n, ev_id *y) {
    if (ev_at(g, a)->kind != EV_SUM) return false;
    for (unsigned k = 0; k < ev_args(g, a); k++) {
        const ev_id t = ev_arg(g, a, k);
        uint32_t v;
        if (ev_word(g, a, 2 * k) != 1 || !ev_is_op(g, t, EV_SHR) || !ev_is_const(g, ev_word(g, t, 1), &v) || v != 32 - n) continue;
        const ev_id sign = ev_word(g, t, 0);
        if (!ev_is_op(g, sign, EV_SAR) || !ev_is_const(g, ev_word(g, sign, 1), &v) || v != 31) continue;
        *y = ev_word(g, sign, 0);
        if (ev_add(g, a, ev_scale(g, t, UINT32_MAX)) == *y) return true;
    }
    return false;
}
static ev_id make_sar(ev_graph *g, ev_id a, ev_id b) {
    uint32_t n;
    ev_id y;
    if (most(g, a) <= INT32_MAX) return make_shr(g, a, b);
    if (!ev_is_const(g, b, &n)) return as_is(g, EV_SAR, 0, a, b, 0, 0);
    if (n == 0) return a;
    if (n > 31) n = 31;
    if (n < 31 && signed_division(g, a, n, &y)) return ev_make(g, EV_SDIV, 1u << n, y, 0, 0, 0);
    return as_is(g, EV_SAR, 0, a, ev_const(g, n), 0, 0);
}
static ev_id make_funnel(ev_graph *g, uint32_t is_signed, ev_id a, ev_id b, ev_id c) {
    uint32_t n;
    if (!ev_is_const(g, b, &n)) return as_is(g, EV_FUNNEL, is_signed, a, b, c, 0);
    n &= 63;
    b = ev_const(g, n);
    if (n == 0) return a;
    if (n >= 32) return ev_make(g, is_signed ? EV_SAR : EV_SHR, 0, c, ev_const(g, n - 32), 0, 0);
    if (c == 0) return make_shr(g, a, b);
    if (a == 0) return ev_scale(g, c, 1u << (32 - n));
    if (c == make_sar(g, a, ev_const(g, 31))) return make_sar(g, a, b);
    return as_is(g, EV_FUNNEL, is_signed, a, b, c, 0);
}
static ev_id make_minmax(ev_graph *g, ev_op op, ev_id a, ev_id b) {
    if (a == b) return a;
    if ((op == EV_SMIN || op == EV_SMAX) && most(g, a) <= INT32_MAX && most(g, b) <= INT32_MAX)
        op = op == EV_SMIN ? EV_UMIN : EV_UMAX;
    uint32_t v;
    for (unsigned k = 0; k < 2; k++) {
        const ev_id x = k ? b : a, y = k ? a : b;
        if (ev_is_const(g, x, &v) && op == EV_UMIN && v >= most(g, y)) return y;
        if (ev_is_const(g, x, &v) && op == EV_UMAX && v == 0) return y;
    }
    return a < b ? as_is(g, op, 0, b, a, 0, 0) : as_is(g, op, 0, a, b, 0, 0);
}
static ev_id make_compare(ev_graph *g, ev_op op, ev_id a, ev_id b) {
    if (a == b) return ev_const(g, op == EV_EQUAL);
    if (op == EV_LESS && most(g, a) <= INT32_MAX && most(g, b) <= INT32_MAX) op = EV_BELOW;
    uint32_t v;
    if (op == EV_BELOW && ev_is_const(g, b, &v) && most(g, a) < v) return ev_const(g, 1);
    if (op == EV_BELOW && ev_is_const(g, a, &v) && most(g, b) <= v) return 0;
    if (op == EV_EQUAL && ev_is_const(g, b, &v) && v > most(g, a)) return 0;
    if (op == EV_EQUAL && ev_is_const(g, b, &v) && v == 0 && most(g, a) <= 1) return ev_flip(g, a);
    if (op == EV_EQUAL && a < b) return as_is(g, op, 0, b, a, 0, 0);
    return as_is(g, op, 0, a, b, 0, 0);
}
/* A selector that keeps bytes where they are or takes known zeros is a mask. */
static ev_id make_prmt(ev_graph *g, uint32_t mode, ev_id a, ev_id b, ev_id c) {
    uint32_t sel, mask[2] = {0, 0};
    if (mode || !ev_is_const(g, b, &sel)) return as_is(g, EV_PRMT, mode, a, b, c, 0);
    const ev_id from[2] = {a, c};
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t s = sel >> (4 * k) & 15, byte = s & 3, word = s >> 2 & 1;
        const uint32_t bits = 0xffu << (8 * byte);
        if ((zeros(g, from[word]) & bits) == bits) continue; /* a zero, whatever the place */
        if ((s & 8) || byte != k) return as_is(g, EV_PRMT, mode, a, b, c, 0);
        mask[word] |= bits;
    }
    return ev_add(g, and_mask(g, a, mask[0]), and_mask(g, c, mask[1]));
}
static ev_id make_select(ev_graph *g, ev_id a, ev_id b, ev_id c) {
    uint32_t v;
    if (b == c) return b;
    if (ev_is_const(g, a, &v)) return v ? b : c;
    if (ev_at(g, a)->kind == EV_SUM && ev_at(g, a)->imm == 1 && ev_at(g, a)->n == 2 && ev_word(g, a, 0) == UINT32_MAX &&
        most(g, ev_word(g, a, 1)) <= 1) /* 1 - p */
        return make_select(g, ev_word(g, a, 1), c, b);
    return as_is(g, EV_SELECT, 0, a, b, c, 0);
}
static ev_id make_mulhi(ev_graph *g, uint32_t is_signed, ev_id a, ev_id b, ev_id c, ev_id d) {
    if (is_signed && most(g, a) <= INT32_MAX && most(g, b) <= INT32_MAX) is_signed = 0;
    if (!c && !d && (!a || !b)) return 0;
    if (!a || !b) return d;
    if (!is_signed && !c && !d && (uint64_t)most(g, a) * most(g, b) <= UINT32_MAX) return 0;
    return as_is(g, EV_MULHI, is_signed, a, b, c, d);
}

ev_id ev_make(ev_graph *g, ev_op op, uint32_t imm, ev_id a, ev_id b, ev_id c, ev_id d) {
    const ev_id args[4] = {a, b, c, d};
    uint32_t v[4] = {0};
    unsigned known = 0;
    for (unsigned k = 0; k < ev_op_args(op); k++) known += ev_is_const(g, args[k], &v[k]);
    if (known == ev_op_args(op)) return ev_const(g, ev_apply(op, imm, v));
    switch (op) {
    case EV_LUT: return make_lut(g, imm, a, b, c);
    case EV_SHL:
        if (!ev_is_const(g, b, v)) break;
        return v[0] > 31 ? 0 : ev_scale(g, a, 1u << v[0]);
    case EV_SHR: return make_shr(g, a, b);
    case EV_SAR: return make_sar(g, a, b);
    case EV_FUNNEL: return make_funnel(g, imm, a, b, c);
    case EV_MULHI: return make_mulhi(g, imm, a, b, c, d);
    case EV_UDIV:
        if (imm && !(imm & (imm - 1))) return make_shr(g, a, ev_const(g, (uint32_t)__builtin_ctz(imm)));
        break;
    case EV_SDIV:
        if (most(g, a) <= INT32_MAX) return ev_make(g, EV_UDIV, imm, a, 0, 0, 0);
        break;
    case EV_UMIN: case EV_UMAX: case EV_SMIN: case EV_SMAX: return make_minmax(g, op, a, b);
    case EV_ABS:
        if (most(g, a) <= INT32_MAX) return a;
        break;
    case EV_PRMT: return make_prmt(g, imm, a, b, c);
    case EV_BFE:
        if (imm || !ev_is_const(g, b, v)) break;
        return v[0] > 31 ? a : and_mask(g, a, (1u << v[0]) - 1);
    case EV_LESS: case EV_BELOW: case EV_EQUAL: return make_compare(g, op, a, b);
    case EV_SELECT: return make_select(g, a, b, c);
    default: break;
    }
    return ev_intern_op(g, op, imm, args);
}
