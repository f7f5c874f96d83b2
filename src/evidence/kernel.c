/* A kernel as a whole. */
#include <stdlib.h>
#include <string.h>

#include "evidence/access.h"
#include "evidence/sample.h"

/* --- what it is made of ----------------------------------------------------------------------------- */

enum { MIX_INTEGER, MIX_FLOAT, MIX_DOUBLE, MIX_HALF, MIX_TENSOR, MIX_CONVERT, MIX_SPECIAL, MIX_MOVE, MIX_MEMORY, MIX_CONTROL,
       MIX_WARP, MIX_OTHER };
static const char *const mix_names[EV_MIX_KINDS] = {"integer", "float", "double", "half", "tensor", "convert",
                                                    "special", "move", "memory", "control", "warp", "other"};

static unsigned mix_of(sass_class c) {
    switch (c) {
    case SASS_CLASS_ALU: case SASS_CLASS_PRED: case SASS_CLASS_UNIFORM: return MIX_INTEGER;
    case SASS_CLASS_FP: return MIX_FLOAT;
    case SASS_CLASS_FP64: return MIX_DOUBLE;
    case SASS_CLASS_HALF: return MIX_HALF;
    case SASS_CLASS_TENSOR: return MIX_TENSOR;
    case SASS_CLASS_CONVERT: return MIX_CONVERT;
    case SASS_CLASS_SPECIAL: return MIX_SPECIAL;
    case SASS_CLASS_MOVE: case SASS_CLASS_CONST_LOAD: return MIX_MOVE;
    case SASS_CLASS_BRANCH: case SASS_CLASS_CONVERGE: case SASS_CLASS_CALL: case SASS_CLASS_EXIT: case SASS_CLASS_BARRIER: return MIX_CONTROL;
    case SASS_CLASS_WARP: return MIX_WARP;
    case SASS_CLASS_OTHER: case SASS_CLASS_FENCE: case SASS_CLASS_CACHE: return MIX_OTHER;
    default: return MIX_MEMORY;
    }
}
static void count(ev_kernel *k) {
    const ev_flow *flow = k->flow;
    for (unsigned m = 0; m < EV_MIX_KINDS; m++) k->mix[m].name = mix_names[m];
    for (uint32_t i = 0; i < flow->n; i++) {
        if (!flow->facts[i].reached) continue;
        const sass_class c = sass_class_of((sass_op)flow->code[i].op);
        k->instructions++;
        k->mix[mix_of(c)].n++;
        k->barriers += flow->code[i].op == SASS_BAR;
        k->tensor += c == SASS_CLASS_TENSOR;
        k->async += c == SASS_CLASS_ASYNC_COPY && flow->code[i].op != SASS_LDGDEPBAR && flow->code[i].op != SASS_DEPBAR;
    }
    for (size_t a = 0; a < k->n_accesses; a++) {
        const ev_access *x = &k->accesses[a];
        if (x->space != ENG_LOCAL) continue;
        unsigned *n = x->verdict == EV_SPILL ? (x->load ? &k->spill_loads : &k->spill_stores)
                                             : (x->load ? &k->array_loads : &k->array_stores);
        ++*n;
    }
}
static bool list_loops(ev_kernel *k) {
    const ev_flow *flow = k->flow;
    k->loops = wg_arena_array(flow->arena, flow->n_loops + 1, sizeof *k->loops);
    if (!k->loops) return false;
    for (uint32_t l = 0; l < flow->n_loops; l++) {
        const ev_loop *loop = &flow->loops[l];
        const uint32_t first = flow->cfg->blocks[loop->header].first;
        const img_line *line = img_line_at(flow->function, first * 16);
        unsigned depth = 0;
        for (uint32_t p = loop->parent; p != UINT32_MAX; p = flow->loops[p].parent) depth++;
        k->loops[k->n_loops++] = (ev_loop_line){.first = loop->first, .last = loop->last, .depth = depth,
                                                .line = line ? line->line : 0, .file = line ? line->file : NULL};
    }
    return true;
}

wg_status ev_analyse(const img_module *module, const img_function *function, const ev_options *options, wg_arena *arena,
                     ev_kernel **out, wg_error *err) {
    *out = NULL;
    ev_kernel *k = wg_arena_alloc(arena, sizeof *k);
    if (!k) return wg_fail(err, WG_ERR_MEMORY, "no memory to analyse %s", function->demangled);
    k->module = module;
    k->function = function;
    if (options) memcpy(k->block, options->block, sizeof k->block);
    const wg_status status = ev_flow_run(module, function, arena, &k->flow, err);
    if (status != WG_OK) return status;
    if (!ev_find_accesses(k->flow, k) || !list_loops(k)) {
        ev_kernel_free(k);
        return wg_fail(err, WG_ERR_MEMORY, "%s: no memory for its accesses", function->demangled);
    }
    count(k);
    *out = k;
    return WG_OK;
}
void ev_kernel_free(ev_kernel *kernel) {
    if (!kernel) return;
    ev_flow_free(kernel->flow);
    kernel->flow = NULL;
}

/* --- against a real launch ------------------------------------------------------------------------------- */

typedef struct unknowns {
    bool differs, shared; /* something that only a run tells: it differs between lanes; all lanes share it */
} unknowns;
static void note_unknown(ev_flow *flow, ev_id leaf, void *ctx) {
    unknowns *u = ctx;
    const ev_leaf kind = (ev_leaf)ev_at(&flow->g, leaf)->op;
    switch (kind) {
    case EV_TID: case EV_CTAID: case EV_NTID: case EV_NCTAID: case EV_LANE: case EV_PARAM: return;
    case EV_STACK: return;
    case EV_LOOP: return; /* the caller says */
    default: break;
    }
    if (ev_varies(flow, leaf)) u->differs = true;
    else u->shared = true;
}
ev_known ev_addresses(const ev_kernel *kernel, const ev_access *access, const ev_launch *l, unsigned iteration, unsigned first_lane,
                      uint32_t lanes[32]) {
    ev_flow *flow = kernel->flow;
    unknowns u = {0};
    ev_each_leaf(flow, access->address, note_unknown, &u);
    if (u.differs) return EV_UNKNOWN;
    const size_t n = flow->g.nodes.count;
    uint8_t *mark = calloc(n, 1);
    ev_lanes *values = malloc(n * sizeof *values);
    ev_case c = {.warp = l->warp, .iteration = iteration, .first = first_lane, .params = l->params, .stack = l->stack};
    memcpy(c.block, l->block, sizeof c.block);
    memcpy(c.grid, l->grid, sizeof c.grid);
    memcpy(c.ctaid, l->ctaid, sizeof c.ctaid);
    bool ok = mark && values;
    if (ok) mark[access->address] = 1;
    ok = ok && ev_case_run(flow, &c, mark, values);
    if (ok) memcpy(lanes, values[access->address].lane, 32 * sizeof *lanes);
    free(mark);
    free(values);
    return !ok ? EV_UNKNOWN : u.shared ? EV_KNOWN_STEPS : EV_KNOWN;
}
