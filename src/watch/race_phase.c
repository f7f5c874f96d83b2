/* Order by asynchronous barriers (mbarrier objects; cuda::barrier and cuda::pipeline of a block are made of them): whoever sees
 * the end of a phase comes after all that those who arrived in it had done before.
 *
 * What a warp comes after is a clock: for each lane of the block, a token. Which phase a wait is for does not depend on how far the barrier
 * is in this run: it says one bit, so it is the phase that the warp knows to have ended, when its bit fits, or else the next one. */
#include <stdlib.h>
#include <string.h>

#include "watch/race.h"

enum { OBJECTS = 64, PARTIAL = 4 };
typedef struct clock {
    uint32_t *below; /* [lane of the block]: accesses with tokens below are before; behind those the same for asynchronous copies */
    race_knowledge known; /* of other blocks */
    uint32_t seen[OBJECTS]; /* phases known to have ended */
    uint32_t copied[OBJECTS]; /* the same, by those who saw it: bulk copies that count for them have ended */
} clock;
typedef struct object {
    uint64_t address;
    uint32_t ended; /* phases */
    clock now, past[2]; /* of the phase under way and those before it: the last one, the one before that */
} object;
typedef struct part { /* what only some lanes of a warp have seen */
    clock clock;
    unsigned number, phase;
    uint32_t lanes, weak; /* that have seen it; that met one of them by a shuffle */
} part;
struct race_phases {
    uint32_t lanes; /* of the block, whole warps */
    bool used;
    unsigned n_objects;
    object objects[OBJECTS];
    clock warps[32];
    part parts[32][PARTIAL];
    unsigned n_parts[32];
};

/* --- clocks ------------------------------------------------------------------------------------- */

static bool have(race_state *st, const race_phases *p, clock *c) {
    if (!c->below && !(c->below = calloc(2 * p->lanes, sizeof *c->below))) st->failed = true;
    return c->below;
}
static void forget(const race_phases *p, clock *c) {
    if (c->below) memset(c->below, 0, 2 * p->lanes * sizeof *c->below);
    memset(c->seen, 0, sizeof c->seen);
    memset(c->copied, 0, sizeof c->copied);
    c->known.count = 0;
}
static void join(race_state *st, const race_phases *p, clock *to, const clock *from) {
    if (!from->below || !have(st, p, to)) return;
    for (uint32_t k = 0; k < 2 * p->lanes; k++) to->below[k] = from->below[k] > to->below[k] ? from->below[k] : to->below[k];
    for (unsigned k = 0; k < OBJECTS; k++) to->seen[k] = from->seen[k] > to->seen[k] ? from->seen[k] : to->seen[k];
    for (unsigned k = 0; k < OBJECTS; k++) to->copied[k] = from->copied[k] > to->copied[k] ? from->copied[k] : to->copied[k];
    for (size_t k = 0; k < from->known.count; k++) race_knowledge_add(&to->known, from->known.at[k].log, from->known.at[k].n);
}
static void free_clock(clock *c) {
    free(c->below);
    wg_vec_free(&c->known);
}

/* --- barriers ------------------------------------------------------------------------------------- */

static race_phases *phases_of(race_state *st, race_block *b) {
    if (!b->phases && !(b->phases = calloc(1, sizeof *b->phases))) return st->failed = true, NULL;
    b->phases->lanes = 32 * st->n_warps;
    b->phases->used = true;
    return b->phases;
}

static object *object_at(race_phases *p, uint64_t address, bool make) {
    for (unsigned k = 0; k < p->n_objects; k++)
        if (p->objects[k].address == address) return &p->objects[k];
    if (!make || p->n_objects == OBJECTS) return NULL;
    object *o = &p->objects[p->n_objects++];
    o->address = address;
    o->ended = 0;
    return o;
}

static void copies_for(race_state *st, const race_block *owner, const object *o) {
    st->bulk.phase = o ? o->ended : 0;
    st->bulk.number = o ? (uint8_t)(o - owner->phases->objects + 1) : 0;
    st->bulk.rank = (uint8_t)owner->rank;
}

/* Of one that was initialised again by a plain store the number goes on, with the parity that its memory has. */
static void agree(object *o, uint32_t parity) { o->ended += (o->ended ^ parity) & 1; }

