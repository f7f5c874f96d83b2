/* Happens-before: barriers, __syncwarp, cp.async waits, fences with flags and atomics. */
#include <stdlib.h>
#include <string.h>

#include "watch/race.h"

/* --- inside a block --------------------------------------------------------------------------- */

/* BAR.ARV: those who wait come after what the warp has done; the warp itself goes on, after nobody. */
void race_arrive(race_state *st, race_block *b, const eng_event *ev) {
    unsigned number = ev->more & (RACE_BARRIERS - 1), warp = ev->warp & 31;
    if (ev->more >> 8 != SASS_BAR_ARV) return;
    if (!(b->gone_on >> number & 1)) b->passed[number] = 0;
    b->gone_on |= 1u << number;
    b->passed[number] |= 1u << warp;
    b->passed_at[number][warp] = st->n;
    b->warps[warp].changed = st->n;
}

void race_barrier(race_state *st, race_block *b, uint32_t warps, unsigned number) {
    uint32_t live = 0, passed = b->gone_on >> number & 1 ? b->passed[number] : 0;
    b->gone_on &= ~(1u << number);
    for (unsigned w = 0; w < st->n_warps; w++) live |= (uint32_t)(b->warps[w].exited != UINT32_MAX) << w;
    race_phases_barrier(st, b, warps, warps & ~passed);
    if ((live & ~warps) == 0 && !passed) {
        bool fenced = true;
        for (unsigned w = 0; w < st->n_warps; w++) {
            race_warp *warp = &b->warps[w];
            if (warp->exited != UINT32_MAX) fenced &= warp->fenced_since != 0;
            warp->fenced_since = 0;
            warp->n_syncs = 0;
            warp->synced = warp->changed = st->n;
            for (size_t k = 0; k < warp->acquired.count; k++)
                race_knowledge_add(&b->acquired, warp->acquired.at[k].log, warp->acquired.at[k].n);
        }
        b->barrier = st->n;
        b->epoch = ++st->epochs;
        if (fenced) b->fenced_all = st->n;
        return;
    }
    if (!b->between && !(b->between = calloc(32 * 32, sizeof *b->between))) {
        st->failed = true;
        return;
    }
    for (unsigned to = 0; to < st->n_warps; to++) {
        if (!((warps & ~passed) >> to & 1)) continue;
        b->warps[to].synced = b->warps[to].changed = st->n;
        for (unsigned from = 0; from < st->n_warps; from++) {
            uint32_t *edge = &b->between[from * 32 + to];
            if (passed >> from & 1) *edge = b->passed_at[number][from] > *edge ? b->passed_at[number][from] : *edge;
            else if (warps >> from & 1) *edge = st->n;
            else for (unsigned via = 0; via < st->n_warps; via++)
                if (warps >> via & 1 && b->between[from * 32 + via] > *edge) *edge = b->between[from * 32 + via];
        }
    }
}

void race_sync_lanes(race_state *st, race_block *b, unsigned w, uint32_t mask, bool weak) {
    race_warp *warp = &b->warps[w];
    uint32_t live = ~warp->exited;
    race_phases_meet(st, b, w, mask, weak);
    warp->changed = st->n;
    if (!weak && (live & ~mask) == 0) {
        warp->synced = st->n;
        warp->n_syncs = 0;
        return;
    }
    if (warp->n_syncs == RACE_SYNCS) { /* what only the oldest one ordered is forgotten last: keep the strong ones */
        unsigned drop = 0;
        for (unsigned k = 0; k < RACE_SYNCS && !drop; k++)
            if (warp->syncs[k].weak) drop = k;
        memmove(&warp->syncs[drop], &warp->syncs[drop + 1], (RACE_SYNCS - drop - 1) * sizeof *warp->syncs);
        warp->n_syncs--;
    }
    race_sync *last = warp->n_syncs ? &warp->syncs[warp->n_syncs - 1] : NULL;
    if (last && last->mask == mask && last->weak == weak) last->token = st->n; /* the later one orders more */
    else warp->syncs[warp->n_syncs++] = (race_sync){.token = st->n, .mask = mask, .weak = weak};
}

