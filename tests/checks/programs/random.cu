// Each thread advances a generator of its own; the states are too few by one block.
// expect out-of-bounds error
#include "check.h"
__device__ unsigned advance(unsigned *state) {
    unsigned x = *state; // <-
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return *state = x; // <-
}
__global__ void walk(unsigned *states, int steps, int *home) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    for (int s = 0; s < steps; s++) at += advance(&states[i]) & 1 ? 1 : -1; // <-
    if (at == 0) atomicAdd(home, 1);
}
int main() {
    const int blocks = 5, threads = 64;
    static unsigned seed[blocks * threads];
    for (int i = 0; i < blocks * threads; i++) seed[i] = 1 + i;
#ifdef RIGHT
    unsigned *d = device(blocks * threads, seed);
#else
    unsigned *d = device((blocks - 1) * threads, seed);
#endif
    int *home = device<int>(1), n;
    walk<<<blocks, threads>>>(d, 10, home);
    CHECK(cudaMemcpy(&n, home, sizeof n, cudaMemcpyDeviceToHost));
    printf("%d\n", n);
    CHECK(cudaFree(d)); CHECK(cudaFree(home));
}
