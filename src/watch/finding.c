#include "watch/finding.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 2000 /* different findings of a launch */ };

static const char *const names[] = {
#define WATCH_ROW(id, name) [WATCH_KIND_##id] = name,
    WATCH_KINDS(WATCH_ROW)
#undef WATCH_ROW
};

const char *watch_kind_name(watch_kind kind) { return names[kind]; }

bool watch_checks_read(const char *text, uint32_t *set, const char **bad) {
    *set = 0;
    while (text && *text) {
        size_t n = strcspn(text, ",");
        bool minus = text[0] == '-';
        const char *word = text + minus;
        size_t length = n - minus;
        uint32_t bits = 0;
        if (length == 3 && memcmp(word, "all", 3) == 0) bits = ~UINT32_C(0);
        for (int k = 0; k < WATCH_KIND_COUNT; k++)
            if (strlen(names[k]) == length && memcmp(word, names[k], length) == 0) bits = UINT32_C(1) << k;
        bool none = length == 4 && memcmp(word, "none", 4) == 0;
        if (!bits && !none) {
            if (bad) *bad = text;
            return false;
        }
        *set = none ? 0 : minus ? *set & ~bits : *set | bits;
        text += n;
        if (*text == ',') text++;
    }
    return true;
}

/* --- folding ------------------------------------------------------------------------------- */

static uint64_t mix_side(uint64_t h, const watch_side *side) {
    if (!side->known) return wg_hash_u64(h + 1);
    return wg_hash_u64(h ^ ((uint64_t)side->function << 48 | (uint64_t)side->instr << 8 | side->space << 4 | 3));
}

static uint64_t hash_of(const watch_finding *f) {
    uint64_t h = wg_hash_u64(f->key * 31 + (uint64_t)f->kind * 4 + (uint64_t)f->severity);
    return mix_side(mix_side(mix_side(h, &f->at), &f->other), &f->origin) | 1;
}

static watch_finding *equal(const watch_findings *all, const watch_finding *f) {
    uint64_t place;
    if (!wg_u64map_get(&all->places, hash_of(f), &place)) return NULL;
    return &all->list.at[place - 1];
}

static bool earlier(const watch_finding *a, const watch_finding *b) {
    if (a->at.block != b->at.block) return a->at.block < b->at.block;
    return a->at.warp < b->at.warp;
}

bool watch_findings_hold(const watch_findings *all, const watch_finding *f) { return equal(all, f) != NULL; }

bool watch_findings_again(watch_findings *all, const watch_finding *f) {
    watch_finding *known = equal(all, f);
    if (!known || earlier(f, known)) return false;
    known->count += f->count ? f->count : 1;
    return true;
}

void watch_findings_add(watch_findings *all, const watch_finding *f) {
    watch_finding *known = equal(all, f);
    uint64_t count = f->count ? f->count : 1;
    if (known) {
        count += known->count;
        if (earlier(f, known)) *known = *f;
        known->count = count;
        return;
    }
    if (all->list.count >= MOST && !f->fatal) {
        all->dropped++;
        return;
    }
    watch_finding fresh = *f;
    fresh.count = count;
    if (!wg_vec_push(&all->list, fresh)) all->lost = true;
    else wg_u64map_set(&all->places, hash_of(f), all->list.count); /* without memory for it, an equal one is not folded */
}

void watch_findings_merge(watch_findings *into, const watch_findings *from) {
    for (size_t i = 0; i < from->list.count; i++) watch_findings_add(into, &from->list.at[i]);
    into->dropped += from->dropped;
    into->lost |= from->lost;
}

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_places(const watch_side *a, const watch_side *b) {
    int c = compare(a->instr, b->instr);
    return c ? c : compare(a->function, b->function);
}

/* All that keeps two findings apart counts, or their order would be that of the workers who found them. */
static int in_order(const void *a, const void *b) {
    const watch_finding *f = a, *g = b;
    int c = compare(f->at.block, g->at.block);
    if (!c) c = compare(f->at.warp, g->at.warp);
    if (!c) c = compare(f->at.function, g->at.function);
    if (!c) c = compare(f->at.instr, g->at.instr);
    if (!c) c = compare(f->kind, g->kind);
    if (!c) c = compare_places(&f->other, &g->other);
    if (!c) c = compare(f->key, g->key);
    if (!c) c = compare(g->severity, f->severity); /* the worst first */
    if (!c) c = compare_places(&f->origin, &g->origin);
    return c ? c : compare(hash_of(f), hash_of(g));
}

void watch_findings_sort(watch_findings *all) {
    if (all->list.count) qsort(all->list.at, all->list.count, sizeof *all->list.at, in_order);
    wg_u64map_free(&all->places);
    for (size_t i = 0; i < all->list.count; i++) wg_u64map_set(&all->places, hash_of(&all->list.at[i]), i + 1);
}

void watch_findings_free(watch_findings *all) {
    wg_vec_free(&all->list);
    wg_u64map_free(&all->places);
}

watch_side watch_side_of(const eng_batch *batch, const eng_event *ev, unsigned lane) {
    watch_side side = {.known = true, .function = ev->function, .warp = ev->warp, .instr = ev->instr, .block = batch->block,
                       .lane = lane, .lanes = ev->mask};
    if (ev->kind != ENG_EV_ACCESS) return side;
    side.is_access = true;
    side.space = ev->space;
    side.access = ev->access;
    side.width = ev->width;
    side.address = eng_lane_address(batch, ev, lane);
    return side;
}
