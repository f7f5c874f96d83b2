// A bitonic sort of a block in dynamic shared memory; the launch gives half of the bytes.
// expect out-of-bounds error
#include "check.h"
__global__ void sort(int *data) {
    extern __shared__ int s[];
    unsigned t = threadIdx.x;
    s[t] = data[t]; // <-
    __syncthreads();
    for (unsigned k = 2; k <= blockDim.x; k *= 2)
        for (unsigned j = k / 2; j; j /= 2) {
            unsigned u = t ^ j;
            if (u > t && (s[t] > s[u]) == ((t & k) == 0)) {
                int x = s[t];
                s[t] = s[u], s[u] = x;
            }
            __syncthreads();
        }
    data[t] = s[t];
}
int main() {
    static int v[256];
    for (int i = 0; i < 256; i++) v[i] = i * 97 % 256;
    int *d = device(256, v);
#ifdef RIGHT
    sort<<<1, 256, 256 * sizeof(int)>>>(d);
#else
    sort<<<1, 256, 256 * sizeof(short)>>>(d);
#endif
    CHECK(cudaGetLastError());
    cudaError_t e = cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost);
    printf("%d %s\n", v[1], cudaGetErrorString(e));
    cudaFree(d);
}
