/* Where nvcc is: the checked-in cubins are what their sources give, or the test says in what they differ. */
#include "fixture.h"

static char folder[64];

static int set_up(void **state) {
    (void)state;
    char command[1300];
    strcpy(folder, "/tmp/wg_rebuild_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(command, sizeof command,
             "PATH=\"$PATH:/usr/local/cuda/bin\" %s/build.sh %s %s/work >/dev/null 2>&1", WG_TEST_DATA,
             folder, folder);
    return system(command);
}

static int clean_up(void **state) {
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Line tables hold the time of the sources; all that a run depends on must be equal. */
static void compare(const char *name, const img_module *old, const img_module *new) {
    const char *hint = "run tests/data/build.sh tests/data and check in what it makes";
    if (old->code_size != new->code_size || memcmp(old->code, new->code, old->code_size) != 0)
        fail_msg("%s: the code differs from what nvcc makes now: %s", name, hint);
    if (old->n_functions != new->n_functions) fail_msg("%s: other functions: %s", name, hint);
    for (size_t i = 0; i < old->n_functions; i++) {
        const img_function *a = &old->functions[i], *b = &new->functions[i];
        if (strcmp(a->name, b->name) != 0 || a->registers != b->registers ||
            a->shared_static != b->shared_static || a->param_bytes != b->param_bytes ||
            a->n_lines != b->n_lines)
            fail_msg("%s: %s differs: %s", name, a->demangled, hint);
    }
    if (old->global_size != new->global_size || old->n_relocs != new->n_relocs ||
        old->const3_size != new->const3_size)
        fail_msg("%s: its data differ: %s", name, hint);
}

static void checked_in_cubins_are_current(void **state) {
    (void)state;
    const char *const names[] = {"probe_sm75",  "probe_sm80",  "probe_sm86",  "probe_sm89", "probe_sm90",
                                 "probe_sm120", "linked_sm80", "linked_sm90", "tiny_sm80"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char relative[64], path[200];
        snprintf(relative, sizeof relative, "cubin/%s.cubin", names[i]);
        snprintf(path, sizeof path, "%s/%s", folder, relative);
        wg_arena *arena = wg_arena_new();
        wg_error err = {0};
        wg_bytes bytes;
        img_module *fresh;
        if (wg_file_read(path, arena, &bytes, &err) != WG_OK ||
            img_module_read(bytes.data, bytes.size, &fresh, &err) != WG_OK)
            fail_msg("%s", err.text);
        img_module *old = test_module(relative);
        compare(relative, old, fresh);
        img_module_free(old);
        img_module_free(fresh);
        wg_arena_free(arena);
    }
}

/* A stripped executable of relocatable code: what nvcc linked is found, what it linked from is not listed. */
static void executables_carry_what_was_linked(void **state) {
    (void)state;
    char command[1500], path[200];
    snprintf(
        command, sizeof command,
        "mkdir %s/work.exe && cd %s/work.exe && echo 'int main() { return 0; }' > main.cu && "
        "PATH=\"$PATH:/usr/local/cuda/bin\" nvcc -rdc=true -gencode arch=compute_80,code=[sm_80,compute_80] "
        "-gencode arch=compute_90,code=sm_90 %s/linked_a.cu %s/linked_b.cu main.cu -o linked >log 2>&1 && "
        "strip linked",
        folder, folder, WG_TEST_DATA, WG_TEST_DATA);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/work.exe/linked", folder);
    img_file *f;
    wg_error err = {0};
    if (img_open(path, &f, &err) != WG_OK) fail_msg("%s", err.text);
    assert_true(f->has_host_elf);
    assert_int_equal(f->n_containers, 1);
    assert_int_equal(f->n_entries, 2);
    for (size_t i = 0; i < 2; i++) {
        img_module *m;
        assert_int_equal(f->entries[i].kind, IMG_CUBIN);
        assert_int_equal(f->entries[i].sm, i == 0 ? 80 : 90);
        if (img_module_read(f->entries[i].data, f->entries[i].size, &m, &err) != WG_OK)
            fail_msg("%s", err.text);
        assert_non_null(img_find_function(m, "calls"));
        assert_non_null(img_find_function(m, "fetch"));
        img_module_free(m);
    }
    img_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(checked_in_cubins_are_current),
                                       cmocka_unit_test(executables_carry_what_was_linked)};
    return cmocka_run_group_tests(tests, set_up, clean_up);
}
