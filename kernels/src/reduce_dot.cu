// Dot products.
#include <warpkernels/reduce.h>

#include "reduce_ops.cuh"

#define WK_DEFINE_DOT(TYPE, E, R)                                                                            \
    extern "C" wk_status wk_dot_##TYPE(const E *x, const E *y, int64_t n, R *out, wk_workspace *workspace,   \
                                       cudaStream_t stream) {                                                \
        return reduce_rows<dot_op<E, R>>({{x, y}}, 1, n, n, out, workspace, stream);                         \
    }                                                                                                        \
    extern "C" wk_status wk_dot_rows_##TYPE(const E *x, const E *y, int64_t rows, int64_t cols,              \
                                            int64_t pitch, R *out, wk_workspace *workspace,                  \
                                            cudaStream_t stream) {                                           \
        return reduce_rows<dot_op<E, R>>({{x, y}}, rows, cols, pitch, out, workspace, stream);               \
    }

WK_DEFINE_DOT(f32, float, float)
WK_DEFINE_DOT(f64, double, double)
WK_DEFINE_DOT(i32, int32_t, int64_t)
WK_DEFINE_DOT(i64, int64_t, int64_t)
