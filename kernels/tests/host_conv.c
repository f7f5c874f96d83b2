/* The convolution references against worked examples, and what every call checks first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include <warpkernels/conv.h>

static const float image[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const float cross[9] = {1, 0, 1, 0, 1, 0, 1, 0, 1};

static wk_conv2d describe(int64_t height, int64_t width, int32_t filter_height,
                          int32_t filter_width, wk_border border) {
    wk_conv2d c = {.images = 1, .height = height, .width = width, .filter_height = filter_height,
                   .filter_width = filter_width, .border = border};
    return c;
}

static void expect(const wk_conv2d *c, const float *in, const float *weights, const float *want,
                   size_t count) {
    float out[64];
    assert_true(count <= 64);
    assert_int_equal(wk_conv2d_f32_host(c, in, weights, out), WK_SUCCESS);
    for (size_t i = 0; i < count; i++) assert_float_equal(out[i], want[i], 0);
}

static void worked_examples(void **state) {
    (void)state;
    wk_conv2d valid = describe(4, 4, 3, 3, WK_BORDER_VALID);
    expect(&valid, image, cross, (float[]){30, 35, 50, 55}, 4);
    wk_conv2d zero = describe(4, 4, 3, 3, WK_BORDER_ZERO);
    expect(&zero, image, cross,
           (float[]){7, 14, 17, 11, 17, 30, 35, 22, 29, 50, 55, 34, 23, 34, 37, 27}, 16);
}

static void borders(void **state) {
    (void)state;
    /* A row filter that picks the element two to the left shows the border itself. */
    const float row[4] = {1, 2, 3, 4}, pick[5] = {1, 0, 0, 0, 0};
    wk_conv2d c = describe(1, 4, 1, 5, WK_BORDER_ZERO);
    expect(&c, row, pick, (float[]){0, 0, 1, 2}, 4);
    c.border = WK_BORDER_REPLICATE;
    expect(&c, row, pick, (float[]){1, 1, 1, 2}, 4);
    c.border = WK_BORDER_REFLECT;
    expect(&c, row, pick, (float[]){3, 2, 1, 2}, 4);
    /* A filter longer than the image is reflected again and again. */
    const float two[2] = {1, 2}, far[7] = {1, 0, 0, 0, 0, 0, 0};
    c = describe(1, 2, 1, 7, WK_BORDER_REFLECT);
    expect(&c, two, far, (float[]){2, 1}, 2);
    c = describe(1, 1, 1, 7, WK_BORDER_REFLECT);
    expect(&c, two, far, (float[]){1}, 1);
}

static void even_and_turned(void **state) {
    (void)state;
    const float row[4] = {1, 2, 3, 4}, w[2] = {10, 1};
    wk_conv2d c = describe(1, 4, 1, 2, WK_BORDER_ZERO);
    expect(&c, row, w, (float[]){12, 23, 34, 40}, 4);
    c.flags = WK_CONV_FLIP;
    expect(&c, row, w, (float[]){21, 32, 43, 4}, 4);
    /* Turning is by 180 degrees, not a mirror of the rows. */
    const float square[4] = {1, 2, 3, 4}, ramp[4] = {1, 10, 100, 1000};
    c = describe(2, 2, 2, 2, WK_BORDER_VALID);
    expect(&c, square, ramp, (float[]){4321}, 1);
    c.flags = WK_CONV_FLIP;
    expect(&c, square, ramp, (float[]){1234}, 1);
}

static void pitches_and_rows(void **state) {
    (void)state;
    /* Two images of 2x2 with pitch 3, 7 apart; only the second row of each. */
    const float in[13] = {1, 2, -1, 3, 4, -1, -1, 5, 6, -1, 7, 8, -1};
    const float one[1] = {2};
    float out[8] = {-7, -7, -7, -7, -7, -7, -7, -7};
    wk_conv2d c = describe(2, 2, 1, 1, WK_BORDER_VALID);
    c.images = 2, c.in_pitch = 3, c.in_image_pitch = 7, c.out_image_pitch = 5;
    c.first_row = 1, c.rows = 1;
    assert_int_equal(wk_conv2d_f32_host(&c, in, one, out), WK_SUCCESS);
    const float want[8] = {6, 8, -7, -7, -7, 14, 16, -7};
    for (int i = 0; i < 8; i++) assert_float_equal(out[i], want[i], 0);
}

