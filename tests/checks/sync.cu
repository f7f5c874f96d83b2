// Kernels whose threads are ordered by other things than __syncthreads, and such that are not.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
extern "C" {
// run 4 64 silent
__global__ void good_half_counter(int *a, int *b, int n) {
    atomicAdd((__half *)b + (threadIdx.x & 3), __float2half(1.0f));
}
// run 4 64 silent
__global__ void good_bfloat_counter(int *a, int *b, int n) {
    atomicAdd((__nv_bfloat16 *)b + (threadIdx.x & 3), __float2bfloat16(1.0f));
}
// run 4 64 race error
__global__ void bad_half_counter(int *a, int *b, int n) {
    __half *h = (__half *)b; // <-
    h[threadIdx.x & 3] = __hadd(h[threadIdx.x & 3], __float2half(1.0f)); // <-
}
// run 1 64 silent
__global__ void good_producer_consumer(int *a, int *b, int n) {
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = a[threadIdx.x];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        b[threadIdx.x] = s[63 - threadIdx.x];
    }
}
// run 1 64 race error
__global__ void bad_producer_goes_on(int *a, int *b, int n) {
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = a[threadIdx.x];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[threadIdx.x] = a[threadIdx.x + 32]; // <-
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        b[threadIdx.x] = s[63 - threadIdx.x]; // <-
    }
}
// run 2 32 silent
__global__ void good_atomic_flag(int *a, int *b, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(a[100]);
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        b[0] = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        b[1] = b[0];
    }
}
// run 2 32 race error
__global__ void bad_atomic_flag_relaxed(int *a, int *b, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(a[100]);
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        b[0] = 42; // <-
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        while (flag.load(cuda::memory_order_relaxed) == 0) {}
        b[1] = b[0]; // <-
    }
}
// run 1 64 silent
__global__ void good_block_flag(int *a, int *b, int n) {
    __shared__ int s, flag_;
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(flag_);
    if (threadIdx.x == 0) flag_ = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        s = a[0];
        flag.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        b[0] = s;
    }
}
// run 4 64 silent
__global__ void good_atomic_ref_counter(int *a, int *b, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(b[0]).fetch_add(1, cuda::memory_order_relaxed);
}
// run 1 64 silent
__global__ void good_tile(int *a, int *b, int n) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[threadIdx.x] = a[threadIdx.x];
    tile.sync();
    b[threadIdx.x] = s[threadIdx.x ^ 15];
}
// run 1 64 silent
__global__ void good_memcpy_async(int *a, int *b, int n) {
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, a, sizeof s);
    cg::wait(block);
    b[threadIdx.x] = s[63 - threadIdx.x];
}

// run 1 64 race error
__global__ void bad_memcpy_async(int *a, int *b, int n) {
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, a, sizeof s); // <-
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
    cg::wait(block);
}
// run 1 64 race error
__global__ void bad_block_flag_plain(int *a, int *b, int n) {
    __shared__ int s, flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        s = a[0]; // <-
        flag = 1; // <-
    } else if (threadIdx.x == 32) {
        if (flag) b[0] = s; // <-
    }
}
}
