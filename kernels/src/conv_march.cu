// The fast path for small square filters: register marching.
//
// A warp owns a strip of 128 columns, a lane four of them. It walks down the image: for each
// input row a lane loads its four elements with one wide access, takes the halo from its
// neighbours by shuffles (the outer lanes load theirs), and adds the row to the K output rows that
// it touches, which wait in registers. Nothing is read twice but the halo of the strip, and
// no barrier is needed. Loads run D rows ahead.
#include "conv_internal.cuh"

namespace {

const int lane_columns = 4;
const int strip_columns = 32 * lane_columns;

// How a lane finds four elements that are no plain wide load: one signed byte an element,
// its offset from where it would be, or none.
const int offset_none = -128;

__device__ __forceinline__ uint32_t column_offsets(int64_t c, const conv_args &a) {
    if (c >= 0 && c + 4 <= a.width) return 0x03020100u;
    // Columns further out than a filter of this path reaches are never used, and a reflected offset
    // from further out would not fit into its byte.
    const int far = 16;
    uint32_t packed = 0x01010101u * (uint32_t)(offset_none & 255);
    if (c <= -far || c >= a.width + far) return packed;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const int64_t m = conv_map(c + e, a.width, a.border);
        if (m >= 0) packed = (packed & ~(255u << (8 * e))) | ((uint32_t)(m - c) & 255) << (8 * e);
    }
    return packed;
}

template <int N, class T>
__device__ __forceinline__ void gather(const T *p, uint32_t offsets, float (&v)[N]) {
#pragma unroll
    for (int e = 0; e < N; e++) {
        int offset = (int)(int8_t)(offsets >> (8 * e));
        v[e] = offset == offset_none ? 0.f : conv_load(p + offset);
    }
}

// What a lane's outputs see of one row: LH elements left of its own four, RH right of them.
// The first and the last lane load theirs, HN elements at once.
template <int K, int LH> struct halo_shape {
    enum { RH = K - 1 - LH, need = LH > RH ? LH : RH, HN = need <= 1 ? 1 : need == 2 ? 2 : 4 };

    static __device__ __forceinline__ int edge(int lane) { return lane == 0 ? -HN : 4; }
    static __device__ __forceinline__ bool any(int lane) {
        return (LH > 0 && lane == 0) || (RH > 0 && lane == 31);
    }
};

// A lane's view of a strip's input rows, anywhere: borders, unaligned rows, strips that end
// early.
template <class T, int HN> struct row_reader {
    const T *image;  // row 0 at the lane's own column
    int64_t row, end;  // the next row, and the one after the last
    uint32_t own_offsets, edge_offsets;
    int edge;        // from own column to the first element that an outer lane loads
    bool own_wide, edge_any;

    __device__ __forceinline__ void read(const conv_args &a, float (&own)[4], float (&halo)[HN]) {
        for (int i = 0; i < 4; i++) own[i] = 0.f;
        for (int i = 0; i < HN; i++) halo[i] = 0.f;
        if (row >= end) return;
        int64_t r = conv_map(row++, a.height, a.border);
        if (r < 0) return;
        const T *p = image + r * a.in_pitch;
        if (own_wide) conv_load_wide(p, own);
        else gather(p, own_offsets, own);
        if (edge_any) gather(p + edge, edge_offsets, halo);
    }
};

// The K + 3 elements that a lane's four outputs see of one row, from the neighbours' registers.
template <int K, int LH>
__device__ __forceinline__ void widen(float (&x)[K + 3], const float (&own)[4],
                                      const float (&halo)[halo_shape<K, LH>::HN], int lane) {
    const int RH = K - 1 - LH, HN = halo_shape<K, LH>::HN;
#pragma unroll
    for (int i = 0; i < LH; i++) {
        float v = __shfl_up_sync(~0u, own[4 - LH + i], 1);
        x[i] = lane == 0 ? halo[HN - LH + i] : v;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) x[LH + i] = own[i];
#pragma unroll
    for (int i = 0; i < RH; i++) {
        float v = __shfl_down_sync(~0u, own[i], 1);
        x[LH + 4 + i] = lane == 31 ? halo[i] : v;
    }
}

