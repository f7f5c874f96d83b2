/* Double precision: DADD, DMUL, DFMA, DSETP, on pairs of slots. */
#include "engine/lanes_float.h"

/* NaN in, NaN out: b's, else c's, else a's, quiet and otherwise as it is, whatever its modifiers; one that
 * the operation makes itself has a sign and no payload. */
static __attribute__((noinline)) void settle_nans(uint32_t lanes, const uint32_t *const operands[3], uint32_t *low, uint32_t *high) {
    for (; lanes; lanes &= lanes - 1) {
        int l = __builtin_ctz(lanes);
        low[l] = 0, high[l] = 0xfff80000u;
        for (int n = 0; n < 3; n++) {
            if (!operands[n]) continue;
            uint32_t top = operands[n][32 + l] & 0x7fffffffu;
            if (top > 0x7ff00000u || (top == 0x7ff00000u && operands[n][l])) low[l] = operands[n][l], high[l] = operands[n][32 + l] | 0x80000u;
        }
    }
}
/* A slot is ENG_NV vectors, each of which holds ENG_VL doubles in two vectors; x: signs of a, b, c; y: rounding. */
ENG_INLINE void arithmetic(const eng_ins *i, vu *d_, const vu *a_, const vu *b_, const vu *c_, uint32_t on, bool full, vf_kind kind,
                           bool plain) {
    vu low[ENG_NV], high[ENG_NV];
    uint32_t nans = 0;
    ENG_EACH {
        vd a[2], b[2], c[2], r[2];
        vd_join(A(k), A2(k), a);
        vd_join(B(k), B2(k), b);
        if (kind == VF_FMA) vd_join(C(k), C2(k), c);
        for (int n = 0; n < 2; n++) {
            if (!plain) {
                a[n] = vd_apply(a[n], i->x);
                b[n] = vd_apply(b[n], i->x >> 2);
            }
            if (kind == VF_FMA && !plain) c[n] = vd_apply(c[n], i->x >> 4);
            if (!plain) r[n] = vd_rounded(kind, a[n], b[n], kind == VF_FMA ? c[n] : a[n], i->y);
            else if (kind == VF_ADD) r[n] = a[n] + b[n];
            else if (kind == VF_MUL) r[n] = a[n] * b[n];
            else r[n] = vd_fma(a[n], b[n], c[n]);
        }
        nans |= vd_bits((vsq)(r[0] != r[0]), (vsq)(r[1] != r[1]), k);
        vd_split(r, &low[k], &high[k]);
    }
    if (ENG_UNLIKELY(nans & on)) {
        const uint32_t *operands[3] = {(const uint32_t *)a_, (const uint32_t *)b_, NULL};
        if (kind == VF_FMA) operands[1] = (const uint32_t *)c_, operands[2] = (const uint32_t *)b_;
        settle_nans(nans & on, operands, (uint32_t *)low, (uint32_t *)high);
    }
    ENG_EACH {
        PUT(k, low[k]);
        PUT2(k, high[k]);
    }
}
#define DOUBLE_OP(name, kind, plain) \
    ENG_OP(name) { arithmetic(i, d_, a_, b_, c_, on, full, kind, plain); }
DOUBLE_OP(double_add, VF_ADD, true)
DOUBLE_OP(double_mul, VF_MUL, true)
DOUBLE_OP(double_fma, VF_FMA, true)
DOUBLE_OP(double_add_any, VF_ADD, false)
DOUBLE_OP(double_mul_any, VF_MUL, false)
DOUBLE_OP(double_fma_any, VF_FMA, false)

