// A tree in shared memory, the last warp without barriers, as it was done when warps ran in lock step.
// expect race error
#include "check.h"
__global__ void total(const int *in, int *out) {
    __shared__ volatile int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 32; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        int v = s[t] + s[t + 32];
#ifdef RIGHT
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0) out[blockIdx.x] = v;
#else
        s[t] = v;                           // <-
        s[t] += s[t + 16];                  // <-
        s[t] += s[t + 8];                   // <-
        s[t] += s[t + 4];                   // <-
        s[t] += s[t + 2];                   // <-
        s[t] += s[t + 1];                   // <-
        if (t == 0) out[blockIdx.x] = s[0];
#endif
    }
}
int main() {
    static int in[1024];
    for (int i = 0; i < 1024; i++) in[i] = i;
    int *d = device(1024, in), *o = device<int>(4), out[4];
    total<<<4, 256>>>(d, o);
    CHECK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    printf("%d\n", out[0] + out[1] + out[2] + out[3]);
    CHECK(cudaFree(d)); CHECK(cudaFree(o));
}
