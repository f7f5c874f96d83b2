/* Reports of a stored run document, against stored reports. WG_UPDATE=1 writes them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "report/fold.h"
#include "report/report.h"

#define DATA WG_TEST_DATA "/report/"

static json_t *document(const char *name) {
    char path[512];
    json_error_t why;
    snprintf(path, sizeof path, "%s%s.json", DATA, name);
    json_t *doc = json_load_file(path, 0, &why);
    if (!doc) fail_msg("%s: %s", path, why.text);
    return doc;
}

static void same_as(const char *file, const wg_text *text) {
    char path[512];
    wg_error err;
    snprintf(path, sizeof path, "%s%s", DATA, file);
    if (getenv("WG_UPDATE")) assert_int_equal(wg_file_write(path, text->at, text->count, &err), WG_OK);
    wg_arena *arena = wg_arena_new();
    wg_bytes expected;
    if (wg_file_read(path, arena, &expected, &err) != WG_OK) fail_msg("%s", err.text);
    assert_string_equal(text->at, (const char *)expected.data);
    wg_arena_free(arena);
}

static void text_for_people(void **state) {
    (void)state;
    json_t *doc = document("bonds");
    wg_text text = {0}, quiet = {0}, colour = {0};
    assert_true(rep_text(doc, &(rep_style){0}, &text));
    same_as("bonds.txt", &text);
    assert_true(rep_text(doc, &(rep_style){.quiet = true}, &quiet));
    same_as("bonds.quiet.txt", &quiet);
    assert_null(strstr(quiet.at, "never freed")); /* a note is not worth breaking silence */
    assert_null(strchr(text.at, '\033'));
    assert_true(rep_text(doc, &(rep_style){.colour = true}, &colour));
    assert_non_null(strchr(colour.at, '\033'));
    wg_text_free(&text);
    wg_text_free(&quiet);
    wg_text_free(&colour);
    json_decref(doc);
}

static void other_accesses_on_the_same_lines(void **state) {
    (void)state;
    json_t *doc = document("hist");
    wg_text text = {0};
    assert_true(rep_text(doc, &(rep_style){0}, &text));
    assert_non_null(strstr(text.at, "also: write /*00a0*/ STS [R2], R5, other side: write\n"));
    wg_text_free(&text);
    json_decref(doc);
}

static void tables(void **state) {
    (void)state;
    json_t *doc = document("bonds");
    wg_text csv = {0}, json = {0};
    assert_true(rep_csv(doc, &csv));
    same_as("bonds.csv", &csv);
    assert_true(rep_json(doc, &json));
    json_t *again = json_loads(json.at, 0, NULL); /* what was written is what was meant */
    assert_true(json_equal(doc, again));
    wg_text_free(&csv);
    wg_text_free(&json);
    json_decref(again);
    json_decref(doc);
}

static void folding(void **state) {
    (void)state;
    json_t *doc = document("bonds");
    rep_fold fold;
    assert_true(rep_fold_make(doc, &fold));
    assert_int_equal(fold.kernels.count, 2);
    const rep_kernel *k = fold.kernels.at[1];
    assert_int_equal(k->launches, 2);
    assert_true(k->grids_vary && k->blocks_vary && !k->occupancy_varies);
    assert_true(rep_get(k->counters, "smsp__inst_executed.sum") == 2 * 44700);
    assert_true(rep_get(k->counters, "wg__bank_conflict_degree.max") == 32);    /* not summed */
    assert_true(rep_get(k->counters, "launch__registers_per_thread") == 16);    /* not summed */
    assert_int_equal(k->spots.count, 2);
    rep_spots lines;
    assert_true(rep_lines_of(fold.kernels.at[0], &lines));
    assert_int_equal(lines.count, 3); /* two loads share line 41 */
    assert_true(rep_get(lines.at[0].counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 2000000);
    rep_spots_free(&lines);
    rep_fold_free(&fold);
    json_decref(doc);
}

static void verdict(void **state) {
    (void)state;
    json_t *doc = document("bonds");
    rep_verdict v = rep_verdict_of(doc);
    assert_int_equal(v.errors, 1);
    assert_int_equal(v.warnings, 0);
    assert_int_equal(v.notes, 1);
    assert_int_equal(v.not_run, 1);
    assert_int_equal(v.launches, 3);
    json_decref(doc);
}

/* A document of another hand: members missing, or of the wrong type. */
static void poor_documents(void **state) {
    (void)state;
    static const char *const poor[] = {
        "{}", "[]", "{\"launches\": [{}]}", "{\"launches\": [{\"mangled\": 3, \"grid\": {}}], \"findings\": [{}], \"not_run\": [1]}",
        "{\"allocations\": [{\"bytes_read\": 4, \"values_read\": 1, \"map\": [null]}], \"notes\": [3], \"program\": 7}",
        "{\"launches\": [{\"mangled\": \"k\", \"instructions\": [{}, 3], \"counters\": []}], \"profiles\": [{}]}"};
    for (size_t i = 0; i < sizeof poor / sizeof *poor; i++) {
        json_t *doc = json_loads(poor[i], 0, NULL);
        wg_text text = {0};
        rep_text(doc, &(rep_style){0}, &text);
        rep_csv(doc, &text);
        assert_non_null(text.at);
        wg_text_free(&text);
        json_decref(doc);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_for_people), cmocka_unit_test(other_accesses_on_the_same_lines), cmocka_unit_test(tables),
                                       cmocka_unit_test(folding), cmocka_unit_test(verdict), cmocka_unit_test(poor_documents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
