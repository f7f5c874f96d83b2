// Asynchronous copies: the pinned buffer is filled again while the copy may still read it... and one stream's kernel reads what
// another stream's copy brings.
// expect race error
#include "check.h"
__global__ void twice(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2; // <-
}
int main() {
    const int n = 1024;
    int *host, *d = device<int>(n);
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    for (int i = 0; i < n; i++) host[i] = i;
    cudaStream_t copy, work;
    cudaEvent_t there;
    CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&there));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpyAsync(d, host, n * sizeof(int), cudaMemcpyHostToDevice, copy)); // <-
    CHECK(cudaEventRecord(there, copy));
#ifdef RIGHT
    CHECK(cudaStreamWaitEvent(work, there, 0));
#endif
    twice<<<n / 128, 128, 0, work>>>(d, n);
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaStreamSynchronize(copy));
    CHECK(cudaMemcpy(host, d, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", host[5]);
    CHECK(cudaEventDestroy(there)); CHECK(cudaStreamDestroy(copy)); CHECK(cudaStreamDestroy(work));
    CHECK(cudaFreeHost(host)); CHECK(cudaFree(d));
}
