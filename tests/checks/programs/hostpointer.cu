// The array of pointers was filled on the host with pointers of the host.
// expect host-access error
#include "check.h"
__global__ void gather(float **rows, float *out, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = rows[threadIdx.x][0]; // <-
}
int main() {
    const int n = 8;
    float *rows[n], *d_rows[n], row[4] = {1, 2, 3, 4};
    for (int i = 0; i < n; i++) {
        d_rows[i] = device(4, row);
        rows[i] = (float *)aligned_alloc(128, 128); // how many lines the warp meets is counted: not by chance of the heap
    }
#ifdef RIGHT
    float **d = device(n, d_rows);
#else
    float **d = device(n, rows);
#endif
    float *o = device<float>(n);
    gather<<<1, 32>>>(d, o, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < n; i++) free(rows[i]), cudaFree(d_rows[i]);
    cudaFree(d); cudaFree(o);
}
