/* A __grid_constant__ parameter whose address is taken: c[0x0] says where the parameters lie in memory. */
#include "harness.h"

static const char *const cubins[] = {
    WG_TEST_DATA "/../engine/parameters.sm_75.cubin",
    WG_TEST_DATA "/../engine/parameters.sm_80.cubin",
    WG_TEST_DATA "/../engine/parameters.sm_90.cubin",
    WG_TEST_DATA "/../engine/parameters.sm_100.cubin",
};

typedef struct table { int32_t at[8]; } table;

/* Twice, since a kernel's launches share the place. */
static void each_launch_reads_its_own(machine *m) {
    uint64_t place = machine_alloc(m, NULL, 32 * sizeof(int32_t));
    for (int n = 0; n < 2; n++) {
        struct {
            int32_t scale;
            table t;
            uint64_t out;
            int32_t shift;
        } params = {3, {{0}}, place, 5};
        for (int k = 0; k < 8; k++) params.t.at[k] = 100 * n + k * k;
        if (machine_launch(m, "pick", 1, 1, 32, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
        int32_t out[32];
        machine_read(m, out, place, sizeof out);
        for (int l = 0; l < 32; l++) assert_int_equal(out[l], 3 * params.t.at[(l + 5) & 7]);
    }
}

/* What lies behind the parameters is nothing that a kernel may read. */
static void beyond_is_out_of_bounds(machine *m) {
    struct {
        table t;
        uint64_t out;
        int32_t shift;
    } params = {{{0}}, machine_alloc(m, NULL, sizeof(int32_t)), 12};
    if (machine_launch(m, "past", 1, 1, 1, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
    assert_int_equal(m->n_findings, 1);
}

static void test_parameters(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cubins / sizeof *cubins; k++) {
        machine *m = machine_open(cubins[k]);
        each_launch_reads_its_own(m);
        beyond_is_out_of_bounds(m);
        machine_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
