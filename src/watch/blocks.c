#include "watch/blocks.h"

#include <stdlib.h>

void *watch_blocks_find(watch_blocks *blocks, uint64_t linear, size_t size, bool *begins) {
    watch_block **at = &blocks->open, *b;
    while ((b = *at) && b->linear != linear) at = &b->next;
    *begins = !b;
    if (b) *at = b->next;
    else if ((b = blocks->spare)) blocks->spare = b->next;
    else if (!(b = calloc(1, size))) return blocks->failed = true, NULL;
    b->linear = linear;
    b->next = blocks->open;
    return blocks->open = b;
}

void watch_blocks_end(watch_blocks *blocks) {
    watch_block *b = blocks->open;
    blocks->open = b->next;
    b->next = blocks->spare;
    blocks->spare = b;
}

static void free_list(watch_block *b) {
    for (watch_block *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

void watch_blocks_free(watch_blocks *blocks) {
    free_list(blocks->open);
    free_list(blocks->spare);
}
