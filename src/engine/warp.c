#include "engine/warp.h"

#include <stdio.h>
#include <string.h>

#include "engine/cluster.h"
#include "engine/driver.h"
#include "engine/order.h"
#include "engine/plan.h"
#include "engine/run.h"
#include "engine/undefined.h"

static uint32_t first_lane(uint32_t mask) { return (uint32_t)__builtin_ctz(mask | 0x80000000u); }

static uint32_t *barrier_slot(const eng_warp *w, unsigned b) {
    return (uint32_t *)(void *)(w->R + w->barrier_b + b * ENG_SLOT);
}

void eng_park(eng_warp *w, eng_group group) {
    if (group.mask) w->groups[w->n_groups++] = group; /* groups are disjoint: never more than 32 */
}

static void drop_group(eng_warp *w, unsigned n) {
    memmove(&w->groups[n], &w->groups[n + 1], (w->n_groups - n - 1u) * sizeof *w->groups);
    w->n_groups--;
}

/* Issues that an H200 makes beside those of the groups (docs/fidelity.md). */
static void count_again(const eng_warp *w, const eng_ins *at, int warps, uint32_t lanes) {
    eng_count_one(w->worker, at->function, at->id, warps, (uint32_t)__builtin_popcount(lanes));
}

/* A late group at a BSYNC is issued together with the lanes that wait there. */
static void count_waiting(const eng_warp *w, const eng_group *late) {
    for (unsigned n = 0; n < w->n_groups; n++) {
        const eng_group *g = &w->groups[n];
        if (g->state == ENG_GROUP_BSYNC && g->at->id == late->pc->id && g->at->function == late->pc->function)
            count_again(w, g->at, 0, g->mask);
    }
}

static void ready_are_late(eng_warp *w) {
    for (unsigned n = 0; n < w->n_groups; n++) w->groups[n].late |= w->groups[n].state == ENG_GROUP_READY;
}

const eng_ins *eng_next_group(eng_warp *w) {
    for (unsigned n = w->n_groups; n-- > 0;) {
        if (w->groups[n].state != ENG_GROUP_READY) continue;
        const eng_ins *pc = w->groups[n].pc;
        w->mask = w->groups[n].mask;
        if (w->groups[n].late) count_waiting(w, &w->groups[n]);
        drop_group(w, n);
        return pc;
    }
    w->mask = 0;
    eng_set_state(w, w->n_groups ? ENG_WARP_WAITS : ENG_WARP_DONE);
    return w->stop;
}

/* --- convergence ----------------------------------------------------------------------- */

/* Lanes that a parked group waits for, and those that have come. */
static uint32_t awaited(const eng_warp *w, const eng_group *g) {
    if (g->state == ENG_GROUP_WARPSYNC) return g->want & ~w->exited;
    return barrier_slot(w, g->barrier)[first_lane(g->mask)] & ~w->exited;
}

/* In a recursion lanes may wait at one barrier for different others, at different depths. */
static bool same_wait(const eng_warp *w, const eng_group *g, const eng_group *h) {
    if (g->state != h->state) return false;
    if (g->state == ENG_GROUP_WARPSYNC) return g->at == h->at && (!g->at->y || g->want == h->want);
    const uint32_t *slot = barrier_slot(w, g->barrier);
    return g->barrier == h->barrier && slot[first_lane(g->mask)] == slot[first_lane(h->mask)];
}

/* What releases those who wait. */
typedef enum cause { CAUSE_ARRIVAL, CAUSE_EXIT, CAUSE_BREAK } cause;

/* The groups that wait with g go on; those at one place as one group. */
static void release(eng_warp *w, unsigned n, cause why) {
    eng_group freed[32], key = w->groups[n];
    unsigned n_freed = 0, n_waiting = 0;
    for (unsigned k = w->n_groups; k-- > 0;) {
        eng_group g = w->groups[k];
        if (!same_wait(w, &g, &key)) continue;
        drop_group(w, k);
        n_waiting++;
        unsigned f = 0;
        while (f < n_freed && freed[f].pc != g.pc) f++;
        if (f == n_freed) freed[n_freed++] = (eng_group){.pc = g.pc, .at = g.at, .state = ENG_GROUP_READY};
        freed[f].mask |= g.mask;
    }
    /* Lanes that the last one to arrive frees go on behind a BSYNC, but try a WARPSYNC again. Those that a BREAK
     * frees try again too, when their turn comes. */
    bool again = key.state == ENG_GROUP_WARPSYNC ? why == CAUSE_ARRIVAL && n_waiting > 1 : why == CAUSE_BREAK;
    for (unsigned f = 0; f < n_freed; f++) {
        if (again) count_again(w, freed[f].at, 1, freed[f].mask);
        eng_park(w, freed[f]);
    }
    if (why == CAUSE_BREAK) ready_are_late(w);
}

