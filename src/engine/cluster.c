#include "engine/cluster.h"

#include <stdio.h>

#include "engine/warp.h"

uint64_t eng_cluster_block(const uint32_t grid[3], const uint32_t c[3], uint64_t cluster, uint32_t rank) {
    uint32_t across[2] = {grid[0] / c[0], grid[1] / c[1]};
    uint64_t x = cluster % across[0] * c[0] + rank % c[0], y = cluster / across[0] % across[1] * c[1] + rank / c[0] % c[1];
    uint64_t z = cluster / across[0] / across[1] * c[2] + rank / c[0] / c[1];
    return x + grid[0] * (y + grid[1] * z);
}

uint64_t eng_cluster_of(const uint32_t grid[3], const uint32_t c[3], uint64_t block, uint32_t *rank) {
    uint64_t x = block % grid[0], y = block / grid[0] % grid[1], z = block / grid[0] / grid[1];
    *rank = (uint32_t)(x % c[0] + c[0] * (y % c[1] + c[1] * (z % c[2])));
    return x / c[0] + grid[0] / c[0] * (y / c[1] + grid[1] / c[1] * (z / c[2]));
}

void eng_cluster_begin(eng_cluster *cluster, const eng_grid *grid) {
    *cluster = (eng_cluster){.size = grid->cluster_size, .live = grid->cluster_size * grid->threads};
}

void eng_cluster_join(eng_cluster *cluster, eng_blk *block, uint32_t rank) {
    cluster->blocks[rank] = block;
    block->rank = rank;
    for (uint32_t n = 0; n < block->n_warps; n++) {
        eng_warp *w = &block->warps[n];
        w->cluster = cluster;
        w->shared_base = rank << ENG_RANK_SHIFT;
        w->cluster_arrived = 0;
    }
}

/* --- the barrier ------------------------------------------------------------------------------------ */

static void let_go(eng_warp *w) {
    w->cluster_arrived = 0;
    for (unsigned n = 0; n < w->n_groups; n++) {
        if (w->groups[n].state != ENG_GROUP_CLUSTER) continue;
        w->groups[n].state = ENG_GROUP_READY;
        if (w->state == ENG_WARP_WAITS) eng_set_state(w, ENG_WARP_READY);
    }
}

static void settle(eng_cluster *c) {
    if (!c->live || c->arrived < c->live) return;
    c->phase++;
    c->arrived = 0;
    for (uint32_t r = 0; r < c->size; r++)
        for (uint32_t n = 0; n < c->blocks[r]->n_warps; n++) {
            eng_warp *w = &c->blocks[r]->warps[n];
            if (w->state != ENG_WARP_DONE && w->context) let_go(w);
        }
}

void eng_cluster_arrive(eng_warp *w, uint32_t lanes) {
    eng_cluster *c = w->cluster;
    c->arrived += (uint32_t)__builtin_popcount(lanes & ~w->cluster_arrived);
    w->cluster_arrived |= lanes;
    w->worked |= lanes;
    settle(c);
}

void eng_cluster_exit(eng_warp *w, uint32_t lanes) {
    eng_cluster *c = w->cluster;
    c->live -= (uint32_t)__builtin_popcount(lanes);
    c->arrived -= (uint32_t)__builtin_popcount(lanes & w->cluster_arrived);
    w->cluster_arrived &= ~lanes;
    settle(c);
}

/* --- shared memory of the others ---------------------------------------------------------------------- */

bool eng_cluster_reach(eng_warp *w, const eng_ins *i, uint32_t rank, uint32_t lanes, const uint64_t *addresses, eng_reach *out) {
    const eng_cluster *c = w->cluster;
    const eng_blk *block = rank < c->size ? c->blocks[rank] : NULL;
    if (block && block->running) {
        uint64_t base = (uint64_t)rank << ENG_RANK_SHIFT;
        *out = (eng_reach){block->shared - base, base + w->shared_size, ENG_CLUSTER};
        return true;
    }
    eng_finding f = {.kind = block ? ENG_FAULT_ENDED : ENG_FAULT_CLUSTER, .lanes = lanes, .space = ENG_CLUSTER, .access = (uint8_t)i->z,
                     .width = i->width, .address = addresses[__builtin_ctz(lanes)], .fatal = true};
    if (block) snprintf(f.text, sizeof f.text, "block %llu, of rank %u in the cluster, has ended: cluster.sync() belongs before its end",
                        (unsigned long long)block->linear, rank);
    else snprintf(f.text, sizeof f.text, "rank %u of a cluster of %u blocks", rank, c->size);
    eng_fault(w, i, &f);
    return false;
}
