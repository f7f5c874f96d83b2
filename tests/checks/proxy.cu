// Threads store to shared memory, bulk copies (TMA) and wgmma read it: a fence.proxy.async must lie between. Code for sm_90a.
#include <cooperative_groups.h>

#include "async.h"
namespace cg = cooperative_groups;
enum { BYTES = 256, WORDS = BYTES / 4 };

// run 4 64 silent
__global__ void fenced(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    publish();
    __syncthreads();
    if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>();
}
// run 4 64 proxy-fence warning
__global__ void not_fenced(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x]; // <-
    __syncthreads();
    if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>(); // <-
}

// Between the two, wherever that is.
// run 4 64 silent
__global__ void fenced_by_who_copies(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (!threadIdx.x) publish(), store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>();
}
// run 4 64 proxy-fence warning
__global__ void fenced_before_the_store(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    publish();
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x]; // <-
    __syncthreads();
    if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>(); // <-
}

// The fence of warp 1 comes behind the barrier: nothing says that it comes before the copy.
// run 4 64 proxy-fence warning
__global__ void fenced_by_another_warp(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x]; // <-
    __syncthreads();
    if (threadIdx.x >= 32) publish();
    if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>(); // <-
}
// run 4 64 silent
__global__ void fenced_by_another_warp_in_time(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 32) publish();
    __syncthreads();
    if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>();
}

// run 4 32 silent
__global__ void a_thread_for_itself_fenced(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    if (threadIdx.x) return;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < WORDS; k++) s[k] = a[k] + i;
        publish();
        store(b + (blockIdx.x * 4 + i) * WORDS, s, BYTES), commit(), wait_read<0>();
    }
    wait_group<0>();
}
// Only the first time.
// run 4 32 proxy-fence warning
__global__ void a_thread_for_itself(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    if (threadIdx.x) return;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < WORDS; k++) s[k] = a[k] + i; // <-
        if (!i) publish();
        store(b + (blockIdx.x * 4 + i) * WORDS, s, BYTES), commit(), wait_read<0>(); // <-
    }
    wait_group<0>();
}

// Handed over by an asynchronous barrier.
// run 2 96 silent
__global__ void handed_over_fenced(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t full;
    if (!threadIdx.x) begin(&full, 64);
    __syncthreads();
    if (threadIdx.x >= 32) {
        s[threadIdx.x - 32] = a[threadIdx.x];
        publish();
        arrive(&full);
    } else if (!threadIdx.x) {
        await(&full, 0);
        store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>();
    }
}
// run 2 96 proxy-fence warning
__global__ void handed_over(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t full;
    if (!threadIdx.x) begin(&full, 64);
    __syncthreads();
    if (threadIdx.x >= 32) {
        s[threadIdx.x - 32] = a[threadIdx.x]; // <-
        arrive(&full);
    } else if (!threadIdx.x) {
        await(&full, 0);
        store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>(); // <-
    }
}

// run 2 96 silent
__global__ void by_a_named_barrier_fenced(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    if (threadIdx.x >= 32) {
        s[threadIdx.x - 32] = a[threadIdx.x];
        publish();
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>();
    }
}
// run 2 96 proxy-fence warning
__global__ void by_a_named_barrier(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    if (threadIdx.x >= 32) {
        s[threadIdx.x - 32] = a[threadIdx.x]; // <-
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>(); // <-
    }
}

// From copy to copy there is no thread's store.
// run 4 64 silent
__global__ void passed_on(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    s[threadIdx.x] = 0;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) {
        expect(&bar, BYTES), load(s, a, BYTES, &bar), await(&bar, 0);
        store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>();
    }
}
// run 4 64 proxy-fence warning
__global__ void passed_on_with_one_changed(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) {
        expect(&bar, BYTES), load(s, a, BYTES, &bar), await(&bar, 0);
        s[7] = n; // <-
        store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>(); // <-
    }
}

