// Filters of rank 1 on tensor cores, one pass over memory.
//
// A factor is the sum of two halves, so a float product is three products of halves, summed in float; what
// is left out is 2^-22 of it. Blocks scale their input by a power of two, so that the halves neither overflow
// nor run out of bits.
//
// A block owns a strip of columns and walks down it, a slab of 16 input rows a step. The rows first: the band
// matrix of the row's taps times the slab gives the transposed intermediate, whose fragments in registers are
// just those that the product with the column's band takes as its second factor. Each slab adds to the output
// slabs whose windows it meets; the oldest of them is then finished.
#include <math.h>
#include <string.h>

#include "conv_internal.cuh"
#include "conv_mma.cuh"

namespace {

const int slab_rows = 16;

struct tensor_weights {
    float column[WK_CONV_MAX_FILTER], row[WK_CONV_MAX_FILTER];  // scaled by powers of two
    float column_unit, row_unit;                                // what undoes that
    float mid_factor;  // brings the intermediate back into the range of the input
    float out_factor;  // what is left to undo at the output, the input's scale aside
    int32_t taps;
    int32_t skew;  // columns before the first tap, so that loads are aligned
};

// W warps, each M times 16 columns; S: steps of 16 inputs that 16 outputs and their taps span.
template <class T, int W, int M, int S> struct tensor_shape {
    enum {
        threads = W * 32,
        warp_columns = 16 * M,
        outputs = W * warp_columns,
        columns = outputs + 16 * (S - 1),  // of the input
        pitch = columns + 8,               // of a plane of halves: an odd number of 16 bytes, so no bank conflicts
        plane_bytes = slab_rows * pitch * 2,
        planes_bytes = 2 * plane_bytes,  // high and low halves
        band_bytes = S * 2 * 32 * 16,
        at_pieces = 2 * planes_bytes,
        at_bands = at_pieces + slab_rows * columns * (int)sizeof(T),
        at_most = at_bands + 2 * band_bytes,
        at_limits = at_most + 2 * W * 4,
        bytes = at_limits + 16,
        // A lane brings in row_quads quads in each of warp_rows rows, and one in the columns beyond the outputs.
        warp_rows = slab_rows / W,
        row_quads = outputs / 128,
        tail_quads = (columns - outputs) / 4,
        tail_lanes = warp_rows * tail_quads,
        quads = warp_rows * row_quads + 1
    };
};

// Four elements as they lie in memory.
template <class T> struct quad_of;
template <> struct quad_of<float> {
    typedef uint4 type;
};
template <> struct quad_of<__half> {
    typedef uint2 type;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

__device__ __forceinline__ void widen(uint4 q, float (&x)[4]) {
    x[0] = __uint_as_float(q.x), x[1] = __uint_as_float(q.y), x[2] = __uint_as_float(q.z), x[3] = __uint_as_float(q.w);
}
__device__ __forceinline__ void widen(uint2 q, float (&x)[4]) {
    conv_widen_half(q.x, x[0], x[1]);
    conv_widen_half(q.y, x[2], x[3]);
}

// This lane's registers of 16 columns of the band matrix B[i][k] = taps[k - i - skew], high or low halves. The
// row's band has its rows in such an order that a lane of the column's product holds four neighbouring columns.
__device__ __forceinline__ uint4 band_fragment(const float *taps, int count, int skew, int step, bool low, int lane,
                                               bool of_row) {
    uint32_t r[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
        __half h[2];
#pragma unroll
        for (int o = 0; o < 2; o++) {
            const int g = lane / 4, i = of_row ? g / 2 * 4 + g % 2 + e % 2 * 2 : g + e % 2 * 8;
            const int k = step * 16 + lane % 4 * 2 + o + e / 2 * 8, tap = k - i - skew;
            const float w = tap >= 0 && tap < count ? taps[tap] : 0.f;
            const __half high = __float2half_rn(w);
            h[o] = low ? __float2half_rn(w - __half2float(high)) : high;
        }
        r[e] = (uint32_t)__half_as_ushort(h[0]) | (uint32_t)__half_as_ushort(h[1]) << 16;
    }
    return make_uint4(r[0], r[1], r[2], r[3]);
}

// Where a block works.
template <class T> struct tensor_place {
    int64_t row, end, out_col;   // output rows, first output column
    int64_t top, first_col;      // first input row and column
    const T *in;
    float *out;

    __device__ __forceinline__ tensor_place(const conv_args &a, const tensor_weights &w, int outputs)
        : row((int64_t)blockIdx.y * a.march_rows),
          end(row + a.march_rows < a.out_height ? row + a.march_rows : a.out_height),
          out_col((int64_t)blockIdx.x * outputs), top(a.row0 + row), first_col(out_col + a.col0 - w.skew),
          in((const T *)a.in + blockIdx.z * a.in_image), out(a.out + blockIdx.z * a.out_image) {}
};

// Counts of slabs that are the same for all threads of a block.
struct tensor_limits {
    int slabs;
    int plain_from, plain_to;  // those that lie inside the image: loaded without further questions
    int whole_to;              // before this step only whole slabs of aligned outputs are finished
};
static_assert(sizeof(tensor_limits) == sizeof(uint4), "loaded at once");

template <class T, class shape>
__device__ __forceinline__ tensor_limits find_limits(const conv_args &a, const tensor_place<T> &at, int S) {
    tensor_limits l;
    const int64_t rows = at.end - at.row, first = at.first_col;
    l.slabs = (int)((rows + slab_rows - 1) / slab_rows) + S - 1;
    l.plain_from = at.top < 0 ? (int)((-at.top + slab_rows - 1) / slab_rows) : 0;
    const bool inside = a.vector_in && first >= 0 && first + shape::columns <= a.width && a.height > at.top;
    l.plain_to = inside ? (int)min((a.height - at.top) / slab_rows, (int64_t)l.slabs) : 0;
    const bool whole = a.vector_out && at.out_col + shape::outputs <= a.out_width;
    l.whole_to = whole ? (int)(rows / slab_rows) + S - 1 : 0;
    return l;
}

// The quads of a slab that a lane brings in. Those beyond the outputs lie four rows apart, on different banks.
template <class shape> struct tensor_quads {
    int lane, warp, tail_row, tail_col;
    bool has_tail;

    __device__ __forceinline__ tensor_quads()
        : lane(threadIdx.x % 32), warp(threadIdx.x / 32),
          tail_row(warp % 4 + 4 * (warp / 4 * shape::warp_rows + lane / shape::tail_quads % shape::warp_rows)),
          tail_col(shape::outputs + lane % shape::tail_quads * 4),
          has_tail(shape::tail_lanes >= 32 || lane < shape::tail_lanes) {}

    static __device__ __forceinline__ bool in_row(int q) { return q + 1 < shape::quads; }
    __device__ __forceinline__ bool wanted(int q) const { return in_row(q) || has_tail; }
    __device__ __forceinline__ int row(int q) const {
        return in_row(q) ? warp * shape::warp_rows + q / shape::row_quads : tail_row;
    }
    __device__ __forceinline__ int column(int q) const {
        return in_row(q) ? lane * 4 + q % shape::row_quads * 128 : tail_col;
    }
};

// This lane's quads of a slab that is not inside the image: whole quads first, all of them under way at once, then
// what has to be put together of pieces.
template <class T, class shape, class quad>
__device__ __forceinline__ void fetch_border(const conv_args &a, const tensor_place<T> &at, const tensor_quads<shape> &mine,
                                             int s, char *pieces_at, quad (&x)[shape::quads]) {
    const int64_t first = at.top + (int64_t)s * slab_rows;
    uint32_t pieces = 0;
#pragma unroll
    for (int q = 0; q < shape::quads; q++) {
        const int64_t line = conv_map(first + mine.row(q), a.height, a.border), c = at.first_col + mine.column(q);
        const bool wanted = line >= 0 && mine.wanted(q), inside = a.vector_in && c >= 0 && c + 4 <= a.width;
        const bool empty = a.border <= WK_BORDER_ZERO && (c + 4 <= 0 || c >= a.width);
        x[q] = quad();
        if (wanted && inside) x[q] = __ldg((const quad *)(at.in + line * a.in_pitch + c));
        pieces |= (uint32_t)(wanted && !inside && !empty) << q;
    }
    if (!pieces) return;
    auto place = [&](int q) { return (T *)pieces_at + mine.row(q) * shape::columns + mine.column(q); };
#pragma unroll 1
    for (int q = 0; q < shape::quads; q++) {
        if (!(pieces >> q & 1)) continue;
        const int64_t line = conv_map(first + mine.row(q), a.height, a.border), c = at.first_col + mine.column(q);
        T v[4];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int64_t col = conv_map(c + e, a.width, a.border);
            v[e] = col >= 0 ? at.in[line * a.in_pitch + col] : T(0.f);
        }
        memcpy(place(q), v, sizeof v);
    }
#pragma unroll
    for (int q = 0; q < shape::quads; q++)
        if (pieces >> q & 1) x[q] = *(const quad *)place(q);
}

// The power of two that a block scales its input by. The largest magnitude comes to lie in [2^13, 2^14), or as far as
// a float's exponent reaches, and may then move between 2^9 and 2^15. Magnitudes are the bits of floats.
struct input_scale {
    float in = 0, out = 0;           // of the input, of the output
    uint32_t enough = 1, range = 0;  // a slab's largest magnitude in [enough, enough + range] keeps the scale
    uint32_t before[2] = {};         // the largest magnitudes of the slabs whose outputs are unfinished

