// An undefined value is brought between two equal bounds: what is stored comes from one, and does not depend on it.
// expect uninitialised any
#include "check.h"
__global__ void clamp(int *out, int low, int high) {
    __shared__ int never[32];
#ifdef RIGHT
    never[threadIdx.x] = (int)threadIdx.x;
#endif
    int v = ((volatile int *)never)[threadIdx.x];
    out[threadIdx.x] = min(max(v, low), high); // <-
}
__global__ void twice(const int *in, int *out) { out[threadIdx.x] = 2 * in[threadIdx.x]; } // <-
int main() {
    int *a = device<int>(32), *b = device<int>(32), *c = device<int>(32), host[32];
    clamp<<<1, 32>>>(a, 5, 5);
    twice<<<1, 32>>>(a, b);
    CHECK(cudaMemcpy(c, b, sizeof host, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost)); // <-
    if (host[7] != 10) printf("%d, not 10: what was stored is lost\n", host[7]), exit(3);
    CHECK(cudaFree(a)); CHECK(cudaFree(b)); CHECK(cudaFree(c));
}
