/* One kernel as text: what it is made of, then a row for each memory instruction. */
#include <stdio.h>
#include <string.h>

#include "evidence/access.h"
#include "evidence/explain.h"
#include "evidence/flow.h"

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
static void head(const ev_kernel *k, wg_text *out) {
    const img_function *f = k->function;
    bool any = false;
    wg_text_printf(out, "%s  sm_%d\n  %u registers, %u bytes of shared memory", f->demangled, k->module->sm, f->registers, f->shared_static);
    const unsigned local = k->spill_loads + k->spill_stores, indexed = k->array_loads + k->array_stores;
    if (!local && !indexed) wg_text_add(out, ", no spills");
    if (local) wg_text_printf(out, ", %u local %s %u loads, %u stores", local, indexed ? "at fixed places:" : "(spills):", k->spill_loads, k->spill_stores);
    if (indexed) wg_text_printf(out, ", indexed local arrays: %u loads, %u stores", k->array_loads, k->array_stores);
    wg_text_printf(out, ", %u barrier%s, %zu loop%s", k->barriers, k->barriers == 1 ? "" : "s", k->n_loops, k->n_loops == 1 ? "" : "s");
    if (k->tensor) wg_text_printf(out, ", %u tensor-core instructions", k->tensor);
    if (k->async) wg_text_printf(out, ", %u asynchronous copies", k->async);
    wg_text_printf(out, "\n  %u instructions:", k->instructions);
    for (unsigned m = 0; m < EV_MIX_KINDS; m++) {
        if (!k->mix[m].n) continue;
        wg_text_printf(out, "%s %u %s", any ? "," : "", k->mix[m].n, k->mix[m].name);
        any = true;
    }
    wg_text_add(out, "\n");
    for (size_t l = 0; l < k->n_loops; l++) {
        const ev_loop_line *loop = &k->loops[l];
        wg_text_printf(out, "  i%zu: a loop over 0x%04x to 0x%04x", l, loop->first * 16, loop->last * 16);
        if (loop->line) wg_text_printf(out, ", line %u", loop->line);
        if (loop->depth) wg_text_printf(out, ", inside %u other%s", loop->depth, loop->depth > 1 ? "s" : "");
        wg_text_add(out, "\n");
    }
}

static void range_text(ev_range r, char text[24]) {
    if (r.least == r.most) snprintf(text, 24, "%u", r.most);
    else snprintf(text, 24, "%u-%u", r.least, r.most);
}
static void row(const ev_kernel *k, const ev_access *a, wg_text *out) {
    const sass_instr *in = &k->flow->code[a->instr];
    char text[160], place[64] = "-", stride[16] = "-", moved[24] = "-";
    sass_print(in, text, sizeof text);
    if (a->line) snprintf(place, sizeof place, "%s:%u", a->file ? base_name(a->file) : "?", a->line);
    if (a->has_stride) snprintf(stride, sizeof stride, "%d", a->stride);
    if (a->verdict != EV_DATA) range_text(a->space == ENG_SHARED ? a->wavefronts : a->sectors, moved);
    wg_text_printf(out, "  %04x  %-20s  %-7s %2u  %6s  %7s  %s\n", a->instr * 16, place, ev_space_name(a), a->width, stride, moved, a->words);
    wg_text_printf(out, "        %s%s  at %s\n", text, a->second ? " (its shared side)" : "", a->text);
}

void ev_text(const ev_kernel *k, bool explain, wg_text *out) {
    head(k, out);
    if (!k->n_accesses) {
        wg_text_add(out, "  no memory instruction\n");
        return;
    }
    wg_text_printf(out, "\n  %-4s  %-20s  %-7s %2s  %6s  %7s  %s\n", "at", "line", "space", "B", "stride", "moves", "verdict");
    for (size_t i = 0; i < k->n_accesses; i++) {
        row(k, &k->accesses[i], out);
        if (explain) ev_explain_text(k, &k->accesses[i], out);
    }
}
