/* Undefined bytes that leave: a copy to the host of what was never written, or was stored as an undefined value.
 *
 * Padding is none of it. What lies in the holes of a record that repeats is silent; so is a run smaller than an element. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/origin.h"
#include "session/inner.h"

enum { MOST_RUNS = 4096, MOST_RECORD = 4096, MOST_HOLES = 8, MOST_PADDING = 15 };

typedef struct run { uint64_t at, size; } run; /* undefined bytes, offsets in the allocation */
typedef wg_vec(run) run_list;

static bool find_runs(const session *ses, const eng_allocation *a, uint64_t at, uint64_t size, run_list *runs) {
    uint64_t start, n, from = at;
    while (from < at + size && runs->count < MOST_RUNS && eng_memory_gap(eng_device_memory(ses->device), a, from, &start, &n) && start < at + size) {
        if (start + n > at + size) n = at + size - start;
        if (!wg_vec_push(runs, (run){start, n})) return false;
        from = start + n;
    }
    return runs->count != 0;
}

/* Can a hole lie so between members? It ends where a member aligned to more than its size begins, or the record ends. */
static bool is_padding(run r, uint64_t record) {
    uint64_t align = 2;
    while (align <= r.size) align *= 2;
    return r.size <= MOST_PADDING && (r.at + r.size) % align == 0 && record % align == 0 && record > align + r.size;
}

/* Holes of a record that repeats: k of them in each, at equal distances. */
static bool repeats(const run_list *runs) {
    for (size_t k = 1; k <= MOST_HOLES && 2 * k <= runs->count; k++) {
        uint64_t record = runs->at[k].at - runs->at[0].at;
        bool same = record <= MOST_RECORD, padding = true;
        for (size_t i = 0; same && i + k < runs->count; i++)
            same = runs->at[i + k].at - runs->at[i].at == record && runs->at[i + k].size == runs->at[i].size;
        for (size_t i = 0; same && i < k; i++) padding &= is_padding(runs->at[i], record);
        if (same) return padding;
    }
    return false;
}

/* One record alone, the allocation or what is copied of it: its padding is narrower than what is copied around it. */
static bool is_one_record(const eng_allocation *a, const run_list *runs, uint64_t size) {
    if (a->size > MOST_RECORD || runs->count > MOST_HOLES || size < 8) return false;
    for (size_t i = 0; i < runs->count; i++)
        if (!(is_padding(runs->at[i], a->size) || is_padding(runs->at[i], size)) || runs->at[i].size > 7 || runs->at[i].size == 4) return false;
    return true;
}

static unsigned element_of(const session *ses, const eng_allocation *a) {
    uint64_t width = 0;
    wg_u64map_get(&ses->elements, a->id, &width);
    return width == 0 ? 4 : width > 8 ? 4 : (unsigned)width;
}

/* Once an allocation and cause. */
static bool was_told(const session *ses, const eng_allocation *a, uint32_t store) {
    return wg_u64map_get(&ses->undefined_told, (uint64_t)a->id << 32 | store, NULL);
}
static bool told(session *ses, const eng_allocation *a, uint32_t store) {
    return was_told(ses, a, store) || !wg_u64map_set(&ses->undefined_told, (uint64_t)a->id << 32 | store, 1);
}

static json_t *store_json(session *ses, const eng_undefined_store *s) {
    ses_launch l = {.code = (eng_code *)(uintptr_t)s->code, .function = s->kernel};
    memcpy(l.grid, s->grid, sizeof l.grid);
    memcpy(l.block, s->threads, sizeof l.block);
    watch_finding f = {.kind = WATCH_KIND_UNINITIALISED, .severity = WATCH_WARNING, .count = 1,
                       .at = {.known = true, .is_access = true, .function = s->at.function, .warp = s->at.warp, .instr = s->at.instr,
                              .block = s->at.block, .lane = s->at.lane, .space = ENG_GLOBAL, .access = ENG_WRITE, .width = s->at.width,
                              .address = s->at.address}};
    if (s->origin.kind != ENG_ORIGIN_UNKNOWN)
        f.origin = (watch_side){.known = true, .is_access = s->origin.kind == ENG_ORIGIN_MEMORY, .function = s->origin.at.function,
                                .warp = s->origin.at.warp, .instr = s->origin.at.instr, .block = s->origin.at.block, .lane = s->origin.at.lane,
                                .space = s->origin.at.space, .access = ENG_READ, .width = s->origin.at.width, .address = s->origin.at.address};
    json_t *out = ses_finding_json(ses, &l, s->launch, &f);
    return out;
}

