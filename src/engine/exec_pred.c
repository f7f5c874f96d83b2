/* Integer comparisons and work on predicates: ISETP, PLOP3, P2R, R2P. */
#include "engine/lanes_ops.h"
#include "engine/lift.h"

/* --- ISETP ---------------------------------------------------------------------------------- */

/* With AND and no other predicate than PT, which nearly all comparisons are, one handler a comparison. */
#define COMPARE(name, ...)                                                                                        \
    ENG_OP(name) {                                                                                                \
        uint32_t r = 0;                                                                                           \
        ENG_EACH r |= __VA_ARGS__;                                                                                \
        SETP(0, r);                                                                                               \
    }                                                                                                             \
    ENG_OP(name##_and) {                                                                                          \
        uint32_t r = 0, q = eng_pred(w, i->ps[0]);                                                                \
        ENG_EACH r |= __VA_ARGS__;                                                                                \
        SETP(1, ~r & q);                                                                                          \
        SETP(0, r & q);                                                                                           \
    }
COMPARE(lt_signed, vs_lt((vs)A(k), (vs)B(k), k))
COMPARE(le_signed, vs_le((vs)A(k), (vs)B(k), k))
COMPARE(gt_signed, vs_lt((vs)B(k), (vs)A(k), k))
COMPARE(ge_signed, vs_le((vs)B(k), (vs)A(k), k))
COMPARE(lt_unsigned, vu_lt(A(k), B(k), k))
COMPARE(le_unsigned, vu_le(A(k), B(k), k))
COMPARE(gt_unsigned, vu_lt(B(k), A(k), k))
COMPARE(ge_unsigned, vu_le(B(k), A(k), k))
COMPARE(eq, vu_eq(A(k), B(k), k))
COMPARE(ne, vu_ne(A(k), B(k), k))

static const eng_fn *const plain_signed[] = {[SASS_LT] = lt_signed, [SASS_EQ] = eq, [SASS_LE] = le_signed,
                                             [SASS_GT] = gt_signed, [SASS_NE] = ne, [SASS_GE] = ge_signed};
static const eng_fn *const plain_unsigned[] = {[SASS_LT] = lt_unsigned, [SASS_EQ] = eq, [SASS_LE] = le_unsigned,
                                               [SASS_GT] = gt_unsigned, [SASS_NE] = ne, [SASS_GE] = ge_unsigned};
static const eng_fn *const and_signed[] = {[SASS_LT] = lt_signed_and, [SASS_EQ] = eq_and, [SASS_LE] = le_signed_and,
                                           [SASS_GT] = gt_signed_and, [SASS_NE] = ne_and, [SASS_GE] = ge_signed_and};
static const eng_fn *const and_unsigned[] = {[SASS_LT] = lt_unsigned_and, [SASS_EQ] = eq_and, [SASS_LE] = le_unsigned_and,
                                             [SASS_GT] = gt_unsigned_and, [SASS_NE] = ne_and, [SASS_GE] = ge_unsigned_and};

ENG_INLINE uint32_t combine(uint32_t r, uint32_t q, uint32_t bop) {
    return bop == SASS_AND ? r & q : bop == SASS_OR ? r | q : r ^ q;
}
/* Any comparison: x = sass_cmp, y = sass_bop, z: 1 signed, 2 extended: these are high words, and ps[1] holds the
 * comparison of the low ones, which decides where the high words are equal. */
ENG_OP(isetp) {
    uint32_t less = 0, equal = 0, q = eng_pred(w, i->ps[0]), r = 0;
    ENG_EACH {
        vu a = A(k), b = B(k);
        equal |= vu_eq(a, b, k);
        less |= i->z & 1 ? vs_lt((vs)a, (vs)b, k) : vu_lt(a, b, k);
    }
    if (i->z & 2) {
        uint32_t low = eng_pred(w, i->ps[1]);
        switch (i->x) {
        case SASS_LT: case SASS_LE: r = less | (equal & low); break;
        case SASS_GT: case SASS_GE: r = ~(less | equal) | (equal & low); break;
        case SASS_EQ: r = equal & low; break;
        case SASS_NE: r = ~equal | low; break;
        default: r = i->x == SASS_T ? ENG_ALL : 0;
        }
    } else {
        uint32_t greater = ~(less | equal);
        r = (i->x & 1 ? less : 0) | (i->x & 2 ? equal : 0) | (i->x & 4 ? greater : 0);
    }
    SETP(1, combine(~r, q, i->y));
    SETP(0, combine(r, q, i->y));
}
static bool bind_isetp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    bool is_signed = in->flags & SASS_SIGNED, extended = in->flags & SASS_EX;
    out->x = in->cmp;
    out->y = in->bop;
    out->z = (is_signed ? 1 : 0) | (extended ? 2 : 0);
    const eng_fn *fn = isetp;
    if (!extended && in->bop == SASS_AND && in->cmp >= SASS_LT && in->cmp <= SASS_GE) {
        bool alone = out->ps[0] == ENG_PT && out->pd[1] == ENG_PSINK;
        if (alone) fn = (is_signed ? plain_signed : plain_unsigned)[in->cmp];
        else fn = (is_signed ? and_signed : and_unsigned)[in->cmp];
    }
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_uisetp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    return bind_isetp(plan, in, out);
}

