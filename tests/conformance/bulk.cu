/* Bulk copies (TMA) without a tensor map, and asynchronous barriers: what gpu_bulk.cu runs on a GPU and test_bulk.c here. */
#include "async.cuh"

enum { N = 8192 };

/* global -> shared, several copies on one barrier */
KERNEL g2s(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t soff, uint32_t goff, int copies) {
    __shared__ alignas(1024) uint8_t s[N];
    __shared__ uint64_t bar;
    __shared__ uint64_t seen[4];
    preset(s, N, 0xa5a5a5a5u);
    if (!threadIdx.x) bar_init(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) {
        expect(&bar, bytes * copies);
        proxy();
        for (int c = 0; c < copies; c++)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(window(s) + soff + c * bytes), "l"(in + goff + c * bytes), "r"(bytes), "r"(window(&bar)) : "memory");
        seen[0] = seen[1] = seen[2] = 0;
    }
    uint32_t ok = await(&bar, 0);
    if (!threadIdx.x) seen[3] = ok;
    __syncthreads();
    copy(out, s, N);
    copy(out + N, (uint8_t *)seen, 32);
}
KERNEL g2s_hint(const uint8_t *in, uint8_t *out, uint32_t bytes) {
    __shared__ alignas(128) uint8_t s[N];
    __shared__ uint64_t bar;
    preset(s, N, 0xa5a5a5a5u);
    if (!threadIdx.x) bar_init(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) {
        expect(&bar, bytes);
        proxy();
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(in), "r"(bytes), "l"(policy()) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(window(s)), "l"(in), "r"(bytes), "r"(window(&bar)), "l"(policy()) : "memory");
    }
    await(&bar, 0);
    __syncthreads();
    copy(out, s, N);
}
/* shared -> global */
KERNEL s2g(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t soff, uint32_t goff, int copies, int hint) {
    __shared__ alignas(128) uint8_t s[N];
    copy(s, in, N);
    proxy();
    __syncthreads();
    if (threadIdx.x) return;
    for (int c = 0; c < copies; c++) {
        if (hint) asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(out + goff + c * bytes), "r"(window(s) + soff + c * bytes), "r"(bytes), "l"(policy()) : "memory");
        else asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + goff + c * bytes), "r"(window(s) + soff + c * bytes), "r"(bytes) : "memory");
        commit();
    }
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 2;" ::: "memory");
    wait_all();
}
/* shared -> shared of the next block of the cluster, and a barrier there; 0: copied, else reduced */
KERNEL __cluster_dims__(2, 1, 1) s2s(const uint8_t *in, uint8_t *out, uint32_t bytes, int reduce) {
    __shared__ alignas(128) uint8_t s[N / 2], d[N / 2];
    __shared__ uint64_t bar;
    unsigned rank = my_rank();
    copy(s, in + rank * N / 2, N / 2);
    copy(d, in + 16384 + rank * N / 2, N / 2);
    if (!threadIdx.x) {
        bar_init(&bar, 1);
        expect(&bar, bytes);
    }
    proxy();
    cluster_sync();
    if (!threadIdx.x) {
        uint32_t to = at_rank(window(d), rank ^ 1), b = at_rank(window(&bar), rank ^ 1);
#define REDUCE(n, op)                                                                                                                        \
    case n: asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." op " [%0], [%1], %2, [%3];" ::"r"(to), \
                         "r"(window(s)), "r"(bytes), "r"(b) : "memory"); break;
        switch (reduce) {
        case 0: asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(window(s)), "r"(bytes), "r"(b) : "memory"); break;
        REDUCE(1, "add.u32") REDUCE(2, "add.s32") REDUCE(3, "add.u64") REDUCE(4, "inc.u32") REDUCE(5, "dec.u32") REDUCE(6, "min.u32") REDUCE(7, "max.u32")
        REDUCE(8, "min.s32") REDUCE(9, "max.s32") REDUCE(10, "and.b32") REDUCE(11, "or.b32") REDUCE(12, "xor.b32")
        }
    }
    uint32_t ok = await(&bar, 0);
    cluster_sync();
    copy(out + rank * N, d, N / 2);
    if (!threadIdx.x) ((uint32_t *)(out + 2 * N))[rank] = ok;
}
/* to several blocks of the cluster at once */
template <int BLOCKS> __device__ static void to_many(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t mask, uint32_t expected, int hint) {
    __shared__ alignas(128) uint8_t s[N];
    __shared__ uint64_t bar;
    unsigned rank = my_rank();
    preset(s, N, 0xa5a5a5a5u);
    if (!threadIdx.x) {
        bar_init(&bar, 1);
        expect(&bar, expected);
    }
    proxy();
    cluster_sync();
    if (!threadIdx.x && rank == 1) {
        if (hint) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1], %2, [%3], %4, %5;" ::"r"(window(s) + 256), "l"(in), "r"(bytes), "r"(window(&bar)), "h"((uint16_t)mask), "l"(policy()) : "memory");
        else asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(window(s) + 256), "l"(in), "r"(bytes), "r"(window(&bar)), "h"((uint16_t)mask) : "memory");
    }
    uint32_t ok = await(&bar, 0);
    __syncthreads();
    cluster_sync();
    copy(out + rank * N, s, N);
    if (!threadIdx.x) ((uint32_t *)(out + BLOCKS * N))[rank] = ok;
}
KERNEL __cluster_dims__(2, 1, 1) mcast2(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t mask, uint32_t expected, int hint) { to_many<2>(in, out, bytes, mask, expected, hint); }
KERNEL __cluster_dims__(4, 1, 1) mcast4(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t mask, uint32_t expected, int hint) { to_many<4>(in, out, bytes, mask, expected, hint); }

