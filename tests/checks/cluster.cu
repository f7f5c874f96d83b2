// Thread block clusters: their barrier, and shared memory of other blocks. Code for sm_90 alone has them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ static unsigned window(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }
__device__ static unsigned of_rank(unsigned address, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

// run 8 64 silent
__global__ void __cluster_dims__(4, 1, 1) exchange(int *a, int *b, int n) {
    __shared__ int x[64];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    c.sync();
    int v = c.map_shared_rank(x, (c.block_rank() + 1) % 4)[63 - threadIdx.x];
    c.sync();
    x[63 - threadIdx.x] = v;
    c.sync();
    b[blockIdx.x * 64 + threadIdx.x] = x[threadIdx.x];
}

// run 8 64 race error
__global__ void __cluster_dims__(4, 1, 1) blocks_alone(int *a, int *b, int n) {
    __shared__ int x[64];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x]; // <-
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = c.map_shared_rank(x, c.block_rank() ^ 1)[threadIdx.x]; // <-
    c.sync();
}

// run 8 64 race error
__global__ void __cluster_dims__(2, 1, 1) written_too_soon(int *a, int *b, int n) {
    __shared__ int x[64];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    c.sync();
    int v = c.map_shared_rank(x, c.block_rank() ^ 1)[threadIdx.x]; // <-
    __syncthreads();
    x[threadIdx.x] = v + 1; // <-
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = x[63 - threadIdx.x];
    c.sync();
}

// The last block of a cluster may still read when the others have ended.
// run 8 64 race error
__global__ void __cluster_dims__(4, 1, 1) nobody_waits(int *a, int *b, int n) {
    __shared__ int x[64];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    c.sync();
    if (c.block_rank() < 3) return;
    for (int k = 0; k < 3; k++) b[blockIdx.x * 64 + threadIdx.x] += c.map_shared_rank(x, k)[threadIdx.x]; // <-
}

// run 8 64 out-of-bounds error
__global__ void __cluster_dims__(4, 1, 1) ended(int *a, int *b, int n) {
    __shared__ int x[64];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    c.sync();
    if (c.block_rank() > 0) return;
    for (int k = 1; k < 4; k++) b[blockIdx.x * 64 + threadIdx.x] += c.map_shared_rank(x, k)[threadIdx.x]; // <-
}

// run 8 64 silent
__global__ void __cluster_dims__(4, 1, 1) all_wait(int *a, int *b, int n) {
    __shared__ int x[64];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    c.sync();
    if (c.block_rank() == 3)
        for (int k = 0; k < 3; k++) b[blockIdx.x * 64 + threadIdx.x] += c.map_shared_rank(x, k)[threadIdx.x];
    c.sync();
}

// run 4 64 silent
__global__ void __cluster_dims__(2, 1, 1) between(int *a, int *b, int n) {
    __shared__ int x[64], y[64];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    c.barrier_arrive();
    y[threadIdx.x] = threadIdx.x; // each its own
    int own = y[threadIdx.x];
    c.barrier_wait();
    b[blockIdx.x * 64 + threadIdx.x] = own + c.map_shared_rank(x, c.block_rank() ^ 1)[threadIdx.x];
    c.sync();
}

// run 4 64 race error
__global__ void __cluster_dims__(2, 1, 1) behind_the_arrival(int *a, int *b, int n) {
    __shared__ int x[64];
    cg::cluster_group c = cg::this_cluster();
    c.barrier_arrive();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x]; // <-
    c.barrier_wait();
    b[blockIdx.x * 64 + threadIdx.x] = c.map_shared_rank(x, c.block_rank() ^ 1)[threadIdx.x]; // <-
    c.sync();
}

// run 4 64 race error
__global__ void __cluster_dims__(2, 1, 1) relaxed(int *a, int *b, int n) {
    __shared__ int x[64];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x]; // <-
    asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    b[blockIdx.x * 64 + threadIdx.x] = c.map_shared_rank(x, c.block_rank() ^ 1)[threadIdx.x]; // <-
    c.sync();
}

