// Dot products.
#include <warpkernels/reduce.h>

#include "reduce.cuh"
#include "sums.cuh"

template <class E, class R> struct dot_op {
    typedef E T;
    typedef R Out;
    typedef sum_state<E> State;
    typedef typename State::type Acc;
    typedef typename State::partial P;
    enum { N = 2 };
    static __device__ Acc identity() { return State::of(0); }
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const T (&x)[2][U][W], int64_t) {
        P products[U * W];
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int w = 0; w < W; w++) products[u * W + w] = (P)x[0][u][w] * (P)x[1][u][w];
        acc = State::add(acc, State::of(tree_sum(products)));
    }
    static __device__ __forceinline__ Acc combine(const Acc &a, const Acc &b) {
        return State::add(a, b);
    }
    static __device__ Out result(const Acc &acc, int64_t) { return (Out)State::value(acc); }
};

#define WK_DEFINE_DOT(TYPE, E, R)                                                                  \
    extern "C" wk_status wk_dot_##TYPE(const E *x, const E *y, int64_t n, R *out,                  \
                                       wk_workspace *workspace, cudaStream_t stream) {             \
        return reduce_rows<dot_op<E, R>>({{x, y}}, 1, n, n, out, workspace, stream);               \
    }                                                                                              \
    extern "C" wk_status wk_dot_rows_##TYPE(const E *x, const E *y, int64_t rows, int64_t cols,    \
                                            int64_t pitch, R *out, wk_workspace *workspace,        \
                                            cudaStream_t stream) {                                 \
        return reduce_rows<dot_op<E, R>>({{x, y}}, rows, cols, pitch, out, workspace, stream);     \
    }

WK_DEFINE_DOT(f32, float, float)
WK_DEFINE_DOT(f64, double, double)
WK_DEFINE_DOT(i32, int32_t, int64_t)
WK_DEFINE_DOT(i64, int64_t, int64_t)
