/* The accesses of a launch that some row of the shadow still remembers. When the table is full, those that none remembers go, and the
 * tokens of the others close ranks: their order, and every "before this token", stay. */
#include <stdlib.h>
#include <string.h>

#include "watch/race.h"

enum { FIRST_ROOM = 1 << 14, LARGE = 1 << 20 };

static bool grow(race_state *st, uint32_t room) {
    while (st->room < room) {
        race_access *piece = room <= RACE_TOKENS ? watch_scratch_take(st->scratch, RACE_PIECE * sizeof *piece, false) : NULL;
        if (!piece || !wg_vec_push(&st->accesses, piece)) return st->failed = true, false;
        st->room += RACE_PIECE;
    }
    return true;
}

/* While tidying, st->rank[t] is what token t becomes; before that, not 0 for those that stay. */
static void note(race_state *st, race_mark *mark) { st->rank[RACE_TOKEN(*mark)] = 1; }
static void rename_mark(race_state *st, race_mark *mark) { *mark = RACE_LANE(*mark) << 27 | st->rank[RACE_TOKEN(*mark)]; }
static void rename_bound(const race_state *st, uint32_t *bound) { if (*bound) *bound = st->rank[*bound]; }

static void each_bound_of_warp(const race_state *st, race_warp *w) {
    rename_bound(st, &w->synced);
    rename_bound(st, &w->fence);
    rename_bound(st, &w->fence_all);
    rename_bound(st, &w->fenced_since);
    rename_bound(st, &w->changed);
    for (unsigned k = 0; k < w->n_syncs; k++) rename_bound(st, &w->syncs[k].token);
    for (unsigned k = 0; k < w->n_waits; k++) rename_bound(st, &w->waits[k].at);
    for (size_t k = 0; k < w->groups.count; k++) {
        rename_bound(st, &w->groups.at[k].until);
        rename_bound(st, &w->groups.at[k].done);
    }
}

static void each_bound(race_state *st) {
    for (race_block *b = st->blocks; b; b = b->next) {
        rename_bound(st, &b->barrier);
        rename_bound(st, &b->fenced_all);
        for (unsigned w = 0; w < st->n_warps; w++) each_bound_of_warp(st, &b->warps[w]);
        for (unsigned k = 0; k < RACE_BARRIERS; k++)
            for (unsigned w = 0; b->gone_on >> k & 1 && w < 32; w++)
                if (b->passed[k] >> w & 1) rename_bound(st, &b->passed_at[k][w]);
        for (unsigned k = 0; b->between && k < 32 * 32; k++) rename_bound(st, &b->between[k]);
        race_phases_rename(st, b);
    }
    race_clusters_rename(st);
    for (size_t i = 0; i < st->logs.room; i++) {
        race_log *log = st->logs.slots[i].used ? (race_log *)(uintptr_t)st->logs.slots[i].value : NULL;
        for (size_t k = 0; log && k < log->releases.count; k++) {
            rename_bound(st, &log->releases.at[k].own);
            rename_bound(st, &log->releases.at[k].all);
            for (unsigned l = 0; log->releases.at[k].lanes && l < 32 * st->n_warps; l++) rename_bound(st, &log->releases.at[k].lanes[l]);
        }
    }
}

static bool tidy(race_state *st) {
    if (!(st->rank = calloc((size_t)st->n + 1, sizeof *st->rank))) return st->failed = true, false;
    race_each_mark(st, note);
    for (race_block *b = st->blocks; b; b = b->next) /* a wait is a token of its own */
        for (unsigned w = 0; w < st->n_warps; w++) {
            for (size_t k = 0; k < b->warps[w].groups.count; k++)
                if (b->warps[w].groups.at[k].done) st->rank[b->warps[w].groups.at[k].done - 1] = 1;
            for (unsigned k = 0; k < b->warps[w].n_waits; k++)
                if (b->warps[w].waits[k].at) st->rank[b->warps[w].waits[k].at - 1] = 1;
        }
    uint32_t n = 1;
    for (uint32_t t = 1; t <= st->n; t++) {
        bool stays = t < st->n && st->rank[t];
        if (stays) *race_access_of(st, n) = *race_access_of(st, t);
        st->rank[t] = n;
        n += stays;
    }
    race_each_mark(st, rename_mark);
    each_bound(st);
    st->n = n;
    free(st->rank);
    st->rank = NULL;
    return true;
}

bool race_room(race_state *st) {
    if (st->n < st->room) return true;
    if (!st->room) return grow(st, FIRST_ROOM);
    bool pays = st->n_shared > st->room / 2 || st->room >= LARGE; /* barriers have made those of shared memory superfluous */
    st->n_shared = 0;
    if (!pays) return grow(st, st->room * 2);
    return tidy(st) && (st->n < st->room / 2 || grow(st, st->room * 2));
}
