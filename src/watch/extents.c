#include "watch/extents.h"

#include <stdlib.h>
#include <string.h>

#include "watch/watch.h"

enum { READS, WRITES, ATOMICS };
static const unsigned kind_names[WATCH_EXTENT_KINDS] = {[READS] = ENG_READ, [WRITES] = ENG_WRITE, [ATOMICS] = ENG_ATOMIC};

static watch_extent_page *page_in(uint64_t value) { return value == WATCH_EXTENT_PASSED ? NULL : (watch_extent_page *)(uintptr_t)value; }

static watch_extent_page *find(const watch_extents *x, uint64_t key) {
    uint64_t value;
    return wg_u64map_get(&x->pages, key, &value) ? page_in(value) : NULL;
}

/* Shared memory is handed out by whole pages of the host. */
static bool host_can_touch(const eng_memory *mem, uint64_t page) {
    for (uint64_t at = page; at < page + WATCH_EXTENT_PAGE; at += ENG_PAGE)
        if (eng_memory_shared(mem, at)) return true;
    return false;
}

/* Arrays lie at the same multiples of large powers of two: Fibonacci hashing. */
static unsigned near_of(uint64_t key) { return (unsigned)(key * 0x9e3779b97f4a7c15u >> (64 - WATCH_EXTENT_RECENT_BITS)); }

/* NULL: it is passed over, or there is no memory. */
static watch_extent_page *turn_to(watch_extents *x, uint64_t key) {
    uint64_t *place = wg_u64map_add(&x->pages, key);
    if (place && !*place) *place = x->shared && !host_can_touch(x->shared, key * WATCH_EXTENT_PAGE) ? WATCH_EXTENT_PASSED : (uintptr_t)calloc(1, sizeof(watch_extent_page));
    if (!place || !*place) return x->failed = true, NULL;
    unsigned near = near_of(key);
    x->recent[near].key = key;
    x->recent[near].known = true;
    return x->recent[near].page = page_in(*place);
}

static inline watch_extent_page *page_of(watch_extents *x, uint64_t address) {
    uint64_t key = address / WATCH_EXTENT_PAGE;
    unsigned near = near_of(key);
    return x->recent[near].known && x->recent[near].key == key ? x->recent[near].page : turn_to(x, key);
}

static inline void set_bits(uint64_t *bits, unsigned from, unsigned end) {
    unsigned first = from / 64, last = (end - 1) / 64;
    uint64_t head = ~UINT64_C(0) << from % 64, tail = ~UINT64_C(0) >> (63 - (end - 1) % 64);
    if (first == last) {
        bits[first] |= head & tail;
        return;
    }
    bits[first] |= head;
    for (unsigned k = first + 1; k < last; k++) bits[k] = ~UINT64_C(0);
    bits[last] |= tail;
}

static inline void note_where(watch_where *by, watch_where where) {
    if (where && (!*by || where < *by)) *by = where;
}

static void note_system(watch_extents *x, watch_extent_page *page, unsigned from, unsigned end) {
    if (!page->system && !(page->system = calloc(WATCH_EXTENT_PAGE / 64, sizeof *page->system))) {
        x->failed = true;
        return;
    }
    set_bits(page->system, from, end);
}

static inline void add_kind(watch_extents *x, uint64_t address, uint64_t end, unsigned kind, bool system, watch_where where) {
    while (address < end) {
        watch_extent_page *page = page_of(x, address);
        uint64_t base = address / WATCH_EXTENT_PAGE * WATCH_EXTENT_PAGE, stop = end < base + WATCH_EXTENT_PAGE ? end : base + WATCH_EXTENT_PAGE;
        unsigned from = (unsigned)(address - base), to = (unsigned)(stop - base);
        address = stop;
        if (!page) continue;
        set_bits(page->bytes[kind], from, to);
        if (system) note_system(x, page, from, to);
        for (unsigned row = from / WATCH_EXTENT_ROW; row <= (to - 1) / WATCH_EXTENT_ROW; row++) note_where(&page->by[kind][row], where);
    }
}

void watch_extents_add(watch_extents *x, uint64_t address, uint64_t end, unsigned access, watch_where where) {
    if (access & (ENG_ATOMIC | ENG_STRONG | ENG_VOLATILE)) {
        add_kind(x, address, end, ATOMICS, access & ENG_VOLATILE, where);
        return;
    }
    if (access & ENG_READ) add_kind(x, address, end, READS, false, where);
    if (access & ENG_WRITE) add_kind(x, address, end, WRITES, false, where);
}

