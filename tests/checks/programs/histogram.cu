// A block's own histogram in shared memory, added to the whole one.
// expect race error
#include "check.h"
__global__ void histogram(const unsigned char *text, int n, unsigned *bins) {
    __shared__ unsigned mine[64];
    if (threadIdx.x < 64) mine[threadIdx.x] = 0; // <-
#ifdef RIGHT
    __syncthreads();
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[text[i] & 63], 1u); // <-
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
int main() {
    static unsigned char text[5000];
    for (int i = 0; i < 5000; i++) text[i] = (unsigned char)(i * 7);
    unsigned char *d_text = device(5000, text);
    unsigned *d_bins = device<unsigned>(64), bins[64];
    histogram<<<4, 128>>>(d_text, 5000, d_bins);
    CHECK(cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost));
    printf("%u\n", bins[0]);
    CHECK(cudaFree(d_text));
    CHECK(cudaFree(d_bins));
}
