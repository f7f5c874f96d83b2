/* Asynchronous barriers (mbarrier objects) in shared memory, 64 bits each: what the code and the hardware of an architecture
 * agree on. Found from what nvcc writes to initialise one, and reads of its state.
 *
 *   sm_80   low word: 2^30 - expected arrivals; high word: phase in bit 31, below it 2^31 - pending arrivals
 *   sm_90   bits 1..20: 2^20 - expected arrivals; 21..42: bytes that are still to come; 43..62: 2^20 - pending arrivals; 63: phase
 *
 * When nothing is pending any more the phase changes and as many arrivals are pending as are expected. */
#ifndef WG_ENGINE_MBARRIER_H
#define WG_ENGINE_MBARRIER_H

#include <stdint.h>

static inline uint64_t mbarrier80_arrive(uint64_t b) {
    uint32_t low = (uint32_t)b, high = (uint32_t)(b >> 32) + 1; /* the last arrival carries into the phase */
    if (!(high & 0x7fffffffu)) high |= (low + 0x40000000u) & 0x7fffffffu; /* 2^31 - (2^30 - low) */
    return (uint64_t)high << 32 | low;
}

enum { MB_EXPECTED = 1, MB_BYTES = 21, MB_PENDING = 43 };
#define MB_COUNT UINT64_C(0xfffff)
#define MB_BYTE_COUNT UINT64_C(0x3fffff)
/* No arrival pending is 0 in its field (2^20 - 0 has no room), which no barrier begins with. */
static inline uint64_t mbarrier90_settle(uint64_t b) {
    if (b >> MB_PENDING & MB_COUNT || b >> MB_BYTES & MB_BYTE_COUNT) return b;
    return (b ^ UINT64_C(1) << 63) | (b >> MB_EXPECTED & MB_COUNT) << MB_PENDING;
}
/* What the phase under way lacks. */
typedef struct mbarrier_lack { uint32_t expected, arrivals, bytes; } mbarrier_lack;
static inline mbarrier_lack mbarrier80_lacks(uint64_t b) {
    return (mbarrier_lack){(0x40000000u - (uint32_t)b) & 0x7fffffffu, -(uint32_t)(b >> 32) & 0x7fffffffu, 0};
}
static inline mbarrier_lack mbarrier90_lacks(uint64_t b) {
    return (mbarrier_lack){-(uint32_t)(b >> MB_EXPECTED) & MB_COUNT, -(uint32_t)(b >> MB_PENDING) & MB_COUNT, (uint32_t)(b >> MB_BYTES & MB_BYTE_COUNT)};
}
static inline uint64_t mbarrier90_bytes(uint64_t b, uint32_t more) { /* modulo 2^22: negative to take away */
    uint64_t bytes = ((b >> MB_BYTES) + more) & MB_BYTE_COUNT;
    return (b & ~(MB_BYTE_COUNT << MB_BYTES)) | bytes << MB_BYTES;
}
static inline uint64_t mbarrier90_arrive(uint64_t b, uint32_t count) {
    uint64_t pending = ((b >> MB_PENDING) + count) & MB_COUNT;
    return (b & ~(MB_COUNT << MB_PENDING)) | pending << MB_PENDING;
}
static inline uint64_t mbarrier90_drop(uint64_t b) { /* one arrival less is expected from the next phase on */
    uint64_t expected = ((b >> MB_EXPECTED) + 1) & MB_COUNT;
    return (b & ~(MB_COUNT << MB_EXPECTED)) | expected << MB_EXPECTED;
}

#endif
