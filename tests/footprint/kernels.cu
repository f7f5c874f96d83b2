// The kernels of the test of memory use. kernels_sm80.cubin is made of it:
//   nvcc -cubin -O3 -arch=sm_80 kernels.cu -o kernels_sm80.cubin
#include <cstdint>

/* One element of each `step`, every thread somewhere else: as unkind to counts of reads as can be. n: a power of two. */
template <typename T> static __device__ void scattered(const T *in, uint64_t n, uint64_t step, unsigned *out) {
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, threads = (uint64_t)gridDim.x * blockDim.x;
    unsigned sum = 0;
    for (; i < n; i += threads) sum += in[(i * 0x9e3779b1u & (n - 1)) * step];
    if (sum == 12345) *out = sum;
}
extern "C" __global__ void words(const uint32_t *in, uint64_t n, uint64_t step, unsigned *out) { scattered(in, n, step, out); }
extern "C" __global__ void bytes(const uint8_t *in, uint64_t n, uint64_t step, unsigned *out) { scattered(in, n, step, out); }

/* Changes words in place, rows of a warp in an order that shows nothing: pages have to be kept, and runs do not go on. */
extern "C" __global__ void change(uint32_t *v, uint64_t n, uint64_t step) {
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, row = i / 32 * 0x9e3779b1u & (n / 32 - 1);
    if (i < n) v[row * 32 * step + i % 32] += 1;
}

/* Bytes that many blocks read and write, each in another row of memory: as unkind to what remembers accesses as can be. The
 * fence makes it remember more than two readers. n: a power of two. */
extern "C" __global__ void meet(uint8_t *v, uint64_t n, uint64_t step, unsigned *out) {
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, threads = (uint64_t)gridDim.x * blockDim.x;
    unsigned sum = 0;
    for (; i < n; i += threads) {
        uint64_t at = (i * 0x9e3779b1u & (n - 1)) * step;
        sum += v[at + 1];
        __threadfence();
        v[at] = (uint8_t)sum;
    }
    if (sum == 12345) *out = sum;
}