/* Lets go on whoever has nobody left to wait for. */
static void settle(eng_warp *w, cause why) {
    for (unsigned n = 0; n < w->n_groups; n++) {
        const eng_group *g = &w->groups[n];
        if (g->state != ENG_GROUP_BSYNC && g->state != ENG_GROUP_WARPSYNC) continue;
        uint32_t come = 0;
        for (unsigned k = 0; k < w->n_groups; k++)
            if (same_wait(w, &w->groups[k], g)) come |= w->groups[k].mask;
        if (awaited(w, g) & ~come) continue;
        release(w, n, why);
        n = (unsigned)-1; /* from the start: the list has changed */
    }
}

/* With a seed: a number for this place in the run. */
static uint64_t chance(const eng_warp *w) {
    uint64_t warp = w->block->linear * 32 + w->index;
    return eng_order_mix(w->worker->grid->launch->seed ^ eng_order_mix(warp + 1) ^ w->executed << 8);
}

const eng_ins *eng_split(eng_warp *w, uint32_t first, const eng_ins *to, const eng_ins *later) {
    if (__builtin_expect(w->worker->shuffled, 0) && chance(w) & 1) {
        const eng_ins *other = later;
        first = w->mask & ~first, later = to, to = other;
    }
    ready_are_late(w);
    eng_park(w, (eng_group){.pc = later, .at = later, .mask = w->mask & ~first, .state = ENG_GROUP_READY});
    w->mask = first;
    return to;
}

const eng_ins *eng_bsync(eng_warp *w, const eng_ins *i, uint32_t lanes) {
    eng_park(w, (eng_group){.pc = i + 1, .at = i + 1, .mask = w->mask & ~lanes, .state = ENG_GROUP_READY});
    eng_park(w, (eng_group){.pc = i + 1, .at = i, .mask = lanes, .state = ENG_GROUP_BSYNC, .barrier = (uint8_t)i->x});
    settle(w, CAUSE_ARRIVAL);
    return eng_next_group(w);
}

const eng_ins *eng_warpsync(eng_warp *w, const eng_ins *i, uint32_t lanes, uint32_t want) {
    eng_park(w, (eng_group){.pc = i + 1, .at = i + 1, .mask = w->mask & ~lanes, .state = ENG_GROUP_READY});
    eng_park(w, (eng_group){.pc = i + 1, .at = i, .mask = lanes, .state = ENG_GROUP_WARPSYNC, .want = want});
    settle(w, CAUSE_ARRIVAL);
    return eng_next_group(w);
}

/* The lanes no longer take part in a barrier: whoever waits with the same mask must not wait for them. */
static void leave_barrier(eng_warp *w, unsigned b, uint32_t lanes) {
    uint32_t *slot = barrier_slot(w, b), mask = slot[first_lane(lanes)];
    for (unsigned l = 0; l < 32; l++)
        if (slot[l] == mask && ((mask >> l & 1) || (lanes >> l & 1))) slot[l] = mask & ~lanes;
}

void eng_break(eng_warp *w, const eng_ins *i, uint32_t lanes) {
    leave_barrier(w, i->x, lanes);
    if (w->n_groups) settle(w, CAUSE_BREAK);
}

/* --- ends and progress ------------------------------------------------------------------ */

static void exit_event(eng_warp *w, const eng_ins *i, uint32_t lanes, uint32_t idle) {
    if (!lanes) return;
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = ENG_EV_EXIT, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                      .mask = lanes, .more = idle};
    eng_event_done(w);
}

