// What the convolution kernels share: their arguments, the border as an index map, loads of
// four neighbouring elements. The dispatcher in conv.cu fills the arguments.
#ifndef WK_CONV_INTERNAL_CUH
#define WK_CONV_INTERNAL_CUH

#include <cuda_fp16.h>

#include <warpkernels/conv.h>

#include <warpkernels/device.cuh>

// One launch. Rows and columns are those of the input unless a name says out.
struct conv_args {
    const void *in;
    float *out;
    int64_t in_pitch, in_image, out_pitch, out_image;
    int64_t height, width;
    int64_t out_height, out_width, images;
    int64_t row0, col0;  // input position of the first tap of output (0, 0)
    int32_t filter_height, filter_width;
    int32_t border;
    int32_t half_in;     // input is binary16
    int32_t vector_in;   // base, pitches and col0 allow loads of four elements at once
    int32_t vector_out;  // likewise for stores of four floats
    int32_t march_rows;  // march, separable: output rows of a block
    int64_t inside_first, inside_end;  // march: the output rows whose window lies inside
};

template <int N> struct conv_weights {
    float w[N];
};
typedef conv_weights<WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER> conv_any_weights;

// A driver before CUDA 12.1 passes 4096 bytes of parameters.
static_assert(sizeof(conv_args) + sizeof(conv_any_weights) <= 4096, "kernel parameters too large");

// Where element i of a line of n lies, or -1 for the zero outside.
static __device__ __forceinline__ int64_t conv_map(int64_t i, int64_t n, int32_t border) {
    if ((uint64_t)i < (uint64_t)n) return i;
    if (border == WK_BORDER_REPLICATE) return i < 0 ? 0 : n - 1;
    if (border != WK_BORDER_REFLECT) return -1;
    if (n == 1) return 0;
    // Once for a filter that fits into the image.
    do i = i < 0 ? -i : 2 * (n - 1) - i;
    while ((uint64_t)i >= (uint64_t)n);
    return i;
}

static __device__ __forceinline__ float conv_load(const float *p) { return __ldg(p); }
static __device__ __forceinline__ float conv_load(const __half *p) { return __half2float(__ldg(p)); }

// Four elements at once, aligned.
static __device__ __forceinline__ void conv_load_wide(const float *p, float (&v)[4]) {
    float4 f = __ldg((const float4 *)p);
    v[0] = f.x, v[1] = f.y, v[2] = f.z, v[3] = f.w;
}
static __device__ __forceinline__ void conv_widen_half(uint32_t bits, float &a, float &b) {
    float2 f = __half22float2(*(const __half2 *)&bits);
    a = f.x, b = f.y;
}
static __device__ __forceinline__ void conv_load_wide(const __half *p, float (&v)[4]) {
    uint2 h = __ldg((const uint2 *)p);
    conv_widen_half(h.x, v[0], v[1]);
    conv_widen_half(h.y, v[2], v[3]);
}

// One, two or four elements in one predicated load; undefined when not wanted. Plain C
// gives a branch here, or one load an element, and either costs more than the load. Zeros
// in place of the undefined would make each load wait for the one before into the same registers.
static __device__ __forceinline__ void conv_load_if(bool wanted, const float *p, float (&v)[1]) {
    asm("{ .reg .pred q; setp.ne.s32 q, %1, 0; @q ld.global.nc.f32 %0, [%2]; }"
        : "=f"(v[0]) : "r"((int)wanted), "l"(p));
}
static __device__ __forceinline__ void conv_load_if(bool wanted, const float *p, float (&v)[2]) {
    asm("{ .reg .pred q; setp.ne.s32 q, %2, 0; @q ld.global.nc.v2.f32 {%0, %1}, [%3]; }"
        : "=f"(v[0]), "=f"(v[1]) : "r"((int)wanted), "l"(p));
}
static __device__ __forceinline__ void conv_load_if(bool wanted, const float *p, float (&v)[4]) {
    asm("{ .reg .pred q; setp.ne.s32 q, %4, 0; @q ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%5]; }"
        : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]) : "r"((int)wanted), "l"(p));
}
static __device__ __forceinline__ void conv_load_if(bool wanted, const __half *p, float (&v)[1]) {
    unsigned short h;
    asm("{ .reg .pred q; setp.ne.s32 q, %1, 0; @q ld.global.nc.u16 %0, [%2]; }"
        : "=h"(h) : "r"((int)wanted), "l"(p));
    v[0] = __half2float(__ushort_as_half(h));
}
static __device__ __forceinline__ void conv_load_if(bool wanted, const __half *p, float (&v)[2]) {
    uint32_t h;
    asm("{ .reg .pred q; setp.ne.s32 q, %1, 0; @q ld.global.nc.u32 %0, [%2]; }"
        : "=r"(h) : "r"((int)wanted), "l"(p));
    conv_widen_half(h, v[0], v[1]);
}
static __device__ __forceinline__ void conv_load_if(bool wanted, const __half *p, float (&v)[4]) {
    uint2 h;
    asm("{ .reg .pred q; setp.ne.s32 q, %2, 0; @q ld.global.nc.v2.u32 {%0, %1}, [%3]; }"
        : "=r"(h.x), "=r"(h.y) : "r"((int)wanted), "l"(p));
    conv_widen_half(h.x, v[0], v[1]);
    conv_widen_half(h.y, v[2], v[3]);
}