    __device__ __forceinline__ bool keeps(uint32_t most) const { return most - enough <= range; }

    // Whether a slab asks for another scale, and then what its sums so far have to be multiplied by, twice since the product may be no float.
    __device__ __forceinline__ bool changes(uint32_t most, bool first, float out_factor, float (&by)[2]) {
        const uint32_t all = max(most, max(before[0], before[1]));
        if (!first && (all == 0 || (most <= enough + range && all >= enough))) return false;
        const int exponent = max((int)(all >> 23), 14), change = 267 - exponent - (int)(__float_as_uint(in) >> 23);
        in = power(267 - 127 - exponent);
        out = power(exponent - 13 - 127) * out_factor;
        enough = exponent > 14 ? (uint32_t)max(exponent - 4, 14) << 23 : 1;
        range = ((uint32_t)min(exponent + 2, 255) << 23) - 1 - enough;
        by[0] = power(change / 2), by[1] = power(change - change / 2);
        return true;
    }

    static __device__ __forceinline__ float power(int e) { return __uint_as_float((uint32_t)(e + 127) << 23); }
};

// The outputs of one slab in float and from global memory, for windows that hold what is not finite.
template <class T>
__device__ __forceinline__ void plain_slab(const conv_args &a, const tensor_weights &w, const tensor_place<T> &at,
                                           int64_t row, int outputs) {
    const int64_t end = row + slab_rows < at.end ? row + slab_rows : at.end;
    const int64_t columns = at.out_col + outputs < a.out_width ? outputs : a.out_width - at.out_col;
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < columns * (end - row); i += blockDim.x) {
        const int64_t r = row + i / columns, c = at.out_col + i % columns;
        float sum = 0;
#pragma unroll 1
        for (int m = 0; m < w.taps; m++) {
            const int64_t line = conv_map(a.row0 + r + m, a.height, a.border);
            float part = 0;
#pragma unroll 1
            for (int n = 0; n < w.taps; n++) {
                const int64_t col = conv_map(a.col0 + c + n, a.width, a.border);
                const float x = line >= 0 && col >= 0 ? conv_load(at.in + line * a.in_pitch + col) : 0.f;
                part = fmaf(w.row[n] * w.row_unit, x, part);
            }
            sum = fmaf(w.column[m] * w.column_unit, part, sum);
        }
        at.out[r * a.out_pitch + c] = sum;
    }
}

