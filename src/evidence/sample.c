#include "evidence/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

/* --- leaves ------------------------------------------------------------------------------------------ */

typedef struct context {
    ev_flow *flow;
    const ev_case *c;
    ev_lanes *steps; /* values of flow->steps, where has_step says so */
    uint8_t *has_step;
} context;

static void fill(ev_lanes *out, uint32_t v) {
    for (unsigned l = 0; l < 32; l++) out->lane[l] = v;
}
static uint32_t thread_index(const ev_case *c, unsigned lane, uint32_t dim) {
    const uint32_t t = c->warp * 32 + lane;
    if (dim == 0) return t % c->block[0];
    if (dim == 1) return t / c->block[0] % c->block[1];
    return t / c->block[0] / c->block[1];
}
/* By what the leaf is, not by its number: the same whatever else was looked at. */
static uint32_t noise(const context *x, ev_id id) {
    const ev_graph *g = &x->flow->g;
    const uint64_t what = (uint64_t)ev_at(g, id)->op << 56 ^ (uint64_t)ev_word(g, id, 0) << 24 ^ ev_word(g, id, 1);
    return (uint32_t)(wg_hash_u64(wg_hash_u64(what) + x->c->seed) >> 20);
}

/* A number that is nobody's pointer: sizes as programs have them, round ones and others. */
static uint32_t some_number(const ev_case *c, uint32_t at) {
    static const uint32_t sizes[EV_SEEDS] = {1024, 1000, 777, 4096};
    return sizes[c->seed % EV_SEEDS] + (c->seed % 2 ? 7 : 32) * (at / 4 % 8);
}
/* Allocations begin at multiples of 256 bytes. */
static uint32_t some_pointer(const context *x, ev_id id) { return 0x10000000u + (noise(x, id) << 8 & 0xfffff00u); }

static uint32_t param(const context *x, ev_id id, uint32_t offset, uint32_t how) {
    const ev_case *c = x->c;
    const unsigned bytes = how & 0xff;
    uint32_t v = 0;
    if (c->params) memcpy(&v, c->params + offset, bytes);
    else if (c->base && c->base[id]) return some_pointer(x, id);
    else v = some_number(c, offset);
    if (how >> 8 && bytes < 4) v = (uint32_t)((int32_t)(v << (32 - 8 * bytes)) >> (32 - 8 * bytes));
    return bytes == 1 && !(how >> 8) ? v & 0xff : bytes == 2 && !(how >> 8) ? v & 0xffff : v;
}
/* What nobody knows: an element's number; where it stands in an address on its own, a multiple of four bytes. */
static uint32_t something(const context *x, ev_id id) {
    const ev_case *c = x->c;
    return c->base && c->base[id] ? noise(x, id) << (c->seed % EV_SEEDS ? 2 : 8) & 0xffffff : noise(x, id) & 0xfff;
}
static void leaf_value(void *ctx, ev_id id, const ev_node *n, ev_lanes *out) {
    const context *x = ctx;
    const ev_case *c = x->c;
    const ev_graph *g = &x->flow->g;
    const uint32_t a = ev_word(g, id, 0), b = ev_word(g, id, 1);
    switch ((ev_leaf)n->op) {
    case EV_TID:
        for (unsigned l = 0; l < 32; l++) out->lane[l] = thread_index(c, l, a);
        return;
    case EV_LANE:
        for (unsigned l = 0; l < 32; l++) out->lane[l] = l;
        return;
    case EV_CTAID: fill(out, c->ctaid[a]); return;
    case EV_NTID: fill(out, c->block[a]); return;
    case EV_NCTAID: fill(out, c->grid[a]); return;
    case EV_PARAM: fill(out, param(x, id, a, b)); return;
    case EV_STACK: fill(out, c->stack); return;
    case EV_LOOP: fill(out, c->iteration); return;
    case EV_CBANK: fill(out, c->base && c->base[id] ? some_pointer(x, id) : some_number(c, a)); return;
    case EV_PHI:
        for (size_t k = 0; k < x->flow->steps.count; k++)
            if (x->flow->steps.at[k].phi == id && x->has_step[k]) {
                *out = x->steps[k];
                return;
            }
        break;
    default: break;
    }
    fill(out, something(x, id));
}

