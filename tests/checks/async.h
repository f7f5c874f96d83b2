// PTX of asynchronous barriers, bulk copies and warp group matrices, for the kernels of this folder.
#ifndef WG_TEST_CHECKS_ASYNC_H
#define WG_TEST_CHECKS_ASYNC_H

#include <stdint.h>

__device__ static unsigned window(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }

// --- asynchronous barriers
__device__ static void begin(uint64_t *bar, unsigned n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(bar)), "r"(n) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ static void expect(uint64_t *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(bar)), "r"(bytes) : "memory");
}
__device__ static void arrive(uint64_t *bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(window(bar)) : "memory"); }
__device__ static void await(uint64_t *bar, unsigned parity) {
    unsigned done;
    do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(window(bar)), "r"(parity) : "memory");
    while (!done);
}

// --- bulk copies
__device__ static void load(void *to, const void *from, unsigned bytes, uint64_t *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(window(to)), "l"(from), "r"(bytes), "r"(window(bar)) : "memory");
}
__device__ static void load_for_all(void *to, const void *from, unsigned bytes, uint64_t *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(window(to)), "l"(from), "r"(bytes), "r"(window(bar)), "h"((uint16_t)15) : "memory");
}
__device__ static void store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(window(from)), "r"(bytes) : "memory");
}
__device__ static void add(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(to), "r"(window(from)), "r"(bytes) : "memory");
}
__device__ static unsigned of_rank(unsigned address, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ static void send(void *to, const void *from, unsigned bytes, uint64_t *bar, unsigned rank) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(of_rank(window(to), rank)), "r"(window(from)), "r"(bytes), "r"(of_rank(window(bar), rank)) : "memory");
}
__device__ static void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ static void wait_group() { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory"); }
template <int N> __device__ static void wait_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }
__device__ static void publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// --- matrices: 64 rows of A and 8 columns of B, 16 deep, halves, both in shared memory without a swizzle
enum { A_BYTES = 64 * 16 * 2, B_BYTES = 8 * 16 * 2 };
__device__ static uint64_t described(const void *s, unsigned leading, unsigned stride) {
    return (uint64_t)(window(s) >> 4 & 0x3fff) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32;
}
__device__ static void begin_matrices() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ static void multiply(float *d, const void *a, const void *b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(described(a, 128, 256)), "l"(described(b, 128, 256)) : "memory");
}
__device__ static void close_matrices() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ static void wait_matrices() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
__device__ static void end_matrices() { close_matrices(), wait_matrices<0>(); }

#endif