// Four results of one row from column c on; fewer at the right border, one by one when the
// output is not aligned.
static __device__ __forceinline__ void conv_store4(float *row, int64_t c, const float (&v)[4],
                                                   const conv_args &a) {
    if (a.vector_out && c + 3 < a.out_width && c >= 0) {
        __stcs((float4 *)(row + c), make_float4(v[0], v[1], v[2], v[3]));
        return;
    }
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (c + e >= 0 && c + e < a.out_width) row[c + e] = v[e];
}

// Stores eight results a row from a column on, by every lane of the warp, where the lanes 2i and 2i + 1 hold
// neighbouring eights of one row. Each store of a lane alone would fill half a sector; the pair
// swaps halves so that each of its two stores fills one.
struct conv_pair_store {
    int64_t first;    // column of this lane's first quad; the other one lies 8 further
    bool odd, whole;  // whole: both lie inside and are aligned, which is decided once

    __device__ __forceinline__ conv_pair_store(int64_t c, const conv_args &a)
        : first(threadIdx.x & 1 ? c - 4 : c), odd(threadIdx.x & 1),
          whole(a.vector_out && first >= 0 && first + 12 <= a.out_width) {}

    __device__ __forceinline__ void store(bool wanted, float *row, const float (&v)[8],
                                          const conv_args &a) const {
        float x[4], y[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float got = __shfl_xor_sync(~0u, odd ? v[e] : v[4 + e], 1);
            x[e] = odd ? got : v[e];
            y[e] = odd ? v[4 + e] : got;
        }
        if (!wanted) return;
        if (whole) {
            __stcs((float4 *)(row + first), make_float4(x[0], x[1], x[2], x[3]));
            __stcs((float4 *)(row + first) + 2, make_float4(y[0], y[1], y[2], y[3]));
        } else {
            conv_store4(row, first, x, a);
            conv_store4(row, first + 8, y, a);
        }
    }
};

// Launches with one block for each rows x columns outputs, blocks along x and y, images along z.
// launch(args, grid) is called once, or once a part where the grid would exceed the limits
// of y and z. `extra` blocks of a column are left to the caller.
template <class Launch>
static inline wk_status conv_launch_grid(const conv_args &a, int64_t rows, int64_t columns,
                                         int extra, Launch launch) {
    const int64_t x = (a.out_width + columns - 1) / columns;
    const int64_t most = (WK_MAX_GRID_YZ - extra) * rows;
    if (x > WK_MAX_GRID_X) return WK_ERROR_SIZE;  // more than any memory holds
    for (int64_t n = 0; n < a.images; n += WK_MAX_GRID_YZ)
        for (int64_t r = 0; r < a.out_height; r += most) {
            conv_args part = a;
            part.images = a.images - n < WK_MAX_GRID_YZ ? a.images - n : WK_MAX_GRID_YZ;
            part.out_height = a.out_height - r < most ? a.out_height - r : most;
            part.in = (const char *)a.in + n * a.in_image * (a.half_in ? 2 : 4);
            part.out = a.out + n * a.out_image + r * a.out_pitch;
            part.row0 = a.row0 + r;
            dim3 grid((unsigned)x, (unsigned)((part.out_height + rows - 1) / rows + extra),
                      (unsigned)part.images);
            WK_TRY(launch(part, grid));
        }
    return WK_SUCCESS;
}

// Of the current device.
static inline wk_status conv_multiprocessors(int *count) {
    int device = 0;
    WK_CUDA(cudaGetDevice(&device));
    return wk_from_cuda(cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device));
}

// The kernels' launchers, each in its own file. Arguments are checked and not empty.
wk_status conv_launch_naive(const conv_args &a, const float *weights, cudaStream_t stream);
wk_status conv_launch_tiled(const conv_args &a, const float *weights, int tile_height,
                            int tile_width, cudaStream_t stream);
wk_status conv_launch_march(const conv_args &a, const float *weights, cudaStream_t stream);
wk_status conv_launch_blocked(const conv_args &a, const float *weights, cudaStream_t stream);
wk_status conv_launch_separable(const conv_args &a, const float *column, const float *row,
                                cudaStream_t stream);
wk_status conv_launch_tensor(const conv_args &a, const float *column, const float *row, cudaStream_t stream);

#endif
