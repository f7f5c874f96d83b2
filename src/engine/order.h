/* The order of a launch with a seed: which block is begun next, in which order the warps of a block have their turns, and
 * which of two groups that part goes first. A seed gives one order, whatever the number of workers; a program without
 * races computes the same under all of them. */
#ifndef WG_ENGINE_ORDER_H
#define WG_ENGINE_ORDER_H

#include <stdint.h>

/* A mixed word: a bijection in which every bit depends on every bit (the finaliser of splitmix64). */
static inline uint64_t eng_order_mix(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The n-th block, 0 <= n < n_blocks: a permutation of 0 .. n_blocks-1 without a table. Each round maps the numbers of as
 * many bits as n_blocks - 1 has one to one; what lies beyond the last block is mapped again. */
static inline uint64_t eng_order_block(uint64_t seed, uint64_t n, uint64_t n_blocks) {
    if (n_blocks < 2) return n;
    unsigned bits = 64 - (unsigned)__builtin_clzll(n_blocks - 1);
    uint64_t mask = UINT64_MAX >> (64 - bits);
    do
        for (unsigned round = 0; round < 3; round++) {
            uint64_t key = eng_order_mix(seed + round);
            n = (n * (key | 1) + (key >> 32)) & mask;
            n ^= n >> (bits + 1) / 2;
        }
    while (n >= n_blocks);
    return n;
}

/* The warps of a block in the order of their turns. */
static inline void eng_order_warps(uint64_t seed, uint64_t block, uint8_t order[32], unsigned n_warps) {
    uint64_t state = eng_order_mix(seed ^ eng_order_mix(~block));
    for (unsigned n = 0; n < n_warps; n++) order[n] = (uint8_t)n;
    for (unsigned n = n_warps; n > 1; n--) {
        state = eng_order_mix(state);
        unsigned k = (unsigned)(state >> 33) % n;
        uint8_t last = order[n - 1];
        order[n - 1] = order[k], order[k] = last;
    }
}

#endif