static void halves(void **state) {
    (void)state;
    /* 1, -2, the largest, the smallest subnormal, the smallest normal. */
    const uint16_t in[5] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400};
    const float one[1] = {1}, want[5] = {1, -2, 65504, 0x1p-24f, 0x1p-14f};
    float out[5];
    wk_conv2d c = describe(1, 5, 1, 1, WK_BORDER_VALID);
    assert_int_equal(wk_conv2d_f16_host(&c, in, one, out), WK_SUCCESS);
    for (int i = 0; i < 5; i++) assert_float_equal(out[i], want[i], 0);
    const uint16_t special[3] = {0x7c00, 0xfc00, 0x7e00};
    c.width = 3;
    assert_int_equal(wk_conv2d_f16_host(&c, special, one, out), WK_SUCCESS);
    assert_true(isinf(out[0]) && out[0] > 0 && isinf(out[1]) && out[1] < 0 && isnan(out[2]));
}

static void separates(void **state) {
    (void)state;
    const float binomial[3] = {0.25f, 0.5f, 0.25f};
    float w[9], column[3], row[3];
    for (int i = 0; i < 9; i++) w[i] = binomial[i / 3] * binomial[i % 3];
    assert_true(wk_filter_separate(w, 3, 3, WK_SEPARABLE_TOLERANCE, column, row));
    for (int i = 0; i < 9; i++)
        assert_float_equal(column[i / 3] * row[i % 3], w[i], 1e-7);
    assert_false(wk_filter_separate(cross, 3, 3, WK_SEPARABLE_TOLERANCE, column, row));
    /* The tolerance counts: a change of 1e-3 in one weight is found, and forgiven when asked. */
    w[0] += 1e-3f;
    assert_false(wk_filter_separate(w, 3, 3, WK_SEPARABLE_TOLERANCE, column, row));
    assert_true(wk_filter_separate(w, 3, 3, 1e-2f, column, row));
    /* Rank 1 with a negative pivot, rank 0, and what is no number. */
    const float sobel[9] = {1, 0, -1, 2, 0, -2, 1, 0, -1}, zero[9] = {0};
    assert_true(wk_filter_separate(sobel, 3, 3, 0, column, row) ||
                wk_filter_separate(sobel, 3, 3, WK_SEPARABLE_TOLERANCE, column, row));
    assert_true(wk_filter_separate(zero, 3, 3, 0, column, row));
    w[4] = NAN;
    assert_false(wk_filter_separate(w, 3, 3, 1, column, row));
    assert_false(wk_filter_separate(NULL, 3, 3, 1, column, row));
}

static void given_factors(void **state) {
    (void)state;
    const float column[3] = {1, 2, 1}, row[3] = {1, 0, -1};
    const float w[9] = {1, 0, -1, 2, 0, -2, 1, 0, -1};
    wk_conv2d c = describe(4, 4, 3, 3, WK_BORDER_REFLECT);
    for (uint32_t flags = 0; flags <= WK_CONV_FLIP; flags++) {
        float a[16], b[16];
        c.flags = flags;
        assert_int_equal(wk_conv2d_f32_host(&c, image, w, a), WK_SUCCESS);
        assert_int_equal(wk_conv2d_separable_f32_host(&c, image, column, row, b), WK_SUCCESS);
        assert_memory_equal(a, b, sizeof a);
    }
}

static void chooses(void **state) {
    (void)state;
    float gauss[81], rough[81];
    for (int i = 0; i < 81; i++) {
        gauss[i] = expf(-0.1f * (float)((i / 9 - 4) * (i / 9 - 4))) *
                   expf(-0.1f * (float)((i % 9 - 4) * (i % 9 - 4)));
        rough[i] = (float)(i * i % 7);
    }
    wk_conv_path path;
    wk_conv2d c = describe(100, 100, 9, 9, WK_BORDER_ZERO);
    assert_int_equal(wk_conv2d_choose(&c, gauss, &path), WK_SUCCESS);
    assert_int_equal(path, WK_CONV_SEPARABLE);
    assert_int_equal(wk_conv2d_choose(&c, rough, &path), WK_SUCCESS);
    assert_int_equal(path, WK_CONV_BLOCKED);
    c.path = WK_CONV_SEPARABLE;
    assert_int_equal(wk_conv2d_choose(&c, rough, &path), WK_ERROR_VALUE);
    c.path = WK_CONV_MARCH;
    assert_int_equal(wk_conv2d_choose(&c, gauss, &path), WK_ERROR_VALUE);
    c = describe(100, 100, 3, 3, WK_BORDER_ZERO);
    assert_int_equal(wk_conv2d_choose(&c, rough, &path), WK_SUCCESS);
    assert_int_equal(path, WK_CONV_MARCH);

    /* Tensor cores where the filter and the image are large, whatever makes the image so. */
    float wide[961];
    for (int i = 0; i < 961; i++) wide[i] = (float)(i / 31 + 1) * (float)(i % 31 + 1);
    c = describe(16384, 16384, 31, 31, WK_BORDER_ZERO);
    assert_int_equal(wk_conv2d_choose(&c, wide, &path), WK_SUCCESS);
    assert_int_equal(path, WK_CONV_TENSOR);
    c = describe(1024, 1024, 31, 31, WK_BORDER_ZERO);
    assert_int_equal(wk_conv2d_choose(&c, wide, &path), WK_SUCCESS);
    assert_int_equal(path, WK_CONV_SEPARABLE);
    c.images = 256;
    assert_int_equal(wk_conv2d_choose(&c, wide, &path), WK_SUCCESS);
    assert_int_equal(path, WK_CONV_TENSOR);
    c = describe(16384, 16384, 9, 9, WK_BORDER_ZERO);
    assert_int_equal(wk_conv2d_choose(&c, gauss, &path), WK_SUCCESS);
    assert_int_equal(path, WK_CONV_SEPARABLE);
    c.path = WK_CONV_TENSOR;
    assert_int_equal(wk_conv2d_choose(&c, gauss, &path), WK_SUCCESS);
    assert_int_equal(path, WK_CONV_TENSOR);
    assert_int_equal(wk_conv2d_choose(&c, rough, &path), WK_ERROR_VALUE);
}