// The three products of halves that make a float product, the small ones first: mma(i, low or high of the first factor,
// of the second).
template <class Product> __device__ __forceinline__ void three_products(Product product) {
    product(0, 0, 1);
    product(1, 1, 0);
    product(2, 0, 0);
}

template <class T, int W, int M, int S, int B>
__global__ void __launch_bounds__(W * 32, B)
    tensor_kernel(const __grid_constant__ conv_args a, const __grid_constant__ tensor_weights w) {
    typedef tensor_shape<T, W, M, S> shape;
    typedef typename quad_of<T>::type quad;
    constexpr int N = 2 * M, Q = shape::quads;
    extern __shared__ uint4 shared[];
    char *const base = (char *)shared;
    const tensor_place<T> at(a, w, shape::outputs);
    const tensor_quads<shape> mine;
    const int lane = mine.lane, warp = mine.warp;

    // The band matrices, and what the compiler would compute again in every step, go through shared memory.
    if (threadIdx.x == 0) *(tensor_limits *)(base + shape::at_limits) = find_limits<T, shape>(a, at, S);
    for (int i = threadIdx.x; i < 2 * S * 64; i += shape::threads) {
        const int f = i % (S * 64);
        const bool of_row = i >= S * 64;
        ((uint4 *)(base + shape::at_bands))[i] = band_fragment(of_row ? w.row : w.column, w.taps, of_row ? w.skew : 0, f / 64,
                                                               f / 32 % 2, f % 32, of_row);
    }
    __syncthreads();
    const uint32_t shared0 = shared_address(base);
    const uint4 l = shared_load(shared0 + shape::at_limits);
    const tensor_limits limits = {(int)l.x, (int)l.y, (int)l.z, (int)l.w};
    const uint32_t band_at = kept(shared0 + shape::at_bands + lane * 16), most_at = kept(shared0 + shape::at_most);
    const uint32_t plane_main = kept(shared0 + (mine.row(0) * shape::pitch + mine.column(0)) * 2);
    const uint32_t plane_tail = kept(shared0 + (mine.tail_row * shape::pitch + mine.tail_col) * 2);
    const uint32_t matrix_at = kept(shared0 + (lane % 8 * shape::pitch + warp * shape::warp_columns + lane / 8 * 8) * 2);
    uint4 row_band[S][2];
#pragma unroll
    for (int i = 0; i < 2 * S; i++) row_band[i / 2][i % 2] = shared_load(band_at + (2 * S + i) * 512);

    // Slab s; `from`: the first of this lane's quads.
    const int64_t tail = kept((mine.tail_row - mine.row(0)) * a.in_pitch + mine.tail_col - mine.column(0));
    auto fetch = [&](int s, const T *from, quad(&x)[Q]) {
        if (s >= limits.plain_from && s < limits.plain_to) {
#pragma unroll
            for (int q = 0; q < Q; q++) {
                const T *p = from + (mine.in_row(q) ? q / shape::row_quads * a.in_pitch + q % shape::row_quads * 128 : tail);
                if (mine.wanted(q)) x[q] = __ldg((const quad *)p);
            }
        } else if (s < limits.slabs) {
            fetch_border<T, shape>(a, at, mine, s, base + shape::at_pieces, x);
        }
    };
    // Scales, splits and stores what this lane brought in.
    auto convert = [&](const quad(&raw)[Q], int buffer, float scale) {
#pragma unroll
        for (int q = 0; q < Q; q++) {
            float x[4];
            uint2 high, low;
            widen(raw[q], x);
            split(x[0] * scale, x[1] * scale, high.x, low.x);
            split(x[2] * scale, x[3] * scale, high.y, low.y);
            const int in_plane = (q / shape::row_quads * shape::pitch + q % shape::row_quads * 128) * 2;
            const uint32_t to = (mine.in_row(q) ? plane_main + in_plane : plane_tail) + buffer * shape::planes_bytes;
            if (!mine.wanted(q)) continue;
            shared_store(to, high);
            shared_store(to + shape::plane_bytes, low);
        }
    };
    // The largest magnitude of what the warp brought in, left for all.
    auto measure = [&](const quad(&raw)[Q], int buffer) {
        float most = 0;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            float x[4];
            widen(raw[q], x);
#pragma unroll
            for (int e = 0; e < 4; e++) most = max_magnitude(most, x[e]);
        }
        const uint32_t bits = __reduce_max_sync(~0u, __float_as_uint(most));
        shared_store_if(lane == 0, most_at + (buffer * W + warp) * 4, bits);
    };
    auto largest = [&](int buffer) {
        uint32_t most = 0;
#pragma unroll
        for (int i = 0; i < W; i += 4) {
            const uint4 v = shared_load(most_at + (buffer * W + i) * 4);
            most = max(max(most, max(v.x, v.y)), max(v.z, v.w));
        }
        return most;
    };

    const int64_t stride = slab_rows * a.in_pitch;
    const T *from = at.in + (at.top + mine.row(0)) * a.in_pitch + at.first_col + mine.column(0);
    quad ahead[Q] = {};
    fetch(0, from, ahead);
    measure(ahead, 0);
    from += stride;
    fetch(1, from, ahead);

    input_scale scale;
    uint32_t odd = 0;  // bits: unfinished output slabs, the oldest first, that meet what is not finite
    float sums[S - 1][N][4] = {};
    float *target = at.out + (at.row + lane / 4) * a.out_pitch + at.out_col + warp * shape::warp_columns + lane % 4 * 4;
