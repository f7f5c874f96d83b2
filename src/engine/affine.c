#include "engine/affine.h"

#include <stddef.h>

static int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t product(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static uint64_t size_of(int64_t k) { return k < 0 ? 0 - (uint64_t)k : (uint64_t)k; }

affine aff_const(int64_t c) { return (affine){.c = c}; }

affine aff_add(const affine *a, const affine *b) {
    affine r = {.c = sum(a->c, b->c)};
    for (unsigned n = 0; n < AFF_TERMS; n++) r.k[n] = sum(a->k[n], b->k[n]);
    return r;
}

affine aff_scale(const affine *a, int64_t by) {
    affine r = {.c = product(a->c, by)};
    for (unsigned n = 0; n < AFF_TERMS; n++) r.k[n] = product(a->k[n], by);
    return r;
}

affine aff_word(const affine *a) {
    affine r = {.c = (int32_t)(uint32_t)a->c};
    for (unsigned n = 0; n < AFF_TERMS; n++) r.k[n] = (int32_t)(uint32_t)a->k[n];
    return r;
}

bool aff_is_const(const affine *a) {
    for (unsigned n = 0; n < AFF_TERMS; n++)
        if (a->k[n]) return false;
    return true;
}

bool aff_equal_word(const affine *a, const affine *b) {
    bool equal = (uint32_t)a->c == (uint32_t)b->c;
    for (unsigned n = 0; n < AFF_TERMS; n++) equal &= (uint32_t)a->k[n] == (uint32_t)b->k[n];
    return equal;
}

bool aff_range(const affine *a, const uint32_t count[AFF_TERMS], int64_t *least, int64_t *most) {
    const int64_t limit = INT64_C(1) << 62;
    bool wraps = false;
    *least = *most = a->c;
    for (unsigned n = 0; n < AFF_TERMS; n++) {
        int64_t *end = a->k[n] < 0 ? least : most, farthest;
        wraps |= __builtin_mul_overflow(a->k[n], (int64_t)count[n] - 1, &farthest);
        wraps |= __builtin_add_overflow(*end, farthest, end);
    }
    return !wraps && *least > -limit && *most < limit;
}

/* --- apart ------------------------------------------------------------------------------ */

typedef struct stride {
    uint64_t size, count;
} stride;

/* Adds to a span how far a digit moves it. False: more than a number holds. */
static bool widen(uint64_t *span, stride s) {
    uint64_t farthest;
    return !__builtin_mul_overflow(s.size, s.count - 1, &farthest) && !__builtin_add_overflow(*span, farthest, span);
}

/* Are all places of a number system apart whose digits have these strides, least first, and whose units are `span` bytes? */
static bool digits_apart(const stride *s, unsigned n, uint64_t span) {
    for (unsigned k = 0; k < n; k++)
        if (s[k].size < span || !widen(&span, s[k])) return false;
    return true;
}

static unsigned insert(stride *s, unsigned n, stride one) {
    unsigned at = n;
    while (at && s[at - 1].size > one.size) s[at] = s[at - 1], at--;
    s[at] = one;
    return n + 1;
}

/* Either all threads are apart, or whole blocks are: then the threads of a block may share bytes. */
bool aff_apart(const affine *a, const uint32_t count[AFF_TERMS], uint64_t n) {
    stride threads[AFF_TERMS], blocks[AFF_TERMS];
    unsigned n_threads = 0, n_blocks = 0;
    uint64_t block = n;
    for (unsigned t = 0; t < AFF_TERMS; t++) {
        stride s = {size_of(a->k[t]), count[t]};
        if (s.count < 2) continue;
        if (t >= AFF_CTAID) {
            if (!s.size) return false;
            n_blocks = insert(blocks, n_blocks, s);
        } else if (!widen(&block, s)) {
            return false;
        }
        if (s.size) n_threads = insert(threads, n_threads, s);
    }
    return digits_apart(blocks, n_blocks, block) || digits_apart(threads, n_threads, n);
}

bool aff_all_apart(const affine *a, const uint32_t count[AFF_TERMS], uint64_t n) {
    stride threads[AFF_TERMS];
    unsigned n_threads = 0;
    for (unsigned t = 0; t < AFF_TERMS; t++) {
        stride s = {size_of(a->k[t]), count[t]};
        if (s.count < 2) continue;
        if (!s.size) return false;
        n_threads = insert(threads, n_threads, s);
    }
    return digits_apart(threads, n_threads, n);
}
