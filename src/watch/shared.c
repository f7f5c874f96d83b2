/* Shared memory: wavefronts, the ideal, bank conflicts and their degree, for each instruction.
 * Whole-warp requests that are contiguous or uniform are counted by accesses.c; the others come here. */
#include <stdlib.h>

#include "watch/accesses.h"
#include "watch/banks.h"

typedef struct cell {
    uint64_t requests, wavefronts, ideal; /* of all others */
    uint8_t degree, access, width;
    watch_memo memo;
} cell;

void watch_shared_stop(void *cells) {
    watch_cells_free(cells);
    free(cells);
}

void *watch_shared_start(const watch_context *ctx) {
    watch_cells *cells = calloc(1, sizeof *cells);
    if (cells && watch_cells_init(cells, ctx, sizeof(cell))) return cells;
    free(cells);
    return NULL;
}

static watch_wavefronts recall(cell *c, const eng_batch *batch, const eng_event *ev) {
    if (ev->cls == ENG_GENERAL) return watch_banks_event(batch, ev);
    bool known;
    struct watch_remembered *r = watch_recall(&c->memo, ev, &known);
    if (!known) {
        watch_wavefronts w = watch_banks_event(batch, ev);
        r->result[0] = (uint16_t)w.wavefronts;
        r->result[1] = (uint16_t)w.ideal;
        r->result[2] = (uint16_t)w.degree;
    }
    return (watch_wavefronts){.wavefronts = r->result[0], .ideal = r->result[1], .degree = r->result[2]};
}

void watch_shared_first(void *cells, const eng_event *ev) {
    cell *c = watch_cell(cells, ev->function, ev->instr);
    if (!c) return;
    c->access = ev->access;
    c->width = ev->width;
}

void watch_shared_event(void *cells, const eng_batch *batch, const eng_event *ev) {
    cell *c = watch_cell(cells, ev->function, ev->instr);
    if (!c || !ev->mask) return;
    c->access = ev->access;
    c->width = ev->width;
    watch_wavefronts w = recall(c, batch, ev);
    c->requests++;
    c->wavefronts += w.wavefronts;
    c->ideal += w.ideal;
    if (w.degree > c->degree) c->degree = (uint8_t)w.degree;
}

void watch_shared_merge(void *into, void *from) {
    const watch_cells *other = from;
    for (unsigned f = 0; f < other->module->n_functions; f++) {
        const cell *b = other->at[f];
        for (uint32_t i = 0; b && i < other->module->functions[f].code_size / 16; i++, b++) {
            if (!b->access) continue;
            cell *a = watch_cell(into, f, i);
            if (!a) return;
            a->requests += b->requests;
            a->wavefronts += b->wavefronts;
            a->ideal += b->ideal;
            if (b->degree > a->degree) a->degree = b->degree;
            a->access = b->access;
            a->width = b->width;
        }
    }
}

/* Wavefronts of the whole-warp requests: contiguous ones carry 32 words each. */
static uint64_t smooth_wavefronts(const uint64_t *h, unsigned width, bool store) {
    uint64_t a_contiguous = width > 4 ? width / 4 : 1;
    return (h[WATCH_ALIGNED] + h[WATCH_SHIFTED]) * a_contiguous + h[WATCH_UNIFORM] * watch_banks_whole_uniform(width, store);
}

static void finish_cell(watch_record *record, unsigned f, uint32_t i, const uint64_t *h, const cell *c) {
    static const uint64_t nothing[WATCH_SHAPES];
    if (!h) h = nothing;
    uint64_t degree = c->degree ? c->degree : 1;
    if (c->access & ENG_ATOMIC) { /* how the hardware serves shared atomics is not known well enough to count */
        watch_add_at(record, WATCH_SHARED_ATOM_REQUESTS, f, i, h[WATCH_ALIGNED] + h[WATCH_SHIFTED] + h[WATCH_UNIFORM] + c->requests);
        return;
    }
    if (c->access & ENG_ASYNC) return; /* hardware counts the shared side of LDGSTS with neither */
    bool load = c->access & ENG_READ;
    uint64_t smooth = smooth_wavefronts(h, c->width, !load), wavefronts = smooth + c->wavefronts, ideal = smooth + c->ideal;
    watch_add_at(record, load ? WATCH_SHARED_LD_WAVEFRONTS : WATCH_SHARED_ST_WAVEFRONTS, f, i, wavefronts);
    watch_add_at(record, load ? WATCH_SHARED_LD_IDEAL : WATCH_SHARED_ST_IDEAL, f, i, ideal);
    watch_add_at(record, load ? WATCH_SHARED_LD_CONFLICTS : WATCH_SHARED_ST_CONFLICTS, f, i, wavefronts - ideal);
    watch_put_at(record, WATCH_SHARED_DEGREE, f, i, degree);
    if (degree > record->launch[WATCH_SHARED_DEGREE].count) watch_set(record, WATCH_SHARED_DEGREE, degree);
}

void watch_shared_finish(void *opaque, const watch_cells *hot, const watch_context *ctx, watch_record *record) {
    const watch_cells *cells = opaque;
    for (watch_counter c = WATCH_SHARED_LD_WAVEFRONTS; c <= WATCH_SHARED_ATOM_REQUESTS; c++) watch_add(record, c, 0);
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const watch_hot *h = hot->at[f];
        const cell *c = cells->at[f];
        for (uint32_t i = 0; c && i < ctx->module->functions[f].code_size / 16; i++)
            if (c[i].access) finish_cell(record, f, i, h ? h[i].n[ENG_SHARED] : NULL, &c[i]);
    }
}
