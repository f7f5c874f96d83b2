/* All kernels of truth.cu, of the examples and of patterns.cu, for all architectures: one line an access, compared with
 * golden/NAME_smNN.txt. With WG_GOLDEN_WRITE in the environment the files are written anew: read what changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "evidence/cubins.h"
#include "evidence/evidence.h"

static void put_kernel(const ev_kernel *k, wg_text *out) {
    wg_text_printf(out, "%s: %u registers, %u shared, %u instructions, %u barriers, %zu loops, local %u %u %u %u, async %u\n", k->function->demangled,
                   k->function->registers, k->function->shared_static, k->instructions, k->barriers, k->n_loops, k->spill_loads,
                   k->spill_stores, k->array_loads, k->array_stores, k->async);
    for (size_t i = 0; i < k->n_accesses; i++) {
        const ev_access *a = &k->accesses[i];
        char stride[16] = "-";
        const ev_range r = a->space == ENG_SHARED ? a->wavefronts : a->sectors;
        if (a->has_stride) snprintf(stride, sizeof stride, "%d", a->stride);
        wg_text_printf(out, "  %04x %u %s %u step %s moves %u-%u%s | %s | %s\n", a->instr * 16, a->line, ev_space_name(a), a->width, stride, r.least,
                       r.most, a->converged ? " *" : "", ev_verdict_name(a->verdict), a->text);
    }
}
static int by_symbol(const void *a, const void *b) {
    return strcmp((*(const img_function *const *)a)->name, (*(const img_function *const *)b)->name);
}
static void describe(const char *name, int sm, wg_text *out) {
    img_module *module = open_cubin(name, sm);
    wg_error err = {0};
    const img_function *order[256];
    size_t n = 0;
    assert_non_null(module);
    for (size_t f = 0; f < module->n_functions && n < 256; f++)
        if (module->functions[f].is_kernel) order[n++] = &module->functions[f];
    qsort(order, n, sizeof *order, by_symbol);
    for (size_t f = 0; f < n; f++) {
        wg_arena *arena = wg_arena_new();
        ev_kernel *k = NULL;
        assert_int_equal(ev_analyse(module, order[f], NULL, arena, &k, &err), WG_OK);
        put_kernel(k, out);
        ev_kernel_free(k);
        wg_arena_free(arena);
    }
    img_module_free(module);
}
static char *slurp(const char *path) {
    FILE *f = fopen(path, "rb");
    static char text[1 << 20];
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    return text;
}
static void show_first_difference(const char *path, const char *want, const char *is) {
    unsigned line = 1;
    const char *w = want, *i = is;
    while (*w && *w == *i) {
        if (*w == '\n') line++, want = w + 1, is = i + 1;
        w++, i++;
    }
    print_error("%s:%u:\n  expected %.*s\n  is       %.*s\n", path, line, (int)strcspn(want, "\n"), want, (int)strcspn(is, "\n"), is);
}
static void check(const char *name, int sm) {
    char path[512];
    wg_text text = {0};
    snprintf(path, sizeof path, WG_GOLDEN "/%s_sm%d.txt", name, sm);
    describe(name, sm, &text);
    assert_false(text.failed);
    if (getenv("WG_GOLDEN_WRITE")) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fputs(text.at, f);
        fclose(f);
    }
    const char *want = slurp(path);
    if (strcmp(want, text.at) != 0) show_first_difference(path, want, text.at);
    assert_int_equal(strcmp(want, text.at), 0);
    wg_text_free(&text);
}

static const int sm[] = {75, 80, 86, 89, 90, 100};
#define CHECK_ALL(name)                                                                                       \
    (void)state;                                                                                              \
    for (unsigned k = 0; k < sizeof sm / sizeof *sm; k++) check(name, sm[k])
static void test_truth(void **state) { CHECK_ALL("truth"); }
static void test_examples(void **state) { CHECK_ALL("examples"); }
static void test_patterns(void **state) { CHECK_ALL("patterns"); }

/* What the worked example says must come out by itself. */
static void test_the_two_layouts(void **state) {
    (void)state;
    img_module *module = open_cubin("examples", 80);
    wg_arena *arena = wg_arena_new();
    wg_error err = {0};
    ev_kernel *k = NULL;
    const img_function *records = img_find_function(module, "_ZN14sass_evidence_18rates_from_recordsEPKNS_4BondEPfi");
    assert_int_equal(ev_analyse(module, records, NULL, arena, &k, &err), WG_OK);
    assert_int_equal(k->n_accesses, 3);
    assert_string_equal(k->accesses[0].text, "p0 + 32*tid.x + 32*ctaid.x*ntid.x + 0xc");
    assert_string_equal(k->accesses[1].text, "p0 + 32*tid.x + 32*ctaid.x*ntid.x + 0x8");
    assert_string_equal(k->accesses[2].text, "p1 + 4*tid.x + 4*ctaid.x*ntid.x");
    assert_string_equal(k->accesses[0].words, "strided by 32 bytes: 4 of 32 bytes used");
    assert_string_equal(k->accesses[2].words, "coalesced");
    wg_text text = {0};
    ev_text(k, true, &text);
    assert_non_null(strstr(text.at, "HFMA2.MMA R3, -RZ, RZ, 0, 1.9073486328125e-06"));
    assert_non_null(strstr(text.at, "1.9073486328125e-06 is 32 * 2^-24"));
    assert_non_null(strstr(text.at, "2.384185791015625e-07 is 4 * 2^-24"));
    wg_text_free(&text);
    json_t *json = ev_json(k, true);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(json_object_get(json, "accesses"), 0), "stride")), 32);
    assert_true(json_array_size(json_object_get(json_array_get(json_object_get(json, "accesses"), 0), "explain")) >= 3);
    json_decref(json);
    ev_kernel_free(k);
    wg_arena_free(arena);
    img_module_free(module);
}

