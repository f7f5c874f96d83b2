// Partial sums are added to memory that nobody set to zero.
// expect uninitialised any
#include "check.h"
__global__ void count(const int *in, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] % 8], 1); // <-
}
int main() {
    static int in[500];
    for (int i = 0; i < 500; i++) in[i] = i;
    int *d = device(500, in), *bins, host[8];
    CHECK(cudaMalloc(&bins, sizeof host));
#ifdef RIGHT
    CHECK(cudaMemset(bins, 0, sizeof host));
#endif
    count<<<4, 128>>>(d, bins, 500);
    CHECK(cudaMemcpy(host, bins, sizeof host, cudaMemcpyDeviceToHost)); // <-
    printf("%d\n", host[0]);
    CHECK(cudaFree(d)); CHECK(cudaFree(bins));
}
