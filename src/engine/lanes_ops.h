/* Operations on vectors of lanes that the compilers' vector types lack: comparisons to masks, shifts by any count,
 * 32 x 32 -> 64 multiplication, words of pairs. */
#ifndef WG_ENGINE_LANES_OPS_H
#define WG_ENGINE_LANES_OPS_H

#include "engine/lanes.h"

/* --- comparisons: bits of the lanes for which they hold, at vector k's place ------------------------ */
#if defined(ENG_HAVE_AVX512)
#define ENG_CMP(name, type, intrinsic)                                                                            \
    ENG_INLINE uint32_t name(type a, type b, int k) { return (uint32_t)intrinsic << (k * 16); }
ENG_CMP(vu_eq, vu, _mm512_cmpeq_epu32_mask((__m512i)a, (__m512i)b))
ENG_CMP(vu_ne, vu, _mm512_cmpneq_epu32_mask((__m512i)a, (__m512i)b))
ENG_CMP(vu_lt, vu, _mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b))
ENG_CMP(vu_le, vu, _mm512_cmple_epu32_mask((__m512i)a, (__m512i)b))
ENG_CMP(vs_lt, vs, _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b))
ENG_CMP(vs_le, vs, _mm512_cmple_epi32_mask((__m512i)a, (__m512i)b))
ENG_CMP(vf_eq, vf, _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ))
ENG_CMP(vf_lt, vf, _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ))
ENG_CMP(vf_le, vf, _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ))
ENG_CMP(vf_unordered, vf, _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q))
#undef ENG_CMP
#else
ENG_INLINE uint32_t vu_eq(vu a, vu b, int k) { return vu_bits((vs)(a == b), k); }
ENG_INLINE uint32_t vu_ne(vu a, vu b, int k) { return vu_bits((vs)(a != b), k); }
ENG_INLINE uint32_t vs_lt(vs a, vs b, int k) { return vu_bits((vs)(a < b), k); }
ENG_INLINE uint32_t vs_le(vs a, vs b, int k) { return vu_bits((vs)(a <= b), k); }
ENG_INLINE uint32_t vu_lt(vu a, vu b, int k) {
    vu flip = vu_set(0x80000000u);
    return vu_bits((vs)((vs)(a ^ flip) < (vs)(b ^ flip)), k);
}
ENG_INLINE uint32_t vu_le(vu a, vu b, int k) {
    vu flip = vu_set(0x80000000u);
    return vu_bits((vs)((vs)(a ^ flip) <= (vs)(b ^ flip)), k);
}
ENG_INLINE uint32_t vf_eq(vf a, vf b, int k) { return vu_bits((vs)(a == b), k); }
ENG_INLINE uint32_t vf_lt(vf a, vf b, int k) { return vu_bits((vs)(a < b), k); }
ENG_INLINE uint32_t vf_le(vf a, vf b, int k) { return vu_bits((vs)(a <= b), k); }
ENG_INLINE uint32_t vf_unordered(vf a, vf b, int k) { return vu_bits((vs)((a != a) | (b != b)), k); }
#endif

ENG_INLINE vu vu_min(vu a, vu b) {
#if defined(ENG_HAVE_AVX512)
    return (vu)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif defined(ENG_HAVE_AVX2)
    return (vu)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
    return vu_select((vs)(a < b), a, b);
#endif
}
ENG_INLINE vu vu_max(vu a, vu b) { return a + b - vu_min(a, b); }
ENG_INLINE vs vs_min(vs a, vs b) {
#if defined(ENG_HAVE_AVX512)
    return (vs)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(ENG_HAVE_AVX2)
    return (vs)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return (vs)vu_select((vs)(a < b), (vu)a, (vu)b);
#endif
}
ENG_INLINE vs vs_max(vs a, vs b) { return (vs)((vu)a + (vu)b - (vu)vs_min(a, b)); }

