// The path for filters of rank 1: a column and a row pass in one kernel, one pass over memory.
//
// A block owns a strip of columns and walks down it. Down the columns first: a thread holds
// K unfinished sums for each of its two columns and adds every input row to all of
// them, as the marching kernel does. K finished rows later the block meets once and does the rows
// from shared memory, eight outputs a thread.
#include <type_traits>

#include "conv_internal.cuh"

namespace {

const int row_outputs = 8;  // of a thread, in the row pass

// `strip`: columns that a block reads, a multiple of 64.
template <int K, int strip> struct strip_shape {
    enum {
        left = (K - 1) / 2,
        skew = (4 - left % 4) % 4,  // from the first aligned column to the first tap
        outputs = strip - (K - 1 + skew + 15) / 16 * 16,  // pairs of eights
        quads = (row_outputs + K - 1 + skew + 3) / 4,
        // As in the blocked kernel: even and odd quads of a row lie apart, so that eight lanes that
        // start 32 bytes apart meet different banks, and the column pass stores without conflict.
        plane_floats = strip / 2 + 16,
        row_floats = 2 * plane_floats
    };

    static __device__ __forceinline__ int offset(int column) {
        int quad = column / 4;
        return quad % 2 * plane_floats + quad / 2 * 4 + column % 4;
    }
};

template <int K, int strip>
__device__ __forceinline__ void row_pass(const conv_args &a, const conv_weights<2 * K> &w,
                                         const float *sums, float *out, int64_t out_col,
                                         int first, int count) {
    typedef strip_shape<K, strip> shape;
    const int groups = shape::outputs / row_outputs, total = count * groups;
    // Whole warps stay together for the exchange at the store.
#pragma unroll 1
    for (int i = threadIdx.x; i - (int)(threadIdx.x % 32) < total; i += blockDim.x) {
        int r = i < total ? i / groups : 0, g = i % groups;
        const float *line = sums + (first + r) * shape::row_floats + g * 4;
        float x[shape::quads * 4], s[row_outputs];
#pragma unroll
        for (int q = 0; q < shape::quads; q++) {
            float4 v = *(const float4 *)(line + shape::offset(q * 4));
            x[4 * q] = v.x, x[4 * q + 1] = v.y, x[4 * q + 2] = v.z, x[4 * q + 3] = v.w;
        }
#pragma unroll
        for (int j = 0; j < K; j++)
#pragma unroll
            for (int c = 0; c < row_outputs; c++) {
                float v = x[shape::skew + j + c];
                s[c] = j == 0 ? w.w[K] * v : fmaf(w.w[K + j], v, s[c]);
            }
        const conv_pair_store to(out_col + g * row_outputs, a);
        to.store(i < total, out + r * a.out_pitch, s, a);
    }
}

// Where the next K input rows from `row` on lie, in bytes from the image, or -1: the border's
// arithmetic once a batch, not in every step of every thread.
template <class T, int K>
__device__ __forceinline__ void find_lines(const conv_args &a, int64_t row, int64_t end,
                                           int64_t *lines) {
    if (threadIdx.x >= K) return;
    int64_t r = row + threadIdx.x < end ? conv_map(row + threadIdx.x, a.height, a.border) : -1;
    lines[threadIdx.x] = r < 0 ? -1 : r * a.in_pitch * (int64_t)sizeof(T);
}

// w: the column's K weights, then the row's.
template <class T, int K, int strip, int columns, int D, int B>
__global__ void __launch_bounds__(strip / columns, B)
    separable_kernel(const conv_args a, const conv_weights<2 * K> w) {
    typedef strip_shape<K, strip> shape;
    extern __shared__ float4 shared[];
    float *rows_done = (float *)shared;
    int64_t *lines = (int64_t *)(rows_done + K * shape::row_floats);
    const int64_t shift = (a.col0 + shape::left) % 4;
    const int64_t out_col = (int64_t)blockIdx.x * shape::outputs - shift;

    // This thread's input columns, and where their sums go.
    int64_t source[columns];
    bool inside[columns];
    int target[columns];
#pragma unroll
    for (int c = 0; c < columns; c++) {
        int column = threadIdx.x + c * (strip / columns);
        source[c] = conv_map(out_col + a.col0 - shape::skew + column, a.width, a.border);
        inside[c] = source[c] >= 0;
        if (!inside[c]) source[c] = 0;
        target[c] = shape::offset(column);
    }

    const int64_t row = (int64_t)blockIdx.y * a.march_rows;
    const int64_t end = row + a.march_rows < a.out_height ? row + a.march_rows : a.out_height;
    const T *in = (const T *)a.in + blockIdx.z * a.in_image;
    float *out = a.out + blockIdx.z * a.out_image;
    const char *origin[columns];
#pragma unroll
    for (int c = 0; c < columns; c++) origin[c] = (const char *)(in + source[c]);

    // Whether the block reads nothing outside the image, ahead of the last row neither: then a step's loads cost an
    // increment that all threads share.
    const int64_t top = a.row0 + row, batches = (end - row + K - 1 + K - 1) / K;
    const int64_t first_col = out_col + a.col0 - shape::skew;
    const bool all_inside = top >= 0 && top + batches * K + D <= a.height && first_col >= 0 &&
                            first_col + strip <= a.width;

    auto march = [&](auto plain) {
        // Input rows are read D ahead of their use.
        int64_t next = top;
        const int64_t last = a.row0 + end + K - 1;
        const T *here = in + top * a.in_pitch + first_col;  // the same in all threads
        float ahead[D][columns];
        auto read = [&](float(&v)[columns], int s) {
            if constexpr (plain.value) {
#pragma unroll
                for (int c = 0; c < columns; c++)
                    v[c] = conv_load(here + (threadIdx.x + c * (strip / columns)));
                here += a.in_pitch;
            } else {
                const int64_t line = lines[s];
#pragma unroll
                for (int c = 0; c < columns; c++)
                    v[c] = line >= 0 && inside[c] ? conv_load((const T *)(origin[c] + line)) : 0.f;
            }
        };
        if constexpr (!plain.value) {
            find_lines<T, K>(a, next, last, lines);
            __syncthreads();
        }
#pragma unroll
        for (int d = 0; d < D; d++) read(ahead[d], d);
        next += D;
        if constexpr (!plain.value) {
            __syncthreads();
            find_lines<T, K>(a, next, last, lines);
            __syncthreads();
        }

        // Batches of K input rows. Step s finishes the output row whose first tap was K - 1
        // rows before; in the first batch only its last step does.
        float sums[K][columns] = {};
        for (int64_t done = row - (K - 1); done < end; done += K) {
#pragma unroll
            for (int s = 0; s < K; s++) {
                float x[columns];
#pragma unroll
                for (int c = 0; c < columns; c++) {
                    x[c] = ahead[0][c];
#pragma unroll
                    for (int d = 0; d + 1 < D; d++) ahead[d][c] = ahead[d + 1][c];
                }
                read(ahead[D - 1], s);
#pragma unroll
                for (int k = 0; k < K; k++) {
                    float(&sum)[columns] = sums[(s - k + K) % K];
#pragma unroll
                    for (int c = 0; c < columns; c++)
                        sum[c] = k == 0 ? w.w[0] * x[c] : fmaf(w.w[k], x[c], sum[c]);
                }
#pragma unroll
                for (int c = 0; c < columns; c++)
                    rows_done[s * shape::row_floats + target[c]] = sums[(s + 1) % K][c];
            }
            next += K;
            int first = done < row ? (int)(row - done) : 0;
            int count = end - done < K ? (int)(end - done) - first : K - first;
            __syncthreads();
            if constexpr (!plain.value) find_lines<T, K>(a, next, last, lines);
            row_pass<K, strip>(a, w, rows_done, out + (done + first) * a.out_pitch, out_col, first,
                        count);
            __syncthreads();
        }
    };
    if (all_inside) march(std::true_type());
    else march(std::false_type());
}

// Output rows of a block's march. Every march reads K - 1 rows again, so it should be long; but marches
// that are under way together should share those rows in the L2 cache, so not too long
// either; and all multiprocessors should have blocks.
static int64_t choose_rows(const conv_args &a, int64_t strips, int K, int64_t resident) {
    const int64_t most = 20 * K;
    int64_t marches = resident / (strips * a.images);
    if (marches < 1) marches = 1;
    int64_t rows = (a.out_height + marches - 1) / marches;
    rows = (rows + K - 1) / K * K;
    return rows < most ? rows : most;
}

template <class T, int K, int strip, int columns, int D, int B>
wk_status launch(conv_args a, const float *column, const float *row, cudaStream_t stream) {
    typedef strip_shape<K, strip> shape;
    conv_weights<2 * K> w;
    for (int i = 0; i < K; i++) w.w[i] = column[i], w.w[K + i] = row[i];
    // Within the 48 KiB that need no permission.
    const size_t bytes = K * (shape::row_floats * sizeof(float) + sizeof(int64_t));
    const int64_t shift = (a.col0 + shape::left) % 4, width = a.out_width;
    a.vector_out = a.vector_out && shift == 0;
    a.out_width += shift;  // the first strip starts so many columns before the output
    int sms = 0;
    WK_TRY(conv_multiprocessors(&sms));
    a.march_rows = (int32_t)choose_rows(a, (a.out_width + shape::outputs - 1) / shape::outputs, K,
                                        (int64_t)sms * B);
    return conv_launch_grid(a, a.march_rows, shape::outputs, 0, [&](conv_args &part, dim3 grid) {
        part.out_width = width;
        return wk_launch_kernel(separable_kernel<T, K, strip, columns, D, B>, grid,
                                strip / columns, bytes, stream, part, w);
    });
}

typedef wk_status (*launcher)(conv_args, const float *, const float *, cudaStream_t);

}  // namespace

