// Work items put into a queue: the place is taken with an atomic, but who reads the length later does not wait for the others.
// expect race error
#include "check.h"
__global__ void select_even(const int *in, int n, int *queue, int *length, int *seen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2 == 0) queue[atomicAdd(length, 1)] = in[i]; // <-
#ifndef RIGHT
    __syncthreads();
    if (threadIdx.x == 0) seen[blockIdx.x] = *length; // <-
#endif
}
#ifdef RIGHT
__global__ void look(const int *length, int *seen) { seen[threadIdx.x] = *length; }
#endif
int main() {
    static int in[600];
    for (int i = 0; i < 600; i++) in[i] = i * 3;
    int *d = device(600, in), *q = device<int>(600), *len = device<int>(1), *seen = device<int>(5), host[5];
    select_even<<<5, 128>>>(d, 600, q, len, seen);
#ifdef RIGHT
    look<<<1, 5>>>(len, seen);
#endif
    CHECK(cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host[4]);
    CHECK(cudaFree(d)); CHECK(cudaFree(q)); CHECK(cudaFree(len)); CHECK(cudaFree(seen));
}
