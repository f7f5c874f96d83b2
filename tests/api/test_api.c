/* The public C API, with kernels of checked-in cubins: what works, and what each wrong call says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpgrind/warpgrind.h"

#define TINY  WG_TEST_DATA "/cubin/tiny_sm80.cubin"   /* twice(int *), times(int *) */
#define MEET  WG_TEST_DATA "/../engine/meet.sm_90.cubin"
#define PROBE WG_TEST_DATA "/cubin/probe_sm90.cubin"  /* variables, parameters by value */

static wg_error err;
#define OK(call)                                                                                             \
    do {                                                                                                     \
        if ((call) != WG_OK) fail_msg("%s: %s", #call, err.text);                                            \
    } while (0)
#define FAILS(status, word, call)                                                                            \
    do {                                                                                                     \
        err = (wg_error){0};                                                                                 \
        assert_int_equal(call, status);                                                                      \
        if (!strstr(err.text, word)) fail_msg("%s says: %s", #call, err.text);                               \
    } while (0)

static wg_device *device(const char *path, const wg_options *options) {
    wg_device *dev;
    OK(wg_open(path, options, &dev, &err));
    return dev;
}

static void run_and_count(void **state) {
    (void)state;
    wg_device *dev = device(TINY, NULL);
    int values[64], back[64];
    wg_address at;
    const wg_launch_record *run;
    for (int i = 0; i < 64; i++) values[i] = i;
    OK(wg_alloc(dev, sizeof values, &at, &err));
    assert_false(wg_is_written(dev, at, sizeof values));
    OK(wg_copy_in(dev, at, values, sizeof values, &err));
    assert_true(wg_is_written(dev, at, sizeof values));
    wg_arg args[] = {wg_arg_address(at)};
    OK(wg_launch(dev, wg_kernel(dev, "twice", &err), wg_dim3(1, 1, 1), wg_dim3(64, 1, 1), 0, args, 1, &run, &err));
    OK(wg_copy_out(dev, back, at, sizeof back, &err));
    for (int i = 0; i < 64; i++) assert_int_equal(back[i], 2 * i);
    assert_true(wg_counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == 2);
    assert_true(wg_counter(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 8);
    assert_true(wg_counter(run, "launch__thread_count") == 64);
    assert_true(wg_counter_is_exact(run, "smsp__inst_executed.sum"));
    assert_false(wg_counter_is_exact(run, "launch__waves_per_multiprocessor"));
    assert_true(isnan(wg_counter(run, "no such counter")));
    assert_int_equal(wg_findings(dev, NULL, 0), 0);
    wg_reads reads;
    uint64_t map[64];
    OK(wg_allocation_reads(dev, at, 4, &reads, map, 64, &err));
    assert_int_equal(reads.elements, 64);
    assert_int_equal(reads.reads, 64);
    assert_int_equal(reads.distinct, 64);
    assert_int_equal(reads.most, 1);
    for (int i = 0; i < 64; i++) assert_int_equal(map[i], 1);
    wg_close(dev);
}

static void copies(void **state) {
    (void)state;
    wg_device *dev = device(TINY, &(wg_options){.gpu = "a100", .jobs = 1});
    char bytes[16] = "0123456789abcde", back[16] = "";
    wg_address a, b;
    OK(wg_alloc(dev, 16, &a, &err));
    OK(wg_alloc(dev, 16, &b, &err));
    OK(wg_copy_in(dev, a, bytes, 16, &err));
    OK(wg_copy(dev, b, a, 16, &err));
    OK(wg_fill(dev, b, '#', 3, &err));
    OK(wg_copy_out(dev, back, b, 16, &err));
    assert_memory_equal(back, "###3456789abcde", 16);
    OK(wg_free(dev, a, &err));
    FAILS(WG_ERR_ARGUMENT, "", wg_free(dev, a, &err));
    FAILS(WG_ERR_ARGUMENT, "", wg_copy_in(dev, b, bytes, 17, &err));
    wg_close(dev);
}

static void variables_and_structs(void **state) {
    (void)state;
    wg_device *dev = device(PROBE, NULL);
    wg_address table, out;
    size_t size;
    float first;
    OK(wg_variable(dev, "table", &table, &size, &err));
    assert_int_equal(size, 64);
    OK(wg_copy_out(dev, &first, table, 4, &err));
    assert_true(first == 1.5f);
    FAILS(WG_ERR_NOT_FOUND, "nothing", wg_variable(dev, "nothing", &table, NULL, &err));
    static char large[5000];
    large[4321] = 77;
    OK(wg_alloc(dev, 4, &out, &err));
    wg_arg args[] = {wg_arg_bytes(large, sizeof large), wg_arg_address(out), wg_arg_i32(4321)};
    OK(wg_launch(dev, wg_kernel(dev, "takes_large", &err), wg_dim3(1, 1, 1), wg_dim3(1, 1, 1), 0, args, 3, NULL, &err));
    int got;
    OK(wg_copy_out(dev, &got, out, 4, &err));
    assert_int_equal(got, 77);
    wg_close(dev);
}

static void wrong_calls(void **state) {
    (void)state;
    wg_device *dev;
    FAILS(WG_ERR_IO, "no/such/file", wg_open("no/such/file", NULL, &dev, &err));
    FAILS(WG_ERR_FORMAT, "", wg_open_memory("this is no image", 16, NULL, &dev, &err));
    FAILS(WG_ERR_NOT_FOUND, "h300", wg_open(TINY, &(wg_options){.gpu = "h300"}, &dev, &err));
    FAILS(WG_ERR_NOT_FOUND, "", wg_open(TINY, &(wg_options){.gpu = "h200"}, &dev, &err)); /* sm_80 code */
    dev = device(TINY, NULL);
    assert_null(wg_kernel(dev, "thrice", &err));
    assert_non_null(strstr(err.text, "twice"));
    const wg_launch_record *run = (void *)1;
    assert_int_equal(wg_launch(dev, NULL, wg_dim3(1, 1, 1), wg_dim3(1, 1, 1), 0, NULL, 0, &run, &err), WG_ERR_NOT_FOUND);
    assert_null(run);
    const wg_function *twice = wg_kernel(dev, "twice(int*)", &err);
    assert_non_null(twice);
    wg_arg address[] = {wg_arg_address(0), wg_arg_i32(1)}, narrow[] = {wg_arg_i32(1)};
    FAILS(WG_ERR_ARGUMENT, "takes 1", wg_launch(dev, twice, wg_dim3(1, 1, 1), wg_dim3(1, 1, 1), 0, address, 2, NULL, &err));
    FAILS(WG_ERR_ARGUMENT, "4 bytes", wg_launch(dev, twice, wg_dim3(1, 1, 1), wg_dim3(1, 1, 1), 0, narrow, 1, NULL, &err));
    FAILS(WG_ERR_ARGUMENT, "2048 threads", wg_launch(dev, twice, wg_dim3(1, 1, 1), wg_dim3(1024, 2, 1), 0, address, 1, NULL, &err));
    FAILS(WG_ERR_ARGUMENT, "grid (0", wg_launch(dev, twice, wg_dim3(0, 1, 1), wg_dim3(1, 1, 1), 0, address, 1, NULL, &err));
    FAILS(WG_ERR_ARGUMENT, "shared memory",
          wg_launch(dev, twice, wg_dim3(1, 1, 1), wg_dim3(1, 1, 1), 1 << 20, address, 1, NULL, &err));
    wg_close(dev);
    wg_close(NULL);
}

static void faults_are_findings(void **state) {
    (void)state;
    wg_device *dev = device(TINY, NULL);
    wg_address at;
    const wg_launch_record *run;
    OK(wg_alloc(dev, 40, &at, &err)); /* ten values for 32 threads: an error of the program, but not one that ends it */
    OK(wg_copy_in(dev, at, (int[10]){0}, 40, &err));
    wg_arg args[] = {wg_arg_address(at)}, null[] = {wg_arg_address(0)};
    OK(wg_launch(dev, wg_kernel(dev, "twice", &err), wg_dim3(1, 1, 1), wg_dim3(32, 1, 1), 0, args, 1, &run, &err));
    wg_finding found[8];
    assert_int_equal(wg_findings(dev, found, 8), 1); /* the load and the store are one line's */
    assert_string_equal(found[0].kind, "out-of-bounds");
    assert_string_equal(found[0].severity, "error");
    assert_string_equal(found[0].kernel, "twice(int*)");
    assert_int_equal(wg_launch(dev, wg_kernel(dev, "twice", &err), wg_dim3(1, 1, 1), wg_dim3(32, 1, 1), 0, null, 1, &run, &err), WG_ERR_FAULT);
    assert_non_null(run); /* what it counted until then is there */
    assert_int_equal(wg_findings(dev, found, 8), 2);
    assert_string_equal(found[1].kind, "out-of-bounds");
    assert_int_equal(found[1].launch, 1);
    wg_close(dev);
}

static void reports(void **state) {
    (void)state;
    wg_device *dev = device(TINY, &(wg_options){.instructions = true});
    wg_address at;
    OK(wg_alloc(dev, 256, &at, &err));
    wg_arg args[] = {wg_arg_address(at)};
    OK(wg_launch(dev, wg_kernel(dev, "twice", &err), wg_dim3(1, 1, 1), wg_dim3(64, 1, 1), 0, args, 1, NULL, &err));
    for (int k = 0; k < 2; k++) { /* asking does not change the answer */
        char *json = wg_report_json(dev), *text = wg_report_text(dev);
        assert_non_null(strstr(json, "\"schema\": 1"));
        assert_non_null(strstr(json, "\"instructions\""));
        assert_non_null(strstr(text, "twice(int*)"));
        assert_null(strstr(text, "twice(int*)\n  launches"));
        free(json);
        free(text);
    }
    wg_close(dev);
}

/* The counters that hardware patches into the code see guards alone: of ACQBULK all lanes count in the mix, and those for which P0
 * is true among the lanes that were on. */
static void acqbulk_in_the_mix(void **state) {
    (void)state;
    wg_device *dev = device(MEET, NULL);
    wg_address out;
    const wg_launch_record *run;
    OK(wg_alloc(dev, 256, &out, &err));
    wg_arg args[] = {wg_arg_address(out)};
    OK(wg_launch(dev, wg_kernel(dev, "acquires", &err), wg_dim3(4, 1, 1), wg_dim3(64, 1, 1), 0, args, 1, &run, &err));
    const double lanes = wg_counter(run, "smsp__thread_inst_executed.sum"), on = wg_counter(run, "smsp__thread_inst_executed_pred_on.sum");
    assert_true(lanes - on == 4 * 64); /* P0 was never written: 0 */
    assert_true(wg_counter(run, "smsp__sass_thread_inst_executed_op_misc_pred_on.sum") == 2 * 4 * 64); /* S2R and ACQBULK */
    wg_close(dev);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(run_and_count), cmocka_unit_test(copies), cmocka_unit_test(variables_and_structs),
                                       cmocka_unit_test(wrong_calls), cmocka_unit_test(faults_are_findings), cmocka_unit_test(reports), cmocka_unit_test(acqbulk_in_the_mix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
