/* The shape of the control flow: order, dominators, loops. */
#include <string.h>

#include "evidence/flow.h"

#define NONE UINT32_MAX

/* --- edges ------------------------------------------------------------------------------------- */

static bool add_edge(ev_flow *flow, uint32_t from, uint32_t to) {
    ev_block *b = &flow->blocks[from];
    for (size_t k = 0; k < b->succs.count; k++)
        if (b->succs.at[k] == to) return true;
    return wg_vec_push(&b->succs, to) && wg_vec_push(&flow->blocks[to].preds, from);
}
static bool add_edges(ev_flow *flow) {
    const sass_cfg *cfg = flow->cfg;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        for (unsigned k = 0; k < 2; k++)
            if (cfg->blocks[b].succ[k] != NONE && !add_edge(flow, b, cfg->blocks[b].succ[k])) return false;
        const sass_op op = (sass_op)flow->code[cfg->blocks[b].last].op;
        if (op != SASS_BRX && op != SASS_BRXU) continue;
        for (size_t k = 0; k < flow->function->n_branch_targets; k++) {
            const uint32_t to = flow->function->branch_targets[k] / 16;
            if (to < flow->n && !add_edge(flow, b, cfg->block_of[to])) return false;
        }
    }
    return true;
}

/* --- dominators of a graph (Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm") ---------- */

typedef struct edges { /* the neighbours of node v are to[head[v]] to to[head[v+1] - 1] */
    uint32_t *head, *to;
} edges;
typedef struct graph {
    uint32_t n, root;
    edges out, in;
} graph;

static bool collect(wg_arena *arena, uint32_t n, uint32_t (*pair)[2], size_t pairs, unsigned from, edges *e) {
    e->head = wg_arena_array(arena, n + 2, sizeof *e->head);
    e->to = wg_arena_array(arena, pairs + 1, sizeof *e->to);
    if (!e->head || !e->to) return false;
    for (size_t k = 0; k < pairs; k++) e->head[pair[k][from] + 2]++;
    for (uint32_t v = 0; v < n; v++) e->head[v + 2] += e->head[v + 1];
    for (size_t k = 0; k < pairs; k++) e->to[e->head[pair[k][from] + 1]++] = pair[k][!from];
    return true;
}
/* Reverse postorder without recursion; returns how many nodes the root reaches. */
static uint32_t sort_nodes(wg_arena *arena, const graph *g, uint32_t **order) {
    uint32_t *stack = wg_arena_array(arena, g->n, sizeof *stack), *next = wg_arena_array(arena, g->n, sizeof *next);
    uint8_t *seen = wg_arena_array(arena, g->n, 1);
    *order = wg_arena_array(arena, g->n, sizeof **order);
    if (!stack || !next || !seen || !*order) return 0;
    uint32_t depth = 0, at = g->n;
    stack[depth++] = g->root;
    seen[g->root] = 1;
    while (depth) {
        const uint32_t v = stack[depth - 1], k = g->out.head[v] + next[v];
        if (k == g->out.head[v + 1]) {
            (*order)[--at] = v;
            depth--;
        } else {
            next[v]++;
            const uint32_t to = g->out.to[k];
            if (!seen[to]) seen[to] = 1, stack[depth++] = to;
        }
    }
    memmove(*order, *order + at, (g->n - at) * sizeof **order);
    return g->n - at;
}
static uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b) {
    while (a != b) {
        while (a > b) a = idom[a];
        while (b > a) b = idom[b];
    }
    return a;
}
/* dominator[v]: immediate dominator; NONE for the root and for what it does not reach. */
static bool dominate(wg_arena *arena, const graph *g, const uint32_t *order, uint32_t n, uint32_t *dominator) {
    uint32_t *place = wg_arena_array(arena, g->n, sizeof *place), *idom = wg_arena_array(arena, n, sizeof *idom);
    if (!place || !idom) return false;
    for (uint32_t v = 0; v < g->n; v++) place[v] = dominator[v] = NONE;
    for (uint32_t k = 0; k < n; k++) place[order[k]] = k, idom[k] = k ? NONE : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < n; k++) {
            uint32_t d = NONE;
            for (uint32_t p = g->in.head[order[k]]; p < g->in.head[order[k] + 1]; p++) {
                const uint32_t from = place[g->in.to[p]];
                if (from != NONE && idom[from] != NONE) d = d == NONE ? from : meet(idom, d, from);
            }
            if (d != idom[k]) idom[k] = d, changed = true;
        }
    }
    for (uint32_t k = 1; k < n; k++) dominator[order[k]] = order[idom[k]];
    return true;
}

