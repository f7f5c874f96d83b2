/* Block barriers: all threads of the block must come to the same one.
 *
 * Two barrier instructions of one source line are one barrier that the compiler has copied. So is one in a routine of the
 * compiler's own, to which the warps come that are not together where the barrier stands (BRA.CONV). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/blocks.h"
#include "watch/watch.h"

enum { BARRIERS = 16 };
typedef struct arrival { /* the first at a barrier since it last completed */
    uint32_t instr, mask, count;
    uint16_t function, warp;
    bool there, arrives; /* arrives: BAR.ARV, which does not wait */
} arrival;
typedef struct block {
    watch_block list;
    arrival at[BARRIERS];
    watch_side left;     /* the first thread that ended */
    uint32_t open;       /* barriers at which somebody has arrived */
} block;
typedef struct state {
    watch_context ctx;
    watch_findings findings;
    watch_blocks blocks;
} state;

static const img_line *line_of(const state *st, unsigned function, uint32_t instr) {
    return img_line_at(&st->ctx.module->functions[function], instr * 16);
}

/* WARPSYNC, the barrier, RET, without optimisation with moves before it: such a routine stands for any barrier of the function. */
static bool is_routine(const state *st, unsigned function, uint32_t instr) {
    enum { MOVES = 4 };
    const img_function *f = &st->ctx.module->functions[function];
    const sass_instr *code = eng_instructions(st->ctx.code, f);
    uint32_t n = f->code_size / 16, end = instr + 1;
    while (code && end < n && end <= instr + MOVES && code[end].op == SASS_MOV) end++;
    return code && instr && end < n && code[instr - 1].op == SASS_WARPSYNC && code[end].op == SASS_RET;
}

/* One barrier of the source? Without line information only the same instruction is. */
static bool same_barrier(const state *st, const arrival *a, const eng_event *ev) {
    if (a->function == ev->function && a->instr == ev->instr) return true;
    if (is_routine(st, a->function, a->instr) || is_routine(st, ev->function, ev->instr)) return true;
    const img_line *x = line_of(st, a->function, a->instr), *y = line_of(st, ev->function, ev->instr);
    return x && y && x->line && x->line == y->line && x->file && y->file && strcmp(x->file, y->file) == 0;
}

static watch_side side_of(const block *b, const arrival *a) {
    return (watch_side){.known = true, .function = a->function, .warp = a->warp, .instr = a->instr, .block = b->list.linear,
                        .lane = (unsigned)__builtin_ctz(a->mask | 0x80000000u), .lanes = a->mask};
}

static void on_arrival(state *st, block *b, const eng_batch *batch, const eng_event *ev) {
    unsigned id = ev->more & 15, op = ev->more >> 8;
    bool first = false;
    arrival *a = &b->at[id];
    uint32_t count = (uint32_t)ev->address, threads = st->ctx.launch->block[0] * st->ctx.launch->block[1] * st->ctx.launch->block[2];
    if (a->there && count == a->count && (count || op == 1 || a->arrives || same_barrier(st, a, ev)))
        return; /* a named barrier may be met at several places: producers and consumers */
    if (!a->there) {
        *a = (arrival){.instr = ev->instr, .mask = ev->mask, .count = count, .function = ev->function, .warp = ev->warp, .there = true,
                       .arrives = op == 1};
        b->open |= 1u << id;
        if (!count) return;
        first = true;
    }
    watch_finding f = {.kind = WATCH_KIND_BARRIER_DIVERGENCE, .severity = WATCH_ERROR,
                       .at = watch_side_of(batch, ev, (unsigned)__builtin_ctz(ev->mask)), .key = id};
    if (first) {
        if (count & 31) snprintf(f.message, sizeof f.message, "barrier %u waits for %u threads, which is no multiple of a warp's 32", id, count);
        else if (count > (threads + 31) / 32 * 32) snprintf(f.message, sizeof f.message, "barrier %u waits for %u threads, but the block has %u", id, count, threads);
        else return;
    } else if (count != a->count) {
        f.other = side_of(b, a);
        snprintf(f.message, sizeof f.message, "barrier %u is waited for with a count of %u threads here and of %u there: all must name the same",
                 id, count, a->count);
    } else {
        f.other = side_of(b, a);
        snprintf(f.message, sizeof f.message, "parts of the block wait at different barriers, here and there: all threads of a block must reach "
                 "the same __syncthreads(). Move it out of the branch");
    }
    watch_findings_add(&st->findings, &f);
}

static void on_release(state *st, block *b, unsigned id) {
    arrival *a = &b->at[id];
    if (a->there && !a->count && b->left.known) {
        watch_finding f = {.kind = WATCH_KIND_BARRIER_DIVERGENCE, .severity = WATCH_ERROR, .at = side_of(b, a), .other = b->left, .key = id};
        snprintf(f.message, sizeof f.message, "threads of the block have ended before this barrier, which all must reach: let them skip the work "
                 "and not return before the last __syncthreads()");
        watch_findings_add(&st->findings, &f);
    }
    a->there = false;
    b->open &= ~(1u << id);
}

static block *block_of(state *st, uint64_t linear) {
    bool begins;
    block *b = watch_blocks_find(&st->blocks, linear, sizeof *b, &begins);
    if (!b || !begins) return b;
    b->left.known = false;
    for (unsigned k = 0; k < BARRIERS; k++) b->at[k].there = false;
    b->open = 0;
    return b;
}

static void events(void *opaque, const eng_batch *batch) {
    state *st = opaque;
    for (size_t i = 0; i < batch->n_other; i++) {
        const eng_event *ev = &batch->events[batch->other[i]];
        if (ev->kind != ENG_EV_BARRIER && ev->kind != ENG_EV_RELEASE && ev->kind != ENG_EV_EXIT && ev->kind != ENG_EV_BLOCK_END) continue;
        block *b = block_of(st, batch->block);
        if (!b) return;
        if (ev->kind == ENG_EV_BARRIER) on_arrival(st, b, batch, ev);
        else if (ev->kind == ENG_EV_RELEASE) on_release(st, b, ev->more & 15);
        else if (ev->kind == ENG_EV_BLOCK_END) watch_blocks_end(&st->blocks);
        else if (!b->left.known) b->left = watch_side_of(batch, ev, (unsigned)__builtin_ctz(ev->mask));
    }
}

static void *start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    if (st) st->ctx = *ctx;
    return st;
}
static void merge(void *into, void *from) {
    watch_findings_merge(&((state *)into)->findings, &((state *)from)->findings);
    ((state *)into)->blocks.failed |= ((state *)from)->blocks.failed;
}
static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)ctx, (void)result;
    watch_findings_merge(&record->findings, &((state *)opaque)->findings);
    record->failed |= ((state *)opaque)->blocks.failed;
}
static void stop(void *opaque) {
    state *st = opaque;
    watch_blocks_free(&st->blocks);
    watch_findings_free(&st->findings);
    free(st);
}

const watch watch_barriers = {.name = "barriers", .checks = WATCH_CHECK(BARRIER_DIVERGENCE),
                              .wants = 1u << ENG_EV_BARRIER | 1u << ENG_EV_RELEASE | 1u << ENG_EV_EXIT | 1u << ENG_EV_BLOCK_END,
                              .start = start, .events = events, .merge = merge, .finish = finish, .stop = stop};