/* shared -> global, reduced */
KERNEL reduce(const uint8_t *in, uint8_t *out, uint32_t bytes, int op, int hint) {
    __shared__ alignas(128) uint8_t s[N];
    copy(s, in, N);
    proxy();
    __syncthreads();
    if (threadIdx.x) return;
#define TO_GLOBAL(n, op)                                                                                                                           \
    case n:                                                                                                                                       \
        if (hint) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint." op " [%0], [%1], %2, %3;" ::"l"(out), "r"(window(s)), \
                               "r"(bytes), "l"(policy()) : "memory");                                                                                \
        else asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%0], [%1], %2;" ::"l"(out), "r"(window(s)), "r"(bytes) : "memory"); \
        break;
    switch (op) {
    TO_GLOBAL(0, "add.u32") TO_GLOBAL(1, "add.s32") TO_GLOBAL(2, "add.u64") TO_GLOBAL(3, "add.noftz.f16") TO_GLOBAL(4, "add.noftz.bf16") TO_GLOBAL(5, "add.f32")
    TO_GLOBAL(6, "add.f64") TO_GLOBAL(7, "inc.u32") TO_GLOBAL(8, "dec.u32") TO_GLOBAL(9, "min.u32") TO_GLOBAL(10, "max.u32") TO_GLOBAL(11, "min.s32")
    TO_GLOBAL(12, "max.s32") TO_GLOBAL(13, "min.u64") TO_GLOBAL(14, "max.u64") TO_GLOBAL(15, "min.s64") TO_GLOBAL(16, "max.s64") TO_GLOBAL(17, "min.f16")
    TO_GLOBAL(18, "max.f16") TO_GLOBAL(19, "min.bf16") TO_GLOBAL(20, "max.bf16") TO_GLOBAL(21, "and.b32") TO_GLOBAL(22, "or.b32") TO_GLOBAL(23, "xor.b32")
    TO_GLOBAL(24, "and.b64") TO_GLOBAL(25, "or.b64") TO_GLOBAL(26, "xor.b64")
    }
    commit();
    wait_all();
}
/* which lane elect.sync names, of the lanes of a branch */
KERNEL elect(uint32_t *out, const uint32_t *masks) {
    for (int k = 0; k < 16; k++) {
        uint32_t mask = masks[k], lane = 99, mine = 0;
        if (mask >> threadIdx.x & 1) asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.b32 %1, 1, 0, p; }" : "=r"(lane), "=r"(mine) : "r"(mask));
        uint32_t who = __ballot_sync(0xffffffffu, mine), told = __shfl_sync(0xffffffffu, lane, __ffs(mask) - 1);
        if (!threadIdx.x) out[k * 4] = mask, out[k * 4 + 1] = who, out[k * 4 + 2] = told, out[k * 4 + 3] = 0;
    }
}
