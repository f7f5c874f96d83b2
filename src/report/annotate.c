#include "report/annotate.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "report/fold.h"
#include "report/quantity.h"
#include "report/write.h"

/* The margin: short names, or counters. */
static const struct { const char *title, *quantity; int width; } columns[] = {
    {"warp inst.", "instructions", 12}, {"global B", "global_bytes", 12}, {"sect./req.", "sectors_per_request", 10},
    {"conflicts", "bank_conflicts", 10}, {"diverg.", "divergent_branches", 8}, {"local B", "local_bytes", 9}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* {FILE: {"LINE": counters}}, of the kernels that were asked for; the caller owns it. */
static json_t *lines_by_file(const rep_fold *fold, const char *pattern) {
    json_t *files = json_object();
    for (size_t k = 0; k < fold->kernels.count; k++) {
        const rep_kernel *kernel = fold->kernels.at[k];
        if (pattern && !rep_kernel_is(kernel->first, pattern)) continue;
        for (size_t i = 0; i < kernel->spots.count; i++) {
            const rep_spot *spot = &kernel->spots.at[i];
            char line[24];
            if (!spot->file) continue;
            snprintf(line, sizeof line, "%lld", (long long)spot->line);
            json_t *file = json_object_get(files, spot->file);
            if (!file) json_object_set_new(files, spot->file, file = json_object());
            json_t *counters = json_object_get(file, line);
            if (!counters) json_object_set_new(file, line, counters = json_object());
            rep_add(counters, spot->counters);
        }
    }
    return files;
}

static void write_margin(const json_t *counters, wg_text *out) {
    for (int c = 0; c < COLUMNS; c++) {
        rep_value v = counters ? rep_quantity(columns[c].quantity, counters) : (rep_value){.state = REP_NO_COUNTER};
        rep_number n;
        if (v.state != REP_VALUE) snprintf(n.at, sizeof n.at, counters ? "." : "");
        else if (rep_is_ratio(columns[c].quantity)) snprintf(n.at, sizeof n.at, "%.2f", v.value);
        else n = rep_whole(v.value);
        wg_text_printf(out, "%*s ", columns[c].width, n.at);
    }
}

static void write_titles(wg_text *out) {
    for (int c = 0; c < COLUMNS; c++) wg_text_printf(out, "%*s ", columns[c].width, columns[c].title);
    wg_text_add(out, "\n");
}

/* Where the source is: as compiled, below the root by ever shorter ends of its path, or nowhere. */
static bool find_source(const char *file, const char *root, char *path, size_t size) {
    snprintf(path, size, "%s", file);
    if (access(path, R_OK) == 0) return true;
    for (const char *end = file; root && end; end = strchr(end, '/')) {
        while (*end == '/') end++;
        snprintf(path, size, "%s/%s", root, end);
        if (*end && access(path, R_OK) == 0) return true;
    }
    return false;
}

/* Is there a line with counts at most context lines away? */
static bool is_near(const json_t *lines, long line, unsigned context) {
    if (context == UINT_MAX) return true;
    const char *key;
    json_t *counters;
    json_object_foreach((json_t *)lines, key, counters) {
        (void)counters;
        if (labs(atol(key) - line) <= (long)context) return true;
    }
    return false;
}

static const json_t *counters_at(const json_t *lines, long line) {
    char key[24];
    snprintf(key, sizeof key, "%ld", line);
    return json_object_get(lines, key);
}

static void write_source(const char *text, const json_t *lines, unsigned context, wg_text *out) {
    bool gap = false;
    for (long line = 1; *text; line++) {
        size_t n = strcspn(text, "\n");
        if (is_near(lines, line, context)) {
            if (gap) wg_text_printf(out, "-- line %ld --\n", line);
            gap = false;
            write_margin(counters_at(lines, line), out);
            wg_text_printf(out, "%6ld  ", line);
            wg_text_add_n(out, text, n);
            wg_text_add(out, "\n");
        } else gap = true;
        text += n + (text[n] == '\n');
    }
}

static int by_line(const void *a, const void *b) {
    long x = atol(*(const char *const *)a), y = atol(*(const char *const *)b);
    return (x > y) - (x < y);
}

/* Without the source: the numbers alone. */
static bool write_lines(const json_t *lines, wg_text *out) {
    size_t n = 0;
    const char **keys = calloc(json_object_size(lines) + 1, sizeof *keys), *key;
    json_t *counters;
    if (!keys) return false;
    json_object_foreach((json_t *)lines, key, counters) {
        (void)counters;
        keys[n++] = key;
    }
    qsort(keys, n, sizeof *keys, by_line);
    for (size_t i = 0; i < n; i++) {
        write_margin(json_object_get(lines, keys[i]), out);
        wg_text_printf(out, "%6s\n", keys[i]);
    }
    free(keys);
    return true;
}

static bool write_file(const char *file, const json_t *lines, const rep_annotation *how, wg_text *out) {
    char path[PATH_MAX];
    wg_arena *arena = wg_arena_new();
    wg_bytes source;
    bool ok = arena != NULL;
    wg_text_printf(out, "\n%s\n", file);
    write_titles(out);
    if (ok && find_source(file, how->source_root, path, sizeof path) && wg_file_read(path, arena, &source, NULL) == WG_OK)
        write_source((const char *)source.data, lines, how->context, out);
    else if (ok) {
        wg_text_add(out, "(the source cannot be read; --source-root says where it is)\n");
        ok = write_lines(lines, out);
    }
    wg_arena_free(arena);
    return ok;
}

bool rep_annotate(const json_t *document, const rep_annotation *how, wg_text *out) {
    rep_fold fold;
    bool ok = rep_fold_make(document, &fold);
    json_t *files = lines_by_file(&fold, how->kernels), *lines;
    const char *file;
    if (!json_object_size(files)) wg_text_add(out, "no counts by source line: the kernels that were asked for did not run, or were compiled without -lineinfo\n");
    json_object_foreach(files, file, lines) ok = ok && write_file(file, lines, how, out);
    json_decref(files);
    rep_fold_free(&fold);
    return ok && !out->failed;
}
