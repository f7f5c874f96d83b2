/* Integer addition, logic, shifts, selection: IADD3, LEA, LOP3, SHF, SEL, minimum and maximum. */
#include "engine/lanes_ops.h"
#include "engine/lift.h"

/* --- IADD3 ------------------------------------------------------------------------------ */

ENG_INLINE vu negate_if(vu v, uint32_t all) { return (v ^ vu_set(all)) - vu_set(all); }

ENG_OP(add2) { ENG_EACH PUT(k, A(k) + B(k)); }
ENG_OP(add3) { ENG_EACH PUT(k, A(k) + B(k) + C(k)); }
enum { NEG_A = 1, NEG_B = 2, NEG_C = 4, INV_A = 8, INV_B = 16, INV_C = 32 };
#define BIT_ALL(x, bit) ((x) & (bit) ? ENG_ALL : 0)
ENG_OP(sub2) { ENG_EACH PUT(k, A(k) - B(k)); }
ENG_OP(add3_neg) {
    uint32_t x = i->x;
    ENG_EACH PUT(k, negate_if(A(k), BIT_ALL(x, NEG_A)) + negate_if(B(k), BIT_ALL(x, NEG_B)) +
                        negate_if(C(k), BIT_ALL(x, NEG_C)));
}
/* Two addends and a carry out: the low half of a 64-bit addition. */
ENG_OP(add2_carry) {
    uint32_t carry = 0;
    ENG_EACH {
        vu a = A(k), s = a + B(k);
        carry |= vu_lt(s, a, k);
        PUT(k, s);
    }
    SETP(0, carry);
}
/* Two addends and a carry in: the high half. */
ENG_OP(add2_x) {
    uint32_t in = eng_pred(w, i->ps[0]);
    ENG_EACH PUT(k, A(k) + B(k) - vu_expand(in, k));
}
/* Everything: the sum has 33 bits or more. A negative addend is its complement plus one, all counted in the carry;
 * the first carry out says that there was one, the second that there were two. */
ENG_OP(add3_any) {
    uint32_t x = i->x, in0 = eng_pred(w, i->ps[0]), in1 = eng_pred(w, i->ps[1]), some = 0, more = 0;
    ENG_EACH {
        vu t[3] = {A(k) ^ vu_set(BIT_ALL(x, NEG_A | INV_A)), B(k) ^ vu_set(BIT_ALL(x, NEG_B | INV_B)),
                   C(k) ^ vu_set(BIT_ALL(x, NEG_C | INV_C))};
        vu ones[5] = {vu_set((x & NEG_A) != 0), vu_set((x & NEG_B) != 0), vu_set((x & NEG_C) != 0),
                      vu_expand(in0, k) & 1, vu_expand(in1, k) & 1};
        vu s = t[0], carries = {0};
        for (int n = 1; n < 3; n++) s += t[n], carries -= (vu)(s < t[n]);
        for (int n = 0; n < 5; n++) s += ones[n], carries -= (vu)(s < ones[n]);
        some |= vu_ne(carries, (vu){0}, k);
        more |= vu_lt(vu_set(1), carries, k);
        PUT(k, s);
    }
    SETP(1, more);
    SETP(0, some); /* where both are the same one */
}

static uint32_t sign_flags(const sass_instr *in) {
    return (in->a.neg ? NEG_A : 0) | (in->b.neg ? NEG_B : 0) | (in->c.neg ? NEG_C : 0) | (in->a.inv ? INV_A : 0) |
           (in->b.inv ? INV_B : 0) | (in->c.inv ? INV_C : 0);
}

/* Moves a zero among the addends to the last place. */
static void zero_last(eng_ins *out, const sass_instr *in, uint32_t *x) {
    uint32_t t;
    if (eng_is_zero(&in->c) || *x) return;
    if (eng_is_zero(&in->b)) t = out->b, out->b = out->c, out->c = t;
    else if (eng_is_zero(&in->a)) t = out->a, out->a = out->c, out->c = t;
}

static bool false_or_absent(const sass_pred *p) { return !p->present || (p->reg == SASS_PT && p->inv); }

