/* The line table of tests/data/probe.cu: every row names the source's own line, and inlined code its callers.
 */
#include "fixture.h"

static const int architectures[] = {75, 80, 86, 89, 90, 120};
enum { N_ARCHITECTURES = sizeof architectures / sizeof *architectures };

static img_module *probe(int sm) {
    char name[64];
    snprintf(name, sizeof name, "cubin/probe_sm%d.cubin", sm);
    return test_module(name);
}

/* The number of the first line of the source that holds the text. */
static uint32_t line_of(const char *text) {
    wg_arena *arena = wg_arena_new();
    const char *source = (const char *)test_data(arena, "probe.cu").data, *at = strstr(source, text);
    assert_non_null(at);
    uint32_t line = 1;
    for (const char *p = source; p < at; p++) line += *p == '\n';
    wg_arena_free(arena);
    return line;
}

static bool is_probe(const char *file) {
    size_t n = file ? strlen(file) : 0;
    return n > 9 && strcmp(file + n - 9, "/probe.cu") == 0;
}

static void rows_are_in_order_and_cover_the_code(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        img_module *m = probe(architectures[a]);
        assert_true(m->has_lines);
        assert_null(m->note);
        for (size_t i = 0; i < m->n_functions; i++) {
            const img_function *f = &m->functions[i];
            assert_true(f->n_lines > 0);
            assert_int_equal(f->lines[0].offset, 0);
            for (size_t k = 1; k < f->n_lines; k++) assert_true(f->lines[k - 1].offset < f->lines[k].offset);
            for (uint32_t at = 0; at < f->code_size; at += 16) {
                const img_line *line = img_line_at(f, at);
                assert_non_null(line);
                assert_true(line->offset <= at);
                assert_non_null(line->file);
            }
            assert_null(img_line_at(f, f->code_size));
        }
        img_module_free(m);
    }
}

static void a_kernel_starts_where_it_is_written(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        img_module *m = probe(architectures[a]);
        const struct {
            const char *kernel, *text;
        } where[] = {{"blend", "void __launch_bounds__(128) blend"},
                     {"plain", "void plain"},
                     {"ns::choose", "void choose"}};
        for (int i = 0; i < 3; i++) {
            const img_line *first = img_line_at(img_find_function(m, where[i].kernel), 0);
            assert_true(is_probe(first->file));
            assert_int_equal(first->line, line_of(where[i].text));
            assert_int_equal(first->inlined_at, 0);
            assert_null(first->function);
        }
        img_module_free(m);
    }
}

/* square() was inlined into cube(), and that into blend(). */
static void inlined_code_names_its_callers(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        img_module *m = probe(architectures[a]);
        const img_function *f = img_find_function(m, "blend");
        const img_line *square = NULL;
        for (size_t i = 0; i < f->n_lines; i++)
            if (f->lines[i].function && strcmp(f->lines[i].function, "square(float)") == 0)
                square = &f->lines[i];
        assert_non_null(square);
        assert_int_equal(square->line, line_of("float square(float x)"));
        assert_true(square->inlined_at && square->inlined_at <= f->n_inlined);
        const img_line *cube = &f->inlined[square->inlined_at - 1];
        assert_string_equal(cube->function, "cube(float)");
        assert_int_equal(cube->line, line_of("float cube(float x)"));
        assert_true(cube->inlined_at && cube->inlined_at <= f->n_inlined);
        const img_line *blend = &f->inlined[cube->inlined_at - 1];
        assert_null(blend->function);
        assert_int_equal(blend->inlined_at, 0);
        assert_int_equal(blend->line, line_of("p[i] = cube("));
        assert_true(is_probe(blend->file));
        img_module_free(m);
    }
}

static void the_syncwarp_of_the_source_is_found(void **state) {
    (void)state;
    for (int a = 0; a < N_ARCHITECTURES; a++) {
        img_module *m = probe(architectures[a]);
        const img_function *f = img_find_function(m, "blend");
        const img_line *line = img_line_at(f, f->syncwarps[0]);
        while (line->inlined_at) line = &f->inlined[line->inlined_at - 1];
        assert_int_equal(line->line, line_of("__syncwarp();"));
        img_module_free(m);
    }
}

static void code_without_lines_has_none(void **state) {
    (void)state;
    img_module *m = test_module("cubin/linked_sm80.cubin");
    assert_false(m->has_lines);
    assert_null(img_line_at(&m->functions[0], 0));
    img_module_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_in_order_and_cover_the_code),
        cmocka_unit_test(a_kernel_starts_where_it_is_written),
        cmocka_unit_test(inlined_code_names_its_callers),
        cmocka_unit_test(the_syncwarp_of_the_source_is_found),
        cmocka_unit_test(code_without_lines_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
