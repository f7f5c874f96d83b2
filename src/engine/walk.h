/* The code followed for all threads at once: what its registers hold as sums of the thread's indices.
 *
 * Each register holds a word of such a sum (affine.h), or is unknown. Where ways join, what differs is unknown, and so is
 * what loads, floating point and loops make. The constants are those of one launch, so every address that is known is a
 * set of plain numbers. */
#ifndef WG_ENGINE_WALK_H
#define WG_ENGINE_WALK_H

#include "engine/affine.h"
#include "engine/plan.h"

typedef struct walk walk;

enum { WALK_MOST = 2048 /* instructions */ };
/* Follows the one function of the grid's plan. NULL: too much of it is not known, or no memory. */
walk *walk_new(const eng_grid *grid);
void walk_free(walk *k);
const sass_cfg *walk_cfg(const walk *k);
const uint32_t *walk_count(const walk *k); /* of the grid: AFF_TERMS of them, for aff_range */
/* Each instruction that can be reached, in order of the code, with the registers as they are before it. */
void walk_visit(walk *k, void (*visit)(void *context, walk *k, const sass_instr *in), void *context);

/* While an instruction is visited: its address in global, in shared memory. False: it is not known. */
bool walk_global(const walk *k, const sass_address *m, affine *at);
bool walk_shared(const walk *k, const sass_address *m, affine *at);

#endif
