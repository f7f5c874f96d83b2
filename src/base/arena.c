#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chunks are taken from calloc, so that a large one costs no page until it is touched. */
typedef struct chunk {
    struct chunk *next;
    size_t size, used; /* of the bytes behind this header */
} chunk;

struct wg_arena {
    chunk *first; /* the one that small allocations come from */
    size_t bytes;
};

enum { ALIGN = 16, CHUNK = 32 * 1024 };
static const size_t head = (sizeof(chunk) + ALIGN - 1) / ALIGN * ALIGN;

wg_arena *wg_arena_new(void) {
    return calloc(1, sizeof(wg_arena));
}

void wg_arena_free(wg_arena *arena) {
    if (!arena) return;
    for (chunk *c = arena->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(arena);
}

static chunk *add_chunk(wg_arena *arena, size_t size) {
    chunk *c = calloc(1, head + size);
    if (!c) return NULL;
    c->size = size;
    arena->bytes += head + size;
    /* An outsized chunk goes behind the first: the room left there is still used. */
    if (arena->first && size > CHUNK) {
        c->next = arena->first->next;
        arena->first->next = c;
    } else {
        c->next = arena->first;
        arena->first = c;
    }
    return c;
}

void *wg_arena_alloc(wg_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + (size == 0) + ALIGN - 1) / ALIGN * ALIGN;
    chunk *c = arena->first;
    if (!c || c->size - c->used < size) c = add_chunk(arena, size > CHUNK ? size : CHUNK);
    if (!c) return NULL;
    void *p = (char *)c + head + c->used;
    c->used += size;
    return p;
}

void *wg_arena_array(wg_arena *arena, size_t n, size_t sz) {
    size_t bytes;
    if (__builtin_mul_overflow(n, sz, &bytes)) return NULL;
    return wg_arena_alloc(arena, bytes);
}

char *wg_arena_strndup(wg_arena *arena, const char *text, size_t n) {
    n = strnlen(text, n);
    char *copy = wg_arena_alloc(arena, n + 1);
    if (copy) memcpy(copy, text, n);
    return copy;
}

char *wg_arena_strdup(wg_arena *arena, const char *text) {
    return wg_arena_strndup(arena, text, strlen(text));
}

char *wg_arena_printf(wg_arena *arena, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    char *text = n < 0 ? NULL : wg_arena_alloc(arena, (size_t)n + 1);
    if (text) vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

size_t wg_arena_bytes(const wg_arena *arena) {
    return arena->bytes;
}
