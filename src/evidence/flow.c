/* The states of all blocks, to a fixed point. */
#include "evidence/flow.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 60 };

/* --- calls ------------------------------------------------------------------------------------- */

static void forget(ev_flow *flow, uint32_t call, ev_state *state, unsigned slot, unsigned n) {
    for (unsigned k = 0; k < n && slot + k < EV_SLOTS; k++) {
        state->value[slot + k] = ev_leaf_of(&flow->g, EV_VALUE, call, EV_WORD_SLOT + slot + k);
        state->def[slot + k] = call + 1;
    }
}
/* What the instructions of a block can write is forgotten. */
static void forget_block(ev_flow *flow, uint32_t call, uint32_t block, ev_state *state) {
    for (uint32_t k = flow->cfg->blocks[block].first; k <= flow->cfg->blocks[block].last; k++) {
        const sass_instr *in = &flow->code[k];
        const unsigned words = sass_dst_regs(in) > 1 ? sass_dst_regs(in) : 2;
        if (in->dst.kind == SASS_REG && in->dst.reg != SASS_RZ) forget(flow, call, state, EV_R + in->dst.reg, words);
        if (in->dst.kind == SASS_UREG && in->dst.reg != SASS_URZ) forget(flow, call, state, EV_UR + in->dst.reg, words);
        for (unsigned p = 0; p < 2; p++)
            if (in->pdst[p].present && in->pdst[p].reg != SASS_PT)
                forget(flow, call, state, (in->pdst[p].uniform ? EV_UP : EV_P) + in->pdst[p].reg, 1);
        if (in->op == SASS_R2P) forget(flow, call, state, EV_P, 7);
    }
}
/* After a call: one into this function's own code keeps what the called part does not write; of another one nothing is
 * known but that the stack is as it was. */
static bool come_back(ev_flow *flow, uint32_t block) {
    ev_block *b = &flow->blocks[block];
    const uint32_t call = flow->cfg->blocks[block].last;
    if (!b->after) b->after = wg_arena_alloc(flow->arena, sizeof *b->after);
    if (!b->after) return false;
    *b->after = *b->out;
    flow->facts[call].mixes = true;
    const sass_instr *in = &flow->code[call];
    if (in->op != SASS_CALL_REL || !in->has_target || in->target / 16 >= flow->n) {
        const ev_id stack = b->after->value[EV_R + 1];
        forget(flow, call, b->after, 0, EV_SLOTS);
        b->after->value[EV_R + 1] = stack;
        return true;
    }
    uint8_t *mark = calloc(flow->cfg->n_blocks, 1);
    uint32_t *stack = malloc(flow->cfg->n_blocks * sizeof *stack);
    if (mark && stack) {
        ev_reach(flow, flow->cfg->block_of[in->target / 16], UINT32_MAX, mark, stack);
        for (uint32_t k = 0; k < flow->cfg->n_blocks; k++)
            if (mark[k]) forget_block(flow, call, k, b->after);
    }
    const bool ok = mark && stack;
    free(mark);
    free(stack);
    return ok;
}
static bool is_call(const ev_flow *flow, uint32_t block) {
    const sass_op op = (sass_op)flow->code[flow->cfg->blocks[block].last].op;
    return op == SASS_CALL_REL || op == SASS_CALL_ABS;
}
static const ev_state *state_from(const ev_flow *flow, uint32_t from, uint32_t to) {
    const ev_block *b = &flow->blocks[from];
    if (!b->after) return b->out;
    const sass_instr *in = &flow->code[flow->cfg->blocks[from].last];
    const bool called = in->has_target && in->target / 16 < flow->n && flow->cfg->block_of[in->target / 16] == to;
    return called ? b->out : b->after;
}
ev_id ev_incoming(const ev_flow *flow, uint32_t from, uint32_t to, unsigned slot) {
    const ev_state *s = state_from(flow, from, to);
    return s ? s->value[slot] : ev_leaf_of(&((ev_flow *)flow)->g, EV_UNDEF, 0, 0);
}

/* --- merging --------------------------------------------------------------------------------------- */

