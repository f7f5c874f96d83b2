/* Vectors of lanes: a slot is ENG_NV vectors of ENG_VB bytes, whatever the instruction set. For exec_*.c only.
 *
 * An operation is written once, as an inline function over one slot:
 *
 *     ENG_OP(iadd3) { ENG_EACH { vu r = A(k) + B(k) + C(k); PUT(k, r); } }
 *
 * and ENG_OP makes three handlers of it: NAME_plain (all lanes or the group's), NAME_full (uniform instructions:
 * always all lanes), NAME_guard (the lanes whose guard is true). eng_pick chooses for a binder. */
#ifndef WG_ENGINE_LANES_H
#define WG_ENGINE_LANES_H

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "engine/isa.h"
#include "engine/machine.h"

#if defined(__AVX512F__)
#define ENG_VB 64
#define ENG_HAVE_AVX512 1
#elif defined(__AVX2__)
#define ENG_VB 32
#else
#define ENG_VB 16
#endif
#if defined(__AVX2__)
#define ENG_HAVE_AVX2 1
#endif
#define ENG_NV (ENG_SLOT / ENG_VB) /* vectors of a slot */
#define ENG_VL (ENG_VB / 4)        /* lanes of a vector */

typedef uint32_t vu __attribute__((vector_size(ENG_VB), may_alias));
typedef int32_t vs __attribute__((vector_size(ENG_VB), may_alias));
typedef float vf __attribute__((vector_size(ENG_VB), may_alias));
typedef uint64_t vq __attribute__((vector_size(ENG_VB), may_alias)); /* half as many lanes, 64 bits each */
typedef int64_t vsq __attribute__((vector_size(ENG_VB), may_alias));
typedef double vd __attribute__((vector_size(ENG_VB), may_alias));

#define ENG_INLINE static inline __attribute__((always_inline))
#define ENG_UNUSED __attribute__((unused))
#define ENG_LIKELY(x)   __builtin_expect(!!(x), 1)
#define ENG_UNLIKELY(x) __builtin_expect(!!(x), 0)

ENG_INLINE vu vu_set(uint32_t x) { return x - (vu){0}; }
ENG_INLINE vf vf_set(float x) { return x - (vf){0}; }
ENG_INLINE vq vq_set(uint64_t x) { return x - (vq){0}; }

#if ENG_VB == 64
#define ENG_LANE_IDS {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#elif ENG_VB == 32
#define ENG_LANE_IDS {0, 1, 2, 3, 4, 5, 6, 7}
#else
#define ENG_LANE_IDS {0, 1, 2, 3}
#endif

/* Lanes of vector k in a mask, as 0 / all ones. */
ENG_INLINE vu vu_expand(uint32_t mask, int k) {
#if defined(ENG_HAVE_AVX512)
    return (vu)_mm512_maskz_set1_epi32((__mmask16)(mask >> (k * 16)), -1);
#else
    vu bit = vu_set(1) << ((vu)ENG_LANE_IDS + (uint32_t)(k * ENG_VL));
    return (vu)((vu_set(mask) & bit) != 0);
#endif
}
/* Bits of the lanes whose elements are all ones (a comparison's result), moved to vector k's place. */
ENG_INLINE uint32_t vu_bits(vs test, int k) {
#if defined(ENG_HAVE_AVX512)
    return (uint32_t)_mm512_movepi32_mask((__m512i)test) << (k * 16);
#elif defined(ENG_HAVE_AVX2)
    return (uint32_t)_mm256_movemask_ps((__m256)test) << (k * 8);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)test) << (k * 4);
#else
    uint32_t r = 0;
    for (int l = 0; l < ENG_VL; l++) r |= (uint32_t)(test[l] < 0) << l;
    return r << (k * ENG_VL);
#endif
}
ENG_INLINE vu vu_blend(uint32_t on, int k, vu old, vu new) {
#if defined(ENG_HAVE_AVX512)
    return (vu)_mm512_mask_blend_epi32((__mmask16)(on >> (k * 16)), (__m512i)old, (__m512i)new);
#else
    vu m = vu_expand(on, k);
    return (old & ~m) | (new & m);
#endif
}
ENG_INLINE vu vu_select(vs test, vu yes, vu no) { return (vu)((test & (vs)yes) | (~test & (vs)no)); }

