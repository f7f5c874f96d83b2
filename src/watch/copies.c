/* Asynchronous copies from global to shared memory (LDGSTS), each an event of either side. Hardware counts them with the loads.
 *
 * Those of 4 and 8 bytes, and of 16 when asked to, go through the first cache and cost what a load costs. The others pass it by, as
 * pieces that lie together on both sides: a tag is looked up for every pair of lines, and a sector counts for every line of global and
 * sector of shared memory that belong together (equal to an H200, tests/truth/access.cu). */
#include <stdlib.h>

#include "watch/accesses.h"
#include "watch/sectors.h"

enum { LINE = 7, SECTOR = 5 }; /* bits of an address within */

typedef struct cell {
    uint64_t requests, sectors, lines, patched /* sectors, as code that is patched in counts them */, asked, used;
    bool known, cached;
    watch_memo memo;
} cell;

typedef struct state {
    watch_cells cells;
    eng_code *code;
    eng_event from; /* the global side of the copy whose shared side comes next */
    uint64_t lanes[32];
} state;

void watch_copies_stop(void *opaque) {
    state *st = opaque;
    watch_cells_free(&st->cells);
    free(st);
}

void *watch_copies_start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    st->code = ctx->code;
    if (watch_cells_init(&st->cells, ctx, sizeof(cell))) return st;
    free(st);
    return NULL;
}

static cell *cell_of(state *st, const eng_event *ev) {
    cell *c = watch_cell(&st->cells, ev->function, ev->instr);
    if (!c || c->known) return c;
    const sass_instr *in = watch_instruction(st->code, &st->cells, ev->function, ev->instr);
    c->known = true;
    c->cached = in->op == SASS_UNKNOWN || in->flags & SASS_CACHED;
    return c;
}

/* Distinct pairs of what the lanes' addresses lie in. Most rise with the lane, and are new or the same as before. */
static unsigned pairs(const uint64_t from[32], unsigned from_bits, const uint64_t to[32], unsigned to_bits, uint32_t mask) {
    uint64_t a[32], b[32];
    unsigned n = 0, top = 0;
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        const uint64_t x = from[l] >> from_bits, y = to[l] >> to_bits;
        bool seen = false;
        if (n && !(x > a[top] || (x == a[top] && y > b[top])))
            for (unsigned k = n; k-- > 0 && !seen;) seen = a[k] == x && b[k] == y;
        if (seen) continue;
        a[n] = x, b[n] = y;
        if (x > a[top] || (x == a[top] && y >= b[top])) top = n;
        n++;
    }
    return n;
}

static void global_side(state *st, cell *c, const eng_batch *batch, const eng_event *ev) {
    const watch_touch touch = watch_touch_recalled(&c->memo, batch, ev);
    c->requests++;
    c->asked += (uint64_t)__builtin_popcount(ev->mask) * ev->width;
    c->used += touch.bytes;
    if (c->cached) {
        c->sectors += touch.sectors;
        c->patched += touch.sectors;
        c->lines += touch.lines;
        return;
    }
    st->from = *ev;
    for (unsigned l = 0; l < 32; l++) st->lanes[l] = eng_lane_address(batch, ev, l);
}

static void shared_side(state *st, cell *c, const eng_batch *batch, const eng_event *ev) {
    const eng_event *from = &st->from;
    if (c->cached || from->instr != ev->instr || from->function != ev->function || from->warp != ev->warp) return;
    uint64_t to[32];
    for (unsigned l = 0; l < 32; l++) to[l] = eng_lane_address(batch, ev, l);
    c->sectors += pairs(st->lanes, LINE, to, SECTOR, from->mask);
    c->lines += pairs(st->lanes, LINE, to, LINE, from->mask);
    c->patched += pairs(st->lanes, SECTOR, to, SECTOR, from->mask);
    st->from.mask = 0;
}

void watch_copies_event(void *opaque, const eng_batch *batch, const eng_event *ev) {
    state *st = opaque;
    cell *c = ev->mask ? cell_of(st, ev) : NULL;
    if (!c) return;
    if (ev->space == ENG_GLOBAL) global_side(st, c, batch, ev);
    else shared_side(st, c, batch, ev);
}

void watch_copies_merge(void *into, void *from) {
    const watch_cells *other = &((state *)from)->cells;
    for (unsigned f = 0; f < other->module->n_functions; f++) {
        const cell *b = other->at[f];
        for (uint32_t i = 0; b && i < other->module->functions[f].code_size / 16; i++, b++) {
            cell *a = b->known ? watch_cell(&((state *)into)->cells, f, i) : NULL;
            if (!a) continue;
            a->known = true;
            a->cached = b->cached;
            a->requests += b->requests;
            a->sectors += b->sectors;
            a->lines += b->lines;
            a->patched += b->patched;
            a->asked += b->asked;
            a->used += b->used;
        }
    }
}

static void finish_cell(watch_record *record, unsigned f, uint32_t i, const cell *c) {
    watch_add_at(record, WATCH_GLOBAL_ASYNC_REQUESTS, f, i, c->requests);
    watch_add_at(record, WATCH_GLOBAL_ASYNC_SECTORS, f, i, c->patched);
    watch_add_at(record, WATCH_GLOBAL_LD_REQUESTS, f, i, c->requests);
    watch_add_at(record, WATCH_GLOBAL_LD_SECTORS, f, i, c->sectors);
    watch_add_at(record, WATCH_GLOBAL_LD_TAGS, f, i, c->lines);
    watch_add_at(record, WATCH_GLOBAL_LD_BYTES, f, i, c->asked);
    watch_add_at(record, WATCH_GLOBAL_LD_USED, f, i, c->used);
}

void watch_copies_finish(void *opaque, const watch_context *ctx, watch_record *record) {
    const state *st = opaque;
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const cell *c = st->cells.at[f];
        for (uint32_t i = 0; c && i < ctx->module->functions[f].code_size / 16; i++)
            if (c[i].requests) finish_cell(record, f, i, &c[i]);
    }
}