/* --- values that a loop changes by a rule of its own ------------------------------------------------------ */

static void run_one(context *x, ev_id root, uint8_t *mark, ev_lanes *values) {
    const ev_graph *g = &x->flow->g;
    memset(mark, 0, g->nodes.count);
    mark[root] = 1;
    ev_mark_down(g, mark);
    ev_evaluate(g, mark, x->c->first, leaf_value, x, values);
}
static void run_step(context *x, size_t k, uint8_t *mark, ev_lanes *values) {
    const struct ev_step *s = &x->flow->steps.at[k];
    run_one(x, s->entry, mark, values);
    x->steps[k] = values[s->entry];
    x->has_step[k] = 1;
    for (unsigned n = 0; n < x->c->iteration; n++) {
        run_one(x, s->step, mark, values);
        x->steps[k] = values[s->step];
    }
}

bool ev_case_run(ev_flow *flow, const ev_case *c, uint8_t *mark, ev_lanes *values) {
    const size_t n = flow->g.nodes.count, steps = flow->steps.count;
    context x = {.flow = flow, .c = c, .steps = calloc(steps + 1, sizeof(ev_lanes)), .has_step = calloc(steps + 1, 1)};
    uint8_t *own = malloc(n);
    const bool ok = x.steps && x.has_step && own;
    if (ok) {
        ev_mark_down(&flow->g, mark);
        for (size_t k = 0; k < steps; k++)
            if (mark[flow->steps.at[k].phi]) run_step(&x, k, own, values);
        ev_evaluate(&flow->g, mark, c->first, leaf_value, &x, values);
    }
    free(x.steps);
    free(x.has_step);
    free(own);
    return ok;
}

/* --- cases ---------------------------------------------------------------------------------------------------- */

ev_case ev_case_at(const img_function *f, const uint32_t block[3], unsigned dims, unsigned k) {
    static const uint32_t wide[EV_SEEDS] = {256, 128, 32, 512}, flat[EV_SEEDS] = {32, 64, 32, 128};
    static const uint32_t places[5] = {0, 1, 2, 5, 100};
    const unsigned seed = k % EV_SEEDS, turn = k / EV_SEEDS;
    ev_case c = {.seed = seed, .iteration = (turn + seed) % 5, .stack = 0x8000};
    c.block[0] = dims > 1 ? flat[seed] : wide[seed];
    c.block[1] = dims > 1 ? (dims > 2 ? 4 : 8) : 1;
    c.block[2] = dims > 2 ? 2 : 1;
    const uint64_t bound = (uint64_t)f->max_threads[0] * f->max_threads[1] * f->max_threads[2];
    if (bound && (uint64_t)c.block[0] * c.block[1] * c.block[2] > bound)
        c.block[0] = bound < 32 ? (uint32_t)bound : (uint32_t)bound & ~31u, c.block[1] = c.block[2] = 1;
    const uint32_t *given = block[0] ? block : f->req_threads[0] ? f->req_threads : NULL;
    for (unsigned d = 0; given && d < 3; d++) c.block[d] = given[d] ? given[d] : 1;
    const uint32_t warps = (c.block[0] * c.block[1] * c.block[2] + 31) / 32;
    for (unsigned d = 0; d < 3; d++) {
        c.grid[d] = 128 + 3 * d + seed;
        c.ctaid[d] = places[(turn + d) % 5] % c.grid[d];
    }
    c.warp = turn == 0 ? 0 : (turn * 3 + seed) % (warps ? warps : 1);
    return c;
}
