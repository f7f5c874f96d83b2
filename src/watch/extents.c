#include "watch/extents.h"

#include <stdlib.h>

#include "watch/watch.h"

enum { READS, WRITES, ATOMICS };

static watch_extent_page *page_of(watch_extents *x, uint64_t address) {
    uint64_t key = address / WATCH_EXTENT_PAGE;
    if (x->latest && x->latest_key == key) return x->latest;
    uint64_t *place = wg_u64map_add(&x->pages, key);
    if (place && !*place) *place = (uintptr_t)calloc(1, sizeof(watch_extent_page));
    if (!place || !*place) return x->failed = true, NULL;
    x->latest_key = key;
    return x->latest = (watch_extent_page *)(uintptr_t)*place;
}

static void set_bits(uint64_t *bits, unsigned from, unsigned end) {
    for (unsigned at = from; at < end;) {
        unsigned n = 64 - at % 64 < end - at ? 64 - at % 64 : end - at;
        bits[at / 64] |= (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << at % 64;
        at += n;
    }
}

static void note_where(watch_where *by, watch_where where) {
    if (where && (!*by || where < *by)) *by = where;
}

static void add_kind(watch_extents *x, uint64_t address, uint64_t end, unsigned kind, watch_where where) {
    while (address < end) {
        watch_extent_page *page = page_of(x, address);
        uint64_t base = address / WATCH_EXTENT_PAGE * WATCH_EXTENT_PAGE, stop = end < base + WATCH_EXTENT_PAGE ? end : base + WATCH_EXTENT_PAGE;
        if (!page) return;
        set_bits(page->bytes[kind], (unsigned)(address - base), (unsigned)(stop - base));
        for (uint64_t row = (address - base) / WATCH_EXTENT_ROW; row <= (stop - 1 - base) / WATCH_EXTENT_ROW; row++) note_where(&page->by[kind][row], where);
        address = stop;
    }
}

void watch_extents_add(watch_extents *x, uint64_t address, uint64_t end, unsigned access, watch_where where) {
    if (access & (ENG_ATOMIC | ENG_STRONG | ENG_VOLATILE)) {
        add_kind(x, address, end, ATOMICS, where);
        return;
    }
    if (access & ENG_READ) add_kind(x, address, end, READS, where);
    if (access & ENG_WRITE) add_kind(x, address, end, WRITES, where);
}

void watch_extents_merge(watch_extents *into, const watch_extents *from) {
    into->failed |= from->failed;
    for (size_t i = 0; i < from->pages.room; i++) {
        if (!from->pages.slots[i].used) continue;
        const watch_extent_page *b = (const watch_extent_page *)(uintptr_t)from->pages.slots[i].value;
        watch_extent_page *a = b ? page_of(into, from->pages.slots[i].key * WATCH_EXTENT_PAGE) : NULL;
        for (unsigned kind = 0; a && kind < WATCH_EXTENT_KINDS; kind++) {
            for (unsigned k = 0; k < WATCH_EXTENT_PAGE / 64; k++) a->bytes[kind][k] |= b->bytes[kind][k];
            for (unsigned k = 0; k < WATCH_EXTENT_ROWS; k++) note_where(&a->by[kind][k], b->by[kind][k]);
        }
    }
}

void watch_extents_free(watch_extents *x) {
    for (size_t i = 0; i < x->pages.room; i++)
        if (x->pages.slots[i].used) free((void *)(uintptr_t)x->pages.slots[i].value);
    wg_u64map_free(&x->pages);
    x->latest = NULL;
}

/* --- races -------------------------------------------------------------------------------------------- */

static bool synchronise(const watch_extent_page *a, const watch_extent_page *b) {
    for (unsigned k = 0; k < WATCH_EXTENT_PAGE / 64; k++)
        if (a->bytes[ATOMICS][k] & b->bytes[ATOMICS][k]) return true;
    return false;
}

static unsigned access_of(const watch_extent_page *p, unsigned at, unsigned *kind) {
    static const unsigned names[WATCH_EXTENT_KINDS] = {ENG_READ, ENG_WRITE, ENG_ATOMIC};
    for (*kind = WRITES; !(p->bytes[*kind][at / 64] >> at % 64 & 1);) *kind = *kind == WRITES ? ATOMICS : READS; /* one of them it is */
    return names[*kind];
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
        uint64_t key = a->pages.slots[i].key, other;
        if (!a->pages.slots[i].used || !wg_u64map_get(&b->pages, key, &other)) continue;
        const watch_extent_page *p = (const watch_extent_page *)(uintptr_t)a->pages.slots[i].value, *q = (const watch_extent_page *)(uintptr_t)other;
        watch_clash here;
        if (!p || !q) continue;
        if (synchronise(p, q)) return false;
        if (!clash_of_pages(p, q, key * WATCH_EXTENT_PAGE, &here) || (found && here.address > clash->address)) continue;
        *clash = here;
        found = true;
    }
    return found;
}

/* --- the watch: what a kernel touches --------------------------------------------------------------------- */

static bool asked(const watch_context *ctx) { return ctx->extents != NULL; }
static void *start(const watch_context *ctx) {
    (void)ctx;
    return calloc(1, sizeof(watch_extents));
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
