/* PTX of asynchronous barriers, clusters and bulk copies, for the kernels of bulk.cu and tma.cu. */
#ifndef WG_TESTS_CONFORMANCE_ASYNC_CUH
#define WG_TESTS_CONFORMANCE_ASYNC_CUH

#include <stdint.h>

#define KERNEL extern "C" __global__ void
__device__ static uint32_t window(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ static void bar_init(uint64_t *b, unsigned n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(b)), "r"(n) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ static void expect(uint64_t *b, uint32_t n) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(window(b)), "r"(n) : "memory");
}
__device__ static bool try_wait(uint64_t *b, uint32_t parity) {
    uint32_t ok;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(ok) : "r"(window(b)), "r"(parity) : "memory");
    return ok;
}
/* Bounded: that bytes do not come is a result, too. */
__device__ static uint32_t await(uint64_t *b, uint32_t parity) {
    for (int n = 0; n < 2000; n++)
        if (try_wait(b, parity)) return 1;
    return 0;
}
__device__ static void proxy() { asm volatile("fence.proxy.async;" ::: "memory"); }
__device__ static void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ static void wait_all() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ static uint32_t at_rank(uint32_t a, uint32_t rank) {
    uint32_t r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    return r;
}
__device__ static uint32_t my_rank() {
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ static void cluster_sync() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
__device__ static uint64_t policy() {
    uint64_t p;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(p));
    return p;
}
__device__ static void preset(uint8_t *s, unsigned n, uint32_t v) {
    for (unsigned i = threadIdx.x; i < n / 4; i += blockDim.x) ((uint32_t *)s)[i] = v;
}
__device__ static void copy(uint8_t *to, const uint8_t *from, unsigned n) {
    for (unsigned i = threadIdx.x; i < n / 4; i += blockDim.x) ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
}

#endif
