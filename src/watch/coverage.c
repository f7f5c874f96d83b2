/* Stores that end with the grid although their allocation goes on: what a grid rounded down leaves behind.
 *
 * A store is followed in the first, the middle and the last block. Where thread t of the grid stores at base + t * stride
 * in all of them, and the last thread does so too, no bounds check ended it but the grid. What lies behind it in the
 * allocation is told as a tail; whether anybody misses it is judged later, by who reads it (session/coverage.c). */
#include <stdlib.h>

#include "watch/watch.h"

/* Where an instruction stores. How two of them join depends on no order: which worker saw which block is all the same. */
typedef struct cell {
    uint64_t base;   /* address of thread 0's store, were it to store; of a point's thread */
    uint64_t thread; /* a point's */
    uint32_t stride;
    enum { UNSEEN, POINT /* one thread */, LINE, OTHER } form : 8;
    uint8_t width;
    bool together; /* several lanes of a warp showed the stride */
    bool last;     /* the grid's last thread stored */
} cell;

typedef struct state {
    watch_cells cells;
    uint64_t threads;        /* a block */
    uint64_t middle, last;   /* blocks; the first is 0 */
    unsigned warp, lane;     /* of a block's last thread */
    bool linear;             /* a grid of one dimension: others have no one order of threads */
} state;

static void stop(void *opaque) {
    watch_cells_free(&((state *)opaque)->cells);
    free(opaque);
}

static void *start(const watch_context *ctx) {
    const eng_launch *l = ctx->launch;
    state *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    st->threads = l->block[0];
    st->middle = l->grid[0] / 2;
    st->last = l->grid[0] - 1;
    st->warp = (l->block[0] - 1) / 32;
    st->lane = (l->block[0] - 1) % 32;
    st->linear = l->grid[1] * l->grid[2] * l->block[1] * l->block[2] == 1;
    if (watch_cells_init(&st->cells, ctx, sizeof(cell))) return st;
    stop(st);
    return NULL;
}

/* The distance between neighbouring threads; 0: there is none. */
static uint32_t stride_of(const eng_event *ev) {
    if (ev->cls == ENG_CONTIGUOUS) return ev->width;
    return ev->cls == ENG_STRIDED && ev->stride >= ev->width ? (uint32_t)ev->stride : 0;
}

static cell line_of(uint64_t thread, uint64_t address, uint32_t stride, uint8_t width) {
    return (cell){.form = LINE, .base = address - thread * stride, .stride = stride, .width = width};
}

static cell line_through(const cell *a, const cell *b) {
    int64_t threads = (int64_t)(b->thread - a->thread), bytes = (int64_t)(b->base - a->base);
    int64_t stride = threads && bytes % threads == 0 ? bytes / threads : 0;
    if (!threads && !bytes) return *a;
    return stride >= a->width && stride <= UINT32_MAX ? line_of(a->thread, a->base, (uint32_t)stride, a->width) : (cell){.form = OTHER};
}

static bool lies_on(const cell *line, const cell *point) { return point->base == line->base + point->thread * line->stride; }

static cell joined(const cell *a, const cell *b) {
    if (a->form > b->form) return joined(b, a);
    if (a->form == UNSEEN || b->form == OTHER) return *b;
    if (a->width != b->width) return (cell){.form = OTHER};
    if (b->form == POINT) return line_through(a, b);
    bool one = a->form == POINT ? lies_on(b, a) : a->base == b->base && a->stride == b->stride;
    return one ? *b : (cell){.form = OTHER};
}

static void join(cell *into, const cell *from) {
    bool together = into->together || from->together, last = into->last || from->last;
    *into = joined(into, from);
    into->together = together;
    into->last = last;
}

