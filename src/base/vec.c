#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

bool wg_vec_grow(void **at, size_t *room, size_t count, size_t n, size_t size) {
    size_t want, bytes;
    if (__builtin_add_overflow(count, n, &want)) return false;
    if (want <= *room) return true;
    size_t grown = *room < 8 ? 8 : *room + *room / 2;
    if (grown < want) grown = want;
    if (__builtin_mul_overflow(grown, size, &bytes)) return false;
    void *p = realloc(*at, bytes);
    if (!p) return false;
    *at = p;
    *room = grown;
    return true;
}
