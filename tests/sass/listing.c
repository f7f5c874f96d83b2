#include "sass/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static char *read_compressed(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    static char packed[1 << 20];
    const size_t n = fread(packed, 1, sizeof packed, f);
    fclose(f);
    const unsigned long long size = ZSTD_getFrameContentSize(packed, n);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > (64u << 20)) return NULL;
    char *text = malloc((size_t)size + 1);
    if (text && ZSTD_isError(ZSTD_decompress(text, (size_t)size, packed, n))) {
        free(text);
        return NULL;
    }
    if (text) text[size] = 0;
    return text;
}

bool listing_open(listing *l, int sm) {
    char path[512];
    snprintf(path, sizeof path, WG_TEST_DATA "/listings/sm_%d.txt.zst", sm);
    *l = (listing){.text = read_compressed(path), .sm = sm};
    l->next = l->text;
    return l->text != NULL;
}

bool listing_next(listing *l, listing_line *line) {
    while (*l->next) {
        char *begin = l->next, *end = strchr(begin, '\n');
        l->next = end ? end + 1 : begin + strlen(begin);
        if (end) *end = 0;
        if (begin[0] == 'F') {
            l->offset = 0;
            continue;
        }
        unsigned long long hi, lo;
        if (sscanf(begin, "%16llx%16llx", &hi, &lo) != 2 || strlen(begin) < 33) return false;
        *line = (listing_line){.word = {lo, hi}, .offset = l->offset, .text = begin + 33};
        l->offset += 16;
        return true;
    }
    return false;
}

bool words_open(listing *l) {
    *l = (listing){.text = read_compressed(WG_TEST_DATA "/words.txt.zst")};
    l->next = l->text;
    return l->text != NULL;
}

bool words_next(listing *l, listing_line *line) {
    char *begin = l->next, *end = strchr(begin, '\n');
    unsigned long long hi, lo;
    unsigned offset;
    int text = 0;
    if (!end) return false;
    *end = 0;
    l->next = end + 1;
    if (sscanf(begin, "%d %x %16llx%16llx %n", &l->sm, &offset, &hi, &lo, &text) != 4) return false;
    *line = (listing_line){.word = {lo, hi}, .offset = offset, .text = begin + text};
    return true;
}

void listing_close(listing *l) {
    free(l->text);
}
