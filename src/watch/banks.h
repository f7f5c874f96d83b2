/* Shared memory: 32 banks of 4-byte words. A request is served in wavefronts; a wavefront takes one word
 * from each bank, any number of lanes at the same word.
 *
 * Rule (equal to an H200's counters on tests/truth, arbitration aside): accesses of up to 8 bytes a lane are
 * served for the whole warp, of 16 bytes for each half-warp; the wavefronts are the largest number of distinct
 * words that one bank must give. The ideal is what the same distinct words would need, spread evenly. */
#ifndef WG_WATCH_BANKS_H
#define WG_WATCH_BANKS_H

#include "engine/event.h"

typedef struct watch_wavefronts {
    unsigned wavefronts; /* passes through the banks */
    unsigned ideal;      /* passes that the same words need without a conflict */
    unsigned degree;     /* largest number of distinct words in one bank that had to wait for another: 1 = no conflict */
} watch_wavefronts;

/* lanes[l]: lane l's byte address in shared memory. */
watch_wavefronts watch_banks_lanes(const uint64_t lanes[32], uint32_t mask, unsigned width);
watch_wavefronts watch_banks_event(const eng_batch *batch, const eng_event *ev);

#endif
