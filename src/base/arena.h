/* An arena: memory that lives and dies together (an image, a launch, a report).
 * Allocation cannot be undone one by one; failing allocation returns NULL. */
#ifndef WG_BASE_ARENA_H
#define WG_BASE_ARENA_H

#include <stddef.h>

typedef struct wg_arena wg_arena;

wg_arena *wg_arena_new(void);                               /* NULL: no memory */
void wg_arena_free(wg_arena *arena);                        /* NULL is fine */
void *wg_arena_alloc(wg_arena *arena, size_t size);         /* zeroed, 16-byte aligned */
void *wg_arena_array(wg_arena *arena, size_t n, size_t sz); /* zeroed; overflow gives NULL */
char *wg_arena_strdup(wg_arena *arena, const char *text);
char *wg_arena_strndup(wg_arena *arena, const char *text, size_t n);
char *wg_arena_printf(wg_arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
size_t wg_arena_bytes(const wg_arena *arena); /* bytes held, for tests of limits */

#endif
