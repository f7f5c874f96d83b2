/* Damaged input: an error or a reading, never a crash. Worth most under the address sanitizer. */
#include "fixture.h"

#include "image/fatbin.h"

/* Everything a module gives is touched, so that a bad pointer or count shows. */
static uint64_t walk(const img_module *m) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->code_size; i++) sum += m->code[i];
    for (size_t i = 0; i < m->n_functions; i++) {
        const img_function *f = &m->functions[i];
        sum += strlen(f->name) + strlen(f->demangled) +
               m->code[f->code_offset + (f->code_size ? f->code_size - 1 : 0)];
        for (size_t k = 0; k < f->n_params; k++) sum += f->params[k].size;
        for (uint32_t k = 0; k < f->const2_size; k++) sum += f->const2[k];
        for (size_t k = 0; k < f->n_branch_targets; k++) sum += f->branch_targets[k];
        for (size_t k = 0; k < f->n_lines; k++) {
            const img_line *line = &f->lines[k];
            int depth = 0;
            for (; line->inlined_at; line = &f->inlined[line->inlined_at - 1], depth++) {
                assert_true(line->inlined_at <= f->n_inlined);
                assert_true((size_t)depth <= f->n_inlined); /* a chain ends */
                sum += line->function ? strlen(line->function) : 0;
            }
            sum += line->file ? strlen(line->file) : 0;
        }
    }
    for (size_t i = 0; i < m->n_relocs; i++) {
        const img_reloc *p = &m->relocs[i];
        uint8_t place[16] = {0};
        img_patch(m, p, place, 0x1000);
        if (p->kind >= IMG_RELOC_EXTERN64 && p->kind != IMG_RELOC_FUNC_CALL)
            sum += strlen(m->externs[p->symbol]);
    }
    for (size_t i = 0; i < m->n_variables; i++)
        sum += strlen(m->variables[i].demangled) + m->variables[i].size;
    for (size_t i = 0; i < m->n_symbols; i++) sum += strlen(m->symbols[i].demangled);
    for (uint32_t i = 0; i < m->global_init_size; i++) sum += m->global_init[i];
    return sum;
}

static int good, bad;

static void try_module(const uint8_t *bytes, size_t size) {
    img_module *m;
    wg_error err = {0};
    if (img_module_read(bytes, size, &m, &err) == WG_OK) {
        good++;
        (void)walk(m);
        img_module_free(m);
    } else {
        bad++;
        assert_true(err.status != WG_OK && err.text[0]);
    }
}

static void try_file(const uint8_t *bytes, size_t size) {
    img_file *f;
    wg_error err = {0};
    if (img_open_memory(bytes, size, &f, &err) != WG_OK) {
        bad++;
        assert_true(err.text[0]);
        return;
    }
    good++;
    for (size_t i = 0; i < f->n_entries; i++) {
        if (f->entries[i].kind == IMG_CUBIN)
            try_module(f->entries[i].data, f->entries[i].size);
        else
            assert_int_equal(f->entries[i].data[f->entries[i].size], 0);
    }
    img_close(f);
}

/* Exactly as long as it says: a read past the end is one past the allocation. */
static void with_copy(const uint8_t *bytes, size_t size, void (*try)(const uint8_t *, size_t)) {
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    try(copy, size);
    free(copy);
}

static void damage(const char *name, void (*try)(const uint8_t *, size_t), size_t step) {
    wg_arena *arena = wg_arena_new();
    wg_bytes original = test_data(arena, name);
    good = bad = 0;
    for (size_t size = 0; size < original.size; size += step) with_copy(original.data, size, try);
    uint8_t *copy = malloc(original.size);
    memcpy(copy, original.data, original.size);
    static const uint8_t flips[] = {0x01, 0x80, 0xff};
    for (size_t at = 0; at < original.size; at += step)
        for (int i = 0; i < 3; i++) {
            copy[at] ^= flips[i];
            try(copy, original.size);
            copy[at] = original.data[at];
        }
    free(copy);
    wg_arena_free(arena);
    assert_true(good > 0 && bad > 0); /* both happen, or the test tests nothing */
}

static void cubins(void **state) {
    (void)state;
    damage("cubin/linked_sm80.cubin", try_module, 1);
    damage("cubin/linked_sm90.cubin", try_module, 3);
    damage("cubin/probe_sm90.cubin", try_module, 13);
    damage("cubin/probe_sm80.cubin", try_module, 17);
}

static void fatbins(void **state) {
    (void)state;
    damage("fatbin/tiny_zstd.fatbin", try_file, 3);
    damage("fatbin/tiny_lz4.fatbin", try_file, 7);
    damage("fatbin/tiny_stored.fatbin", try_file, 29);
}

static void host_objects(void **state) {
    (void)state;
    damage("fatbin/tiny_host.o", try_file, 31);
    damage("fatbin/linked_b.o", try_file, 11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubins),
        cmocka_unit_test(fatbins),
        cmocka_unit_test(host_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
