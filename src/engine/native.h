/* Native code: runs of arithmetic instructions in machine code of the host, made from the planned stream when a kernel is
 * planned. The first instruction of a run gets the code as its handler; the others keep theirs, so that code may still be
 * entered anywhere and handlers and native code mix freely. The code does what the handlers do, bit for bit.
 *
 * A run is done eight lanes at a time: a loop of four rounds, in which the registers that the run names live in
 * vector registers. Each run is made twice, for all lanes and for some. Memory, convergence and everything
 * rare stay calls of handlers. Needs AVX2; WARPGRIND_NATIVE=off, or a system that forbids to make code, leaves handlers. */
#ifndef WG_ENGINE_NATIVE_H
#define WG_ENGINE_NATIVE_H

#include "engine/plan.h"

bool eng_native_wanted(eng_isa isa);
/* For a plan whose stream does not move any more. Without room or permission it leaves the plan as it is. */
void eng_native_make(eng_plan *plan);
void eng_native_free(eng_plan *plan);
/* Adds what native code counted for several accesses at once to the counters of each (eng_planned.plain). */
void eng_native_spread(const eng_plan *plan, uint64_t *counts);
/* A worker's frame of loads (loads.h). NULL, without memory: handlers do the loads. */
struct eng_load_frame *eng_native_frame(void);

#endif
