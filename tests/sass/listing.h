/* Reads tests/data/listings and lists of the same form: words with the text they must print as. */
#ifndef WG_TESTS_SASS_LISTING_H
#define WG_TESTS_SASS_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct listing {
    char *text; /* decompressed; lines are cut in place */
    char *next;
    int sm;
    uint32_t offset; /* of the next instruction in its function */
} listing;

typedef struct listing_line {
    uint64_t word[2];
    uint32_t offset;
    const char *text;
} listing_line;

bool listing_open(listing *l, int sm);
/* tests/data/words.txt.zst: lines of `SM OFFSET WORD TEXT`. */
bool words_open(listing *l);
bool words_next(listing *l, listing_line *line); /* sets l->sm */
bool listing_next(listing *l, listing_line *line); /* false at the end */
void listing_close(listing *l);

#endif
