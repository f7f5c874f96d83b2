/* Several workers on one memory: see memory_parallel.c. */
#ifndef WG_ENGINE_MEMORY_PARALLEL_H
#define WG_ENGINE_MEMORY_PARALLEL_H

#include "engine/view.h"

bool mem_parallel_mark(eng_view *v, const mem_range *r, uint64_t address, uint64_t n, bool red);
void mem_view_settle(eng_view *v);

#endif
