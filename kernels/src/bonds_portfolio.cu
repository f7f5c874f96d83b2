// A whole portfolio in one pass: a reduction whose elements are priced on the way.
#include <warpkernels/bonds.h>

#include "reduce_ops.cuh"

template <class S> struct portfolio_op : portfolio_sums_op<S> {
    typedef wk_portfolio Out;
    static __device__ wk_portfolio result(const portfolio_sums<S> &sums, int64_t) {
        const double value = (double)sums.value;
        return {value, (double)sums.duration / value, (double)sums.yield / value};
    }
};

extern "C" wk_status wk_bonds_portfolio_soa(const wk_bonds *bonds, int64_t n, wk_accumulation accumulation,
                                            wk_portfolio *out, wk_workspace *workspace, cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    const reduce_arrays<float, 4> in = {
        {bonds->face_value, bonds->time_to_maturity, bonds->risk_free_rate, bonds->credit_spread}};
    switch (accumulation) {
    case WK_ACCUMULATE_F32:
        return reduce_rows<portfolio_op<float>>(in, 1, n, n, out, workspace, stream);
    case WK_ACCUMULATE_F64:
        return reduce_rows<portfolio_op<double>>(in, 1, n, n, out, workspace, stream);
    }
    return WK_ERROR_VALUE;
}
