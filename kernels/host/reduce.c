/* Reductions, one element after the other. The floating-point sums are compensated, so that they
 * are nearer to the truth than any order of plain additions. */
#include <math.h>

#include <warpkernels/reduce.h>

#include "check.h"
#include "compensated.h"

static wk_status check_rows(const void *x, int64_t rows, int64_t cols, int64_t pitch, size_t bytes,
                            const void *out, size_t out_bytes) {
    WK_TRY(check_array(out, rows, out_bytes));
    if (cols < 0) return WK_ERROR_SIZE;
    if (pitch < cols) return WK_ERROR_PITCH;
    if (rows > 0 && pitch > INT64_MAX / (int64_t)bytes / rows) return WK_ERROR_SIZE;
    int64_t span = rows && cols ? (rows - 1) * pitch + cols : 0;
    WK_TRY(check_array(x, span, bytes));
    return check_overlap(x, span * (int64_t)bytes, out, rows * (int64_t)out_bytes) ? WK_ERROR_OVERLAP
                                                                                   : WK_SUCCESS;
}

/* Both calls of an operation from a function of one row. */
#define REDUCE_HOST(OP, TYPE, T, OUT)                                                                        \
    wk_status wk_##OP##_rows_##TYPE##_host(const T *x, int64_t rows, int64_t cols, int64_t pitch,            \
                                           OUT *out) {                                                       \
        WK_TRY(check_rows(x, rows, cols, pitch, sizeof(T), out, sizeof(OUT)));                               \
        for (int64_t r = 0; r < rows; r++) out[r] = OP##_##TYPE(cols ? x + r * pitch : x, cols);             \
        return WK_SUCCESS;                                                                                   \
    }                                                                                                        \
    wk_status wk_##OP##_##TYPE##_host(const T *x, int64_t n, OUT *out) {                                     \
        return wk_##OP##_rows_##TYPE##_host(x, 1, n, n, out);                                                \
    }

static float sum_f32(const float *x, int64_t n) {
    compensated a = {0, 0};
    for (int64_t i = 0; i < n; i++) compensated_add(&a, x[i]);
    return (float)compensated_value(&a);
}

static double sum_f64(const double *x, int64_t n) {
    compensated a = {0, 0};
    for (int64_t i = 0; i < n; i++) compensated_add(&a, x[i]);
    return compensated_value(&a);
}

static int64_t sum_i32(const int32_t *x, int64_t n) {
    uint64_t a = 0;
    for (int64_t i = 0; i < n; i++) a += (uint64_t)(int64_t)x[i];
    return (int64_t)a;
}

static int64_t sum_i64(const int64_t *x, int64_t n) {
    uint64_t a = 0;
    for (int64_t i = 0; i < n; i++) a += (uint64_t)x[i];
    return (int64_t)a;
}

static float mean_f32(const float *x, int64_t n) {
    compensated a = {0, 0};
    for (int64_t i = 0; i < n; i++) compensated_add(&a, x[i]);
    return (float)(compensated_value(&a) / (double)n);
}

static double mean_f64(const double *x, int64_t n) {
    return sum_f64(x, n) / (double)n;
}

static double mean_i32(const int32_t *x, int64_t n) {
    return (double)sum_i32(x, n) / (double)n;
}

/* In two halves of a 128-bit sum: it does not wrap where the mean does not. */
static double mean_i64(const int64_t *x, int64_t n) {
    uint64_t low = 0;
    int64_t high = 0;
    for (int64_t i = 0; i < n; i++) {
        low += (uint64_t)x[i];
        high += (low < (uint64_t)x[i]) - (x[i] < 0);
    }
    /* By magnitude: the halves of a negative sum would cancel. */
    const bool negative = high < 0;
    if (negative) {
        low = -low;
        high = -high - (low != 0);
    }
    const double sum = (double)high * 0x1p64 + (double)low;
    return (negative ? -sum : sum) / (double)n;
}

REDUCE_HOST(sum, f32, float, float)
REDUCE_HOST(sum, f64, double, double)
REDUCE_HOST(sum, i32, int32_t, int64_t)
REDUCE_HOST(sum, i64, int64_t, int64_t)
REDUCE_HOST(mean, f32, float, float)
REDUCE_HOST(mean, f64, double, double)
REDUCE_HOST(mean, i32, int32_t, double)
REDUCE_HOST(mean, i64, int64_t, double)

