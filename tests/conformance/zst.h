/* Goldens that are kept compressed (zstd -19). */
#ifndef WG_TESTS_CONFORMANCE_ZST_H
#define WG_TESTS_CONFORMANCE_ZST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include <cmocka.h>

/* The bytes are the caller's to free; a zero stands behind them. */
static inline uint8_t *zst_read(const char *path, size_t *size) {
    static uint8_t packed[1 << 20];
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is missing", path);
    size_t n = fread(packed, 1, sizeof packed, f);
    fclose(f);
    *size = (size_t)ZSTD_getFrameContentSize(packed, n);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(ZSTD_decompress(bytes, *size, packed, n), *size);
    bytes[*size] = 0;
    return bytes;
}

/* The lines of a text: the next one, without its end; NULL: there is none. */
typedef struct zst_lines { char *text, *next; } zst_lines;
static inline zst_lines zst_open(const char *path) {
    size_t size;
    char *text = (char *)zst_read(path, &size);
    return (zst_lines){text, text};
}
static inline char *zst_line(zst_lines *l) {
    char *line = l->next;
    if (!*line) return NULL;
    while (*l->next && *l->next != '\n') l->next++;
    if (*l->next) *l->next++ = 0;
    return line;
}

#endif
