/* Several workers on one memory: see memory_parallel.c. */
#ifndef WG_ENGINE_MEMORY_PARALLEL_H
#define WG_ENGINE_MEMORY_PARALLEL_H

#include "engine/view.h"

bool mem_parallel_mark(eng_view *v, const mem_range *r, uint64_t address, uint64_t n, bool red);
void mem_view_settle(eng_view *v); /* bytes moved go to their allocations */
void mem_view_flush(eng_view *v);  /* all runs go into the view's plane */
/* Hands over each run but those that ended, and empties its place. */
void mem_view_take_runs(eng_view *v, void (*take)(eng_view *v, const mem_run *run));

#endif
