/* Cubins of tests/data/probe.cu, one for each architecture that is executed, and one that is not yet. */
#include "fixture.h"

static const int architectures[] = {75, 80, 86, 89, 90, 120};
enum { N_ARCHITECTURES = sizeof architectures / sizeof *architectures };

static img_module *probe(int sm) {
    char name[64];
    snprintf(name, sizeof name, "cubin/probe_sm%d.cubin", sm);
    return test_module(name);
}

static const img_variable *variable(const img_module *m, const char *name) {
    for (size_t i = 0; i < m->n_variables; i++)
        if (strcmp(m->variables[i].name, name) == 0) return &m->variables[i];
    fail_msg("no variable %s", name);
    return NULL;
}

static void every_architecture_has_the_same_kernels(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        int sm = architectures[a];
        img_module *m = probe(sm);
        assert_int_equal(m->sm, sm);
        assert_false(m->arch_specific);
        assert_int_equal(m->n_functions, 4);
        uint32_t base = sm < 90 ? 0x160 : sm < 100 ? 0x210 : 0x380, reserve = sm < 90 ? 0 : 1024;
        for (size_t i = 0; i < m->n_functions; i++) {
            const img_function *f = &m->functions[i];
            assert_true(f->is_kernel);
            assert_int_equal(f->code_size % 16, 0);
            assert_int_equal(f->code_offset % 128, 0);
            assert_true(f->code_offset + f->code_size <= m->code_size);
            assert_in_range(f->registers, 4, 40);
            assert_int_equal(f->shared_reserve, reserve);
        }
        const img_function *blend = img_find_function(m, "_Z5blendILi128EEvPfic");
        assert_non_null(blend);
        assert_string_equal(blend->demangled, "void blend<128>(float*, int, char)");
        assert_int_equal(blend->shared_static, 512);
        assert_int_equal(blend->max_threads[0], 128);
        assert_int_equal(blend->param_base, base);
        assert_int_equal(blend->param_bytes, 13);
        assert_int_equal(blend->n_params, 3);
        assert_int_equal(blend->params[1].offset, 8);
        assert_int_equal(blend->params[1].size, 4);
        assert_int_equal(blend->params[2].offset, 12);
        assert_int_equal(blend->params[2].size, 1);
        assert_int_equal(blend->barriers, 1);
        assert_int_equal(blend->n_syncwarps, 1);
        assert_true(blend->stack_open); /* it calls helper() */
        const img_function *plain = img_find_function(m, "plain");
        assert_int_equal(plain->shared_static, 0);
        assert_int_equal(plain->local_bytes, 8); /* printf's arguments */
        assert_int_equal(plain->params[1].size, 8);
        assert_int_equal(plain->params[2].size, 2);
        img_module_free(m);
    }
}

static void kernels_are_found_by_the_names_people_use(void **state) {
    (void)state;
    img_module *m = probe(80);
    const img_function *blend = img_find_function(m, "_Z5blendILi128EEvPfic");
    const img_function *choose = img_find_function(m, "_ZN2ns6chooseEPii");
    const char *const names[] = {"void blend<128>(float*, int, char)", "blend<128>(float*, int, char)",
                                 "blend<128>", "blend"};
    for (int i = 0; i < 4; i++) assert_ptr_equal(img_find_function(m, names[i]), blend);
    assert_ptr_equal(img_find_function(m, "ns::choose"), choose);
    assert_ptr_equal(img_find_function(m, "ns::choose(int*, int)"), choose);
    assert_null(img_find_function(m, "blend<64>"));
    assert_null(img_find_function(m, "choose"));
    assert_null(img_find_function(m, ""));
    assert_null(img_find_function(m, "helper")); /* lies inside blend */
    img_module_free(m);
}

static void inner_functions_are_named(void **state) {
    (void)state;
    img_module *m = probe(90);
    const img_function *blend = img_find_function(m, "blend");
    assert_int_equal(m->n_symbols, 2);
    assert_string_equal(m->symbols[0].demangled, "helper(float)");
    assert_string_equal(m->symbols[1].demangled, "__cuda_sm3x_div_rn_noftz_f32_slowpath");
    const img_symbol *helper = &m->symbols[0];
    assert_true(helper->code_offset > blend->code_offset);
    assert_ptr_equal(img_symbol_at(m, helper->code_offset), helper);
    assert_ptr_equal(img_symbol_at(m, helper->code_offset + helper->code_size - 16), helper);
    assert_null(img_symbol_at(m, helper->code_offset - 16));
    assert_null(img_symbol_at(m, 0));
    assert_null(img_symbol_at(m, m->code_size));
    img_module_free(m);
}

static void jump_tables_come_with_their_targets(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        img_module *m = probe(architectures[a]);
        const img_function *f = img_find_function(m, "ns::choose");
        assert_true(f->const2_size >= 28);
        assert_true(f->n_branch_targets >= 7);
        for (size_t i = 0; i < f->n_branch_targets; i++) assert_true(f->branch_targets[i] < f->code_size);
        img_module_free(m);
    }
}

static void large_parameters_are_read(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        img_module *m = probe(architectures[a]);
        const img_function *f = img_find_function(m, "takes_large");
        assert_int_equal(f->param_bytes, 5012);
        assert_int_equal(f->n_params, 3);
        assert_int_equal(f->params[0].size, 5000);
        assert_int_equal(f->params[1].offset, 5000);
        assert_int_equal(f->params[2].offset, 5008);
        img_module_free(m);
    }
}