static bool bind_iadd3(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    uint32_t x = sign_flags(in);
    bool zero = eng_is_zero(&in->a) || eng_is_zero(&in->b) || eng_is_zero(&in->c);
    bool carries = out->pd[0] != ENG_PSINK || out->pd[1] != ENG_PSINK, extended = in->flags & SASS_X;
    if (!extended) out->ps[0] = out->ps[1] = ENG_PT | ENG_PINV;
    if (eng_is_zero(&in->c) && !extended) x &= ~(uint32_t)(carries ? 0 : NEG_C);
    out->x = x;
    zero_last(out, in, &x);
    const eng_fn *fn = add3_any;
    if (!carries && !extended) {
        if (x == NEG_B && eng_is_zero(&in->c)) fn = sub2;
        else fn = x ? add3_neg : zero ? add2 : add3;
    } else if (!extended && !x && zero && out->pd[1] == ENG_PSINK) fn = add2_carry;
    else if (!carries && !x && zero && false_or_absent(&in->psrc[1])) fn = add2_x;
    out->fn = eng_pick(fn, out);
    return true;
}

/* Two 16-bit values in a word: what f makes of the low ones and of the high ones. */
ENG_INLINE vu low_half(vu v, bool is_signed) {
    if (is_signed) return (vu)((vs)(v << 16) >> 16);
    return v & 0xffff;
}
ENG_INLINE vu high_half(vu v, bool is_signed) {
    if (is_signed) return (vu)((vs)v >> 16);
    return v >> 16;
}
ENG_INLINE vu join_halves(vu low, vu high) { return (low & 0xffff) | high << 16; }
ENG_INLINE vu add_halves(vu a, vu b) { return ((a + b) & 0xffff) | ((a & 0xffff0000u) + (b & 0xffff0000u)); }
ENG_INLINE vu negate_halves_if(vu v, uint32_t all) {
    if (all) return add_halves(~v, vu_set(0x00010001));
    return v;
}
ENG_OP(viadd_halves) { ENG_EACH PUT(k, add_halves(A(k), negate_halves_if(B(k), BIT_ALL(i->x, NEG_B)))); }
static bool bind_viadd(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = sign_flags(in);
    out->fn = eng_pick(in->shape ? viadd_halves : !out->x ? add2 : sub2, out);
    return true;
}

/* 64-bit addition on uniform pairs: it is rare, and done in one go. */
ENG_OP(add3_64) {
    uint32_t x = i->x, some = 0, more = 0;
    ENG_EACH {
        vu low = {0}, high = {0}, carries = {0};
        const vu *src[3] = {a_, b_, c_};
        for (int n = 0; n < 3; n++) {
            vu inv = vu_set(BIT_ALL(x, NEG_A << n)), one = vu_set((x >> n) & 1);
            vu s = low + (src[n][k] ^ inv), up = -(vu)(s < low), t;
            s += one, up -= (vu)(s < one), low = s;
            t = high + (src[n][ENG_NV + k] ^ inv), carries -= (vu)(t < high);
            high = t + up, carries -= (vu)(high < up);
        }
        some |= vu_ne(carries, (vu){0}, k);
        more |= vu_lt(vu_set(1), carries, k);
        PUT(k, low);
        PUT2(k, high);
    }
    SETP(1, more);
    SETP(0, some);
}
static bool bind_uiadd3_64(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    eng_operands(plan, in, out);
    out->a = eng_slot_src64(plan, &in->a);
    out->b = eng_slot_signed64(plan, &in->b);
    out->c = eng_slot_signed64(plan, &in->c);
    out->x = sign_flags(in);
    out->fn = eng_pick(add3_64, out);
    return true;
}

/* --- LEA -------------------------------------------------------------------------------- */

