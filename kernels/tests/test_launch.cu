// wk_launch_occupancy: the configuration must be launchable, resident as promised, and cover
// the size.
#include "check.cuh"

#include <warpkernels/launch.h>

__global__ void count_kernel(unsigned *counts, int64_t n) {
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) counts[i] += 1;
}

__global__ void __launch_bounds__(128) bounded_kernel(unsigned *counts, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[i] += 1;
}

static void cover(const char *name, const void *kernel, int64_t n, int grid_stride) {
    wk_launch c;
    check_status(wk_launch_occupancy(kernel, 0, n, grid_stride, &c), WK_SUCCESS, name);
    check(c.threads % 32 == 0 && c.threads > 0, name, "threads %d", c.threads);
    device_array<unsigned> a = device_new<unsigned>(n);
    check_cuda(cudaMemset(a.data, 0, (size_t)n * 4), "cudaMemset");
    void *args[] = {&a.data, &n};
    check_cuda(cudaLaunchKernel(kernel, dim3((unsigned)c.blocks), dim3((unsigned)c.threads), args, 0, 0),
               name);
    unsigned *h = (unsigned *)malloc((size_t)n * 4);
    bool intact = device_read(&a, h);
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) wrong += h[i] != 1;
    check(intact && wrong == 0, name, "%lld elements not visited once", (long long)wrong);
    free(h);
    device_free(&a);
}

int main(void) {
    check_begin("launch");
    cover("one thread an element", (const void *)count_kernel, 5000, 0);
    cover("grid stride", (const void *)count_kernel, 5000, 1);
    cover("launch bounds", (const void *)bounded_kernel, 1000, 0);
    wk_launch c;
    check_status(wk_launch_occupancy((const void *)bounded_kernel, 0, 1000, 0, &c), WK_SUCCESS,
                 "bounded kernel");
    check(c.threads <= 128, "block size within launch bounds", "%d", c.threads);
    check_status(wk_launch_occupancy(NULL, 0, 1, 0, &c), WK_ERROR_NULL, "null kernel");
    check_status(wk_launch_occupancy((const void *)count_kernel, 0, -1, 0, &c), WK_ERROR_SIZE,
                 "negative size");
    return check_end();
}
