/* The memory instructions of a kernel, and what their lanes do in every case that is tried. */
#include "evidence/access.h"

#include <stdlib.h>
#include <string.h>

#include "evidence/names.h"
#include "evidence/sample.h"
#include "watch/banks.h"
#include "watch/sectors.h"

/* --- finding them --------------------------------------------------------------------------------------- */

static bool describe(const sass_instr *in, ev_access *a) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_GLOBAL_LD: a->space = ENG_GLOBAL, a->load = true; break;
    case SASS_CLASS_GLOBAL_ST: a->space = ENG_GLOBAL, a->store = true; break;
    case SASS_CLASS_GENERIC_LD: a->space = ENG_GLOBAL, a->generic = a->load = true; break;
    case SASS_CLASS_GENERIC_ST: a->space = ENG_GLOBAL, a->generic = a->store = true; break;
    case SASS_CLASS_SHARED_LD: a->space = ENG_SHARED, a->load = true; break;
    case SASS_CLASS_SHARED_ST: a->space = ENG_SHARED, a->store = true; break;
    case SASS_CLASS_LOCAL_LD: a->space = ENG_LOCAL, a->load = true; break;
    case SASS_CLASS_LOCAL_ST: a->space = ENG_LOCAL, a->store = true; break;
    case SASS_CLASS_GLOBAL_ATOM: a->space = ENG_GLOBAL, a->atomic = a->load = a->store = true; break;
    case SASS_CLASS_GLOBAL_RED: a->space = ENG_GLOBAL, a->atomic = a->store = true; break;
    case SASS_CLASS_SHARED_ATOM: a->space = ENG_SHARED, a->atomic = a->load = a->store = true; break;
    case SASS_CLASS_ASYNC_COPY:
        if (in->op != SASS_LDGSTS) return false;
        a->space = ENG_GLOBAL, a->load = a->async = true;
        break;
    default: return false;
    }
    a->generic |= in->op == SASS_ATOM || in->op == SASS_ATOM_F || in->op == SASS_CAS_ATOM;
    a->width = in->width ? in->width : 4;
    if (in->op == SASS_LDSM || in->op == SASS_STSM) a->width = 16; /* each address is that of a row of 16 bytes */
    return in->mem.present;
}
/* The line; of code that comes from the toolkit's headers, the line that called it. */
static void place(const ev_flow *flow, ev_access *a) {
    const img_line *line = img_line_at(flow->function, a->instr * 16);
    for (unsigned depth = 0; line && depth < 32 && line->inlined_at && line->file && strstr(line->file, "/include/"); depth++)
        line = &flow->function->inlined[line->inlined_at - 1];
    if (!line) return;
    a->file = line->file;
    a->line = line->line;
}
static bool collect(ev_flow *flow, ev_kernel *k) {
    size_t n = 0;
    for (uint32_t i = 0; i < flow->n; i++) n += flow->facts[i].reached && flow->code[i].mem.present ? 2 : 0;
    k->accesses = wg_arena_array(flow->arena, n + 1, sizeof *k->accesses);
    if (!k->accesses) return false;
    for (uint32_t i = 0; i < flow->n; i++) {
        ev_access a = {.instr = i, .address = flow->facts[i].address};
        if (!flow->facts[i].reached || !describe(&flow->code[i], &a)) continue;
        place(flow, &a);
        k->accesses[k->n_accesses++] = a;
        if (!flow->code[i].mem2.present) continue;
        a.space = ENG_SHARED, a.load = false, a.store = a.second = true;
        a.address = flow->facts[i].address2;
        k->accesses[k->n_accesses++] = a;
    }
    return true;
}

/* --- leaves of an address ------------------------------------------------------------------------------------ */

static void each_leaf(ev_flow *flow, ev_id id, unsigned *budget, void (*fn)(ev_flow *flow, ev_id leaf, void *ctx), void *ctx) {
    if (*budget == 0) return;
    --*budget;
    if (ev_at(&flow->g, id)->kind == EV_LEAF) fn(flow, id, ctx);
    for (unsigned k = 0; k < ev_args(&flow->g, id); k++) each_leaf(flow, ev_arg(&flow->g, id, k), budget, fn, ctx);
}
void ev_each_leaf(ev_flow *flow, ev_id id, void (*fn)(ev_flow *flow, ev_id leaf, void *ctx), void *ctx) {
    unsigned budget = 20000;
    each_leaf(flow, id, &budget, fn, ctx);
}