/* Ends the meetings to which all have come that are named and live. */
static void meet(race_state *st, race_block *b, unsigned w) {
    race_warp *warp = &b->warps[w];
    for (unsigned k = warp->n_meetings; k-- > 0;) {
        race_meeting m = warp->meetings[k];
        if (m.named & ~warp->exited & ~m.arrived) continue;
        warp->meetings[k] = warp->meetings[--warp->n_meetings];
        race_sync_lanes(st, b, w, m.arrived, m.weak);
    }
}

/* Lanes that have parted may come to a __syncwarp one after the other. They go on when all are there: what each did before it came is then
 * before what all do afterwards. */
void race_syncwarp(race_state *st, race_block *b, const eng_event *ev) {
    race_warp *warp = &b->warps[ev->warp];
    bool weak = ev->access != ENG_MEETS;
    if (!(ev->more & ~warp->exited & ~ev->mask)) {
        race_sync_lanes(st, b, ev->warp, ev->mask, weak);
        return;
    }
    unsigned k = 0;
    while (k < warp->n_meetings && (warp->meetings[k].instr != ev->instr || warp->meetings[k].function != ev->function || warp->meetings[k].named != ev->more)) k++;
    if (k == RACE_MEETINGS) { /* they wait at more places than are remembered: no alarm for that */
        race_sync_lanes(st, b, ev->warp, ev->more & ~warp->exited, weak);
        return;
    }
    if (k == warp->n_meetings) warp->meetings[warp->n_meetings++] = (race_meeting){.instr = ev->instr, .function = ev->function, .named = ev->more, .weak = weak};
    warp->meetings[k].arrived |= ev->mask;
    meet(st, b, ev->warp);
}

void race_exit(race_state *st, race_block *b, const eng_event *ev) {
    b->warps[ev->warp].exited |= ev->mask;
    meet(st, b, ev->warp);
}

/* Is what `from` did before a token ordered before what `to` does now, through the meetings since then? */
static bool met(const race_warp *warp, uint32_t token, unsigned from, unsigned to, bool weak) {
    uint32_t reached = UINT32_C(1) << from;
    for (unsigned k = 0; k < warp->n_syncs; k++)
        if (warp->syncs[k].token > token && (weak || !warp->syncs[k].weak) && warp->syncs[k].mask & reached) reached |= warp->syncs[k].mask;
    return reached >> to & 1;
}

/* All but the latest `open` groups of wgmma have ended. */
static void matrices_ended(race_state *st, race_warp *warp, uint32_t open) {
    uint32_t ended = warp->matrices > open ? warp->matrices - open : 0;
    if (warp->n_waits && warp->waits[warp->n_waits - 1].ended >= ended) return;
    if (warp->n_waits == RACE_WAITS) memmove(&warp->waits[0], &warp->waits[1], --warp->n_waits * sizeof *warp->waits);
    warp->waits[warp->n_waits++] = (race_wait){.ended = ended, .at = st->n};
}

void race_async(race_state *st, race_warp *warp, uint32_t more) {
    unsigned what = more & 0xff, open = more >> 8 & 0xff;
    if (what == ENG_ASYNC_MATRIX_COMMIT) {
        warp->matrices++;
        return;
    }
    if (what == ENG_ASYNC_MATRIX_WAIT) {
        matrices_ended(st, warp, open);
        return;
    }
    if (what == ENG_ASYNC_COMMIT) {
        race_group group = {.until = st->n};
        if (!wg_vec_push(&warp->groups, group)) st->failed = true;
        return;
    }
    for (size_t k = 0; k + open < warp->groups.count; k++)
        if (!warp->groups.at[k].done) warp->groups.at[k].done = st->n;
}