#pragma unroll 1
    for (int s = 0; s < limits.slabs; s++) {
        const int buffer = s & 1;
        __syncthreads();
        // The planes hold this slab in the scale of the one before, unless it has to be another.
        uint32_t most = largest(buffer);
        if (s == 0 || !scale.keeps(most)) {
            float by[2];
            if (most >= 0x7f800000) {
                odd |= (1u << S) - 1;
                most = 0;
            }
            if (scale.changes(most, s == 0, w.out_factor, by)) {
                quad again[Q] = {};
                fetch(s, from - stride, again);
                convert(again, buffer, scale.in);
#pragma unroll
                for (int i = 0; i < (S - 1) * N * 4; i++) {
                    float &sum = sums[i / (4 * N)][i / 4 % N][i % 4];
                    sum = sum * by[0] * by[1];
                }
                __syncthreads();
            }
        }
        scale.before[1] = S > 2 ? scale.before[0] : 0, scale.before[0] = most;

        // The next slab, in the scale of this one, and the loads of the one after.
        convert(ahead, buffer ^ 1, scale.in);
        measure(ahead, buffer ^ 1);
        from += stride;
        fetch(s + 2, from, ahead);

        // Rows. mid[n]: columns 8 n to 8 n + 7 of the warp, high and low, first and last eight rows.
        uint32_t mid[N][2][2];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            constexpr int units = N + 2 * S - 2;  // of 8 columns
            uint32_t x[2][units];
#pragma unroll
            for (int l = 0; l < 2; l++)
#pragma unroll
                for (int u = 0; u < units; u += 4) {
                    const uint32_t where = matrix_at + buffer * shape::planes_bytes + l * shape::plane_bytes +
                                           (h * 8 * shape::pitch + u * 8) * 2;
                    if (units - u >= 4) load_matrices(where, *(uint32_t(*)[4]) & x[l][u]);
                    else load_matrices(where, *(uint32_t(*)[2]) & x[l][u]);
                }
#pragma unroll
            for (int m = 0; m < M; m++) {
                float c[4] = {};
                three_products([&](int, int lw, int lx) {
#pragma unroll
                    for (int j = 0; j < S; j++) mma(c, row_band[j][lw], x[lx][2 * (m + j)], x[lx][2 * (m + j) + 1], c);
                });
#pragma unroll
                for (int e = 0; e < 4; e++) c[e] *= w.mid_factor;
                split(c[0], c[1], mid[2 * m][0][h], mid[2 * m][1][h]);
                split(c[2], c[3], mid[2 * m + 1][0][h], mid[2 * m + 1][1][h]);
            }
        }

        // Columns. `step` of the window's steps of 16 rows: this slab is the last one of the oldest output slab.
        auto column_product = [&](int step, float(&to)[N][4], const float(&sum)[N][4]) {
            const uint4 band[2] = {shared_load(band_at + step * 1024), shared_load(band_at + step * 1024 + 512)};
            three_products([&](int i, int lw, int lx) {
#pragma unroll
                for (int n = 0; n < N; n++) mma(to[n], band[lw], mid[n][lx][0], mid[n][lx][1], i == 0 ? sum[n] : to[n]);
            });
        };
        float done[N][4];
        column_product(S - 1, done, sums[0]);
        if (s >= S - 1) {
            const int64_t done_row = at.row + (int64_t)(s - (S - 1)) * slab_rows;
            if (odd & 1) {
                plain_slab(a, w, at, done_row, shape::outputs);
            } else if (s < limits.whole_to) {
#pragma unroll
                for (int i = 0; i < N; i++) {
                    const int m = i / 2, h = i % 2;
                    const float *u = done[2 * m] + 2 * h, *v = done[2 * m + 1] + 2 * h;
                    __stcs((float4 *)(target + h * 8 * a.out_pitch + 16 * m),
                           make_float4(u[0] * scale.out, u[1] * scale.out, v[0] * scale.out, v[1] * scale.out));
                }
            } else {
#pragma unroll
                for (int i = 0; i < 4 * N; i++) {
                    const int n = i / 4, e = i % 4, r = e / 2 * 8, c = n / 2 * 16 + n % 2 * 2 + e % 2;
                    if (done_row + lane / 4 + r < at.end &&
                        at.out_col + warp * shape::warp_columns + lane % 4 * 4 + c < a.out_width)
                        target[r * a.out_pitch + c] = done[n][e] * scale.out;
                }
            }
            odd >>= 1;
            target += slab_rows * a.out_pitch;
        }
