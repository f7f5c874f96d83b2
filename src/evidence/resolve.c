/* What several ways of control brought together, as one expression where there is one:
 *  1. all the same value: that value;
 *  2. at the head of a loop, the value before it plus the same step each time: entry + step * iterations;
 *  3. values whose part that differs between lanes agrees: that part, plus something that lanes which came one way share;
 *  4. the two sides of one branch: a choice by its condition.
 * What is left stays a leaf; if it is a loop's and follows a rule of its own (d >>= 1), the rule is kept as a step. */
#include "evidence/flow.h"

#include <stdlib.h>

enum { MAX_ROUNDS = 40, MOST_PARTS = 1000, MAX_INPUTS = 16, MAX_NODES = 4000000 };

typedef wg_vec(ev_id) ids;

typedef struct work {
    ev_flow *flow;
    ev_graph *g;
    ids phis;    /* those that matter */
    ids becomes; /* by node: what a leaf is replaced by; itself otherwise */
    ids map;     /* by node: the node with all replacements made */
} work;

/* --- maps over the graph -------------------------------------------------------------------------- */

static bool extend_ids(ids *v, size_t n) {
    if (n <= v->count) return true;
    if (!wg_vec_reserve(v, n - v->count)) return false;
    while (v->count < n) v->at[v->count] = (ev_id)v->count, v->count++;
    return true;
}

/* One replacement in all nodes. */
static bool replace_once(work *w) {
    const size_t n = w->g->nodes.count;
    if (!extend_ids(&w->becomes, n) || !extend_ids(&w->map, n)) return false;
    for (ev_id id = 0; id < n; id++) {
        w->map.at[id] = w->becomes.at[id];
        if (ev_at(w->g, id)->kind == EV_LEAF || ev_at(w->g, id)->kind == EV_CONST) continue;
        bool touched = ev_at(w->g, id)->kind == EV_OP && ev_at(w->g, id)->op == EV_FIRST;
        for (unsigned k = ev_args(w->g, id); k-- > 0 && !touched;) touched = w->map.at[ev_arg(w->g, id, k)] != ev_arg(w->g, id, k);
        if (!touched) continue;
        ev_id made = ev_remake(w->g, id, w->map.at);
        if (ev_at(w->g, made)->kind == EV_OP && ev_at(w->g, made)->op == EV_FIRST && !ev_varies(w->flow, ev_arg(w->g, made, 0)))
            made = ev_arg(w->g, made, 0); /* the same in every lane */
        if (w->g->failed || w->g->nodes.count > MAX_NODES) return false;
        w->map.at[id] = made;
    }
    return true;
}
/* map := all replacements, also those inside replacements. */
static bool replace_all(work *w) {
    if (!replace_once(w)) return false;
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        bool changed = false;
        /* replacements that hold replaced leaves */
        for (size_t k = 0; k < w->phis.count; k++) {
            const ev_id phi = w->phis.at[k], now = w->becomes.at[phi];
            if (now == phi || now >= w->map.count || w->map.at[now] == now) continue;
            w->becomes.at[phi] = w->map.at[now];
            changed = true;
        }
        if (!changed) return true;
        if (!replace_once(w)) return false;
    }
    return true;
}
/* Calls fn for each leaf below id; false stops. Guarded against graphs that unfold without end. */
static bool each_leaf(const work *w, ev_id id, unsigned *budget, bool (*fn)(const work *w, ev_id leaf, void *ctx), void *ctx) {
    if (*budget == 0) return false;
    --*budget;
    if (ev_at(w->g, id)->kind == EV_LEAF) return fn(w, id, ctx);
    for (unsigned k = ev_args(w->g, id); k-- > 0;)
        if (!each_leaf(w, ev_arg(w->g, id, k), budget, fn, ctx)) return false;
    return true;
}

static bool is_other(const work *w, ev_id leaf, void *other) {
    (void)w;
    return leaf != *(ev_id *)other;
}
static bool contains(const work *w, ev_id id, ev_id leaf) { /* also where it is too large to say */
    unsigned budget = 20000;
    return id >= leaf && !each_leaf(w, id, &budget, is_other, &leaf);
}

/* --- which ones matter ------------------------------------------------------------------------------- */

