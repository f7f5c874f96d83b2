/* The forms for other tools, differences and annotated source, of stored run documents, against stored texts.
 * WG_UPDATE=1 writes them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "report/annotate.h"
#include "report/diff.h"
#include "report/formats.h"
#include "report/problems.h"

#define DATA WG_TEST_DATA "/report/"

static json_t *document(const char *name) {
    char path[512];
    json_error_t why;
    snprintf(path, sizeof path, "%s%s.json", DATA, name);
    json_t *doc = json_load_file(path, 0, &why);
    if (!doc) fail_msg("%s: %s", path, why.text);
    return doc;
}

static void same_as(const char *file, wg_text *text) {
    char path[512];
    wg_error err;
    snprintf(path, sizeof path, "%s%s", DATA, file);
    assert_non_null(text->at);
    if (getenv("WG_UPDATE")) assert_int_equal(wg_file_write(path, text->at, text->count, &err), WG_OK);
    wg_arena *arena = wg_arena_new();
    wg_bytes expected;
    if (wg_file_read(path, arena, &expected, &err) != WG_OK) fail_msg("%s", err.text);
    assert_string_equal(text->at, (const char *)expected.data);
    wg_arena_free(arena);
    wg_text_free(text);
}

static void forms_for_other_tools(void **state) {
    (void)state;
    json_t *doc = document("hist");
    wg_text text = {0};
    assert_true(rep_sarif(doc, "/src", &text));
    same_as("hist.sarif", &text);
    assert_true(rep_junit(doc, "/src/", &text));
    same_as("hist.junit.xml", &text);
    assert_true(rep_github(doc, "/src", &text));
    same_as("hist.github.txt", &text);
    json_decref(doc);
}

static void paths_outside_the_root_stay(void **state) {
    (void)state;
    json_t *doc = document("hist");
    static const char *const roots[] = {NULL, "/sr", "/src/hist", "/elsewhere"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        rep_problems problems;
        assert_true(rep_problems_of(doc, roots[i], &problems));
        assert_string_equal(problems.list.at[0].place.file, "/src/hist.cu");
        rep_problems_free(&problems);
    }
    json_decref(doc);
}

/* Every finding, broken rule and kernel that did not run is there once, and nothing that is well. */
static void nothing_is_lost(void **state) {
    (void)state;
    json_t *doc = document("hist");
    rep_problems problems;
    assert_true(rep_problems_of(doc, NULL, &problems));
    assert_int_equal(problems.list.count, 3 + 1 + 2);
    rep_problems_free(&problems);
    json_decref(doc);
}

static void differences(void **state) {
    (void)state;
    json_t *before = document("hist"), *after = document("hist_after"), *diff = rep_diff(before, after);
    wg_text text = {0};
    assert_non_null(diff);
    assert_true(rep_diff_is_worse(diff));
    assert_true(rep_diff_text(diff, &text));
    same_as("hist.diff.txt", &text);
    assert_true(rep_diff_markdown(diff, &text));
    same_as("hist.diff.md", &text);
    json_decref(diff);
    json_object_del(before, "not_run");
    diff = rep_diff(before, before);
    assert_false(rep_diff_is_worse(diff));
    json_decref(diff);
    json_object_set_new(before, "not_run", json_pack("[{s:s}]", "kernel", "tensor(float*)"));
    diff = rep_diff(before, before);
    assert_true(rep_diff_is_worse(diff)); /* a run where a kernel did not run is never good */
    json_decref(diff);
    json_decref(before);
    json_decref(after);
}

static const rep_code_line *line_at(const rep_code_lines *lines, json_int_t line) {
    for (size_t i = 0; i < lines->count; i++)
        if (lines->at[i].line == line) return &lines->at[i];
    fail_msg("no line %d", (int)line);
    return NULL;
}

/* Lines as "LINE:CODE ..."; what pairs with what, as "LINE>LINE ...", ? without a partner. */
static void pairs(const char *before, const char *after, const char *expected) {
    rep_code_lines sides[2] = {{0}};
    const char *texts[2] = {before, after};
    char got[300] = "";
    for (int s = 0; s < 2; s++) {
        sides[s].at = calloc(32, sizeof *sides[s].at);
        for (const char *at = texts[s]; *at;) {
            rep_code_line *line = &sides[s].at[sides[s].count++];
            *line = (rep_code_line){.file = s ? "/new/x.cu" : "/old/x.cu", .line = atoi(at), .partner = SIZE_MAX, .counters = json_object()};
            at += strcspn(at, ":") + 1;
            line->code = strndup(at, strcspn(at, " "));
            at += strcspn(at, " ");
            while (*at == ' ') at++;
        }
    }
    assert_true(rep_code_lines_pair(&sides[0], &sides[1]));
    for (size_t i = 0; i < sides[0].count; i++) {
        const rep_code_line *line = &sides[0].at[i];
        size_t n = strlen(got);
        if (line->partner == SIZE_MAX) snprintf(got + n, sizeof got - n, "%lld>? ", (long long)line->line);
        else {
            snprintf(got + n, sizeof got - n, "%lld>%lld ", (long long)line->line, (long long)sides[1].at[line->partner].line);
            assert_ptr_equal(line_at(&sides[1], sides[1].at[line->partner].line), &sides[1].at[line->partner]);
            assert_true(sides[1].at[line->partner].partner == i);
        }
    }
    assert_string_equal(got, expected);
    rep_code_lines_free(&sides[0]);
    rep_code_lines_free(&sides[1]);
}

static void lines_are_paired_by_their_code(void **state) {
    (void)state;
    pairs("1:A 2:B 3:C", "1:A 2:B 3:C", "1>1 2>2 3>3 ");
    pairs("1:A 2:B 3:C", "4:A 5:B 6:C", "1>4 2>5 3>6 ");     /* a comment above */
    pairs("1:A 2:B 3:C", "1:A 2:X 3:C", "1>1 2>2 3>3 ");     /* a line was changed */
    pairs("1:A 2:B 3:C", "1:A 2:N 3:B 4:C", "1>1 2>3 3>4 "); /* a line is new */
    pairs("1:A 2:B 3:C", "1:A 2:C", "1>1 2>? 3>2 ");         /* a line is gone */
    pairs("1:A 2:B 3:C", "11:A 12:X 13:N 14:C", "1>11 2>12 3>14 "); /* moved, changed, and a line more */
    pairs("", "1:A", "");
    pairs("1:A", "", "1>? ");
}

static void annotated_source(void **state) {
    (void)state;
    json_t *doc = document("hist");
    wg_text text = {0};
    assert_true(rep_annotate(doc, &(rep_annotation){.source_root = DATA, .context = 1}, &text)); /* /src/hist.cu is below it */
    same_as("hist.annotate.txt", &text);
    assert_true(rep_annotate(doc, &(rep_annotation){.context = 1}, &text));
    assert_non_null(strstr(text.at, "--source-root"));
    wg_text_free(&text);
    assert_true(rep_annotate(doc, &(rep_annotation){.kernels = "fill"}, &text));
    assert_non_null(strstr(text.at, "-lineinfo"));
    wg_text_free(&text);
    json_decref(doc);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_for_other_tools), cmocka_unit_test(paths_outside_the_root_stay),
                                       cmocka_unit_test(nothing_is_lost), cmocka_unit_test(differences),
                                       cmocka_unit_test(lines_are_paired_by_their_code), cmocka_unit_test(annotated_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