#pragma unroll
        for (int j = S - 2; j > 0; j--) column_product(j, sums[S - 2 - j], sums[S - 1 - j]);
        const float zero[N][4] = {};
        column_product(0, sums[S - 2], zero);
    }
}
#else
template <class T, int W, int M, int S, int B> __global__ void tensor_kernel(const conv_args, const tensor_weights) {}
#endif

// The power of two that brings the factor's largest weight into [2^13, 2^14).
int factor_exponent(const float *w, int count) {
    float most = 0;
    for (int i = 0; i < count; i++) most = fmaxf(most, fabsf(w[i]));
    return 13 - ilogbf(most);
}

// False when the factors are not finite, zero, or so large or small that the scales of outputs would be no floats.
bool prepare(const float *column, const float *row, int count, tensor_weights *w) {
    double sum_column = 0, sum_row = 0;
    for (int i = 0; i < count; i++) sum_column += fabs(column[i]), sum_row += fabs(row[i]);
    const double sum = sum_column * sum_row;
    if (!(sum >= 0x1p-12 && sum <= 0x1p20 && sum_row >= 0x1p-40 && sum_row <= 0x1p40)) return false;
    const int r = factor_exponent(row, count), mid = (int)ceil(log2(ldexp(sum_row, r)));
    int c = factor_exponent(column, count);
    // At an input scale of 2^126, the largest, the output's is 2^(mid - c - r - 126).
    if (mid - c - r < -23) c = mid - r + 23;
    for (int i = 0; i < count; i++) w->column[i] = ldexpf(column[i], c), w->row[i] = ldexpf(row[i], r);
    w->column_unit = ldexpf(1, -c), w->row_unit = ldexpf(1, -r);
    w->mid_factor = ldexpf(1, -mid), w->out_factor = ldexpf(1, mid - c - r);
    w->taps = count;
    return true;
}

