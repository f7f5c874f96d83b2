#include "report/diff.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fold.h"
#include "report/quantity.h"
#include "report/write.h"

/* --- the document ----------------------------------------------------------------------------------------- */
/* A row of what changed; false when it did not. worse: +1 costs more, -1 less, 0 is a matter of taste. */
static bool add_change(json_t *rows, const char *name, rep_value a, rep_value b, int direction) {
    if (a.state == REP_NO_COUNTER && b.state == REP_NO_COUNTER) return false;
    double x = a.state == REP_VALUE ? a.value : 0, y = b.state == REP_VALUE ? b.value : 0;
    if (fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y))) return false;
    int worse = y > x ? direction : -direction;
    json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:i}", "name", name, "before", x, "after", y, "worse", worse));
    return true;
}

static json_t *changes_of(const json_t *a, const json_t *b, bool counters_too) {
    json_t *rows = json_array(), *value;
    const char *name;
    for (const rep_short_name *s = rep_short_names; s->name; s++)
        add_change(rows, s->name, rep_quantity(s->name, a), rep_quantity(s->name, b), s->more_is_better ? -1 : 1);
    if (!counters_too) return rows;
    json_object_foreach((json_t *)b, name, value) add_change(rows, name, rep_quantity(name, a), rep_quantity(name, b), 0);
    json_object_foreach((json_t *)a, name, value)
        if (!rep_has(b, name)) add_change(rows, name, rep_quantity(name, a), rep_quantity(name, b), 0);
    return rows;
}

static void add_line(json_t *rows, const rep_code_line *x, const rep_code_line *y) {
    json_t *none = json_object(), *changes = changes_of(x ? x->counters : none, y ? y->counters : none, false);
    if (json_array_size(changes)) {
        json_t *row = json_pack("{s:s, s:O}", "state", !x ? "new" : !y ? "gone" : "changed", "changes", changes);
        const rep_code_line *sides[2] = {x, y};
        static const char *const names[2] = {"before", "after"};
        for (int i = 0; i < 2; i++)
            if (sides[i]) json_object_set_new(row, names[i], json_pack("{s:s, s:I}", "file", sides[i]->file, "line", sides[i]->line));
        json_array_append_new(rows, row);
    }
    json_decref(changes);
    json_decref(none);
}

static bool compare_lines(const rep_kernel *a, const rep_kernel *b, json_t *rows) {
    rep_code_lines x = {0}, y = {0};
    bool ok = rep_code_lines_of(a, &x) && rep_code_lines_of(b, &y) && rep_code_lines_pair(&x, &y);
    for (size_t j = 0; ok && j < y.count; j++) add_line(rows, y.at[j].partner == SIZE_MAX ? NULL : &x.at[y.at[j].partner], &y.at[j]);
    for (size_t i = 0; ok && i < x.count; i++)
        if (x.at[i].partner == SIZE_MAX) add_line(rows, &x.at[i], NULL);
    rep_code_lines_free(&x);
    rep_code_lines_free(&y);
    return ok;
}

/* The kernel of this name that has no partner yet, in all of its name or (a kernel that got another argument) in what stands
 * before its arguments, if only one fits; SIZE_MAX: none. */
static size_t find_kernel(const rep_fold *before, const rep_kernel *kernel, bool whole_name, const bool *taken) {
    char name[512], other[512];
    size_t found = SIZE_MAX;
    rep_plain_name(kernel->name, name, sizeof name);
    for (size_t i = 0; i < before->kernels.count; i++) {
        rep_plain_name(before->kernels.at[i]->name, other, sizeof other);
        bool fits = whole_name ? strcmp(before->kernels.at[i]->mangled, kernel->mangled) == 0 : strcmp(other, name) == 0;
        if (taken[i] || !fits) continue;
        if (found != SIZE_MAX) return SIZE_MAX;
        found = i;
    }
    return found;
}

static json_t *compare_kernel(const rep_kernel *a, const rep_kernel *b) {
    json_t *row = json_pack("{s:s, s:s, s:s}", "kernel", b->name, "mangled", b->mangled, "state", a ? "same" : "new");
    if (!row || !a) return row;
    if (strcmp(a->mangled, b->mangled) != 0) json_object_set_new(row, "before", json_string(a->name));
    if (a->launches != b->launches) json_object_set_new(row, "launches", json_pack("[I, I]", (json_int_t)a->launches, (json_int_t)b->launches));
    json_t *lines = json_array();
    json_object_set_new(row, "changes", changes_of(a->counters, b->counters, true));
    json_object_set_new(row, "lines", lines);
    if (compare_lines(a, b, lines)) return row;
    json_decref(row);
    return NULL;
}

