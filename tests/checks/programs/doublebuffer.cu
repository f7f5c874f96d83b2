// cp.async into two buffers: the wait lets one group too many be under way.
// expect race error
#include "check.h"
#include <cuda_pipeline.h>
enum { B = 64, TILES = 6 };
__global__ void sums(const int *in, int *out) {
    __shared__ int buf[2][B];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&buf[0][t], &in[t], 4); // <-
    __pipeline_commit();
    for (int k = 0; k < TILES; k++) {
        if (k + 1 < TILES) __pipeline_memcpy_async(&buf[(k + 1) % 2][t], &in[(k + 1) * B + t], 4); // <-
        __pipeline_commit();
#ifdef RIGHT
        __pipeline_wait_prior(1);
#else
        __pipeline_wait_prior(2);
#endif
        __syncthreads();
        sum += buf[k % 2][B - 1 - t]; // <-
        __syncthreads();
    }
    out[t] = sum;
}
int main() {
    static int in[B * TILES], out[B];
    for (int i = 0; i < B * TILES; i++) in[i] = i;
    int *d = device(B * TILES, in), *o = device<int>(B);
    sums<<<1, B>>>(d, o);
    CHECK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    printf("%d\n", out[0]);
    CHECK(cudaFree(d)); CHECK(cudaFree(o));
}
