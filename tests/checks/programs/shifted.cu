// Each element less the one that came SHIFT before it, for all that have one; two arrays were allocated one after the other.
// Right: a pointer that is moved back before it is handed over points into the other array, and is used where it is home again. Wrong:
// the other array's own pointer is run off until it meets this one.
// expect out-of-bounds error
#include "check.h"

enum { N = 1 << 20, SHIFT = 1 << 19, GAP = 1 << 18 };

__global__ void difference(float *out, const float *in, const float *earlier, int ahead) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= SHIFT && i < N) out[i] = in[i] - earlier[i + ahead]; // <-
}

int main(void) {
    float *other, *in, *out;
    CHECK(cudaMalloc(&other, N * sizeof *other));
    CHECK(cudaMalloc(&in, N * sizeof *in));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMemset(other, 0, N * sizeof *other));
    CHECK(cudaMemset(in, 0, N * sizeof *in));
#ifdef RIGHT
    difference<<<N / 256, 256>>>(out, in, in - SHIFT, 0);
#else
    difference<<<N / 256, 256>>>(out, in, other, N + GAP - SHIFT);
#endif
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(other));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
