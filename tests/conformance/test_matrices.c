/* Matrices stored to shared memory (stmatrix), as PTX lays their elements out over the lanes; and those of 8-bit floats. */
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

/* Small numbers, whose sums are exact: QMMA of sm_89 gives what sm_90 does with conversions and HMMA, of which every bit is known. */
static void quarters_of_sm_89_are_those_of_sm_90(void **state) {
    (void)state;
    enum { IN = 13 * 32, OUT = 4 * 32, FORMS = 9 };
    static const uint8_t e4m3[] = {0, 0x30, 0x38, 0xb8, 0x40, 0xc0, 0x44, 0x48}, e5m2[] = {0, 0x38, 0x3c, 0xbc, 0x40, 0xc0, 0x42, 0x44}, pairs[] = {4, 8, 12, 9, 13, 14};
    static const struct { bool a5, b5, halves; } form[FORMS] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1, 1, 0}, {0, 0, 1}, {0, 1, 1}, {0, 0, 0}, {0, 1, 0}};
    uint32_t in[IN], out[2][OUT], s = 1;
    struct { uint64_t in, out; int which; } p = {0};
    for (; p.which < FORMS; p.which++) {
        for (unsigned k = 0; k < IN; k++) {
            uint32_t word = 0;
            for (unsigned b = 0; b < 4; b++) {
                s = s * 1664525u + 1013904223u;
                unsigned r = s >> 24;
                if (k < 8 * 32) word |= (uint32_t)((k < 4 * 32 ? form[p.which].a5 : form[p.which].b5) ? e5m2 : e4m3)[r & 7] << 8 * b;
                else if (k >= 12 * 32) word |= (uint32_t)(pairs[r % 6] | pairs[r / 6 % 6] << 4) << 8 * b;
                else if (form[p.which].halves) word |= b % 2 ? 0x3cu << 8 * b : 0;
                else word = 0x41200000u + (r << 16);
            }
            in[k] = word;
        }
        for (unsigned m = 0; m < 2; m++) {
            machine *at = machine_open(m ? WG_CONFORMANCE "/quarters.sm_90.cubin" : WG_CONFORMANCE "/quarters.sm_89.cubin");
            p.in = machine_alloc(at, in, sizeof in);
            p.out = machine_alloc(at, NULL, sizeof out[m]);
            if (machine_launch(at, "quarters", 1, 1, 32, 1, &p) != WG_OK) fail_msg("%s", at->err.text);
            machine_read(at, out[m], p.out, sizeof out[m]);
            machine_close(at);
        }
        uint32_t any = 0;
        for (unsigned k = 0; k < OUT; k++) {
            if (out[0][k] != out[1][k]) fail_msg("form %d, word %u: %08x, not %08x", p.which, k, out[0][k], out[1][k]);
            any |= out[0][k];
        }
        assert_int_not_equal(any, 0);
    }
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(matrices_are_stored_by_rows), cmocka_unit_test(a_row_of_16_bytes_is_aligned_and_inside),
                                     cmocka_unit_test(quarters_of_sm_89_are_those_of_sm_90)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
