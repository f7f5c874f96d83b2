/* Memory runs out: each allocation of a launch fails in turn, and either the report is the same, or the call or the report says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "warpgrind/warpgrind.h"

typedef struct launched { /* a kernel of tests/checks */
    const char *cubin, *kernel;
    uint32_t grid, block;
    unsigned jobs;
} launched;

/* The linker puts these in the place of the library's calls (--wrap). */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);

static _Atomic long left = -1; /* allocations until one fails; negative: none does */
static bool fails(void) { return left >= 0 && left-- == 0; } /* of several workers, one or the other */
void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }
void *__wrap_aligned_alloc(size_t alignment, size_t n) { return fails() ? NULL : __real_aligned_alloc(alignment, n); }

/* What is told of a launch whose allocation `nth` fails; *reached: it has so many. */
static json_t *report_of(const launched *l, long nth, bool *reached, wg_error *err) {
    wg_device *dev;
    wg_address a, b;
    char cubin[300];
    *err = (wg_error){0};
    snprintf(cubin, sizeof cubin, WG_TEST_DATA "/../checks/%s.sm_90.cubin", l->cubin);
    assert_int_equal(wg_open(cubin, &(wg_options){.jobs = l->jobs}, &dev, err), WG_OK);
    assert_int_equal(wg_alloc(dev, 65536 * 4, &a, err), WG_OK);
    assert_int_equal(wg_alloc(dev, 65536 * 4, &b, err), WG_OK);
    assert_int_equal(wg_fill(dev, a, 0, 65536 * 4, err), WG_OK);
    assert_int_equal(wg_fill(dev, b, 0, 65536 * 4, err), WG_OK);
    const wg_function *f = wg_kernel(dev, l->kernel, err);
    const wg_arg args[] = {wg_arg_address(a), wg_arg_address(b), wg_arg_i32((int)(l->grid * l->block))};
    left = nth;
    wg_status status = wg_launch(dev, f, wg_dim3(l->grid, 1, 1), wg_dim3(l->block, 1, 1), 0, args, 3, NULL, err);
    *reached = left < 0;
    left = -1;
    if (status != WG_OK && !err->text[0]) fail_msg("%s, allocation %ld: an error that says nothing", l->kernel, nth);
    char *text = wg_report_json(dev);
    json_t *report = json_loads(text, 0, NULL);
    assert_non_null(report);
    free(text);
    wg_close(dev);
    return report;
}

static bool same(const json_t *a, const json_t *b, const char *part) { return json_equal(json_object_get(a, part), json_object_get(b, part)); }

/* The number of failures that were not told. */
static unsigned each_allocation_fails_once(const launched *l) {
    wg_error err;
    bool reached;
    unsigned silent = 0, told = 0, harmless = 0;
    json_t *whole = report_of(l, -1, &reached, &err);
    assert_int_equal(json_array_size(json_object_get(whole, "launches")), 1);
    for (long nth = 0;; nth++) {
        json_t *report = report_of(l, nth, &reached, &err);
        if (!reached) {
            json_decref(report);
            break;
        }
        if (err.text[0] || json_array_size(json_object_get(report, "not_run"))) told++;
        else if (same(whole, report, "launches") && same(whole, report, "findings")) harmless++;
        else silent++, print_error("%s of %s with %u workers: that allocation %ld fails is not told\n", l->kernel, l->cubin, l->jobs, nth);
        json_decref(report);
    }
    if (told < 10) silent++, print_error("%s of %s: of %u failures %u are told\n", l->kernel, l->cubin, told + harmless, told);
    json_decref(whole);
    return silent;
}

static void nothing_is_lost_silently(void **state) {
    (void)state;
    static const launched kernels[] = {
        {"race", "bad_missing_barrier", 1, 64, 1}, {"race", "good_second_barrier", 2, 128, 1}, {"race", "good_second_barrier", 2, 128, 2},
        {"sync", "good_half_counter", 4, 64, 1}, {"lanes", "bad_barrier_in_branch", 1, 64, 1}, {"bounds", "bad_read_past_end", 2, 64, 2},
        {"phase", "bad_arrives_before_write", 1, 64, 1}, {"proxy", "not_fenced", 4, 64, 1}, {"cluster", "blocks_alone", 8, 64, 1}};
    unsigned silent = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) silent += each_allocation_fails_once(&kernels[k]);
    assert_int_equal(silent, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_silently)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
