// A lock around a bank account; one way out of the critical section keeps it.
// expect deadlock error
#include "check.h"
__global__ void book(int *lock, int *balance, const int *amount, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || threadIdx.x % 32) return;
    while (atomicCAS(lock, 0, 1)) {} // <-
    __threadfence();
    if (atomicAdd(balance, 0) + amount[i] < 0) {
#ifdef RIGHT
        __threadfence();
        atomicExch(lock, 0);
#endif
        return;
    }
    atomicAdd(balance, amount[i]);
    __threadfence();
    atomicExch(lock, 0);
}
int main() {
    static int amount[256];
    for (int i = 0; i < 256; i++) amount[i] = i == 64 ? -1000 : 5;
    int *lock = device<int>(1), *balance = device<int>(1), *d = device(256, amount), left = 0;
    book<<<2, 128>>>(lock, balance, d, 256);
    cudaError_t e = cudaMemcpy(&left, balance, sizeof left, cudaMemcpyDeviceToHost);
    printf("%d %s\n", left, cudaGetErrorString(e));
    cudaFree(lock); cudaFree(balance); cudaFree(d);
}
