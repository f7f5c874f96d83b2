/* __syncwarp with a mask that the code takes from a constant bank. */
#include "engine/harness.h"
#include "engine/code.h"

static void the_mask_is_the_parameter(void **state) {
    (void)state;
    machine *m = machine_open(WG_CONFORMANCE "/warpsync.sm_80.cubin");
    const img_function *f = img_find_function(m->module, "sync_by_parameter");
    assert_non_null(f);
    const sass_instr *code = eng_instructions(m->code, f);
    bool constant = false;
    for (unsigned n = 0; n < f->code_size / 16; n++) constant |= code[n].op == SASS_WARPSYNC && code[n].a.kind == SASS_CONST;
    assert_true(constant);
    int got[32];
    struct { uint64_t out; uint32_t mask; } p = {machine_alloc(m, NULL, sizeof got), 0xffff};
    assert_int_equal(machine_launch(m, "sync_by_parameter", 1, 1, 32, 1, &p), WG_OK);
    machine_read(m, got, p.out, sizeof got);
    for (int k = 0; k < 32; k++) assert_int_equal(got[k], k < 16 ? (k ^ 1) * 3 : -1);
    machine_close(m);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(the_mask_is_the_parameter)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