/* What all of `lanes` of a warp come after, with what they did themselves. */
static void released(race_state *st, const race_block *b, unsigned w, uint32_t lanes, clock *to) {
    const race_warp *warp = &b->warps[w];
    race_phases *p = b->phases;
    uint32_t reached = lanes, *own;
    if (!have(st, p, to)) return;
    join(st, p, to, &p->warps[w]);
    for (unsigned k = 0; k < p->n_parts[w]; k++)
        if (p->parts[w][k].lanes & lanes) join(st, p, to, &p->parts[w][k].clock);
    own = &to->below[32 * w];
    for (unsigned l = 0; l < 32; l++) {
        uint32_t bound = lanes >> l & 1 ? st->n : warp->synced;
        if (bound > own[l]) own[l] = bound;
    }
    for (unsigned k = warp->n_syncs; k-- > 0;) { /* those that have met one of them */
        const race_sync *s = &warp->syncs[k];
        if (s->weak || !(s->mask & reached)) continue;
        for (uint32_t left = s->mask & ~reached; left; left &= left - 1)
            if (s->token > own[__builtin_ctz(left)]) own[__builtin_ctz(left)] = s->token;
        reached |= s->mask;
    }
    for (unsigned from = 0; b->between && from < st->n_warps; from++)
        for (unsigned l = 0; l < 32; l++)
            if (b->between[from * 32 + w] > to->below[from * 32 + l]) to->below[from * 32 + l] = b->between[from * 32 + w];
    for (size_t k = 0; k < warp->acquired.count; k++) race_knowledge_add(&to->known, warp->acquired.at[k].log, warp->acquired.at[k].n);
}

static void drop_part(race_phases *p, unsigned w, unsigned k) {
    part dropped = p->parts[w][k];
    p->parts[w][k] = p->parts[w][--p->n_parts[w]];
    p->parts[w][p->n_parts[w]] = dropped; /* its memory stays */
}

static void acquire(race_state *st, race_block *b, unsigned w, uint32_t lanes, const clock *from, unsigned number, unsigned phase) {
    race_phases *p = b->phases;
    race_warp *warp = &b->warps[w];
    unsigned k = 0;
    for (size_t n = 0; n < from->known.count; n++) race_knowledge_add(&warp->acquired, from->known.at[n].log, from->known.at[n].n);
    while (k < p->n_parts[w] && (p->parts[w][k].number != number || p->parts[w][k].phase != phase)) k++;
    bool more = k < p->n_parts[w];
    if (more) lanes |= p->parts[w][k].lanes;
    if (!(~warp->exited & ~lanes) || k == PARTIAL) { /* no alarm for want of room */
        join(st, p, &p->warps[w], from);
        if (more) drop_part(p, w, k);
        return;
    }
    part *seen_by = &p->parts[w][k];
    if (!more) {
        p->n_parts[w]++;
        forget(p, &seen_by->clock);
        join(st, p, &seen_by->clock, from);
        seen_by->number = number;
        seen_by->phase = phase;
        seen_by->weak = 0;
    }
    seen_by->lanes = lanes;
    seen_by->weak |= lanes;
}

static void end_phase(race_state *st, const race_phases *p, object *o) {
    if (have(st, p, &o->now)) o->now.copied[o - p->objects] = o->ended + 1;
    clock oldest = o->past[1];
    o->past[1] = o->past[0];
    o->past[0] = o->now;
    o->now = oldest;
    forget(p, &o->now);
    join(st, p, &o->now, &o->past[0]); /* nobody sees the end of a phase before that of the one before it */
    o->ended++;
}

static void seen(race_state *st, race_block *b, const eng_event *ev, object *o) {
    race_phases *p = b->phases;
    clock *own = &p->warps[ev->warp];
    unsigned number = (unsigned)(o - p->objects);
    uint32_t known = own->seen[number], parity = (o->ended - 1) & 1; /* it saw that the last phase has ended */
    for (unsigned k = 0; k < p->n_parts[ev->warp]; k++)
        if (p->parts[ev->warp][k].clock.seen[number] > known) known = p->parts[ev->warp][k].clock.seen[number];
    if (known > o->ended) known = o->ended;
    uint32_t phase = ((known - 1) & 1) == parity ? known - 1 : known;
    if ((ev->more & ENG_PHASE_KIND) == ENG_PHASE_LOOKED) phase = o->ended - 1; /* none, or the last one that it can be */
    if (phase >= o->ended) return; /* the phase before the first one */
    if (!have(st, p, own)) return;
    own->seen[number] = phase + 1;
    acquire(st, b, ev->warp, ev->mask, &o->past[o->ended - 1 - phase ? 1 : 0], number, phase);
    b->warps[ev->warp].changed = st->n;
}

