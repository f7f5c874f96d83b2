/* Thread block clusters: order by their barrier, and accesses of another block's shared memory.
 *
 * A warp that goes on behind the barrier comes after what each warp of the cluster had done, and fenced, when it arrived there. So each
 * phase of the barrier has a clock: for each warp of the cluster, a token. A thread arrives again only after it waited: of phases only
 * the one under way and the two before it are asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/race.h"

enum { CLUSTER_WARPS = 32 * ENG_CLUSTER_BLOCKS, CLOCKS = 3 };
struct race_cluster {
    struct race_cluster *next;
    uint64_t number;
    uint32_t begun, ended; /* blocks of it that did so */
    struct { uint32_t phase; bool used; uint32_t below[CLUSTER_WARPS]; race_knowledge known; } clocks[CLOCKS]; /* by phase modulo CLOCKS */
};

static const uint32_t *dimensions(const race_state *st) { return st->ctx.launch->cluster; }
static uint32_t size_of(const race_state *st) { return dimensions(st)[0] * dimensions(st)[1] * dimensions(st)[2]; }
bool race_clustered(const race_state *st) { return size_of(st) > 1; }

/* Where a block is: the number of its cluster, and its rank there. */
static uint64_t cluster_of(const race_state *st, uint64_t linear, uint32_t *rank) {
    return race_clustered(st) ? eng_cluster_of(st->ctx.launch->grid, dimensions(st), linear, rank) : (*rank = 0, linear);
}

/* --- who is under way --------------------------------------------------------------------------- */

static race_cluster *cluster_at(race_state *st, uint64_t number, uint32_t size) {
    race_cluster *c = st->clusters;
    while (c && (c->number != number || c->begun == size)) c = c->next;
    if (c) return c;
    if (!(c = calloc(1, sizeof *c))) return st->failed = true, NULL;
    c->number = number;
    c->next = st->clusters;
    return st->clusters = c;
}

void race_cluster_begin(race_state *st, race_block *b) {
    uint64_t number = cluster_of(st, b->linear, &b->rank);
    b->cluster = race_clustered(st) ? cluster_at(st, number, size_of(st)) : NULL;
    if (!b->cluster) return;
    b->cluster->begun++;
    b->copies = true; /* others reach its shared memory, whom its own barriers do not order */
}

static void free_cluster(race_cluster *c) {
    for (unsigned k = 0; k < CLOCKS; k++) wg_vec_free(&c->clocks[k].known);
    free(c);
}

void race_cluster_end(race_state *st, race_block *b) {
    race_cluster *c = b->cluster, **at = &st->clusters;
    b->cluster = NULL;
    if (!c || ++c->ended < (race_clustered(st) ? size_of(st) : 1)) return;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    free_cluster(c);
}

void race_clusters_free(race_state *st) {
    for (race_cluster *c = st->clusters, *next; c; c = next) {
        next = c->next;
        free_cluster(c);
    }
    st->clusters = NULL;
}

void race_clusters_rename(race_state *st) {
    for (race_cluster *c = st->clusters; c; c = c->next)
        for (unsigned k = 0; k < CLOCKS; k++)
            for (unsigned w = 0; w < CLUSTER_WARPS; w++)
                if (c->clocks[k].below[w]) c->clocks[k].below[w] = st->rank[c->clocks[k].below[w]];
}

/* --- the barrier ---------------------------------------------------------------------------------- */

void race_cluster_arrive(race_state *st, race_block *b, const eng_event *ev) {
    if (!b->cluster && (b->cluster = cluster_at(st, b->linear, 1))) b->cluster->begun++; /* a block without a cluster is one of its own */
    race_cluster *c = b->cluster;
    race_warp *warp = &b->warps[ev->warp];
    unsigned k = ev->more % CLOCKS, last = (ev->more + CLOCKS - 1) % CLOCKS;
    if (!c) return;
    if (!c->clocks[k].used || c->clocks[k].phase != ev->more) { /* the first of it; whoever comes here came after the one before */
        c->clocks[k].used = true;
        c->clocks[k].phase = ev->more;
        c->clocks[k].known.count = 0;
        memset(c->clocks[k].below, 0, sizeof c->clocks[k].below);
        if (ev->more && c->clocks[last].used) memcpy(c->clocks[k].below, c->clocks[last].below, sizeof c->clocks[k].below);
    }
    uint32_t *own = &c->clocks[k].below[b->rank * 32 + ev->warp];
    uint32_t done = warp->fence > warp->fence_all ? warp->fence : warp->fence_all;
    if (done > *own) *own = done;
    for (size_t n = 0; n < warp->acquired.count; n++) race_knowledge_add(&c->clocks[k].known, warp->acquired.at[n].log, warp->acquired.at[n].n);
    for (size_t n = 0; n < b->acquired.count; n++) race_knowledge_add(&c->clocks[k].known, b->acquired.at[n].log, b->acquired.at[n].n);
    warp->changed = st->n;
}

