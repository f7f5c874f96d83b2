/* The table of a budget: rule, value, limit, verdict. */
#include <stdio.h>
#include <string.h>

#include "report/budget.h"
#include "report/write.h"

static rep_number written(const json_t *value) {
    rep_number n;
    double v = json_number_value(value);
    if (!json_is_number(value)) snprintf(n.at, sizeof n.at, "-");
    else if (v == (double)(long long)v && v < 1e15 && v > -1e15) return rep_whole(v);
    else snprintf(n.at, sizeof n.at, "%.6g", v);
    return n;
}

static void write_row(const json_t *row, const rep_style *style, wg_text *out) {
    const char *file = json_string_value(json_object_get(row, "file")), *kernel = json_string_value(json_object_get(row, "launch_kernel"));
    bool broken = json_is_true(json_object_get(row, "broken"));
    char limit[48];
    snprintf(limit, sizeof limit, "%s %s", rep_word(row, "relation"), written(json_object_get(row, "limit")).at);
    rep_ink_set(out, style, broken ? REP_RED : REP_PLAIN);
    wg_text_printf(out, "  %-28s %14s %16s  %s\n", rep_word(row, "counter"), written(json_object_get(row, "value")).at, limit, rep_word(row, "verdict"));
    rep_ink_set(out, style, REP_PLAIN);
    wg_text_printf(out, "         rule: %s (%s:%lld)\n", rep_word(row, "rule"), rep_base_name(rep_word(row, "budget")),
                   (long long)json_integer_value(json_object_get(row, "budget_line")));
    if (!broken || !kernel) return;
    wg_text_printf(out, "         in %s, launch %lld", kernel, (long long)json_integer_value(json_object_get(row, "launch")));
    if (file) wg_text_printf(out, ", most of it at %s:%lld", rep_base_name(file), (long long)json_integer_value(json_object_get(row, "line")));
    wg_text_add(out, "\n");
}

void rep_write_budget(const json_t *document, const rep_style *style, wg_text *out) {
    const json_t *rows = json_object_get(document, "budget");
    size_t broken = rep_budget_broken(document), all = json_array_size(rows), i;
    json_t *row;
    if (!all || (style->quiet && !broken)) return;
    rep_ink_set(out, style, REP_BOLD);
    wg_text_printf(out, "\nbudget: %zu of %zu rules broken\n", broken, all);
    wg_text_printf(out, "  %-28s %14s %16s  %s\n", "counter", "value", "limit", "verdict");
    rep_ink_set(out, style, REP_PLAIN);
    json_array_foreach((json_t *)rows, i, row)
        if (!style->quiet || json_is_true(json_object_get(row, "broken"))) write_row(row, style, out);
}
