/* Which bytes were written: bits, and each allocation's defined beginning. */
#include <string.h>

#include "engine/memory_inner.h"

static uint64_t load_word(const uint8_t *bits, uint64_t word) {
    uint64_t x;
    memcpy(&x, bits + word * 8, 8);
    return x;
}

void mem_bits_set(uint8_t *bits, uint64_t at, uint64_t n) {
    if (!n) return;
    uint64_t first = at / 8, last = (at + n - 1) / 8;
    uint8_t head = (uint8_t)(0xff << at % 8), tail = (uint8_t)(0xff >> (7 - (at + n - 1) % 8));
    if (first == last) {
        bits[first] |= head & tail;
        return;
    }
    bits[first] |= head;
    memset(bits + first + 1, 0xff, last - first - 1);
    bits[last] |= tail;
}

/* Whole pages of zeros cost nothing: large ranges give their shadow back. */
static void bits_clear(uint8_t *bits, uint64_t at, uint64_t n) {
    if (!n) return;
    uint64_t first = at / 8, last = (at + n - 1) / 8;
    uint8_t head = (uint8_t)(0xff << at % 8), tail = (uint8_t)(0xff >> (7 - (at + n - 1) % 8));
    if (first == last) {
        bits[first] &= (uint8_t)~(head & tail);
        return;
    }
    bits[first] &= (uint8_t)~head;
    bits[last] &= (uint8_t)~tail;
    uint8_t *from = bits + first + 1, *to = bits + last;
    uint8_t *page = (uint8_t *)(((uintptr_t)from + MEM_PAGE - 1) / MEM_PAGE * MEM_PAGE);
    uint8_t *page_end = (uint8_t *)((uintptr_t)to / MEM_PAGE * MEM_PAGE);
    if (page_end <= page) {
        memset(from, 0, (size_t)(to - from));
        return;
    }
    memset(from, 0, (size_t)(page - from));
    mem_drop(page, (uint64_t)(page_end - page));
    memset(page_end, 0, (size_t)(to - page_end));
}

uint64_t mem_bits_run(const uint8_t *bits, uint64_t at, uint64_t end, bool *set) {
    if (at >= end) return *set = false, end;
    *set = bits[at / 8] >> at % 8 & 1;
    uint64_t same = *set ? 0 : UINT64_MAX; /* xor: bits that differ from the run's become ones */
    uint64_t word = at / 64;
    uint64_t differ = ~(load_word(bits, word) ^ same) & UINT64_MAX << at % 64;
    while (!differ) {
        if (++word * 64 >= end) return end;
        differ = ~(load_word(bits, word) ^ same);
    }
    uint64_t stop = word * 64 + (unsigned)__builtin_ctzll(differ);
    return stop < end ? stop : end;
}

bool mem_bits_all(const uint8_t *bits, uint64_t at, uint64_t n) {
    bool set;
    return !n || (mem_bits_run(bits, at, at + n, &set) == at + n && set);
}

bool mem_bits_any(const uint8_t *bits, uint64_t at, uint64_t n) {
    bool set;
    return n && (mem_bits_run(bits, at, at + n, &set) != at + n || set);
}

/* --- by allocation -------------------------------------------------------------------- */

uint64_t mem_defined_run(const eng_memory *m, const mem_alloc *a, uint64_t at, uint64_t end, bool *set) {
    if (at >= end) return *set = false, end;
    uint64_t start = at;
    bool first = true;
    *set = true;
    while (start < end) { /* the prefix, then runs of bits, joined while they agree */
        bool run_set;
        uint64_t stop;
        if (start < a->prefix) run_set = true, stop = a->prefix < end ? a->prefix : end;
        else stop = mem_bits_run(m->defined, a->shadow + start, a->shadow + end, &run_set) - a->shadow;
        if (first) *set = run_set, first = false;
        else if (run_set != *set) break;
        start = stop;
    }
    return start;
}

uint64_t mem_held_run(const eng_memory *m, const mem_alloc *a, uint64_t at, uint64_t end, bool *held) {
    uint64_t stop = mem_defined_run(m, a, at, end, held);
    if (*held || !m->stores) return stop;
    return mem_bits_run(m->stored, a->shadow + at, a->shadow + stop, held) - a->shadow;
}