/* When an asynchronous copy was waited for; UINT32_MAX: not yet. */
static uint32_t copied(const race_warp *warp, uint32_t token) {
    for (size_t k = 0; k < warp->groups.count; k++)
        if (warp->groups.at[k].until > token) return warp->groups.at[k].done ? warp->groups.at[k].done : UINT32_MAX;
    return UINT32_MAX;
}

/* --- release and acquire --------------------------------------------------------------------- */

void race_knowledge_add(race_knowledge *to, race_log *log, uint32_t n) {
    for (size_t k = 0; k < to->count; k++) {
        if (to->at[k].log != log) continue;
        if (to->at[k].n < n) to->at[k].n = n;
        return;
    }
    race_known known = {log, n};
    wg_vec_push(to, known);
}

void race_fence(race_state *st, race_block *b, unsigned w, unsigned scope, bool only_acquire) {
    race_warp *warp = &b->warps[w];
    if (scope < SASS_GPU) return;
    for (size_t k = 0; k < warp->pending.count; k++) race_knowledge_add(&warp->acquired, warp->pending.at[k].log, warp->pending.at[k].n);
    warp->pending.count = 0;
    if (only_acquire) return;
    warp->fence = warp->changed = st->n;
    warp->fence_all = b->barrier;
    warp->fenced_since = st->n;
}

static race_log *log_of(race_state *st, uint64_t address, bool make) {
    uint64_t value;
    if (wg_u64map_get(&st->logs, address, &value)) return (race_log *)(uintptr_t)value;
    if (!make) return NULL;
    race_log *log = calloc(1, sizeof *log);
    if (!log || !wg_u64map_set(&st->logs, address, (uintptr_t)log)) {
        free(log);
        st->failed = true;
        return NULL;
    }
    return log;
}

static void release(race_state *st, race_log *log, race_block *b, unsigned w) {
    const race_warp *warp = &b->warps[w];
    uint64_t last = 0;
    wg_u64map_get(&log->last, b->linear, &last);
    race_release r = {.block = b->linear, .warp = w, .own = warp->fence, .all = warp->fence_all, .previous = (uint32_t)last};
    if (b->fenced_all > r.all) r.all = b->fenced_all;
    if (r.own < r.all) r.own = r.all;
    size_t n = warp->acquired.count + b->acquired.count;
    if (n && (r.known = malloc(n * sizeof *r.known))) {
        memcpy(r.known, warp->acquired.at, warp->acquired.count * sizeof *r.known);
        if (b->acquired.count) memcpy(r.known + warp->acquired.count, b->acquired.at, b->acquired.count * sizeof *r.known);
        r.n_known = (uint32_t)n;
        log->with_known++;
    }
    r.lanes = race_phases_released(st, b, w);
    if (!wg_vec_push(&log->releases, r)) free(r.known), free(r.lanes);
    else wg_u64map_set(&log->last, b->linear, log->releases.count);
    st->synchronises = true;
}

/* What the warp had fenced is released there; to: learns of it. */
void race_release_at(race_state *st, uint64_t place, race_block *b, unsigned w, race_knowledge *to) {
    race_log *log = b->warps[w].fence ? log_of(st, place, true) : NULL;
    if (!log) return;
    release(st, log, b, w);
    race_knowledge_add(to, log, (uint32_t)log->releases.count);
}

/* Within a block the hardware keeps the order of a thread's accesses, and the compiler makes nothing of a release or an acquire of
 * block scope: every strong access of that scope is taken for one. */
static void in_block(race_state *st, race_block *b, const eng_event *ev, uint64_t address) {
    race_warp *warp = &b->warps[ev->warp];
    uint64_t place = wg_hash_u64(address ^ (uint64_t)(ev->space == ENG_SHARED) << 63) ^ (uint64_t)b->linear << 20 ^ 1;
    bool writes = ev->access & ENG_WRITE, reads = ev->access & ENG_READ && !(ev->access & ENG_REDUCTION);
    race_log *log = log_of(st, place, writes);
    if (!log) return;
    if (reads && log->releases.count) {
        race_knowledge_add(&warp->acquired, log, (uint32_t)log->releases.count);
        warp->changed = st->n;
    }
    if (!writes) return;
    uint32_t fence = warp->fence, all = warp->fence_all;
    warp->fence = st->n;
    warp->fence_all = b->barrier;
    release(st, log, b, ev->warp);
    warp->fence = fence;
    warp->fence_all = all;
    warp->changed = st->n;
}

