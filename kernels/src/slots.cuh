// Values that blocks of one launch hand to each other while both run. A slot of 16 bytes is read and
// written as one relaxed access of the PTX memory model, so that the 12 bytes of value in it and the tag
// that says what they are arrive together: no fence, no second read. Larger values take several
// slots, each with the tag.
#ifndef WK_SLOTS_CUH
#define WK_SLOTS_CUH

#include <stdint.h>

struct alignas(16) wk_slot {
    unsigned word[3];
    unsigned tag; // 0: nothing yet
};

// Slots of a value.
template <class A> struct slots_of {
    enum { count = (int)((sizeof(A) + 11) / 12) };
};

static __device__ __forceinline__ void slot_store(wk_slot *p, const wk_slot &s) {
    const uint64_t low = s.word[0] | (uint64_t)s.word[1] << 32;
    const uint64_t high = s.word[2] | (uint64_t)s.tag << 32;
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(p), "l"(low), "l"(high) : "memory");
}

static __device__ __forceinline__ wk_slot slot_load(const wk_slot *p) {
    uint64_t low, high;
    asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(low), "=l"(high) : "l"(p) : "memory");
    return {{(unsigned)low, (unsigned)(low >> 32), (unsigned)high}, (unsigned)(high >> 32)};
}

// Writes a value into slots_of<A>::count slots.
template <class A> static __device__ __forceinline__ void slots_put(wk_slot *p, const A &value, unsigned tag) {
    static_assert(sizeof(A) % 4 == 0, "values go word by word");
    constexpr int WORDS = (int)(sizeof(A) / 4);
    union {
        A value;
        unsigned word[WORDS];
    } u;
    u.value = value;
#pragma unroll
    for (int s = 0; s < slots_of<A>::count; s++) {
        wk_slot slot = {{0, 0, 0}, tag};
#pragma unroll
        for (int w = 0; w < 3; w++)
            if (3 * s + w < WORDS) slot.word[w] = u.word[3 * s + w < WORDS ? 3 * s + w : 0];
        slot_store(p + s, slot);
    }
}

// The tag of what is there now, and the value it belongs to. 0 also while a value of several
// slots is half replaced.
template <class A> static __device__ __forceinline__ unsigned slots_get(const wk_slot *p, A *value) {
    constexpr int WORDS = (int)(sizeof(A) / 4);
    union {
        A value;
        unsigned word[WORDS];
    } u;
    unsigned tag = 0;
#pragma unroll
    for (int s = 0; s < slots_of<A>::count; s++) {
        const wk_slot slot = slot_load(p + s);
        tag = s == 0 || tag == slot.tag ? slot.tag : 0;
#pragma unroll
        for (int w = 0; w < 3; w++)
            if (3 * s + w < WORDS) u.word[3 * s + w < WORDS ? 3 * s + w : 0] = slot.word[w];
    }
    *value = u.value;
    return tag;
}

#endif
