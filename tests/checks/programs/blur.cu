// A blur of an image with a halo in shared memory; the barrier stands inside the branch of threads that hold a pixel.
// expect barrier-divergence error
#include "check.h"
enum { R = 2, B = 64 };
__global__ void blur(unsigned char *out, const unsigned char *in, int n) {
    __shared__ unsigned char s[B + 2 * R];
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) { // <-
        s[threadIdx.x + R] = in[i];
        if (threadIdx.x < R) {
            s[threadIdx.x] = in[i >= R ? i - R : 0];
            s[threadIdx.x + B + R] = in[i + B < n ? i + B : n - 1];
        }
#ifndef RIGHT
        __syncthreads(); // <-
#endif
    }
    else s[threadIdx.x + R] = in[n - 1];
#ifdef RIGHT
    __syncthreads();
#endif
    if (i < n) {
        int sum = 0;
        for (int k = 0; k <= 2 * R; k++) sum += s[threadIdx.x + k];
        out[i] = (unsigned char)(sum / (2 * R + 1));
    } // <-
} // <-
int main() {
    const int n = 1000;
    static unsigned char image[n];
    for (int i = 0; i < n; i++) image[i] = (unsigned char)(i * 31);
    unsigned char *a = device(n, image), *b = device<unsigned char>(n);
    blur<<<(n + B - 1) / B, B>>>(b, a, n);
    CHECK(cudaMemcpy(image, b, n, cudaMemcpyDeviceToHost));
    printf("%d\n", image[10]);
    CHECK(cudaFree(a)); CHECK(cudaFree(b));
}