static void checks(void **state) {
    (void)state;
    float in[16] = {0}, out[16], w[9] = {0};
    const wk_conv2d good = describe(4, 4, 3, 3, WK_BORDER_ZERO);
    wk_conv2d c = good;
#define EXPECT(status) assert_int_equal(wk_conv2d_f32_host(&c, in, w, out), status)
    EXPECT(WK_SUCCESS);
    c = good, c.height = -1; EXPECT(WK_ERROR_SIZE);
    c = good, c.width = -1; EXPECT(WK_ERROR_SIZE);
    c = good, c.images = -1; EXPECT(WK_ERROR_SIZE);
    c = good, c.filter_height = 0; EXPECT(WK_ERROR_VALUE);
    c = good, c.filter_width = 32; EXPECT(WK_ERROR_VALUE);
    c = good, c.border = (wk_border)4; EXPECT(WK_ERROR_VALUE);
    c = good, c.flags = 2; EXPECT(WK_ERROR_VALUE);
    c = good, c.path = (wk_conv_path)7; EXPECT(WK_ERROR_VALUE);
    c = good, c.tile_width = 65; EXPECT(WK_ERROR_VALUE);
    c = good, c.in_pitch = 3; EXPECT(WK_ERROR_PITCH);
    c = good, c.out_pitch = -4; EXPECT(WK_ERROR_PITCH);
    c = good, c.images = 2, c.in_image_pitch = 15; EXPECT(WK_ERROR_PITCH);
    c = good, c.first_row = 5; EXPECT(WK_ERROR_VALUE);
    c = good, c.first_row = 3, c.rows = 2; EXPECT(WK_ERROR_VALUE);
    c = good, c.height = INT64_MAX / 4; EXPECT(WK_ERROR_SIZE);
    c = good, c.images = INT64_MAX; EXPECT(WK_ERROR_SIZE);
    c = good, c.in_pitch = INT64_MAX; EXPECT(WK_ERROR_SIZE);
#undef EXPECT
    c = good;
    assert_int_equal(wk_conv2d_f32_host(NULL, in, w, out), WK_ERROR_NULL);
    assert_int_equal(wk_conv2d_f32_host(&c, NULL, w, out), WK_ERROR_NULL);
    assert_int_equal(wk_conv2d_f32_host(&c, in, NULL, out), WK_ERROR_NULL);
    assert_int_equal(wk_conv2d_f32_host(&c, in, w, NULL), WK_ERROR_NULL);
    assert_int_equal(wk_conv2d_f32_host(&c, in, w, in + 15), WK_ERROR_OVERLAP);
    assert_int_equal(wk_conv2d_f32_host(&c, (const float *)((const char *)in + 1), w, out),
                     WK_ERROR_ALIGNMENT);
    /* Nothing to do needs no pointers. */
    c.height = 0;
    assert_int_equal(wk_conv2d_f32_host(&c, NULL, w, NULL), WK_SUCCESS);
    c = good, c.images = 0;
    assert_int_equal(wk_conv2d_f32_host(&c, NULL, w, NULL), WK_SUCCESS);
    c = describe(2, 9, 3, 3, WK_BORDER_VALID);
    assert_int_equal(wk_conv2d_f32_host(&c, NULL, w, NULL), WK_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples),  cmocka_unit_test(borders),
        cmocka_unit_test(even_and_turned),  cmocka_unit_test(pitches_and_rows),
        cmocka_unit_test(halves),           cmocka_unit_test(separates),
        cmocka_unit_test(given_factors),    cmocka_unit_test(chooses),
        cmocka_unit_test(checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