/* --- shifts: a count of 32 or more leaves nothing but, arithmetically, the sign --------------------- */
ENG_INLINE vu vu_shl(vu v, vu n) {
#if defined(ENG_HAVE_AVX512)
    return (vu)_mm512_sllv_epi32((__m512i)v, (__m512i)n);
#elif defined(ENG_HAVE_AVX2)
    return (vu)_mm256_sllv_epi32((__m256i)v, (__m256i)n);
#else
    return (v << (n & 31)) & (vu)(n < 32);
#endif
}
ENG_INLINE vu vu_shr(vu v, vu n) {
#if defined(ENG_HAVE_AVX512)
    return (vu)_mm512_srlv_epi32((__m512i)v, (__m512i)n);
#elif defined(ENG_HAVE_AVX2)
    return (vu)_mm256_srlv_epi32((__m256i)v, (__m256i)n);
#else
    return (v >> (n & 31)) & (vu)(n < 32);
#endif
}
ENG_INLINE vs vs_sar(vs v, vu n) {
#if defined(ENG_HAVE_AVX512)
    return (vs)_mm512_srav_epi32((__m512i)v, (__m512i)n);
#elif defined(ENG_HAVE_AVX2)
    return (vs)_mm256_srav_epi32((__m256i)v, (__m256i)n);
#else
    return v >> (vs)vu_min(n, vu_set(31));
#endif
}

/* --- 64-bit work on even and odd lanes -------------------------------------------------------------- */
/* The even lanes of a vector of words, as 64-bit elements with the odd words above them; odd lanes moved down. */
ENG_INLINE vq vq_even(vu v) { return (vq)v; }
ENG_INLINE vq vq_odd(vu v) { return (vq)v >> 32; }
/* Pairs (low, high) of the even and of the odd lanes, and back. */
ENG_INLINE vu vu_odd_words(vu even, vu odd) { /* even lanes of `even`, odd lanes of `odd` */
#if defined(ENG_HAVE_AVX512)
    return (vu)_mm512_mask_blend_epi32((__mmask16)0xaaaa, (__m512i)even, (__m512i)odd);
#elif defined(ENG_HAVE_AVX2)
    return (vu)_mm256_blend_epi32((__m256i)even, (__m256i)odd, 0xaa);
#else
    const vq low = vq_set(0xffffffffu);
    return (vu)(((vq)even & low) | ((vq)odd & ~low));
#endif
}
ENG_INLINE vq vq_join_even(vu low, vu high) { return (vq)vu_odd_words(low, (vu)((vq)high << 32)); }
ENG_INLINE vq vq_join_odd(vu low, vu high) { return (vq)vu_odd_words((vu)((vq)low >> 32), high); }
ENG_INLINE vu vu_low_words(vq even, vq odd) { return vu_odd_words((vu)even, (vu)(odd << 32)); }
ENG_INLINE vu vu_high_words(vq even, vq odd) { return vu_odd_words((vu)(even >> 32), (vu)odd); }

/* Product of the low words of 64-bit elements. */
ENG_INLINE vq vq_mul_unsigned(vq a, vq b) {
#if defined(ENG_HAVE_AVX512)
    return (vq)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(ENG_HAVE_AVX2)
    return (vq)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (vq)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & vq_set(0xffffffffu)) * (b & vq_set(0xffffffffu));
#endif
}
ENG_INLINE vq vq_mul_signed(vq a, vq b) {
#if defined(ENG_HAVE_AVX512)
    return (vq)_mm512_mul_epi32((__m512i)a, (__m512i)b);
#elif defined(ENG_HAVE_AVX2)
    return (vq)_mm256_mul_epi32((__m256i)a, (__m256i)b);
#else
    vq p = vq_mul_unsigned(a, b), zero = vq_set(0);
    vq a_neg = zero - ((a >> 31) & 1), b_neg = zero - ((b >> 31) & 1);
    return p - ((a_neg & b) << 32) - ((b_neg & a) << 32);
#endif
}

/* --- across lanes ------------------------------------------------------------------------------------- */
/* Elements of a whole slot by lane number (0..31). */
ENG_INLINE vu vu_permute(const vu slot[ENG_NV], vu lane) {
#if defined(ENG_HAVE_AVX512)
    return (vu)_mm512_permutex2var_epi32((__m512i)slot[0], (__m512i)lane, (__m512i)slot[1]);
#elif defined(ENG_HAVE_AVX2)
    vu r = (vu)_mm256_permutevar8x32_epi32((__m256i)slot[0], (__m256i)lane);
    for (uint32_t n = 1; n < ENG_NV; n++)
        r = vu_select((vs)(lane >> 3 == n), (vu)_mm256_permutevar8x32_epi32((__m256i)slot[n], (__m256i)lane), r);
    return r;
#else
    const uint32_t *from = (const uint32_t *)slot;
    vu r;
    for (int l = 0; l < ENG_VL; l++) r[l] = from[lane[l] & 31];
    return r;
#endif
}

#endif