void race_cluster_wait(race_state *st, race_block *b, const eng_event *ev) {
    race_cluster *c = b->cluster;
    race_warp *warp = &b->warps[ev->warp];
    unsigned k = ev->more % CLOCKS;
    if (!c || !c->clocks[k].used || c->clocks[k].phase != ev->more) return;
    warp->phases = ev->more + 1;
    warp->changed = st->n;
    for (size_t n = 0; n < c->clocks[k].known.count; n++) race_knowledge_add(&warp->acquired, c->clocks[k].known.at[n].log, c->clocks[k].known.at[n].n);
}

bool race_same_cluster(const race_state *st, const race_block *b, uint32_t linear) {
    uint32_t rank;
    return linear == b->linear || (race_clustered(st) && cluster_of(st, linear, &rank) == cluster_of(st, b->linear, &rank));
}

/* Does what a warp of the cluster did before a token come before what this one does now? */
bool race_cluster_ordered(const race_state *st, const race_block *b, unsigned warp, const race_access *a, uint32_t token) {
    const race_cluster *c = b->cluster;
    const uint32_t phases = b->warps[warp].phases;
    uint32_t rank;
    if (!c || !phases || cluster_of(st, a->block, &rank) != c->number) return false;
    unsigned k = (phases - 1) % CLOCKS;
    return c->clocks[k].phase == phases - 1 && token < c->clocks[k].below[rank * 32 + a->warp];
}

/* --- shared memory of another block ------------------------------------------------------------------- */

race_block *race_owner(race_state *st, const race_block *b, uint64_t address) {
    uint32_t rank;
    uint64_t number = cluster_of(st, b->linear, &rank);
    return race_block_of(st, eng_cluster_block(st->ctx.launch->grid, dimensions(st), number, (uint32_t)(address >> ENG_RANK_SHIFT)));
}

/* One location of a block's shared memory, as global memory has addresses. */
uint64_t race_shared_place(const race_block *owner, uint64_t offset) {
    return UINT64_C(0xc2) << 56 | (uint64_t)owner->linear << ENG_RANK_SHIFT | offset;
}

/* A block ends: has somebody reached into its shared memory for whom it did not wait? */
static bool waited_for(race_state *st, const race_block *b, race_mark mark) {
    const race_access *a = race_access_of(st, mark);
    for (unsigned w = 0; w < st->n_warps; w++) {
        race_access now = {.block = b->linear, .warp = (uint16_t)w};
        if (race_order_of(st, RACE_TOKEN(mark), RACE_LANE(mark), &now, 32) == RACE_ORDERED) return true;
    }
    return a->block == b->linear;
}

static void check_mark(race_state *st, const race_block *b, race_mark mark, uint64_t address) {
    const race_access *a = race_access_of(st, mark);
    if (a->block == b->linear || waited_for(st, b, mark)) return;
    watch_finding f = {.kind = WATCH_KIND_RACE, .severity = WATCH_ERROR, .key = 8, .at = race_side_of(st, mark, address)};
    f.at.space = ENG_CLUSTER;
    if (watch_findings_again(&st->findings, &f)) return;
    snprintf(f.message, sizeof f.message, "%s of shared memory of another block of the cluster, which does not wait for it before it ends: "
             "cluster.sync() (barrier.cluster) belongs behind the line", a->access & ENG_ATOMIC ? "an atomic" : a->access & ENG_WRITE ? "a write" : "a read");
    watch_findings_add(&st->findings, &f);
}

void race_cluster_check_end(race_state *st, race_block *b) {
    for (uint32_t r = 0; race_clustered(st) && r < b->shared_rows; r++) {
        const race_row *row = &b->shared[r];
        if (row->epoch < b->first_epoch) continue;
        for (unsigned k = 0; k < (row->spread ? (unsigned)RACE_WORD_SLOTS : (unsigned)RACE_SLOTS); k++)
            for (uint32_t left = row->spread || row->at[k] ? row->words[k] : 0; left; left &= left - 1) {
                unsigned word = (unsigned)__builtin_ctz(left);
                check_mark(st, b, row->spread ? row->more[k][word] : row->at[k], (uint64_t)r * RACE_ROW + 4 * word);
                if (!row->spread) break;
            }
    }
}
