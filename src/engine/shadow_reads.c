/* How often each word was read (memory.h): differences, their overflow, and the walk that sums them up. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/memory_inner.h"

/* --- counting ------------------------------------------------------------------------- */

/* A place whose difference does not fit goes to the table and starts again from zero. */
static void spill(mem_plane *p, uint64_t key, int64_t amount) {
    uint64_t *value = wg_u64map_add(&p->spills, key);
    if (value) *value = (uint64_t)((int64_t)*value + amount);
}

static void add_word(mem_plane *p, uint64_t word, int times) {
    int16_t sum;
    if (__builtin_add_overflow(p->words[word], times, &sum)) {
        spill(p, word * 8, (int64_t)p->words[word] + times);
        sum = 0;
    }
    p->words[word] = sum;
}

static void add_byte(mem_plane *p, uint64_t at, int times) {
    int8_t sum;
    if (__builtin_add_overflow(p->bytes[at], times, &sum)) {
        spill(p, at * 2 + 1, (int64_t)p->bytes[at] + times);
        sum = 0;
    }
    p->bytes[at] = sum;
}

void mem_reads_run(mem_plane *p, uint64_t at, uint64_t n, int times) {
    if ((at | n) % 4 == 0) {
        add_word(p, at / 4, times);
        add_word(p, (at + n) / 4, -times);
    } else {
        p->bytes_used = true;
        add_byte(p, at, times);
        add_byte(p, at + n, -times);
    }
}

/* --- pages that hold something -------------------------------------------------------- */

/* What the system says of one page each: 64 bits, of which 63 is present and 62 swapped out. */
static bool present_pages(int fd, uint64_t page, uint64_t *entries, size_t n) {
    return fd >= 0 && pread(fd, entries, n * 8, (off_t)(page * 8)) == (ssize_t)(n * 8);
}

/* Calls fn for each run of pages of [at, at+size) that hold something (host memory, anonymous). */
static void each_present(const void *at, uint64_t size, void (*fn)(void *ctx, uint8_t *from, uint64_t n), void *ctx) {
    uint64_t from = (uint64_t)(uintptr_t)at, to = from + size;
    if (size <= 64 * MEM_PAGE) { /* asking would cost as much as looking */
        if (size) fn(ctx, (uint8_t *)(uintptr_t)from, size);
        return;
    }
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    enum { N = 4096 };
    uint64_t *entries = malloc(N * sizeof *entries);
    uint64_t run = 0; /* start of the run of present pages; 0: none */
    for (uint64_t page = from / MEM_PAGE; page * MEM_PAGE < to; page += N) {
        uint64_t left = (to + MEM_PAGE - 1) / MEM_PAGE - page;
        size_t n = left < N ? left : N;
        bool known = entries && present_pages(fd, page, entries, n);
        for (size_t i = 0; i < n; i++) {
            uint64_t here = (page + i) * MEM_PAGE;
            bool there = !known || entries[i] >> 62;
            if (there && !run) run = here < from ? from : here;
            if (!there && run) fn(ctx, (uint8_t *)(uintptr_t)run, here - run), run = 0;
        }
    }
    if (run) fn(ctx, (uint8_t *)(uintptr_t)run, to - run);
    free(entries);
    if (fd >= 0) close(fd);
}

/* The allocation's part of the arrays; a run that ends at its end leaves its mark one place behind. */
static uint64_t first_word(const mem_alloc *a) { return a->shadow / 4; }
static uint64_t n_words(const mem_alloc *a) { return (a->shadow + a->pub.size + 3) / 4 + 1 - first_word(a); }
static uint64_t n_bytes(const mem_alloc *a) { return a->pub.size + 1; }

/* --- merging and clearing ------------------------------------------------------------- */

typedef struct merge {
    mem_plane *into, *from;
    uint8_t *dirty;
} merge;

/* The differences of a tile, 16 bytes each. */
enum { TILE_WORDS = 1 << (MEM_TILE - 2), TILE_VECTORS = TILE_WORDS / 8 };
typedef uint16_t vector __attribute__((vector_size(16)));

/* As a rule no sum overflows, and all are made at once. False: one did, and nothing was done. */
static bool add_tile(int16_t *into, const int16_t *from) {
    vector a[TILE_VECTORS], b[TILE_VECTORS], over = {0};
    memcpy(a, into, sizeof a);
    memcpy(b, from, sizeof b);
    for (unsigned k = 0; k < TILE_VECTORS; k++) {
        vector sum = a[k] + b[k];
        over |= (sum ^ a[k]) & (sum ^ b[k]);
        a[k] = sum;
    }
    uint64_t signs[2];
    memcpy(signs, &over, sizeof signs);
    if ((signs[0] | signs[1]) & UINT64_C(0x8000800080008000)) return false;
    memcpy(into, a, sizeof a);
    return true;
}

