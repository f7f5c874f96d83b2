/* Kernels whose blocks can be shown to be apart, and such as only look like it. test_apart.c says which. */
#include <cstdint>

#define KERNEL extern "C" __global__ void
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x

/* --- apart ------------------------------------------------------------------------------ */
KERNEL scale(float *out, const float *in, int n) { INDEX; if (i < n) out[i] = in[i] * 3; }
KERNEL in_place(float *v, int n) { INDEX; if (i < n) v[i] = v[i] * 0.5f + 1; }
KERNEL wide_index(float *v, int n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] * 0.5f + 1;
}
KERNEL pairs(float *v, int n) { INDEX; if (2 * i < n) v[2 * i] += 1, v[2 * i + 1] += 2; }
KERNEL vectors(float4 *v, int n) { INDEX; if (4 * i < n) { float4 a = v[i]; a.x += a.w, a.z *= 2; v[i] = a; } }
KERNEL bytes(uint8_t *v, int n) { INDEX; if (i < n) v[i] = v[i] + i; }
KERNEL plane(float *v, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) v[y * width + x] += x - y;
}
KERNEL columns(float *v, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) v[x * height + y] += x - y;
}
KERNEL backwards(float *v, int n) { INDEX; if (i < n) v[n - 1 - i] = v[n - 1 - i] * 2 + i; }
KERNEL neighbours(float *out, const float *in, int n) { INDEX; if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i + 1]; }
KERNEL one_a_block(float *out, const float *in) { if (threadIdx.x == 0) out[blockIdx.x] += in[blockIdx.x * blockDim.x]; }

/* --- not ---------------------------------------------------------------------------------- */
KERNEL shifted(float *v, int n) { INDEX; if (i < n - 1) v[i] = v[i + 1] * 0.5f; }
KERNEL far_shifted(float *v, int n) { INDEX; if (i < n - 700) v[i] = v[i + 700] * 0.5f; }
KERNEL overlapping(float *v, int n) { int i = blockIdx.x * (blockDim.x / 2) + threadIdx.x; if (i < n) v[i] = blockIdx.x; }
KERNEL same_place(float *v, int n) { INDEX; if (i < n) v[threadIdx.x] = i; }
KERNEL by_value(float *v, const int *index, int n) { INDEX; if (i < n) v[index[i]] = i; }
KERNEL wrapping(float *v, unsigned n) { unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 0x40000000u; v[i % n] = i; }
KERNEL half_index(float *v, int n) { INDEX; if (i < n) v[i / 2] += i; }
KERNEL strided(float *v, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v[i] += i; }
KERNEL chosen(float *v, int n) {
    INDEX;
    float *p = v + i;
    if (v[n] > 0) p = v + (i & 255);
    if (i < n) *p = i;
}
KERNEL trapping(float *v, int n) { INDEX; if (i < n) { v[i] += 1; if (v[i] < 0) __trap(); } }
KERNEL carried(float *v, int n) { /* a high word that is not that of its low word */
    INDEX;
    uint64_t p = (uint64_t)v + (uint32_t)(i * 0x01000000) / 0x400000;
    if (i < n) *(float *)(p & ~(uint64_t)3) = i;
}
KERNEL added_and_bounded(unsigned *v, int n) { INDEX; if (i < n) atomicAdd(&v[i & 63], 1u), atomicMax(&v[i & 63], 0x3f000000u + blockIdx.x * 7 % 64 * 1000); }
KERNEL counted_down(unsigned *v, int n) { INDEX; if (i < n) atomicDec(&v[i & 63], 1000u + blockIdx.x * 7 % 64 * 100); }
