/* Thread block clusters: nvcc -std=c++17 -cubin -arch=sm_90 -o cluster.sm_90.cubin cluster.cu */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ static unsigned window(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }
__device__ static unsigned of_rank(unsigned address, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

/* What a block knows of its cluster: 26 words a block. */
extern "C" __global__ void where(unsigned *out) {
    cg::cluster_group c = cg::this_cluster();
    unsigned *o = out + 26 * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
    dim3 index = c.block_index(), size = c.dim_blocks();
    if (threadIdx.x != 1) return;
    o[0] = c.block_rank(), o[1] = c.num_blocks(), o[2] = c.thread_rank(), o[3] = c.num_threads();
    o[4] = index.x, o[5] = index.y, o[6] = index.z, o[7] = size.x, o[8] = size.y, o[9] = size.z;
#define SPECIAL(k, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(o[k]))
    SPECIAL(10, "clusterid.x"); SPECIAL(11, "clusterid.y"); SPECIAL(12, "clusterid.z");
    SPECIAL(13, "nclusterid.x"); SPECIAL(14, "nclusterid.y"); SPECIAL(15, "nclusterid.z");
    SPECIAL(16, "cluster_ctaid.x"); SPECIAL(17, "cluster_ctaid.y"); SPECIAL(18, "cluster_ctaid.z");
    SPECIAL(19, "cluster_nctaid.x"); SPECIAL(20, "cluster_nctaid.y"); SPECIAL(21, "cluster_nctaid.z");
    SPECIAL(22, "cluster_ctarank"); SPECIAL(23, "cluster_nctarank");
    asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(o[24]));
    o[25] = blockIdx.x;
}

/* A histogram whose bins lie in the shared memory of all blocks of a cluster. */
extern "C" __global__ void histogram(int *bins, const int *in, int n, int bins_a_block) {
    extern __shared__ int own[];
    cg::cluster_group c = cg::this_cluster();
    for (int i = threadIdx.x; i < bins_a_block; i += blockDim.x) own[i] = 0;
    c.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(c.map_shared_rank(own, in[i] / bins_a_block) + in[i] % bins_a_block, 1);
    c.sync();
    for (int i = threadIdx.x; i < bins_a_block; i += blockDim.x) atomicAdd(&bins[c.block_rank() * bins_a_block + i], own[i]);
}

/* Each block reads, writes and counts in the next one's, by generic addresses and by those of the window; 5 words a thread. */
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(unsigned *out) {
    __shared__ unsigned x[64], y[64], n[2];
    cg::cluster_group c = cg::this_cluster();
    const unsigned t = threadIdx.x, next = (c.block_rank() + 1) % 4;
    unsigned *o = out + 5 * (blockIdx.x * 64 + t), old;
    x[t] = t + 100 * c.block_rank();
    if (t < 2) n[t] = 0;
    c.barrier_arrive();
    const unsigned *there = c.map_shared_rank(x, next);
    c.barrier_wait();
    o[0] = there[63 - t];
    o[1] = c.query_shared_rank(there);
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(of_rank(window(y), next) + 4 * t), "r"(7 * t + c.block_rank()) : "memory");
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(old) : "r"(of_rank(window(n), next)) : "memory");
    asm volatile("red.shared::cluster.max.u32 [%0], %1;" :: "r"(of_rank(window(n), next) + 4), "r"(t) : "memory");
    c.sync();
    o[2] = y[t];
    o[3] = n[0] * 1000 + n[1];
    asm volatile("{.reg .pred p, q; isspacep.shared::cluster p, %1; isspacep.shared::cta q, %1; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2;}"
                 : "=r"(o[4]) : "l"(t & 1 ? there : x));
}