/* What was added is cleared on the way. */
static void merge_tile(const merge *mg, uint64_t tile) {
    const uint64_t first = tile * TILE_WORDS;
    int16_t *from = mg->from->words + first;
    if (mg->into && !add_tile(mg->into->words + first, from))
        for (unsigned w = 0; w < TILE_WORDS; w++)
            if (from[w]) add_word(mg->into, first + w, from[w]);
    memset(from, 0, TILE_WORDS * sizeof *from);
}

static void merge_tiles(void *ctx, uint8_t *at, uint64_t n) {
    const merge *mg = ctx;
    for (uint8_t *d = at, *end = at + n; d < end; d++) {
        uint64_t eight;
        while (end - d >= 8 && (memcpy(&eight, d, 8), eight == 0)) d += 8;
        if (d == end || !*d) continue;
        merge_tile(mg, (uint64_t)(d - mg->dirty));
        *d = 0;
    }
}

static void merge_bytes(void *ctx, uint8_t *at, uint64_t n) {
    const merge *mg = ctx;
    uint64_t first = (uint64_t)((int8_t *)at - mg->from->bytes), end = first + n, eight;
    for (uint64_t b = first; b < end; b++) {
        while (b % 8 == 0 && b + 8 <= end && (memcpy(&eight, mg->from->bytes + b, 8), eight == 0)) b += 8;
        if (b == end || !mg->from->bytes[b]) continue;
        if (mg->into) add_byte(mg->into, b, mg->from->bytes[b]), mg->into->bytes_used = true;
        mg->from->bytes[b] = 0;
    }
}

static void zero(void *at, uint64_t size) {
    uint8_t *from = at, *to = from + size;
    uint8_t *page = (uint8_t *)(((uintptr_t)from + MEM_PAGE - 1) / MEM_PAGE * MEM_PAGE);
    uint8_t *page_end = (uint8_t *)((uintptr_t)to / MEM_PAGE * MEM_PAGE);
    if (page_end <= page) {
        memset(from, 0, size);
        return;
    }
    memset(from, 0, (size_t)(page - from));
    mem_drop(page, (uint64_t)(page_end - page));
    memset(page_end, 0, (size_t)(to - page_end));
}

static void zero_plane(mem_plane *p, const mem_alloc *a) {
    zero(p->words + first_word(a), n_words(a) * 2);
    zero(p->bytes + a->shadow, n_bytes(a));
}

void mem_reads_merge(mem_plane *into, mem_plane *from, const mem_alloc *a, uint8_t *dirty) {
    merge mg = {into, from, dirty};
    uint64_t first = first_word(a) >> (MEM_TILE - 2), last = (first_word(a) + n_words(a) - 1) >> (MEM_TILE - 2);
    each_present(dirty + first, last - first + 1, merge_tiles, &mg);
    if (from->bytes_used) each_present(from->bytes + a->shadow, n_bytes(a), merge_bytes, &mg);
}

void mem_reads_unmap(mem_plane *p, const mem_alloc *a) { zero_plane(p, a); }

void mem_reads_merge_spills(mem_plane *into, mem_plane *from) {
    for (size_t i = 0; i < from->spills.room; i++)
        if (from->spills.slots[i].used) spill(into, from->spills.slots[i].key, (int64_t)from->spills.slots[i].value);
    wg_u64map_free(&from->spills);
}

void mem_reads_clear(mem_plane *p, const mem_alloc *a) {
    zero_plane(p, a);
    uint64_t from = first_word(a) * 8, to = (first_word(a) + n_words(a)) * 8;
    for (size_t i = 0; i < p->spills.room; i++) /* the place stays, its amount goes: removal would move entries */
        if (p->spills.slots[i].used && p->spills.slots[i].key >= from && p->spills.slots[i].key < to)
            p->spills.slots[i].value = 0;
}

void eng_memory_reads_reset(eng_memory *m) {
    for (size_t i = 0; i < m->table.count; i++) {
        mem_alloc *a = m->table.at[i];
        if (a->was_read) zero_plane(&m->plane, a);
        a->was_read = false;
    }
    wg_u64map_free(&m->plane.spills);
}

/* --- the walk ------------------------------------------------------------------------- */

typedef struct read_spill {
    uint64_t key;
    int64_t amount;
} read_spill;

static int by_key(const void *x, const void *y) {
    const read_spill *a = x, *b = y;
    return a->key < b->key ? -1 : a->key > b->key;
}