enum { LEA_HI = 64, LEA_SX = 128 };
/* z: shift. d = (a << z) + b; with HI the high word of (c:a << z), or of a's sign extension. */
ENG_INLINE vu lea_shifted(vu a, vu c, uint32_t z, bool hi, bool sx) {
    if (!hi) return vu_shl(a, vu_set(z));
    vu high = sx ? (vu)((vs)a >> 31) : c;
    return vu_shl(high, vu_set(z)) | vu_shr(a, vu_set(32 - z));
}
ENG_OP(lea) { ENG_EACH PUT(k, vu_shl(A(k), vu_set(i->z)) + B(k)); }
ENG_OP(lea_carry) {
    uint32_t carry = 0;
    ENG_EACH {
        vu b = B(k), s = vu_shl(A(k), vu_set(i->z)) + b;
        carry |= vu_lt(s, b, k);
        PUT(k, s);
    }
    SETP(0, carry);
}
ENG_OP(lea_hi) { ENG_EACH PUT(k, lea_shifted(A(k), C(k), i->z, true, false) + B(k)); }
ENG_OP(lea_hi_x) {
    uint32_t in = eng_pred(w, i->ps[0]);
    ENG_EACH PUT(k, lea_shifted(A(k), C(k), i->z, true, false) + B(k) - vu_expand(in, k));
}
ENG_OP(lea_any) {
    uint32_t x = i->x, in = eng_pred(w, i->ps[0]), carry = 0;
    ENG_EACH {
        /* a negative high word is that word's own ~x + 1, whatever was below it */
        vu t = lea_shifted(A(k), C(k), i->z, x & LEA_HI, x & LEA_SX) ^ vu_set(BIT_ALL(x, NEG_A | INV_A));
        vu plus = vu_set((x & NEG_A) != 0);
        vu b = B(k) ^ vu_set(BIT_ALL(x, NEG_B | INV_B)), one = vu_set((x & NEG_B) != 0), c = vu_expand(in, k) & 1;
        vu s = t + b, carries = (vu)(s < b);
        s += plus, carries |= (vu)(s < plus);
        s += one, carries |= (vu)(s < one);
        s += c, carries |= (vu)(s < c);
        carry |= vu_ne(carries, (vu){0}, k);
        PUT(k, s);
    }
    SETP(0, carry);
}
static bool bind_lea(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    bool extended = in->flags & SASS_X, carries = out->pd[0] != ENG_PSINK, hi = in->flags & SASS_HI;
    out->z = in->shift;
    if (!extended) out->ps[0] = ENG_PT | ENG_PINV;
    out->x = sign_flags(in) | (hi ? LEA_HI : 0) | (in->flags & SASS_SX32 ? LEA_SX : 0);
    const eng_fn *fn = lea_any;
    if (out->x == 0 && !extended) fn = carries ? lea_carry : lea;
    else if (out->x == LEA_HI && !carries) fn = extended ? lea_hi_x : lea_hi;
    out->fn = eng_pick(fn, out);
    return true;
}

/* --- LOP3 ------------------------------------------------------------------------------- */

/* The tables that compilers write most: operands a = 0xf0, b = 0xcc, c = 0xaa. */
ENG_OP(lop_and) { ENG_EACH PUT(k, A(k) & B(k)); }
ENG_OP(lop_or) { ENG_EACH PUT(k, A(k) | B(k)); }
ENG_OP(lop_xor) { ENG_EACH PUT(k, A(k) ^ B(k)); }
ENG_OP(lop_not_b) { ENG_EACH PUT(k, ~B(k)); }
ENG_OP(lop_and_not) { ENG_EACH PUT(k, A(k) & ~B(k)); }
ENG_OP(lop_xor3) { ENG_EACH PUT(k, A(k) ^ B(k) ^ C(k)); }
ENG_OP(lop_or3) { ENG_EACH PUT(k, A(k) | B(k) | C(k)); }
ENG_OP(lop_and3) { ENG_EACH PUT(k, A(k) & B(k) & C(k)); }
ENG_OP(lop_and_or) { ENG_EACH PUT(k, (A(k) & B(k)) | C(k)); }
ENG_OP(lop_mux) { ENG_EACH PUT(k, (A(k) & B(k)) | (~A(k) & C(k))); }
ENG_OP(lop_and_xor) { ENG_EACH PUT(k, (A(k) & B(k)) ^ C(k)); }
static const struct { uint8_t lut; const eng_fn *fn; } lop_tables[] = {
    {0xc0, lop_and}, {0xfc, lop_or}, {0x3c, lop_xor}, {0x33, lop_not_b}, {0x30, lop_and_not}, {0x96, lop_xor3},
    {0xfe, lop_or3}, {0x80, lop_and3}, {0xea, lop_and_or}, {0xca, lop_mux}, {0x6a, lop_and_xor},
};

