/* Findings and kernels that did not run. */
#include <stdio.h>
#include <string.h>

#include "report/write.h"

static void write_triple(wg_text *out, const json_t *t) {
    wg_text_printf(out, "(%lld, %lld, %lld)", (long long)json_integer_value(json_array_get(t, 0)),
                   (long long)json_integer_value(json_array_get(t, 1)), (long long)json_integer_value(json_array_get(t, 2)));
}

/* " at hist.cu:42, inlined at ..." */
static void write_line(const json_t *f, wg_text *out) {
    const char *file = json_string_value(json_object_get(f, "file"));
    if (file) wg_text_printf(out, " at %s:%lld", rep_base_name(file), (long long)json_integer_value(json_object_get(f, "line")));
    size_t i;
    json_t *call;
    json_array_foreach(json_object_get(f, "inlined"), i, call) {
        const char *from = json_string_value(json_object_get(call, "file"));
        if (from) wg_text_printf(out, ", inlined at %s:%lld", rep_base_name(from), (long long)json_integer_value(json_object_get(call, "line")));
    }
}

static void write_thread(const json_t *f, wg_text *out) {
    wg_text_add(out, "block ");
    write_triple(out, json_object_get(f, "block"));
    wg_text_add(out, ", thread ");
    write_triple(out, json_object_get(f, "thread"));
}

/* The other side of a race, or where an undefined value comes from. */
static void write_side(const json_t *side, const char *word, wg_text *out) {
    const char *access = json_string_value(json_object_get(side, "access")), *code = json_string_value(json_object_get(side, "instruction"));
    if (!side) return;
    wg_text_printf(out, "         %s%s%s", word, access ? " " : "", access ? access : "");
    write_line(side, out);
    if (json_object_get(side, "block")) {
        wg_text_add(out, " by ");
        write_thread(side, out);
    } else { /* of another operation */
        char place[256];
        rep_place_of_stack(json_object_get(side, "stack"), place, sizeof place);
        wg_text_printf(out, " by %s", rep_word(side, json_object_get(side, "kernel") ? "kernel" : "call"));
        if (place[0]) wg_text_printf(out, ", asked for in %s", place);
    }
    if (code) wg_text_printf(out, "\n         /*%04llx*/ %s", (unsigned long long)json_integer_value(json_object_get(side, "offset")), code);
    wg_text_add(out, "\n");
}

static void write_code(const json_t *side, wg_text *out) {
    const char *code = json_string_value(json_object_get(side, "instruction"));
    wg_text_add(out, rep_word(side, "access"));
    if (code) wg_text_printf(out, " /*%04llx*/ %s", (unsigned long long)json_integer_value(json_object_get(side, "offset")), code);
}

/* Other accesses on the same lines. */
static void write_also(const json_t *also, wg_text *out) {
    size_t i;
    json_t *way;
    json_array_foreach((json_t *)also, i, way) {
        const json_t *other = json_object_get(way, "other");
        wg_text_add(out, "         also: ");
        write_code(way, out);
        if (other) wg_text_add(out, ", other side: "), write_code(other, out);
        wg_text_add(out, "\n");
    }
}

static void write_where(const json_t *f, wg_text *out) {
    const char *kernel = json_string_value(json_object_get(f, "kernel"));
    if (!kernel) return;
    wg_text_printf(out, "         in %s", kernel);
    write_line(f, out);
    wg_text_add(out, "\n         ");
    if (json_object_get(f, "block")) write_thread(f, out);
    else wg_text_printf(out, "stream %lld", (long long)json_integer_value(json_object_get(f, "stream")));
    int more = __builtin_popcount((unsigned)json_integer_value(json_object_get(f, "lanes"))) - 1;
    if (more > 0) wg_text_printf(out, " and %d more lane%s of its warp", more, more == 1 ? "" : "s");
    json_int_t times = json_integer_value(json_object_get(f, "count"));
    json_int_t launches = json_integer_value(json_object_get(f, "launches")), launch = json_integer_value(json_object_get(f, "launch"));
    if (times > 1) wg_text_printf(out, launches > 1 ? "; %s times by warps" : "; %s times by warps of this launch", rep_whole((double)times).at);
    if (launches > 1) wg_text_printf(out, " (in %s launches, the first is launch %lld)\n", rep_whole((double)launches).at, (long long)launch);
    else wg_text_printf(out, " (launch %lld)\n", (long long)launch);
    const char *sass = json_string_value(json_object_get(f, "instruction"));
    if (sass) wg_text_printf(out, "         /*%04llx*/ %s\n", (unsigned long long)json_integer_value(json_object_get(f, "offset")), sass);
}