wg_status eng_read_map_open(eng_read_map *map, const eng_memory *m, const eng_allocation *allocation, unsigned width) {
    const mem_alloc *a = (const mem_alloc *)allocation;
    const wg_u64map *spills = &m->plane.spills;
    *map = (eng_read_map){.mem = m, .allocation = allocation, .width = width};
    if (!width) return WG_ERR_ARGUMENT;
    uint64_t from = first_word(a) * 8, to = (first_word(a) + n_words(a)) * 8;
    for (size_t i = 0; i < spills->room; i++)
        map->n_spills += spills->slots[i].used && spills->slots[i].key >= from && spills->slots[i].key < to;
    if (!map->n_spills) return WG_OK;
    read_spill *list = malloc(map->n_spills * sizeof *list);
    if (!list) return WG_ERR_MEMORY;
    size_t n = 0;
    for (size_t i = 0; i < spills->room; i++)
        if (spills->slots[i].used && spills->slots[i].key >= from && spills->slots[i].key < to)
            list[n++] = (read_spill){spills->slots[i].key, (int64_t)spills->slots[i].value};
    qsort(list, n, sizeof *list, by_key);
    map->spills = list;
    return WG_OK;
}

void eng_read_map_close(eng_read_map *map) {
    free(map->spills);
    map->spills = NULL;
    map->next = map->allocation->size;
}

/* Running sums at byte `at` of the shadow, having been at the byte before. */
static void step(eng_read_map *map, uint64_t at) {
    const mem_plane *p = &map->mem->plane;
    if (at % 4 == 0) map->words += p->words[at / 4];
    if (p->bytes_used) map->bytes += p->bytes[at];
    const read_spill *list = map->spills;
    for (; map->spill < map->n_spills && list[map->spill].key <= at * 2 + 1; map->spill++)
        *(list[map->spill].key % 2 ? &map->bytes : &map->words) += list[map->spill].amount;
}

/* The usual case, without the byte part: the sums change at words only. */
static bool quick_word(eng_read_map *map, uint64_t at) {
    const mem_plane *p = &map->mem->plane;
    uint32_t bytes = 0;
    if (p->bytes_used) memcpy(&bytes, p->bytes + at, 4);
    const read_spill *list = map->spills;
    if (bytes || (map->spill < map->n_spills && list[map->spill].key < (at + 4) * 2)) return false;
    map->words += p->words[at / 4];
    return true;
}

size_t eng_read_map_next(eng_read_map *map, uint64_t *counts, size_t n) {
    const mem_alloc *a = (const mem_alloc *)map->allocation;
    size_t done = 0;
    for (; done < n && map->next < a->pub.size; done++) {
        uint64_t left = a->pub.size - map->next, end = map->next + (left < map->width ? left : map->width);
        int64_t most = 0;
        while (map->next < end) {
            uint64_t at = a->shadow + map->next;
            if (at % 4 == 0 && end - map->next >= 4 && quick_word(map, at)) {
                map->next += 4;
            } else {
                step(map, at);
                map->next++;
            }
            int64_t count = map->words + map->bytes;
            most = count > most ? count : most;
        }
        counts[done] = (uint64_t)most;
    }
    return done;
}

wg_status eng_memory_read_summary(const eng_memory *m, const eng_allocation *allocation, unsigned width, eng_read_summary *out) {
    enum { N = 1024 };
    uint64_t counts[N];
    eng_read_map map;
    const mem_alloc *a = (const mem_alloc *)allocation;
    if (!width) return WG_ERR_ARGUMENT;
    *out = (eng_read_summary){.elements = (allocation->size + width - 1) / width};
    if (!a->was_read) return WG_OK;
    wg_status status = eng_read_map_open(&map, m, allocation, width);
    if (status) return status;
    for (size_t n; (n = eng_read_map_next(&map, counts, N));)
        for (size_t i = 0; i < n; i++) {
            out->distinct += counts[i] != 0;
            out->reads += counts[i];
            out->most = counts[i] > out->most ? counts[i] : out->most;
        }
    eng_read_map_close(&map);
    return WG_OK;
}

uint64_t eng_memory_reads(const eng_memory *m, uint64_t address, unsigned width) {
    const mem_alloc *a = mem_find(m, address, NULL);
    eng_read_map map;
    if (!a || eng_read_map_open(&map, m, &a->pub, 1)) return 0;
    uint64_t most = 0, count, at = address - a->pub.address;
    for (uint64_t i = 0; i < at + width && eng_read_map_next(&map, &count, 1); i++)
        if (i >= at && count > most) most = count;
    eng_read_map_close(&map);
    return most;
}
