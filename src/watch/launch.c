/* The launch itself: its threads, the idle ones among them, what a block needs, and occupancy. */
#include <stdlib.h>

#include "watch/occupancy.h"
#include "watch/watch.h"

typedef struct state {
    uint64_t last_block;
    uint64_t idle_last; /* idle threads of the last block */
} state;

static uint64_t product(const uint32_t v[3]) { return (uint64_t)v[0] * v[1] * v[2]; }

static void *start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    if (st) st->last_block = product(ctx->launch->grid) - 1;
    return st;
}

static void events(void *opaque, const eng_batch *batch) {
    state *st = opaque;
    if (batch->block != st->last_block) return;
    for (size_t i = 0; i < batch->count; i++) {
        const eng_event *ev = &batch->events[i];
        if (ev->kind == ENG_EV_EXIT && ev->more) st->idle_last += (uint64_t)__builtin_popcount(ev->mask);
    }
}

static void merge(void *into, void *from) { ((state *)into)->idle_last += ((state *)from)->idle_last; }

static json_t *occupancy_json(const watch_occupancy *o) {
    return json_pack("{s:i, s:i, s:f, s:s, s:i, s:i, s:i, s:i, s:i, s:f}", "blocks_per_sm", (int)o->blocks, "warps_per_sm",
                     (int)o->warps, "fraction", o->fraction, "limited_by", o->limiter, "limit_blocks",
                     (int)o->limit_blocks, "limit_registers", (int)o->limit_registers, "limit_shared_memory",
                     (int)o->limit_shared, "limit_warps", (int)o->limit_warps, "shared_config", (int)o->shared_config,
                     "waves", o->waves);
}

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    const state *st = opaque;
    const eng_launch *launch = ctx->launch;
    uint64_t blocks = product(launch->grid), threads = product(launch->block);
    watch_occupancy o = watch_occupancy_of(ctx->gpu,
                                           &(watch_footprint){.threads = (unsigned)threads,
                                                              .registers = ctx->function->registers,
                                                              .shared_static = ctx->function->shared_static,
                                                              .shared_dynamic = launch->shared_dynamic},
                                           blocks);
    watch_set(record, WATCH_GRID_SIZE, blocks);
    watch_set(record, WATCH_BLOCK_SIZE, threads);
    watch_set(record, WATCH_THREAD_COUNT, blocks * threads);
    watch_set(record, WATCH_THREADS_IDLE, result->idle_threads);
    watch_set(record, WATCH_THREADS_IDLE_LAST, st->idle_last);
    watch_set(record, WATCH_REGISTERS, o.registers);
    watch_set(record, WATCH_SHARED_STATIC, ctx->function->shared_static);
    watch_set(record, WATCH_SHARED_DYNAMIC, launch->shared_dynamic);
    watch_set(record, WATCH_SHARED_DRIVER, o.shared_driver);
    watch_set(record, WATCH_OCC_BLOCKS, o.limit_blocks);
    watch_set(record, WATCH_OCC_REGISTERS, o.limit_registers);
    watch_set(record, WATCH_OCC_SHARED, o.limit_shared);
    watch_set(record, WATCH_OCC_WARPS, o.limit_warps);
    watch_set_real(record, WATCH_OCC_FRACTION, 100 * o.fraction);
    watch_set_real(record, WATCH_WAVES, o.waves);
    json_object_set_new(record->extra, "occupancy", occupancy_json(&o));
    json_object_set_new(record->extra, "last_block",
                        json_pack("{s:I, s:I, s:I, s:I, s:I}", "index", (json_int_t)(blocks - 1), "first_thread",
                                  (json_int_t)((blocks - 1) * threads), "last_thread", (json_int_t)(blocks * threads - 1),
                                  "working", (json_int_t)(threads - st->idle_last), "idle", (json_int_t)st->idle_last));
}

const watch watch_launch = {.name = "launch",
                            .wants = 1u << ENG_EV_EXIT,
                            .start = start,
                            .events = events,
                            .merge = merge,
                            .finish = finish,
                            .stop = free};
