/* What changed between two builds of a kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/access.h"

static unsigned number(const char *what, unsigned a, unsigned b, wg_text *out) {
    if (a == b) return 0;
    wg_text_printf(out, "  %s: %u -> %u (%+d)\n", what, a, b, (int)b - (int)a);
    return 1;
}

/* An access without its place in the code: accesses that are alike in both builds are not news, wherever they stand. */
static void key_of(const ev_kernel *k, const ev_access *a, char *text, size_t size) {
    char stride[24] = "";
    if (a->has_stride) snprintf(stride, sizeof stride, ", stride %d", a->stride);
    const char *name = sass_name((sass_op)k->flow->code[a->instr].op);
    snprintf(text, size, "%-8s %s, %u bytes%s: %s", name, ev_space_name(a), a->width, stride, a->words);
}
static int by_text(const void *a, const void *b) { return strcmp(a, b); }

enum { KEY = 240 };
typedef char key[KEY];
static key *keys_of(const ev_kernel *k) {
    key *keys = calloc(k->n_accesses + 1, sizeof *keys);
    for (size_t i = 0; keys && i < k->n_accesses; i++) key_of(k, &k->accesses[i], keys[i], KEY);
    if (keys) qsort(keys, k->n_accesses, sizeof *keys, by_text);
    return keys;
}
static unsigned run_of(key *keys, size_t at, size_t n) {
    unsigned run = 0;
    while (at + run < n && strcmp(keys[at], keys[at + run]) == 0) run++;
    return run;
}
static unsigned accesses(const ev_kernel *a, const ev_kernel *b, wg_text *out) {
    key *x = keys_of(a), *y = keys_of(b);
    unsigned changes = 0;
    if (!x || !y) out->failed = true;
    for (size_t i = 0, j = 0; x && y && (i < a->n_accesses || j < b->n_accesses);) {
        const int order = i == a->n_accesses ? 1 : j == b->n_accesses ? -1 : strcmp(x[i], y[j]);
        const unsigned had = order <= 0 ? run_of(x, i, a->n_accesses) : 0, has = order >= 0 ? run_of(y, j, b->n_accesses) : 0;
        if (had > has) wg_text_printf(out, "  - %u x %s\n", had - has, x[i]), changes++;
        if (has > had) wg_text_printf(out, "  + %u x %s\n", has - had, y[j]), changes++;
        i += had, j += has;
    }
    free(x);
    free(y);
    return changes;
}

unsigned ev_diff(const ev_kernel *a, const ev_kernel *b, wg_text *out) {
    wg_text body = {0};
    unsigned n = 0;
    n += number("sm", (unsigned)a->module->sm, (unsigned)b->module->sm, &body);
    n += number("registers", a->function->registers, b->function->registers, &body);
    n += number("shared memory, bytes", a->function->shared_static, b->function->shared_static, &body);
    n += number("instructions", a->instructions, b->instructions, &body);
    for (unsigned m = 0; m < EV_MIX_KINDS; m++) n += number(a->mix[m].name, a->mix[m].n, b->mix[m].n, &body);
    n += number("barriers", a->barriers, b->barriers, &body);
    n += number("loops", (unsigned)a->n_loops, (unsigned)b->n_loops, &body);
    n += number("local accesses at fixed places", a->spill_loads + a->spill_stores, b->spill_loads + b->spill_stores, &body);
    n += number("indexed local accesses", a->array_loads + a->array_stores, b->array_loads + b->array_stores, &body);
    n += accesses(a, b, &body);
    if (n) wg_text_printf(out, "%s\n%s", a->function->demangled, body.at ? body.at : "");
    out->failed |= body.failed;
    wg_text_free(&body);
    return n;
}
