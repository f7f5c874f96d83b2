/* The blocks that a watch follows from their first event to their end. */
#ifndef WG_WATCH_BLOCKS_H
#define WG_WATCH_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct watch_block { /* the first member of what the watch keeps of a block */
    uint64_t linear;
    struct watch_block *next;
} watch_block;
typedef struct watch_blocks {
    watch_block *open;  /* the last one asked for first: it is asked for again */
    watch_block *spare; /* of blocks that have ended, as they were left: blocks come often */
    bool failed;        /* no memory for one: what is known is not whole */
} watch_blocks;

/* The open block of that number, or else one of `size` bytes, zeros or as an ended one left it; *begins says so. NULL: no memory. */
void *watch_blocks_find(watch_blocks *blocks, uint64_t linear, size_t size, bool *begins);
/* Ends the block that was asked for last. */
void watch_blocks_end(watch_blocks *blocks);
void watch_blocks_free(watch_blocks *blocks);

#endif
