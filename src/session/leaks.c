/* What was allocated and never freed: a finding for each place that allocated it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/inner.h"

/* What has a name belongs to a module or to the device, what kernels allocate to them. */
static bool to_be_freed(const eng_allocation *a) {
    return !a->freed && !a->name && (a->kind == ENG_ALLOC_DEVICE || a->kind == ENG_ALLOC_MANAGED || a->kind == ENG_ALLOC_PINNED);
}

static bool same_place(const eng_allocation *a, const eng_allocation *b) {
    return a->n_stack == b->n_stack && a->kind == b->kind && (!a->n_stack || memcmp(a->stack, b->stack, a->n_stack * sizeof *a->stack) == 0);
}

static void report(session *ses, const eng_allocation *first, uint64_t n, uint64_t bytes) {
    const char *what = first->kind == ENG_ALLOC_PINNED ? "pinned host" : first->kind == ENG_ALLOC_MANAGED ? "managed" : "device";
    const char *call = first->kind == ENG_ALLOC_PINNED ? "cudaFreeHost" : "cudaFree";
    const char *label = first->label ? first->label : "", *open = first->label ? " (" : "", *close = first->label ? ")" : "";
    if (n == 1)
        ses_finding(ses, "leak", "warning", first->stack, first->n_stack, "allocation #%u%s%s%s, %llu bytes of %s memory, was never freed: %s is missing",
                    first->id, open, label, close, (unsigned long long)bytes, what, call);
    else
        ses_finding(ses, "leak", "warning", first->stack, first->n_stack,
                    "%llu allocations made here, in all %llu bytes of %s memory, were never freed (the first is #%u%s%s%s): %s is missing",
                    (unsigned long long)n, (unsigned long long)bytes, what, first->id, open, label, close, call);
}

void ses_leaks_write(session *ses) {
    const eng_memory *mem = ses->device ? eng_device_memory(ses->device) : NULL;
    if (!mem || !ses_checks(ses, "leak")) return;
    wg_vec(struct leak { const eng_allocation *first; uint64_t n, bytes; }) places = {0};
    const eng_allocation *a;
    for (size_t i = 0, p; (a = eng_memory_at(mem, i)) != NULL; i++) {
        if (!to_be_freed(a)) continue;
        for (p = 0; p < places.count && !same_place(a, places.at[p].first); p++) {}
        if (p == places.count && !wg_vec_push(&places, (struct leak){.first = a})) break;
        places.at[p].n++;
        places.at[p].bytes += a->size;
    }
    for (size_t p = 0; p < places.count; p++) report(ses, places.at[p].first, places.at[p].n, places.at[p].bytes);
    wg_vec_free(&places);
}
