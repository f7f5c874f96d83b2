/* Launch arithmetic against the chapter's worked examples and at the ends of its range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <warpkernels/launch.h>

static void expect(int64_t size, int32_t threads, int64_t blocks, int64_t total, int64_t wasted) {
    wk_launch c;
    assert_int_equal(wk_launch_config(size, threads, &c), WK_SUCCESS);
    assert_int_equal(c.blocks, blocks);
    assert_int_equal(c.threads, threads);
    assert_int_equal(c.total, total);
    assert_int_equal(c.wasted, wasted);
}

static void worked_examples(void **state) {
    (void)state;
    expect(1000000, 256, 3907, 1000192, 192);
    expect(10000, 128, 79, 10112, 112);
    expect(5000, 512, 10, 5120, 120);
}

static void small_and_exact(void **state) {
    (void)state;
    expect(0, 256, 0, 0, 0);
    expect(1, 256, 1, 256, 255);
    expect(1, 1, 1, 1, 0);
    expect(256, 256, 1, 256, 0);
    expect(257, 256, 2, 512, 255);
    for (int64_t size = 0; size < 300; size++)
        for (int32_t threads = 1; threads <= 64; threads++) {
            wk_launch c;
            assert_int_equal(wk_launch_config(size, threads, &c), WK_SUCCESS);
            int64_t blocks = 0;
            while (blocks * threads < size) blocks++;
            assert_int_equal(c.blocks, blocks);
            assert_int_equal(c.wasted, blocks * threads - size);
        }
}

static void largest(void **state) {
    (void)state;
    wk_launch c;
    expect(INT64_MAX, 1, INT64_MAX, INT64_MAX, 0);
    /* INT64_MAX is odd: with two threads a block the total would be 2^63. */
    assert_int_equal(wk_launch_config(INT64_MAX, 2, &c), WK_ERROR_SIZE);
    expect(INT64_MAX - 1, 2, INT64_MAX / 2, INT64_MAX - 1, 0);
}

static void rejects(void **state) {
    (void)state;
    wk_launch c;
    assert_int_equal(wk_launch_config(-1, 256, &c), WK_ERROR_SIZE);
    assert_int_equal(wk_launch_config(10, 0, &c), WK_ERROR_VALUE);
    assert_int_equal(wk_launch_config(10, 1025, &c), WK_ERROR_VALUE);
    assert_int_equal(wk_launch_config(10, 256, NULL), WK_ERROR_NULL);
    assert_int_equal(wk_launch_grid_stride(10, 256, 0, &c), WK_ERROR_VALUE);
    assert_int_equal(wk_launch_grid_stride(-1, 256, 1, &c), WK_ERROR_SIZE);
}

static void grid_stride(void **state) {
    (void)state;
    wk_launch c;
    assert_int_equal(wk_launch_grid_stride(1000000, 256, 100, &c), WK_SUCCESS);
    assert_int_equal(c.blocks, 100);
    assert_int_equal(c.total, 25600);
    assert_int_equal(c.wasted, 0);
    assert_int_equal(wk_launch_grid_stride(1000, 256, 100, &c), WK_SUCCESS);
    assert_int_equal(c.blocks, 4);
    assert_int_equal(c.wasted, 24);
    /* Past the limit of gridDim.x the grid stays launchable. */
    assert_int_equal(wk_launch_grid_stride(INT64_MAX, 32, INT64_MAX, &c), WK_SUCCESS);
    assert_int_equal(c.blocks, WK_MAX_GRID_X);
}

static void status_strings(void **state) {
    (void)state;
    for (int s = WK_SUCCESS; s <= WK_ERROR_NCCL; s++)
        assert_string_not_equal(wk_status_string((wk_status)s), "unknown status");
    assert_string_equal(wk_status_string((wk_status)9999), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples), cmocka_unit_test(small_and_exact),
        cmocka_unit_test(largest),         cmocka_unit_test(rejects),
        cmocka_unit_test(grid_stride),     cmocka_unit_test(status_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
