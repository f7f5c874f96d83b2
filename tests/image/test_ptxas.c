/* PTX through ptxas: a stand-in that is always there, and the real one where it is installed. */
#include "fixture.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void write_text(const char *path, const char *text, int mode) {
    wg_error err = {0};
    if (wg_file_write(path, text, strlen(text), &err) != WG_OK) fail_msg("%s", err.text);
    assert_int_equal(chmod(path, (mode_t)mode), 0);
}

/* The stand-in counts its calls, notes its arguments and environment, and copies a cubin. */
static int set_up(void **state) {
    (void)state;
    char path[128], script[2000];
    strcpy(folder, "/tmp/wg_ptxas_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/ptxas", folder);
    snprintf(script, sizeof script,
             "#!/bin/sh\necho \"$*\" \"preload=$LD_PRELOAD\" >> %s/calls\n"
             "case \"$*\" in *sm_99*) echo 'ptxas fatal: no such target' >&2; exit 1;; esac\n"
             "/bin/cp %s/cubin/probe_sm80.cubin \"$4\"\n",
             folder, WG_TEST_DATA);
    write_text(path, script, 0755);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("CUDA_HOME", "/nowhere", 1);
    return 0;
}

static int clean_up(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "/bin/rm -rf %s", folder);
    return system(command);
}

static int calls(wg_arena *arena, const char **text) {
    char path[128];
    wg_bytes bytes = {0};
    snprintf(path, sizeof path, "%s/calls", folder);
    if (wg_file_read(path, arena, &bytes, NULL) != WG_OK) return 0;
    int n = 0;
    for (size_t i = 0; i < bytes.size; i++) n += bytes.data[i] == '\n';
    *text = (const char *)bytes.data;
    return n;
}

static img_entry entry(const char *text) {
    return (img_entry){.kind = IMG_PTX, .sm = 80, .data = (const uint8_t *)text, .size = strlen(text)};
}

static void results_are_cached(void **state) {
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s:/bin:/usr/bin", folder);
    setenv("PATH", path, 1);
    setenv("LD_PRELOAD", "", 1);
    wg_arena *arena = wg_arena_new();
    wg_error err = {0};
    const uint8_t *cubin;
    size_t size;
    const char *text = "";
    img_entry plain = entry(".version 9.0\n.target sm_80\n"),
              lines = entry(".version 9.0\n.target sm_80\n.loc\t1 2 3\n");
    img_entry debug = entry(".version 9.0\n.target sm_80, debug\n.loc 1 2 3\n");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(img_assemble(&plain, 86, arena, &cubin, &size, &err), WG_OK);
        assert_int_equal(size, test_data(arena, "cubin/probe_sm80.cubin").size);
        assert_int_equal(calls(arena, &text), 1);
    }
    assert_non_null(strstr(text, "-arch=sm_86 "));
    assert_null(strstr(text, "-lineinfo"));
    assert_int_equal(img_assemble(&plain, 89, arena, &cubin, &size, &err),
                     WG_OK); /* another target is another result */
    assert_int_equal(calls(arena, &text), 2);
    assert_int_equal(img_assemble(&lines, 86, arena, &cubin, &size, &err), WG_OK);
    assert_int_equal(calls(arena, &text), 3);
    assert_non_null(strstr(text, "-lineinfo"));
    assert_int_equal(img_assemble(&debug, 86, arena, &cubin, &size, &err), WG_OK);
    assert_non_null((calls(arena, &text), strstr(text, " -g ")));
    img_entry specific = plain;
    specific.arch_specific = true;
    assert_int_equal(img_assemble(&specific, 90, arena, &cubin, &size, &err), WG_OK);
    assert_non_null((calls(arena, &text), strstr(text, "-arch=sm_90a ")));
    wg_arena_free(arena);
}

static void a_damaged_cache_is_made_again(void **state) {
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "for f in %s/warpgrind/*; do echo broken > $f; done", folder);
    assert_int_equal(system(command), 0);
    wg_arena *arena = wg_arena_new();
    const uint8_t *cubin;
    size_t size;
    const char *text = "";
    int before = calls(arena, &text);
    wg_error err = {0};
    img_entry plain = entry(".version 9.0\n.target sm_80\n");
    assert_int_equal(img_assemble(&plain, 86, arena, &cubin, &size, &err), WG_OK);
    assert_int_equal(calls(arena, &text), before + 1);
    wg_arena_free(arena);
}

static void failures_say_why(void **state) {
    (void)state;
    wg_arena *arena = wg_arena_new();
    const uint8_t *cubin;
    size_t size;
    wg_error err = {0};
    img_entry plain = entry(".version 9.0\n.target sm_80\n");
    assert_int_equal(img_assemble(&plain, 99, arena, &cubin, &size, &err), WG_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "no such target"));
    img_entry wrong = {.kind = IMG_CUBIN};
    assert_int_equal(img_assemble(&wrong, 80, arena, &cubin, &size, &err), WG_ERR_ARGUMENT);
    setenv("PATH", "/nowhere:", 1);
    if (access("/usr/local/cuda/bin/ptxas", X_OK) != 0) {
        assert_int_equal(img_assemble(&plain, 86, arena, &cubin, &size, &err), WG_ERR_NOT_FOUND);
        assert_non_null(strstr(err.text, "ptxas"));
        assert_non_null(strstr(err.text, "-arch=sm_86"));
    }
    wg_arena_free(arena);
}

static void the_real_one_gives_a_kernel(void **state) {
    (void)state;
    setenv("PATH", "/nowhere", 1);
    if (access("/usr/local/cuda/bin/ptxas", X_OK) != 0) skip();
    wg_error err = {0};
    img_file *f = NULL;
    assert_int_equal(img_open(WG_TEST_DATA "/fatbin/tiny_lz4.fatbin", &f, &err), WG_OK);
    const img_entry *e;
    bool ptxas;
    assert_int_equal(img_choose(f, 0, 120, &e, &ptxas, &err), WG_OK);
    assert_true(ptxas);
    const uint8_t *cubin;
    size_t size;
    assert_int_equal(img_assemble(e, 86, f->arena, &cubin, &size, &err), WG_OK);
    img_module *m;
    assert_int_equal(img_module_read(cubin, size, &m, &err), WG_OK);
    assert_int_equal(m->sm, 86);
    assert_int_equal(m->ptx_sm, e->sm);
    assert_non_null(img_find_function(m, "twice"));
    img_module_free(m);
    img_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_cached),
        cmocka_unit_test(a_damaged_cache_is_made_again),
        cmocka_unit_test(failures_say_why),
        cmocka_unit_test(the_real_one_gives_a_kernel),
    };
    return cmocka_run_group_tests(tests, set_up, clean_up);
}
