// Managed memory: the host adds up what a kernel may still be writing.
// expect race error
#include "check.h"
__global__ void square(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i * i; // <-
}
int main() {
    const int n = 3000;
    int *p;
    long sum = 0;
    CHECK(cudaMallocManaged(&p, n * sizeof(int)));
    square<<<(n + 127) / 128, 128>>>(p, n);
#ifdef RIGHT
    CHECK(cudaDeviceSynchronize());
#endif
    for (int i = 0; i < n; i++)
        sum += p[i]; // <-
    printf("%ld\n", sum);
    CHECK(cudaFree(p));
}
