// A pinned buffer is filled for the next round while the copy from it may still run.
// expect race error
#include "check.h"
__global__ void add(int *sum, const int *p) { atomicAdd(sum, p[blockIdx.x * blockDim.x + threadIdx.x]); }
int main() {
    const int n = 2048;
    int *host, *d = device<int>(n), *sum = device<int>(1), total = 0;
    cudaStream_t stream;
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++)
            host[i] = i + round; // <-
        CHECK(cudaMemcpyAsync(d, host, n * sizeof(int), cudaMemcpyHostToDevice, stream));
        add<<<n / 128, 128, 0, stream>>>(sum, d);
#ifdef RIGHT
        CHECK(cudaStreamSynchronize(stream));
#endif
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&total, sum, sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", total);
    CHECK(cudaStreamDestroy(stream)); CHECK(cudaFreeHost(host)); CHECK(cudaFree(d)); CHECK(cudaFree(sum));
}
