/* A launch: workers, contexts of running blocks, counts and findings. */
#ifndef WG_ENGINE_RUN_H
#define WG_ENGINE_RUN_H

#include "engine/plan.h"
#include "engine/warp.h"

/* --- context.c: room for a block, and for the warps that are under way ------------------------------- */
eng_blk *eng_block_new(eng_worker *worker);
void eng_block_free(eng_blk *block);
void eng_block_start(eng_blk *block, uint64_t linear);
/* A warp begins: gets slots and local memory. False: no memory; the worker's status says so. */
bool eng_context_begin(eng_warp *w);
void eng_context_end(eng_warp *w);
void eng_contexts_free(eng_worker *worker);
/* Slots that differ by warp, once for a launch: grid->by_warp. */
bool eng_grid_fill(eng_grid *grid);

/* --- block.c ------------------------------------------------------------------------------------------ */
typedef enum eng_block_end {
    ENG_BLOCK_DONE,
    ENG_BLOCK_SPINS,   /* every warp that can run waits for something that nobody in the block does */
    ENG_BLOCK_WAITS,   /* nobody can go on before the cluster's barrier completes */
    ENG_BLOCK_DEADLOCK,
    ENG_BLOCK_STOPPED  /* the worker's stop is set */
} eng_block_end;
eng_block_end eng_run_block(eng_blk *block);
/* What the worker says of the block that is running: events, or sums where that will do. */
void eng_block_listens(const eng_blk *block);
/* waits_for_host: nobody says that it is the kernel's fault. */
void eng_report_deadlock(eng_blk *block, bool waits_for_host);

/* --- trace.c ------------------------------------------------------------------------------------------ */
void eng_trace_block_end(eng_worker *k, const eng_blk *block); /* the last step has ended too */

/* --- counts.c ----------------------------------------------------------------------------------------- */
/* Counts the instructions from index to the end of its basic block once more (sign 1) or once less (-1). */
void eng_count_part(eng_worker *worker, const eng_unit *unit, unsigned index, uint32_t lanes, int sign);
/* The same for one instruction alone, which its block's counters do not hold so. */
void eng_count_one(eng_worker *worker, unsigned function, unsigned index, int warps, uint32_t lanes);
wg_status eng_counts_result(const eng_plan *plan, eng_worker *const *workers, unsigned n, eng_result *result, wg_error *err);

typedef struct eng_part { /* a correction: instructions first..last of a function */
    uint16_t function;
    uint32_t first, last;
    int64_t warps, lanes;
    bool again;     /* of lanes that have passed it already */
} eng_part;

struct eng_findings {
    wg_vec(eng_finding) list;
    wg_vec(eng_part) parts;
};

#endif