static bool compare_kernels(const rep_fold *a, const rep_fold *b, json_t *rows) {
    bool *taken = calloc(a->kernels.count + 1, sizeof *taken), ok = taken != NULL;
    size_t *partner = calloc(b->kernels.count + 1, sizeof *partner);
    ok &= partner != NULL;
    for (int pass = 0; ok && pass < 2; pass++) /* whole names first, so that none loses its partner to a similar one */
        for (size_t j = 0; j < b->kernels.count; j++) {
            if (pass && partner[j] != SIZE_MAX) continue;
            partner[j] = find_kernel(a, b->kernels.at[j], pass == 0, taken);
            if (partner[j] != SIZE_MAX) taken[partner[j]] = true;
        }
    for (size_t j = 0; ok && j < b->kernels.count; j++)
        ok = json_array_append_new(rows, compare_kernel(partner[j] == SIZE_MAX ? NULL : a->kernels.at[partner[j]], b->kernels.at[j])) == 0;
    for (size_t i = 0; ok && i < a->kernels.count; i++)
        if (!taken[i])
            json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "kernel", a->kernels.at[i]->name, "mangled", a->kernels.at[i]->mangled,
                                                  "state", "gone"));
    free(partner);
    free(taken);
    return ok;
}

/* Findings by what they are and where; a line that moved is no new finding. */
static json_t *findings_of(const json_t *document) {
    static const char *const lists[] = {"findings", "not_run"};
    json_t *counts = json_object(), *item;
    size_t i;
    for (int k = 0; k < 2; k++)
        json_array_foreach(json_object_get(document, lists[k]), i, item) {
            char key[700];
            const char *kind = k ? "not-run" : rep_word(item, "kind"), *file = json_string_value(json_object_get(item, "file"));
            const char *severity = k ? "error" : rep_word(item, "severity");
            snprintf(key, sizeof key, "%s: %s in %s%s%s", severity, kind, rep_word(item, "kernel"), file ? " at " : "", file ? rep_base_name(file) : "");
            json_object_set_new(counts, key, json_integer(json_integer_value(json_object_get(counts, key)) + 1));
        }
    return counts;
}

static json_t *compare_findings(const json_t *before, const json_t *after) {
    json_t *a = findings_of(before), *b = findings_of(after), *rows = json_array(), *count;
    const char *key;
    json_object_foreach(b, key, count) {
        json_int_t was = json_integer_value(json_object_get(a, key)), is = json_integer_value(count);
        if (was != is) json_array_append_new(rows, json_pack("{s:s, s:I, s:I}", "finding", key, "before", was, "after", is));
    }
    json_object_foreach(a, key, count)
        if (!json_object_get(b, key))
            json_array_append_new(rows, json_pack("{s:s, s:O, s:i}", "finding", key, "before", count, "after", 0));
    json_decref(a);
    json_decref(b);
    return rows;
}

json_t *rep_diff(const json_t *before, const json_t *after) {
    rep_fold a, b;
    json_t *kernels = json_array(), *diff = NULL;
    bool ok = rep_fold_make(before, &a);
    ok &= rep_fold_make(after, &b);
    if (ok && compare_kernels(&a, &b, kernels))
        diff = json_pack("{s:i, s:s, s:s, s:O, s:o, s:i}", "schema", 1, "before", rep_word(json_object_get(before, "program"), "path"), "after",
                         rep_word(json_object_get(after, "program"), "path"), "kernels", kernels, "findings", compare_findings(before, after),
                         "not_run", (int)json_array_size(json_object_get(after, "not_run")));
    rep_fold_free(&a);
    rep_fold_free(&b);
    json_decref(kernels);
    return diff;
}

bool rep_diff_is_worse(const json_t *diff) {
    size_t i, k;
    json_t *kernel, *row;
    bool worse = json_integer_value(json_object_get(diff, "not_run")) > 0;
    json_array_foreach(json_object_get(diff, "kernels"), i, kernel)
        json_array_foreach(json_object_get(kernel, "changes"), k, row) worse |= json_integer_value(json_object_get(row, "worse")) > 0;
    json_array_foreach(json_object_get(diff, "findings"), i, row)
        worse |= json_integer_value(json_object_get(row, "after")) > json_integer_value(json_object_get(row, "before")) &&
                 strncmp(rep_word(row, "finding"), "note", 4) != 0;
    return worse;
}

/* --- for people -------------------------------------------------------------------------------------------- */
static rep_number number(double v) {
    rep_number n;
    if (v == floor(v) && fabs(v) < 1e15) return rep_whole(v);
    snprintf(n.at, sizeof n.at, "%.4g", v);
    return n;
}

/* "+25.0 %"; nothing where there was nothing before. */
static rep_number relative(const json_t *row) {
    rep_number n;
    double x = json_number_value(json_object_get(row, "before")), y = json_number_value(json_object_get(row, "after"));
    if (x == 0) snprintf(n.at, sizeof n.at, "new");
    else snprintf(n.at, sizeof n.at, "%+.1f %%", 100 * (y - x) / x);
    return n;
}

static const char *word_of(const json_t *row) {
    json_int_t worse = json_integer_value(json_object_get(row, "worse"));
    return worse > 0 ? "worse" : worse < 0 ? "better" : "";
}

/* Short names are shown, of the counters only how many changed. */
static bool is_shown(const json_t *row) { return json_integer_value(json_object_get(row, "worse")) != 0; }