void race_phase(race_state *st, race_block *b, const eng_event *ev) {
    race_phases *p = phases_of(st, b);
    unsigned what = ev->more & ENG_PHASE_KIND;
    object *o = p ? object_at(p, ev->address, what != ENG_PHASE_SEEN && what != ENG_PHASE_LOOKED) : NULL;
    if (!o && what == ENG_PHASE_COPIES) copies_for(st, b, NULL);
    if (!o) return;
    clock *own = &p->warps[ev->warp];
    unsigned number = (unsigned)(o - p->objects);
    agree(o, ev->more >> 8 & 1);
    switch (what) {
    case ENG_PHASE_ARRIVES:
        released(st, b, ev->warp, ev->mask, &o->now);
        if (have(st, p, own) && own->seen[number] < o->ended) own->seen[number] = o->ended; /* it would not arrive before */
        b->warps[ev->warp].changed = st->n;
        break;
    case ENG_PHASE_COPIED:
        for (uint32_t left = have(st, p, &o->now) ? ev->mask : 0; left; left &= left - 1)
            o->now.below[p->lanes + 32u * ev->warp + (unsigned)__builtin_ctz(left)] = st->n;
        break;
    case ENG_PHASE_SEEN: case ENG_PHASE_LOOKED: seen(st, b, ev, o); break;
    case ENG_PHASE_COPIES: copies_for(st, b, o); break;
    default: break;
    }
    if (ev->more & ENG_PHASE_ENDS) end_phase(st, p, o);
}

void race_phase_from(race_state *st, race_block *owner, race_block *b, const eng_event *ev, uint64_t address) {
    race_phases *p = phases_of(st, owner);
    object *o = p ? object_at(p, address, true) : NULL;
    if ((ev->more & ENG_PHASE_KIND) == ENG_PHASE_COPIES) copies_for(st, owner, NULL);
    if (!o || !have(st, p, &o->now)) return;
    agree(o, ev->more >> 8 & 1);
    if ((ev->more & ENG_PHASE_KIND) == ENG_PHASE_COPIES) copies_for(st, owner, o);
    if ((ev->more & ENG_PHASE_KIND) == ENG_PHASE_ARRIVES) race_release_at(st, race_shared_place(owner, address) | UINT64_C(1) << 55, b, ev->warp, &o->now.known);
    if (ev->more & ENG_PHASE_ENDS) end_phase(st, p, o);
}

/* --- beside other order ---------------------------------------------------------------------------- */

/* Lanes in mask have met: what some of them have seen, all come after. */
void race_phases_meet(race_state *st, race_block *b, unsigned w, uint32_t mask, bool weak) {
    race_phases *p = b->phases;
    for (unsigned k = p && p->used ? p->n_parts[w] : 0; k-- > 0;) {
        part *seen_by = &p->parts[w][k];
        if (seen_by->weak & mask) seen_by->weak |= mask;
        if (!weak && seen_by->lanes & mask) seen_by->lanes |= mask;
        if (~b->warps[w].exited & ~seen_by->lanes) continue;
        join(st, p, &p->warps[w], &seen_by->clock);
        drop_part(p, w, k);
    }
}

/* Warps in `to` come after those in `from`. */
void race_phases_barrier(race_state *st, race_block *b, uint32_t from, uint32_t to) {
    race_phases *p = b->phases;
    clock all = {0};
    if (!p || !p->used) return;
    for (unsigned w = 0; w < st->n_warps; w++) {
        if (!(from >> w & 1)) continue;
        join(st, p, &all, &p->warps[w]);
        for (unsigned k = 0; k < p->n_parts[w]; k++) join(st, p, &all, &p->parts[w][k].clock);
    }
    for (unsigned w = 0; w < st->n_warps; w++) {
        if (!(to >> w & 1)) continue;
        p->n_parts[w] = 0;
        join(st, p, &p->warps[w], &all);
    }
    free_clock(&all);
}