/* Barriers in shared memory at which threads of the other block arrive, twice. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) mailbox(int *out) {
    __shared__ alignas(8) unsigned long long full;
    __shared__ int letter[32];
    cg::cluster_group c = cg::this_cluster();
    const unsigned t = threadIdx.x, other = c.block_rank() ^ 1;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32; fence.mbarrier_init.release.cluster;" :: "r"(window(&full)) : "memory");
    c.sync();
    for (int round = 0; round < 2; round++) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(of_rank(window(letter), other) + 4 * t), "r"(t * 3 + other + 1000 * round) : "memory");
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(of_rank(window(&full), other)) : "memory");
        asm volatile("{.reg .pred p; AGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @!p bra AGAIN;}"
                     :: "r"(window(&full)), "r"(round) : "memory");
        out[64 * round + blockIdx.x * 32 + t] = letter[31 - t];
        c.sync();
    }
}

/* Stores and reductions that tell a barrier of the other block of their bytes: 64 words, then the barrier's parity before and after. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) told(unsigned *out) {
    __shared__ alignas(8) unsigned long long bar;
    __shared__ alignas(16) unsigned d[64];
    cg::cluster_group c = cg::this_cluster();
    const unsigned t = threadIdx.x, other = c.block_rank() ^ 1, to = of_rank(window(d), other), at = of_rank(window(&bar), other);
    d[t] = 0x100 + t;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(window(&bar)) : "memory");
    c.sync();
    if (c.block_rank() == 0 && t == 0) {
#define STORE(type, value, ...) asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" type " [%0], " value ", [%1];" :: "r"(to + __VA_ARGS__)
        STORE(".u32", "%2", 0), "r"(at), "r"(0xabcd0001) : "memory");
        STORE(".v2.u32", "{%2, %3}", 8), "r"(at), "r"(2), "r"(3) : "memory");
        STORE(".v4.u32", "{%2, %3, %4, %5}", 16), "r"(at), "r"(4), "r"(5), "r"(6), "r"(7) : "memory");
        STORE(".u64", "%2", 32), "r"(at), "l"(0x123456789abcdefull) : "memory");
        STORE(".v2.u64", "{%2, %3}", 48), "r"(at), "l"(0x11ull), "l"(0x22ull) : "memory");
#define REDUCE(op, place, kind, value) \
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes" op " [%0], %1, [%2];" :: "r"(to + place), kind(value), "r"(at) : "memory")
        REDUCE(".add.u32", 64, "r", 5u); REDUCE(".add.s32", 68, "r", -7); REDUCE(".min.u32", 72, "r", 3u); REDUCE(".min.s32", 76, "r", -3);
        REDUCE(".max.u32", 80, "r", 0xffff0000u); REDUCE(".max.s32", 84, "r", -9); REDUCE(".inc.u32", 88, "r", 0x200u); REDUCE(".dec.u32", 92, "r", 0x50u);
        REDUCE(".and.b32", 96, "r", 0xffu); REDUCE(".or.b32", 100, "r", 0xff00u); REDUCE(".xor.b32", 104, "r", 0xffffu); REDUCE(".add.u64", 112, "l", ~0ull);
    }
    if (c.block_rank() == 1) {
        if (t == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(window(&bar)), "r"(104) : "memory");
        asm volatile("{.reg .pred p; AGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0, 1000; @!p bra AGAIN;}" :: "r"(window(&bar)) : "memory");
        out[t] = d[t];
        if (t < 2) asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(out[64 + t]) : "r"(window(&bar)), "r"(t));
    }
    c.sync();
}

/* The barrier of a cluster of one block, or of none. */
extern "C" __global__ void alone(int *out) {
    __shared__ int x[256];
    x[threadIdx.x] = threadIdx.x;
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    out[threadIdx.x] = x[255 - threadIdx.x];
}

/* Atomics of a block's own shared memory, whose result nobody wants. */
extern "C" __global__ void __cluster_dims__(4, 1, 1) own_counts(int *out) {
    __shared__ int n[4];
    if (threadIdx.x < 4) n[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&n[threadIdx.x & 3], 1 + (int)cg::this_cluster().block_rank());
    __syncthreads();
    if (threadIdx.x < 4) out[blockIdx.x * 4 + threadIdx.x] = n[threadIdx.x];
}

/* Threads that end count as arrived. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) early(int *out) {
    __shared__ int x;
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) x = 5 + c.block_rank();
    if (threadIdx.x >= 32 + 16 * c.block_rank()) return;
    c.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = *c.map_shared_rank(&x, c.block_rank() ^ 1);
    c.sync();
}

/* --- what goes wrong ------------------------------------------------------------------------------------- */

extern "C" __global__ void __cluster_dims__(2, 1, 1) too_late(int *out) {
    __shared__ int x;
    cg::cluster_group c = cg::this_cluster();
    x = 1;
    c.sync();
    if (c.block_rank() == 0) out[0] = *c.map_shared_rank(&x, 1); /* which came last to the barrier, went on at once and has ended */
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) no_such_block(int *out) {
    __shared__ int x;
    x = 1;
    cg::this_cluster().sync();
    if (threadIdx.x == 3) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(out[0]) : "r"(of_rank(window(&x), 2)) : "memory");
    cg::this_cluster().sync();
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) beyond(int *out) {
    __shared__ int x[8];
    x[0] = 1;
    cg::cluster_group c = cg::this_cluster();
    c.sync();
    c.map_shared_rank(x, c.block_rank() ^ 1)[8 + threadIdx.x] = 1;
    c.sync();
    out[0] = x[0];
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) one_waits(int *out) {
    if (cg::this_cluster().block_rank() == 1) asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    __syncthreads();
    if (cg::this_cluster().block_rank() == 0 && threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    out[0] = 1;
}

/* A frame that is larger than the limit of stacks need be. */
extern "C" __global__ void framed(int *out) {
    volatile int words[1000];
    for (int i = 0; i < 1000; i++) words[i] = i + threadIdx.x;
    out[threadIdx.x] = words[threadIdx.x];
}
