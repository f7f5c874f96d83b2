// Histograms: every warp counts in its own 256 counters in shared memory; the block adds them up and
// adds the result to the totals. Only integers are added, so that the order does not matter.
#include <warpkernels/histogram.h>

#include "internal.cuh"

enum {
    BINS = WK_HISTOGRAM_BINS,
    HISTOGRAM_THREADS = 256,
    HISTOGRAM_WARPS = HISTOGRAM_THREADS / 32,
    HISTOGRAM_UNROLL = 4,
};

static const int64_t HISTOGRAM_BLOCKS = 1056;

// A block's counters have 32 bits: more blocks are launched before one sees this many elements.
static const int64_t BLOCK_ELEMENTS = (int64_t)1 << 31;

// Which bin an element belongs to; BINS for none.
struct byte_bins {
    typedef uint8_t T;
    __device__ __forceinline__ unsigned bin(uint8_t x) const { return x; }
};

struct float_bins {
    typedef float T;
    float lo, hi, scale;
    __device__ __forceinline__ unsigned bin(float x) const {
        if (!(x >= lo && x <= hi)) return BINS;
        const unsigned b = (unsigned)((x - lo) * scale);
        return b < BINS ? b : BINS - 1;
    }
};

template <class Bins>
static __device__ __forceinline__ void count(const Bins &bins, typename Bins::T x, unsigned *mine) {
    const unsigned b = bins.bin(x);
    if (b < BINS) atomicAdd(&mine[b], 1u);
}

// The elements of a 16-byte word, taken out with shifts: an array of bytes would go to local memory.
static __device__ __forceinline__ uint8_t element_of(const uint4 &raw, int i, uint8_t) {
    const unsigned word = i < 4 ? raw.x : i < 8 ? raw.y : i < 12 ? raw.z : raw.w;
    return (uint8_t)(word >> (i % 4 * 8));
}
static __device__ __forceinline__ float element_of(const uint4 &raw, int i, float) {
    return __uint_as_float(i == 0 ? raw.x : i == 1 ? raw.y : i == 2 ? raw.z : raw.w);
}

template <class Bins>
__global__ void __launch_bounds__(HISTOGRAM_THREADS)
    wk_histogram_kernel(Bins bins, const typename Bins::T *x, int64_t n, int64_t head,
                        unsigned long long *counts) {
    typedef typename Bins::T T;
    constexpr int W = 16 / sizeof(T);
    __shared__ unsigned counters[HISTOGRAM_WARPS][BINS];
    for (int b = threadIdx.x; b < HISTOGRAM_WARPS * BINS; b += HISTOGRAM_THREADS) (&counters[0][0])[b] = 0;
    __syncthreads();

    unsigned *mine = counters[threadIdx.x / 32];
    const int64_t packs = (n - head) / W;
    const uint4 *p = (const uint4 *)(x + head);
    const int64_t tile = HISTOGRAM_THREADS * HISTOGRAM_UNROLL;
    for (int64_t base = blockIdx.x * tile; base < packs; base += gridDim.x * tile) {
        uint4 raw[HISTOGRAM_UNROLL];
#pragma unroll
        for (int u = 0; u < HISTOGRAM_UNROLL; u++) {
            const int64_t i = base + u * HISTOGRAM_THREADS + threadIdx.x;
            if (i < packs) raw[u] = p[i];
        }
#pragma unroll
        for (int u = 0; u < HISTOGRAM_UNROLL; u++) {
            if (base + u * HISTOGRAM_THREADS + threadIdx.x >= packs) continue;
#pragma unroll
            for (int w = 0; w < W; w++) count(bins, element_of(raw[u], w, T()), mine);
        }
    }
    if (blockIdx.x == 0) {
        const int64_t t = threadIdx.x;
        const int64_t i = t < head ? t : head + packs * W + (t - head);
        if (i < n) count(bins, x[i], mine);
    }
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += HISTOGRAM_THREADS) {
        unsigned total = 0;
#pragma unroll
        for (int w = 0; w < HISTOGRAM_WARPS; w++) total += counters[w][b];
        if (total) atomicAdd(&counts[b], (unsigned long long)total);
    }
}

template <class Bins>
static wk_status histogram(const Bins &bins, const typename Bins::T *x, int64_t n, uint64_t *counts,
                           cudaStream_t stream) {
    typedef typename Bins::T T;
    WK_TRY(wk_check_array(x, n));
    WK_TRY(wk_check_array(counts, BINS));
    if (wk_overlap(x, n * (int64_t)sizeof(T), counts, BINS * (int64_t)sizeof *counts))
        return WK_ERROR_OVERLAP;
    WK_CUDA(cudaMemsetAsync(counts, 0, BINS * sizeof *counts, stream));
    if (n == 0) return WK_SUCCESS;

    const int64_t tile = HISTOGRAM_THREADS * HISTOGRAM_UNROLL * (16 / (int64_t)sizeof(T));
    int64_t blocks = wk_grid(n, tile);
    const int64_t most = n / BLOCK_ELEMENTS > HISTOGRAM_BLOCKS ? n / BLOCK_ELEMENTS : HISTOGRAM_BLOCKS;
    if (blocks > most) blocks = most;
    return wk_launch_kernel(wk_histogram_kernel<Bins>, (unsigned)blocks, HISTOGRAM_THREADS, 0, stream, bins,
                            x, n, wk_head(x, n, sizeof(T)), (unsigned long long *)counts);
}

extern "C" wk_status wk_histogram_u8(const uint8_t *x, int64_t n, uint64_t *counts, cudaStream_t stream) {
    return histogram(byte_bins{}, x, n, counts, stream);
}

extern "C" wk_status wk_histogram_f32(const float *x, int64_t n, float lo, float hi, uint64_t *counts,
                                      cudaStream_t stream) {
    if (!(lo < hi) || !isfinite(lo) || !isfinite(hi) || !isfinite(hi - lo)) return WK_ERROR_VALUE;
    const float scale = BINS / (hi - lo);
    if (!isfinite(scale)) return WK_ERROR_VALUE;
    return histogram(float_bins{lo, hi, scale}, x, n, counts, stream);
}