/* --- PLOP3 ------------------------------------------------------------------------------------ */

static inline uint32_t table(uint32_t a, uint32_t b, uint32_t c, uint32_t lut) {
    uint32_t r = 0;
    for (int n = 0; n < 8; n++)
        if (lut >> n & 1) r |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
    return r;
}
ENG_OP(plop3) {
    uint32_t a = eng_pred(w, i->ps[0]), b = eng_pred(w, i->ps[1]), c = eng_pred(w, i->ps[2]);
    SETP(1, table(a, b, c, i->y));
    SETP(0, table(a, b, c, i->x));
}
static bool bind_plop3(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->lut;
    out->y = in->lut2;
    out->fn = eng_pick(plop3, out);
    return true;
}
static bool bind_uplop3(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    return bind_plop3(plan, in, out);
}

/* Of the signs of three words: add.sat asks so for an overflow. */
ENG_OP(plop3_sign) {
    uint32_t a = 0, b = 0, c = 0;
    ENG_EACH {
        a |= vs_lt((vs)A(k), (vs)vu_set(0), k);
        b |= vs_lt((vs)B(k), (vs)vu_set(0), k);
        c |= vs_lt((vs)C(k), (vs)vu_set(0), k);
    }
    SETP(1, table(a, b, c, i->y));
    SETP(0, table(a, b, c, i->x));
}
static bool bind_plop3_sign(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->lut;
    out->y = in->lut2;
    out->fn = eng_pick(plop3_sign, out);
    return true;
}

/* --- predicates as a word ------------------------------------------------------------------------ */

/* P2R: byte x of a, with the predicates put where the mask b has ones. z: first predicate (0 or ENG_UP). */
ENG_OP(p2r) {
    const uint32_t *a = (const uint32_t *)a_, *b = (const uint32_t *)b_;
    _Alignas(64) uint32_t r[32];
    for (int l = 0; l < 32; l++) {
        uint32_t word = 0, mask = b[l] & 0xff;
        for (int n = 0; n < 7; n++) word |= (w->P[i->z + n] >> l & 1) << n;
        r[l] = (a[l] & ~(mask << 8 * i->x)) | (word & mask) << 8 * i->x;
    }
    ENG_EACH PUT(k, ((vu *)r)[k]);
}
static bool bind_p2r(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->byte;
    out->fn = eng_pick(p2r, out);
    return true;
}
static bool bind_up2ur(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    out->z = ENG_UP;
    return bind_p2r(plan, in, out);
}
/* R2P: predicates whose bit the mask b has become the bits of byte x of a. */
ENG_OP(r2p) {
    const uint32_t *a = (const uint32_t *)a_, *b = (const uint32_t *)b_;
    uint32_t p[7] = {0}, mask[7] = {0};
    for (int l = 0; l < 32; l++) {
        uint32_t byte = a[l] >> 8 * i->x;
        for (int n = 0; n < 7; n++) {
            p[n] |= (byte >> n & 1) << l;
            mask[n] |= (b[l] >> n & 1) << l;
        }
    }
    for (int n = 0; n < 7; n++) eng_set_pred(w, (uint8_t)(i->z + n), p[n], on & mask[n]);
}
static bool bind_r2p(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->byte;
    out->fn = eng_pick(r2p, out);
    return true;
}
static bool bind_ur2up(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    out->z = ENG_UP;
    return bind_r2p(plan, in, out);
}

ENG_FAMILY(pred, {"isetp", bind_isetp}, {"uisetp", bind_uisetp}, {"plop3", bind_plop3}, {"uplop3", bind_uplop3}, {"plop3_sign", bind_plop3_sign},
           {"p2r", bind_p2r}, {"up2ur", bind_up2ur}, {"r2p", bind_r2p}, {"ur2up", bind_ur2up});

ENG_LIFTS(pred, {lt_signed, ENG_LIFT_ISETP}, {lt_signed_and, ENG_LIFT_ISETP}, {le_signed, ENG_LIFT_ISETP},
          {le_signed_and, ENG_LIFT_ISETP}, {gt_signed, ENG_LIFT_ISETP}, {gt_signed_and, ENG_LIFT_ISETP},
          {ge_signed, ENG_LIFT_ISETP}, {ge_signed_and, ENG_LIFT_ISETP}, {lt_unsigned, ENG_LIFT_ISETP},
          {lt_unsigned_and, ENG_LIFT_ISETP}, {le_unsigned, ENG_LIFT_ISETP}, {le_unsigned_and, ENG_LIFT_ISETP},
          {gt_unsigned, ENG_LIFT_ISETP}, {gt_unsigned_and, ENG_LIFT_ISETP}, {ge_unsigned, ENG_LIFT_ISETP},
          {ge_unsigned_and, ENG_LIFT_ISETP}, {eq, ENG_LIFT_ISETP}, {eq_and, ENG_LIFT_ISETP}, {ne, ENG_LIFT_ISETP},
          {ne_and, ENG_LIFT_ISETP}, {isetp, ENG_LIFT_ISETP});