/* A flag that the warp sets takes all of it along. NULL: there is nothing; else for each lane of the block, accesses below that token. */
uint32_t *race_phases_released(race_state *st, race_block *b, unsigned w) {
    clock c = {0};
    if (!b->phases || !b->phases->used) return NULL;
    released(st, b, w, 0, &c);
    for (unsigned k = 0; k < b->phases->n_parts[w]; k++) join(st, b->phases, &c, &b->phases->parts[w][k].clock);
    wg_vec_free(&c.known);
    return c.below;
}

/* --- the question ----------------------------------------------------------------------------------- */

static bool before(const race_phases *p, const clock *c, unsigned warp, uint32_t lanes, uint32_t token, bool copy) {
    if (!c->below) return false;
    const uint32_t *below = &c->below[(copy ? p->lanes : 0) + 32 * warp];
    for (; lanes; lanes &= lanes - 1)
        if (token >= below[__builtin_ctz(lanes)]) return false;
    return true;
}

race_order race_phases_order(const race_block *b, const race_access *a, unsigned lane_before, uint32_t token, bool copy, const race_access *now, unsigned lane_now) {
    const race_phases *p = b->phases;
    bool weak = false, apart = a->warp != now->warp;
    if (!p || !p->used) return RACE_UNORDERED;
    uint32_t from = apart && a->cls == ENG_UNIFORM ? a->mask : UINT32_C(1) << lane_before;
    uint32_t to = apart && now->cls == ENG_UNIFORM ? now->mask : UINT32_C(1) << (lane_now & 31);
    if (before(p, &p->warps[now->warp], a->warp, from, token, copy)) return RACE_ORDERED;
    for (unsigned k = 0; k < p->n_parts[now->warp]; k++) {
        const part *seen_by = &p->parts[now->warp][k];
        if ((to & ~seen_by->weak) || !before(p, &seen_by->clock, a->warp, from, token, copy)) continue;
        if (!(to & ~seen_by->lanes)) return RACE_ORDERED;
        weak = true;
    }
    return weak ? RACE_WEAK : RACE_UNORDERED;
}

bool race_phases_copied(const race_block *b, const race_access *copy, const race_access *now, unsigned lane_now) {
    const race_phases *p = b->phases;
    unsigned number = copy->row - 1u;
    uint32_t to = now->cls == ENG_UNIFORM ? now->mask : UINT32_C(1) << (lane_now & 31);
    if (!p || !p->used) return false;
    if (p->warps[now->warp].copied[number] > copy->value) return true;
    for (unsigned k = 0; k < p->n_parts[now->warp]; k++) {
        const part *seen_by = &p->parts[now->warp][k];
        if (!(to & ~seen_by->lanes) && seen_by->clock.copied[number] > copy->value) return true;
    }
    return false;
}

/* --- storage ------------------------------------------------------------------------------------------ */

typedef void each(race_state *st, const race_phases *p, clock *c);
static void each_clock(race_state *st, race_phases *p, each *visit) {
    for (unsigned k = 0; k < OBJECTS; k++) {
        visit(st, p, &p->objects[k].now);
        visit(st, p, &p->objects[k].past[0]);
        visit(st, p, &p->objects[k].past[1]);
    }
    for (unsigned w = 0; w < 32; w++) {
        visit(st, p, &p->warps[w]);
        for (unsigned k = 0; k < PARTIAL; k++) visit(st, p, &p->parts[w][k].clock);
    }
}

static void rename_clock(race_state *st, const race_phases *p, clock *c) {
    for (uint32_t k = 0; c->below && k < 2 * p->lanes; k++) c->below[k] = c->below[k] ? st->rank[c->below[k]] : 0;
}
void race_phases_rename(race_state *st, race_block *b) {
    if (b->phases) each_clock(st, b->phases, rename_clock);
}

static void forget_clock(race_state *st, const race_phases *p, clock *c) {
    (void)st;
    forget(p, c);
}
/* Another block begins in its place. */
void race_phases_forget(race_block *b) {
    race_phases *p = b->phases;
    if (!p || !p->used) return;
    each_clock(NULL, p, forget_clock);
    p->n_objects = 0;
    memset(p->n_parts, 0, sizeof p->n_parts);
    p->used = false;
}

static void free_one(race_state *st, const race_phases *p, clock *c) {
    (void)st, (void)p;
    free_clock(c);
}
void race_phases_free(race_block *b) {
    if (b->phases) each_clock(NULL, b->phases, free_one);
    free(b->phases);
}