/* An atomic or strong access of global memory: what it synchronises, one location a lane. */
void race_synchronise(race_state *st, const eng_batch *batch, const eng_event *ev, uint64_t base) {
    race_block *b = st->block;
    race_warp *warp = &b->warps[ev->warp];
    bool of_block = ev->scope != SASS_SCOPE_NONE && ev->scope < SASS_GPU;
    uint64_t done[32];
    unsigned n_done = 0;
    for (uint32_t left = ev->mask; left; left &= left - 1) {
        uint64_t address = eng_lane_address(batch, ev, (unsigned)__builtin_ctz(left));
        if (ev->space != ENG_GLOBAL && race_clustered(st)) address = race_shared_place(st->owner, address - base);
        bool again = false;
        for (unsigned k = 0; k < n_done && !again; k++) again = done[k] == address;
        if (again) continue;
        done[n_done++] = address;
        if (of_block) {
            in_block(st, b, ev, address);
            continue;
        }
        bool writes = ev->access & ENG_WRITE, reads = ev->access & ENG_READ && !(ev->access & ENG_REDUCTION);
        race_log *log = log_of(st, address, writes && warp->fence);
        if (!log) continue;
        /* The result of an atomic is taken for an acquire, as programs that count blocks do. */
        if (reads && log->releases.count)
            race_knowledge_add(ev->access & ENG_ATOMIC ? &warp->acquired : &warp->pending, log, (uint32_t)log->releases.count);
        if (writes && warp->fence) release(st, log, b, ev->warp);
    }
}

enum { SEARCH_STEPS = 512 };
static bool knows(const race_known *known, size_t n, const race_access *a, unsigned lane, uint32_t token, unsigned *steps) {
    for (size_t k = 0; k < n; k++) {
        const race_log *log = known[k].log;
        uint64_t at = 0;
        if (++*steps > SEARCH_STEPS) return true; /* too far to follow: no alarm without proof */
        wg_u64map_get(&log->last, a->block, &at);
        for (; at; at = log->releases.at[at - 1].previous) {
            const race_release *r = &log->releases.at[at - 1];
            if (at > known[k].n) continue;
            if ((r->warp == a->warp && token < r->own) || token < r->all || (r->lanes && token < r->lanes[32u * a->warp + lane])) return true;
        }
    }
    for (size_t k = 0; k < n; k++) {
        const race_log *log = known[k].log;
        if (!log->with_known) continue;
        for (uint32_t i = known[k].n; i-- > 0;) {
            const race_release *r = &log->releases.at[i];
            if (++*steps > SEARCH_STEPS || (r->n_known && knows(r->known, r->n_known, a, lane, token, steps))) return true;
        }
    }
    return false;
}

/* --- the question ------------------------------------------------------------------------------ */

static race_order order_of(race_state *st, const race_access *a, uint32_t before, unsigned lane_before, const race_access *now, unsigned lane_now);

/* The four warps of a warp group end their groups together: what comes after a wait by any of them, or by any lane, comes after what all have
 * read for these groups. */
static race_order after_matrix(race_state *st, const race_access *a, const race_access *now, unsigned lane_now) {
    unsigned first = a->warp / RACE_GROUP_WARPS * RACE_GROUP_WARPS;
    if (a->block != st->block->linear) return RACE_UNORDERED;
    for (unsigned w = first; w < first + RACE_GROUP_WARPS && w < st->n_warps; w++) {
        const race_warp *warp = &st->block->warps[w];
        unsigned k = 0;
        while (k < warp->n_waits && warp->waits[k].ended <= a->value) k++;
        if (k == warp->n_waits) continue;
        if (w == now->warp) return RACE_ORDERED;
        race_access wait = {.block = a->block, .warp = (uint16_t)w, .cls = ENG_GENERAL, .width = 4};
        for (unsigned lane = 0; lane < 32; lane++)
            if (order_of(st, &wait, warp->waits[k].at - 1, lane, now, lane_now) == RACE_ORDERED) return RACE_ORDERED;
    }
    return RACE_UNORDERED;
}

