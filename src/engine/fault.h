/* What is said of accesses that may not be made (memory_fault.c). */
#ifndef WG_ENGINE_FAULT_H
#define WG_ENGINE_FAULT_H

#include "engine/machine.h"

/* Reports the lanes, by what is wrong with them. True: the launch ends. */
bool mem_fault(eng_warp *w, const eng_ins *i, const uint64_t *addresses, uint32_t lanes);
/* The same for shared and local memory; addresses are offsets, size what may be addressed. */
bool mem_fault_window(eng_warp *w, const eng_ins *i, eng_space space, const uint64_t *addresses, uint32_t lanes, uint64_t size);
/* The lanes are in the allocation of r: is it that of the pointer which the launch says they start from (eng_launch.roots)? */
struct mem_range;
void mem_check_root(eng_warp *w, const eng_ins *i, const struct mem_range *r, const uint64_t *addresses, uint32_t lanes);
/* The host has no room for what the warp writes: ends the launch (or sends it back to one worker). */
void mem_no_room(eng_warp *w, const eng_ins *i);

#endif