// K, columns of a strip and of a thread, rows read ahead, blocks a multiprocessor should hold: measured. Two
// columns share the cost of a step, until their sums no longer leave room for enough warps.
#define SMALL(T, K, B) launch<T, K, 320, 2, K < 8 ? K - 1 : 8, B>
#define MIDDLE(T, K) launch<T, K, 256, 2, 8, 6>
#define LARGE(T, K) launch<T, K, 256, 1, (K < 22 || K > 25 ? 12 : 10), K < 26 ? 4 : 3>
#define SEPARABLE(T)                                                                            \
    {                                                                                           \
        SMALL(T, 3, 6), SMALL(T, 4, 6), SMALL(T, 5, 6), SMALL(T, 6, 6), SMALL(T, 7, 6),         \
            SMALL(T, 8, 5), SMALL(T, 9, 5), SMALL(T, 10, 5), SMALL(T, 11, 5), MIDDLE(T, 12),    \
            MIDDLE(T, 13), MIDDLE(T, 14), MIDDLE(T, 15), MIDDLE(T, 16), MIDDLE(T, 17),          \
            LARGE(T, 18), LARGE(T, 19), LARGE(T, 20), LARGE(T, 21), LARGE(T, 22), LARGE(T, 23), \
            LARGE(T, 24), LARGE(T, 25), LARGE(T, 26), LARGE(T, 27), LARGE(T, 28), LARGE(T, 29), \
            LARGE(T, 30), LARGE(T, 31)                                                          \
    }

wk_status conv_launch_separable(const conv_args &a, const float *column, const float *row,
                                cudaStream_t stream) {
    static const launcher launchers[2][WK_CONV_MAX_FILTER - 2] = {SEPARABLE(float),
                                                                  SEPARABLE(__half)};
    return launchers[a.half_in != 0][a.filter_width - 3](a, column, row, stream);
}
