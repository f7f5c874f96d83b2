/* Shares of ranks: complete, disjoint, even; and a convolution put together from the shares of
 * 1 to 4 ranks equals that of the whole image. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <warpkernels/shard.h>

static void ranges(void **state) {
    (void)state;
    for (int64_t n = 0; n < 40; n++)
        for (int32_t ranks = 1; ranks < 9; ranks++) {
            int64_t next = 0, least = INT64_MAX, most = 0;
            for (int32_t r = 0; r < ranks; r++) {
                int64_t first, count;
                assert_int_equal(wk_shard_range(n, ranks, r, &first, &count), WK_SUCCESS);
                assert_int_equal(first, next);
                next = first + count;
                least = count < least ? count : least;
                most = count > most ? count : most;
            }
            assert_int_equal(next, n);
            assert_true(most - least <= 1);
        }
    int64_t first, count;
    assert_int_equal(wk_shard_range(INT64_MAX, 8, 7, &first, &count), WK_SUCCESS);
    assert_true(first + count == INT64_MAX);
    assert_int_equal(wk_shard_range(-1, 1, 0, &first, &count), WK_ERROR_SIZE);
    assert_int_equal(wk_shard_range(1, 0, 0, &first, &count), WK_ERROR_VALUE);
    assert_int_equal(wk_shard_range(1, 2, 2, &first, &count), WK_ERROR_VALUE);
    assert_int_equal(wk_shard_range(1, 1, 0, NULL, &count), WK_ERROR_NULL);
}

enum { HEIGHT = 37, WIDTH = 11, SIDE = 31 };

/* The rows that a rank holds, own and neighbours', as one image. */
static void one_rank(const wk_conv2d *whole, const float *image, const float *weights, int32_t ranks,
                     int32_t rank, float *out, int64_t out_width) {
    wk_shard_rows rows;
    assert_int_equal(wk_shard_conv_rows(whole, ranks, rank, &rows), WK_SUCCESS);
    if (rows.out_count == 0) return;
    wk_conv2d mine = *whole;
    mine.height = rows.above + rows.count + rows.below;
    mine.first_row = rows.above;
    mine.rows = rows.out_count;
    const float *held = image + (rows.first - rows.above) * WIDTH;
    assert_true(rows.first >= rows.above && rows.first + rows.count + rows.below <= HEIGHT);
    assert_int_equal(wk_conv2d_f32_host(&mine, held, weights, out + rows.out_first * out_width), WK_SUCCESS);
}

static void convolutions(void **state) {
    (void)state;
    float image[HEIGHT * WIDTH], weights[SIDE * SIDE];
    for (int i = 0; i < HEIGHT * WIDTH; i++) image[i] = (float)((unsigned)i * 2654435761u >> 20) / 4096;
    for (int i = 0; i < SIDE * SIDE; i++) weights[i] = (float)((unsigned)(i + 7) * 40503u % 17) - 8;
    static const int sides[][2] = {{1, 1}, {3, 3}, {4, 2}, {5, 3}, {7, 7}, {2, 5}};
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++)
        for (int border = WK_BORDER_VALID; border <= WK_BORDER_REFLECT; border++)
            for (int32_t ranks = 1; ranks <= 4; ranks++) {
                wk_conv2d conv = {.images = 1,
                                  .height = HEIGHT,
                                  .width = WIDTH,
                                  .filter_height = sides[s][0],
                                  .filter_width = sides[s][1],
                                  .border = (wk_border)border};
                int64_t height, width;
                assert_int_equal(wk_conv2d_output_size(&conv, &height, &width), WK_SUCCESS);
                float *want = calloc((size_t)(height * width) + 1, sizeof *want),
                      *got = calloc((size_t)(height * width) + 1, sizeof *got);
                assert_int_equal(wk_conv2d_f32_host(&conv, image, weights, want), WK_SUCCESS);
                for (int32_t r = 0; r < ranks; r++) one_rank(&conv, image, weights, ranks, r, got, width);
                assert_memory_equal(got, want, (size_t)(height * width) * sizeof *got);
                free(want);
                free(got);
            }
}

static void too_thin(void **state) {
    (void)state;
    wk_conv2d conv = {.images = 1,
                      .height = 20,
                      .width = 8,
                      .filter_height = 7,
                      .filter_width = 3,
                      .border = WK_BORDER_ZERO};
    wk_shard_rows rows;
    assert_int_equal(wk_shard_conv_rows(&conv, 3, 0, &rows), WK_ERROR_SIZE);
    assert_int_equal(wk_shard_conv_rows(&conv, 2, 0, &rows), WK_SUCCESS);
    conv.first_row = 1;
    assert_int_equal(wk_shard_conv_rows(&conv, 2, 0, &rows), WK_ERROR_VALUE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges), cmocka_unit_test(convolutions),
                                       cmocka_unit_test(too_thin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