/* Any table, as three levels of choice: by c, then by b, then by a. */
ENG_INLINE vu lop_any(vu a, vu b, vu c, uint32_t lut) {
    vu by_c[4];
    for (int n = 0; n < 4; n++) {
        uint32_t off = lut >> (2 * n) & 1 ? ENG_ALL : 0, set = lut >> (2 * n + 1) & 1 ? ENG_ALL : 0;
        by_c[n] = (c & vu_set(off ^ set)) ^ vu_set(off);
    }
    vu low = (b & (by_c[0] ^ by_c[1])) ^ by_c[0], high = (b & (by_c[2] ^ by_c[3])) ^ by_c[2];
    return (a & (low ^ high)) ^ low;
}
ENG_OP(lop3) {
    uint32_t lut = i->x;
    ENG_EACH PUT(k, lop_any(A(k), B(k), C(k), lut));
}
ENG_OP(lop3_test) { /* and a predicate: not zero, or-ed (and-ed) with another one */
    uint32_t lut = i->x, some = 0, q = eng_pred(w, i->ps[0]);
    ENG_EACH {
        vu r = lop_any(A(k), B(k), C(k), lut);
        some |= vu_ne(r, (vu){0}, k);
        PUT(k, r);
    }
    SETP(0, i->y ? some & q : some | q);
}
static bool bind_lop3(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    const eng_fn *fn = lop3;
    for (size_t n = 0; n < sizeof lop_tables / sizeof *lop_tables; n++)
        if (lop_tables[n].lut == in->lut) fn = lop_tables[n].fn;
    out->x = in->lut;
    out->y = (in->flags & SASS_PAND) != 0;
    if (out->pd[0] != ENG_PSINK) fn = lop3_test;
    out->fn = eng_pick(fn, out);
    return true;
}

/* --- SHF -------------------------------------------------------------------------------- */

/* The pair (c:a) shifted by b; the word that is kept and what a large count does: see bind_shf. */
enum { SHF_RIGHT = 1, SHF_HI = 2, SHF_SIGNED = 4, SHF_WIDE = ENG_SHF_WIDE, SHF_WRAP = ENG_SHF_WRAP };
ENG_INLINE vu shift_count(vu n, uint32_t x) {
    uint32_t most = x & SHF_WIDE ? 64 : 32;
    if (x & SHF_WRAP) return n & vu_set(x & SHF_WIDE ? 63 : 31);
    return vu_min(n, vu_set(most));
}
ENG_OP(shf_shl) { ENG_EACH PUT(k, vu_shl(A(k), shift_count(B(k), i->x))); }
ENG_OP(shf_shr) { ENG_EACH PUT(k, vu_shr(C(k), shift_count(B(k), i->x))); }
ENG_OP(shf_sar) { ENG_EACH PUT(k, vs_sar((vs)C(k), shift_count(B(k), i->x))); }
ENG_OP(shf_left_high) { /* high word of (c:a) << n */
    ENG_EACH {
        vu n = shift_count(B(k), i->x), low = A(k);
        PUT(k, vu_shl(C(k), n) | vu_shr(low, vu_set(32) - n) | vu_shl(low, n - 32));
    }
}
ENG_OP(shf_right_low) { /* low word of (c:a) >> n */
    ENG_EACH {
        vu n = shift_count(B(k), i->x), high = C(k), r = vu_shr(A(k), n) | vu_shl(high, vu_set(32) - n);
        if (i->x & SHF_SIGNED) r = vu_select((vs)(n > 31), (vu)vs_sar((vs)high, n - 32), r);
        else r |= vu_shr(high, n - 32);
        PUT(k, r);
    }
}
static bool bind_shf(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    bool right = in->flags & SASS_RIGHT, hi = in->flags & SASS_HI;
    bool is_signed = in->type == SASS_S32 || in->type == SASS_S64, wide = in->type == SASS_S64 || in->type == SASS_U64;
    out->x = (is_signed ? SHF_SIGNED : 0) | (wide ? SHF_WIDE : 0) | (in->flags & SASS_WRAP ? SHF_WRAP : 0);
    const eng_fn *fn;
    if (right) fn = hi ? (is_signed ? shf_sar : shf_shr) : shf_right_low;
    else fn = hi ? shf_left_high : shf_shl;
    out->fn = eng_pick(fn, out);
    return true;
}

