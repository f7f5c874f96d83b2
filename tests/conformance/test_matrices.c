/* Matrices stored to shared memory (stmatrix), as PTX lays their elements out over the lanes. */
#include "engine/harness.h"

static void matrices_are_stored_by_rows(void **state) {
    (void)state;
    static const struct { unsigned count, transposed; } cases[] = {{1, 0}, {1, 1}, {2, 0}, {4, 1}};
    machine *m = machine_open(WG_CONFORMANCE "/matrices.sm_90.cubin");
    uint16_t got[256];
    struct { uint64_t out; int which; } p = {machine_alloc(m, NULL, sizeof got), 0};
    for (; p.which < 4; p.which++) {
        assert_int_equal(machine_launch(m, "store_matrices", 1, 1, 32, 1, &p), WG_OK);
        machine_read(m, got, p.out, sizeof got);
        for (unsigned k = 0; k < 256; k++) {
            unsigned row = k / 8 % 8, column = k % 8, element = cases[p.which].transposed ? column * 8 + row : row * 8 + column;
            assert_int_equal(got[k], k / 64 < cases[p.which].count ? element + k / 64 * 64 : 0xffff);
        }
    }
    machine_close(m);
}

static void a_row_of_16_bytes_is_aligned_and_inside(void **state) {
    (void)state;
    machine *m = machine_open(WG_CONFORMANCE "/matrices.sm_90.cubin");
    uint16_t got[256];
    struct { uint64_t out; int which; } p = {machine_alloc(m, NULL, sizeof got), 4};
    assert_int_equal(machine_launch(m, "store_matrices", 1, 1, 32, 1, &p), WG_ERR_FAULT);
    assert_int_equal(m->findings[0].kind, ENG_FAULT_MISALIGNED);
    p.which = 5;
    assert_int_equal(machine_launch(m, "store_matrices", 1, 1, 32, 1, &p), WG_ERR_FAULT);
    assert_int_equal(m->findings[0].kind, ENG_FAULT_SHARED);
    machine_close(m);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(matrices_are_stored_by_rows), cmocka_unit_test(a_row_of_16_bytes_is_aligned_and_inside)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
