// Sums of rows of a matrix with padding; the kernel is given the width in bytes, and leaves its buffer for the next one.
// expect out-of-bounds error
#include "check.h"
__global__ void row_sums(const float *m, size_t pitch, int w, int h, float *out) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= h) return;
    float sum = 0;
#ifdef RIGHT
    for (int c = 0; c < w; c++) sum += *(const float *)((const char *)m + r * pitch + c * sizeof(float));
#else
    for (int c = 0; c < w; c++) sum += m[r * pitch + c]; // <-
#endif
    out[r] = sum;
}
int main() {
    const int w = 60, h = 64;
    static float image[h * w], sums[h];
    for (float &v : image) v = 1;
    float *m;
    size_t pitch;
    CHECK(cudaMallocPitch(&m, &pitch, w * sizeof(float), h));
    CHECK(cudaMemset2D(m, pitch, 0, w * sizeof(float), h));
    CHECK(cudaMemcpy2D(m, pitch, image, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    float *out = device<float>(h), *other = device<float>(1 << 16);
    row_sums<<<1, 64>>>(m, pitch, w, h, out);
    CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    printf("%g\n", sums[0]);
    CHECK(cudaFree(m)); CHECK(cudaFree(out)); CHECK(cudaFree(other));
}
