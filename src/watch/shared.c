/* Shared memory: wavefronts, the ideal, bank conflicts and their degree, for each instruction.
 * Whole-warp requests that are contiguous or uniform are counted by accesses.c; the others come here. */
#include <stdlib.h>

#include "watch/accesses.h"
#include "watch/banks.h"

typedef struct cell {
    uint64_t requests, wavefronts, ideal; /* of all others */
    uint64_t bytes; /* distinct ones of a generic access's others */
    uint8_t degree, access, width, kind /* watch_banks_kind */;
    bool generic;
    watch_memo memo;
} cell;
typedef struct state {
    watch_cells cells;
    eng_code *code;
} state;

void watch_shared_stop(void *opaque) {
    state *st = opaque;
    watch_cells_free(&st->cells);
    free(st);
}

void *watch_shared_start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    st->code = ctx->code;
    if (watch_cells_init(&st->cells, ctx, sizeof(cell))) return st;
    free(st);
    return NULL;
}

static watch_wavefronts recall(cell *c, const eng_batch *batch, const eng_event *ev) {
    if (ev->cls == ENG_GENERAL) return watch_banks_event(batch, ev, c->kind);
    bool known;
    struct watch_remembered *r = watch_recall(&c->memo, ev, &known);
    if (!known) {
        watch_wavefronts w = watch_banks_event(batch, ev, c->kind);
        r->result[0] = (uint16_t)w.wavefronts;
        r->result[1] = (uint16_t)w.ideal;
        r->result[2] = (uint16_t)w.degree;
    }
    return (watch_wavefronts){.wavefronts = r->result[0], .ideal = r->result[1], .degree = r->result[2]};
}

/* Those that would wait at their bank are sent back instead, and come again. */
static bool sends_back(const sass_instr *in) { return in->op == SASS_CAST_ATOMS || (in->op == SASS_CAS_ATOMS && in->sub == SASS_ATOM_CAST_SPIN); }

static watch_banks_kind kind_of(const sass_instr *in, unsigned access) {
    if (access & ENG_ATOMIC) return in->sub == SASS_ATOM_POPC_INC || sends_back(in) ? WATCH_BANKS_COUNT : WATCH_BANKS_ATOMIC;
    if (in->op == SASS_LDSM || in->op == SASS_STSM) return WATCH_BANKS_ROWS;
    return access & ENG_READ ? WATCH_BANKS_LOAD : WATCH_BANKS_STORE;
}

static void note(const state *st, cell *c, const eng_event *ev) {
    if (c->access) return;
    c->access = ev->access;
    c->width = ev->width;
    const sass_instr *in = watch_instruction(st->code, &st->cells, ev->function, ev->instr);
    c->kind = (uint8_t)kind_of(in, ev->access);
    c->generic = watch_is_generic(in->op);
}

void watch_shared_first(void *opaque, const eng_event *ev) {
    state *st = opaque;
    cell *c = watch_cell(&st->cells, ev->function, ev->instr);
    if (c) note(st, c, ev);
}

void watch_shared_event(void *opaque, const eng_batch *batch, const eng_event *ev) {
    state *st = opaque;
    cell *c = watch_cell(&st->cells, ev->function, ev->instr);
    if (!c || !ev->mask) return;
    note(st, c, ev);
    watch_wavefronts w = recall(c, batch, ev);
    c->requests++;
    c->wavefronts += w.wavefronts;
    c->ideal += w.ideal;
    if (c->generic) c->bytes += watch_touch_event(batch, ev).bytes;
    if (w.degree > c->degree) c->degree = (uint8_t)w.degree;
}

void watch_shared_merge(void *opaque, void *from) {
    watch_cells *into = &((state *)opaque)->cells;
    const watch_cells *other = &((state *)from)->cells;
    for (unsigned f = 0; f < other->module->n_functions; f++) {
        const cell *b = other->at[f];
        for (uint32_t i = 0; b && i < other->module->functions[f].code_size / 16; i++, b++) {
            if (!b->access) continue;
            cell *a = watch_cell(into, f, i);
            if (!a) return;
            a->requests += b->requests;
            a->wavefronts += b->wavefronts;
            a->ideal += b->ideal;
            a->bytes += b->bytes;
            a->generic = b->generic;
            if (b->degree > a->degree) a->degree = b->degree;
            a->access = b->access;
            a->width = b->width;
            a->kind = b->kind;
        }
    }
}

