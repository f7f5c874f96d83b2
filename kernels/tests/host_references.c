/* The host references against other ways to the same result: plain loops over values whose sums are exact,
 * formulas in double, and the rules for empty, NaN and overlapping input. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <warpkernels/bonds.h>
#include <warpkernels/elementwise.h>
#include <warpkernels/histogram.h>
#include <warpkernels/reduce.h>
#include <warpkernels/scan.h>

enum { N = 1000 };

/* Whole numbers from -50 to 50: every sum of them is exact in every type. */
static int whole(int i) {
    return (int)((unsigned)i * 2654435761u >> 16) % 101 - 50;
}

static void elementwise(void **state) {
    (void)state;
    float x[N], y[N], out[N];
    for (int i = 0; i < N; i++) x[i] = (float)whole(i), y[i] = (float)whole(i + N);
    assert_int_equal(wk_scale_f32_host(3, x, out, N), WK_SUCCESS);
    for (int i = 0; i < N; i++) assert_true(out[i] == 3.0f * (float)whole(i));
    assert_int_equal(wk_axpy_f32_host(2, x, y, out, N), WK_SUCCESS);
    for (int i = 0; i < N; i++) assert_true(out[i] == (float)(2 * whole(i) + whole(i + N)));
    /* One rounding: 1 + 2^-24 would be lost in two. */
    const float a = 1.0f + 0x1p-12f, b = -1.0f - 0x1p-11f;
    float fused;
    assert_int_equal(wk_axpy_f32_host(a, &a, &b, &fused, 1), WK_SUCCESS);
    assert_true(fused == 0x1p-24f);
    assert_int_equal(wk_scale_f32_host(1, x, x + 1, N - 1), WK_ERROR_OVERLAP);
    assert_int_equal(wk_scale_f32_host(1, NULL, out, 1), WK_ERROR_NULL);
    assert_int_equal(wk_scale_f32_host(1, x, out, -1), WK_ERROR_SIZE);
    assert_int_equal(wk_scale_f64_host(1, NULL, NULL, 0), WK_SUCCESS);
}

static void sums(void **state) {
    (void)state;
    float f[N];
    double d[N];
    int32_t i32[N];
    int64_t i64[N], total = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        f[i] = (float)whole(i), d[i] = whole(i), i32[i] = whole(i), i64[i] = whole(i);
        total += whole(i);
        squares += whole(i) * whole(i);
    }
    float sf;
    double sd;
    int64_t si;
    assert_int_equal(wk_sum_f32_host(f, N, &sf), WK_SUCCESS);
    assert_true(sf == (float)total);
    assert_int_equal(wk_sum_f64_host(d, N, &sd), WK_SUCCESS);
    assert_true(sd == (double)total);
    assert_int_equal(wk_sum_i32_host(i32, N, &si), WK_SUCCESS);
    assert_int_equal(si, total);
    assert_int_equal(wk_mean_i64_host(i64, N, &sd), WK_SUCCESS);
    assert_true(sd == (double)total / N);
    assert_int_equal(wk_dot_f32_host(f, f, N, &sf), WK_SUCCESS);
    assert_true(sf == (float)squares);
    assert_int_equal(wk_dot_i64_host(i64, i64, N, &si), WK_SUCCESS);
    assert_int_equal(si, squares);
    /* Rows with a pitch. */
    float rows[10];
    assert_int_equal(wk_sum_rows_f32_host(f, 10, 90, 100, rows), WK_SUCCESS);
    for (int r = 0; r < 10; r++) {
        int want = 0;
        for (int i = 0; i < 90; i++) want += whole(r * 100 + i);
        assert_true(rows[r] == (float)want);
    }
    assert_int_equal(wk_sum_rows_f32_host(f, 10, 101, 100, rows), WK_ERROR_PITCH);
}

/* Sums that plain addition gets wrong. */
static void hard_sums(void **state) {
    (void)state;
    double cancel[] = {1e16, 1, -1e16, 1};
    double s;
    assert_int_equal(wk_sum_f64_host(cancel, 4, &s), WK_SUCCESS);
    assert_true(s == 2);
    double x[] = {0x1p27 + 1, 0x1p27 + 1}, y[] = {0x1p27 + 1, -(0x1p27 + 1)};
    assert_int_equal(wk_dot_f64_host(x, y, 2, &s), WK_SUCCESS);
    assert_true(s == 0);
    int64_t big[] = {INT64_MAX, INT64_MAX, -1, INT64_MIN};
    assert_int_equal(wk_mean_i64_host(big, 2, &s), WK_SUCCESS);
    assert_true(s == 0x1p63);
    assert_int_equal(wk_mean_i64_host(big, 4, &s), WK_SUCCESS);
    assert_true(fabs(s - 0x1p61) <= 0x1p10);
    double infinite[] = {1, INFINITY, 2};
    assert_int_equal(wk_sum_f64_host(infinite, 3, &s), WK_SUCCESS);
    assert_true(isinf(s));
}

static void orders(void **state) {
    (void)state;
    float x[] = {3, -1, 7, -1, 7};
    int64_t at;
    float v;
    wk_argmin_f32_host(x, 5, &at);
    assert_int_equal(at, 1);
    wk_argmax_f32_host(x, 5, &at);
    assert_int_equal(at, 2);
    wk_min_f32_host(x, 5, &v);
    assert_true(v == -1);
    x[3] = NAN;
    wk_argmax_f32_host(x, 5, &at);
    assert_int_equal(at, 3);
    wk_max_f32_host(x, 5, &v);
    assert_true(isnan(v));
    wk_argmin_f32_host(x, 0, &at);
    assert_int_equal(at, -1);
    wk_min_f32_host(x, 0, &v);
    assert_true(v == INFINITY);
    wk_mean_f32_host(x, 0, &v);
    assert_true(isnan(v));
    int32_t i;
    wk_max_i32_host(NULL, 0, &i);
    assert_int_equal(i, INT32_MIN);
}

