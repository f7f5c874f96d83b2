/* Shared memory: wavefronts, the ideal, bank conflicts and their degree, for each instruction.
 * As in memory.c, a whole warp's contiguous or uniform request is one bump of a counter. */
#include <stdlib.h>

#include "watch/banks.h"
#include "watch/watch.h"

enum { UNIFORM = ENG_UNIFORM, CONTIGUOUS = ENG_CONTIGUOUS, SHAPES = 2 };
typedef struct hot {
    uint64_t n[SHAPES]; /* whole-warp requests, which cannot conflict */
} hot;

typedef struct cell {
    uint64_t requests, wavefronts, ideal; /* of all others */
    uint8_t degree, access, width;
    watch_memo memo;
} cell;

typedef struct state {
    watch_cells hot, cells;
} state;

static void stop(void *opaque) {
    state *st = opaque;
    watch_cells_free(&st->hot);
    watch_cells_free(&st->cells);
    free(st);
}

static void *start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    if (watch_cells_init(&st->hot, ctx, sizeof(hot)) && watch_cells_init(&st->cells, ctx, sizeof(cell))) return st;
    stop(st);
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

static void count(state *st, const eng_batch *batch, const eng_event *ev) {
    cell *c = watch_cell(&st->cells, ev->function, ev->instr);
    if (!c || !ev->mask) return;
    c->access = ev->access;
    c->width = ev->width;
    watch_wavefronts w = recall(c, batch, ev);
    c->requests++;
    c->wavefronts += w.wavefronts;
    c->ideal += w.ideal;
    if (w.degree > c->degree) c->degree = (uint8_t)w.degree;
}

static void first(state *st, const eng_event *ev) {
    cell *c = watch_cell(&st->cells, ev->function, ev->instr);
    if (!c) return;
    c->access = ev->access;
    c->width = ev->width;
}

static void events(void *opaque, const eng_batch *batch) {
    state *st = opaque;
    unsigned function = UINT32_MAX;
    hot *row = NULL; /* of that function */
    for (const eng_event *ev = batch->events, *end = ev + batch->count; ev < end; ev++) {
        if (ev->space != ENG_SHARED || ev->kind != ENG_EV_ACCESS) continue;
        if (ev->function != function) {
            function = ev->function;
            row = watch_cell(&st->hot, function, 0);
            if (!row) return;
        }
        if (ev->mask != UINT32_MAX || ev->cls > ENG_CONTIGUOUS) count(st, batch, ev);
        else if (!row[ev->instr].n[ev->cls]++) first(st, ev);
    }
}

static void merge_hot(watch_cells *into, const watch_cells *from) {
    for (unsigned f = 0; f < from->module->n_functions; f++) {
        const hot *b = from->at[f];
        for (uint32_t i = 0; b && i < from->module->functions[f].code_size / 16; i++, b++) {
            hot *a = watch_cell(into, f, i);
            for (int k = 0; a && k < SHAPES; k++) a->n[k] += b->n[k];
        }
    }
}

static void merge(void *into, void *from) {
    const watch_cells *other = &((state *)from)->cells;
    merge_hot(&((state *)into)->hot, &((state *)from)->hot);
    for (unsigned f = 0; f < other->module->n_functions; f++) {
        const cell *b = other->at[f];
        for (uint32_t i = 0; b && i < other->module->functions[f].code_size / 16; i++, b++) {
            if (!b->access) continue;
            cell *a = watch_cell(&((state *)into)->cells, f, i);
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

/* Wavefronts of the whole-warp requests: a wavefront carries 32 words, and 16 bytes a lane go by half-warps. */
static uint64_t hot_wavefronts(const hot *h, unsigned width) {
    uint64_t a_contiguous = width > 4 ? width / 4 : 1, a_uniform = width > 8 ? 2 : 1;
    return h->n[CONTIGUOUS] * a_contiguous + h->n[UNIFORM] * a_uniform;
}

static void finish_cell(watch_record *record, unsigned f, uint32_t i, const hot *h, const cell *c) {
    uint64_t degree = c->degree ? c->degree : 1;
    if (c->access & ENG_ATOMIC) { /* how the hardware serves shared atomics is not known well enough to count */
        watch_add_at(record, WATCH_SHARED_ATOM_REQUESTS, f, i, h->n[UNIFORM] + h->n[CONTIGUOUS] + c->requests);
        return;
    }
    bool load = c->access & ENG_READ;
    uint64_t smooth = hot_wavefronts(h, c->width), wavefronts = smooth + c->wavefronts, ideal = smooth + c->ideal;
    watch_add_at(record, load ? WATCH_SHARED_LD_WAVEFRONTS : WATCH_SHARED_ST_WAVEFRONTS, f, i, wavefronts);
    watch_add_at(record, load ? WATCH_SHARED_LD_IDEAL : WATCH_SHARED_ST_IDEAL, f, i, ideal);
    watch_add_at(record, load ? WATCH_SHARED_LD_CONFLICTS : WATCH_SHARED_ST_CONFLICTS, f, i, wavefronts - ideal);
    watch_put_at(record, WATCH_SHARED_DEGREE, f, i, degree);
    if (degree > record->launch[WATCH_SHARED_DEGREE].count) watch_set(record, WATCH_SHARED_DEGREE, degree);
}

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)result;
    const state *st = opaque;
    static const hot nothing;
    for (watch_counter c = WATCH_SHARED_LD_WAVEFRONTS; c <= WATCH_SHARED_ATOM_REQUESTS; c++) watch_add(record, c, 0);
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const hot *row = st->hot.at[f];
        const cell *c = st->cells.at[f];
        for (uint32_t i = 0; c && i < ctx->module->functions[f].code_size / 16; i++, c++)
            if (c->access) finish_cell(record, f, i, row ? &row[i] : &nothing, c);
    }
}

const watch watch_shared = {.name = "shared",
                            .wants = 1u << ENG_EV_ACCESS,
                            .start = start,
                            .events = events,
                            .merge = merge,
                            .finish = finish,
                            .stop = stop};
