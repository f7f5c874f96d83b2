#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

bool wg_glob(const char *pattern, const char *text) {
    /* On a mismatch the last star takes one character more: linear in practice, never exponential. */
    const char *star = NULL, *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

bool wg_starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool wg_ends_with(const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

static bool make_room(wg_text *text, size_t n) {
    if (n == (size_t)-1 || !wg_vec_grow((void **)&text->at, &text->room, text->count, n + 1, 1))
        text->failed = true;
    return !text->failed;
}

void wg_text_add_n(wg_text *text, const char *piece, size_t n) {
    if (!make_room(text, n)) return;
    memcpy(text->at + text->count, piece, n);
    text->count += n;
    text->at[text->count] = 0;
}

void wg_text_add(wg_text *text, const char *piece) {
    wg_text_add_n(text, piece, strlen(piece));
}

void wg_text_printf(wg_text *text, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    if (n < 0)
        text->failed = true;
    else if (make_room(text, (size_t)n)) {
        vsnprintf(text->at + text->count, (size_t)n + 1, fmt, again);
        text->count += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void wg_text_free(wg_text *text) {
    free(text->at);
    *text = (wg_text){0};
}
