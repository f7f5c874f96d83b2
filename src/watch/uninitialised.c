/* Undefined values where they decide: branches, addresses, atomics, votes. The engine follows them (engine/undefined.h) and
 * tells where a decision is met, with the value's origin; here it is put into words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/origin.h"
#include "watch/watch.h"

typedef struct state {
    watch_context ctx;
    watch_findings findings;
} state;

static const char *const uses[ENG_DECIDES_USES] = {
    [ENG_DECIDES_BRANCH] = "a branch depends on a value that was never written",
    [ENG_DECIDES_JUMP] = "where the code goes on is a value that was never written",
    [ENG_DECIDES_ADDRESS] = "the address depends on a value that was never written",
    [ENG_DECIDES_STORE] = "whether this is stored depends on a value that was never written",
    [ENG_DECIDES_ATOMIC] = "the operand of an atomic was never written",
    [ENG_DECIDES_MEMORY] = "an atomic on memory that was never written",
    [ENG_DECIDES_VOTE] = "a vote depends on a value that was never written",
    [ENG_DECIDES_BARRIER] = "what a barrier does depends on a value that was never written",
};

static watch_side side_of(const eng_actor *a, bool access, unsigned kind) {
    return (watch_side){.known = true, .is_access = access, .function = a->function, .warp = a->warp, .instr = a->instr,
                        .block = a->block, .lane = a->lane, .space = a->space, .access = (uint8_t)kind, .width = a->width, .address = a->address};
}

/* Where it comes from, in words; the sides that show it. */
static void explain(const state *st, const eng_origin *o, watch_finding *f) {
    const eng_undefined_store *store = eng_memory_undefined_store_at(st->ctx.memory, o->store);
    const eng_allocation *a = o->allocation ? eng_memory_at(st->ctx.memory, o->allocation - 1) : NULL;
    char *out = f->detail;
    size_t size = sizeof f->detail;
    if (o->kind == ENG_ORIGIN_UNKNOWN) return;
    f->origin = side_of(&o->at, o->kind == ENG_ORIGIN_MEMORY, ENG_READ);
    if (o->kind == ENG_ORIGIN_REGISTER) {
        snprintf(out, size, "it is a variable that the kernel uses without having given it a value: initialise it on every path");
        return;
    }
    if (store) {
        bool here = store->code == st->ctx.code;
        if (here) f->other = side_of(&store->at, true, ENG_WRITE);
        snprintf(out, size, "an undefined value was stored there by %s", store->kernel->demangled);
        return;
    }
    switch (o->at.space) {
    case ENG_SHARED: snprintf(out, size, "no thread of the block has stored to shared memory at 0x%llx: fill all that is read, or put a barrier before it is read",
                              (unsigned long long)o->at.address); break;
    case ENG_LOCAL: snprintf(out, size, "an element of a local array that the thread has not written"); break;
    default:
        if (a) snprintf(out, size, "nobody has written byte %llu of allocation #%u (%llu bytes): cudaMalloc leaves memory undefined, fill it first",
                        (unsigned long long)(o->at.address - a->address), a->id, (unsigned long long)a->size);
    }
    f->origin.allocation = a;
}

static void on_undefined(state *st, const eng_batch *batch, const eng_event *ev) {
    eng_origin origin;
    memcpy(&origin, batch->lanes[ev->general], sizeof origin);
    unsigned use = ev->more < ENG_DECIDES_USES ? ev->more : 0;
    watch_finding f = {.kind = WATCH_KIND_UNINITIALISED, .severity = WATCH_ERROR, .key = use + 1,
                       .at = watch_side_of(batch, ev, (unsigned)__builtin_ctz(ev->mask | 0x80000000u))};
    if (use == ENG_DECIDES_MEMORY) f.at.is_access = true, f.at.space = ev->space, f.at.access = ev->access, f.at.width = ev->width, f.at.address = ev->address;
    explain(st, &origin, &f);
    if (use == ENG_DECIDES_MEMORY) f.origin.known = false; /* the same place */
    if (watch_findings_again(&st->findings, &f)) return;
    snprintf(f.message, sizeof f.message, "%s", uses[use]);
    watch_findings_add(&st->findings, &f);
}

static void events(void *opaque, const eng_batch *batch) {
    for (size_t i = 0; i < batch->n_other; i++) {
        const eng_event *ev = &batch->events[batch->other[i]];
        if (ev->kind == ENG_EV_UNDEFINED) on_undefined(opaque, batch, ev);
    }
}

static void *start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    if (st) st->ctx = *ctx;
    return st;
}
static void merge(void *into, void *from) { watch_findings_merge(&((state *)into)->findings, &((state *)from)->findings); }
static bool same_place(const watch_side *a, const watch_side *b) {
    return a->known && b->known && a->function == b->function && a->instr == b->instr;
}

/* Read before it was written, because nothing orders the two: the race, which is told, is what is wrong. */
static bool is_race(const watch_record *record, const watch_finding *f) {
    const watch_side *load = f->origin.known ? &f->origin : &f->at;
    for (size_t i = 0; i < record->findings.list.count; i++) {
        const watch_finding *race = &record->findings.list.at[i];
        if (race->kind == WATCH_KIND_RACE && race->severity != WATCH_NOTE && (same_place(load, &race->at) || same_place(load, &race->other)))
            return true;
    }
    return false;
}

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    const watch_findings *mine = &((state *)opaque)->findings;
    (void)ctx, (void)result;
    for (size_t i = 0; i < mine->list.count; i++)
        if (!is_race(record, &mine->list.at[i])) watch_findings_add(&record->findings, &mine->list.at[i]);
    record->findings.dropped += mine->dropped;
}
static void stop(void *opaque) {
    watch_findings_free(&((state *)opaque)->findings);
    free(opaque);
}

const watch watch_uninitialised = {.name = "uninitialised", .checks = WATCH_CHECK(UNINITIALISED), .wants = 1u << ENG_EV_UNDEFINED,
                                   .start = start, .events = events, .merge = merge, .finish = finish, .stop = stop};