static void count(const char *promise, const ev_kernel *k, unsigned met, unsigned n) {
    ev_promise p;
    wg_error err = {0};
    unsigned m, c;
    assert_int_equal(ev_promise_parse(promise, &p, &err), WG_OK);
    ev_promise_count(&p, k, &m, &c);
    assert_int_equal(m, met);
    assert_int_equal(c, n);
    ev_promise_free(&p);
}
static void test_promises(void **state) {
    (void)state;
    img_module *module = open_cubin("truth", 90);
    wg_arena *arena = wg_arena_new();
    wg_error err = {0};
    ev_kernel *k = NULL;
    ev_promise p;
    assert_int_equal(ev_analyse(module, img_find_function(module, "vec4"), NULL, arena, &k, &err), WG_OK);
    count("truth.cu:14 width=16", k, 2, 2);
    count("truth/truth.cu:14 width=16 stride=16 verdict=coalesced space=global kind=load all", k, 1, 1);
    count("truth.cu:14 width=8", k, 0, 2);
    count("ruth.cu:14 width=16", k, 0, 0);
    count("truth.cu:15 width=16", k, 0, 0);
    static const char *const wrong[] = {"", "truth.cu", "truth.cu:0", "truth.cu:x", "truth.cu:14 width=3", "truth.cu:14 wide", "truth.cu:14 verdict=good"};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        assert_int_equal(ev_promise_parse(wrong[w], &p, &err), WG_ERR_ARGUMENT);
        assert_non_null(strstr(err.text, wrong[w]));
    }
    ev_kernel_free(k);
    wg_arena_free(arena);
    img_module_free(module);
}

static void test_diff(void **state) {
    (void)state;
    img_module *a = open_cubin("truth", 80), *b = open_cubin("truth", 90);
    wg_arena *arena = wg_arena_new();
    wg_error err = {0};
    ev_kernel *x = NULL, *y = NULL, *z = NULL;
    wg_text text = {0};
    assert_int_equal(ev_analyse(a, img_find_function(a, "vec4"), NULL, arena, &x, &err), WG_OK);
    assert_int_equal(ev_analyse(b, img_find_function(b, "vec4"), NULL, arena, &y, &err), WG_OK);
    assert_int_equal(ev_analyse(a, img_find_function(a, "vec2"), NULL, arena, &z, &err), WG_OK);
    assert_int_equal(ev_diff(x, x, &text), 0);
    assert_null(text.at);
    assert_true(ev_diff(x, y, &text) >= 2);
    assert_non_null(strstr(text.at, "sm: 80 -> 90"));
    assert_null(strstr(text.at, " x LDG")); /* the accesses are alike */
    ev_diff(x, z, &text);
    assert_non_null(strstr(text.at, "- 1 x LDG      global, 16 bytes, stride 16: coalesced"));
    assert_non_null(strstr(text.at, "+ 1 x LDG      global, 8 bytes, stride 8: coalesced"));
    wg_text_free(&text);
    ev_kernel_free(x), ev_kernel_free(y), ev_kernel_free(z);
    wg_arena_free(arena);
    img_module_free(a), img_module_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_two_layouts), cmocka_unit_test(test_promises), cmocka_unit_test(test_diff),
                                       cmocka_unit_test(test_truth), cmocka_unit_test(test_examples), cmocka_unit_test(test_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
