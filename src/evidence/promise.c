/* Promises about lines: "conv.cu:57 width=16". */
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence.h"

static wg_status wrong(const char *text, const char *why, wg_error *err) {
    return wg_fail(err, WG_ERR_ARGUMENT, "'%s': %s; a promise is FILE:LINE and conditions: width=N stride=N verdict=WORD "
                   "space=global|shared|local|generic kind=load|store|atomic, and `all` when every access of the line must keep it", text, why);
}
static bool is_number(const char *text, long *v) {
    char *end;
    *v = strtol(text, &end, 0);
    return *text && !*end && *v >= INT32_MIN && *v <= INT32_MAX;
}
static bool is_verdict(const char *word) {
    for (unsigned v = 0; v <= EV_LOCAL_ARRAY; v++)
        if (strcmp(word, ev_verdict_name((ev_verdict)v)) == 0) return true;
    return false;
}
/* NULL: fine. */
static const char *condition(char *word, ev_promise *p) {
    char *equals = strchr(word, '=');
    long v;
    if (strcmp(word, "all") == 0) return p->all = true, NULL;
    if (!equals) return "a condition is NAME=VALUE";
    *equals++ = 0;
    if (strcmp(word, "width") == 0) {
        if (!is_number(equals, &v) || (v != 1 && v != 2 && v != 4 && v != 8 && v != 16)) return "a width is 1, 2, 4, 8 or 16";
        p->width = (int)v;
    } else if (strcmp(word, "stride") == 0) {
        if (!is_number(equals, &v)) return "a stride is a number of bytes";
        p->stride = (int32_t)v, p->has_stride = true;
    } else if (strcmp(word, "verdict") == 0) {
        if (!is_verdict(equals)) return "there is no such verdict";
        p->verdict = equals;
    } else if (strcmp(word, "space") == 0) p->space = equals;
    else if (strcmp(word, "kind") == 0) p->kind = equals;
    else return "there is no such condition";
    return NULL;
}

wg_status ev_promise_parse(const char *text, ev_promise *out, wg_error *err) {
    *out = (ev_promise){.text = strdup(text)};
    if (!out->text) return wg_fail(err, WG_ERR_MEMORY, "no memory");
    char *rest = NULL, *first = strtok_r(out->text, " \t", &rest);
    char *colon = first ? strrchr(first, ':') : NULL;
    long line;
    const char *why = NULL;
    if (!colon || !is_number(colon + 1, &line) || line < 1) why = "it begins with FILE:LINE";
    if (!why) *colon = 0, out->file = first, out->line = (uint32_t)line;
    for (char *word; !why && (word = strtok_r(NULL, " \t", &rest));) why = condition(word, out);
    if (!why) return WG_OK;
    ev_promise_free(out);
    return wrong(text, why, err);
}
void ev_promise_free(ev_promise *promise) {
    free(promise->text);
    *promise = (ev_promise){0};
}

/* The whole path, or its last parts. */
static bool names_file(const char *path, const char *wanted) {
    if (!path || !wg_ends_with(path, wanted)) return false;
    const size_t rest = strlen(path) - strlen(wanted);
    return rest == 0 || path[rest - 1] == '/';
}
static bool of_kind(const ev_access *a, const char *kind) {
    if (strcmp(kind, "load") == 0) return a->load && !a->atomic;
    if (strcmp(kind, "store") == 0) return a->store && !a->atomic;
    return a->atomic && strcmp(kind, "atomic") == 0;
}
void ev_promise_count(const ev_promise *p, const ev_kernel *k, unsigned *met, unsigned *n) {
    *met = *n = 0;
    for (size_t i = 0; i < k->n_accesses; i++) {
        const ev_access *a = &k->accesses[i];
        if (a->line != p->line || !names_file(a->file, p->file)) continue;
        if ((p->space && strcmp(p->space, ev_space_name(a)) != 0) || (p->kind && !of_kind(a, p->kind))) continue;
        ++*n;
        const bool stride = !p->has_stride || (a->has_stride && a->stride == p->stride);
        const bool verdict = !p->verdict || strcmp(p->verdict, ev_verdict_name(a->verdict)) == 0;
        *met += (!p->width || a->width == p->width) && stride && verdict;
    }
}
