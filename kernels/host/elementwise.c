#include <math.h>

#include <warpkernels/elementwise.h>

#include "check.h"

#define SCALE_HOST(name, T)                                                                                  \
    wk_status name(T a, const T *x, T *out, int64_t n) {                                                     \
        WK_TRY(check_array(x, n, sizeof(T)));                                                                \
        WK_TRY(check_array(out, n, sizeof(T)));                                                              \
        WK_TRY(check_no_shift(x, out, n *(int64_t)sizeof(T)));                                               \
        for (int64_t i = 0; i < n; i++) out[i] = a * x[i];                                                   \
        return WK_SUCCESS;                                                                                   \
    }

#define AXPY_HOST(name, T, FMA)                                                                              \
    wk_status name(T a, const T *x, const T *y, T *out, int64_t n) {                                         \
        WK_TRY(check_array(x, n, sizeof(T)));                                                                \
        WK_TRY(check_array(y, n, sizeof(T)));                                                                \
        WK_TRY(check_array(out, n, sizeof(T)));                                                              \
        WK_TRY(check_no_shift(x, out, n *(int64_t)sizeof(T)));                                               \
        WK_TRY(check_no_shift(y, out, n *(int64_t)sizeof(T)));                                               \
        for (int64_t i = 0; i < n; i++) out[i] = FMA(a, x[i], y[i]);                                         \
        return WK_SUCCESS;                                                                                   \
    }

SCALE_HOST(wk_scale_f32_host, float)
SCALE_HOST(wk_scale_f64_host, double)
AXPY_HOST(wk_axpy_f32_host, float, fmaf)
AXPY_HOST(wk_axpy_f64_host, double, fma)
