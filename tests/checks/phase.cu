/* Races around asynchronous barriers: cuda::barrier, cuda::pipeline, and mbarrier objects by PTX. Written as race.cu is. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

using barrier = cuda::barrier<cuda::thread_scope_block>;
using state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
typedef unsigned long long object;

__device__ static unsigned at(object *b) { return (unsigned)__cvta_generic_to_shared(b); }
__device__ static void begin(object *b, unsigned n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
__device__ static void arrive(object *b) {
    object token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at(b)) : "memory");
}
__device__ static void await(object *b, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
}
__device__ static void copy(int *to, const int *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
__device__ static void arrive_with_copies(object *b) { asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(b)) : "memory"); }

// run 1 64 race error
__global__ void bad_no_wait(int *a, int *b, int n) {
    __shared__ barrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = a[threadIdx.x]; // <-
    auto token = bar.arrive();
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
    bar.wait(std::move(token));
}
// run 1 64 silent
__global__ void good_no_wait(int *a, int *b, int n) {
    __shared__ barrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = a[threadIdx.x];
    auto token = bar.arrive();
    bar.wait(std::move(token));
    b[threadIdx.x] = s[63 - threadIdx.x];
}
// run 1 64 race error
__global__ void bad_arrives_before_write(int *a, int *b, int n) {
    __shared__ barrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    auto token = bar.arrive();
    s[threadIdx.x] = a[threadIdx.x]; // <-
    bar.wait(std::move(token));
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 silent
__global__ void good_arrives_before_write(int *a, int *b, int n) {
    __shared__ barrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = a[threadIdx.x];
    auto token = bar.arrive();
    bar.wait(std::move(token));
    b[threadIdx.x] = s[63 - threadIdx.x];
    b[64 + threadIdx.x] = threadIdx.x;
}
// run 1 64 race error
__global__ void bad_wrong_phase(int *a, int *b, int n) { /* of a new barrier, the phase before the first has ended */
    __shared__ object bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    if (threadIdx.x >= 32) {
        s[threadIdx.x] = a[threadIdx.x]; // <-
        arrive(&bar);
    } else {
        await(&bar, 1);
        b[threadIdx.x] = s[63 - threadIdx.x]; // <-
        arrive(&bar);
    }
}
// run 1 64 silent
__global__ void good_wrong_phase(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    if (threadIdx.x >= 32) {
        s[threadIdx.x] = a[threadIdx.x];
        arrive(&bar);
    } else {
        arrive(&bar);
        await(&bar, 0);
        b[threadIdx.x] = s[63 - threadIdx.x];
    }
}
// run 1 64 race error
__global__ void bad_phase_not_changed(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[2][64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x >= 32) {
            s[k][threadIdx.x] = a[threadIdx.x]; // <-
            arrive(&bar);
            if (k == 0) await(&bar, 0);
        } else {
            if (k == 0) arrive(&bar);
            await(&bar, 0);
            b[32 * k + threadIdx.x] = s[k][63 - threadIdx.x]; // <-
        }
    }
}
// run 1 64 silent
__global__ void good_phase_not_changed(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[2][64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x >= 32) {
            s[k][threadIdx.x] = a[threadIdx.x];
            arrive(&bar);
            if (k == 0) await(&bar, 0);
        } else {
            arrive(&bar);
            await(&bar, k & 1);
            b[32 * k + threadIdx.x] = s[k][63 - threadIdx.x];
        }
    }
}
// run 1 64 race error
__global__ void bad_other_barrier(int *a, int *b, int n) {
    __shared__ object bar[2];
    __shared__ int s[64];
    if (threadIdx.x < 2) begin(&bar[threadIdx.x], 64);
    __syncthreads();
    arrive(&bar[0]);
    s[threadIdx.x] = a[threadIdx.x]; // <-
    arrive(&bar[1]);
    await(&bar[0], 0);
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 silent
__global__ void good_other_barrier(int *a, int *b, int n) {
    __shared__ object bar[2];
    __shared__ int s[64];
    if (threadIdx.x < 2) begin(&bar[threadIdx.x], 64);
    __syncthreads();
    arrive(&bar[0]);
    s[threadIdx.x] = a[threadIdx.x];
    arrive(&bar[1]);
    await(&bar[1], 0);
    b[threadIdx.x] = s[63 - threadIdx.x];
}
// run 1 64 race error
__global__ void bad_not_initialised_for_all(int *a, int *b, int n) {
    __shared__ object bar;
    if (threadIdx.x == 0) begin(&bar, 64); // <-
    arrive(&bar); // <-
    await(&bar, 0); // <-
    b[threadIdx.x] = threadIdx.x;
}
// run 1 64 silent
__global__ void good_not_initialised_for_all(int *a, int *b, int n) {
    __shared__ object bar;
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    arrive(&bar);
    await(&bar, 0);
    b[threadIdx.x] = threadIdx.x;
}
// run 1 64 race error
__global__ void bad_copy_without_barrier(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    copy(&s[threadIdx.x], &a[threadIdx.x]); // <-
    arrive(&bar);
    await(&bar, 0);
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 silent
__global__ void good_copy_without_barrier(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    copy(&s[threadIdx.x], &a[threadIdx.x]);
    arrive_with_copies(&bar);
    await(&bar, 0);
    b[threadIdx.x] = s[63 - threadIdx.x];
}
// run 1 64 race error
__global__ void bad_copy_after_it_was_told(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[2][64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    copy(&s[0][threadIdx.x], &a[threadIdx.x]);
    arrive_with_copies(&bar);
    copy(&s[1][threadIdx.x], &a[threadIdx.x]); // <-
    await(&bar, 0);
    b[threadIdx.x] = s[0][63 - threadIdx.x];
    b[64 + threadIdx.x] = s[1][threadIdx.x]; // <-
}
// run 1 64 silent
__global__ void good_copy_after_it_was_told(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[2][64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    copy(&s[0][threadIdx.x], &a[threadIdx.x]);
    copy(&s[1][threadIdx.x], &a[threadIdx.x]);
    arrive_with_copies(&bar);
    await(&bar, 0);
    b[threadIdx.x] = s[0][63 - threadIdx.x];
    b[64 + threadIdx.x] = s[1][threadIdx.x];
}
// run 1 64 race error
__global__ void bad_write_is_no_copy(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) begin(&bar, 64);
    __syncthreads();
    s[threadIdx.x] = a[threadIdx.x]; // <-
    arrive_with_copies(&bar);
    await(&bar, 0);
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 silent
__global__ void good_write_is_no_copy(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) begin(&bar, 128);
    __syncthreads();
    s[threadIdx.x] = a[threadIdx.x];
    arrive_with_copies(&bar);
    arrive(&bar);
    await(&bar, 0);
    b[threadIdx.x] = s[63 - threadIdx.x];
}
// run 1 64 race error
__global__ void bad_one_lane_arrives(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[32];
    if (threadIdx.x == 0) begin(&bar, 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] = a[threadIdx.x]; // <-
        if (threadIdx.x == 0) arrive(&bar);
    } else {
        await(&bar, 0);
        b[threadIdx.x] = s[63 - threadIdx.x]; // <-
    }
}
// run 1 64 silent
__global__ void good_one_lane_arrives(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[32];
    if (threadIdx.x == 0) begin(&bar, 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] = a[threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0) arrive(&bar);
    } else {
        await(&bar, 0);
        b[threadIdx.x] = s[63 - threadIdx.x];
    }
}
// run 1 64 race error
__global__ void bad_one_lane_waits(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[32];
    if (threadIdx.x == 0) begin(&bar, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] = a[threadIdx.x]; // <-
        arrive(&bar);
    } else {
        if (threadIdx.x == 32) await(&bar, 0);
        b[threadIdx.x] = s[63 - threadIdx.x]; // <-
    }
}
// run 1 64 silent
__global__ void good_one_lane_waits(int *a, int *b, int n) {
    __shared__ object bar;
    __shared__ int s[32];
    if (threadIdx.x == 0) begin(&bar, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] = a[threadIdx.x];
        arrive(&bar);
    } else {
        if (threadIdx.x == 32) await(&bar, 0);
        __syncwarp();
        b[threadIdx.x] = s[63 - threadIdx.x];
    }
}
// run 1 64 race error
__global__ void bad_ring(int *a, int *b, int n) { /* one warp fills, the other one empties */
    __shared__ object full[2], empty[2];
    __shared__ int s[2][32];
    if (threadIdx.x < 2) begin(&full[threadIdx.x], 32), begin(&empty[threadIdx.x], 32);
    __syncthreads();
    for (int k = 0, lane = threadIdx.x & 31; k < 6; k++) {
        if (threadIdx.x < 32) {
            s[k & 1][lane] = a[32 * k + lane]; // <-
            arrive(&full[k & 1]);
        } else {
            await(&full[k & 1], k >> 1 & 1);
            b[32 * k + lane] = s[k & 1][31 - lane]; // <-
            arrive(&empty[k & 1]);
        }
    }
}
// run 1 64 silent
__global__ void good_ring(int *a, int *b, int n) {
    __shared__ object full[2], empty[2];
    __shared__ int s[2][32];
    if (threadIdx.x < 2) begin(&full[threadIdx.x], 32), begin(&empty[threadIdx.x], 32);
    __syncthreads();
    for (int k = 0, lane = threadIdx.x & 31; k < 6; k++) {
        if (threadIdx.x < 32) {
            await(&empty[k & 1], (k >> 1 & 1) ^ 1);
            s[k & 1][lane] = a[32 * k + lane];
            arrive(&full[k & 1]);
        } else {
            await(&full[k & 1], k >> 1 & 1);
            b[32 * k + lane] = s[k & 1][31 - lane];
            arrive(&empty[k & 1]);
        }
    }
}
// run 1 96 race error
__global__ void bad_chain(int *a, int *b, int n) { /* warp 0 before warp 1 before warp 2, through global memory */
    __shared__ object bar[2];
    if (threadIdx.x < 2) begin(&bar[threadIdx.x], 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        b[threadIdx.x] = a[threadIdx.x]; // <-
        arrive(&bar[0]);
    } else if (threadIdx.x < 64) {
        arrive(&bar[1]);
    } else {
        await(&bar[1], 0);
        b[threadIdx.x] = b[95 - threadIdx.x]; // <-
    }
}
// run 1 96 silent
__global__ void good_chain(int *a, int *b, int n) {
    __shared__ object bar[2];
    if (threadIdx.x < 2) begin(&bar[threadIdx.x], 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        b[threadIdx.x] = a[threadIdx.x];
        arrive(&bar[0]);
    } else if (threadIdx.x < 64) {
        await(&bar[0], 0);
        arrive(&bar[1]);
    } else {
        await(&bar[1], 0);
        b[threadIdx.x] = b[95 - threadIdx.x];
    }
}
// run 1 96 silent
__global__ void good_chain_by_named_barrier(int *a, int *b, int n) {
    __shared__ object bar;
    if (threadIdx.x == 0) begin(&bar, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        b[threadIdx.x] = a[threadIdx.x];
        arrive(&bar);
    } else if (threadIdx.x < 64) {
        await(&bar, 0);
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        b[threadIdx.x] = b[95 - threadIdx.x];
    }
}
// run 2 64 silent
__global__ void good_chain_by_flag(int *a, int *b, int n) { /* one warp of block 0, the other one, block 1 */
    __shared__ object bar;
    volatile int *flag = a + 4096;
    if (threadIdx.x == 0) begin(&bar, 32);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < 32) {
        b[threadIdx.x] = a[threadIdx.x];
        arrive(&bar);
    } else if (blockIdx.x == 0 && threadIdx.x == 32) {
        await(&bar, 0);
        __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (*flag == 0) {}
        __threadfence();
        b[100] = b[31];
    }
}
// run 1 64 race error
__global__ void bad_memcpy_async(int *a, int *b, int n) {
    __shared__ barrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4); // <-
    bar.arrive_and_wait();
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 silent
__global__ void good_memcpy_async(int *a, int *b, int n) {
    __shared__ barrier bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], &a[threadIdx.x], cuda::aligned_size_t<4>(4), bar);
    bar.arrive_and_wait();
    b[threadIdx.x] = s[63 - threadIdx.x];
}
// run 2 64 race error
__global__ void bad_pipeline_no_wait(int *a, int *b, int n) {
    __shared__ state st;
    __shared__ int s[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &st);
    for (int k = 0; k < 4; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[k & 1], a + 64 * k, 256, pipe); // <-
        pipe.producer_commit();
        b[64 * k + threadIdx.x] = s[k & 1][63 - threadIdx.x]; // <-
        pipe.consumer_wait();
        pipe.consumer_release();
    }
}
// run 1 64 silent
__global__ void good_pipeline_no_wait(int *a, int *b, int n) {
    __shared__ state st;
    __shared__ int s[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &st);
    for (int k = 0; k < 4; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[k & 1], a + 64 * k, 256, pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        b[64 * k + threadIdx.x] = s[k & 1][63 - threadIdx.x];
        pipe.consumer_release();
    }
}
// run 1 64 race error
__global__ void bad_pipeline_released_early(int *a, int *b, int n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> st;
    __shared__ int s[64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &st);
    for (int k = 0; k < 6; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s, a + 64 * k, 256, pipe); // <-
        pipe.producer_commit();
        pipe.consumer_wait();
        pipe.consumer_release();
        b[64 * k + threadIdx.x] = s[63 - threadIdx.x]; // <-
    }
}
// run 1 64 silent
__global__ void good_pipeline_released_early(int *a, int *b, int n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> st;
    __shared__ int s[64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &st);
    for (int k = 0; k < 6; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s, a + 64 * k, 256, pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        b[64 * k + threadIdx.x] = s[63 - threadIdx.x];
        pipe.consumer_release();
    }
}
// run 2 64 silent
__global__ void good_pipeline_two_stages(int *a, int *b, int n) {
    __shared__ state st;
    __shared__ int s[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &st);
    for (int fetch = 0, k = 0; k < 6; k++) {
        for (; fetch < 6 && fetch < k + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[fetch & 1], a + 64 * fetch, 256, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        b[64 * (6 * blockIdx.x + k) + threadIdx.x] = s[k & 1][63 - threadIdx.x];
        pipe.consumer_release();
    }
}