/* Leaves that differ between lanes and that no case can give a value to. */
typedef struct data_leaves {
    ev_id first, load; /* 0: none */
} data_leaves;
static void note_data(ev_flow *flow, ev_id leaf, void *ctx) {
    data_leaves *d = ctx;
    const ev_leaf kind = (ev_leaf)ev_at(&flow->g, leaf)->op;
    if (kind == EV_TID || kind == EV_LANE || !ev_varies(flow, leaf)) return;
    if (!d->first) d->first = leaf;
    if (kind == EV_LOAD && !d->load) d->load = leaf;
}
ev_id ev_data_leaf(ev_flow *flow, ev_id address) {
    data_leaves d = {0};
    ev_each_leaf(flow, address, note_data, &d);
    return d.load ? d.load : d.first;
}

/* A leaf of a loop that lanes leave apart, seen from outside of it, is the same only in lanes that left together; and so
 * is what merges after a branch that lanes take apart. */
typedef struct convergence {
    uint32_t block;
    bool apart;
} convergence;
static bool left_apart(const ev_flow *flow, uint32_t from, uint32_t to) {
    for (uint32_t l = flow->blocks[from].loop; l != UINT32_MAX; l = flow->loops[l].parent)
        if (!ev_in_loop(flow, l, to) && flow->loops[l].divergent_exit) return true;
    return false;
}
static void note_convergence(ev_flow *flow, ev_id leaf, void *ctx) {
    convergence *c = ctx;
    const uint32_t a = ev_word(&flow->g, leaf, 0);
    switch ((ev_leaf)ev_at(&flow->g, leaf)->op) {
    case EV_SAME:
        c->apart |= flow->blocks[a].divergent_join;
        c->apart |= left_apart(flow, a, c->block);
        /* its values may come from loops that lanes left apart */
        for (size_t k = 0; k < flow->blocks[a].preds.count; k++) c->apart |= left_apart(flow, flow->blocks[a].preds.at[k], a);
        break;
    case EV_PHI:
    case EV_LOOP: c->apart |= left_apart(flow, a, c->block); break;
    case EV_LOAD:
    case EV_VALUE: c->apart |= left_apart(flow, flow->cfg->block_of[a], c->block); break;
    default: break;
    }
}

/* Terms of a global address on their own: pointers, or a choice of them. */
static void note_base(const ev_flow *flow, ev_id id, uint8_t *base) {
    const ev_node *n = ev_at(&flow->g, id);
    base[id] = 1;
    if (n->kind == EV_OP && n->op == EV_SELECT) base[ev_word(&flow->g, id, 1)] = base[ev_word(&flow->g, id, 2)] = 1;
}
static void note_bases(ev_flow *flow, const ev_kernel *k, uint8_t *base) {
    for (size_t i = 0; i < k->n_accesses; i++) {
        const ev_access *a = &k->accesses[i];
        if (a->space != ENG_GLOBAL) continue;
        const ev_node *n = ev_at(&flow->g, a->address);
        if (n->kind != EV_SUM) note_base(flow, a->address, base);
        for (unsigned t = 0; n->kind == EV_SUM && t < n->n; t += 2)
            if (ev_word(&flow->g, a->address, t) == 1) note_base(flow, ev_word(&flow->g, a->address, t + 1), base);
    }
}

/* --- the lanes of one case -------------------------------------------------------------------------------------- */

static void widen(ev_range *r, unsigned v, bool first) {
    if (first || v < r->least) r->least = v;
    if (first || v > r->most) r->most = v;
}
typedef struct tally { /* of one access over the cases */
    int32_t delta[32];
    bool any, strided, same;
} tally;