static void merge_page(watch_extents *into, watch_extent_page *a, const watch_extent_page *b) {
    for (unsigned kind = 0; kind < WATCH_EXTENT_KINDS; kind++) {
        for (unsigned k = 0; k < WATCH_EXTENT_PAGE / 64; k++) a->bytes[kind][k] |= b->bytes[kind][k];
        for (unsigned k = 0; k < WATCH_EXTENT_ROWS; k++) note_where(&a->by[kind][k], b->by[kind][k]);
    }
    if (b->system && !a->system && !(a->system = calloc(WATCH_EXTENT_PAGE / 64, sizeof *a->system))) into->failed = true;
    for (unsigned k = 0; b->system && a->system && k < WATCH_EXTENT_PAGE / 64; k++) a->system[k] |= b->system[k];
}

void watch_extents_merge(watch_extents *into, const watch_extents *from) {
    into->failed |= from->failed;
    for (size_t i = 0; i < from->pages.room; i++) {
        const watch_extent_page *b = from->pages.slots[i].used ? page_in(from->pages.slots[i].value) : NULL;
        watch_extent_page *a = b ? page_of(into, from->pages.slots[i].key * WATCH_EXTENT_PAGE) : NULL;
        if (a) merge_page(into, a, b);
    }
}

void watch_extents_free(watch_extents *x) {
    for (size_t i = 0; i < x->pages.room; i++) {
        watch_extent_page *page = x->pages.slots[i].used ? page_in(x->pages.slots[i].value) : NULL;
        if (page) free(page->system);
        free(page);
    }
    wg_u64map_free(&x->pages);
    memset(x->recent, 0, sizeof x->recent);
}

/* --- races -------------------------------------------------------------------------------------------- */

static bool synchronise(const watch_extent_page *a, const watch_extent_page *b) {
    for (unsigned k = 0; k < WATCH_EXTENT_PAGE / 64; k++)
        if (a->bytes[ATOMICS][k] & b->bytes[ATOMICS][k]) return true;
    return false;
}

static unsigned access_of(const watch_extent_page *p, unsigned at, unsigned *kind) {
    for (*kind = WRITES; !(p->bytes[*kind][at / 64] >> at % 64 & 1);) *kind = *kind == WRITES ? ATOMICS : READS; /* one of them it is */
    return kind_names[*kind];
}

static bool clash_of_pages(const watch_extent_page *a, const watch_extent_page *b, uint64_t base, watch_clash *clash) {
    for (unsigned k = 0; k < WATCH_EXTENT_PAGE / 64; k++) {
        uint64_t all_a = a->bytes[READS][k] | a->bytes[WRITES][k] | a->bytes[ATOMICS][k], all_b = b->bytes[READS][k] | b->bytes[WRITES][k] | b->bytes[ATOMICS][k];
        uint64_t plain_a = a->bytes[READS][k] | a->bytes[WRITES][k], plain_b = b->bytes[READS][k] | b->bytes[WRITES][k];
        uint64_t both = (a->bytes[WRITES][k] & all_b) | (b->bytes[WRITES][k] & all_a) | (a->bytes[ATOMICS][k] & plain_b) | (b->bytes[ATOMICS][k] & plain_a);
        if (!both) continue;
        unsigned at = k * 64 + (unsigned)__builtin_ctzll(both), kind_a, kind_b;
        *clash = (watch_clash){.address = base + at};
        clash->a = access_of(a, at, &kind_a);
        clash->b = access_of(b, at, &kind_b);
        clash->at_a = a->by[kind_a][at / WATCH_EXTENT_ROW];
        clash->at_b = b->by[kind_b][at / WATCH_EXTENT_ROW];
        return true;
    }
    return false;
}

bool watch_extents_clash(const watch_extents *a, const watch_extents *b, watch_clash *clash) {
    bool found = false;
    for (size_t i = 0; i < a->pages.room; i++) {
        uint64_t key = a->pages.slots[i].key;
        const watch_extent_page *p = a->pages.slots[i].used ? page_in(a->pages.slots[i].value) : NULL, *q = p ? find(b, key) : NULL;
        watch_clash here;
        if (!p || !q) continue;
        if (synchronise(p, q)) return false;
        if (!clash_of_pages(p, q, key * WATCH_EXTENT_PAGE, &here) || (found && here.address > clash->address)) continue;
        *clash = here;
        found = true;
    }
    return found;
}

/* --- the host ------------------------------------------------------------------------------------------ */

unsigned watch_extents_at(const watch_extents *x, uint64_t address, watch_where *where) {
    const watch_extent_page *page = find(x, address / WATCH_EXTENT_PAGE);
    unsigned at = (unsigned)(address % WATCH_EXTENT_PAGE);
    *where = 0;
    if (!page) return 0;
    if (page->system && page->system[at / 64] >> at % 64 & 1) return ENG_VOLATILE;
    static const unsigned worst_first[WATCH_EXTENT_KINDS] = {WRITES, ATOMICS, READS};
    for (unsigned k = 0; k < WATCH_EXTENT_KINDS; k++) {
        unsigned kind = worst_first[k];
        if (!(page->bytes[kind][at / 64] >> at % 64 & 1)) continue;
        *where = page->by[kind][at / WATCH_EXTENT_ROW];
        return kind_names[kind];
    }
    return 0;
}