static void operands(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->d = eng_slot_dst(plan, &in->dst);
    out->a = eng_slot_double(plan, &in->a);
    out->b = eng_slot_double(plan, &in->b);
    out->c = eng_slot_double(plan, &in->c);
    out->x = vf_mod_bits(&in->a) | vf_mod_bits(&in->b) << 2 | vf_mod_bits(&in->c) << 4;
    out->y = in->round;
    for (int n = 0; n < 2; n++) out->pd[n] = eng_pred_dst(&in->pdst[n]);
    out->ps[0] = eng_pred_src(&in->psrc[0]);
}
static bool bind_arithmetic(eng_plan *plan, const sass_instr *in, eng_ins *out, const eng_fn *plain, const eng_fn *any) {
    operands(plan, in, out);
    out->fn = eng_pick(out->x || out->y != SASS_RN ? any : plain, out);
    return true;
}
static bool bind_dadd(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_arithmetic(p, in, out, double_add, double_add_any); }
static bool bind_dmul(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_arithmetic(p, in, out, double_mul, double_mul_any); }
static bool bind_dfma(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_arithmetic(p, in, out, double_fma, double_fma_any); }

ENG_INLINE uint32_t combine(uint32_t r, uint32_t q, uint32_t bop) {
    return bop == SASS_AND ? r & q : bop == SASS_OR ? r | q : r ^ q;
}
/* z: the comparison's bits less, equal, greater, unordered, and the boolean from bit 4 */
ENG_OP(double_setp) {
    uint32_t r = 0, q = eng_pred(w, i->ps[0]), bop = i->z >> 4;
    ENG_EACH {
        vd a[2], b[2];
        vd_join(A(k), A2(k), a);
        vd_join(B(k), B2(k), b);
        vsq t[2];
        for (int n = 0; n < 2; n++) {
            a[n] = vd_apply(a[n], i->x);
            b[n] = vd_apply(b[n], i->x >> 2);
            t[n] = (vsq){0};
            if (i->z & 1) t[n] |= (vsq)(a[n] < b[n]);
            if (i->z & 2) t[n] |= (vsq)(a[n] == b[n]);
            if (i->z & 4) t[n] |= (vsq)(a[n] > b[n]);
            if (i->z & 8) t[n] |= (vsq)(a[n] != a[n]) | (vsq)(b[n] != b[n]);
        }
        r |= vd_bits(t[0], t[1], k);
    }
    SETP(1, combine(~r, q, bop));
    SETP(0, combine(r, q, bop));
}
/* MIN and MAX: which of two is it? The first predicate says the first (of zeros the negative one is less; a number is taken
 * before a NaN), the second, whatever the boolean, that both are NaNs. y: minimum. */
ENG_OP(double_choose) {
    uint32_t first = 0, neither = 0, q = eng_pred(w, i->ps[0]), bop = i->z >> 4;
    ENG_EACH {
        vd a[2], b[2];
        vsq t[2], u[2];
        vd_join(A(k), A2(k), a);
        vd_join(B(k), B2(k), b);
        for (int n = 0; n < 2; n++) {
            a[n] = vd_apply(a[n], i->x);
            b[n] = vd_apply(b[n], i->x >> 2);
            vsq no_a = (vsq)(a[n] != a[n]), no_b = (vsq)(b[n] != b[n]);
            vsq x = (vsq)a[n] ^ (vsq)((vq)((vsq)a[n] >> 63) >> 1), y = (vsq)b[n] ^ (vsq)((vq)((vsq)b[n] >> 63) >> 1); /* ordered as integers */
            t[n] = ((i->y ? (vsq)(x <= y) : (vsq)(x > y)) & ~no_a & ~no_b) | (no_b & ~no_a);
            u[n] = no_a & no_b;
        }
        first |= vd_bits(t[0], t[1], k);
        neither |= vd_bits(u[0], u[1], k);
    }
    SETP(1, neither);
    SETP(0, combine(first, q, bop));
}
static bool bind_dsetp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    operands(plan, in, out);
    out->z = (uint16_t)((in->cmp & 15) | in->bop << 4);
    if (in->cmp == SASS_F || in->cmp == SASS_T) { /* what these comparisons mean for doubles */
        out->y = in->cmp == SASS_F;
        out->fn = eng_pick(double_choose, out);
        return true;
    }
    out->fn = eng_pick(double_setp, out);
    return true;
}

ENG_FAMILY(double, {"dadd", bind_dadd}, {"dmul", bind_dmul}, {"dfma", bind_dfma}, {"dsetp", bind_dsetp});
