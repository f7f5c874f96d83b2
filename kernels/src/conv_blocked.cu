// The path for large filters, and for small ones that are not square: a shared tile, 4 x 8
// outputs a thread in registers.
//
// These filters are bound by arithmetic: at 11x11 an element costs 121 multiply-adds and 8 bytes.
// A multiply-add takes one issue slot, so everything else has to be rare. For each row of the
// tile a thread loads the 8 + filter width - 1 elements that its outputs see once, and uses
// them for up to four output rows; weights come four at a time, the same for the whole warp.
#include "conv_internal.cuh"

namespace {

const int thread_rows = 4, thread_columns = 8;
const int block_x = 16, block_y = 8, block_threads = block_x * block_y;
const int tile_rows = thread_rows * block_y;        // 32 outputs
const int tile_columns = thread_columns * block_x;  // 128 outputs

// A row of a tile is quads of four floats. Threads that compute eight neighbouring outputs start 32 bytes
// apart, which would put two of any eight lanes on the same banks: even and odd quads lie in separate
// planes, 16 banks apart, so that neighbouring quads do not meet either.
const int plane_floats = 80, row_floats = 2 * plane_floats;  // floats; room for 40 quads

__device__ __forceinline__ int quad_offset(int quad) {
    return quad % 2 * plane_floats + quad / 2 * 4;
}

// Where the tile lies over the image. Columns are counted so that a quad of the tile is
// an aligned quad of the image, whatever the border: `skew` elements before the first tap.
template <int KW> struct tile_shape {
    enum {
        left = (KW - 1) / 2,
        skew = (4 - left % 4) % 4,
        quads = (thread_columns + KW - 1 + skew + 3) / 4,  // of a thread's row
        row_quads = quads + (block_x - 1) * 2,              // of a tile's row
        weight_pitch = (KW + 3) / 4 * 4,
        resident = KW < 12 ? 6 : KW < 16 ? 5 : 4  // blocks a multiprocessor should hold: measured
    };
};

// An aligned quad, past the registers where that is asked for and possible: then it is there
// after copies_done.
template <bool async, class T> __device__ __forceinline__ void copy_quad(float *to, const T *from) {
#if __CUDA_ARCH__ >= 800
    if constexpr (async && sizeof(T) == 4) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
        return;
    }
#endif
    float v[4];
    conv_load_wide(from, v);
    *(float4 *)to = make_float4(v[0], v[1], v[2], v[3]);
}
__device__ __forceinline__ void copies_done() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Copies past the registers, all of a thread's under way at once, are a gain from 12 columns on and a loss
// below: measured.
const int async_from = 12;

// Rows [0, rows) of the tile from element `from` on, all of them inside the image: eight threads a row.
template <class T, int KW>
__device__ __forceinline__ void fill_inside(float *tile, const T *from, int rows,
                                            const conv_args &a) {
    const int N = tile_shape<KW>::row_quads, last = N / 8 * 8, step = block_threads / 8;
    const bool async = KW >= async_from;
    const int quad = threadIdx.x % 8;
    const T *line = from + threadIdx.x / 8 * a.in_pitch + quad * 4;
    float *to = tile + threadIdx.x / 8 * row_floats + quad_offset(quad);
#pragma unroll 2
    for (int r = threadIdx.x / 8; r < rows; r += step) {
#pragma unroll
        for (int q = 0; q < last; q += 8) copy_quad<async>(to + quad_offset(q), line + q * 4);
        if (last < N && quad + last < N)
            copy_quad<async>(to + quad_offset(last), line + last * 4);
        to += step * row_floats;
        line += step * a.in_pitch;
    }
    if (async) copies_done();
}

// The same from input row `row` and column `col` on, anywhere: a warp for each fourth row, a lane for one
// or two quads of it.
template <class T, int KW>
__device__ __forceinline__ void fill_border(float *tile, const T *image, int64_t row, int64_t col,
                                            int rows, const conv_args &a) {
    const int N = tile_shape<KW>::row_quads, passes = (N + 31) / 32, none = INT_MIN;
    const int lane = threadIdx.x % 32;
    // Where each element of a lane's quads comes from: once for all rows.
    int source[passes][4];
#pragma unroll
    for (int p = 0; p < passes; p++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int64_t m = conv_map(col + (lane + 32 * p) * 4 + e, a.width, a.border);
            source[p][e] = m < 0 ? none : (int)(m - col);
        }
#pragma unroll 1
    for (int r = threadIdx.x / 32; r < rows; r += block_threads / 32) {
        const int64_t m = conv_map(row + r, a.height, a.border);
        const T *line = image + m * a.in_pitch + col;
#pragma unroll
        for (int p = 0; p < passes; p++) {
            const int quad = lane + 32 * p;
            float v[4];
#pragma unroll
            for (int e = 0; e < 4; e++)
                v[e] = m >= 0 && source[p][e] != none ? conv_load(line + source[p][e]) : 0.f;
            if (quad < N)
                *(float4 *)(tile + r * row_floats + quad_offset(quad)) =
                    make_float4(v[0], v[1], v[2], v[3]);
        }
    }
}

