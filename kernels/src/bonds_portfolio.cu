// A whole portfolio in one pass: a reduction whose elements are priced on the way.
#include <warpkernels/bonds.h>

#include "bonds.cuh"
#include "reduce.cuh"
#include "sums.cuh"

// Sums of P, P T and P y: of neighbours in float, above them in S.
template <class S> struct portfolio_op {
    typedef float T;
    typedef wk_portfolio Out;
    struct Acc {
        S value, duration, yield;
    };
    enum { N = 4 };
    static __device__ Acc identity() { return {0, 0, 0}; }
    static __device__ __forceinline__ Acc combine(const Acc &a, const Acc &b) {
        return {a.value + b.value, a.duration + b.duration, a.yield + b.yield};
    }
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const float (&x)[4][U][W], int64_t) {
        float value[U * W], duration[U * W], yield[U * W];
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int w = 0; w < W; w++) {
                const float years = x[1][u][w], rate = x[2][u][w] + x[3][u][w];
                const float p = bond_present_value(x[0][u][w], years, rate);
                value[u * W + w] = p;
                duration[u * W + w] = p * years;
                yield[u * W + w] = p * rate;
            }
        acc = combine(acc, {(S)tree_sum(value), (S)tree_sum(duration), (S)tree_sum(yield)});
    }
    static __device__ wk_portfolio result(const Acc &acc, int64_t) {
        const double value = (double)acc.value;
        return {value, (double)acc.duration / value, (double)acc.yield / value};
    }
};

extern "C" wk_status wk_bonds_portfolio_soa(const wk_bonds *bonds, int64_t n,
                                            wk_accumulation accumulation, wk_portfolio *out,
                                            wk_workspace *workspace, cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    const reduce_arrays<float, 4> in = {{bonds->face_value, bonds->time_to_maturity,
                                         bonds->risk_free_rate, bonds->credit_spread}};
    switch (accumulation) {
    case WK_ACCUMULATE_F32:
        return reduce_rows<portfolio_op<float>>(in, 1, n, n, out, workspace, stream);
    case WK_ACCUMULATE_F64:
        return reduce_rows<portfolio_op<double>>(in, 1, n, n, out, workspace, stream);
    }
    return WK_ERROR_VALUE;
}