static bool find_dominators(ev_flow *flow) {
    wg_arena *arena = flow->arena;
    const uint32_t n = (uint32_t)flow->cfg->n_blocks;
    size_t pairs = 0, room = n;
    for (uint32_t b = 0; b < n; b++) room += flow->blocks[b].succs.count;
    uint32_t(*pair)[2] = wg_arena_array(arena, room, sizeof *pair);
    uint32_t *dominator = wg_arena_array(arena, n + 1, sizeof *dominator), *order, reached;
    if (!pair || !dominator) return false;
    for (uint32_t b = 0; b < n; b++)
        for (size_t k = 0; k < flow->blocks[b].succs.count; k++) pair[pairs][0] = b, pair[pairs++][1] = flow->blocks[b].succs.at[k];

    graph g = {.n = n, .root = 0};
    if (!collect(arena, n, pair, pairs, 0, &g.out) || !collect(arena, n, pair, pairs, 1, &g.in)) return false;
    flow->n_order = sort_nodes(arena, &g, &flow->order);
    if (!flow->n_order || !dominate(arena, &g, flow->order, flow->n_order, dominator)) return false;
    for (uint32_t b = 0; b < n; b++) flow->blocks[b].dominator = dominator[b];

    /* Backwards, from one more node that everything that ends leads to. */
    for (uint32_t k = 0; k < flow->n_order; k++) {
        const uint32_t b = flow->order[k];
        const sass_op op = (sass_op)flow->code[flow->cfg->blocks[b].last].op;
        if (flow->blocks[b].succs.count == 0 || op == SASS_EXIT) pair[pairs][0] = b, pair[pairs++][1] = n;
    }
    g = (graph){.n = n + 1, .root = n};
    if (!collect(arena, n + 1, pair, pairs, 1, &g.out) || !collect(arena, n + 1, pair, pairs, 0, &g.in)) return false;
    reached = sort_nodes(arena, &g, &order);
    if (!reached || !dominate(arena, &g, order, reached, dominator)) return false;
    for (uint32_t b = 0; b < n; b++) flow->blocks[b].postdominator = dominator[b] == n ? NONE : dominator[b];
    return true;
}

bool ev_dominates(const ev_flow *flow, uint32_t a, uint32_t b) {
    while (b != a && b != NONE) b = flow->blocks[b].dominator;
    return b == a;
}

/* --- walking ---------------------------------------------------------------------------------------------- */

void ev_reach(const ev_flow *flow, uint32_t from, uint32_t stop, uint8_t *mark, uint32_t *stack) {
    uint32_t depth = 0;
    if (mark[from]) return;
    mark[from] = 1;
    stack[depth++] = from;
    while (depth) {
        const uint32_t b = stack[--depth];
        if (b == stop) continue;
        for (size_t k = 0; k < flow->blocks[b].succs.count; k++) {
            const uint32_t to = flow->blocks[b].succs.at[k];
            if (!mark[to]) mark[to] = 1, stack[depth++] = to;
        }
    }
}

/* --- loops: the blocks from which a header's back edges come ---------------------------------------------- */

static bool fill_loop(ev_flow *flow, ev_loop *loop, uint32_t *stack) {
    const uint32_t n = (uint32_t)flow->cfg->n_blocks;
    loop->has = wg_arena_array(flow->arena, n, 1);
    if (!loop->has) return false;
    uint32_t depth = 0;
    loop->has[loop->header] = 1;
    const ev_block *header = &flow->blocks[loop->header];
    for (size_t k = 0; k < header->preds.count; k++) {
        const uint32_t from = header->preds.at[k];
        if (ev_dominates(flow, loop->header, from) && !loop->has[from]) loop->has[from] = 1, stack[depth++] = from;
    }
    while (depth) {
        const ev_block *b = &flow->blocks[stack[--depth]];
        for (size_t k = 0; k < b->preds.count; k++) {
            const uint32_t from = b->preds.at[k];
            /* what the entry does not reach has no place in a loop */
            if (!loop->has[from] && (from == 0 || flow->blocks[from].dominator != NONE)) loop->has[from] = 1, stack[depth++] = from;
        }
    }
    loop->first = UINT32_MAX, loop->last = 0;
    for (uint32_t b = 0; b < n; b++) {
        if (!loop->has[b]) continue;
        if (flow->cfg->blocks[b].first < loop->first) loop->first = flow->cfg->blocks[b].first;
        if (flow->cfg->blocks[b].last > loop->last) loop->last = flow->cfg->blocks[b].last;
    }
    return true;
}
static bool find_loops(ev_flow *flow) {
    const uint32_t n = (uint32_t)flow->cfg->n_blocks;
    uint32_t *stack = wg_arena_array(flow->arena, n, sizeof *stack);
    flow->loops = wg_arena_array(flow->arena, n, sizeof *flow->loops);
    if (!stack || !flow->loops) return false;
    for (uint32_t k = 0; k < flow->n_order; k++) {
        const uint32_t b = flow->order[k];
        bool header = false;
        for (size_t p = 0; p < flow->blocks[b].preds.count; p++) header |= ev_dominates(flow, b, flow->blocks[b].preds.at[p]);
        if (!header) continue;
        flow->loops[flow->n_loops] = (ev_loop){.header = b, .parent = NONE};
        if (!fill_loop(flow, &flow->loops[flow->n_loops++], stack)) return false;
    }
    /* in reverse postorder an outer loop's header comes first: the last loop that has a block is the innermost */
    for (uint32_t b = 0; b < n; b++) flow->blocks[b].loop = NONE;
    for (uint32_t l = 0; l < flow->n_loops; l++) {
        flow->loops[l].parent = flow->blocks[flow->loops[l].header].loop;
        for (uint32_t b = 0; b < n; b++)
            if (flow->loops[l].has[b]) flow->blocks[b].loop = l;
    }
    return true;
}
bool ev_in_loop(const ev_flow *flow, uint32_t loop, uint32_t block) { return loop != NONE && flow->loops[loop].has[block]; }

bool ev_shape(ev_flow *flow) { return add_edges(flow) && find_dominators(flow) && find_loops(flow); }
