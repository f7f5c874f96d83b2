/* Single and double precision on vectors of lanes: fused multiply-add, rounding modes, flush to zero, NaN. */
#ifndef WG_ENGINE_LANES_FLOAT_H
#define WG_ENGINE_LANES_FLOAT_H

#include <math.h>

#include "engine/lanes_ops.h"

#if !defined(ENG_HAVE_AVX512) && defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* --- round to nearest, the compiler's own ------------------------------------------------------------ */
ENG_INLINE vf vf_fma(vf a, vf b, vf c) {
#if defined(ENG_HAVE_AVX512)
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(ENG_HAVE_AVX2)
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    vf r;
    for (int l = 0; l < ENG_VL; l++) r[l] = fmaf(a[l], b[l], c[l]); /* fused in libm, with or without hardware */
    return r;
#endif
}
ENG_INLINE vd vd_fma(vd a, vd b, vd c) {
#if defined(ENG_HAVE_AVX512)
    return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(ENG_HAVE_AVX2)
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    vd r;
    for (int l = 0; l < ENG_VL / 2; l++) r[l] = fma(a[l], b[l], c[l]);
    return r;
#endif
}

/* --- other rounding modes: embedded in the instruction, or by the control register ---------------------- */
typedef enum vf_kind { VF_ADD, VF_MUL, VF_FMA } vf_kind;
#if defined(ENG_HAVE_AVX512)
#define ENG_ROUNDED(name, vec, mvec, suffix)                                                                       \
    ENG_INLINE vec name(vf_kind kind, vec a, vec b, vec c, unsigned round) {                                       \
        mvec x = (mvec)a, y = (mvec)b, z = (mvec)c;                                                                \
        enum { DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC, UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC,   \
               CUT = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC, NEAR = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };\
        switch (round) {                                                                                           \
        case SASS_RM: return (vec)(kind == VF_ADD ? _mm512_add_round_##suffix(x, y, DOWN)                          \
                                   : kind == VF_MUL ? _mm512_mul_round_##suffix(x, y, DOWN)                        \
                                                    : _mm512_fmadd_round_##suffix(x, y, z, DOWN));                 \
        case SASS_RP: return (vec)(kind == VF_ADD ? _mm512_add_round_##suffix(x, y, UP)                            \
                                   : kind == VF_MUL ? _mm512_mul_round_##suffix(x, y, UP)                          \
                                                    : _mm512_fmadd_round_##suffix(x, y, z, UP));                   \
        case SASS_RZ_: return (vec)(kind == VF_ADD ? _mm512_add_round_##suffix(x, y, CUT)                          \
                                    : kind == VF_MUL ? _mm512_mul_round_##suffix(x, y, CUT)                        \
                                                     : _mm512_fmadd_round_##suffix(x, y, z, CUT));                 \
        default: return (vec)(kind == VF_ADD ? _mm512_add_round_##suffix(x, y, NEAR)                               \
                              : kind == VF_MUL ? _mm512_mul_round_##suffix(x, y, NEAR)                             \
                                               : _mm512_fmadd_round_##suffix(x, y, z, NEAR));                      \
        }                                                                                                          \
    }
ENG_ROUNDED(vf_rounded, vf, __m512, ps)
ENG_ROUNDED(vd_rounded, vd, __m512d, pd)
#undef ENG_ROUNDED
#else
/* noipa: the arithmetic must stay between the two writes of the control register */
#define ENG_ROUNDED(name, vec, fma_)                                                                               \
    __attribute__((noipa, unused)) static void name##_at(vf_kind kind, const vec *a, const vec *b, const vec *c, vec *r) { \
        if (kind == VF_ADD) *r = *a + *b;                                                                          \
        else if (kind == VF_MUL) *r = *a * *b;                                                                     \
        else *r = fma_(*a, *b, *c);                                                                                \
    }                                                                                                              \
    ENG_INLINE vec name(vf_kind kind, vec a, vec b, vec c, unsigned round) {                                       \
        static const unsigned modes[] = {[SASS_RN] = 0, [SASS_RM] = 0x2000, [SASS_RP] = 0x4000, [SASS_RZ_] = 0x6000}; \
        vec r;                                                                                                     \
        unsigned saved = _mm_getcsr();                                                                             \
        _mm_setcsr((saved & ~0x6000u) | modes[round & 3]);                                                         \
        name##_at(kind, &a, &b, &c, &r);                                                                           \
        _mm_setcsr(saved);                                                                                         \
        return r;                                                                                                  \
    }
ENG_ROUNDED(vf_rounded, vf, vf_fma)
ENG_ROUNDED(vd_rounded, vd, vd_fma)
#undef ENG_ROUNDED
#endif

/* --- signs, denormals, saturation, NaN ------------------------------------------------------------------ */
#define ENG_NAN 0x7fffffffu /* what single precision arithmetic makes of every NaN */

/* Modifiers of a source: bits to keep and bits to flip. */
typedef struct vf_mod { uint32_t keep, flip; } vf_mod;
ENG_INLINE vf_mod vf_mod_of(uint32_t bits) { /* bit 0 negative, bit 1 absolute */
    return (vf_mod){bits & 2 ? 0x7fffffffu : ENG_ALL, bits & 1 ? 0x80000000u : 0};
}
ENG_INLINE vf vf_apply(vu v, vf_mod m) { return (vf)((v & vu_set(m.keep)) ^ vu_set(m.flip)); }
ENG_INLINE uint32_t vf_mod_bits(const sass_operand *op) { return (op->neg ? 1u : 0) | (op->abs ? 2u : 0); }

ENG_INLINE vf vf_flush(vf v) { /* a denormal becomes a zero of its sign */
    vs tiny = (vs)(((vu)v & 0x7f800000u) == 0);
    return (vf)((vu)v & ~((vu)tiny & 0x7fffffffu));
}
ENG_INLINE vf vf_saturate(vf v) { /* to [0, 1]; NaN to 0 */
    vs positive = (vs)(v > (vf){0}), above = (vs)(v > vf_set(1.0f));
    return (vf)vu_select(above, (vu)vf_set(1.0f), (vu)v & (vu)positive);
}
ENG_INLINE vf vf_canonical(vf v) { return (vf)vu_select((vs)(v != v), vu_set(ENG_NAN), (vu)v); }

/* True when a vector of a whole slot holds a NaN: one test for two vectors. */
ENG_INLINE bool vf_any_nan(const vf r[ENG_NV]) {
#if defined(ENG_HAVE_AVX512)
    return _mm512_cmp_ps_mask((__m512)r[0], (__m512)r[1], _CMP_UNORD_Q) != 0;
#elif defined(ENG_HAVE_AVX2)
    __m256 t = _mm256_or_ps(_mm256_cmp_ps((__m256)r[0], (__m256)r[1], _CMP_UNORD_Q),
                            _mm256_cmp_ps((__m256)r[2], (__m256)r[3], _CMP_UNORD_Q));
    return _mm256_movemask_ps(t) != 0;
#else
    vs t = (vs){0};
    for (int k = 0; k < ENG_NV; k++) t |= (vs)(r[k] != r[k]);
    return vu_bits(t, 0) != 0;
#endif
}

/* --- pairs of slots as doubles ---------------------------------------------------------------------------- */
/* Words interleaved within 128 bits: x[0], x[1] hold all lanes of vector k in an order that vd_split undoes. */
#if defined(ENG_HAVE_AVX512)
ENG_INLINE void vd_join(vu low, vu high, vd x[2]) {
    x[0] = (vd)_mm512_unpacklo_epi32((__m512i)low, (__m512i)high);
    x[1] = (vd)_mm512_unpackhi_epi32((__m512i)low, (__m512i)high);
}
ENG_INLINE void vd_split(const vd x[2], vu *low, vu *high) {
    *low = (vu)_mm512_shuffle_ps((__m512)x[0], (__m512)x[1], 0x88);
    *high = (vu)_mm512_shuffle_ps((__m512)x[0], (__m512)x[1], 0xdd);
}
#elif defined(ENG_HAVE_AVX2)
ENG_INLINE void vd_join(vu low, vu high, vd x[2]) {
    x[0] = (vd)_mm256_unpacklo_epi32((__m256i)low, (__m256i)high);
    x[1] = (vd)_mm256_unpackhi_epi32((__m256i)low, (__m256i)high);
}
ENG_INLINE void vd_split(const vd x[2], vu *low, vu *high) {
    *low = (vu)_mm256_shuffle_ps((__m256)x[0], (__m256)x[1], 0x88);
    *high = (vu)_mm256_shuffle_ps((__m256)x[0], (__m256)x[1], 0xdd);
}
#else
ENG_INLINE void vd_join(vu low, vu high, vd x[2]) {
    x[0] = (vd)__builtin_shuffle(low, high, (vu){0, 4, 1, 5});
    x[1] = (vd)__builtin_shuffle(low, high, (vu){2, 6, 3, 7});
}
ENG_INLINE void vd_split(const vd x[2], vu *low, vu *high) {
    *low = __builtin_shuffle((vu)x[0], (vu)x[1], (vu){0, 2, 4, 6});
    *high = __builtin_shuffle((vu)x[0], (vu)x[1], (vu){1, 3, 5, 7});
}
#endif
/* Bits of the lanes of vector k from two tests in the order of vd_join (elements all ones or zero). */
ENG_INLINE uint32_t vd_bits(vsq t0, vsq t1, int k) {
    vd x[2] = {(vd)t0, (vd)t1};
    vu low, high;
    vd_split(x, &low, &high);
    return vu_bits((vs)high, k);
}
ENG_INLINE vd vd_apply(vd v, uint32_t bits) {
    vq keep = vq_set(bits & 2 ? 0x7fffffffffffffffu : ~UINT64_C(0)), flip = vq_set(bits & 1 ? UINT64_C(1) << 63 : 0);
    return (vd)(((vq)v & keep) ^ flip);
}

#endif