static void variables_have_place_and_initial_value(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        img_module *m = probe(architectures[a]);
        const img_variable *table = variable(m, "table"), *steps = variable(m, "steps"),
                           *scale = variable(m, "scale");
        assert_int_equal(table->space, IMG_GLOBAL);
        assert_int_equal(table->size, 64);
        float two[2];
        memcpy(two, m->global_init + table->offset, 8);
        assert_true(two[0] == 1.5f && two[1] == 2.5f);
        assert_int_equal(steps->space, IMG_CONSTANT);
        int four[4];
        memcpy(four, m->const3 + steps->offset, 16);
        for (int i = 0; i < 4; i++) assert_int_equal(four[i], i + 1);
        assert_int_equal(scale->size, 32);
        assert_true(scale->offset + scale->size <= m->const3_size);
        const img_variable *managed = variable(m, "shared_with_host"), *counter = variable(m, "counter");
        assert_true(managed->managed);
        assert_int_equal(m->global_init[managed->offset], 7);
        assert_false(counter->managed);
        assert_true(counter->offset >= m->global_init_size);
        assert_true(counter->offset + counter->size <= m->global_size);
        for (uint32_t i = m->global_init_size; i < m->global_size; i++)
            assert_int_equal(m->global_init[i], 0);
        img_module_free(m);
    }
}

static void relocations_name_their_targets(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        img_module *m = probe(architectures[a]);
        bool seen_where = false, seen_printf = false;
        for (size_t i = 0; i < m->n_relocs; i++) {
            const img_reloc *p = &m->relocs[i];
            if (p->where == IMG_IN_GLOBAL) { /* int *where = &counter */
                assert_int_equal(p->kind, IMG_RELOC_GLOBAL64);
                assert_int_equal(p->offset, variable(m, "where")->offset);
                assert_string_equal(m->variables[p->symbol].name, "counter");
                assert_int_equal(p->addend, 0);
                seen_where = true;
            } else {
                assert_int_equal(p->where, IMG_IN_CONST4);
                assert_true(p->offset + 8 <= m->const4_size);
            }
            if (p->kind == IMG_RELOC_EXTERN64) {
                assert_string_equal(m->externs[p->symbol], "vprintf");
                seen_printf = true;
            }
        }
        assert_true(seen_where && seen_printf);
        img_module_free(m);
    }
}

/* Made from probe.cu's PTX by the ptxas of CUDA 11.8 and 12.4, whose ELF files state the architecture and the
 * barriers elsewhere. */
/* A cubin with other bytes at the place where these stand. */
static img_module *changed(const char *name, const char *these, size_t n, size_t at, uint8_t byte) {
    wg_arena *arena = wg_arena_new();
    wg_bytes cubin = test_data(arena, name);
    uint8_t *copy = wg_arena_alloc(arena, cubin.size), *place = NULL;
    memcpy(copy, cubin.data, cubin.size);
    assert_non_null(place = memmem(copy, cubin.size, these, n));
    place[at] = byte;
    wg_error err = {0};
    img_module *m = NULL;
    assert_int_equal(img_module_read(copy, cubin.size, &m, &err), WG_OK);
    wg_arena_free(arena);
    return m;
}

static void cubins_name_the_ptx_that_they_were_made_from(void **state) {
    (void)state;
    static const char note[] = "NVIDIA Corp\0\2\0\x5a", flags[] = {0x50, 0x05, 0x50, 0};
    img_module *made[] = {probe(90), changed("cubin/probe_sm90.cubin", note, sizeof note - 1, 14, 80),
                          test_module("cubin/probe_cuda11_sm80.cubin"), changed("cubin/probe_cuda11_sm80.cubin", flags, sizeof flags, 2, 75)};
    const int sm[] = {90, 90, 80, 80}, ptx[] = {90, 80, 80, 75};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(made[i]->sm, sm[i]);
        assert_int_equal(made[i]->ptx_sm, ptx[i]);
        img_module_free(made[i]);
    }
}

static void cubins_of_older_toolkits_are_read(void **state) {
    (void)state;
    const struct {
        const char *file;
        int sm;
        bool specific;
        size_t functions;
    } old[] = {{"cubin/probe_cuda11_sm80.cubin", 80, false, 3},
               {"cubin/probe_cuda12_sm90a.cubin", 90, true, 4}};
    for (int i = 0; i < 2; i++) {
        img_module *m = test_module(old[i].file);
        assert_int_equal(m->sm, old[i].sm);
        assert_int_equal(m->arch_specific, old[i].specific);
        assert_int_equal(m->n_functions, old[i].functions);
        assert_true(m->has_lines);
        const img_function *blend = img_find_function(m, "blend"),
                           *choose = img_find_function(m, "ns::choose");
        assert_in_range(blend->registers, 16, 40);
        assert_int_equal(blend->barriers, 1);
        assert_int_equal(choose->barriers, 0);
        assert_int_equal(blend->shared_static, 512);
        assert_int_equal(blend->n_params, 3);
        assert_int_equal(blend->n_syncwarps, 1);
        assert_true(variable(m, "shared_with_host")->managed);
        img_module_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_architecture_has_the_same_kernels),
        cmocka_unit_test(kernels_are_found_by_the_names_people_use),
        cmocka_unit_test(inner_functions_are_named),
        cmocka_unit_test(jump_tables_come_with_their_targets),
        cmocka_unit_test(large_parameters_are_read),
        cmocka_unit_test(variables_have_place_and_initial_value),
        cmocka_unit_test(relocations_name_their_targets),
        cmocka_unit_test(cubins_name_the_ptx_that_they_were_made_from),
        cmocka_unit_test(cubins_of_older_toolkits_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