static bool mark_input(work *w, uint32_t block, unsigned slot, uint8_t *mark) {
    const ev_block *b = &w->flow->blocks[block];
    bool any = false;
    for (size_t k = 0; k < b->preds.count; k++) {
        if (!w->flow->blocks[b->preds.at[k]].out) continue;
        const ev_id v = ev_incoming(w->flow, b->preds.at[k], block, slot);
        if (!mark[v]) mark[v] = 1, any = true;
    }
    return any;
}
static bool find_phis(work *w) {
    const size_t n = w->g->nodes.count;
    uint8_t *mark = calloc(n, 1);
    bool ok = mark != NULL;
    if (!ok) return false;
    for (uint32_t k = 0; k < w->flow->n; k++) {
        const ev_fact *f = &w->flow->facts[k];
        if (f->reached) mark[f->address] = mark[f->address2] = mark[f->guard] = mark[f->value] = mark[f->branch] = 1;
    }
    for (bool again = true; again;) {
        again = false;
        ev_mark_down(w->g, mark);
        for (ev_id id = 0; id < n; id++)
            if (mark[id] && ev_is_leaf(w->g, id, EV_PHI)) again |= mark_input(w, ev_word(w->g, id, 0), ev_word(w->g, id, 1), mark);
    }
    for (ev_id id = 0; id < n; id++)
        if (mark[id] && ev_is_leaf(w->g, id, EV_PHI)) ok = ok && wg_vec_push(&w->phis, id);
    free(mark);
    return ok;
}

/* --- the rules ------------------------------------------------------------------------------------ */

typedef struct inputs {
    ev_id all[MAX_INPUTS], forward[MAX_INPUTS], back[MAX_INPUTS];
    unsigned n, n_forward, n_back;
    bool too_many;
} inputs;

static void note(ev_id *list, unsigned *n, ev_id v, bool *too_many) {
    for (unsigned k = 0; k < *n; k++)
        if (list[k] == v) return;
    if (*n < MAX_INPUTS) list[(*n)++] = v;
    else *too_many = true;
}
/* --- what is known where a loop is left -------------------------------------------------------------- */

/* x and y that are equal on this edge, because the branch at its beginning asked for it. */
static bool equal_on_edge(const work *w, uint32_t from, uint32_t to, ev_id *x, ev_id *y) {
    const uint32_t last = w->flow->cfg->blocks[from].last;
    const sass_instr *in = &w->flow->code[last];
    if (in->op != SASS_BRA || !in->has_target || w->flow->blocks[from].succs.count != 2) return false;
    bool taken = in->target / 16 < w->flow->n && w->flow->cfg->block_of[in->target / 16] == to;
    ev_id c = w->map.at[w->flow->facts[last].branch];
    const ev_node *n = ev_at(w->g, c);
    if (n->kind == EV_SUM && n->imm == 1 && n->n == 2 && ev_word(w->g, c, 0) == UINT32_MAX) c = ev_word(w->g, c, 1), taken = !taken;
    n = ev_at(w->g, c);
    if (!taken || n->kind != EV_OP || n->op != EV_EQUAL) return false;
    *x = ev_word(w->g, c, 0), *y = ev_word(w->g, c, 1);
    return true;
}
static ev_id substitute(work *w, ev_id in, ev_id what, ev_id by) {
    ev_id *map = malloc(((size_t)in + 1) * sizeof *map);
    if (!map) return in;
    for (ev_id id = 0; id <= in; id++) {
        map[id] = id == what ? by : id;
        bool touched = false;
        if (id <= what) continue;
        for (unsigned k = ev_args(w->g, id); k-- > 0;) touched |= map[ev_arg(w->g, id, k)] != ev_arg(w->g, id, k);
        if (touched) map[id] = ev_remake(w->g, id, map);
    }
    const ev_id r = map[in];
    free(map);
    return r;
}
/* Lanes that leave a counted loop together went through it equally often, even where the count is each lane's own: on the
 * way out, count = iterations + something that they share. That is put for the count in a value that comes along. */
