// Min and max.
#include <warpkernels/reduce.h>

#include "order.cuh"
#include "reduce.cuh"

template <class Order> struct extreme_op {
    typedef typename Order::T T;
    typedef T Out;
    typedef T Acc;
    enum { N = 1 };
    static __device__ Acc identity() { return Order::neutral(); }
    static __device__ __forceinline__ Acc combine(Acc a, Acc b) { return Order::before(b, a) ? b : a; }
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const T (&x)[1][U][W], int64_t) {
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int w = 0; w < W; w++) acc = combine(acc, x[0][u][w]);
    }
    static __device__ Out result(Acc acc, int64_t) { return acc; }
};

typedef extreme_op<order_min<float>> min_f32;
typedef extreme_op<order_min<double>> min_f64;
typedef extreme_op<order_min<int32_t>> min_i32;
typedef extreme_op<order_min<int64_t>> min_i64;
typedef extreme_op<order_max<float>> max_f32;
typedef extreme_op<order_max<double>> max_f64;
typedef extreme_op<order_max<int32_t>> max_i32;
typedef extreme_op<order_max<int64_t>> max_i64;

WK_DEFINE_REDUCE(min, f32, min_f32)
WK_DEFINE_REDUCE(min, f64, min_f64)
WK_DEFINE_REDUCE(min, i32, min_i32)
WK_DEFINE_REDUCE(min, i64, min_i64)
WK_DEFINE_REDUCE(max, f32, max_f32)
WK_DEFINE_REDUCE(max, f64, max_f64)
WK_DEFINE_REDUCE(max, i32, max_i32)
WK_DEFINE_REDUCE(max, i64, max_i64)