static size_t hidden(const json_t *changes) {
    size_t i, n = 0;
    json_t *row;
    json_array_foreach((json_t *)changes, i, row) n += !is_shown(row);
    return n;
}

static void write_place(const json_t *line, wg_text *out) {
    const json_t *before = json_object_get(line, "before"), *after = json_object_get(line, "after"), *here = after ? after : before;
    wg_text_printf(out, "%s:%lld", rep_base_name(rep_word(here, "file")), (long long)json_integer_value(json_object_get(here, "line")));
    if (before && after && !json_equal(json_object_get(before, "line"), json_object_get(after, "line")))
        wg_text_printf(out, " (was %lld)", (long long)json_integer_value(json_object_get(before, "line")));
    if (!before) wg_text_add(out, " (new)");
    if (!after) wg_text_add(out, " (gone)");
}

typedef struct dialect {
    const char *head, *row, *end, *line_head; /* of a table; row: name, before, after, relative, word */
} dialect;

static void write_changes(const json_t *changes, const dialect *d, wg_text *out) {
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)changes, i, row)
        if (is_shown(row))
            wg_text_printf(out, d->row, rep_word(row, "name"), number(json_number_value(json_object_get(row, "before"))).at,
                           number(json_number_value(json_object_get(row, "after"))).at, relative(row).at, word_of(row));
}

static void write_kernel(const json_t *kernel, const dialect *d, bool markdown, wg_text *out) {
    const json_t *changes = json_object_get(kernel, "changes"), *lines = json_object_get(kernel, "lines"), *launches = json_object_get(kernel, "launches");
    const char *state = rep_word(kernel, "state"), *before = json_string_value(json_object_get(kernel, "before"));
    size_t i, more = hidden(changes);
    json_t *line;
    if (strcmp(state, "same") == 0 && !json_array_size(changes) && !launches && !before && !json_array_size(lines)) return;
    wg_text_printf(out, markdown ? "\n#### `%s`%s%s\n" : "\n%s%s%s\n", rep_word(kernel, "kernel"), strcmp(state, "same") ? ": " : "",
                   strcmp(state, "same") ? state : "");
    if (before) wg_text_printf(out, "%sbefore: %s\n", markdown ? "\n" : "  ", before);
    if (launches)
        wg_text_printf(out, "%slaunches: %lld, then %lld\n", markdown ? "\n" : "  ", (long long)json_integer_value(json_array_get(launches, 0)),
                       (long long)json_integer_value(json_array_get(launches, 1)));
    if (json_array_size(changes) > more) {
        wg_text_add(out, d->head);
        write_changes(changes, d, out);
    }
    if (more) wg_text_printf(out, "%s%zu counter%s changed (--format json names them)\n", markdown ? "\n" : "  ", more, more == 1 ? "" : "s");
    json_array_foreach((json_t *)lines, i, line) {
        wg_text_add(out, d->line_head);
        write_place(line, out);
        wg_text_add(out, d->end);
        if (markdown) wg_text_add(out, d->head);
        write_changes(json_object_get(line, "changes"), d, out);
    }
}

static bool write_diff(const json_t *diff, const dialect *d, bool markdown, wg_text *out) {
    size_t i;
    json_t *item;
    bool worse = rep_diff_is_worse(diff);
    wg_text_printf(out, markdown ? "### warpgrind: `%s` against `%s`: %s\n" : "%s against %s: %s\n", rep_word(diff, "after"), rep_word(diff, "before"),
                   worse ? "costs more or has new findings" : "nothing costs more");
    json_array_foreach(json_object_get(diff, "kernels"), i, item) write_kernel(item, d, markdown, out);
    if (json_array_size(json_object_get(diff, "findings"))) wg_text_add(out, markdown ? "\n#### findings\n\n" : "\nfindings\n");
    json_array_foreach(json_object_get(diff, "findings"), i, item)
        wg_text_printf(out, "%s%s: %lld, then %lld\n", markdown ? "- " : "  ", rep_word(item, "finding"),
                       (long long)json_integer_value(json_object_get(item, "before")), (long long)json_integer_value(json_object_get(item, "after")));
    json_int_t not_run = json_integer_value(json_object_get(diff, "not_run"));
    if (not_run) wg_text_printf(out, "\n%lld launch%s did not run to %s end\n", (long long)not_run, not_run == 1 ? "" : "es", not_run == 1 ? "its" : "their");
    return !out->failed;
}

bool rep_diff_text(const json_t *diff, wg_text *out) {
    static const dialect plain = {"", "    %-26s %14s %14s %10s  %s\n", "\n", "  "};
    return write_diff(diff, &plain, false, out);
}

bool rep_diff_markdown(const json_t *diff, wg_text *out) {
    static const dialect markdown = {"\n| | before | after | | |\n|---|--:|--:|--:|---|\n", "| `%s` | %s | %s | %s | %s |\n", "**\n", "\n**"};
    return write_diff(diff, &markdown, true, out);
}
