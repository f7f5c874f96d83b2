/* Asynchronous barriers, through libcu++ and by PTX: nvcc -std=c++17 -cubin. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
extern "C" __global__ void b_rounds(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ int s[256];
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    int sum = 0;
    for (int r = 0; r < 3; r++) {
        s[threadIdx.x] = threadIdx.x * (r + 1);
        b.arrive_and_wait();
        sum += s[(threadIdx.x + 37) % blockDim.x];
        auto token = b.arrive();
        b.wait(std::move(token));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
/* Half of the threads leave after the first round. */
extern "C" __global__ void b_drop(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ int s[256];
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    s[threadIdx.x] = threadIdx.x * 3;
    b.arrive_and_wait();
    int sum = s[threadIdx.x ^ 64];
    if (threadIdx.x >= 128) {
        b.arrive_and_drop();
        out[threadIdx.x] = sum;
        return;
    }
    b.arrive_and_wait();
    s[threadIdx.x] = sum + 1;
    b.arrive_and_wait();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void b_pipeline(const int *in, int *out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int s[2][256];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0; i < 4; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[i & 1], in + i * 256, cuda::aligned_size_t<16>(1024), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        out[i * 256 + threadIdx.x] = s[i & 1][threadIdx.x ^ 3];
        pipe.consumer_release();
    }
}
/* cp.async tells the barrier when it has arrived. */
extern "C" __global__ void b_copies(const int *in, int *out) {
    __shared__ unsigned long long b[2];
    __shared__ int s[256];
    unsigned at = (unsigned)__cvta_generic_to_shared(b), to = (unsigned)__cvta_generic_to_shared(s + threadIdx.x), done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at + 8), "r"(blockDim.x));
    }
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at));
    unsigned long long token;
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at + 8));
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at + 8));
    while (!done) asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(at + 8), "l"(token));
    done = 0;
    while (!done) asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(at));
    out[threadIdx.x] = s[threadIdx.x ^ 9];
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void b_bytes(int *out) { /* bytes that a barrier expects, and that arrive */
    __shared__ unsigned long long b;
    unsigned at = (unsigned)__cvta_generic_to_shared(&b), before, after;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
    __syncthreads();
    unsigned long long token;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(at), "r"(threadIdx.x * 4));
    __syncthreads();
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(before) : "r"(at), "l"(token));
    __syncthreads();
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(threadIdx.x * 4));
    __syncthreads();
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(after) : "r"(at));
    out[threadIdx.x] = before * 2 + after;
}
#endif
