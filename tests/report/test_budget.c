/* Budgets: the file's form, what is checked, which launch and line a broken rule names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/budget.h"
#include "report/quantity.h"

/* Two launches of scale (the second moves 32 sectors a request, at line 12), one of tile, which did not end. */
static const char run[] =
    "{'schema': 1, 'warpgrind': '0.1.0', 'program': {'path': './x'}, 'gpu': {'id': 'a100'}, 'launches': ["
    "{'index': 0, 'kernel': 'void ns::scale<float>(float const*, int)', 'mangled': '_Zscale', 'complete': true, 'counters': {"
    "'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 40, 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 10,"
    "'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': 0, 'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': 0,"
    "'smsp__inst_executed.sum': 100, 'sm__maximum_warps_per_active_cycle_pct': 100.0}, 'instructions': ["
    "{'offset': 0, 'file': '/src/x.cu', 'line': 12, 'counters': {'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 40,"
    "'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 10, 'smsp__inst_executed.sum': 10}}]},"
    "{'index': 1, 'kernel': 'void ns::scale<float>(float const*, int)', 'mangled': '_Zscale', 'complete': true, 'counters': {"
    "'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 324, 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 11,"
    "'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': 4, 'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': 1,"
    "'smsp__inst_executed.sum': 100, 'sm__maximum_warps_per_active_cycle_pct': 50.0}, 'instructions': ["
    "{'offset': 0, 'file': '/src/x.cu', 'line': 11, 'counters': {'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 4,"
    "'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 1, 'smsp__inst_executed.sum': 90}},"
    "{'offset': 16, 'file': '/usr/local/cuda/targets/x86_64-linux/include/sm_32_intrinsics.hpp', 'line': 9,"
    "'inlined': [{'file': '/src/x.cu', 'line': 12, 'function': '__ldg'}],"
    "'counters': {'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 320, 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 10,"
    "'smsp__inst_executed.sum': 10}}]},"
    "{'index': 2, 'kernel': 'tile(int)', 'mangled': '_Ztile', 'complete': false, 'counters': {'smsp__inst_executed.sum': 5}}],"
    "'allocations': [{'id': 1, 'values_read': 36, 'distinct_values': 16}, {'id': 2, 'values_read': 0, 'distinct_values': 0, 'bytes_written': 64, 'unwritten': 5}, {'id': 3, 'unwritten': 9}],"
    "'findings': [], 'not_run': []}";

static json_t *document(void) {
    char *text = strdup(run);
    for (char *at = text; *at; at++)
        if (*at == '\'') *at = '"';
    json_t *doc = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(doc);
    return doc;
}

static wg_status read_rules(const char *rules, rep_budget *budget, wg_error *err) {
    char path[] = "/tmp/budget-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, rules, strlen(rules)) == (ssize_t)strlen(rules));
    close(fd);
    wg_status status = rep_budget_read(path, budget, err);
    unlink(path);
    return status;
}

/* The outcome of a single rule; the caller owns it. */
static json_t *outcome_of(const char *rule) {
    rep_budget budget = {0};
    wg_error err = {0};
    json_t *doc = document();
    if (read_rules(rule, &budget, &err) != WG_OK) fail_msg("%s", err.text);
    assert_int_equal(budget.rules.count, 1);
    int broken = rep_budget_apply(&budget, doc);
    json_t *row = json_incref(json_array_get(json_object_get(doc, "budget"), 0));
    assert_int_equal(broken, json_is_true(json_object_get(row, "broken")));
    assert_int_equal(rep_budget_broken(doc), broken);
    json_decref(doc);
    rep_budget_free(&budget);
    return row;
}

static void check(const char *rule, const char *verdict, double value, int launches) {
    json_t *row = outcome_of(rule);
    assert_string_equal(json_string_value(json_object_get(row, "verdict")), verdict);
    if (value >= 0) assert_true(json_number_value(json_object_get(row, "value")) == value);
    else assert_true(json_is_null(json_object_get(row, "value")));
    assert_int_equal(json_integer_value(json_object_get(row, "launches")), launches);
    json_decref(row);
}

static void rules_are_checked_of_every_launch(void **state) {
    (void)state;
    check("scale instructions <= 100", "kept", 100, 2);
    check("scale instructions == 100", "kept", 100, 2);
    check("scale instructions <= 99", "broken", 100, 2);
    check("scale instructions >= 101", "broken", 100, 2);
    check("scale load_sectors_per_request <= 29", "broken", 324.0 / 11, 2);      /* the second launch */
    check("scale load_sectors_per_request <= 30", "kept", 324.0 / 11, 2);
    check("scale occupancy >= 50", "kept", 50, 2);
    check("scale occupancy >= 51", "broken", 50, 2);
    check("scale sectors_per_request <= 27.333333333333", "kept", 328.0 / 12, 2); /* loads and stores together; nine digits */
    check("scale l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum/l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum <= 4", "broken", 324.0 / 11, 2);
    check("* reads_per_value == 2.25", "the kernel did not run to its end", 2.25, 3);
    check("scale reads_per_value <= 2.25", "kept", 2.25, 2);
    check("scale unwritten == 0", "broken", 5, 2); /* not what no kernel wrote at all */
}

static void kernels_are_named_in_many_ways(void **state) {
    (void)state;
    static const char *const names[] = {"scale", "ns::scale", "void ns::scale<float>(float const*, int)", "*scale*", "_Zscale", "?cale", "ns::*"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char rule[200];
        snprintf(rule, sizeof rule, "%s instructions <= 100  # enough", names[i]);
        check(rule, "kept", 100, 2);
    }
}

