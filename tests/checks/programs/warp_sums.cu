// Sums of the values above a limit, a warp a sum: the code trusts that all lanes of the branch are together.
// expect mask warning
#include "check.h"
__global__ void sums(const int *in, int *out, int *rest) {
    int v = in[threadIdx.x], warp = threadIdx.x / 32;
#ifdef RIGHT
    unsigned lanes = __ballot_sync(0xffffffffu, v > 10);
#endif
    if (v > 10) {
#ifndef RIGHT
        unsigned lanes = __activemask(); // <-
#endif
        int sum = __reduce_add_sync(lanes, v);
        if (threadIdx.x % 32 == __ffs(lanes) - 1) out[warp] = sum;
        v -= sum;
    }
    __syncthreads();
    rest[threadIdx.x] = v;
}
int main() {
    static int in[96];
    for (int i = 0; i < 96; i++) in[i] = i * 17 % 31;
    int *d = device(96, in), *o = device<int>(3), *r = device<int>(96), out[3];
    sums<<<1, 96>>>(d, o, r);
    CHECK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    printf("%d\n", out[0]);
    CHECK(cudaFree(d)); CHECK(cudaFree(o)); CHECK(cudaFree(r));
}
