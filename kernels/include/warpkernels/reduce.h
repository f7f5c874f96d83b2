/* Reductions: sum, mean, min, max, argmin, argmax, dot; of a whole array, or of each row of a matrix.
 *
 * Every call is one launch and gives the same bits in every run and on every device: which
 * elements meet in which order depends on the sizes, and on the alignment of x to 16 bytes, alone.
 *
 * Error of the floating-point sums (sum, mean, dot), with u the unit roundoff of the type, relative to
 * sum |x[i]| (for dot sum |x[i] y[i]|): at most 6 u whatever n is. Sixteen floats (eight doubles) are added
 * as a tree; everything above is added in double (double-double). Pairwise summation
 * has log2(n) u (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2).
 *
 * NaN: a sum, mean, min or max with a NaN in it is NaN; argmin and argmax give the first NaN.
 * Ties of argmin and argmax give the smallest index. n = 0 gives 0 for sum and dot, NaN for mean,
 * the neutral value for min and max (infinity, or the largest and smallest integer), -1 for argmin
 * and argmax.
 * Integer sums are of 64 bits and wrap modulo 2^64; the mean of integers does not wrap.
 */
#ifndef WARPKERNELS_REDUCE_H
#define WARPKERNELS_REDUCE_H

#include "status.h"
#include "workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* wk_OP_TYPE(x, n, out, workspace, stream): *out = OP of x[0..n).
 * wk_OP_rows_TYPE(x, rows, cols, pitch, out, workspace, stream): out[r] = OP of
 *   x[r * pitch .. r * pitch + cols); pitch counts elements, pitch >= cols.
 * Index results count from the start of the array or of the row.
 * Errors: WK_ERROR_NULL, WK_ERROR_SIZE, WK_ERROR_PITCH, WK_ERROR_ALIGNMENT, WK_ERROR_OVERLAP (out
 * lies in x), WK_ERROR_WORKSPACE, and those of a launch. */
#define WK_DECLARE_REDUCE(OP, TYPE, T, OUT)                                                                  \
    WK_API wk_status wk_##OP##_##TYPE(const T *x, int64_t n, OUT *out, wk_workspace *workspace,              \
                                      cudaStream_t stream);                                                  \
    WK_API wk_status wk_##OP##_rows_##TYPE(const T *x, int64_t rows, int64_t cols, int64_t pitch, OUT *out,  \
                                           wk_workspace *workspace, cudaStream_t stream);                    \
    WK_API wk_status wk_##OP##_##TYPE##_host(const T *x, int64_t n, OUT *out);                               \
    WK_API wk_status wk_##OP##_rows_##TYPE##_host(const T *x, int64_t rows, int64_t cols, int64_t pitch,     \
                                                  OUT *out);

WK_DECLARE_REDUCE(sum, f32, float, float)
WK_DECLARE_REDUCE(sum, f64, double, double)
WK_DECLARE_REDUCE(sum, i32, int32_t, int64_t)
WK_DECLARE_REDUCE(sum, i64, int64_t, int64_t)

WK_DECLARE_REDUCE(mean, f32, float, float)
WK_DECLARE_REDUCE(mean, f64, double, double)
WK_DECLARE_REDUCE(mean, i32, int32_t, double)
WK_DECLARE_REDUCE(mean, i64, int64_t, double)

WK_DECLARE_REDUCE(min, f32, float, float)
WK_DECLARE_REDUCE(min, f64, double, double)
WK_DECLARE_REDUCE(min, i32, int32_t, int32_t)
WK_DECLARE_REDUCE(min, i64, int64_t, int64_t)

WK_DECLARE_REDUCE(max, f32, float, float)
WK_DECLARE_REDUCE(max, f64, double, double)
WK_DECLARE_REDUCE(max, i32, int32_t, int32_t)
WK_DECLARE_REDUCE(max, i64, int64_t, int64_t)

WK_DECLARE_REDUCE(argmin, f32, float, int64_t)
WK_DECLARE_REDUCE(argmin, f64, double, int64_t)
WK_DECLARE_REDUCE(argmin, i32, int32_t, int64_t)
WK_DECLARE_REDUCE(argmin, i64, int64_t, int64_t)

WK_DECLARE_REDUCE(argmax, f32, float, int64_t)
WK_DECLARE_REDUCE(argmax, f64, double, int64_t)
WK_DECLARE_REDUCE(argmax, i32, int32_t, int64_t)
WK_DECLARE_REDUCE(argmax, i64, int64_t, int64_t)

#undef WK_DECLARE_REDUCE

/* wk_dot_TYPE: *out = sum of x[i] * y[i]; wk_dot_rows_TYPE: the same for each row of two
 * matrices of one pitch. x may equal y. */
#define WK_DECLARE_DOT(TYPE, T, OUT)                                                                         \
    WK_API wk_status wk_dot_##TYPE(const T *x, const T *y, int64_t n, OUT *out, wk_workspace *workspace,     \
                                   cudaStream_t stream);                                                     \
    WK_API wk_status wk_dot_rows_##TYPE(const T *x, const T *y, int64_t rows, int64_t cols, int64_t pitch,   \
                                        OUT *out, wk_workspace *workspace, cudaStream_t stream);             \
    WK_API wk_status wk_dot_##TYPE##_host(const T *x, const T *y, int64_t n, OUT *out);                      \
    WK_API wk_status wk_dot_rows_##TYPE##_host(const T *x, const T *y, int64_t rows, int64_t cols,           \
                                               int64_t pitch, OUT *out);

WK_DECLARE_DOT(f32, float, float)
WK_DECLARE_DOT(f64, double, double)
WK_DECLARE_DOT(i32, int32_t, int64_t)
WK_DECLARE_DOT(i64, int64_t, int64_t)

#undef WK_DECLARE_DOT

#ifdef __cplusplus
}
#endif
#endif
