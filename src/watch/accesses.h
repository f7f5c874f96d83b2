/* One pass over a batch serves all memory: accesses.c counts the common requests of every space by shape and hands
 * the others to memory.c (global, local), shared.c and copies.c, which own the counters. */
#ifndef WG_WATCH_ACCESSES_H
#define WG_WATCH_ACCESSES_H

#include "watch/sectors.h"
#include "watch/watch.h"

/* Whole-warp requests by shape (event.h): contiguous ones, or all lanes at one address. What such a request costs follows
 * from its width alone. */
enum { WATCH_UNIFORM = ENG_PLAIN_UNIFORM, WATCH_SHAPES = ENG_PLAIN_SHAPES };
typedef struct watch_hot {
    uint64_t n[2][WATCH_SHAPES]; /* [ENG_GLOBAL], [ENG_SHARED] */
    uint64_t unused[6];          /* two cache lines an instruction */
} watch_hot;
static inline uint64_t watch_hot_contiguous(const uint64_t n[WATCH_SHAPES]) {
    return n[ENG_PLAIN_ALIGNED] + n[ENG_PLAIN_SHIFTED] + n[ENG_PLAIN_CROSSING] + n[ENG_PLAIN_CROSSING + ENG_PLAIN_SHIFTED];
}
_Static_assert(ENG_GLOBAL == 0 && ENG_SHARED == 1, "spaces index watch_hot.n");

/* What a generic access (LD, ST) asks of other than global memory: the tools' ratio of bytes to sectors takes it for global. */
typedef struct watch_generic {
    uint64_t loaded, stored; /* distinct bytes of each request, summed */
} watch_generic;
static inline bool watch_is_generic(sass_op op) {
    return sass_class_of(op) == SASS_CLASS_GENERIC_LD || sass_class_of(op) == SASS_CLASS_GENERIC_ST;
}
static inline void watch_generic_add(watch_generic *sum, unsigned access, uint64_t bytes) {
    if (access & ENG_ATOMIC) return;
    *(access & ENG_READ ? &sum->loaded : &sum->stored) += bytes;
}

/* State of one worker. first: an instruction's first access in this space. event: a request that is not counted by shape.
 * finish: adds the counters; hot holds a watch_hot for each instruction. */
void *watch_memory_start(const watch_context *ctx);
void watch_memory_stop(void *state);
void watch_memory_first(void *state, const eng_batch *batch, const eng_event *ev);
void watch_memory_event(void *state, const eng_batch *batch, const eng_event *ev);
void watch_memory_chunks(void *state, const eng_batch *batch, const eng_event *ev); /* every global one, under the own model */
void watch_memory_merge(void *into, void *from);
/* elsewhere: distinct bytes of generic accesses that went to shared memory. */
void watch_memory_finish(void *state, const watch_cells *hot, const watch_context *ctx, const watch_generic *elsewhere, watch_record *record);

void watch_memory_ratios(watch_record *record); /* when all requests are counted */
/* The instruction of a cell; one of SASS_UNKNOWN where there is no code. */
const sass_instr *watch_instruction(const eng_code *code, const watch_cells *cells, unsigned function, uint32_t instr);
watch_touch watch_touch_recalled(watch_memo *memo, const eng_batch *batch, const eng_event *ev);

/* Either side of an asynchronous copy. */
void *watch_copies_start(const watch_context *ctx);
void watch_copies_stop(void *state);
void watch_copies_event(void *state, const eng_batch *batch, const eng_event *ev);
void watch_copies_merge(void *into, void *from);
void watch_copies_finish(void *state, const watch_context *ctx, watch_record *record);

void *watch_shared_start(const watch_context *ctx);
void watch_shared_stop(void *state);
void watch_shared_first(void *state, const eng_event *ev);
void watch_shared_event(void *state, const eng_batch *batch, const eng_event *ev);
void watch_shared_merge(void *into, void *from);
watch_generic watch_shared_generic(const void *state, const watch_cells *hot);
void watch_shared_finish(void *state, const watch_cells *hot, const watch_context *ctx, watch_record *record);

#endif
