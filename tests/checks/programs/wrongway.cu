// The result is copied in the direction of the input.
// expect api-error error
#include "check.h"
__global__ void square(float *p) { p[threadIdx.x] *= p[threadIdx.x]; }
int main() {
    float h[32] = {3};
    float *d = device(32, h);
    square<<<1, 32>>>(d);
#ifdef RIGHT
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
#else
    cudaMemcpy(h, d, sizeof h, cudaMemcpyHostToDevice); // <-
#endif
    printf("%g\n", h[0]);
    CHECK(cudaFree(d));
}
