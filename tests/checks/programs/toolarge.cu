// A block of 2048 threads, and nobody asks whether it was launched.
// expect api-error error
#include "check.h"
__global__ void ones(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1;
}
int main() {
    const int n = 4096;
    static int h[n];
    int *d = device<int>(n);
#ifdef RIGHT
    ones<<<n / 512, 512>>>(d, n);
#else
    ones<<<n / 2048, 2048>>>(d, n); // <-
#endif
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[7]);
    CHECK(cudaFree(d));
}
