// A tiled product of matrices; the second barrier of the loop was forgotten.
// expect race error
#include "check.h"
enum { T = 16, N = 64 };
__global__ void matmul(float *c, const float *a, const float *b) {
    __shared__ float ta[T][T], tb[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < N; k += T) {
        ta[threadIdx.y][threadIdx.x] = a[row * N + k + threadIdx.x];   // <-
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * N + col]; // <-
        __syncthreads();
        for (int i = 0; i < T; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x]; // <-
#ifdef RIGHT
        __syncthreads();
#endif
    }
    c[row * N + col] = sum;
}
int main() {
    static float m[N * N];
    for (int i = 0; i < N * N; i++) m[i] = (float)(i % 7);
    float *a = device(N * N, m), *b = device(N * N, m), *c = device<float>(N * N);
    matmul<<<dim3(N / T, N / T), dim3(T, T)>>>(c, a, b);
    CHECK(cudaMemcpy(m, c, sizeof m, cudaMemcpyDeviceToHost));
    printf("%g\n", m[0]);
    CHECK(cudaFree(a)); CHECK(cudaFree(b)); CHECK(cudaFree(c));
}