// Output rows of a block's march. Short ones read many rows twice; long ones lose what neighbours share in the L2
// cache, and leave few blocks to even out that some multiprocessors get through theirs later than others: the least of
// the slabs that are worked on one after the other, and of a part of a march at the end.
int64_t choose_rows(const conv_args &a, int64_t strips, int steps, int64_t resident) {
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t rows = slab_rows; rows <= 640; rows += slab_rows) {
        const int64_t blocks = (a.out_height + rows - 1) / rows * strips * a.images;
        const double cost = ((double)((blocks + resident - 1) / resident) + 0.7) * (double)(rows + slab_rows * steps);
        if (cost <= least) least = cost, best = rows;
    }
    return best;
}

template <class T, int W, int M, int S, int B>
wk_status launch(conv_args a, const tensor_weights &w, int sms, cudaStream_t stream) {
    typedef tensor_shape<T, W, M, S> shape;
    WK_CUDA(cudaFuncSetAttribute(tensor_kernel<T, W, M, S, B>, cudaFuncAttributeMaxDynamicSharedMemorySize, shape::bytes));
    a.march_rows = (int32_t)choose_rows(a, (a.out_width + shape::outputs - 1) / shape::outputs, S, (int64_t)sms * B);
    return conv_launch_grid(a, a.march_rows, shape::outputs, 0, [&](conv_args &part, dim3 grid) {
        return wk_launch_kernel(tensor_kernel<T, W, M, S, B>, grid, shape::threads, shape::bytes, stream, part, w);
    });
}

template <class T> wk_status launch_steps(const conv_args &a, const tensor_weights &w, int sms, cudaStream_t stream) {
    if (w.taps + w.skew <= 17) return launch<T, 4, 2, 2, 4>(a, w, sms, stream);
    return launch<T, 4, 4, 3, 2>(a, w, sms, stream);
}

}  // namespace

wk_status conv_launch_tensor(const conv_args &a, const float *column, const float *row, cudaStream_t stream) {
    int device = 0, major = 0, sms = 0;
    WK_CUDA(cudaGetDevice(&device));
    WK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    tensor_weights w = {};
    if (major < 8 || !prepare(column, row, a.filter_width, &w)) return conv_launch_separable(a, column, row, stream);
    WK_TRY(conv_multiprocessors(&sms));
    w.skew = (int32_t)(a.col0 & 3);
    return a.half_in ? launch_steps<__half>(a, w, sms, stream) : launch_steps<float>(a, w, sms, stream);
}
