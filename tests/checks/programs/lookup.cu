// A table of constants that is indexed by the data; one value of the data has no entry.
// expect out-of-bounds error
#include "check.h"
__constant__ float weights[16];
__global__ void weigh(const unsigned char *kind, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = weights[kind[i]]; // <-
}
int main() {
    const int n = 256;
    static unsigned char kind[n];
    float w[16], out[n];
#ifdef RIGHT
    for (int i = 0; i < n; i++) kind[i] = i % 16;
#else
    for (int i = 0; i < n; i++) kind[i] = i % 17;
#endif
    for (int i = 0; i < 16; i++) w[i] = 1.0f / (i + 1);
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    unsigned char *d = device(n, kind);
    float *o = device<float>(n);
    weigh<<<2, 128>>>(d, o, n);
    CHECK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    printf("%g\n", out[16]);
    CHECK(cudaFree(d)); CHECK(cudaFree(o));
}
