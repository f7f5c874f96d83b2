// Heat in a rod over many steps in one cooperative launch; blocks behind the end of the rod leave before grid.sync().
// expect deadlock error
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void heat(float *a, float *b, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef RIGHT
    if (blockIdx.x * blockDim.x >= n) return;
#endif
    for (int s = 0; s < steps; s++) {
        if (i < n) b[i] = 0.5f * a[i] + 0.25f * (a[i ? i - 1 : i] + a[i < n - 1 ? i + 1 : i]);
        grid.sync(); // <-
        float *c = a;
        a = b, b = c;
    }
}
int main() {
    int n = 300, steps = 4;
    float *a = device<float>(n), *b = device<float>(n);
    void *args[] = {&a, &b, &n, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)heat, 4, 128, args));
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(b);
}
