// Sum and mean.
#include <warpkernels/reduce.h>

#include "reduce_ops.cuh"

template <class E, class R> struct mean_op : sum_op<E, R> {
    static __device__ R result(const typename sum_op<E, R>::Acc &acc, int64_t n) {
        return (R)(sum_op<E, R>::State::value(acc) / (double)n);
    }
};

// A mean of 64-bit integers needs a sum of 128: it must not wrap where the mean does not.
struct mean_i64_op {
    typedef int64_t T;
    typedef double Out;
    struct Acc {
        uint64_t low;
        int64_t high;
    };
    enum { N = 1 };
    static __device__ Acc identity() { return {0, 0}; }
    static __device__ __forceinline__ Acc combine(const Acc &a, const Acc &b) {
        const uint64_t low = a.low + b.low;
        return {low, (int64_t)((uint64_t)a.high + (uint64_t)b.high + (low < a.low))};
    }
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const T (&x)[1][U][W], int64_t) {
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int w = 0; w < W; w++) acc = combine(acc, {(uint64_t)x[0][u][w], x[0][u][w] >> 63});
    }
    static __device__ double result(const Acc &acc, int64_t n) {
        // By magnitude: the halves of a negative sum would cancel.
        const bool negative = acc.high < 0;
        const uint64_t low = negative ? 0 - acc.low : acc.low;
        const int64_t high = negative ? -acc.high - (low != 0) : acc.high;
        const double sum = (double)high * 0x1p64 + (double)low;
        return (negative ? -sum : sum) / (double)n;
    }
};

typedef sum_op<float, float> sum_f32;
typedef sum_op<double, double> sum_f64;
typedef sum_op<int32_t, int64_t> sum_i32;
typedef sum_op<int64_t, int64_t> sum_i64;
typedef mean_op<float, float> mean_f32;
typedef mean_op<double, double> mean_f64;
typedef mean_op<int32_t, double> mean_i32;

WK_DEFINE_REDUCE(sum, f32, sum_f32)
WK_DEFINE_REDUCE(sum, f64, sum_f64)
WK_DEFINE_REDUCE(sum, i32, sum_i32)
WK_DEFINE_REDUCE(sum, i64, sum_i64)
WK_DEFINE_REDUCE(mean, f32, mean_f32)
WK_DEFINE_REDUCE(mean, f64, mean_f64)
WK_DEFINE_REDUCE(mean, i32, mean_i32)
WK_DEFINE_REDUCE(mean, i64, mean_i64_op)
