// Elementwise kernels of any kind: N arrays in, M arrays out, one function for each element.
// For CUDA C++; the C calls of elementwise.h and bonds.h are made with it, and so is a user's own:
//
//     WK_ELEMENTWISE_1(my_softplus, float, log1pf(expf(a * x)))
//     ...
//     my_softplus(2.0f, x, out, n, stream);
//
// Every access of a warp is one 16-byte access per lane, with a head and a tail of single elements.
// Arrays whose 16-byte boundaries do not meet take 4- or 8-byte accesses instead.
#ifndef WARPKERNELS_MAP_CUH
#define WARPKERNELS_MAP_CUH

#include "device.cuh"

enum { WK_MAP_THREADS = 256 };

template <class T, int N> struct wk_inputs { const T *p[N]; };
template <class T, int M> struct wk_outputs { T *p[M]; };

// Single elements of each array that a thread has in flight where packs are not possible.
enum { WK_MAP_UNROLL = 8 };

// f(const T *in, T *out) reads in[0..N) and writes out[0..M) for one element.
template <int N, int M, class T, class F>
static __device__ __forceinline__ void wk_map_element(const F &f, const wk_inputs<T, N> &in,
                                                      const wk_outputs<T, M> &out, int64_t i) {
    T x[N], y[M];
#pragma unroll
    for (int k = 0; k < N; k++) x[k] = in.p[k][i];
    f(x, y);
#pragma unroll
    for (int k = 0; k < M; k++) out.p[k][i] = y[k];
}

// The arrays from their common 16-byte boundary on: one thread for each of `packs` packs, and behind
// those one for each of the `head` and `tail` single elements before and after them. One pack of each
// array a thread: with many small blocks the memory keeps busy, and more packs a thread were
// slower (docs/kernels-notes.md). `first` is the first thread of this launch.
template <int N, int M, class T, class F>
__global__ void __launch_bounds__(WK_MAP_THREADS)
    wk_map_vector_kernel(F f, wk_inputs<T, N> in, wk_outputs<T, M> out, int64_t packs, int head, int tail,
                         int64_t first) {
    constexpr int W = wk_pack<T>::width;
    const int64_t i = first + (int64_t)blockIdx.x * WK_MAP_THREADS + threadIdx.x;
    if (i < packs) {
        wk_pack<T> x[N], y[M];
#pragma unroll
        for (int k = 0; k < N; k++) x[k] = wk_load16<T>(in.p[k] + i * W);
#pragma unroll
        for (int w = 0; w < W; w++) {
            T a[N], b[M];
#pragma unroll
            for (int k = 0; k < N; k++) a[k] = x[k].v[w];
            f(a, b);
#pragma unroll
            for (int k = 0; k < M; k++) y[k].v[w] = b[k];
        }
#pragma unroll
        for (int k = 0; k < M; k++) wk_store16<T>(out.p[k] + i * W, y[k]);
    } else if (i - packs < head + tail) {
        const int64_t t = i - packs;
        wk_map_element(f, in, out, t < head ? t - head : packs * W + t - head);
    }
}

// One element per access, for arrays that share no 16-byte boundary. Several are in flight, because
// each one moves a quarter of a pack or half of it.
template <int N, int M, class T, class F>
__global__ void __launch_bounds__(WK_MAP_THREADS)
    wk_map_scalar_kernel(F f, wk_inputs<T, N> in, wk_outputs<T, M> out, int64_t n) {
    constexpr int U = WK_MAP_UNROLL;
    const int64_t tile = (int64_t)WK_MAP_THREADS * U;
    for (int64_t base = blockIdx.x * tile; base < n; base += gridDim.x * tile) {
        const int64_t first = base + threadIdx.x;
        if (base + tile <= n) {
            T x[U][N], y[M];
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int k = 0; k < N; k++) x[u][k] = in.p[k][first + u * WK_MAP_THREADS];
#pragma unroll
            for (int u = 0; u < U; u++) {
                f(x[u], y);
#pragma unroll
                for (int k = 0; k < M; k++) out.p[k][first + u * WK_MAP_THREADS] = y[k];
            }
        } else {
            for (int64_t i = first; i < n; i += WK_MAP_THREADS) wk_map_element(f, in, out, i);
        }
    }
}