static void merge_slot(ev_flow *flow, uint32_t block, unsigned slot, ev_id undef) {
    ev_block *b = &flow->blocks[block];
    const ev_id phi = ev_leaf_of(&flow->g, EV_PHI, block, slot);
    const ev_id before = b->in->value[slot];
    ev_id v = undef;
    uint32_t def = EV_NO_DEF;
    bool differ = false;
    for (size_t k = 0; k < b->preds.count; k++) {
        const ev_state *s = state_from(flow, b->preds.at[k], block);
        if (!s || s->value[slot] == undef) continue;
        if (v == undef) v = s->value[slot], def = s->def[slot];
        else if (v != s->value[slot]) differ = true;
        if (def != s->def[slot]) def = EV_MANY_DEFS;
    }
    /* Undefined, then one value, then a phi for good: that makes the passes end. A value that changed from pass to pass
     * depends on itself. */
    if (b->preds.count > 1 && before != undef && before != v) differ = true;
    b->in->value[slot] = differ ? phi : v;
    b->in->def[slot] = def;
}
static bool run_block(ev_flow *flow, uint32_t block, ev_id undef, bool *changed) {
    ev_block *b = &flow->blocks[block];
    const bool first = !b->in;
    if (first) {
        b->in = wg_arena_alloc(flow->arena, sizeof *b->in);
        b->out = wg_arena_alloc(flow->arena, sizeof *b->out);
        if (!b->in || !b->out) return false;
        for (unsigned s = 0; s < EV_SLOTS; s++) b->in->value[s] = undef;
    }
    if (block != 0 || b->preds.count)
        for (unsigned s = 0; s < EV_SLOTS; s++) merge_slot(flow, block, s, undef);
    ev_state *out = malloc(sizeof *out);
    if (!out) return false;
    *out = *b->in;
    ev_transfer_block(flow, block, out);
    if (first || memcmp(out, b->out, sizeof *out) != 0) *changed = true;
    *b->out = *out;
    free(out);
    return !is_call(flow, block) || come_back(flow, block);
}
static bool run_all(ev_flow *flow) {
    const ev_id undef = ev_leaf_of(&flow->g, EV_UNDEF, 0, 0);
    bool changed = true;
    for (unsigned pass = 0; changed && pass < MAX_PASSES; pass++) {
        changed = false;
        flow->deps.count = 0;
        for (uint32_t k = 0; k < flow->n_order; k++)
            if (!run_block(flow, flow->order[k], undef, &changed) || flow->g.failed) return false;
    }
    return !changed;
}

/* --- the whole ---------------------------------------------------------------------------------------- */

static bool note_relocs(ev_flow *flow) {
    flow->reloc_at = wg_arena_array(flow->arena, flow->n, sizeof *flow->reloc_at);
    if (!flow->reloc_at) return false;
    for (size_t k = 0; k < flow->module->n_relocs; k++) {
        const img_reloc *r = &flow->module->relocs[k];
        if (r->where != IMG_IN_CODE || r->offset < flow->function->code_offset) continue;
        const uint32_t at = (r->offset - flow->function->code_offset) / 16;
        if (at < flow->n) flow->reloc_at[at] = (uint32_t)k + 1;
    }
    return true;
}
static bool decode(ev_flow *flow) {
    sass_instr *code = wg_arena_array(flow->arena, flow->n, sizeof *code);
    if (!code) return false;
    const uint8_t *words = flow->module->code + flow->function->code_offset;
    for (uint32_t k = 0; k < flow->n; k++) sass_decode(words + 16 * (size_t)k, 16 * k, flow->module->sm, &code[k]);
    flow->code = code;
    flow->cfg = sass_cfg_build(flow->arena, code, flow->n, flow->function->branch_targets, flow->function->n_branch_targets);
    if (!flow->cfg) return false;
    flow->blocks = wg_arena_array(flow->arena, flow->cfg->n_blocks, sizeof *flow->blocks);
    flow->facts = wg_arena_array(flow->arena, flow->n, sizeof *flow->facts);
    return flow->blocks && flow->facts;
}

wg_status ev_flow_run(const img_module *module, const img_function *function, wg_arena *arena, ev_flow **out, wg_error *err) {
    ev_flow *flow = wg_arena_alloc(arena, sizeof *flow);
    *out = NULL;
    if (!flow) return wg_fail(err, WG_ERR_MEMORY, "no memory to analyse %s", function->demangled);
    *flow = (ev_flow){.module = module, .function = function, .arena = arena, .n = function->code_size / 16};
    if (flow->n == 0) return wg_fail(err, WG_ERR_FORMAT, "%s has no code", function->demangled);
    const bool ready = ev_graph_start(&flow->g) && decode(flow) && note_relocs(flow) && ev_shape(flow);
    if (ready && run_all(flow) && ev_flow_vary(flow) && ev_flow_resolve(flow)) {
        *out = flow;
        return WG_OK;
    }
    ev_flow_free(flow);
    return wg_fail(err, WG_ERR_MEMORY, "%s: no memory, or its control flow is too tangled to follow", function->demangled);
}
void ev_flow_free(ev_flow *flow) {
    if (!flow) return;
    for (size_t b = 0; flow->blocks && b < flow->cfg->n_blocks; b++) {
        wg_vec_free(&flow->blocks[b].preds);
        wg_vec_free(&flow->blocks[b].succs);
    }
    wg_vec_free(&flow->deps);
    wg_vec_free(&flow->varies);
    wg_vec_free(&flow->steps);
    ev_graph_free(&flow->g);
}
