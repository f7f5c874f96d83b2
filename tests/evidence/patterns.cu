/* Index arithmetic that is no plain sum: masks, divisions, remainders, tiles, steps that double, chosen addresses,
 * records of 12 bytes, wide loads, asynchronous copies, spilled and indexed local memory, pointers in structures. */
#include <cuda_pipeline.h>
#include <stddef.h>

extern "C" {

__global__ void masked(float *out, const float *in) { out[threadIdx.x] = in[(threadIdx.x * 8) & 1023]; }
__global__ void divided(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i / 32] + in[i / 7];
}
__global__ void remainder_of(float *out, const float *in, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i % 7] + in[i % 48];
}
__global__ void lanes_of_warps(float *out, const float *in) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    out[blockIdx.x * 256 + warp * 32 + (lane ^ 1)] = in[blockIdx.x * 256 + warp * 32 + lane];
}
__global__ void tile_from_line(float *out, const float *in, int pitch) {
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    out[(blockIdx.y * 16 + y) * pitch + blockIdx.x * 16 + x] = in[(blockIdx.y * 16 + y) * pitch + blockIdx.x * 16 + x];
}
__global__ void doubling(float *out, const float *in, int n) {
    __shared__ float s[1024];
    s[threadIdx.x] = in[threadIdx.x];
    s[threadIdx.x + 512] = 0;
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int at = 2 * d * threadIdx.x;
        if (at < 512) s[at] += s[at + d];
        __syncthreads();
    }
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void chosen(float *out, const float *a, const float *b, int which) {
    const float *from = which ? a : b;
    out[threadIdx.x] = from[threadIdx.x * 2] + (threadIdx.x < 16 ? a : b)[threadIdx.x];
}
__global__ void backwards(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[n - 1 - i];
}
struct pixel { float r, g, b; };
__global__ void pixels(float *out, const pixel *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i].r + in[i].g + in[i].b;
}
__global__ void wide_index(double *out, const double *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[n - 1 - i];
}
struct view { const float *data; int pitch, offset; };
__global__ void in_structure(float *out, view v) {
    out[threadIdx.x] = v.data[threadIdx.y * v.pitch + threadIdx.x + v.offset];
}
__global__ void staged(float4 *out, const float4 *in) {
    __shared__ float4 s[256];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[blockIdx.x * 256 + threadIdx.x], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 3];
}
__global__ void __launch_bounds__(256) rows_of_a_narrow_block(float *out, const float *in, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * pitch + x] = in[y * pitch + x];
}
__global__ void grid_stride4(float4 *out, const float4 *in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        v.x += 1;
        out[i] = v;
    }
}
__global__ void indirect(float *out, const float *const *rows, const int *which) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = rows[blockIdx.x][threadIdx.x] + rows[0][which[threadIdx.x]];
}
__global__ void histogram(const unsigned *in, unsigned *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] & 255], 1u);
    if (threadIdx.x == 0) atomicAdd(bins + 256, 1u);
}
}
