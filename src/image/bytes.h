/* A cursor over bytes that nobody vouches for. Reading past the end gives 0, sets `bad` and stays at the
 * end, so that a reader of many fields checks once. All numbers are little endian, as every cubin is. */
#ifndef WG_IMAGE_BYTES_H
#define WG_IMAGE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct cursor {
    const uint8_t *at, *end;
    bool bad;
} cursor;

static inline cursor cursor_over(const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    return (cursor){at, at ? at + size : at, false};
}

static inline size_t cursor_left(const cursor *c) {
    return (size_t)(c->end - c->at);
}

/* The next n bytes; NULL, and bad, when there are fewer. */
static inline const uint8_t *cursor_take(cursor *c, size_t n) {
    if (cursor_left(c) < n) {
        c->at = c->end;
        c->bad = true;
        return NULL;
    }
    const uint8_t *at = c->at;
    c->at += n;
    return at;
}

static inline uint64_t cursor_unsigned(cursor *c, size_t n) {
    uint64_t value = 0;
    const uint8_t *at = cursor_take(c, n);
    if (at) memcpy(&value, at, n);
    return value;
}

static inline uint8_t cursor_u8(cursor *c) {
    return (uint8_t)cursor_unsigned(c, 1);
}
static inline uint16_t cursor_u16(cursor *c) {
    return (uint16_t)cursor_unsigned(c, 2);
}
static inline uint32_t cursor_u32(cursor *c) {
    return (uint32_t)cursor_unsigned(c, 4);
}
static inline uint64_t cursor_u64(cursor *c) {
    return cursor_unsigned(c, 8);
}

/* DWARF's variable-length numbers; bits beyond 64 are dropped. */
static inline uint64_t cursor_uleb(cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = cursor_u8(c);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
}

static inline int64_t cursor_sleb(cursor *c) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = cursor_u8(c);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && (byte & 0x40)) value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

/* A NUL-terminated string inside the bytes; "" and bad when no NUL follows. */
static inline const char *cursor_string(cursor *c) {
    const uint8_t *nul = cursor_left(c) ? memchr(c->at, 0, cursor_left(c)) : NULL;
    if (!nul) {
        c->at = c->end;
        c->bad = true;
        return "";
    }
    const char *text = (const char *)c->at;
    c->at = nul + 1;
    return text;
}

#endif
