/* What the GPU's side and the simulated machine's side of a comparison both make: bytes that look random, and hashes of results. */
#ifndef WG_TESTS_CONFORMANCE_NOISE_H
#define WG_TESTS_CONFORMANCE_NOISE_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t noise(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
static inline void noise_fill(uint8_t *to, size_t n, uint32_t seed) {
    for (size_t i = 0; i < n; i++) to[i] = (uint8_t)(noise((uint32_t)i / 4 + seed * 0x9e3779b9u) >> 8 * (i & 3));
}

/* FNV-1a, by bytes or by words. */
#define FNV_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t fnv(uint64_t hash, uint32_t next) { return (hash ^ next) * UINT64_C(0x100000001b3); }
static inline uint64_t fnv_bytes(const void *bytes, size_t n) {
    uint64_t h = FNV_START;
    for (size_t i = 0; i < n; i++) h = fnv(h, ((const uint8_t *)bytes)[i]);
    return h;
}

#endif