// The outer lanes' share of the halo, and where it lies.
template <class T, int K, int LH, int D> struct row_queue {
    typedef halo_shape<K, LH> shape;
    float own[D + 1][4], halo[D + 1][shape::HN];
    const T *in;
    int edge;
    bool edge_any;

    __device__ __forceinline__ row_queue(const T *first, int lane)
        : in(first), edge(shape::edge(lane)), edge_any(shape::any(lane)) {}

    // Loads the next row into place d, or skips it.
    __device__ __forceinline__ void read(const conv_args &a, int d, bool wanted) {
        conv_load_if(wanted, in, own[d]);
        conv_load_if(wanted && edge_any, in + edge, halo[d]);
        in += a.in_pitch;
    }

    // Loads one row more and gives the oldest one, with its halo.
    __device__ __forceinline__ void advance(const conv_args &a, bool wanted, int lane,
                                            float (&x)[K + 3]) {
        read(a, D, wanted);
        widen<K, LH>(x, own[0], halo[0], lane);
#pragma unroll
        for (int d = 0; d < D; d++) {
#pragma unroll
            for (int i = 0; i < 4; i++) own[d][i] = own[d + 1][i];
#pragma unroll
            for (int i = 0; i < shape::HN; i++) halo[d][i] = halo[d + 1][i];
        }
    }
};

// Adds a row through filter row k to the output row that waits in s.
template <int K>
__device__ __forceinline__ void accumulate(float (&s)[4], const float (&x)[K + 3],
                                           const conv_weights<K * K> &w, int k) {
#pragma unroll
    for (int j = 0; j < K; j++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            s[c] = k == 0 && j == 0 ? w.w[0] * x[c] : fmaf(w.w[k * K + j], x[c + j], s[c]);
}

__device__ __forceinline__ void stream_out(float *p, const float (&s)[4]) {
    __stcs((float4 *)p, make_float4(s[0], s[1], s[2], s[3]));
}

// Inside the image, ROWS output rows at once: straight code that knows which output rows an input
// row touches. For small filters, where few rows are best and the code stays small.
template <class T, int K, int LH, int D, int ROWS>
__device__ __forceinline__ void march_tile(const conv_args &a, const conv_weights<K * K> &w,
                                           const T *in, float *out, int lane) {
    row_queue<T, K, LH, D> queue(in, lane);
    float sums[K][4], x[K + 3];
#pragma unroll
    for (int d = 0; d < D; d++) queue.read(a, d, true);
#pragma unroll
    for (int y = 0; y < ROWS + K - 1; y++) {
        queue.advance(a, y + D < ROWS + K - 1, lane, x);
#pragma unroll
        for (int k = K - 1; k >= 0; k--)
            if (y >= k && y - k < ROWS) accumulate<K>(sums[(y - k) % K], x, w, k);
        if (y >= K - 1) {
            stream_out(out, sums[(y - K + 1) % K]);
            out += a.out_pitch;
        }
    }
}

// Inside the image, any number of rows, in rounds of U. sums[i] waits for the i-th output row from
// the round's first on, which meets input row u of the round through filter row
// K - 1 + u - i; K - 1 unfinished rows are handed on. The first and last rounds also compute what belongs to
// rows outside: guards against it cost more than it does. Rounds are short on purpose: a
// loop long enough to need no moves outgrows the instruction cache.
template <class T, int K, int LH, int D, int U>
__device__ __forceinline__ void march_rounds(const conv_args &a, const conv_weights<K * K> &w,
                                             const T *in, float *out, int rows, int lane) {
    const int reads = rows + K - 1;
    row_queue<T, K, LH, D> queue(in, lane);
    float sums[K - 1 + U][4] = {}, x[K + 3];
#pragma unroll
    for (int d = 0; d < D; d++) queue.read(a, d, d < reads);
#pragma unroll 1
    for (int y = 0; y < reads; y += U) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            queue.advance(a, y + u + D < reads, lane, x);
#pragma unroll
            for (int k = K - 1; k >= 0; k--) accumulate<K>(sums[K - 1 + u - k], x, w, k);
            if (y + u >= K - 1 && y + u < reads) {
                stream_out(out, sums[u]);
                out += a.out_pitch;
            }
        }
#pragma unroll
        for (int i = 0; i < K - 1; i++)
#pragma unroll
            for (int c = 0; c < 4; c++) sums[i][c] = sums[i + U][c];
    }
}