static void store(state *st, const eng_batch *batch, const eng_event *ev) {
    cell *c = watch_cell(&st->cells, ev->function, ev->instr);
    if (!c || c->form == OTHER || !ev->mask) return;
    unsigned lane = (unsigned)__builtin_ctz(ev->mask);
    bool alone = !(ev->mask & (ev->mask - 1));
    uint32_t stride = stride_of(ev);
    uint64_t thread = batch->block * st->threads + ev->warp * 32u + lane, address = eng_lane_address(batch, ev, lane);
    cell seen = alone ? (cell){.form = POINT, .base = address, .thread = thread, .width = ev->width}
                : stride ? line_of(thread, address, stride, ev->width) : (cell){.form = OTHER};
    seen.together = !alone;
    seen.last = batch->block == st->last && ev->warp == st->warp && ev->mask >> st->lane & 1;
    join(c, &seen);
}

static bool followed(void *opaque, uint64_t block) {
    const state *st = opaque;
    return st->linear && (!block || block == st->middle || block == st->last);
}
/* Of whole warps' stores elsewhere it needs none, and no sums. */
static void plain(void *opaque, const eng_plain *sums) { (void)opaque, (void)sums; }

static void events(void *opaque, const eng_batch *batch) {
    state *st = opaque;
    if (!followed(st, batch->block)) return;
    for (const eng_event *ev = batch->events, *end = ev + batch->count; ev < end; ev++)
        if (ev->kind == ENG_EV_ACCESS && ev->space == ENG_GLOBAL && ev->access & ENG_WRITE && !(ev->access & (ENG_ATOMIC | ENG_ASYNC)))
            store(st, batch, ev);
}

static void merge(void *opaque, void *other) {
    state *into = opaque, *from = other;
    const img_module *module = from->cells.module;
    for (unsigned f = 0; f < module->n_functions; f++) {
        const cell *b = from->cells.at[f];
        for (uint32_t i = 0; b && i < module->functions[f].code_size / 16; i++, b++) {
            cell *a = b->form ? watch_cell(&into->cells, f, i) : NULL;
            if (a) join(a, b);
        }
    }
}

static void finish_cell(const state *st, const cell *c, const watch_context *ctx, watch_record *record, unsigned f, uint32_t i) {
    if (c->form != LINE || !c->together || !c->last) return; /* what lanes do one by one shows no stride */
    uint64_t threads = (st->last + 1) * st->threads, end = c->base + threads * c->stride, start, size;
    const eng_allocation *a = eng_memory_find(ctx->memory, end - c->stride, NULL);
    if (!a || a->freed || end + c->width > a->address + a->size) return;
    /* A store into every seventh element, say, leaves holes anyway: its end is no edge. */
    if (!eng_memory_defined(ctx->memory, end - c->stride, c->stride)) return;
    if (!eng_memory_gap(ctx->memory, a, end - a->address, &start, &size) || start != end - a->address) return;
    watch_tail tail = {.allocation = a, .base = c->base, .threads = threads, .block_threads = (unsigned)st->threads, .stride = c->stride,
                       .at = {.known = true, .is_access = true, .function = (uint16_t)f, .instr = i, .block = st->last,
                              .warp = (uint16_t)st->warp, .lane = st->lane, .space = ENG_GLOBAL, .access = ENG_WRITE,
                              .width = c->width, .address = end, .allocation = a}};
    if (!wg_vec_push(&record->tails, tail)) record->failed = true;
}

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    const state *st = opaque;
    if (!result->complete) return;
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const cell *c = st->cells.at[f];
        for (uint32_t i = 0; c && i < ctx->module->functions[f].code_size / 16; i++) finish_cell(st, &c[i], ctx, record, f, i);
    }
}

const watch watch_coverage = {.name = "coverage",
                              .checks = WATCH_CHECK(COVERAGE),
                              .wants = 1u << ENG_EV_ACCESS,
                              .start = start,
                              .events = events,
                              .plain = plain,
                              .block = followed,
                              .merge = merge,
                              .finish = finish,
                              .stop = stop};
