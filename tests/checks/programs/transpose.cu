// A transposition through shared memory whose grid leaves out the columns that do not fill a tile.
// expect out-of-bounds error
#include "check.h"
enum { T = 32 };
__global__ void transpose(float *out, const float *in, int w, int h) {
    __shared__ float tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    for (int j = 0; j < T; j += 8)
#ifdef RIGHT
        if (x < w && y + j < h)
#else
        if (x < w)
#endif
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x]; // <-
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x, y = blockIdx.x * T + threadIdx.y;
    for (int j = 0; j < T; j += 8)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
    const int w = 70, h = 50;
    static float m[w * h];
    for (int i = 0; i < w * h; i++) m[i] = (float)i;
    float *a = device(w * h, m), *b = device<float>(w * h);
    transpose<<<dim3((w + T - 1) / T, (h + T - 1) / T), dim3(T, 8)>>>(b, a, w, h);
    CHECK(cudaMemcpy(m, b, sizeof m, cudaMemcpyDeviceToHost));
    printf("%g\n", m[1]);
    CHECK(cudaFree(a)); CHECK(cudaFree(b));
}
