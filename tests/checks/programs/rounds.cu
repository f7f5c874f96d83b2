// Adds neighbours tile by tile: the last tile is not full, and the threads behind its end leave the loop that holds the barriers.
// expect deadlock error
#include "check.h"
enum { N = 200, TILE = 64 };
__global__ void neighbours(const float *w, float *sum) {
    __shared__ float s[TILE];
#ifdef RIGHT
    for (int tile = 0; tile < N; tile += TILE) {
        int i = tile + threadIdx.x;
        s[threadIdx.x] = i < N ? w[i] : 0;
        __syncthreads();
        if (i < N) sum[i] = s[threadIdx.x] + s[(threadIdx.x + 1) % TILE];
        __syncthreads();
    }
#else
    for (int i = threadIdx.x; i < N; i += TILE) {
        s[threadIdx.x] = w[i];
        __syncthreads(); // <-
        sum[i] = s[threadIdx.x] + s[(threadIdx.x + 1) % TILE];
        __syncthreads();
    }
#endif
}
int main() {
    float w[N];
    for (int i = 0; i < N; i++) w[i] = i;
    float *d = device(N, w), *sum = device<float>(N);
    neighbours<<<1, TILE>>>(d, sum);
    CHECK(cudaMemcpy(w, sum, sizeof w, cudaMemcpyDeviceToHost));
    printf("%g\n", w[1]);
    cudaFree(d), cudaFree(sum);
}
