#include "watch/accesses.h"

#include <stdlib.h>

#include "watch/sectors.h"

const sass_instr *watch_instruction(const eng_code *code, const watch_cells *cells, unsigned function, uint32_t instr) {
    static const sass_instr unknown = {.op = SASS_UNKNOWN};
    const sass_instr *all = code ? eng_instructions(code, &cells->module->functions[function]) : NULL;
    return all ? &all[instr] : &unknown;
}

typedef struct state {
    watch_cells hot;
    void *memory, *shared, *copies;
    bool chunks; /* a model of transactions was asked for */
} state;

static void stop(void *opaque) {
    state *st = opaque;
    watch_cells_free(&st->hot);
    if (st->memory) watch_memory_stop(st->memory);
    if (st->shared) watch_shared_stop(st->shared);
    if (st->copies) watch_copies_stop(st->copies);
    free(st);
}

static void *start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    st->chunks = ctx->chunk_bytes != 0;
    st->memory = watch_memory_start(ctx);
    st->shared = watch_shared_start(ctx);
    st->copies = watch_copies_start(ctx);
    if (st->memory && st->shared && st->copies && watch_cells_init(&st->hot, ctx, sizeof(watch_hot))) return st;
    stop(st);
    return NULL;
}

static void first(state *st, const eng_batch *batch, const eng_event *ev) {
    if (ev->space == ENG_GLOBAL) watch_memory_first(st->memory, batch, ev);
    else watch_shared_first(st->shared, ev);
}

static void uncommon(state *st, const eng_batch *batch, const eng_event *ev) {
    if (eng_is_bulk(ev->access)) return; /* no request of a warp */
    if (ev->access & ENG_ASYNC) {
        if (ev->space == ENG_GLOBAL) watch_memory_first(st->memory, batch, ev);
        watch_copies_event(st->copies, batch, ev);
    } else if (ev->space == ENG_SHARED) watch_shared_event(st->shared, batch, ev);
    else if (ev->space == ENG_GLOBAL || ev->space == ENG_LOCAL) watch_memory_event(st->memory, batch, ev);
}

/* What hardware does with lanes that are stopped here: it finds memory there, of nobody or of another. */
static void stray(state *st, const eng_batch *batch, const eng_event *ev) {
    if (st->chunks) watch_memory_chunks(st->memory, batch, ev);
    uncommon(st, batch, ev);
}

static void events(void *opaque, const eng_batch *batch) {
    state *st = opaque;
    unsigned function = UINT32_MAX;
    watch_hot *row = NULL; /* of that function */
    for (const eng_event *ev = batch->events, *end = ev + batch->count; ev < end; ev++) {
        if (ev->kind != ENG_EV_ACCESS) {
            if (ev->kind == ENG_EV_STRAY) stray(st, batch, ev);
            continue;
        }
        if (__builtin_expect(ev->access & ENG_DROPPED, 0)) continue;
        if (__builtin_expect(ev->function != function, 0)) {
            function = ev->function;
            row = watch_cell(&st->hot, function, 0);
            if (!row) return;
        }
        if (__builtin_expect(st->chunks, 0) && ev->space == ENG_GLOBAL && !eng_is_bulk(ev->access)) watch_memory_chunks(st->memory, batch, ev);
        if ((ev->mask == UINT32_MAX) & (ev->cls <= ENG_CONTIGUOUS) & (ev->space <= ENG_SHARED) & !(ev->access & ENG_ASYNC)) {
            unsigned shape = ev->cls == ENG_UNIFORM ? WATCH_UNIFORM : eng_plain_shape(ev->address, ev->space, ev->width);
            if (__builtin_expect(!row[ev->instr].n[ev->space][shape]++, 0)) first(st, batch, ev);
        } else {
            uncommon(st, batch, ev);
        }
    }
}

static void plain(void *opaque, const eng_plain *sums) {
    watch_hot *row = watch_cell(&((state *)opaque)->hot, sums->function, sums->instr);
    for (unsigned s = 0; row && s < WATCH_SHAPES; s++) row->n[sums->space][s] += sums->n[s];
}
static bool takes_sums(const watch_context *ctx) { return !ctx->chunk_bytes; } /* the own model looks at every one */

static void merge_hot(watch_cells *into, const watch_cells *from) {
    for (unsigned f = 0; f < from->module->n_functions; f++) {
        const watch_hot *b = from->at[f];
        for (uint32_t i = 0; b && i < from->module->functions[f].code_size / 16; i++, b++) {
            watch_hot *a = watch_cell(into, f, i);
            for (int k = 0; a && k < 2 * WATCH_SHAPES; k++) a->n[k / WATCH_SHAPES][k % WATCH_SHAPES] +=
                b->n[k / WATCH_SHAPES][k % WATCH_SHAPES];
        }
    }
}

static void merge(void *opaque, void *other) {
    state *into = opaque, *from = other;
    merge_hot(&into->hot, &from->hot);
    watch_memory_merge(into->memory, from->memory);
    watch_shared_merge(into->shared, from->shared);
    watch_copies_merge(into->copies, from->copies);
}

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)result;
    state *st = opaque;
    const watch_generic elsewhere = watch_shared_generic(st->shared, &st->hot);
    watch_memory_finish(st->memory, &st->hot, ctx, &elsewhere, record);
    watch_copies_finish(st->copies, ctx, record);
    watch_memory_ratios(record);
    watch_shared_finish(st->shared, &st->hot, ctx, record);
}

const watch watch_accesses = {.name = "accesses",
                              .wants = 1u << ENG_EV_ACCESS | 1u << ENG_EV_STRAY,
                              .start = start,
                              .events = events,
                              .plain = plain,
                              .takes_sums = takes_sums,
                              .merge = merge,
                              .finish = finish,
                              .stop = stop};