// run 8 64 silent
__global__ void __cluster_dims__(4, 1, 1) through_global(int *a, int *b, int n) {
    cg::cluster_group c = cg::this_cluster();
    for (int round = 0; round < 5; round++) {
        a[blockIdx.x * 64 + threadIdx.x] += round;
        c.sync();
        unsigned next = blockIdx.x / 4 * 4 + (c.block_rank() + 1) % 4;
        b[blockIdx.x * 64 + threadIdx.x] += a[next * 64 + threadIdx.x];
        c.sync();
    }
}

// run 8 64 race error
__global__ void __cluster_dims__(4, 1, 1) of_another_cluster(int *a, int *b, int n) {
    cg::cluster_group c = cg::this_cluster();
    a[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; // <-
    c.sync();
    b[blockIdx.x * 64 + threadIdx.x] = a[(blockIdx.x + 1) % gridDim.x * 64 + threadIdx.x]; // <-
}

// run 4 128 silent
__global__ void __cluster_dims__(2, 1, 1) bins(int *a, int *b, int n) {
    __shared__ int x[128];
    cg::cluster_group c = cg::this_cluster();
    x[threadIdx.x] = 0;
    c.sync();
    atomicAdd(c.map_shared_rank(x, threadIdx.x & 1) + threadIdx.x / 3, 1);
    c.sync();
    b[blockIdx.x * 128 + threadIdx.x] = x[127 - threadIdx.x];
}

// run 2 32 silent
__global__ void __cluster_dims__(2, 1, 1) mailbox(int *a, int *b, int n) {
    __shared__ alignas(8) unsigned long long full;
    __shared__ int letter[32];
    cg::cluster_group c = cg::this_cluster();
    const unsigned t = threadIdx.x, other = c.block_rank() ^ 1;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32; fence.mbarrier_init.release.cluster;" :: "r"(window(&full)) : "memory");
    c.sync();
    for (int round = 0; round < 3; round++) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(of_rank(window(letter), other) + 4 * t), "r"(t * 3 + round) : "memory");
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(of_rank(window(&full), other)) : "memory");
        asm volatile("{.reg .pred p; AGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @!p bra AGAIN;}"
                     :: "r"(window(&full)), "r"(round & 1) : "memory");
        b[blockIdx.x * 32 + t] += letter[31 - t];
        c.sync();
    }
}

// run 2 32 race error
__global__ void __cluster_dims__(2, 1, 1) unread_mailbox(int *a, int *b, int n) {
    __shared__ alignas(8) unsigned long long full;
    __shared__ int letter[32];
    cg::cluster_group c = cg::this_cluster();
    const unsigned t = threadIdx.x, other = c.block_rank() ^ 1;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32; fence.mbarrier_init.release.cluster;" :: "r"(window(&full)) : "memory");
    c.sync();
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(of_rank(window(letter), other) + 4 * t), "r"(t * 3) : "memory"); // <-
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(of_rank(window(&full), other)) : "memory");
    b[blockIdx.x * 32 + t] = letter[31 - t]; // <-
    c.sync();
}

// run 2 32 silent
__global__ void __cluster_dims__(2, 1, 1) flag(int *a, int *b, int n) {
    __shared__ int data, set;
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) data = set = 0;
    c.sync();
    if (threadIdx.x == 0 && c.block_rank() == 0) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(of_rank(window(&data), 1)), "r"(a[0]) : "memory");
        asm volatile("st.release.cluster.shared::cluster.u32 [%0], 1;" :: "r"(of_rank(window(&set), 1)) : "memory");
    }
    if (threadIdx.x == 0 && c.block_rank() == 1) {
        int seen;
        do asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(seen) : "r"(window(&set)) : "memory");
        while (!seen);
        b[0] = data;
    }
    c.sync();
}
