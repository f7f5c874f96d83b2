// Open addressing: keys are claimed with compare-and-swap, the probe forgets to wrap around.
// expect out-of-bounds error
#include "check.h"
enum { SLOTS = 256 };
__global__ void insert(unsigned *keys, unsigned *values, const unsigned *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = in[i], slot = key * 2654435761u >> 24;
    while (true) {
        unsigned old = atomicCAS(&keys[slot], 0u, key); // <-
        if (old == 0 || old == key) break;
#ifdef RIGHT
        slot = (slot + 1) % SLOTS;
#else
        slot++;
#endif
    }
    values[slot] = i; // <-
}
int main() {
    static unsigned in[200];
    for (int i = 0; i < 200; i++) in[i] = 1 + i * 37;
    unsigned *keys = device<unsigned>(SLOTS), *values = device<unsigned>(SLOTS), *d = device(200, in), host[SLOTS];
    insert<<<2, 100>>>(keys, values, d, 200);
    CHECK(cudaMemcpy(host, keys, sizeof host, cudaMemcpyDeviceToHost));
    printf("%u\n", host[3]);
    CHECK(cudaFree(keys)); CHECK(cudaFree(values)); CHECK(cudaFree(d));
}
