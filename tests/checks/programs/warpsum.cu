// Sums of rows, a warp a row; lanes that have no element left return before the shuffle.
// expect shuffle-lane error
#include "check.h"
__global__ void rows(const float *in, float *out, int cols) {
    int lane = threadIdx.x % 32, row = threadIdx.x / 32;
#ifdef RIGHT
    float v = lane < cols ? in[row * cols + lane] : 0;
#else
    if (lane >= cols) return;
    float v = in[row * cols + lane];
#endif
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d); // <-
    if (lane == 0) out[row] = v;
}
int main() {
    static float in[4 * 20];
    for (float &v : in) v = 1;
    float *d = device(80, in), *o = device<float>(4), out[4];
    rows<<<1, 128>>>(d, o, 20);
    CHECK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    printf("%g\n", out[0]);
    CHECK(cudaFree(d)); CHECK(cudaFree(o));
}