static ev_id on_leaving(work *w, uint32_t from, uint32_t to, ev_id v) {
    const uint32_t loop = w->flow->blocks[from].loop;
    ev_id x, y, count = 0;
    if (loop == UINT32_MAX || ev_in_loop(w->flow, loop, to) || !ev_varies(w->flow, v) || !equal_on_edge(w, from, to, &x, &y)) return v;
    const ev_id zero = ev_add(w->g, x, ev_scale(w->g, y, UINT32_MAX));
    const ev_node n = *ev_at(w->g, zero);
    uint32_t factor = 0;
    unsigned varying = 0;
    for (unsigned k = 0; n.kind == EV_SUM && k < n.n; k += 2) {
        if (!ev_varies(w->flow, ev_word(w->g, zero, k + 1))) continue;
        varying++;
        factor = ev_word(w->g, zero, k), count = ev_word(w->g, zero, k + 1);
    }
    if (varying != 1 || (factor != 1 && factor != UINT32_MAX) || ev_at(w->g, count)->kind == EV_LEAF) return v;
    /* factor * count + rest == 0 */
    const ev_id rest = ev_add(w->g, zero, ev_scale(w->g, count, 0u - factor));
    return substitute(w, v, count, ev_scale(w->g, rest, 0u - factor));
}

static inputs inputs_of(work *w, ev_id phi) {
    const uint32_t block = ev_word(w->g, phi, 0), slot = ev_word(w->g, phi, 1);
    const ev_block *b = &w->flow->blocks[block];
    inputs in = {0};
    for (size_t k = 0; k < b->preds.count; k++) {
        const uint32_t from = b->preds.at[k];
        if (!w->flow->blocks[from].out) continue;
        const ev_id v = on_leaving(w, from, block, w->map.at[ev_incoming(w->flow, from, block, slot)]);
        if (v == phi || ev_is_leaf(w->g, v, EV_UNDEF)) continue;
        note(in.all, &in.n, v, &in.too_many);
        if (ev_dominates(w->flow, block, from)) note(in.back, &in.n_back, v, &in.too_many);
        else note(in.forward, &in.n_forward, v, &in.too_many);
    }
    return in;
}

typedef struct place {
    uint32_t loop;
} place;
static bool block_in(const work *w, uint32_t loop, uint32_t block) { return ev_in_loop(w->flow, loop, block); }
static bool leaf_stays(const work *w, ev_id leaf, void *ctx) {
    const uint32_t loop = ((place *)ctx)->loop, a = ev_word(w->g, leaf, 0);
    switch ((ev_leaf)ev_at(w->g, leaf)->op) {
    case EV_PHI: case EV_SAME: case EV_LOOP: return !block_in(w, loop, a);
    case EV_LOAD: case EV_VALUE: return !block_in(w, loop, w->flow->cfg->block_of[a]);
    default: return true;
    }
}
/* The same in every iteration of the loop. */
static bool invariant(const work *w, ev_id id, uint32_t loop) {
    unsigned budget = 4000;
    place p = {loop};
    return each_leaf(w, id, &budget, leaf_stays, &p);
}
static uint32_t loop_of_header(const ev_flow *flow, uint32_t block) {
    for (uint32_t l = 0; l < flow->n_loops; l++)
        if (flow->loops[l].header == block) return l;
    return UINT32_MAX;
}
static ev_id minus(ev_graph *g, ev_id a, ev_id b) { return ev_add(g, a, ev_scale(g, b, UINT32_MAX)); }