/* Slots. */
ENG_INLINE vu *eng_vu(uint8_t *R, uint32_t offset) { return (vu *)__builtin_assume_aligned(R + offset, 64); }
ENG_INLINE uint32_t *eng_u32(uint8_t *R, uint32_t offset) { return (uint32_t *)(void *)(R + offset); }
/* Stores vector k of a slot for the lanes in on; full (a constant after inlining): for all lanes. */
ENG_INLINE void eng_put(vu *d, int k, vu value, uint32_t on, bool full) {
    *d = full ? value : vu_blend(on, k, *d, value);
}

/* Inside an ENG_OP: operands of the instruction, by vector (2: the second word of a pair). Pointers are taken before
 * anything is stored, so that a store does not make the compiler read the instruction again. */
#define A(k)       (a_[k])
#define B(k)       (b_[k])
#define C(k)       (c_[k])
#define A2(k)      (a_[ENG_NV + (k)])
#define B2(k)      (b_[ENG_NV + (k)])
#define C2(k)      (c_[ENG_NV + (k)])
#define PUT(k, v)  eng_put(d_ + (k), k, (vu)(v), on, full)
#define PUT2(k, v) eng_put(d_ + ENG_NV + (k), k, (vu)(v), on, full)
#define SETP(n, v) eng_set_pred(w, i->pd[n], (v), on)
#define ENG_EACH   _Pragma("GCC unroll 8") for (int k = 0; k < ENG_NV; k++)

#define ENG_OP(name)                                                                                              \
    ENG_INLINE void name##_do(const eng_ins *i, eng_warp *w, uint32_t on, const bool full, vu *d_, const vu *a_,  \
                              const vu *b_, const vu *c_);                                                        \
    ENG_INLINE void name##_op(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const bool full) {          \
        name##_do(i, w, on, full, eng_vu(R, i->d), eng_vu(R, i->a), eng_vu(R, i->b), eng_vu(R, i->c));            \
    }                                                                                                             \
    static __attribute__((noinline)) const eng_ins *name##_some(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) { \
        name##_op(i, w, R, mask, false);                                                                          \
        ENG_NEXT;                                                                                                 \
    }                                                                                                             \
    ENG_HANDLER(name##_plain) {                                                                                   \
        if (ENG_UNLIKELY(mask != ENG_ALL)) return name##_some(i, w, R, mask); /* a jump: keeps this path lean */  \
        name##_op(i, w, R, ENG_ALL, true);                                                                        \
        ENG_NEXT;                                                                                                 \
    }                                                                                                             \
    ENG_HANDLER(name##_full) {                                                                                    \
        name##_op(i, w, R, ENG_ALL, true);                                                                        \
        ENG_NEXT;                                                                                                 \
    }                                                                                                             \
    ENG_HANDLER(name##_guard) {                                                                                   \
        uint32_t on = eng_on(i, w, mask);                                                                         \
        if (on) name##_op(i, w, R, on, false);                                                                    \
        ENG_NEXT;                                                                                                 \
    }                                                                                                             \
    static const eng_fn name[3] ENG_UNUSED = {name##_plain, name##_full, name##_guard};                                \
    ENG_INLINE void name##_do(const eng_ins *i ENG_UNUSED, eng_warp *w ENG_UNUSED, uint32_t on ENG_UNUSED,        \
                              const bool full ENG_UNUSED, vu *d_ ENG_UNUSED, const vu *a_ ENG_UNUSED,             \
                              const vu *b_ ENG_UNUSED, const vu *c_ ENG_UNUSED)

static inline eng_fn eng_pick(const eng_fn variants[3], const eng_ins *out) {
    if (out->guard != ENG_PT || out->ginv) return variants[2];
    return variants[out->uni ? 1 : 0];
}

#endif
