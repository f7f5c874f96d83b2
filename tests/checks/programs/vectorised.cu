// Four floats at a time from a pointer that is one element off.
// expect misaligned error
#include "check.h"
__global__ void scale4(float4 *p, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = p[i]; // <-
    v.x *= by, v.y *= by, v.z *= by, v.w *= by;
    p[i] = v; // <-
}
int main() {
    float *d = device<float>(1024);
#ifdef RIGHT
    scale4<<<2, 64>>>((float4 *)(d + 4), 128, 2);
#else
    scale4<<<2, 64>>>((float4 *)(d + 1), 128, 2);
#endif
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d);
}