/* --- selection, minimum, maximum --------------------------------------------------------- */

ENG_OP(sel) {
    uint32_t p = eng_pred(w, i->ps[0]);
    ENG_EACH PUT(k, vu_blend(p, k, B(k), A(k)));
}
static bool bind_sel(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->fn = eng_pick(sel, out);
    return true;
}

/* The predicate says: minimum. */
ENG_OP(min_signed) { ENG_EACH PUT(k, vs_min((vs)A(k), (vs)B(k))); }
ENG_OP(max_signed) { ENG_EACH PUT(k, vs_max((vs)A(k), (vs)B(k))); }
ENG_OP(min_unsigned) { ENG_EACH PUT(k, vu_min(A(k), B(k))); }
ENG_OP(max_unsigned) { ENG_EACH PUT(k, vu_max(A(k), B(k))); }
ENG_INLINE vu minmax(vu a, vu b, uint32_t p, int k, bool is_signed) {
    vu low = is_signed ? (vu)vs_min((vs)a, (vs)b) : vu_min(a, b), high = a + b - low;
    return vu_blend(p, k, high, low);
}
ENG_OP(minmax_signed) {
    uint32_t p = eng_pred(w, i->ps[0]);
    ENG_EACH PUT(k, minmax(A(k), B(k), p, k, true));
}
ENG_OP(minmax_unsigned) {
    uint32_t p = eng_pred(w, i->ps[0]);
    ENG_EACH PUT(k, minmax(A(k), B(k), p, k, false));
}
static bool bind_imnmx(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    bool s = in->flags & SASS_SIGNED;
    const eng_fn *fn = s ? minmax_signed : minmax_unsigned;
    if (out->ps[0] == ENG_PT) fn = s ? min_signed : min_unsigned;
    if (out->ps[0] == (ENG_PT | ENG_PINV)) fn = s ? max_signed : max_unsigned;
    out->fn = eng_pick(fn, out);
    return true;
}

/* sm_90: min or max of two, of a + b and c, of three; of words or of halves; RELU: not below zero. */
enum { MM_SIGNED = 64, MM_RELU = 128, MM_HALVES = 256 };
ENG_INLINE vu relu(vu v, uint32_t x) { return x & MM_RELU ? (vu)vs_max((vs)v, (vs){0}) : v; }
ENG_INLINE vu take(vu a, vu b, uint32_t p, int k, uint32_t x) {
    return x & MM_SIGNED ? minmax(a, b, p, k, true) : minmax(a, b, p, k, false);
}
/* Predicates: is the result a, of the low halves (0), of the high ones (1), in words both? */
ENG_OP(vimnmx) {
    uint32_t p = eng_pred(w, i->ps[0]), x = i->x, first = 0, second = 0;
    ENG_EACH {
        vu a = A(k), b = B(k), r;
        if (x & MM_HALVES) {
            const bool s = x & MM_SIGNED;
            vu low = take(low_half(a, s), low_half(b, s), p, k, x), high = take(high_half(a, s), high_half(b, s), p, k, x);
            low = relu(low, x), high = relu(high, x);
            first |= vu_eq(low, low_half(a, s), k);
            second |= vu_eq(high, high_half(a, s), k);
            r = join_halves(low, high);
        } else {
            r = relu(take(a, b, p, k, x), x);
            first |= vu_eq(r, a, k);
            second = first;
        }
        PUT(k, r);
    }
    SETP(1, second);
    SETP(0, first);
}
ENG_OP(viaddmnmx) {
    uint32_t p = eng_pred(w, i->ps[0]), x = i->x;
    ENG_EACH {
        vu a = A(k), b = B(k), c = C(k);
        if (x & MM_HALVES) {
            const bool s = x & MM_SIGNED;
            vu sum = add_halves(a, negate_halves_if(b, BIT_ALL(x, NEG_B)));
            PUT(k, join_halves(relu(take(low_half(sum, s), low_half(c, s), p, k, x), x),
                               relu(take(high_half(sum, s), high_half(c, s), p, k, x), x)));
        } else {
            PUT(k, relu(take(a + negate_if(b, BIT_ALL(x, NEG_B)), c, p, k, x), x));
        }
    }
}
ENG_OP(vimnmx3) {
    uint32_t p = eng_pred(w, i->ps[0]), x = i->x;
    ENG_EACH {
        vu a = A(k), b = B(k), c = C(k);
        if (x & MM_HALVES) {
            const bool s = x & MM_SIGNED;
            vu low = take(take(low_half(a, s), low_half(b, s), p, k, x), low_half(c, s), p, k, x);
            vu high = take(take(high_half(a, s), high_half(b, s), p, k, x), high_half(c, s), p, k, x);
            PUT(k, join_halves(relu(low, x), relu(high, x)));
        } else {
            PUT(k, relu(take(take(a, b, p, k, x), c, p, k, x), x));
        }
    }
}
static bool bind_dpx(eng_plan *plan, const sass_instr *in, eng_ins *out, const eng_fn *fn) {
    eng_operands(plan, in, out);
    out->x = sign_flags(in) | (in->flags & SASS_SIGNED ? MM_SIGNED : 0) | (in->flags & SASS_RELU ? MM_RELU : 0) | (in->shape ? MM_HALVES : 0);
    if (in->flags & SASS_RELU && !(in->flags & SASS_SIGNED)) return eng_refuse(plan, ".RELU of unsigned values");
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_vimnmx(eng_plan *p, const sass_instr *in, eng_ins *out) {
    bool plain = !in->shape && !(in->flags & SASS_RELU) && eng_pred_dst(&in->pdst[0]) == ENG_PSINK && eng_pred_dst(&in->pdst[1]) == ENG_PSINK;
    return plain ? bind_imnmx(p, in, out) : bind_dpx(p, in, out, vimnmx);
}
static bool bind_viaddmnmx(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_dpx(p, in, out, viaddmnmx); }
static bool bind_vimnmx3(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_dpx(p, in, out, vimnmx3); }

/* --- the same on the uniform datapath ----------------------------------------------------- */

#define UNIFORM(name)                                                                                             \
    static bool bind_u##name(eng_plan *plan, const sass_instr *in, eng_ins *out) {                                \
        out->uni = ENG_ALL;                                                                                       \
        return bind_##name(plan, in, out);                                                                        \
    }