/* The first element that no other one comes before; NaN comes before all. -1 when n is 0. */
#define FIRST(name, T, BEFORE)                                                                               \
    static int64_t arg##name(const T *x, int64_t n) {                                                        \
        if (n == 0) return -1;                                                                               \
        int64_t best = 0;                                                                                    \
        for (int64_t i = 1; i < n; i++)                                                                      \
            if ((x[i] BEFORE x[best] || x[i] != x[i]) && x[best] == x[best]) best = i;                       \
        return best;                                                                                         \
    }                                                                                                        \
    static T name(const T *x, int64_t n) {                                                                   \
        return n ? x[arg##name(x, n)] : NEUTRAL_##name;                                                      \
    }

#define NEUTRAL_min_f32 INFINITY
#define NEUTRAL_max_f32 -INFINITY
#define NEUTRAL_min_f64 INFINITY
#define NEUTRAL_max_f64 -INFINITY
#define NEUTRAL_min_i32 INT32_MAX
#define NEUTRAL_max_i32 INT32_MIN
#define NEUTRAL_min_i64 INT64_MAX
#define NEUTRAL_max_i64 INT64_MIN

FIRST(min_f32, float, <)
FIRST(max_f32, float, >)
FIRST(min_f64, double, <)
FIRST(max_f64, double, >)
FIRST(min_i32, int32_t, <)
FIRST(max_i32, int32_t, >)
FIRST(min_i64, int64_t, <)
FIRST(max_i64, int64_t, >)

REDUCE_HOST(min, f32, float, float)
REDUCE_HOST(min, f64, double, double)
REDUCE_HOST(min, i32, int32_t, int32_t)
REDUCE_HOST(min, i64, int64_t, int64_t)
REDUCE_HOST(max, f32, float, float)
REDUCE_HOST(max, f64, double, double)
REDUCE_HOST(max, i32, int32_t, int32_t)
REDUCE_HOST(max, i64, int64_t, int64_t)
REDUCE_HOST(argmin, f32, float, int64_t)
REDUCE_HOST(argmin, f64, double, int64_t)
REDUCE_HOST(argmin, i32, int32_t, int64_t)
REDUCE_HOST(argmin, i64, int64_t, int64_t)
REDUCE_HOST(argmax, f32, float, int64_t)
REDUCE_HOST(argmax, f64, double, int64_t)
REDUCE_HOST(argmax, i32, int32_t, int64_t)
REDUCE_HOST(argmax, i64, int64_t, int64_t)

/* Products of floats are exact in double. */
static float dot_f32(const float *x, const float *y, int64_t n) {
    compensated a = {0, 0};
    for (int64_t i = 0; i < n; i++) compensated_add(&a, (double)x[i] * (double)y[i]);
    return (float)compensated_value(&a);
}

/* The error of a product is what a fused multiply-add leaves of it (Ogita, Rump and Oishi's Dot2). */
static double dot_f64(const double *x, const double *y, int64_t n) {
    compensated a = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        double p = x[i] * y[i];
        compensated_add(&a, p);
        if (isfinite(p)) a.error += fma(x[i], y[i], -p);
    }
    return compensated_value(&a);
}

static int64_t dot_i32(const int32_t *x, const int32_t *y, int64_t n) {
    uint64_t a = 0;
    for (int64_t i = 0; i < n; i++) a += (uint64_t)((int64_t)x[i] * (int64_t)y[i]);
    return (int64_t)a;
}

static int64_t dot_i64(const int64_t *x, const int64_t *y, int64_t n) {
    uint64_t a = 0;
    for (int64_t i = 0; i < n; i++) a += (uint64_t)x[i] * (uint64_t)y[i];
    return (int64_t)a;
}

#define DOT_HOST(TYPE, T, OUT)                                                                               \
    wk_status wk_dot_rows_##TYPE##_host(const T *x, const T *y, int64_t rows, int64_t cols, int64_t pitch,   \
                                        OUT *out) {                                                          \
        WK_TRY(check_rows(x, rows, cols, pitch, sizeof(T), out, sizeof(OUT)));                               \
        WK_TRY(check_rows(y, rows, cols, pitch, sizeof(T), out, sizeof(OUT)));                               \
        for (int64_t r = 0; r < rows; r++)                                                                   \
            out[r] = dot_##TYPE(cols ? x + r * pitch : x, cols ? y + r * pitch : y, cols);                   \
        return WK_SUCCESS;                                                                                   \
    }                                                                                                        \
    wk_status wk_dot_##TYPE##_host(const T *x, const T *y, int64_t n, OUT *out) {                            \
        return wk_dot_rows_##TYPE##_host(x, y, 1, n, n, out);                                                \
    }

DOT_HOST(f32, float, float)
DOT_HOST(f64, double, double)
DOT_HOST(i32, int32_t, int64_t)
DOT_HOST(i64, int64_t, int64_t)
