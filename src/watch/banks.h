/* Shared memory: 32 banks of 4-byte words. A request is served in wavefronts; a wavefront takes one word
 * from each bank, any number of lanes at the same word.
 *
 * Rule (equal to an H200's counters, arbitration aside: docs/fidelity.md): what is served together carries at most 32 words.
 * Accesses of up to 4 bytes a lane are served for the whole warp, of 8 bytes for each half-warp, of 16 for each quarter. A load
 * whose lanes read in pairs is served for twice as many lanes: each active lane's neighbour (the next one for all of them, or the
 * next but one for all) is at the same address or not active. The wavefronts of each such group are the largest number of
 * distinct words that one bank must give; without a conflict it is one, and what is more is counted as conflicts. */
#ifndef WG_WATCH_BANKS_H
#define WG_WATCH_BANKS_H

#include <stdbool.h>

#include "engine/event.h"

typedef struct watch_wavefronts {
    unsigned wavefronts; /* passes through the banks */
    unsigned ideal;      /* groups that are served: passes without a conflict */
    unsigned degree;     /* largest number of distinct words in one bank that had to wait for another: 1 = no conflict */
} watch_wavefronts;

/* lanes[l]: lane l's byte address in shared memory. */
watch_wavefronts watch_banks_lanes(const uint64_t lanes[32], uint32_t mask, unsigned width, bool store);
watch_wavefronts watch_banks_event(const eng_batch *batch, const eng_event *ev);
unsigned watch_banks_whole_uniform(unsigned width, bool store); /* wavefronts of a whole warp at one address */

#endif
