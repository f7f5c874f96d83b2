// Hillis and Steele's scan in one buffer: reading and adding need a barrier between them.
// expect race error
#include "check.h"
__global__ void scan(int *data) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
#ifdef RIGHT
        int add = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += add;
#else
        if (t >= d) s[t] += s[t - d]; // <-
#endif
        __syncthreads();
    }
    data[t] = s[t];
}
int main() {
    static int v[128];
    for (int &x : v) x = 1;
    int *d = device(128, v);
    scan<<<1, 128>>>(d);
    CHECK(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
    printf("%d\n", v[127]);
    CHECK(cudaFree(d));
}
