/* Integer multiplication: IMAD in its forms, IDP. */
#include "engine/lanes_ops.h"
#include "engine/lift.h"

enum { MUL_NEG_C = 2, MUL_INV_C = 8, MUL_SIGNED = 16 };
#define BIT_ALL(x, bit) ((x) & (bit) ? ENG_ALL : 0)

ENG_OP(mad) { ENG_EACH PUT(k, A(k) * B(k) + C(k)); }
ENG_OP(mul) { ENG_EACH PUT(k, A(k) * B(k)); }
ENG_OP(mov_c) { ENG_EACH PUT(k, C(k)); }
ENG_OP(add_ac) { ENG_EACH PUT(k, A(k) + C(k)); }
ENG_OP(shl_add) { ENG_EACH PUT(k, vu_shl(A(k), vu_set(i->z)) + C(k)); } /* by a power of two */
ENG_OP(mad_any) {
    uint32_t x = i->x, in = eng_pred(w, i->ps[0]);
    ENG_EACH {
        vu p = A(k) * B(k), c = C(k) ^ vu_set(BIT_ALL(x, MUL_NEG_C | MUL_INV_C));
        PUT(k, p + c + vu_set((x & MUL_NEG_C) != 0) - vu_expand(in, k));
    }
}

/* The hardware takes no notice of the sign bits of factors. */
static uint32_t mul_flags(const sass_instr *in) {
    return (in->c.neg ? MUL_NEG_C : 0) | (in->c.inv ? MUL_INV_C : 0) |
           (in->flags & SASS_SIGNED ? MUL_SIGNED : 0);
}

static bool bind_imad(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    bool extended = in->flags & SASS_X;
    if (in->a.inv || in->b.inv || (in->pdst[0].present && out->pd[0] != ENG_PSINK)) return eng_refuse(plan, "inverted factors, or a carry out of the lower half");
    out->x = mul_flags(in) & ~(uint32_t)MUL_SIGNED;
    if (!extended) out->ps[0] = ENG_PT | ENG_PINV;
    const eng_fn *fn = mad_any;
    if (!extended && !out->x) {
        uint32_t v = (uint32_t)in->b.value;
        bool constant = in->b.kind == SASS_IMM;
        if (eng_is_zero(&in->a) || eng_is_zero(&in->b)) fn = mov_c;
        else if (constant && v == 1) fn = add_ac;
        else if (constant && v && !(v & (v - 1))) fn = shl_add, out->z = (uint16_t)__builtin_ctz(v);
        else fn = eng_is_zero(&in->c) ? mul : mad;
    }
    out->fn = eng_pick(fn, out);
    return true;
}

/* --- 64-bit products ---------------------------------------------------------------------- */

ENG_INLINE void product(vu a, vu b, bool is_signed, vq *even, vq *odd) {
    *even = is_signed ? vq_mul_signed((vq)a, (vq)b) : vq_mul_unsigned((vq)a, (vq)b);
    *odd = is_signed ? vq_mul_signed(vq_odd(a), vq_odd(b)) : vq_mul_unsigned(vq_odd(a), vq_odd(b));
}
ENG_INLINE void wide(const eng_ins *i, vu *d_, const vu *a_, const vu *b_, const vu *c_, uint32_t on, bool full,
                     bool is_signed, bool add) {
    (void)i;
    ENG_EACH {
        vq even, odd;
        product(A(k), B(k), is_signed, &even, &odd);
        if (add) {
            vu low = C(k), high = C2(k);
            even += vq_join_even(low, high), odd += vq_join_odd(low, high);
        }
        PUT(k, vu_low_words(even, odd));
        PUT2(k, vu_high_words(even, odd));
    }
}
ENG_OP(wide_signed) { wide(i, d_, a_, b_, c_, on, full, true, true); }
ENG_OP(wide_unsigned) { wide(i, d_, a_, b_, c_, on, full, false, true); }
ENG_OP(wide_mul_signed) { wide(i, d_, a_, b_, c_, on, full, true, false); }
ENG_OP(wide_mul_unsigned) { wide(i, d_, a_, b_, c_, on, full, false, false); }

/* All forms: a negated addend, a carry in, a carry out; y: only the high word is kept (IMAD.HI). The carry
 * is that of the 64-bit addition; a negated addend is its complement plus one. */
