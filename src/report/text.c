/* The text report: frame and order. Its parts are in text_*.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/budget.h"
#include "report/write.h"

void rep_ink_set(wg_text *out, const rep_style *style, rep_ink ink) {
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[1;31m", "\033[33m", "\033[32m"};
    if (style->colour) wg_text_add(out, codes[ink]);
}

rep_number rep_whole(double value) {
    char digits[32];
    rep_number n;
    int length = snprintf(digits, sizeof digits, "%.0f", value), k = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-') n.at[k++] = ',';
        n.at[k++] = digits[i];
    }
    n.at[k] = '\0';
    return n;
}

rep_number rep_counted(double value, const char *what) {
    rep_number n;
    snprintf(n.at, sizeof n.at, "%.20s %.15s%s", rep_whole(value).at, what, value == 1 ? "" : "s");
    return n;
}

rep_number rep_bytes(double value) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    rep_number n;
    unsigned unit = 0;
    while (unit < 4 && value >= 1024 && (value >= 1024 * 16 || fmod(value, 1024) == 0)) {
        value /= 1024;
        unit++;
    }
    if (fmod(value, 1) == 0) {
        n = rep_whole(value);
        strcat(strcat(n.at, " "), units[unit]);
    } else snprintf(n.at, sizeof n.at, "%.1f %s", value, units[unit]);
    return n;
}

rep_number rep_per(double above, double below, const char *format) {
    rep_number n;
    if (below == 0) snprintf(n.at, sizeof n.at, "-");
    else if (strcmp(format, "%") == 0) snprintf(n.at, sizeof n.at, "%.*f %%", above == below ? 0 : 1, 100 * above / below);
    else snprintf(n.at, sizeof n.at, "%.*f", format[0] - '0', above / below);
    return n;
}

const char *rep_base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static void write_head(const json_t *document, const rep_style *style, wg_text *out) {
    const json_t *gpu = json_object_get(document, "gpu"), *program = json_object_get(document, "program");
    const char *path = json_string_value(json_object_get(program, "path"));
    rep_ink_set(out, style, REP_BOLD);
    wg_text_printf(out, "warpgrind %s", rep_word(document, "warpgrind"));
    if (path) wg_text_printf(out, ": %s", path);
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(program, "arguments"), i, item) wg_text_printf(out, " %s", json_is_string(item) ? json_string_value(item) : "?");
    rep_ink_set(out, style, REP_PLAIN);
    wg_text_add(out, "\n");
    if (json_is_object(gpu))
        wg_text_printf(out, "simulated %s, compute capability %s, %lld SMs; counts are those of the machine code executed\n",
                       rep_word(gpu, "name"), rep_word(gpu, "compute_capability"),
                       (long long)json_integer_value(json_object_get(gpu, "multiprocessors")));
    json_array_foreach(json_object_get(document, "notes"), i, item) wg_text_printf(out, "note: %s\n", json_is_string(item) ? json_string_value(item) : "?");
}

static void write_end_of_program(const json_t *document, wg_text *out) {
    const json_t *status = json_object_get(document, "status");
    const char *signal = json_string_value(json_object_get(status, "signal_name"));
    if (json_is_true(json_object_get(status, "timeout"))) wg_text_add(out, "the program was ended by --timeout; ");
    else if (signal) wg_text_printf(out, "the program died of a signal: %s; ", signal);
    else if (json_integer_value(json_object_get(status, "exit")))
        wg_text_printf(out, "the program ended with status %lld; ", (long long)json_integer_value(json_object_get(status, "exit")));
}

static void count_words(wg_text *out, size_t n, const char *one, const char *many) {
    wg_text_printf(out, "%zu %s", n, n == 1 ? one : many);
}

static void write_summary(const json_t *document, const rep_style *style, wg_text *out) {
    rep_verdict v = rep_verdict_of(document);
    wg_text_add(out, "\n");
    rep_ink_set(out, style, v.errors || v.not_run ? REP_RED : REP_GREEN);
    write_end_of_program(document, out);
    count_words(out, v.launches, "launch, ", "launches, ");
    count_words(out, v.errors, "error", "errors");
    if (v.warnings) wg_text_add(out, ", "), count_words(out, v.warnings, "warning", "warnings");
    if (v.notes) wg_text_add(out, ", "), count_words(out, v.notes, "note", "notes");
    if (v.not_run) wg_text_add(out, "; "), count_words(out, v.not_run, "launch DID NOT RUN to its end", "launches DID NOT RUN to their end");
    rep_ink_set(out, style, REP_PLAIN);
    wg_text_add(out, "\n");
}

rep_verdict rep_verdict_of(const json_t *document) {
    rep_verdict v = {.not_run = json_array_size(json_object_get(document, "not_run")),
                     .launches = json_array_size(json_object_get(document, "launches"))};
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(document, "findings"), i, finding) {
        const char *severity = json_string_value(json_object_get(finding, "severity"));
        if (severity && strcmp(severity, "note") == 0) v.notes++;
        else if (severity && strcmp(severity, "warning") == 0) v.warnings++;
        else v.errors++;
    }
    return v;
}

bool rep_text(const json_t *document, const rep_style *style, wg_text *out) {
    rep_fold fold;
    bool ok = rep_fold_make(document, &fold);
    if (!style->quiet) {
        write_head(document, style, out);
        rep_write_kernels(document, &fold, style, out);
        rep_write_memory(document, style, out);
    }
    rep_write_findings(document, style, out);
    rep_write_budget(document, style, out);
    rep_verdict v = rep_verdict_of(document);
    if (!style->quiet || v.errors || v.warnings || v.not_run) write_summary(document, style, out);
    rep_fold_free(&fold);
    return ok && !out->failed;
}
