// The last block adds up what the others left; the fence before the ticket was forgotten.
// expect race error
#include "check.h"
__global__ void sum(const float *in, float *part, unsigned *ticket, float *out) {
    __shared__ float s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0]; // <-
#ifdef RIGHT
        __threadfence();
#endif
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float v = 0;
        for (unsigned b = 0; b < gridDim.x; b++) v += ((volatile float *)part)[b]; // <-
        *out = v;
    }
}
int main() {
    static float in[512];
    for (float &v : in) v = 1;
    float *d = device(512, in), *part = device<float>(8), *o = device<float>(1), out;
    unsigned *ticket = device<unsigned>(1);
    sum<<<8, 64>>>(d, part, ticket, o);
    CHECK(cudaMemcpy(&out, o, sizeof out, cudaMemcpyDeviceToHost));
    printf("%g\n", out);
    CHECK(cudaFree(d)); CHECK(cudaFree(part)); CHECK(cudaFree(o)); CHECK(cudaFree(ticket));
}