static void nothing_to_check_is_no_pass(void **state) {
    (void)state;
    check("nobody instructions <= 100", "no launch of such a kernel", -1, 0);
    check("cale instructions <= 100", "no launch of such a kernel", -1, 0); /* a name is a whole name */
    check("scale instruktions <= 100", "no such counter", -1, 2);
    check("scale wg__bytes_mem_local.sum == 0", "no such counter", -1, 2);
    check("scale store_sectors_per_request <= 4", "divided by zero", -1, 2);
    check("tile instructions <= 100", "the kernel did not run to its end", 5, 1);
    check("scale@x.cu:99 instructions <= 100", "no instruction at that line was executed", -1, 0);
    check("scale@y.cu:12 instructions <= 100", "no instruction at that line was executed", -1, 0);
    check("scale@x.cu:12 registers <= 100", "not counted at that line", -1, 2);
}

static void rules_of_a_line(void **state) {
    (void)state;
    check("scale@x.cu:12 instructions == 10", "kept", 10, 2);
    check("scale @src/x.cu:12 instructions == 10", "kept", 10, 2);
    check("scale instructions == 10 @/src/x.cu:12", "kept", 10, 2);
    check("scale@x.cu:12 sectors_per_request <= 4", "broken", 32, 2); /* inlined from a header of the toolkit */
    check("scale@x.cu:11 instructions == 90", "kept", 90, 1);         /* one launch did not come there */
}

static void a_broken_rule_names_launch_and_line(void **state) {
    (void)state;
    json_t *row = outcome_of("scale load_sectors_per_request <= 8");
    assert_int_equal(json_integer_value(json_object_get(row, "launch")), 1);
    assert_string_equal(json_string_value(json_object_get(row, "file")), "/src/x.cu");
    assert_int_equal(json_integer_value(json_object_get(row, "line")), 12);
    json_decref(row);
    row = outcome_of("scale instructions <= 8"); /* the first launch breaks it as much as the second */
    assert_int_equal(json_integer_value(json_object_get(row, "launch")), 0);
    assert_int_equal(json_integer_value(json_object_get(row, "line")), 12);
    json_decref(row);
    row = outcome_of("scale occupancy >= 80"); /* no line has an occupancy */
    assert_null(json_object_get(row, "line"));
    json_decref(row);
}

static void wrong_files(void **state) {
    (void)state;
    static const struct { const char *text, *says; } rows[] = {
        {"", "no rule"}, {"# only words\n", "no rule"}, {"<= 4\n", "a rule is"}, {"scale instructions < 4\n", "must be"},
        {"\n\nscale instructions <= four\n", ":3: 'scale instructions <= four': the value"}, {"instructions <= 4\n", "kernel is missing"},
        {"scale@x.cu instructions <= 4\n", "@FILE:LINE"}, {"a@x:1 c <= 4 @y:2\n", "two places"}, {"a c <= nan\n", "no number"}, {"a c <= 4x\n", "no number"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rep_budget budget = {0};
        wg_error err = {0};
        assert_int_equal(read_rules(rows[i].text, &budget, &err), WG_ERR_ARGUMENT);
        if (!strstr(err.text, rows[i].says)) fail_msg("'%s' does not say '%s'", err.text, rows[i].says);
        rep_budget_free(&budget);
    }
    rep_budget budget = {0};
    wg_error err = {0};
    assert_int_equal(rep_budget_read("/nowhere/x.budget", &budget, &err), WG_ERR_IO);
    rep_budget_free(&budget);
}

static void a_written_budget_is_kept_and_is_tight(void **state) {
    (void)state;
    json_t *doc = document();
    wg_text text = {0};
    json_array_remove(json_object_get(doc, "launches"), 2);
    assert_true(rep_budget_write(doc, &text));
    rep_budget budget = {0};
    wg_error err = {0};
    assert_int_equal(read_rules(text.at, &budget, &err), WG_OK);
    assert_int_equal(rep_budget_apply(&budget, doc), 0);
    assert_true(budget.rules.count >= 4);
    for (size_t i = 0; i < budget.rules.count; i++) { /* a little less would be broken */
        rep_rule *rule = &budget.rules.at[i];
        double was = rule->limit;
        rule->limit = rule->relation[0] == '<' ? was * 0.999 : was * 1.001;
        assert_int_equal(rep_budget_apply(&budget, doc), 1);
        rule->limit = was;
    }
    rep_budget_free(&budget);
    wg_text_free(&text);
    json_decref(doc);
}

static void the_table(void **state) {
    (void)state;
    json_t *doc = document();
    rep_budget budget = {0};
    wg_error err = {0};
    wg_text all = {0}, quiet = {0};
    assert_int_equal(read_rules("scale sectors_per_request <= 4\nscale instructions <= 100\n", &budget, &err), WG_OK);
    assert_int_equal(rep_budget_apply(&budget, doc), 1);
    rep_write_budget(doc, &(rep_style){0}, &all);
    assert_non_null(strstr(all.at, "budget: 1 of 2 rules broken"));
    assert_non_null(strstr(all.at, "x.cu:12"));
    assert_non_null(strstr(all.at, "27.3333             <= 4  broken"));
    rep_write_budget(doc, &(rep_style){.quiet = true}, &quiet);
    assert_null(strstr(quiet.at, "kept"));
    assert_non_null(strstr(quiet.at, "broken"));
    wg_text_free(&all);
    wg_text_free(&quiet);
    rep_budget_free(&budget);
    json_decref(doc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_checked_of_every_launch), cmocka_unit_test(kernels_are_named_in_many_ways),
        cmocka_unit_test(nothing_to_check_is_no_pass), cmocka_unit_test(rules_of_a_line), cmocka_unit_test(a_broken_rule_names_launch_and_line),
        cmocka_unit_test(wrong_files), cmocka_unit_test(a_written_budget_is_kept_and_is_tight), cmocka_unit_test(the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
