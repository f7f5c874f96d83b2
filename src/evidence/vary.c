/* Which values differ between the lanes of one warp. It begins with "none", and what must differ spreads: from thread
 * indices and loaded values through operations, and from branches that lanes take apart to the places where they meet. */
#include "evidence/flow.h"

#include <stdlib.h>
#include <string.h>

static bool special_varies(uint32_t sr) {
    switch (sr) { /* of the warp, or of the block, or of the device */
    case 0x02: case 0x03: case 0x28: case 0x2f: case 0x32: case 0x43: case 0x88: return false;
    default: return true;
    }
}
static bool result_varies(const ev_flow *flow, uint32_t instr) {
    const ev_fact *f = &flow->facts[instr];
    if (f->mixes) return true;
    for (uint32_t k = 0; k < f->n_deps; k++)
        if (flow->varies.at[flow->deps.at[f->deps + k]]) return true;
    return false;
}
static bool phi_varies(const ev_flow *flow, uint32_t block, uint32_t slot) {
    const ev_block *b = &flow->blocks[block];
    ev_id one = 0;
    bool any = false, differ = false;
    for (size_t k = 0; k < b->preds.count; k++) {
        if (!flow->blocks[b->preds.at[k]].out) continue;
        const ev_id v = ev_incoming(flow, b->preds.at[k], block, slot);
        if (flow->varies.at[v]) return true;
        if (ev_is_leaf(&flow->g, v, EV_UNDEF) || ev_is_leaf(&flow->g, v, EV_PHI)) {
            const bool itself = ev_is_leaf(&flow->g, v, EV_UNDEF) || (ev_word(&flow->g, v, 0) == block && ev_word(&flow->g, v, 1) == slot);
            if (itself) continue;
        }
        differ |= any && v != one;
        one = v, any = true;
    }
    return differ && b->divergent_join;
}
static bool leaf_varies(const ev_flow *flow, ev_id id) {
    const uint32_t a = ev_word(&flow->g, id, 0), b = ev_word(&flow->g, id, 1);
    switch ((ev_leaf)ev_at(&flow->g, id)->op) {
    case EV_TID:
    case EV_LANE: return true;
    case EV_SPECIAL: return special_varies(a);
    case EV_LOAD:
    case EV_VALUE: return result_varies(flow, a);
    case EV_PHI: return phi_varies(flow, a, b);
    default: return false;
    }
}
static bool node_varies(const ev_flow *flow, ev_id id) {
    const ev_node *n = ev_at(&flow->g, id);
    if (n->kind == EV_LEAF) return leaf_varies(flow, id);
    if (n->kind == EV_OP && n->op == EV_FIRST) return false;
    for (unsigned k = ev_args(&flow->g, id); k-- > 0;)
        if (flow->varies.at[ev_arg(&flow->g, id, k)]) return true;
    return false;
}

static bool extend(ev_flow *flow) {
    const size_t n = flow->g.nodes.count, had = flow->varies.count;
    if (n <= had) return true;
    if (!wg_vec_reserve(&flow->varies, n - had)) return false;
    memset(flow->varies.at + had, 0, n - had);
    flow->varies.count = n;
    return true;
}
static bool spread(ev_flow *flow) {
    bool any = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (ev_id id = 0; id < flow->varies.count; id++)
            if (!flow->varies.at[id] && node_varies(flow, id)) flow->varies.at[id] = 1, changed = any = true;
    }
    return any;
}

/* Whether lanes can come into `to` by two edges, one from each side. A side is what its first block reaches; the branch's
 * own edge belongs to the side that it begins. */