const eng_ins *eng_exit(eng_warp *w, const eng_ins *i, uint32_t lanes) {
    eng_worker *k = w->worker;
    uint32_t idle = lanes & ~w->worked;
    w->exited |= lanes;
    w->mask &= ~lanes;
    if (idle) k->idle_threads += (uint32_t)__builtin_popcount(idle);
    if (k->wants & 1u << ENG_EV_EXIT) {
        exit_event(w, i, lanes & w->worked, 0);
        exit_event(w, i, idle, 1);
    }
    w->block->live_lanes -= lanes == ENG_ALL ? 32 : (uint32_t)__builtin_popcount(lanes);
    if (w->n_groups) settle(w, CAUSE_EXIT);
    if (w->block->barriers_used) eng_barriers_recheck(w->block);
    if (w->cluster) eng_cluster_exit(w, lanes);
    return w->mask ? i + 1 : eng_next_group(w);
}

/* Lanes parked at a BSYNC while the others spin: real devices let them go on (a lock taken by a lane that has left
 * the loop is released nowhere else). They leave the barrier and run as groups of their own. */
static void release_for_spinners(eng_warp *w) {
    for (unsigned n = 0; n < w->n_groups; n++) {
        eng_group *g = &w->groups[n];
        if (g->state != ENG_GROUP_BSYNC) continue;
        leave_barrier(w, g->barrier, g->mask);
        g->state = ENG_GROUP_READY;
    }
}

/* Lanes at a WARPSYNC, and all that it waits for are parked at a BSYNC, which waits for these: an H200 lets the WARPSYNC go
 * on without them. (Lanes at two WARPSYNCs that wait for each other hang there as well.) */
bool eng_warpsync_alone(eng_warp *w) {
    uint32_t parked = 0;
    for (unsigned n = 0; n < w->n_groups; n++)
        if (w->groups[n].state == ENG_GROUP_BSYNC) parked |= w->groups[n].mask;
    for (unsigned n = 0; parked && n < w->n_groups; n++) {
        const eng_group *g = &w->groups[n];
        uint32_t come = 0;
        for (unsigned k = 0; k < w->n_groups; k++)
            if (same_wait(w, &w->groups[k], g)) come |= w->groups[k].mask;
        if (g->state != ENG_GROUP_WARPSYNC || (awaited(w, g) & ~come & ~parked)) continue;
        release(w, n, CAUSE_EXIT);
        eng_set_state(w, ENG_WARP_READY);
        return true;
    }
    return false;
}

enum { SPINS_UNTIL_RELEASE = 8 };

const eng_ins *eng_yield(eng_warp *w, const eng_ins *to) {
    bool others = false;
    for (unsigned n = 0; n < w->n_groups; n++) others |= w->groups[n].state == ENG_GROUP_READY;
    w->spins = w->spinning ? w->spins + 1 : 0;
    if (w->spinning && !others && w->spins >= SPINS_UNTIL_RELEASE) release_for_spinners(w);
    /* first in the list: taken again after all others */
    eng_group self = {.pc = to, .at = to, .mask = w->mask, .state = ENG_GROUP_READY};
    memmove(&w->groups[1], &w->groups[0], w->n_groups * sizeof *w->groups);
    w->groups[0] = self;
    w->n_groups++;
    w->mask = 0;
    return w->stop;
}

const eng_ins *eng_end(eng_warp *w, const eng_ins *i) {
    (void)i;
    w->mask = 0;
    eng_set_state(w, ENG_WARP_WAITS);
    w->worker->stop = true;
    return w->stop;
}

/* --- jumps whose target lies in a register ---------------------------------------------- */

/* A place inside a basic block, which no counter stands before, is counted by itself. */
static const eng_ins *enter(eng_warp *w, const eng_ins *i, uint64_t place, uint32_t lanes) {
    const eng_unit *unit;
    unsigned index;
    const eng_ins *to = eng_plan_at(w->worker->grid->plan, place, &unit, &index);
    if (!to) {
        eng_finding f = {.kind = ENG_FAULT_WILD, .lanes = lanes, .address = place, .fatal = true};
        snprintf(f.text, sizeof f.text, "jump to 0x%llx, where no instruction is", (unsigned long long)place);
        eng_fault(w, i, &f);
        return NULL;
    }
    if (unit->planned[index].ins == unit->planned[index].self ||
        to->fn == w->worker->device->count_guard || to->fn == w->worker->device->trace)
        eng_count_part(w->worker, unit, index, (uint32_t)__builtin_popcount(lanes), 1);
    if (w->undefined && w->undefined->slow) return eng_undefined_at(w->worker->grid->plan, unit, index);
    return to;
}