unsigned watch_extents_in(const watch_extents *x, uint64_t address, uint64_t end) {
    const watch_extent_page *page = find(x, address / WATCH_EXTENT_PAGE);
    unsigned all = 0;
    for (unsigned kind = 0; page && kind < WATCH_EXTENT_KINDS; kind++) {
        uint64_t any = 0;
        for (uint64_t at = address; at < end;) {
            unsigned bit = (unsigned)(at % 64);
            uint64_t n = 64 - bit < end - at ? 64 - bit : end - at;
            any |= page->bytes[kind][at % WATCH_EXTENT_PAGE / 64] & (n == 64 ? ~UINT64_C(0) : ((UINT64_C(1) << n) - 1) << bit);
            at += n;
        }
        if (any) all |= kind_names[kind];
    }
    return all;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t *watch_extents_pages(const watch_extents *x, size_t *n) {
    uint64_t *keys = x->pages.count ? malloc(x->pages.count * sizeof *keys) : NULL;
    *n = 0;
    for (size_t i = 0; keys && i < x->pages.room; i++)
        if (x->pages.slots[i].used && page_in(x->pages.slots[i].value)) keys[(*n)++] = x->pages.slots[i].key;
    if (*n) qsort(keys, *n, sizeof *keys, ascending);
    return keys;
}

static bool first_in_page(const watch_extent_page *p, unsigned from, unsigned end, unsigned *at) {
    for (unsigned k = from / 64; k < (end + 63) / 64; k++) {
        uint64_t all = p->bytes[READS][k] | p->bytes[WRITES][k] | p->bytes[ATOMICS][k];
        if (k == from / 64) all &= ~UINT64_C(0) << from % 64;
        if (!all) continue;
        *at = k * 64 + (unsigned)__builtin_ctzll(all);
        return *at < end;
    }
    return false;
}

bool watch_extents_within(const watch_extents *x, uint64_t from, uint64_t end, watch_clash *clash) {
    size_t n;
    uint64_t *keys = watch_extents_pages(x, &n);
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        uint64_t base = keys[i] * WATCH_EXTENT_PAGE;
        unsigned at;
        if (base >= end || base + WATCH_EXTENT_PAGE <= from) continue;
        found = first_in_page(find(x, keys[i]), from > base ? (unsigned)(from - base) : 0, end - base < WATCH_EXTENT_PAGE ? (unsigned)(end - base) : WATCH_EXTENT_PAGE, &at);
        if (!found) continue;
        *clash = (watch_clash){.address = base + at, .b = ENG_WRITE};
        clash->a = watch_extents_at(x, base + at, &clash->at_a);
    }
    free(keys);
    return found;
}

/* --- the watch: what a kernel touches --------------------------------------------------------------------- */

static bool asked(const watch_context *ctx) { return ctx->extents != NULL; }
static void *start(const watch_context *ctx) {
    watch_extents *x = calloc(1, sizeof *x);
    if (x) x->shared = ctx->extents->shared;
    return x;
}

static void events(void *opaque, const eng_batch *batch) {
    watch_extents *x = opaque;
    for (const eng_event *ev = batch->events, *end = ev + batch->count; ev < end; ev++) {
        if (ev->kind != ENG_EV_ACCESS || ev->space != ENG_GLOBAL) continue;
        watch_where where = WATCH_WHERE(ev->function, ev->instr);
        if (ev->cls == ENG_UNIFORM) {
            watch_extents_add(x, ev->address, ev->address + ev->width, ev->access, where);
        } else if (ev->cls == ENG_CONTIGUOUS && ev->mask == UINT32_MAX) {
            watch_extents_add(x, ev->address, ev->address + 32 * (uint64_t)ev->width, ev->access, where);
        } else {
            for (uint32_t left = ev->mask; left; left &= left - 1) {
                uint64_t address = eng_lane_address(batch, ev, (unsigned)__builtin_ctz(left));
                watch_extents_add(x, address, address + ev->width, ev->access, where);
            }
        }
    }
}

static void merge(void *into, void *from) { watch_extents_merge(into, from); }
static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)result, (void)record;
    watch_extents_merge(ctx->extents, opaque);
}
static void stop(void *opaque) {
    watch_extents_free(opaque);
    free(opaque);
}

const watch watch_of_extents = {.name = "extents", .checks = WATCH_CHECK(RACE), .asked = asked, .wants = 1u << ENG_EV_ACCESS,
                                .start = start, .events = events, .merge = merge, .finish = finish, .stop = stop};