static void judge_case(ev_access *a, const ev_case *c, const ev_lanes *v, tally *t) {
    const uint32_t threads = c->block[0] * c->block[1] * c->block[2], begin = c->warp * 32;
    const uint32_t active = threads - begin >= 32 ? UINT32_MAX : (1u << (threads - begin)) - 1;
    const uint32_t start = v->lane[0] & ~((uint32_t)a->width - 1);
    uint64_t lanes[32];
    bool strided = true, same = true;
    int32_t delta[32];
    for (unsigned l = 0; l < 32; l++) {
        delta[l] = (int32_t)(v->lane[l] - v->lane[0]);
        lanes[l] = (a->space == ENG_GLOBAL ? (uint64_t)0x7f << 36 : (uint64_t)1 << 34) + start + (uint64_t)(int64_t)delta[l];
        lanes[l] &= ~((uint64_t)a->width - 1); /* the models count on what the hardware demands */
        if (!(active >> l & 1)) continue;
        strided &= delta[l] == (int32_t)(l * (uint32_t)delta[1]);
        same &= !t->any || delta[l] == t->delta[l];
    }
    if (a->space == ENG_SHARED) {
        /* of an atomic whose lanes would wait for each other at a word, that is not counted: where they meet is mostly up to the data */
        const watch_wavefronts w = watch_banks_lanes(lanes, active, a->width, a->atomic ? WATCH_BANKS_COUNT : a->load ? WATCH_BANKS_LOAD : WATCH_BANKS_STORE);
        widen(&a->wavefronts, w.wavefronts, !t->any);
        widen(&a->ways, w.degree, !t->any);
        widen(&a->ideal, w.ideal, !t->any);
    } else {
        const watch_touch w = a->space == ENG_LOCAL ? watch_touch_local(lanes, active, a->width) : watch_touch_lanes(lanes, active, a->width);
        widen(&a->sectors, w.sectors, !t->any);
        widen(&a->used, w.bytes, !t->any);
    }
    t->strided = strided && (!t->any || t->strided);
    t->same = same && (!t->any || t->same);
    if (!t->any) memcpy(t->delta, delta, sizeof delta);
    t->any = true;
}

static unsigned dimensions(const ev_flow *flow, const uint8_t *mark) {
    unsigned dims = 1;
    for (ev_id id = 0; id < flow->g.nodes.count; id++)
        if (mark[id] && ev_is_leaf(&flow->g, id, EV_TID) && ev_word(&flow->g, id, 0) + 1 > dims) dims = ev_word(&flow->g, id, 0) + 1;
    return dims;
}
static bool try_cases(ev_flow *flow, ev_kernel *k, tally *tallies) {
    const size_t n = flow->g.nodes.count;
    uint8_t *mark = calloc(n, 1), *base = calloc(n, 1);
    ev_lanes *values = malloc(n * sizeof *values);
    bool ok = mark && base && values;
    if (ok) {
        note_bases(flow, k, base);
        for (size_t i = 0; i < k->n_accesses; i++) mark[k->accesses[i].address] = 1;
        ev_mark_down(&flow->g, mark);
    }
    const unsigned dims = ok ? dimensions(flow, mark) : 1;
    for (unsigned s = 0; ok && s < EV_CASES; s++) {
        ev_case c = ev_case_at(flow->function, k->block, dims, s);
        c.base = base;
        ok = ev_case_run(flow, &c, mark, values);
        for (size_t i = 0; ok && i < k->n_accesses; i++) judge_case(&k->accesses[i], &c, &values[k->accesses[i].address], &tallies[i]);
    }
    free(mark);
    free(base);
    free(values);
    return ok;
}

bool ev_find_accesses(ev_flow *flow, ev_kernel *k) {
    if (!collect(flow, k)) return false;
    tally *tallies = calloc(k->n_accesses + 1, sizeof *tallies);
    bool ok = tallies && (k->n_accesses == 0 || try_cases(flow, k, tallies));
    for (size_t i = 0; ok && i < k->n_accesses; i++) {
        ev_access *a = &k->accesses[i];
        convergence c = {.block = flow->cfg->block_of[a->instr]};
        ev_each_leaf(flow, a->address, note_convergence, &c);
        a->converged = c.apart;
        const bool data = ev_data_leaf(flow, a->address) != 0;
        a->has_stride = !data && tallies[i].strided && tallies[i].same;
        a->stride = a->has_stride ? tallies[i].delta[1] : 0;
        a->text = ev_text_of(flow, a->address);
        ok = a->text && ev_judge(flow, a, data, tallies[i].same);
    }
    free(tallies);
    return ok && !flow->g.failed;
}
