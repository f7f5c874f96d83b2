/* Which worker runs which blocks. A worker takes its blocks in ascending order, whoever the others are (memory_parallel.c). */
#ifndef WG_ENGINE_DEAL_H
#define WG_ENGINE_DEAL_H

#include <stdatomic.h>

#include "engine/engine.h"

typedef struct eng_deal {
    eng_dealing how;
    uint64_t n_blocks;
    unsigned n_workers;
    atomic_uint_fast64_t next; /* as they come: the first block that nobody has */
} eng_deal;

/* The next blocks for a worker, first .. end - 1; the worker's last ones are in *end, 0 at first. False: there are none left. */
bool eng_deal_next(eng_deal *deal, unsigned worker, uint64_t *first, uint64_t *end);

/* Reads "each", "parts", "back", or a number, the seed of a random one. Anything else, and NULL: as they come. */
eng_dealing eng_dealing_read(const char *text);

#endif
