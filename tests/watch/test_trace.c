/* What --trace is given, and the types that a trace finds for registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "watch/trace.h"

static watch_trace_spec read_good(const char *text) {
    watch_trace_spec spec;
    wg_error err = {0};
    if (watch_trace_read(text, &spec, &err) != WG_OK) fail_msg("%s", err.text);
    return spec;
}

static void names_alone(void **state) {
    (void)state;
    watch_trace_spec s = read_good("sum_eight");
    assert_string_equal(s.kernel, "sum_eight");
    assert_true(s.linear && s.block[0] == 0 && s.warp == 0 && s.first_lane == 0 && s.last_lane == 31 && s.launch == 0);
    assert_int_equal(s.steps, WATCH_TRACE_STEPS);
}

static void every_part(void **state) {
    (void)state;
    watch_trace_spec s = read_good("f<int>[block (1, 2,3), warp 5, lanes 4-12, registers R5 R70, launch 2, steps 10]");
    assert_string_equal(s.kernel, "f<int>");
    assert_true(!s.linear && s.block[0] == 1 && s.block[1] == 2 && s.block[2] == 3);
    assert_true(s.warp == 5 && s.first_lane == 4 && s.last_lane == 12 && s.launch == 2 && s.steps == 10);
    assert_true(s.registers[0] == 1u << 5 && s.registers[1] == 1u << 6);
    assert_true(read_good("f[block 7]").linear && read_good("f[block 7]").block[0] == 7);
    assert_int_equal(read_good("f[lanes 3]").last_lane, 3);
}

static void mistakes(void **state) {
    (void)state;
    static const char *const bad[] = {"", "[warp 0]", "f[warp 32]", "f[lanes 7-3]", "f[lanes 0-32]", "f[block (1,2]", "f[registers]",
                                      "f[warp 0 block 1]", "f[bloc 0]", "f[]", "f[steps 0]", "f[registers R255]", "f[warp -1]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        watch_trace_spec s;
        wg_error err = {0};
        if (watch_trace_read(bad[i], &s, &err) != WG_ERR_ARGUMENT || !err.text[0]) fail_msg("accepted: %s", bad[i]);
    }
}

/* LDG R2; SHFL R5, R2; FADD R7, R2, R5; STG R7: the addition says what the load brought, and what the store takes. */
static void types_flow_both_ways(void **state) {
    (void)state;
    sass_operand r2 = {.kind = SASS_REG, .reg = 2}, r5 = {.kind = SASS_REG, .reg = 5}, r7 = {.kind = SASS_REG, .reg = 7};
    sass_instr load = {.op = SASS_LDG, .dst = r2, .width = 4, .type = SASS_U32}, shfl = {.op = SASS_SHFL, .dst = r5, .a = r2},
               add = {.op = SASS_FADD, .dst = r7, .a = r2, .b = r5}, store = {.op = SASS_STG, .a = r7, .width = 4};
    const sass_instr *all[] = {&load, &shfl, &add, &store};
    uint32_t order[] = {0, 1, 2, 3};
    watch_typed types[4];
    watch_trace_types(all, 4, order, 4, types);
    assert_int_equal(types[0].result, WATCH_TYPE_F32);
    assert_int_equal(types[1].result, WATCH_TYPE_F32);
    assert_int_equal(types[3].data, WATCH_TYPE_F32);
    add.op = SASS_IADD3;
    watch_trace_types(all, 4, order, 4, types);
    assert_int_equal(types[0].result, WATCH_TYPE_INT);
    assert_int_equal(types[3].data, WATCH_TYPE_INT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_alone), cmocka_unit_test(every_part), cmocka_unit_test(mistakes),
                                       cmocka_unit_test(types_flow_both_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
