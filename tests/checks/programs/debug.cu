// A debug build: the largest value by compare-and-swap, then a barrier over the grid. There is a plain compare and store in place of the swap.
// nvcc -G
// expect race error
#include "check.h"
#include <cooperative_groups.h>
enum { N = 256 };
__device__ void keep_larger(int *most, int v) {
#ifdef RIGHT
    int old = *most, seen;
    while (v > old) {
        seen = old;
        old = atomicCAS(most, seen, v);
        if (old == seen) break;
    }
#else
    if (v > *most) *most = v; // <-
#endif
}
__global__ void larger(const int *x, int *most, int *share) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    keep_larger(most, x[i]);
    cooperative_groups::this_grid().sync();
    share[i] = 100 * x[i] / *most; // <-
}
int main() {
    int x[N];
    for (int i = 0; i < N; i++) x[i] = 1 + i * 7 % 101;
    int *d = device(N, x), *most = device<int>(1), *share = device<int>(N);
    void *arguments[] = {&d, &most, &share};
    CHECK(cudaLaunchCooperativeKernel((void *)larger, dim3(4), dim3(N / 4), arguments, 0, 0));
    CHECK(cudaMemcpy(x, share, sizeof x, cudaMemcpyDeviceToHost));
    printf("%d\n", x[7]);
    cudaFree(d), cudaFree(most), cudaFree(share);
}