// A histogram that is added to the one of all blocks.
// run 4 64 silent
__global__ void added_fenced(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[a[threadIdx.x] & 63], 1);
    publish();
    __syncthreads();
    if (!threadIdx.x) add(b, s, BYTES), commit(), wait_group<0>();
}
// run 4 64 proxy-fence warning
__global__ void added(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = 0; // <-
    __syncthreads();
    atomicAdd(&s[a[threadIdx.x] & 63], 1); // <-
    __syncthreads();
    if (!threadIdx.x) add(b, s, BYTES), commit(), wait_group<0>(); // <-
}

// Whether cp.async needs a fence is not known: nothing is told.
// run 1 64 silent
__global__ void copied(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(window(&s[threadIdx.x])), "l"(a + threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (!threadIdx.x) store(b, s, BYTES), commit(), wait_group<0>();
}

// --- matrices

// run 2 128 silent
__global__ void multiplied_fenced(int *a, int *b, int n) {
    __shared__ alignas(128) int x[A_BYTES / 4], y[B_BYTES / 4];
    float d[4] = {};
    for (int k = threadIdx.x; k < A_BYTES / 4; k += 128) x[k] = a[k];
    for (int k = threadIdx.x; k < B_BYTES / 4; k += 128) y[k] = a[k];
    publish();
    __syncthreads();
    begin_matrices(), multiply(d, x, y), end_matrices();
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}
// run 2 128 proxy-fence warning
__global__ void multiplied(int *a, int *b, int n) {
    __shared__ alignas(128) int x[A_BYTES / 4], y[B_BYTES / 4];
    float d[4] = {};
    for (int k = threadIdx.x; k < A_BYTES / 4; k += 128) x[k] = a[k]; // <-
    for (int k = threadIdx.x; k < B_BYTES / 4; k += 128) y[k] = a[k]; // <-
    __syncthreads();
    begin_matrices(), multiply(d, x, y), end_matrices(); // <-
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]); // <-
}

// What comes by a bulk copy needs no fence.
// run 2 128 silent
__global__ void multiplied_as_it_came(int *a, int *b, int n) {
    __shared__ alignas(128) int x[A_BYTES / 4], y[B_BYTES / 4];
    __shared__ uint64_t full;
    float d[4] = {};
    if (!threadIdx.x) begin(&full, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&full, A_BYTES + B_BYTES), load(x, a, A_BYTES, &full), load(y, a, B_BYTES, &full);
    await(&full, 0);
    begin_matrices(), multiply(d, x, y), end_matrices();
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}

// --- clusters

// run 4 64 silent
__global__ void __cluster_dims__(2, 1, 1) sent_fenced(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS], got[WORDS];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    publish();
    if (!threadIdx.x) begin(&bar, 1), expect(&bar, BYTES);
    c.sync();
    if (!threadIdx.x) send(got, s, BYTES, &bar, c.block_rank() ^ 1);
    await(&bar, 0);
    b[blockIdx.x * 64 + threadIdx.x] = got[63 - threadIdx.x];
    c.sync();
}
// run 4 64 proxy-fence warning
__global__ void __cluster_dims__(2, 1, 1) sent(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS], got[WORDS];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    if (!threadIdx.x) begin(&bar, 1), expect(&bar, BYTES); // has a fence of its own
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x]; // <-
    c.sync();
    if (!threadIdx.x) send(got, s, BYTES, &bar, c.block_rank() ^ 1); // <-
    await(&bar, 0);
    b[blockIdx.x * 64 + threadIdx.x] = got[63 - threadIdx.x];
    c.sync();
}

// Another block's copy has replaced what the threads had stored.
// run 8 64 silent
__global__ void __cluster_dims__(4, 1, 1) replaced_by_another_block(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = 0;
    if (!threadIdx.x) begin(&bar, 1), expect(&bar, BYTES);
    c.sync();
    if (!threadIdx.x && c.block_rank() == 2) load_for_all(s, a, BYTES, &bar);
    await(&bar, 0);
    if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>();
    c.sync();
}