template <class T, int KW>
__global__ void __launch_bounds__(block_threads, tile_shape<KW>::resident)
    blocked_kernel(const conv_args a, const conv_any_weights w) {
    typedef tile_shape<KW> shape;
    extern __shared__ float4 shared[];
    const int KH = a.filter_height;
    float *weights = (float *)shared;
    float *tile = weights + KH * shape::weight_pitch;

    const int tx = threadIdx.x % block_x, ty = threadIdx.x / block_x;
    // The output column that lies on the first aligned quad of the image.
    const int64_t shift = a.col0 + shape::left;
    const int64_t out_col = (int64_t)blockIdx.x * tile_columns - shift % 4 + tx * thread_columns;
    const int64_t tile_col =
        (int64_t)blockIdx.x * tile_columns - shift % 4 + a.col0 - shape::skew;

    for (int i = threadIdx.x; i < KH * shape::weight_pitch; i += block_threads) {
        int j = i % shape::weight_pitch;
        weights[i] = j < KW ? w.w[i / shape::weight_pitch * KW + j] : 0.f;
    }

    const int64_t out_row = (int64_t)blockIdx.y * tile_rows;
    const T *image = (const T *)a.in + blockIdx.z * a.in_image;
    const int64_t row = a.row0 + out_row;
    const int rows = tile_rows + KH - 1;
    if (a.vector_in && row >= 0 && row + rows <= a.height && tile_col >= 0 &&
        tile_col + shape::row_quads * 4 <= a.width)
        fill_inside<T, KW>(tile, image + row * a.in_pitch + tile_col, rows, a);
    else
        fill_border<T, KW>(tile, image, row, tile_col, rows, a);
    __syncthreads();

    float sums[thread_rows][thread_columns] = {};
    const float *line = tile + ty * thread_rows * row_floats + tx * 4;
#pragma unroll 1
    for (int y = 0; y < thread_rows + KH - 1; y++, line += row_floats) {
        float x[shape::quads * 4];
#pragma unroll
        for (int q = 0; q < shape::quads; q++) {
            float4 v = *(const float4 *)(line + quad_offset(q));
            x[4 * q] = v.x, x[4 * q + 1] = v.y, x[4 * q + 2] = v.z, x[4 * q + 3] = v.w;
        }
#pragma unroll
        for (int r = 0; r < thread_rows; r++) {
            int k = y - r;
            if (k < 0 || k >= KH) continue;  // the same for the whole grid
            const float4 *wk = (const float4 *)(weights + k * shape::weight_pitch);
#pragma unroll
            for (int j4 = 0; j4 < shape::weight_pitch / 4; j4++) {
                float4 v = wk[j4];
                const float wv[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
                for (int j = 0; j < 4 && 4 * j4 + j < KW; j++)
#pragma unroll
                    for (int c = 0; c < thread_columns; c++)
                        sums[r][c] = fmaf(wv[j], x[shape::skew + 4 * j4 + j + c], sums[r][c]);
            }
        }
    }

    float *out = a.out + blockIdx.z * a.out_image + (out_row + ty * thread_rows) * a.out_pitch;
    const int64_t rows_left = a.out_height - out_row - ty * thread_rows;
    const conv_pair_store to(out_col, a);
#pragma unroll
    for (int r = 0; r < thread_rows; r++, out += a.out_pitch) to.store(r < rows_left, out, sums[r], a);
}

template <class T, int KW>
wk_status launch(conv_args a, const conv_any_weights &w, cudaStream_t stream) {
    typedef tile_shape<KW> shape;
    const int64_t shift = (a.col0 + shape::left) % 4;
    a.vector_out = a.vector_out && shift == 0;
    const size_t bytes = sizeof(float) * ((tile_rows + a.filter_height - 1) * row_floats +
                                          a.filter_height * shape::weight_pitch);
    const int64_t width = a.out_width;
    a.out_width += shift;  // the first tile starts so many columns before the output
    return conv_launch_grid(a, tile_rows, tile_columns, 0, [&](conv_args &part, dim3 grid) {
        part.out_width = width;
        return wk_launch_kernel(blocked_kernel<T, KW>, grid, block_threads, bytes,
                                stream, part, w);
    });
}

typedef wk_status (*launcher)(conv_args, const conv_any_weights &, cudaStream_t);

#define WIDTHS(T, b)                                                                          \
    launch<T, b + 1>, launch<T, b + 2>, launch<T, b + 3>, launch<T, b + 4>, launch<T, b + 5>, \
        launch<T, b + 6>, launch<T, b + 7>, launch<T, b + 8>
#define ALL_WIDTHS(T)                                                                          \
    WIDTHS(T, 0), WIDTHS(T, 8), WIDTHS(T, 16), launch<T, 25>, launch<T, 26>, launch<T, 27>, \
        launch<T, 28>, launch<T, 29>, launch<T, 30>, launch<T, 31>

}  // namespace

wk_status conv_launch_blocked(const conv_args &a, const float *weights, cudaStream_t stream) {
    static const launcher launchers[2][WK_CONV_MAX_FILTER] = {{ALL_WIDTHS(float)},
                                                              {ALL_WIDTHS(__half)}};
    conv_any_weights w;
    for (int i = 0; i < a.filter_height * a.filter_width; i++) w.w[i] = weights[i];
    return launchers[a.half_in != 0][a.filter_width - 1](a, w, stream);
}
