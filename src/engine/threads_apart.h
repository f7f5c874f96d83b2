/* Accesses that meet no other thread's: shown from the code, the launch's parameters and its dimensions. Who looks for races
 * need not hear of them (event.h says what is told of each instruction). */
#ifndef WG_ENGINE_THREADS_APART_H
#define WG_ENGINE_THREADS_APART_H

#include "engine/machine.h"

struct eng_apart_kept;
/* Of the grid's kernel, for this launch. NULL: nothing is known of any access, or no memory. It belongs to the plan and stays
 * until it is asked for another launch. */
const eng_apart *eng_threads_apart(const eng_grid *grid);
void eng_threads_apart_free(struct eng_apart_kept *kept);

#endif
