/* Blocks that cannot meet: shown from the code, the launch's parameters and its dimensions. */
#ifndef WG_ENGINE_APART_H
#define WG_ENGINE_APART_H

#include <stdbool.h>

struct eng_grid;

/* True only if no thread reads or writes a byte of global memory that a thread of another block writes, whatever memory
 * holds, and nothing can end the launch before all blocks have ended. Such blocks may run side by side without a way back. */
bool eng_blocks_apart(const struct eng_grid *grid);

#endif