void mem_advance(eng_memory *m, mem_alloc *a) {
    bool set;
    if (a->prefix >= a->pub.size || a->pub.freed) return;
    uint64_t from = a->shadow + a->prefix; /* a run of what is not set is not measured: it can be long, and comes again and again */
    if (m->defined[from / 8] >> from % 8 & 1) a->prefix = mem_bits_run(m->defined, from, a->shadow + a->pub.size, &set) - a->shadow;
}

void mem_define(eng_memory *m, mem_alloc *a, uint64_t at, uint64_t n) {
    if (at > a->prefix) {
        mem_bits_set(m->defined, a->shadow + at, n);
    } else if (at + n > a->prefix) {
        a->prefix = at + n;
        mem_advance(m, a);
    }
}

void mem_undefine(eng_memory *m, mem_alloc *a, uint64_t at, uint64_t n) {
    if (a->prefix > at) { /* what lies behind in the prefix has no bits yet */
        if (a->prefix > at + n) mem_bits_set(m->defined, a->shadow + at + n, a->prefix - at - n);
        a->prefix = at;
    }
    bits_clear(m->defined, a->shadow + at, n);
    if (m->stores) bits_clear(m->stored, a->shadow + at, n); /* else nothing is set there */
}

void mem_note_stored(eng_memory *m, const mem_alloc *a, uint64_t at, uint64_t n) { mem_bits_set(m->stored, a->shadow + at, n); }

void mem_copy_stored(eng_memory *m, const mem_alloc *to, uint64_t to_at, const mem_alloc *from, uint64_t at, uint64_t n) {
    bool set;
    if (!m->stores) return;
    for (uint64_t end = at + n, stop; at < end; to_at += stop - at, at = stop) {
        stop = mem_bits_run(m->stored, from->shadow + at, from->shadow + end, &set) - from->shadow;
        if (set) mem_note_stored(m, to, to_at, stop - at);
    }
}

void mem_pattern(void *out, uint64_t address, uint64_t n) {
    const uint32_t word = ENG_PATTERN;
    uint8_t *p = out;
    for (; n && address % 4; n--, address++) *p++ = (uint8_t)(word >> address % 4 * 8);
    for (; n >= 4; n -= 4, p += 4) memcpy(p, &word, 4);
    for (unsigned i = 0; i < n; i++) *p++ = (uint8_t)(word >> i * 8);
}

bool eng_memory_defined(const eng_memory *m, uint64_t address, uint64_t size) {
    const mem_alloc *a = mem_find(m, address, NULL);
    if (!a || a->pub.freed || size > a->end - address) return false;
    bool set;
    uint64_t at = address - a->pub.address;
    return !size || (mem_defined_run(m, a, at, at + size, &set) == at + size && set);
}

void eng_memory_define(eng_memory *m, uint64_t address, uint64_t size) {
    mem_alloc *a = mem_find(m, address, NULL);
    if (!a || a->pub.freed || !size) return;
    mem_define(m, a, address - a->pub.address, size < a->end - address ? size : a->end - address);
}

bool eng_memory_gap(const eng_memory *m, const eng_allocation *allocation, uint64_t from, uint64_t *start, uint64_t *size) {
    const mem_alloc *a = (const mem_alloc *)allocation;
    bool set = true;
    uint64_t stop = from;
    while (from < a->pub.size) {
        stop = mem_defined_run(m, a, from, a->pub.size, &set);
        if (!set) break;
        from = stop;
    }
    *start = from;
    *size = from < a->pub.size ? stop - from : 0;
    return *size > 0;
}

bool eng_memory_unwritten(const eng_memory *m, const eng_allocation *allocation, uint64_t from, uint64_t *start, uint64_t *size) {
    const mem_alloc *a = (const mem_alloc *)allocation;
    while (eng_memory_gap(m, allocation, from, start, size)) {
        bool set;
        uint64_t stop = mem_bits_run(m->stored, a->shadow + *start, a->shadow + *start + *size, &set) - a->shadow;
        *size = stop - *start;
        if (!set) return true;
        from = stop;
    }
    return false;
}
