// Values that blocks of one launch hand to each other while both run. A slot of 16 bytes is read and
// written as one relaxed access of the PTX memory model, so that the up to 12 bytes of value in it and the
// tag that says what they are arrive together: no fence, no second read. Larger values take several slots,
// each with the tag.
#ifndef WK_SLOTS_CUH
#define WK_SLOTS_CUH

#include <stdint.h>

// Words of value first, the tag in all others. No word is left unused on purpose: ptxas 13.0 turns a
// 128-bit load whose middle nobody looks at into two of 32 bits, which may see different values.
struct alignas(16) wk_slot {
    unsigned word[4];
};

// Slots of a value.
template <class A> struct slots_of {
    enum { count = (int)((sizeof(A) + 11) / 12) };
};

static __device__ __forceinline__ void slot_store(wk_slot *p, const wk_slot &s) {
    const uint64_t low = s.word[0] | (uint64_t)s.word[1] << 32;
    const uint64_t high = s.word[2] | (uint64_t)s.word[3] << 32;
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(p),
                 "l"(low), "l"(high)
                 : "memory");
}

static __device__ __forceinline__ wk_slot slot_load(const wk_slot *p) {
    uint64_t low, high;
    asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(low), "=l"(high)
                 : "l"(p)
                 : "memory");
    return {{(unsigned)low, (unsigned)(low >> 32), (unsigned)high, (unsigned)(high >> 32)}};
}

template <class A> union slot_words {
    A value;
    unsigned word[sizeof(A) / 4];
};

// Writes a value; tag is not 0.
template <class A>
static __device__ __forceinline__ void slots_put(wk_slot *p, const A &value, unsigned tag) {
    static_assert(sizeof(A) % 4 == 0, "values go word by word");
    constexpr int WORDS = (int)(sizeof(A) / 4);
    slot_words<A> u;
    u.value = value;
#pragma unroll
    for (int s = 0; s < slots_of<A>::count; s++) {
        wk_slot slot;
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const int k = 3 * s + w;
            slot.word[w] = w < 3 && k < WORDS ? u.word[k < WORDS ? k : 0] : tag;
        }
        slot_store(p + s, slot);
    }
}

// The tag of what is there now, and the value it belongs to. 0: nothing yet, or only a part of it.
template <class A> static __device__ __forceinline__ unsigned slots_get(const wk_slot *p, A *value) {
    constexpr int WORDS = (int)(sizeof(A) / 4);
    slot_words<A> u;
    unsigned tag = 0;
    bool whole = true;
#pragma unroll
    for (int s = 0; s < slots_of<A>::count; s++) {
        const wk_slot slot = slot_load(p + s);
        if (s == 0) tag = slot.word[3];
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const int k = 3 * s + w;
            if (w < 3 && k < WORDS)
                u.word[k < WORDS ? k : 0] = slot.word[w];
            else
                whole &= slot.word[w] == tag;
        }
    }
    *value = u.value;
    return whole ? tag : 0;
}

// Back to "nothing yet".
template <class A> static __device__ __forceinline__ void slots_clear(wk_slot *p) {
#pragma unroll
    for (int s = 0; s < slots_of<A>::count; s++) slot_store(p + s, {{0, 0, 0, 0}});
}

#endif