// Anywhere: output rows [row, end).
template <class T, int K, int LH>
__device__ __forceinline__ void march_border(const conv_args &a, const conv_weights<K * K> &w,
                                             const T *image, float *out_image, int64_t row,
                                             int64_t end, int64_t out_col, int lane) {
    typedef halo_shape<K, LH> shape;
    if (row >= end) return;
    const int64_t col = out_col + a.col0 + LH;
    row_reader<T, shape::HN> in;
    in.image = image + col;
    in.row = a.row0 + row, in.end = a.row0 + end + K - 1;
    in.own_wide = a.vector_in && col >= 0 && col + 4 <= a.width;
    in.own_offsets = column_offsets(col, a);
    in.edge = shape::edge(lane);
    in.edge_any = shape::any(lane);
    in.edge_offsets = column_offsets(col + in.edge, a);

    // Small filters read two rows ahead: at the border of a small image nothing else hides the wait.
    const int D = K <= 5 ? 2 : 1;
    float sums[K][4] = {}, x[K + 3], own[D][4], halo[D][shape::HN];
#pragma unroll
    for (int d = 0; d < D; d++) in.read(a, own[d], halo[d]);
#pragma unroll 1
    for (int64_t done = row - (K - 1); done < end; done++) {
        widen<K, LH>(x, own[0], halo[0], lane);
#pragma unroll
        for (int d = 0; d + 1 < D; d++) {
#pragma unroll
            for (int i = 0; i < 4; i++) own[d][i] = own[d + 1][i];
#pragma unroll
            for (int i = 0; i < shape::HN; i++) halo[d][i] = halo[d + 1][i];
        }
        in.read(a, own[D - 1], halo[D - 1]);
#pragma unroll
        for (int k = K - 1; k >= 0; k--) accumulate<K>(sums[K - 1 - k], x, w, k);
        if (done >= row) conv_store4(out_image + done * a.out_pitch, out_col, sums[0], a);
#pragma unroll
        for (int i = 0; i < K - 1; i++)
#pragma unroll
            for (int c = 0; c < 4; c++) sums[i][c] = sums[i + 1][c];
    }
}

// Blocks that a multiprocessor can hold at all; asking for more is an error.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 800 || __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870)
#define MOST_BLOCKS 16
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
#define MOST_BLOCKS 24
#else
#define MOST_BLOCKS 32
#endif

// A block is one warp, so that the compiler knows every branch but those on the lane to be
// uniform, and keeps addresses and weights in uniform registers. Along y come the rows above those
// whose window lies inside the image, the rows below, and the rows inside, march_rows a block.
// TILE: output rows of march_tile, or 0 for march_rounds with rounds of U.
template <class T, int K, int LH, int D, int TILE, int U, int B>
__global__ void __launch_bounds__(32, B < MOST_BLOCKS ? B : MOST_BLOCKS)
    march_kernel(const conv_args a, const conv_weights<K * K> w) {
    const int lane = threadIdx.x;
    const int64_t strip_col = (int64_t)blockIdx.x * strip_columns;
    const int64_t out_col = strip_col + lane * lane_columns;
    const int64_t col = strip_col + a.col0 + LH;
    const T *image = (const T *)a.in + blockIdx.z * a.in_image;
    float *out = a.out + blockIdx.z * a.out_image;

    int64_t row = 0, end = a.inside_first;
    if (blockIdx.y == 1) row = a.inside_end, end = a.out_height;
    if (blockIdx.y >= 2) {
        row = a.inside_first + (int64_t)(blockIdx.y - 2) * a.march_rows;
        end = row + a.march_rows < a.inside_end ? row + a.march_rows : a.inside_end;
        if (a.vector_in && a.vector_out && strip_col + strip_columns <= a.out_width &&
            col >= (LH > 0 ? 4 : 0) && col + strip_columns + (K - 1 - LH > 0 ? 4 : 0) <= a.width) {
            const T *from = image + (a.row0 + row) * a.in_pitch + col + lane * lane_columns;
            float *to = out + row * a.out_pitch + out_col;
            if (TILE == 0) {
                march_rounds<T, K, LH, D, U>(a, w, from, to, (int)(end - row), lane);
                return;
            }
            if (end - row == TILE) {
                march_tile<T, K, LH, D, TILE ? TILE : 1>(a, w, from, to, lane);
                return;
            }
        }
    }
    march_border<T, K, LH>(a, w, image, out, row, end, out_col, lane);
}

