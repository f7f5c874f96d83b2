// A scratch buffer is freed before the kernel that uses it is launched.
// expect use-after-free error
#include "check.h"
__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void add(int *to, const int *from) { to[threadIdx.x] += from[threadIdx.x]; } // <-
int main() {
    int *a = device<int>(64), *scratch = device<int>(64);
    fill<<<1, 64>>>(scratch, 3);
#ifndef RIGHT
    CHECK(cudaFree(scratch));
#endif
    add<<<1, 64>>>(a, scratch);
    CHECK(cudaDeviceSynchronize());
#ifdef RIGHT
    CHECK(cudaFree(scratch));
#endif
    CHECK(cudaFree(a));
}
