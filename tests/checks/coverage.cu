/* Stores that a grid leaves unfinished, and their right twins (test_coverage.c says with which grids they run). The line
 * of the store that must be named is marked with <-. All kernels take: out, in, n. */
__global__ void twice(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i]; // <- twice
}
__global__ void unbounded(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + n; // <- unbounded
}
struct point {
    float x, y, z, w;
};
__global__ void field(point *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i].x = in[0]; // <- field
    out[i].y = 1;
    out[i].z = 2;
    out[i].w = 3;
}
__global__ void vectors(float4 *out, const float4 *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) out[i] = in[i]; // <- vectors
}
__global__ void shifted(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) out[i + 1] = in[i]; // <- shifted
    if (i == 0) out[0] = 0;
}
__global__ void bytes(unsigned char *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (unsigned char)i; // <- bytes
}
/* The rest of the grid's work is done by the threads themselves: nothing is left out. */
__global__ void grid_stride(float *out, const float *in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
/* Alone in its block, the last thread shows no stride; the others do. */
__global__ void last_alone(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x + 1 < gridDim.x || threadIdx.x + 1 == blockDim.x) out[i] = in[i]; // <- last_alone
}
/* One value a block: its index is not the thread's. */
__global__ void block_sums(float *out, const float *in, int n) {
    if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x] + n;
}
__global__ void scattered(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[(i * 7) % n] = in[i];
}
/* Reads all of it. */
__global__ void add_up(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}