ENG_OP(wide_any) {
    uint32_t x = i->x, in = eng_pred(w, i->ps[0]), carry = 0;
    ENG_EACH {
        vq p[2], c[2];
        vu low = C(k), high = C2(k);
        product(A(k), B(k), x & MUL_SIGNED, &p[0], &p[1]);
        c[0] = vq_join_even(low, high), c[1] = vq_join_odd(low, high);
        vu one = vu_expand(in, k) & 1;
        vq ones[2] = {(vq)vu_odd_words(one, (vu){0}), vq_odd(one)};
        vq out[2], carries[2];
        for (int n = 0; n < 2; n++) {
            vq extra = vq_set((x & MUL_NEG_C) != 0);
            if (x & (MUL_NEG_C | MUL_INV_C)) c[n] = ~c[n];
            vq s = p[n] + c[n];
            carries[n] = (vq)(s < p[n]);
            s += extra, carries[n] |= (vq)(s < extra);
            s += ones[n], carries[n] |= (vq)(s < ones[n]);
            out[n] = s;
        }
        carry |= vu_ne(vu_odd_words((vu)carries[0], (vu)carries[1]), (vu){0}, k);
        if (i->y) PUT(k, vu_high_words(out[0], out[1]));
        else {
            PUT(k, vu_low_words(out[0], out[1]));
            PUT2(k, vu_high_words(out[0], out[1]));
        }
    }
    SETP(0, carry);
}
static bool bind_wide(eng_plan *plan, const sass_instr *in, eng_ins *out, bool hi) {
    eng_operands(plan, in, out);
    out->c = eng_slot_src64(plan, &in->c);
    bool extended = in->flags & SASS_X;
    if (!extended) out->ps[0] = ENG_PT | ENG_PINV;
    out->x = mul_flags(in);
    out->y = hi;
    bool s = out->x & MUL_SIGNED;
    const eng_fn *fn = wide_any;
    if (!hi && !extended && out->pd[0] == ENG_PSINK && !(out->x & ~(uint32_t)MUL_SIGNED)) {
        if (eng_is_zero(&in->c)) fn = s ? wide_mul_signed : wide_mul_unsigned;
        else fn = s ? wide_signed : wide_unsigned;
    }
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_imad_wide(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_wide(plan, in, out, false); }
static bool bind_imad_hi(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_wide(plan, in, out, true); }

/* --- dot products --------------------------------------------------------------------------- */

/* x: bit 0 a signed, bit 1 b signed; y: 0 four bytes, 1 two halves by the low two bytes, 2 by the high two */
ENG_OP(idp) {
    const uint32_t *a = (const uint32_t *)a_, *b = (const uint32_t *)b_, *c = (const uint32_t *)c_;
    _Alignas(64) uint32_t r[32];
    for (int l = 0; l < 32; l++) {
        uint32_t sum = c[l];
        for (int n = 0; n < (i->y ? 2 : 4); n++) {
            uint32_t bits_b = b[l] >> (i->y == 2 ? 16 + 8 * n : 8 * n);
            int64_t vb = i->x & 2 ? (int8_t)bits_b : (uint8_t)bits_b, va;
            if (i->y) va = i->x & 1 ? (int16_t)(a[l] >> 16 * n) : (uint16_t)(a[l] >> 16 * n);
            else va = i->x & 1 ? (int8_t)(a[l] >> 8 * n) : (uint8_t)(a[l] >> 8 * n);
            sum += (uint32_t)(va * vb);
        }
        r[l] = sum;
    }
    ENG_EACH PUT(k, ((vu *)r)[k]);
}
static bool bind_idp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = (in->type == SASS_S8 || in->type == SASS_S16) | (in->stype == SASS_S8 ? 2u : 0);
    out->y = in->shape == 0 ? 0 : in->shape == 1 ? 1 : 2;
    out->fn = eng_pick(idp, out);
    return true;
}

static bool bind_uimad(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    return bind_imad(plan, in, out);
}
static bool bind_uimad_wide(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    return bind_wide(plan, in, out, false);
}
static bool bind_uimad_hi(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    return bind_wide(plan, in, out, true);
}

ENG_FAMILY(mul, {"imad", bind_imad}, {"imad_wide", bind_imad_wide}, {"imad_hi", bind_imad_hi}, {"uimad", bind_uimad},
           {"uimad_wide", bind_uimad_wide}, {"uimad_hi", bind_uimad_hi}, {"idp", bind_idp});

ENG_LIFTS(mul, {mad, ENG_LIFT_MAD}, {mul, ENG_LIFT_MUL}, {mov_c, ENG_LIFT_MOV_C}, {add_ac, ENG_LIFT_ADD_AC}, {shl_add, ENG_LIFT_SHL_ADD},
          {wide_signed, ENG_LIFT_WIDE_S}, {wide_unsigned, ENG_LIFT_WIDE_U}, {wide_mul_signed, ENG_LIFT_WIDE_MUL_S},
          {wide_mul_unsigned, ENG_LIFT_WIDE_MUL_U});
