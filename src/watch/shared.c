/* Shared memory: wavefronts, the ideal, bank conflicts and their degree, for each instruction.
 * As in memory.c, the common request (whole warp, contiguous or uniform, up to 4 bytes a lane) is one bump. */
#include <stdlib.h>

#include "watch/banks.h"
#include "watch/watch.h"

typedef struct cell {
    uint64_t plain; /* requests of one wavefront that cannot conflict */
    uint64_t requests, wavefronts, ideal; /* of all others */
    uint8_t degree, access;
    watch_memo memo;
} cell;

static void stop(void *cells) {
    watch_cells_free(cells);
    free(cells);
}

static void *start(const watch_context *ctx) {
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

static void events(void *cells, const eng_batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        const eng_event *ev = &batch->events[i];
        if (ev->kind != ENG_EV_ACCESS || ev->space != ENG_SHARED || !ev->mask) continue;
        cell *c = watch_cell(cells, ev->function, ev->instr);
        if (!c) continue;
        c->access = ev->access;
        if ((ev->cls == ENG_CONTIGUOUS && ev->width <= 4) || (ev->cls == ENG_UNIFORM && ev->width <= 8)) {
            c->plain++;
            continue;
        }
        watch_wavefronts w = recall(c, batch, ev);
        c->requests++;
        c->wavefronts += w.wavefronts;
        c->ideal += w.ideal;
        if (w.degree > c->degree) c->degree = (uint8_t)w.degree;
    }
}

static void merge(void *into, void *from) {
    const watch_cells *other = from;
    for (unsigned f = 0; f < other->module->n_functions; f++) {
        const cell *b = other->at[f];
        for (uint32_t i = 0; b && i < other->module->functions[f].code_size / 16; i++, b++) {
            if (!b->access) continue;
            cell *a = watch_cell(into, f, i);
            if (!a) return;
            a->plain += b->plain;
            a->requests += b->requests;
            a->wavefronts += b->wavefronts;
            a->ideal += b->ideal;
            if (b->degree > a->degree) a->degree = b->degree;
            a->access = b->access;
        }
    }
}

static void finish_cell(watch_record *record, unsigned f, uint32_t i, const cell *c) {
    uint64_t degree = c->degree ? c->degree : 1;
    if (c->access & ENG_ATOMIC) { /* how the hardware serves shared atomics is not known well enough to count */
        watch_add_at(record, WATCH_SHARED_ATOM_REQUESTS, f, i, c->plain + c->requests);
        return;
    }
    bool load = c->access & ENG_READ;
    uint64_t wavefronts = c->plain + c->wavefronts, ideal = c->plain + c->ideal;
    watch_add_at(record, load ? WATCH_SHARED_LD_WAVEFRONTS : WATCH_SHARED_ST_WAVEFRONTS, f, i, wavefronts);
    watch_add_at(record, load ? WATCH_SHARED_LD_IDEAL : WATCH_SHARED_ST_IDEAL, f, i, ideal);
    watch_add_at(record, load ? WATCH_SHARED_LD_CONFLICTS : WATCH_SHARED_ST_CONFLICTS, f, i, wavefronts - ideal);
    watch_put_at(record, WATCH_SHARED_DEGREE, f, i, degree);
    if (degree > record->launch[WATCH_SHARED_DEGREE].count) watch_set(record, WATCH_SHARED_DEGREE, degree);
}

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)result;
    const watch_cells *cells = opaque;
    for (watch_counter c = WATCH_SHARED_LD_WAVEFRONTS; c <= WATCH_SHARED_ATOM_REQUESTS; c++) watch_add(record, c, 0);
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const cell *c = cells->at[f];
        for (uint32_t i = 0; c && i < ctx->module->functions[f].code_size / 16; i++, c++)
            if (c->access) finish_cell(record, f, i, c);
    }
}

const watch watch_shared = {.name = "shared",
                            .wants = 1u << ENG_EV_ACCESS,
                            .start = start,
                            .events = events,
                            .merge = merge,
                            .finish = finish,
                            .stop = stop};
