/* Shared memory: 32 banks of 4-byte words. A request is served in wavefronts; a wavefront takes one word
 * from each bank, any number of lanes at the same word.
 *
 * Rule (equal to an H200's counters, arbitration aside: docs/fidelity.md): what is served together carries at most 32 words.
 * Accesses of up to 4 bytes a lane are served for the whole warp, of 8 bytes for each half-warp, of 16 for each quarter. A load
 * whose lanes read in pairs is served for twice as many lanes: each active lane's neighbour (the next one for all of them, or the
 * next but one for all) is at the same address or not active. The wavefronts of each such group are the largest number of
 * distinct words that one bank must give; without a conflict it is one, and what is more is counted as conflicts. Lanes of an atomic
 * at one word wait for each other, unless it only counts them. */
#ifndef WG_WATCH_BANKS_H
#define WG_WATCH_BANKS_H

#include "engine/event.h"

typedef struct watch_wavefronts {
    unsigned wavefronts; /* passes through the banks */
    unsigned ideal;      /* groups that are served: passes without a conflict */
    unsigned degree;     /* largest number of distinct words in one bank that had to wait for another: 1 = no conflict */
} watch_wavefronts;

typedef enum watch_banks_kind {
    WATCH_BANKS_LOAD,
    WATCH_BANKS_STORE,
    WATCH_BANKS_ROWS,  /* of matrices: 16 bytes a lane, eight lanes a matrix */
    WATCH_BANKS_ATOMIC,
    WATCH_BANKS_COUNT  /* of the lanes at a word, added at once (ATOMS.POPC.INC), or that serves them at once (CAST.SPIN) */
} watch_banks_kind;

/* lanes[l]: lane l's byte address in shared memory. */
watch_wavefronts watch_banks_lanes(const uint64_t lanes[32], uint32_t mask, unsigned width, watch_banks_kind kind);
watch_wavefronts watch_banks_event(const eng_batch *batch, const eng_event *ev, watch_banks_kind kind);
/* Of a whole warp side by side; of lanes at one address. */
watch_wavefronts watch_banks_contiguous(unsigned width);
watch_wavefronts watch_banks_uniform(uint32_t mask, unsigned width, watch_banks_kind kind);

#endif
