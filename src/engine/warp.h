/* Divergence: the groups of a warp. A group is a set of lanes at one place; one group runs, the others wait in
 * w->groups. Functions that the control handlers call return the instruction to go to (ENG_GOTO), with w->mask set. */
#ifndef WG_ENGINE_WARP_H
#define WG_ENGINE_WARP_H

#include "engine/machine.h"

typedef enum eng_group_state { ENG_GROUP_READY, ENG_GROUP_BSYNC, ENG_GROUP_WARPSYNC, ENG_GROUP_BAR, ENG_GROUP_CLUSTER } eng_group_state;
struct eng_group {
    const eng_ins *pc;  /* where it goes on */
    const eng_ins *at;  /* where it waits */
    uint32_t mask;
    uint32_t want;      /* WARPSYNC: lanes it waits for */
    uint8_t state, barrier;
    bool late;          /* ready, and another group came apart while it was: chosen by its place, with who waits there */
};

typedef enum eng_warp_state { ENG_WARP_READY, ENG_WARP_WAITS, ENG_WARP_DONE } eng_warp_state;

enum { ENG_QUANTUM = 1 << 16 }; /* warp instructions until a group that loops lets others run */

/* The lanes in `first` go on at `to` now, the others of the group later at `later`. */
const eng_ins *eng_split(eng_warp *w, uint32_t first, const eng_ins *to, const eng_ins *later);
/* Each lane in lanes goes to its own place (bytes in the module's code, or a function of the driver, which is done at once
 * and leaves in place where it returned to); the rest of the group to i + 1. */
const eng_ins *eng_scatter(eng_warp *w, const eng_ins *i, uint64_t place[32], uint32_t lanes);
/* A backward branch to `to` with the quantum used up. */
const eng_ins *eng_yield(eng_warp *w, const eng_ins *to);
const eng_ins *eng_exit(eng_warp *w, const eng_ins *i, uint32_t lanes);
const eng_ins *eng_bsync(eng_warp *w, const eng_ins *i, uint32_t lanes);
const eng_ins *eng_warpsync(eng_warp *w, const eng_ins *i, uint32_t lanes, uint32_t want);
const eng_ins *eng_warpsync_named(eng_warp *w, const eng_ins *i, uint32_t lanes, const uint32_t named[32]);
bool eng_warpsync_alone(eng_warp *w); /* a warp in which nobody can go on: false when that stays so */
void eng_break(eng_warp *w, const eng_ins *i, uint32_t lanes);

typedef enum eng_bar_op { ENG_BAR_SYNC, ENG_BAR_ARV, ENG_BAR_RED } eng_bar_op;
/* block.c: lanes arrive at block barrier id; count: threads it waits for, 0 = all of the block. */
/* The same for BAR.SYNC of all threads by a warp that is one group. */
const eng_ins *eng_bar_whole(eng_warp *w, const eng_ins *i, unsigned id);
const eng_ins *eng_bar(eng_warp *w, const eng_ins *i, uint32_t lanes, eng_bar_op op, unsigned id, uint32_t count,
                       unsigned red, uint32_t pred);
void eng_barriers_recheck(eng_blk *block); /* after lanes ended */

static inline void eng_set_state(eng_warp *w, eng_warp_state state) {
    uint32_t bit = 1u << w->index;
    w->state = (uint8_t)state;
    w->block->ready = state == ENG_WARP_READY ? w->block->ready | bit : w->block->ready & ~bit;
}
/* The next group that can run becomes the running one; none: the warp stops, waiting or done. */
const eng_ins *eng_next_group(eng_warp *w);
void eng_park(eng_warp *w, eng_group group);
void eng_run_warp(eng_warp *w);

#endif