/* Of the lanes those that go where one of them goes. */
static uint32_t go_along(const uint64_t place[32], uint32_t lanes, unsigned lane) {
    uint32_t same = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (place[first_lane(left)] == place[lane]) same |= left & -left;
    return same;
}

/* The group that goes first, as on an H200: that of the lowest lane, unless it is more than half of all: then that of the lowest other one. */
static uint32_t first_to_go(const eng_warp *w, const uint64_t place[32], uint32_t lanes) {
    const unsigned from = w->worker->shuffled ? chance(w) & 31 : 0;
    const uint32_t ahead = lanes & ENG_ALL << from, first = go_along(place, lanes, first_lane(ahead ? ahead : lanes)), rest = lanes & ~first;
    if (w->worker->shuffled || __builtin_popcount(first) <= __builtin_popcount(rest)) return first;
    return rest ? go_along(place, lanes, first_lane(rest)) : first;
}

/* Lanes wait for those they name, each group that names the same ones by itself. Where the groups go on apart it is issued once more for all that
 * are left, as a jump is. */
const eng_ins *eng_warpsync_named(eng_warp *w, const eng_ins *i, uint32_t lanes, const uint32_t named[32]) {
    uint64_t with[32];
    for (unsigned l = 0; l < 32; l++) with[l] = named[l];
    eng_group groups[32];
    unsigned n = 0;
    eng_park(w, (eng_group){.pc = i + 1, .at = i + 1, .mask = w->mask & ~lanes, .state = ENG_GROUP_READY});
    while (lanes) {
        const uint32_t same = first_to_go(w, with, lanes);
        if (n && i->z) count_again(w, i, 1, lanes);
        groups[n++] = (eng_group){.pc = i + 1, .at = i, .mask = same, .state = ENG_GROUP_WARPSYNC, .want = named[first_lane(same)]};
        lanes &= ~same;
    }
    while (n) eng_park(w, groups[--n]);
    settle(w, CAUSE_ARRIVAL);
    return eng_next_group(w);
}

/* The lanes that have not gone issue the jump once more, as often as there are places. */
const eng_ins *eng_scatter(eng_warp *w, const eng_ins *i, uint64_t place[32], uint32_t lanes) {
    uint64_t furthest = 0, *counts = w->counts + i->x;
    for (unsigned l = 0; l < 32; l++)
        if ((lanes >> l & 1) && place[l] > furthest) furthest = place[l];
    if (furthest >= ENG_EXTERN_PLACE && !eng_driver_call(w, i, place, lanes)) return eng_end(w, i);
    eng_group groups[33];
    unsigned n = 0;
    const uint32_t stay = w->mask & ~lanes;
    while (lanes) {
        const uint32_t same = first_to_go(w, place, lanes);
        const eng_ins *pc = enter(w, i, place[first_lane(same)], same);
        if (!pc) return eng_end(w, i);
        if (n) count_again(w, i, 1, lanes);
        groups[n++] = (eng_group){.pc = pc, .at = pc, .mask = same, .state = ENG_GROUP_READY};
        lanes &= ~same;
    }
    if (stay) groups[n++] = (eng_group){.pc = i + 1, .at = i + 1, .mask = stay, .state = ENG_GROUP_READY};
    if (n > 1) {
        ready_are_late(w);
        counts[ENG_COUNT_DIVERGENT]++;
        counts[ENG_COUNT_FURTHER] += n - 2;
    }
    while (n) eng_park(w, groups[--n]); /* the last one goes first */
    return eng_next_group(w);
}

/* --- running ---------------------------------------------------------------------------- */

void eng_run_warp(eng_warp *w) {
    w->budget = ENG_QUANTUM;
    w->spinning = false;
    const eng_ins *i = w->pc;
    if (i) w->pc = NULL; /* a whole warp goes on behind its barrier */
    else i = eng_next_group(w);
    while (i) i = i->fn(i, w, w->R, w->mask);
}