static bool by_induction(work *w, ev_id phi, const inputs *in, ev_id *out) {
    const uint32_t block = ev_word(w->g, phi, 0), loop = loop_of_header(w->flow, block);
    if (loop == UINT32_MAX || in->n_forward != 1 || in->n_back != 1 || contains(w, in->forward[0], phi)) return false;
    const ev_id step = minus(w->g, in->back[0], phi);
    if (contains(w, step, phi) || !invariant(w, step, loop)) return false;
    *out = ev_add(w->g, in->forward[0], ev_mul(w->g, step, ev_leaf_of(w->g, EV_LOOP, block, 0)));
    return true;
}
/* The part of a sum that differs between lanes. */
static ev_id lane_part(work *w, ev_id v) {
    const ev_node n = *ev_at(w->g, v);
    if (n.kind != EV_SUM) return ev_varies(w->flow, v) ? v : 0;
    ev_id r = 0;
    for (unsigned k = 0; k < n.n; k += 2) {
        const uint32_t factor = ev_word(w->g, v, k);
        const ev_id node = ev_word(w->g, v, k + 1);
        if (ev_varies(w->flow, node)) r = ev_add(w->g, r, ev_scale(w->g, node, factor));
    }
    return r;
}
static bool by_lane_part(work *w, ev_id phi, const inputs *in, ev_id *out) {
    ev_id part = 0;
    bool any = false;
    if (!ev_varies(w->flow, phi)) return false;
    for (unsigned k = 0; k < in->n; k++) {
        const ev_id v = in->all[k];
        if (!ev_varies(w->flow, minus(w->g, v, phi))) continue; /* itself, moved by what all lanes share */
        const ev_id p = lane_part(w, v);
        if (any && p != part) return false;
        part = p, any = true;
    }
    if (!any || contains(w, part, phi)) return false;
    *out = ev_add(w->g, part, ev_leaf_of(w->g, EV_SAME, ev_word(w->g, phi, 0), ev_word(w->g, phi, 1)));
    return true;
}

/* Whether a block's edge `from` -> `to` belongs to what follows the branch's way to `side`. */
static bool on_side(const ev_flow *flow, uint32_t branch, uint32_t side, uint32_t from, uint32_t to) {
    if (side == to) return from == branch;
    return flow->blocks[side].preds.count == 1 && ev_dominates(flow, side, from);
}
static bool by_branch(work *w, ev_id phi, ev_id *out) {
    const ev_flow *flow = w->flow;
    const uint32_t block = ev_word(w->g, phi, 0), slot = ev_word(w->g, phi, 1);
    const ev_block *b = &flow->blocks[block];
    if (b->preds.count != 2 || b->dominator == UINT32_MAX || loop_of_header(flow, block) != UINT32_MAX) return false;
    const ev_block *x = &flow->blocks[b->dominator];
    const uint32_t last = flow->cfg->blocks[b->dominator].last;
    const sass_instr *in = &flow->code[last];
    if (in->op != SASS_BRA || in->sub >= SASS_BRA_DIV || !in->has_target || x->succs.count != 2 || in->target / 16 >= flow->n) return false;
    const uint32_t taken = flow->cfg->block_of[in->target / 16], other = x->succs.at[x->succs.at[0] == taken];
    ev_id value[2] = {0};
    unsigned found = 0;
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t from = b->preds.at[k];
        if (!flow->blocks[from].out) return false;
        const ev_id v = on_leaving(w, from, block, w->map.at[ev_incoming(flow, from, block, slot)]);
        if (on_side(flow, b->dominator, taken, from, block)) value[0] = v, found |= 1;
        else if (on_side(flow, b->dominator, other, from, block)) value[1] = v, found |= 2;
    }
    const ev_id condition = w->map.at[flow->facts[last].branch];
    if (found != 3 || contains(w, value[0], phi) || contains(w, value[1], phi) || contains(w, condition, phi)) return false;
    if (ev_is_leaf(w->g, value[0], EV_UNDEF) || ev_is_leaf(w->g, value[1], EV_UNDEF)) return false;
    *out = ev_make(w->g, EV_SELECT, 0, condition, value[0], value[1], 0);
    return true;
}

typedef struct fresh {
    const uint8_t *now; /* by node, of those that the round began with: replaced in this round */
    size_t n;
} fresh;
static bool leaf_is_old(const work *w, ev_id leaf, void *ctx) {
    (void)w;
    const fresh *f = ctx;
    return leaf >= f->n || !f->now[leaf];
}
/* One round: phis are judged by the replacements of the rounds before, so that none can stand for itself. */
static bool round_of(work *w, bool by_parts, bool *progress) {
    const size_t n = w->g->nodes.count;
    uint8_t *now = calloc(n, 1);
    if (!now) return false;
    uint32_t only = UINT32_MAX; /* rougher answers are given for one block: see first what they make possible */
    *progress = false;
    for (size_t k = 0; k < w->phis.count && !w->g->failed; k++) {
        const ev_id phi = w->phis.at[k];
        ev_id r;
        if (w->becomes.at[phi] != phi || (by_parts && only != UINT32_MAX && only != ev_word(w->g, phi, 0))) continue;
        const inputs in = inputs_of(w, phi);
        if (in.too_many || in.n == 0) continue;
        bool found = in.n == 1 && !contains(w, in.all[0], phi);
        if (found) r = in.all[0];
        else found = by_induction(w, phi, &in, &r) || (by_parts && (by_lane_part(w, phi, &in, &r) || (ev_varies(w->flow, phi) && by_branch(w, phi, &r))));
        unsigned budget = 20000;
        fresh f = {now, n};
        if (!found || !each_leaf(w, r, &budget, leaf_is_old, &f)) continue;
        if (!extend_ids(&w->becomes, w->g->nodes.count)) break;
        w->becomes.at[phi] = r;
        now[phi] = 1;
        *progress = true;
        only = ev_word(w->g, phi, 0);
    }
    free(now);
    return !w->g->failed;
}