// out[.][i] = f(in[.][i]) for i in [0, n). Outputs may equal inputs, and must not overlap them
// shifted, nor each other. Errors: NULL, SIZE, ALIGNMENT, OVERLAP, LAUNCH.
template <int N, int M, class T, class F>
static inline wk_status wk_map(const F &f, wk_inputs<T, N> in, wk_outputs<T, M> out, int64_t n,
                               cudaStream_t stream) {
    const int W = wk_pack<T>::width;
    for (int k = 0; k < N; k++) WK_TRY(wk_check_array(in.p[k], n));
    for (int k = 0; k < M; k++) {
        WK_TRY(wk_check_array(out.p[k], n));
        const int64_t bytes = n * (int64_t)sizeof(T);
        for (int i = 0; i < N; i++) WK_TRY(wk_check_no_shift(in.p[i], out.p[k], bytes));
        for (int i = 0; i < k; i++)
            if (wk_overlap(out.p[i], bytes, out.p[k], bytes)) return WK_ERROR_OVERLAP;
    }
    if (n == 0) return WK_SUCCESS;

    bool one_phase = true;
    for (int k = 0; k < N; k++) one_phase &= ((uintptr_t)in.p[k] - (uintptr_t)out.p[0]) % 16 == 0;
    for (int k = 1; k < M; k++) one_phase &= ((uintptr_t)out.p[k] - (uintptr_t)out.p[0]) % 16 == 0;
    if (!one_phase)
        return wk_launch_kernel(wk_map_scalar_kernel<N, M, T, F>, wk_grid(n, WK_MAP_THREADS * WK_MAP_UNROLL),
                                WK_MAP_THREADS, 0, stream, f, in, out, n);

    const int64_t head = wk_head(out.p[0], n, sizeof(T));
    const int64_t packs = (n - head) / W;
    const int64_t tail = n - head - packs * W;
    for (int k = 0; k < N; k++) in.p[k] += head;
    for (int k = 0; k < M; k++) out.p[k] += head;
    const int64_t threads = packs + head + tail, most = (int64_t)WK_MAX_GRID_X * WK_MAP_THREADS;
    for (int64_t first = 0; first < threads; first += most)
        WK_TRY(wk_launch_kernel(wk_map_vector_kernel<N, M, T, F>, wk_grid(threads - first, WK_MAP_THREADS),
                                WK_MAP_THREADS, 0, stream, f, in, out, packs, (int)head, (int)tail, first));
    return WK_SUCCESS;
}

// Defines `wk_status name(T a, const T *x, T *out, int64_t n, cudaStream_t stream)` with
// out[i] = EXPRESSION of the parameter a and the element x.
#define WK_ELEMENTWISE_1(name, T, EXPRESSION)                                                                \
    struct name##_op {                                                                                       \
        T a;                                                                                                 \
        __device__ void operator()(const T *wk_in, T *wk_out) const {                                        \
            const T x = wk_in[0];                                                                            \
            wk_out[0] = (EXPRESSION);                                                                        \
        }                                                                                                    \
    };                                                                                                       \
    extern "C" wk_status name(T a, const T *x, T *out, int64_t n, cudaStream_t stream) {                     \
        return wk_map<1, 1, T>(name##_op{a}, {{x}}, {{out}}, n, stream);                                     \
    }

// The same with two arrays: out[i] = EXPRESSION of a, x and y.
#define WK_ELEMENTWISE_2(name, T, EXPRESSION)                                                                \
    struct name##_op {                                                                                       \
        T a;                                                                                                 \
        __device__ void operator()(const T *wk_in, T *wk_out) const {                                        \
            const T x = wk_in[0], y = wk_in[1];                                                              \
            wk_out[0] = (EXPRESSION);                                                                        \
        }                                                                                                    \
    };                                                                                                       \
    extern "C" wk_status name(T a, const T *x, const T *y, T *out, int64_t n, cudaStream_t stream) {         \
        return wk_map<2, 1, T>(name##_op{a}, {{x, y}}, {{out}}, n, stream);                                  \
    }

#endif
