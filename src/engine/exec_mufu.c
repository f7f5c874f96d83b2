/* MUFU: approximations of reciprocals, roots, exponentials, logarithms and trigonometry, as an H200 computes them (mufu.h). */
#include "engine/lanes_float.h"
#include "engine/mufu.h"
#include "engine/small_float.h"

/* --- single precision: the sums for 32 lanes ----------------------------------------------------------- */

/* mufu_square on vectors. */
ENG_INLINE vu square(vu t) {
    vu s = vu_set(0);
    for (unsigned i = 10; i <= 16; i++)
        s += (((t & ((1u << i) - 1)) >> (18 - i)) + (1u << (2 * i - 19))) & -(t >> i & 1);
    return s;
}
/* Three loops, so that the middle one is of vectors; lanes that are off are computed too, and not kept. */
#define MUFU_OP(name)                                                                                             \
    ENG_OP(mufu_##name) {                                                                                         \
        _Alignas(64) uint32_t x[32], t[32], squares[32];                                                          \
        const mufu_row *rows[32];                                                                                 \
        ENG_EACH ((vu *)x)[k] = (vu)vf_apply(A(k), vf_mod_of(i->x));                                              \
        for (int l = 0; l < 32; l++) {                                                                            \
            mufu_at at = mufu_##name##_at(x[l]);                                                                  \
            rows[l] = at.row;                                                                                     \
            t[l] = at.t;                                                                                          \
        }                                                                                                         \
        ENG_EACH ((vu *)squares)[k] = square(((vu *)t)[k]);                                                       \
        for (int l = 0; l < 32; l++) x[l] = mufu_##name##_of(x[l], mufu_sum(rows[l], t[l], squares[l]));          \
        ENG_EACH PUT(k, ((vu *)x)[k]);                                                                            \
    }
MUFU_OP(cos)
MUFU_OP(sin)
MUFU_OP(ex2)
MUFU_OP(lg2)
MUFU_OP(rcp)
MUFU_OP(rsq)
MUFU_OP(sqrt)
MUFU_OP(tanh)

enum { MUFU_HIGH = 1, MUFU_BFLOAT = 2 }; /* z of halves */

/* --- the others: lane by lane -------------------------------------------------------------------------- */

static uint32_t single(uint32_t x, unsigned function) {
    switch (function) {
#define CASE(sub, name) case sub: return mufu_##name##_of(x, mufu_value(mufu_##name##_at(x)));
    CASE(SASS_MUFU_COS, cos)
    CASE(SASS_MUFU_SIN, sin)
    CASE(SASS_MUFU_EX2, ex2)
    CASE(SASS_MUFU_LG2, lg2)
    CASE(SASS_MUFU_RCP, rcp)
    CASE(SASS_MUFU_RSQ, rsq)
    CASE(SASS_MUFU_SQRT, sqrt)
    default: CASE(SASS_MUFU_TANH, tanh)
#undef CASE
    }
}
/* The high word of a double in, the high word of the result out. */
ENG_OP(mufu_double) {
    const uint32_t *a = (const uint32_t *)a_;
    _Alignas(64) uint32_t r[32];
    for (int l = 0; l < 32; l++) {
        uint32_t x = (a[l] & (i->x & 2 ? 0x7fffffffu : ENG_ALL)) ^ (i->x & 1 ? 0x80000000u : 0);
        r[l] = i->y == SASS_MUFU_RCP64H ? mufu_rcp64h(x) : mufu_rsq64h(x);
    }
    ENG_EACH PUT(k, ((vu *)r)[k]);
}
/* A half or a bfloat16 in the half z (0 low, 1 high), the result in the low one. */
ENG_OP(mufu_half) {
    const uint32_t *a = (const uint32_t *)a_;
    const bool bfloat = i->z & MUFU_BFLOAT;
    _Alignas(64) uint32_t r[32];
    for (int l = 0; l < 32; l++) {
        float f = small_decode((uint16_t)(i->z & MUFU_HIGH ? a[l] >> 16 : a[l]), bfloat);
        if (i->x & 2) f = fabsf(f);
        if (i->x & 1) f = -f;
        memcpy(&r[l], &f, 4);
        uint32_t result = single(r[l], i->y);
        r[l] = bfloat ? result >> 16 : mufu_cut_to_half(result);
    }
    ENG_EACH PUT(k, ((vu *)r)[k]);
}
static bool bind_mufu(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    static const eng_fn *const singles[] = {
        [SASS_MUFU_COS] = mufu_cos, [SASS_MUFU_SIN] = mufu_sin, [SASS_MUFU_EX2] = mufu_ex2, [SASS_MUFU_LG2] = mufu_lg2,
        [SASS_MUFU_RCP] = mufu_rcp, [SASS_MUFU_RSQ] = mufu_rsq, [SASS_MUFU_RCP64H] = mufu_double, [SASS_MUFU_RSQ64H] = mufu_double,
        [SASS_MUFU_SQRT] = mufu_sqrt, [SASS_MUFU_TANH] = mufu_tanh};
    if (in->sub > SASS_MUFU_TANH) return false;
    eng_operands(plan, in, out);
    out->x = vf_mod_bits(&in->a);
    out->y = in->sub;
    out->z = (in->byte ? MUFU_HIGH : 0) | (in->type == SASS_BF16 ? MUFU_BFLOAT : 0);
    if (in->byte && in->type == SASS_F32) return eng_refuse(plan, "a half of a single");
    out->fn = eng_pick(in->type == SASS_F32 ? singles[in->sub] : mufu_half, out);
    return true;
}

ENG_FAMILY(mufu, {"mufu", bind_mufu});