static void report(session *ses, const eng_allocation *a, run first, uint64_t bytes, unsigned element) {
    char text[400];
    uint32_t number;
    const eng_undefined_store *s = eng_memory_undefined_store(eng_device_memory(ses->device), a->address + first.at, &number);
    if (told(ses, a, s ? number : 0)) return;
    unsigned long long from = first.at / element, to = (first.at + first.size - 1) / element;
    json_t *f = s ? store_json(ses, s) : json_object();
    if (s)
        snprintf(text, sizeof text, "an undefined value is stored here and then copied to the host: %llu bytes of allocation #%u from byte %llu on",
                 (unsigned long long)bytes, a->id, (unsigned long long)first.at);
    else
        snprintf(text, sizeof text, "%llu bytes that nobody wrote are copied to the host: element%s %llu%s%.0llu of allocation #%u (%u B each)%s",
                 (unsigned long long)bytes, from == to ? "" : "s", from, from == to ? "" : " to ", from == to ? 0ull : to, a->id, element,
                 bytes > first.size ? ", and more" : "");
    json_object_set_new(f, "kind", json_string("uninitialised"));
    json_object_set_new(f, "severity", json_string("warning"));
    json_object_set_new(f, "message", json_string(text));
    if (!s && ses_writers_tell(ses, a, text, sizeof text)) json_object_set_new(f, "detail", json_string(text));
    json_object_set_new(f, "allocation", ses_allocation_json(a, a->address + first.at));
    json_object_set_new(f, "missing", json_pack("{s:I, s:I, s:I, s:I}", "first", (json_int_t)from, "last", (json_int_t)to, "of",
                                                (json_int_t)(a->size / element), "element", (json_int_t)element));
    void *frames[16];
    unsigned n = ses->host_stack ? ses->host_stack(frames, 16) : 0;
    if (n) json_object_set_new(f, "stack", ses_stack_json(frames, n));
    ses_write(ses, "finding", f);
}

static bool is_at(const watch_side *side, const eng_actor *a) { return side->known && side->function == a->function && side->instr == a->instr; }

void ses_undefined_explained(session *ses, uint64_t launch, const watch_findings *all) {
    const eng_memory *mem = eng_device_memory(ses->device);
    for (uint32_t n = eng_memory_undefined_stores(mem); n > 0; n--) {
        const eng_undefined_store *s = eng_memory_undefined_store_at(mem, n);
        if (!s) continue;
        if (s->launch != launch) break; /* they are in order of launches */
        for (size_t i = 0; i < all->list.count; i++) {
            const watch_finding *f = &all->list.at[i];
            bool race = f->kind == WATCH_KIND_RACE && f->severity != WATCH_NOTE;
            if (race && (is_at(&f->at, &s->origin.at) || is_at(&f->other, &s->origin.at)))
                wg_u64map_set(&ses->undefined_told, (uint64_t)s->allocation << 32 | n, 1);
        }
    }
}

/* Nobody copied it, and it decided nothing; but what a kernel computed from memory that was never written is a result of its. */
void ses_undefined_end(session *ses, const eng_allocation *a, bool final) {
    const eng_memory *mem = eng_device_memory(ses->device);
    if (!(ses->checks & WATCH_CHECK(UNINITIALISED))) return;
    for (uint32_t n = 1; n <= eng_memory_undefined_stores(mem); n++) {
        const eng_undefined_store *s = eng_memory_undefined_store_at(mem, n);
        if (!s || !s->computed || s->allocation != a->id || was_told(ses, a, n) || eng_memory_defined(mem, s->at.address, s->at.width)) continue;
        json_t *f = store_json(ses, s);
        json_object_set_new(f, "message", json_string("a value that is computed from what was never written is stored here; it decided nothing so far"));
        json_object_set_new(f, "allocation", ses_allocation_json(a, s->at.address));
        ses_write(ses, "finding", f);
        if (final) told(ses, a, n);
    }
}

/* before: those that the coverage check has just told are not told again. */
void ses_undefined_copied(session *ses, const eng_allocation *a, uint64_t at, uint64_t size) {
    run_list runs = {0};
    if (!(ses->checks & WATCH_CHECK(UNINITIALISED)) || eng_memory_defined(eng_device_memory(ses->device), a->address + at, size)) return;
    unsigned element = element_of(ses, a);
    if (find_runs(ses, a, at, size, &runs) && !repeats(&runs) && !is_one_record(a, &runs, size)) {
        uint64_t bytes = 0;
        size_t first = SIZE_MAX;
        for (size_t i = 0; i < runs.count; i++) {
            if (runs.at[i].size < element) continue;
            if (ses_tails_hold(ses, a, runs.at[i].at)) { /* the coverage check tells of them */
                told(ses, a, 0);
                continue;
            }
            if (first == SIZE_MAX) first = i;
            bytes += runs.at[i].size;
        }
        if (first != SIZE_MAX) report(ses, a, runs.at[first], bytes, element);
    }
    wg_vec_free(&runs);
}