/* Whose memory it is, where that is known: who allocated it, who freed it. */
static void write_allocation(const json_t *f, wg_text *out) {
    const json_t *a = json_object_get(f, "allocation");
    char made[256], freed[256];
    rep_place_of_stack(json_object_get(a, "allocated"), made, sizeof made);
    rep_place_of_stack(json_object_get(a, "freed_at"), freed, sizeof freed);
    if (!made[0] && !freed[0]) return;
    wg_text_printf(out, "         allocation #%lld of %s", (long long)json_integer_value(json_object_get(a, "id")), rep_bytes(rep_get(a, "size")).at);
    if (made[0]) wg_text_printf(out, " from %s", made);
    if (freed[0]) wg_text_printf(out, ", freed in %s", freed);
    wg_text_add(out, "\n");
}

static void write_finding(const json_t *f, const rep_style *style, wg_text *out) {
    const char *severity = json_string_value(json_object_get(f, "severity")), *detail = json_string_value(json_object_get(f, "detail"));
    char place[256];
    if (!severity) severity = "error";
    rep_ink_set(out, style, strcmp(severity, "error") == 0 ? REP_RED : strcmp(severity, "note") == 0 ? REP_PLAIN : REP_YELLOW);
    wg_text_printf(out, strlen(severity) < 7 ? "  %-7s" : "  %s ", severity);
    rep_ink_set(out, style, REP_PLAIN);
    wg_text_printf(out, "%s: %s\n", rep_word(f, "kind"), rep_word(f, "message"));
    write_where(f, out);
    write_side(json_object_get(f, "other"), "other side:", out);
    write_side(json_object_get(f, "origin"), "origin:", out);
    write_also(json_object_get(f, "also"), out);
    write_allocation(f, out);
    if (json_is_true(json_object_get(f, "after_fault")))
        wg_text_add(out, "         a device would not have run this launch: a kernel before it had failed\n");
    if (detail) wg_text_printf(out, "         %s\n", detail);
    rep_place_of_stack(json_object_get(f, "stack"), place, sizeof place);
    bool copied = json_object_get(f, "missing") && strcmp(rep_word(f, "kind"), "uninitialised") == 0;
    if (place[0]) wg_text_printf(out, "         %s %s\n", copied ? "copied in" : json_object_get(f, "kernel") ? "launched from" : "in", place);
}

static void write_not_run(const json_t *item, wg_text *out) {
    const char *kernel = rep_word(item, "kernel"), *reason = rep_word(item, "reason");
    size_t n = strlen(kernel);
    if (strncmp(reason, kernel, n) == 0 && strncmp(reason + n, ": ", 2) == 0) reason += n + 2; /* it says so already */
    wg_text_printf(out, "  %s\n         %s\n", kernel, reason);
}

void rep_write_findings(const json_t *document, const rep_style *style, wg_text *out) {
    const json_t *findings = json_object_get(document, "findings"), *not_run = json_object_get(document, "not_run");
    size_t i;
    json_t *item;
    if (json_array_size(findings)) {
        rep_ink_set(out, style, REP_BOLD);
        wg_text_add(out, "\nfindings\n");
        rep_ink_set(out, style, REP_PLAIN);
    }
    json_array_foreach(findings, i, item)
        if (!style->quiet || strcmp(rep_word(item, "severity"), "note") != 0) write_finding(item, style, out);
    if (json_array_size(not_run)) {
        rep_ink_set(out, style, REP_RED);
        wg_text_add(out, "\nkernels that did not run, or not to their end\n");
        rep_ink_set(out, style, REP_PLAIN);
    }
    json_array_foreach(not_run, i, item) write_not_run(item, out);
}
