/* The page holds what it shows as JSON, folded by kernel, with the sources that instructions come from; its script
 * (assets/report.js) draws. */
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "report/fold.h"
#include "report/quantity.h"
#include "report/source.h"

/* Made from assets/ when this is built (embed.cmake). */
extern const unsigned char rep_asset_report_css[], rep_asset_report_js[];
extern const unsigned rep_asset_report_css_size, rep_asset_report_js_size;

enum { MOST_KERNELS = 40, MOST_LAUNCHES = 50, MOST_FINDINGS = 300, MOST_ALLOCATIONS = 100, MOST_SOURCE_LINES = 6000 };

static void put(json_t *to, const char *name, const json_t *from) {
    json_t *value = json_object_get(from, name);
    if (value) json_object_set(to, name, value);
}

static json_t *picked(const json_t *from, const char *const *names) {
    json_t *out = json_object();
    for (; *names; names++) put(out, *names, from);
    return out;
}

static json_t *first_of(const json_t *list, size_t most) {
    json_t *out = json_array();
    for (size_t i = 0; i < json_array_size(list) && i < most; i++) json_array_append(out, json_array_get(list, i));
    return out;
}

/* Files that the page shows: those of instructions, not of the toolkit's headers. */
static void want_source(json_t *files, const json_t *instruction) {
    rep_place place;
    if (rep_place_of(instruction, &place)) json_object_set_new(files, place.file, json_null());
}

static json_t *instruction_json(const rep_spot *spot, json_t *files) {
    rep_place place;
    json_t *out = json_pack("{s:I, s:s, s:O}", "offset", (json_int_t)spot->offset, "sass", spot->sass ? spot->sass : "?", "counters", spot->counters);
    if (spot->function) json_object_set_new(out, "function", json_string(spot->function));
    if (rep_place_of(spot->example, &place)) {
        json_object_set_new(out, "file", json_string(place.file));
        json_object_set_new(out, "line", json_integer(place.line));
    }
    put(out, "sample", spot->example);
    want_source(files, spot->example);
    return out;
}

static json_t *launches_json(const json_t *document, const char *mangled) {
    static const char *const names[] = {"index", "grid", "block", "last_block", "complete", "error", "nanoseconds_modelled", NULL};
    json_t *list = json_array(), *launch;
    size_t i;
    json_array_foreach(json_object_get(document, "launches"), i, launch)
        if (json_array_size(list) < MOST_LAUNCHES && strcmp(rep_word(launch, "mangled"), mangled) == 0)
            json_array_append_new(list, picked(launch, names));
    return list;
}

static json_t *kernel_json(const json_t *document, const rep_kernel *kernel, json_t *files) {
    static const char *const names[] = {"kernel", "mangled", "grid", "block", "shared_static", "shared_dynamic", "registers", "sm",
                                        "occupancy", "last_block", "exactness", NULL};
    json_t *out = picked(kernel->first, names), *instructions = json_array();
    json_object_set(out, "counters", kernel->counters);
    json_object_set_new(out, "n_launches", json_integer((json_int_t)kernel->launches));
    json_object_set_new(out, "incomplete", json_integer((json_int_t)kernel->incomplete));
    json_object_set_new(out, "launches", launches_json(document, kernel->mangled));
    for (size_t i = 0; i < kernel->spots.count; i++) json_array_append_new(instructions, instruction_json(&kernel->spots.at[i], files));
    json_object_set_new(out, "instructions", instructions);
    return out;
}

static bool read_sources(json_t *files) {
    rep_sources sources = {0};
    const char *path;
    void *next;
    json_t *value;
    bool ok = true;
    json_object_foreach_safe(files, next, path, value) {
        const rep_source *file = rep_source_of(&sources, path);
        json_t *lines = json_array();
        ok &= file != NULL;
        for (size_t i = 0; file && file->lines && i < file->n && i < MOST_SOURCE_LINES; i++) {
            json_t *line = json_string(file->lines[i]);
            json_array_append_new(lines, line ? line : json_string("(not UTF-8)"));
        }
        json_object_set_new(files, path, lines);
    }
    rep_sources_free(&sources);
    return ok;
}

/* The traces, their instructions with the place that the source pane is to show. */
static json_t *traces_json(const json_t *document, json_t *files) {
    json_t *out = json_array(), *trace, *in;
    size_t t, i;
    json_array_foreach(json_object_get(document, "traces"), t, trace) {
        json_t *copy = json_copy(trace), *instructions = json_deep_copy(json_object_get(trace, "instructions"));
        json_array_foreach(instructions, i, in) {
            rep_place place;
            if (!rep_place_of(in, &place)) continue;
            want_source(files, in);
            json_object_set_new(in, "line", json_integer(place.line));
            json_object_set_new(in, "file", json_string(place.file)); /* last: place.file may point into the old one */
        }
        json_object_set_new(copy, "instructions", instructions);
        json_array_append_new(out, copy);
    }
    return out;
}

static json_t *page_json(const json_t *document) {
    static const char *const names[] = {"warpgrind", "program", "gpu", "status", "notes", "not_run", "budget", NULL};
    rep_fold fold;
    json_t *out = NULL, *files = json_object(), *kernels = json_array(), *traces = NULL;
    bool ok = rep_fold_make(document, &fold) && files && kernels;
    for (size_t i = 0; ok && i < fold.kernels.count && i < MOST_KERNELS; i++)
        json_array_append_new(kernels, kernel_json(document, fold.kernels.at[i], files));
    if (ok) traces = traces_json(document, files);
    if (ok && read_sources(files) && (out = picked(document, names))) {
        json_object_set_new(out, "n_kernels", json_integer((json_int_t)fold.kernels.count));
        json_object_set(out, "kernels", kernels);
        json_object_set(out, "traces", traces);
        json_object_set(out, "sources", files);
        json_object_set_new(out, "findings", first_of(json_object_get(document, "findings"), MOST_FINDINGS));
        json_object_set_new(out, "n_findings", json_integer((json_int_t)json_array_size(json_object_get(document, "findings"))));
        json_object_set_new(out, "allocations", first_of(json_object_get(document, "allocations"), MOST_ALLOCATIONS));
    }
    rep_fold_free(&fold);
    json_decref(files);
    json_decref(kernels);
    json_decref(traces);
    return out;
}

/* In a script element a < could begin its end; in JSON it only stands inside of texts, where it may be written otherwise. */
static void add_json(wg_text *out, const char *json) {
    for (size_t n; *json; json += n) {
        n = strcspn(json, "<");
        wg_text_add_n(out, json, n);
        if (json[n] == '<') wg_text_add(out, "\\u003c"), n++;
    }
}

bool rep_html(const json_t *document, wg_text *out) {
    json_t *page = page_json(document);
    char *data = page ? json_dumps(page, JSON_COMPACT | JSON_REAL_PRECISION(8)) : NULL;
    json_decref(page);
    if (!data) return false;
    wg_text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>warpgrind</title>\n<style>\n");
    wg_text_add_n(out, (const char *)rep_asset_report_css, rep_asset_report_css_size);
    wg_text_add(out, "</style>\n</head>\n<body>\n<noscript>This page draws with JavaScript, which is turned off.</noscript>\n<main id=\"page\"></main>\n"
                     "<script type=\"application/json\" id=\"run\">");
    add_json(out, data);
    wg_text_add(out, "</script>\n<script>\n");
    wg_text_add_n(out, (const char *)rep_asset_report_js, rep_asset_report_js_size);
    wg_text_add(out, "</script>\n</body>\n</html>\n");
    free(data);
    return !out->failed;
}