static race_order order_of(race_state *st, const race_access *a, uint32_t before, unsigned lane_before, const race_access *now, unsigned lane_now) {
    race_block *b = st->block;
    race_warp *warp = &b->warps[now->warp];
    unsigned steps = 0;
    bool bulk = eng_is_bulk(a->access), weak = false; /* weak: but for a shuffle, nothing was found yet */
    if (race_is_matrix(a)) return after_matrix(st, a, now, lane_now);
    if (bulk && a->row && a->step == b->rank && race_same_cluster(st, b, a->block)) return race_phases_copied(b, a, now, lane_now) ? RACE_ORDERED : RACE_UNORDERED;
    if (a->block == b->linear) {
        uint32_t token = before;
        if (bulk ? !a->row : a->access & ENG_ASYNC && a->access & ENG_WRITE) {
            if (!bulk && race_phases_order(b, a, lane_before, before, true, now, lane_now) == RACE_ORDERED) return RACE_ORDERED;
            token = copied(&b->warps[a->warp], before);
            if (token == UINT32_MAX) return RACE_UNORDERED;
            token--; /* what follows the wait comes after it */
            if (bulk && a->warp == now->warp) return RACE_ORDERED; /* of lanes that ask together only one is known */
        }
        if (token < b->barrier) return RACE_ORDERED;
        if (a->warp == now->warp) {
            if (lane_before == lane_now || token < warp->synced || (lane_now < 32 && met(warp, token, lane_before, lane_now, false))) return RACE_ORDERED;
            weak = lane_now < 32 && met(warp, token, lane_before, lane_now, true);
        } else if (b->between && token < b->between[a->warp * 32 + now->warp]) {
            return RACE_ORDERED;
        }
        race_order order = race_phases_order(b, a, lane_before, token, false, now, lane_now);
        if (order == RACE_ORDERED) return order;
        weak |= order == RACE_WEAK;
    }
    if (race_cluster_ordered(st, b, now->warp, a, before)) return RACE_ORDERED;
    if (!st->synchronises) return weak ? RACE_WEAK : RACE_UNORDERED;
    if (knows(warp->acquired.at, warp->acquired.count, a, lane_before, before, &steps) ||
        knows(b->acquired.at, b->acquired.count, a, lane_before, before, &steps))
        return RACE_ORDERED;
    return weak ? RACE_WEAK : RACE_UNORDERED;
}

race_order race_order_of(race_state *st, uint32_t before, unsigned lane_before, const race_access *now, unsigned lane_now) {
    return order_of(st, race_access_of(st, before), before, lane_before, now, lane_now);
}

bool race_asked_before(race_state *st, uint32_t before, unsigned lane_before, const race_access *now, unsigned lane_now) {
    race_access a = *race_access_of(st, before);
    a.access &= (uint16_t)~ENG_ASYNC;
    return order_of(st, &a, before, lane_before, now, lane_now) == RACE_ORDERED;
}

void race_order_free(race_state *st) {
    for (size_t i = 0; i < st->logs.room; i++) {
        if (!st->logs.slots[i].used) continue;
        race_log *log = (race_log *)(uintptr_t)st->logs.slots[i].value;
        for (size_t k = 0; k < log->releases.count; k++) {
            free(log->releases.at[k].known);
            free(log->releases.at[k].lanes);
        }
        wg_vec_free(&log->releases);
        wg_u64map_free(&log->last);
        free(log);
    }
    wg_u64map_free(&st->logs);
}
