// The usual first kernel; the grid is rounded down.
// expect coverage warning
#include "check.h"
__global__ void saxpy(int n, float a, const float *x, float *y, float *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + y[i]; // <-
}
int main() {
    const int n = 1000;
    static float h[n];
    for (int i = 0; i < n; i++) h[i] = (float)i;
    float *x = device(n, h), *y = device(n, h), *z;
    CHECK(cudaMalloc(&z, n * sizeof *z));
#ifdef RIGHT
    int blocks = (n + 127) / 128;
#else
    int blocks = n / 128;
#endif
    saxpy<<<blocks, 128>>>(n, 2, x, y, z);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, z, sizeof h, cudaMemcpyDeviceToHost));
    printf("%g\n", h[n - 1]);
    CHECK(cudaFree(x)); CHECK(cudaFree(y)); CHECK(cudaFree(z));
}