UNIFORM(iadd3)
UNIFORM(lea)
UNIFORM(lop3)
UNIFORM(shf)
UNIFORM(sel)

ENG_FAMILY(int, {"iadd3", bind_iadd3}, {"uiadd3", bind_uiadd3}, {"uiadd3_64", bind_uiadd3_64}, {"viadd", bind_viadd},
           {"lea", bind_lea}, {"ulea", bind_ulea}, {"lop3", bind_lop3}, {"ulop3", bind_ulop3}, {"shf", bind_shf},
           {"ushf", bind_ushf}, {"sel", bind_sel}, {"usel", bind_usel}, {"imnmx", bind_imnmx}, {"vimnmx", bind_vimnmx},
           {"vimnmx3", bind_vimnmx3}, {"viaddmnmx", bind_viaddmnmx});

#define LIFT(handler, name) {handler, ENG_LIFT_##name}
ENG_LIFTS(int, LIFT(add2, ADD2), LIFT(add3, ADD3), LIFT(sub2, SUB2), LIFT(add2_carry, ADD2_CARRY), LIFT(add2_x, ADD2_X), LIFT(lea, LEA),
          LIFT(lea_carry, LEA_CARRY), LIFT(lea_hi, LEA_HI), LIFT(lea_hi_x, LEA_HI_X), LIFT(lop_and, LOP3), LIFT(lop_or, LOP3),
          LIFT(lop_xor, LOP3), LIFT(lop_not_b, LOP3), LIFT(lop_and_not, LOP3), LIFT(lop_xor3, LOP3), LIFT(lop_or3, LOP3),
          LIFT(lop_and3, LOP3), LIFT(lop_and_or, LOP3), LIFT(lop_mux, LOP3), LIFT(lop_and_xor, LOP3), LIFT(lop3_test, LOP3_TEST),
          LIFT(shf_shl, SHL), LIFT(shf_shr, SHR), LIFT(shf_sar, SAR), LIFT(sel, SEL), LIFT(min_signed, MIN_S), LIFT(max_signed, MAX_S),
          LIFT(min_unsigned, MIN_U), LIFT(max_unsigned, MAX_U));