watch_generic watch_shared_generic(const void *opaque, const watch_cells *hot) {
    const watch_cells *cells = &((const state *)opaque)->cells;
    watch_generic sum = {0};
    for (unsigned f = 0; f < cells->module->n_functions; f++) {
        const cell *c = cells->at[f];
        const watch_hot *h = hot->at[f];
        for (uint32_t i = 0; c && i < cells->module->functions[f].code_size / 16; i++) {
            if (!c[i].generic) continue;
            const uint64_t *n = h ? h[i].n[ENG_SHARED] : NULL;
            const uint64_t whole = n ? (watch_hot_contiguous(n) * 32 + n[WATCH_UNIFORM]) * c[i].width : 0;
            watch_generic_add(&sum, c[i].access, whole + c[i].bytes);
        }
    }
    return sum;
}

/* Where an access of each kind counts; an atomic's wavefronts read and write at once. */
typedef struct counters {
    watch_counter wavefronts, ideal, conflicts;
} counters;
static counters counters_of(const cell *c) {
    if (c->access & ENG_ATOMIC) return (counters){WATCH_SHARED_ATOM_WAVEFRONTS, WATCH_COUNTERS, WATCH_SHARED_ATOM_CONFLICTS};
    if (c->access & ENG_READ) return (counters){WATCH_SHARED_LD_WAVEFRONTS, WATCH_SHARED_LD_IDEAL, WATCH_SHARED_LD_CONFLICTS};
    return (counters){WATCH_SHARED_ST_WAVEFRONTS, WATCH_SHARED_ST_IDEAL, WATCH_SHARED_ST_CONFLICTS};
}

/* h: its whole-warp requests, NULL when there are none. */
static void finish_cell(watch_record *record, unsigned f, uint32_t i, const sass_instr *in, const uint64_t *h, const cell *c) {
    static const uint64_t nothing[WATCH_SHAPES];
    if (!h) h = nothing;
    const uint64_t side_by_side = watch_hot_contiguous(h), together = h[WATCH_UNIFORM];
    const watch_wavefronts a = watch_banks_contiguous(c->width), b = watch_banks_uniform(UINT32_MAX, c->width, c->kind);
    uint64_t wavefronts = side_by_side * a.wavefronts + together * b.wavefronts + c->wavefronts;
    uint64_t ideal = side_by_side * a.ideal + together * b.ideal + c->ideal;
    uint64_t degree = c->degree ? c->degree : 1;
    const counters to = counters_of(c);
    if (sends_back(in)) wavefronts = ideal, degree = 1;
    if (together && b.degree > degree) degree = b.degree;
    if (c->access & ENG_ATOMIC) watch_add_at(record, WATCH_SHARED_ATOM_REQUESTS, f, i, side_by_side + together + c->requests);
    /* Compare-and-swap goes through the banks twice. */
    watch_add_at(record, to.wavefronts, f, i, in->op == SASS_CAS_ATOMS || in->op == SASS_CAST_ATOMS ? 2 * wavefronts : wavefronts);
    watch_add_at(record, to.conflicts, f, i, wavefronts - ideal);
    if (to.ideal != WATCH_COUNTERS) watch_add_at(record, to.ideal, f, i, ideal);
    watch_put_at(record, WATCH_SHARED_DEGREE, f, i, degree);
    if (degree > record->launch[WATCH_SHARED_DEGREE].count) watch_set(record, WATCH_SHARED_DEGREE, degree);
}

/* Asynchronous barriers: hardware counts none of it as an access to shared memory. */
static bool is_of_barrier(sass_op op) {
    return op == SASS_SYNCS || op == SASS_SYNCS_PHASE || op == SASS_SYNCS_OTHER || op == SASS_SYNCS_EXCH || op == SASS_ARRIVES;
}

void watch_shared_finish(void *opaque, const watch_cells *hot, const watch_context *ctx, watch_record *record) {
    const state *st = opaque;
    for (watch_counter c = WATCH_SHARED_LD_WAVEFRONTS; c <= WATCH_SHARED_ATOM_CONFLICTS; c++) watch_add(record, c, 0);
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const watch_hot *h = hot->at[f];
        const cell *c = st->cells.at[f];
        for (uint32_t i = 0; c && i < ctx->module->functions[f].code_size / 16; i++)
            if (c[i].access && !is_of_barrier(watch_instruction(st->code, &st->cells, f, i)->op))
                finish_cell(record, f, i, watch_instruction(st->code, &st->cells, f, i), h ? h[i].n[ENG_SHARED] : NULL, &c[i]);
    }
}
