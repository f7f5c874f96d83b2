/* Relocatable device code after nvlink: tests/data/linked_a.cu and linked_b.cu. */
#include "fixture.h"

static const char *const cubins[] = {"cubin/linked_sm80.cubin", "cubin/linked_sm90.cubin"};

static uint32_t index_of(const img_module *m, const char *function) {
    const img_function *f = img_find_function(m, function);
    assert_non_null(f);
    return (uint32_t)(f - m->functions);
}

static void both_units_are_there(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        img_module *m = test_module(cubins[i]);
        const img_function *calls = img_find_function(m, "calls"), *fetch = img_find_function(m, "fetch");
        assert_true(calls->is_kernel);
        assert_false(fetch->is_kernel);
        assert_true(fetch->code_size > 0 && fetch->code_offset != calls->code_offset);
        assert_true(calls->stack_open);             /* through a pointer anything may be called */
        assert_int_equal(calls->shared_static, 64); /* fetch's, counted where it is launched from */
        img_module_free(m);
    }
}

/* Each kind once, and what it stands for. */
static void code_is_relocated(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        img_module *m = test_module(cubins[i]);
        uint32_t calls = index_of(m, "calls"), fetch = index_of(m, "fetch");
        int call = 0, printing = 0, low = 0, high = 0, back = 0, variable = 0;
        for (size_t k = 0; k < m->n_relocs; k++) {
            const img_reloc *p = &m->relocs[k];
            assert_int_equal(p->where, IMG_IN_CODE);
            assert_int_equal(p->offset % 16, 0);
            assert_true(p->offset + 16 <= m->code_size);
            switch (p->kind) {
            case IMG_RELOC_FUNC_CALL:
                call += p->symbol == fetch && p->addend == 0;
                break;
            case IMG_RELOC_EXTERN_CALL:
                printing += strcmp(m->externs[p->symbol], "vprintf") == 0;
                break;
            case IMG_RELOC_FUNC_LO:
                low += p->symbol == fetch;
                back += p->symbol == calls && p->addend > 0; /* where a call returns to */
                break;
            case IMG_RELOC_FUNC_HI:
                high += p->symbol == fetch;
                break;
            case IMG_RELOC_GLOBAL_LO:
            case IMG_RELOC_GLOBAL_HI:
                variable += strcmp(m->variables[p->symbol].name, "given") == 0;
                break;
            default:
                fail_msg("a relocation of kind %d", p->kind);
            }
        }
        assert_int_equal(call, 1);
        assert_int_equal(printing, 1);
        assert_int_equal(low, 1);
        assert_int_equal(high, 1);
        assert_int_equal(back, 2);
        assert_int_equal(variable, 4); /* low and high, in both units */
        img_module_free(m);
    }
}

static uint64_t field(const uint8_t *instruction, unsigned low, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)(instruction[(low + i) / 8] >> (low + i) % 8 & 1) << i;
    return value;
}

static void addresses_go_where_the_instruction_keeps_them(void **state) {
    (void)state;
    const uint64_t address = 0x123456789ab0;
    for (int i = 0; i < 2; i++) {
        img_module *m = test_module(cubins[i]);
        for (size_t k = 0; k < m->n_relocs; k++) {
            const img_reloc *p = &m->relocs[k];
            uint8_t before[16], after[16];
            memcpy(before, m->code + p->offset, 16);
            memcpy(after, before, 16);
            img_patch(m, p, after, address);
            if (p->kind == IMG_RELOC_GLOBAL_LO || p->kind == IMG_RELOC_FUNC_LO)
                assert_int_equal(field(after, 32, 32), 0x56789ab0);
            else if (p->kind == IMG_RELOC_GLOBAL_HI || p->kind == IMG_RELOC_FUNC_HI)
                assert_int_equal(field(after, 32, 32), 0x1234);
            else if (m->sm < 90)
                assert_int_equal(field(after, 34, 47) << 2, address);
            else
                assert_int_equal((field(after, 34, 48) << 8 | field(after, 16, 8)) << 2, address);
            assert_int_equal(field(after, 0, 16),
                             field(before, 0, 16)); /* opcode and guard are as they were */
            assert_int_equal(field(after, 96, 32), field(before, 96, 32));
        }
        img_module_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_units_are_there),
        cmocka_unit_test(code_is_relocated),
        cmocka_unit_test(addresses_go_where_the_instruction_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
