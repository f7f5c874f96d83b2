/* One access of each memory instruction as an example: the one with the most lanes, of those the earliest. Pictures are
 * made of it; it takes part only when they are asked for. */
#include <stdlib.h>

#include "watch/watch.h"

typedef struct cell {
    uint64_t block, turn, addresses[32];
    uint32_t mask;
    uint16_t warp;
    uint8_t space, width, access;
} cell;

static void stop(void *opaque) {
    watch_cells *cells = opaque;
    watch_cells_free(cells);
    free(cells);
}

static void *start(const watch_context *ctx) {
    watch_cells *cells = calloc(1, sizeof *cells);
    if (cells && watch_cells_init(cells, ctx, sizeof(cell))) return cells;
    if (cells) stop(cells);
    return NULL;
}

static void events(void *opaque, const eng_batch *batch) {
    for (const eng_event *ev = batch->events, *end = ev + batch->count; ev < end; ev++) {
        if (ev->kind != ENG_EV_ACCESS || ev->space == ENG_LOCAL || eng_is_bulk(ev->access)) continue;
        cell *c = watch_cell(opaque, ev->function, ev->instr);
        if (!c || __builtin_popcount(ev->mask) <= __builtin_popcount(c->mask)) continue;
        *c = (cell){.block = batch->block, .turn = batch->turn, .mask = ev->mask, .warp = ev->warp, .space = ev->space, .width = ev->width, .access = ev->access};
        for (unsigned l = 0; l < 32; l++)
            if (ev->mask >> l & 1) c->addresses[l] = eng_lane_address(batch, ev, l);
    }
}

static void merge(void *opaque, void *other) {
    watch_cells *into = opaque;
    const watch_cells *from = other;
    for (unsigned f = 0; f < from->module->n_functions; f++)
        for (uint32_t i = 0; from->at[f] && i < from->module->functions[f].code_size / 16; i++) {
            const cell *b = (const cell *)from->at[f] + i;
            cell *a = b->mask ? watch_cell(into, f, i) : NULL;
            int more = a ? __builtin_popcount(b->mask) - __builtin_popcount(a->mask) : 0;
            if (a && (more > 0 || (more == 0 && b->turn < a->turn))) *a = *b;
        }
}

static json_t *sample_json(const cell *c) {
    static const char *const spaces[] = {[ENG_GLOBAL] = "global", [ENG_SHARED] = "shared", [ENG_LOCAL] = "local",
                                         [ENG_CONST] = "constant", [ENG_PARAM] = "parameter", [ENG_CLUSTER] = "cluster"};
    json_t *addresses = json_array();
    for (unsigned l = 0; l < 32; l++)
        json_array_append_new(addresses, c->mask >> l & 1 ? json_integer((json_int_t)c->addresses[l]) : json_null());
    return json_pack("{s:I, s:i, s:s, s:s, s:i, s:o}", "block", (json_int_t)c->block, "warp", (int)c->warp, "space", spaces[c->space],
                     "access", c->access & ENG_ATOMIC ? "atomic" : c->access & ENG_WRITE ? "write" : "read", "width", (int)c->width,
                     "addresses", addresses);
}

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)result;
    const watch_cells *cells = opaque;
    for (unsigned f = 0; f < ctx->module->n_functions; f++)
        for (uint32_t i = 0; cells->at[f] && i < ctx->module->functions[f].code_size / 16; i++) {
            const cell *c = (const cell *)cells->at[f] + i;
            if (!c->mask) continue;
            if (!record->samples) record->samples = json_object();
            watch_sample_key key = watch_sample_key_of(f, i);
            json_object_set_new(record->samples, key.text, sample_json(c));
        }
}

static bool asked(const watch_context *ctx) { return ctx->samples; }

const watch watch_samples = {.name = "samples",
                             .asked = asked,
                             .wants = 1u << ENG_EV_ACCESS,
                             .start = start,
                             .events = events,
                             .merge = merge,
                             .finish = finish,
                             .stop = stop};
