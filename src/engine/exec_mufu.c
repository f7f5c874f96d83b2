/* MUFU: approximations of reciprocals, roots, exponentials, logarithms and trigonometry. Last bits are not the
 * hardware's. RCP and SQRT are correctly rounded; RSQ rounds twice, the root and then its reciprocal (RSQ64H likewise,
 * in double); SIN and COS are computed in double and rounded; EX2, LG2 and TANH are as good as the host's
 * libm. In single and double precision, denormals are flushed on both sides. */
#include "engine/lanes_float.h"
#include "engine/small_float.h"

enum { MUFU_COS, MUFU_SIN, MUFU_EX2, MUFU_LG2, MUFU_RCP, MUFU_RSQ, MUFU_RCP64H, MUFU_RSQ64H, MUFU_SQRT, MUFU_TANH };

/* On vectors; x: signs of the source. */
#define VECTOR_OP(name, ...)                                                                                      \
    ENG_OP(name) {                                                                                                \
        ENG_EACH {                                                                                                \
            vf v = vf_flush(vf_apply(A(k), vf_mod_of(i->x)));                                                     \
            PUT(k, vf_canonical(vf_flush(__VA_ARGS__)));                                                          \
        }                                                                                                         \
    }
ENG_INLINE vf root(vf v) {
#if defined(ENG_HAVE_AVX512)
    return (vf)_mm512_sqrt_ps((__m512)v);
#elif defined(ENG_HAVE_AVX2)
    return (vf)_mm256_sqrt_ps((__m256)v);
#else
    vf r;
    for (int l = 0; l < ENG_VL; l++) r[l] = sqrtf(v[l]);
    return r;
#endif
}
VECTOR_OP(mufu_rcp, vf_set(1.0f) / v)
VECTOR_OP(mufu_rsq, vf_set(1.0f) / root(v))
VECTOR_OP(mufu_sqrt, root(v))

static float one(float v, unsigned function) {
    switch (function) {
    case MUFU_COS: return cosf(v);
    case MUFU_SIN: return sinf(v);
    case MUFU_EX2: return exp2f(v);
    case MUFU_LG2: return log2f(v);
    case MUFU_RCP: return 1.0f / v;
    case MUFU_RSQ: return (float)(1.0 / sqrt((double)v));
    case MUFU_SQRT: return sqrtf(v);
    default: return tanhf(v);
    }
}
static float flush(float f) { return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f; }

/* SIN and COS take their angle in turns of 2 pi, as RRO and the multiplication before them leave it. */
ENG_OP(mufu_lanes) {
    const uint32_t *a = (const uint32_t *)a_;
    _Alignas(64) uint32_t r[32] = {0};
    for (int l = 0; l < 32; l++) {
        if (!(on >> l & 1)) continue;
        uint32_t word = a[l];
        float f;
        word = (word & (i->x & 2 ? 0x7fffffffu : ENG_ALL)) ^ (i->x & 1 ? 0x80000000u : 0);
        memcpy(&f, &word, 4);
        f = flush(f);
        if (i->y == MUFU_SIN || i->y == MUFU_COS) {
            double turn = (double)f - floor((double)f);
            f = isfinite(f) ? (float)(i->y == MUFU_SIN ? sin(turn * 6.283185307179586) : cos(turn * 6.283185307179586)) : NAN;
        } else f = one(f, i->y);
        f = flush(f);
        memcpy(&word, &f, 4);
        r[l] = f != f ? ENG_NAN : word;
    }
    ENG_EACH PUT(k, ((vu *)r)[k]);
}
static double flush_double(double v) { return fabs(v) < 0x1p-1022 ? copysign(0, v) : v; }
static uint32_t high_word(uint64_t bits, unsigned function) {
    double v, r;
    memcpy(&v, &bits, 8);
    v = flush_double(v);
    r = flush_double(function == MUFU_RCP64H ? 1.0 / v : 1.0 / sqrt(v));
    memcpy(&bits, &r, 8);
    return r != r ? 0x7fffffffu : (uint32_t)(bits >> 32);
}
/* The high word of a double in, the high word of the result out. */
ENG_OP(mufu_double) {
    const uint32_t *a = (const uint32_t *)a_;
    _Alignas(64) uint32_t r[32] = {0};
    for (int l = 0; l < 32; l++) {
        uint64_t bits = (uint64_t)((a[l] & (i->x & 2 ? 0x7fffffffu : ENG_ALL)) ^ (i->x & 1 ? 0x80000000u : 0)) << 32;
        r[l] = high_word(bits, i->y);
    }
    ENG_EACH PUT(k, ((vu *)r)[k]);
}
/* Half precision: x, as above; y: function; both halves are not computed, only the low one. */
ENG_OP(mufu_half) {
    const uint32_t *a = (const uint32_t *)a_;
    _Alignas(64) uint32_t r[32] = {0};
    for (int l = 0; l < 32; l++) {
        float f = small_decode((uint16_t)a[l], false);
        if (i->x & 2) f = fabsf(f);
        if (i->x & 1) f = -f;
        r[l] = small_encode(one(f, i->y), false, SASS_RN);
    }
    ENG_EACH PUT(k, ((vu *)r)[k]);
}
static bool bind_mufu(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = vf_mod_bits(&in->a);
    out->y = in->sub;
    const eng_fn *fn = mufu_lanes;
    if (in->type == SASS_F16) fn = mufu_half;
    else if (in->sub == MUFU_RCP64H || in->sub == MUFU_RSQ64H) fn = mufu_double;
    else if (in->sub == MUFU_RCP) fn = mufu_rcp;
    else if (in->sub == MUFU_RSQ) fn = mufu_rsq;
    else if (in->sub == MUFU_SQRT) fn = mufu_sqrt;
    if (in->sub > MUFU_TANH) return false;
    out->fn = eng_pick(fn, out);
    return true;
}

ENG_FAMILY(mufu, {"mufu", bind_mufu});
