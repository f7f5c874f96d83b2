/* Small helpers for text, and a growing text. */
#ifndef WG_BASE_TEXT_H
#define WG_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Shell-like pattern over the whole of text: * any run, ? one character; no escapes, no classes
 * (kernel names hold brackets). */
bool wg_glob(const char *pattern, const char *text);
bool wg_starts_with(const char *text, const char *prefix);
bool wg_ends_with(const char *text, const char *suffix);

/* A growing text; {0} is an empty one. After a failed allocation it stays as it was and .failed is set,
 * so that a writer checks once, at the end. */
typedef struct wg_text {
    char *at; /* NUL-terminated once anything was added; NULL before */
    size_t count, room;
    bool failed;
} wg_text;

void wg_text_add(wg_text *text, const char *piece);
void wg_text_add_n(wg_text *text, const char *piece, size_t n);
void wg_text_printf(wg_text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void wg_text_free(wg_text *text);

#endif