/* --- what is left -------------------------------------------------------------------------------------------- */

static bool keep_steps(work *w) {
    for (size_t k = 0; k < w->phis.count; k++) {
        const ev_id phi = w->phis.at[k];
        const uint32_t block = ev_word(w->g, phi, 0);
        if (w->becomes.at[phi] != phi || loop_of_header(w->flow, block) == UINT32_MAX) continue;
        const inputs in = inputs_of(w, phi);
        if (in.too_many || in.n_forward != 1 || in.n_back != 1) continue;
        const struct ev_step step = {.phi = phi, .entry = in.forward[0], .step = in.back[0], .header = block};
        if (!wg_vec_push(&w->flow->steps, step)) return false;
    }
    return true;
}
/* Under an instruction's guard, a value that was chosen by the same predicate is the chosen one. */
static ev_id under_guard(ev_graph *g, ev_id v, ev_id guard) {
    bool yes = true;
    const ev_node n = *ev_at(g, guard);
    if (n.kind == EV_SUM && n.imm == 1 && n.n == 2 && ev_word(g, guard, 0) == UINT32_MAX) guard = ev_word(g, guard, 1), yes = false;
    const ev_node m = *ev_at(g, v);
    if (m.kind == EV_OP && m.op == EV_SELECT && ev_word(g, v, 0) == guard) return ev_word(g, v, yes ? 1 : 2);
    if (m.kind != EV_SUM) return v;
    ev_id r = ev_const(g, m.imm);
    for (unsigned k = 0; k < m.n; k += 2) {
        const uint32_t factor = ev_word(g, v, k);
        ev_id node = ev_word(g, v, k + 1);
        const ev_node t = *ev_at(g, node);
        if (t.kind == EV_OP && t.op == EV_SELECT && ev_word(g, node, 0) == guard) node = ev_word(g, node, yes ? 1 : 2);
        r = ev_add(g, r, ev_scale(g, node, factor));
    }
    return r;
}
static void finish(work *w) {
    for (uint32_t k = 0; k < w->flow->n; k++) {
        ev_fact *f = &w->flow->facts[k];
        if (!f->reached) continue;
        f->guard = w->map.at[f->guard];
        f->value = w->map.at[f->value];
        f->address = w->map.at[f->address];
        f->address2 = w->map.at[f->address2];
        for (unsigned n = 0; n < 4; n++) { /* choices lie in choices where several instructions had the guard */
            f->address = under_guard(w->g, f->address, f->guard);
            f->address2 = under_guard(w->g, f->address2, f->guard);
        }
    }
}

bool ev_flow_resolve(ev_flow *flow) {
    work w = {.flow = flow, .g = &flow->g};
    bool ok = find_phis(&w) && replace_all(&w), progress = true;
    for (unsigned round = 0; ok && progress && round < MOST_PARTS; round++) {
        ok = round_of(&w, false, &progress);
        if (ok && !progress) ok = round_of(&w, true, &progress);
        if (ok && progress) ok = replace_all(&w);
    }
    ok = ok && extend_ids(&w.map, w.g->nodes.count) && keep_steps(&w);
    if (ok) finish(&w);
    wg_vec_free(&w.phis);
    wg_vec_free(&w.becomes);
    wg_vec_free(&w.map);
    return ok && !flow->g.failed;
}