// How many output rows a block should march, measured on an H200. Neighbouring marches both read
// the K - 1 rows between them; while the marches are short the second read comes from
// the L2 cache, so more rows are better only where arithmetic is the bound, and
// only where the image has enough of them for all multiprocessors.
const int rounds_shortest = 8, rounds_best = 94;

template <class T, int K, int LH, int D, int TILE, int U, int B>
wk_status launch(const conv_args &a, const float *weights, cudaStream_t stream) {
    conv_weights<K * K> w;
    for (int i = 0; i < K * K; i++) w.w[i] = weights[i];
    int64_t rows = TILE;
    if (rows == 0) {
        int sms = 0;
        WK_TRY(conv_multiprocessors(&sms));
        const int64_t strips = (a.out_width + strip_columns - 1) / strip_columns * a.images;
        rows = strips * a.out_height / ((int64_t)sms * B);
        rows = rows < rounds_shortest ? rounds_shortest : rows > rounds_best ? rounds_best : rows;
    }
    return conv_launch_grid(a, rows, strip_columns, 3, [&](conv_args &part, dim3 grid) {
        // The output rows whose window lies inside the image.
        int64_t first = part.row0 < 0 ? -part.row0 : 0;
        int64_t end = part.height - part.row0 - (K - 1);
        if (first > part.out_height) first = part.out_height;
        if (end > part.out_height) end = part.out_height;
        if (end < first) end = first;
        part.march_rows = (int32_t)rows;
        part.inside_first = first, part.inside_end = end;
        grid.y = (unsigned)(2 + (end - first + rows - 1) / rows);
        return wk_launch_kernel(march_kernel<T, K, LH, D, TILE, U, B>, grid, 32, 0, stream, part, w);
    });
}

typedef wk_status (*launcher)(const conv_args &, const float *, cudaStream_t);

}  // namespace

// A lane's own quad lies LH elements after its first tap: what the border asks for with an
// output as large as the input, and without a border what makes one neighbour's quad enough.
// Rows ahead, rows of a tile, rows of a round, blocks a multiprocessor should hold: measured.
#define BOTH(T, K, SAME, VALID, ...) {launch<T, K, SAME, __VA_ARGS__>, launch<T, K, VALID, __VA_ARGS__>}
#define MARCH(T)                                                                    \
    {                                                                               \
        BOTH(T, 1, 0, 0, 1, 4, 1, 32), BOTH(T, 2, 0, 0, 2, 5, 1, 32),               \
            BOTH(T, 3, 1, 0, 2, 5, 1, 32), BOTH(T, 4, 1, 0, 2, 6, 1, 28),           \
            BOTH(T, 5, 2, 0, 2, 9, 1, 24), BOTH(T, 6, 2, 4, 2, 10, 1, 20),          \
            BOTH(T, 7, 3, 4, 2, 0, 4, 18)                                           \
    }

wk_status conv_launch_march(const conv_args &a, const float *weights, cudaStream_t stream) {
    static const launcher launchers[2][7][2] = {MARCH(float), MARCH(__half)};
    const int valid = a.border == WK_BORDER_VALID;
    return launchers[a.half_in != 0][a.filter_width - 1][valid](a, weights, stream);
}