static bool comes_in(const ev_flow *flow, uint32_t branch, size_t way, uint32_t stop, const uint8_t *side, uint32_t from, uint32_t to) {
    return (side[from] && from != stop) || (from == branch && flow->blocks[branch].succs.at[way] == to);
}
static bool meets(const ev_flow *flow, uint32_t branch, const size_t way[2], uint8_t *const side[2], uint32_t to) {
    const ev_block *b = &flow->blocks[to];
    const uint32_t stop = flow->blocks[branch].postdominator;
    for (size_t p = 0; p < b->preds.count; p++)
        for (size_t q = 0; q < b->preds.count; q++)
            if (p != q && comes_in(flow, branch, way[0], stop, side[0], b->preds.at[p], to) &&
                comes_in(flow, branch, way[1], stop, side[1], b->preds.at[q], to))
                return true;
    return false;
}
/* Blocks where lanes that took different sides of a branch meet again, up to where all of them must. */
static void mark_joins(ev_flow *flow, uint32_t block, uint8_t *side[2], uint32_t *stack) {
    const ev_block *b = &flow->blocks[block];
    const size_t n = flow->cfg->n_blocks;
    for (size_t x = 0; x < b->succs.count; x++)
        for (size_t y = x + 1; y < b->succs.count; y++) {
            memset(side[0], 0, n);
            memset(side[1], 0, n);
            ev_reach(flow, b->succs.at[x], b->postdominator, side[0], stack);
            ev_reach(flow, b->succs.at[y], b->postdominator, side[1], stack);
            for (uint32_t k = 0; k < n; k++) {
                if (!side[0][k] || !side[1][k] || flow->blocks[k].preds.count < 2) continue;
                const size_t way[2] = {x, y};
                if (meets(flow, block, way, side, k)) flow->blocks[k].divergent_join = true;
            }
        }
}
static bool splits(const ev_flow *flow, uint32_t block) {
    const uint32_t last = flow->cfg->blocks[block].last;
    const sass_op op = (sass_op)flow->code[last].op;
    if (flow->blocks[block].succs.count < 2 || op == SASS_CALL_REL || op == SASS_CALL_ABS) return false;
    if (op == SASS_BRX || op == SASS_BRXU) return op == SASS_BRX && flow->varies.at[flow->facts[last].guard];
    return flow->varies.at[flow->facts[last].branch];
}

/* Lanes leave a loop apart when a branch that leads out of it, or an exit in it, splits them. */
static void judge_loops(ev_flow *flow) {
    for (uint32_t l = 0; l < flow->n_loops; l++) {
        ev_loop *loop = &flow->loops[l];
        for (uint32_t b = 0; b < flow->cfg->n_blocks; b++) {
            if (!loop->has[b] || !splits(flow, b)) continue;
            for (size_t k = 0; k < flow->blocks[b].succs.count; k++) loop->divergent_exit |= !loop->has[flow->blocks[b].succs.at[k]];
        }
    }
}

bool ev_flow_vary(ev_flow *flow) {
    const size_t n = flow->cfg->n_blocks;
    uint8_t *side[2] = {calloc(n, 1), calloc(n, 1)};
    uint32_t *stack = malloc((n + 1) * sizeof *stack);
    bool ok = side[0] && side[1] && stack && extend(flow);
    uint8_t *done = calloc(n, 1);
    ok = ok && done;
    for (bool changed = true; ok && changed;) {
        spread(flow);
        changed = false;
        for (uint32_t k = 0; k < flow->n_order; k++) {
            const uint32_t b = flow->order[k];
            if (done[b] || !splits(flow, b)) continue;
            done[b] = 1;
            changed = true;
            mark_joins(flow, b, side, stack);
        }
    }
    if (ok) judge_loops(flow);
    free(side[0]);
    free(side[1]);
    free(stack);
    free(done);
    return ok;
}

bool ev_varies(ev_flow *flow, ev_id id) {
    const size_t had = flow->varies.count;
    if (id >= had) {
        if (!extend(flow)) return true;
        for (ev_id k = (ev_id)had; k < flow->varies.count; k++) flow->varies.at[k] = node_varies(flow, k);
    }
    return flow->varies.at[id];
}