static void scans(void **state) {
    (void)state;
    int32_t x[N], inclusive[N], exclusive[N];
    for (int i = 0; i < N; i++) x[i] = whole(i);
    assert_int_equal(wk_inclusive_sum_i32_host(x, inclusive, N), WK_SUCCESS);
    assert_int_equal(wk_exclusive_sum_i32_host(x, exclusive, N), WK_SUCCESS);
    int before = 0;
    for (int i = 0; i < N; i++) {
        assert_int_equal(exclusive[i], before);
        before += whole(i);
        assert_int_equal(inclusive[i], before);
    }
    assert_int_equal(wk_exclusive_sum_i32_host(x, x, N), WK_SUCCESS);
    assert_memory_equal(x, exclusive, sizeof x);
    float f[4] = {1, 2, 3, 4};
    assert_int_equal(wk_inclusive_sum_f32_host(f, f, 4), WK_SUCCESS);
    assert_true(f[0] == 1 && f[1] == 3 && f[2] == 6 && f[3] == 10);
}

static void histograms(void **state) {
    (void)state;
    uint8_t x[N];
    uint64_t counts[256], want[256] = {0};
    for (int i = 0; i < N; i++) x[i] = (uint8_t)(whole(i) + 50), want[whole(i) + 50]++;
    assert_int_equal(wk_histogram_u8_host(x, N, counts), WK_SUCCESS);
    assert_memory_equal(counts, want, sizeof want);
    float f[] = {0, 0.5f, 255.99f, 256, 256.1f, -0.1f, NAN, 1};
    assert_int_equal(wk_histogram_f32_host(f, 8, 0, 256, counts), WK_SUCCESS);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 1);
    assert_int_equal(counts[255], 2);
    assert_int_equal(wk_histogram_f32_host(f, 8, 1, 0, counts), WK_ERROR_VALUE);
}

static void bonds(void **state) {
    (void)state;
    /* The chapter's four bonds: rates and spreads whose sums it prints. */
    wk_bond b[4] = {{1000, 1, 0.02f, 0.010f, 0, 0, 0, 0},
                    {1000, 2, 0.025f, 0.012f, 0, 0, 0, 0},
                    {1000, 5, 0.03f, 0.015f, 0, 0, 0, 0},
                    {1000, 10, 0.035f, 0.018f, 0, 0, 0, 0}};
    const float rates[4] = {0.030f, 0.037f, 0.045f, 0.053f};
    float out[4];
    assert_int_equal(sizeof(wk_bond), 32);
    assert_int_equal(wk_bonds_total_rate_aos_host(b, 4, out), WK_SUCCESS);
    for (int i = 0; i < 4; i++) assert_true(fabsf(out[i] - rates[i]) < 1e-8f);
    float columns[8][4];
    wk_bonds soa = {columns[0], columns[1], columns[2], columns[3],
                    columns[4], columns[5], columns[6], columns[7]};
    assert_int_equal(wk_bonds_aos_to_soa_host(b, 4, &soa), WK_SUCCESS);
    assert_int_equal(wk_bonds_price_soa_host(&soa, 4), WK_SUCCESS);
    assert_int_equal(wk_bonds_price_aos_host(b, 4), WK_SUCCESS);
    double value = 0, duration = 0, yield = 0;
    for (int i = 0; i < 4; i++) {
        const double y = (double)b[i].risk_free_rate + b[i].credit_spread;
        const double p = b[i].face_value * exp(-y * b[i].time_to_maturity);
        assert_true(fabs(b[i].present_value / p - 1) < 3e-7);
        assert_true(soa.present_value[i] == b[i].present_value);
        assert_true(b[i].duration == b[i].time_to_maturity);
        value += p, duration += p * b[i].time_to_maturity, yield += p * y;
    }
    wk_portfolio total;
    assert_int_equal(wk_bonds_portfolio_soa_host(&soa, 4, WK_ACCUMULATE_F64, &total), WK_SUCCESS);
    assert_true(fabs(total.value / value - 1) < 3e-7);
    assert_true(fabs(total.duration / (duration / value) - 1) < 3e-7);
    assert_true(fabs(total.yield / (yield / value) - 1) < 3e-7);
    assert_int_equal(wk_bonds_weights_soa_host(&soa, 4, &total.value), WK_SUCCESS);
    assert_true(fabsf(columns[7][0] + columns[7][1] + columns[7][2] + columns[7][3] - 1) < 1e-6f);
    assert_int_equal(wk_bonds_yield_soa_host(&soa, 4), WK_SUCCESS);
    for (int i = 0; i < 4; i++) assert_true(fabsf(columns[5][i] - rates[i]) < 2e-6f);
    wk_bond back[4];
    assert_int_equal(wk_bonds_soa_to_aos_host(&soa, 4, back), WK_SUCCESS);
    assert_true(back[2].present_value == b[2].present_value && back[3].risk_free_rate == b[3].risk_free_rate);
    soa.duration = NULL;
    assert_int_equal(wk_bonds_price_soa_host(&soa, 4), WK_ERROR_NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise), cmocka_unit_test(sums),  cmocka_unit_test(hard_sums),
        cmocka_unit_test(orders),      cmocka_unit_test(scans), cmocka_unit_test(histograms),
        cmocka_unit_test(bonds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
