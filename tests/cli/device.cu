/* What device code asks of the driver, and instructions of ordinary programs that no other test of a whole program
 * meets; after it a call that its argument names, which ends a kernel. Each line of output is compared by the test. */
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

__constant__ int table[4] = {1, 2, 3, 4};
__device__ __noinline__ int looked_up(const int *p, int i) { return p[i & 3]; }

__global__ void prints(int n) {
    if (threadIdx.x < n) printf("%-4d|%05.1f|%s|%c|%lld|%%|%x\n", (int)threadIdx.x - 1, threadIdx.x * 0.5, "text", 'c', 1LL << 40, 255u);
}
__global__ void allocates(int *out) {
    int *mine = (int *)malloc(10 * sizeof(int)), sum = 0;
    for (int i = 0; i < 10; i++) mine[i] = i * threadIdx.x;
    for (int i = 0; i < 10; i++) sum += mine[i];
    free(mine);
    out[threadIdx.x] = sum;
}
__global__ void counts(int *out, __half2 *halves) {
    __shared__ double d;
    __shared__ unsigned long long u;
    if (!threadIdx.x) d = 0, u = 0;
    __syncthreads();
    atomicAdd(&d, 1.0);
    atomicAdd(&u, 1ull);
    atomicAdd(halves, __floats2half2_rn(1, 2));
    __syncthreads();
    if (!threadIdx.x) out[0] = (int)d, out[1] = (int)u;
}
__global__ void extremes(double *out, const double *x) {
    out[0] = fmax(x[0], x[1]), out[1] = fmin(x[0], x[1]), out[2] = fmax(x[0], x[2]), out[3] = fmin(x[2], x[1]), out[4] = fmax(x[2], x[2]);
}
__global__ void looks_up(int *out) { out[threadIdx.x] = looked_up(table, threadIdx.x); }
__global__ void fails(int n) { assert(threadIdx.x < n); }
__global__ void frees(int *p) { free(p); }
__global__ void traps() { __trap(); }

int main(int argc, char **argv) {
    int *out;
    __half2 *halves;
    double *x;
    cudaMallocManaged(&out, 128), cudaMallocManaged(&halves, 4), cudaMallocManaged(&x, 128);
    memset(halves, 0, 4);
    prints<<<1, 32>>>(2);
    puts("before the host waits");
    printf("prints: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    allocates<<<1, 32>>>(out), cudaDeviceSynchronize();
    printf("allocates: %d %d\n", out[1], out[31]);
    counts<<<1, 96>>>(out, halves), cudaDeviceSynchronize();
    printf("counts: %d %d %g %g\n", out[0], out[1], __low2float(*halves), __high2float(*halves));
    x[0] = -1.5, x[1] = 2, x[2] = NAN;
    extremes<<<1, 1>>>(x + 3, x), cudaDeviceSynchronize();
    printf("extremes: %g %g %g %g %d\n", x[3], x[4], x[5], x[6], x[7] != x[7]);
    looks_up<<<1, 8>>>(out), cudaDeviceSynchronize();
    printf("looks up: %d %d\n", out[0], out[7]);
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "assert")) fails<<<1, 32>>>(30);
    if (!strcmp(how, "free")) frees<<<1, 1>>>(out);
    if (!strcmp(how, "trap")) traps<<<1, 1>>>();
    printf("end: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
