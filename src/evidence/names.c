#include "evidence/names.h"

#include <stdlib.h>

static const img_variable *variable_of(const ev_flow *flow, uint32_t reloc) {
    const img_reloc *r = &flow->module->relocs[reloc];
    const bool variable = r->kind == IMG_RELOC_GLOBAL64 || r->kind == IMG_RELOC_GLOBAL_LO || r->kind == IMG_RELOC_GLOBAL_HI;
    return variable && r->symbol < flow->module->n_variables ? &flow->module->variables[r->symbol] : NULL;
}
/* c[4] holds addresses of variables; an immediate that the loader fills, too. */
static const img_variable *named(const ev_flow *flow, uint32_t offset, uint32_t bank) {
    if (bank == 0xff) {
        const uint32_t at = flow->reloc_at[offset / 16];
        return at ? variable_of(flow, at - 1) : NULL;
    }
    for (uint32_t k = 0; bank == 4 && k < flow->module->n_relocs; k++)
        if (flow->module->relocs[k].where == IMG_IN_CONST4 && flow->module->relocs[k].offset == offset) return variable_of(flow, k);
    for (size_t k = 0; bank == 3 && k < flow->module->n_variables; k++) {
        const img_variable *v = &flow->module->variables[k];
        if (v->space == IMG_CONSTANT && offset >= v->offset && offset < v->offset + v->size) return v;
    }
    return NULL;
}
static void name_constant(const ev_flow *flow, uint32_t offset, uint32_t bank, wg_text *out) {
    const img_variable *v = named(flow, offset, bank);
    if (v && bank == 3) wg_text_printf(out, offset == v->offset ? "%s" : "%s[%u]", v->demangled, offset - v->offset);
    else if (v) wg_text_printf(out, "&%s", v->demangled);
    else wg_text_printf(out, "c[%u][0x%x]", bank, offset);
}
/* Parameters have no names in the code: p0, p1, ... in their order; p2[8]: 8 bytes into a structure. */
static void name_param(const ev_flow *flow, uint32_t offset, uint32_t how, wg_text *out) {
    const img_function *f = flow->function;
    for (size_t k = 0; k < f->n_params; k++) {
        if (offset < f->params[k].offset || offset >= f->params[k].offset + f->params[k].size) continue;
        wg_text_printf(out, "p%zu", k);
        if (offset != f->params[k].offset) wg_text_printf(out, "[%u]", offset - f->params[k].offset);
        return;
    }
    wg_text_printf(out, "param[%u:%u]", offset, how & 0xff);
}
static void name_slot(const ev_flow *flow, const char *what, uint32_t block, uint32_t slot, wg_text *out) {
    const uint32_t at = flow->cfg->blocks[block].first * 16;
    if (slot < EV_UR) wg_text_printf(out, "%sR%u@%x", what, slot, at);
    else if (slot < EV_P) wg_text_printf(out, "%sUR%u@%x", what, slot - EV_UR, at);
    else wg_text_printf(out, "%sP%u@%x", what, slot - EV_P, at);
}
static void name_result(const ev_flow *flow, uint32_t instr, uint32_t word, bool load, wg_text *out) {
    wg_text_printf(out, load ? "[%s@%x]" : "%s@%x", sass_name((sass_op)flow->code[instr].op), instr * 16);
    if (word && word < 8) wg_text_printf(out, ".%u", word);
}
static void name_leaf(void *ctx, const ev_graph *g, ev_id id, wg_text *out) {
    const ev_flow *flow = ctx;
    const uint32_t a = ev_word(g, id, 0), b = ev_word(g, id, 1);
    switch ((ev_leaf)ev_at(g, id)->op) {
    case EV_TID: wg_text_printf(out, "tid.%c", "xyz"[a % 3]); break;
    case EV_CTAID: wg_text_printf(out, "ctaid.%c", "xyz"[a % 3]); break;
    case EV_NTID: wg_text_printf(out, "ntid.%c", "xyz"[a % 3]); break;
    case EV_NCTAID: wg_text_printf(out, "nctaid.%c", "xyz"[a % 3]); break;
    case EV_LANE: wg_text_add(out, "lane"); break;
    case EV_PARAM: name_param(flow, a, b, out); break;
    case EV_CBANK: name_constant(flow, a, b & 0xff, out); break;
    case EV_STACK: wg_text_add(out, "stack"); break;
    case EV_SPECIAL: wg_text_add(out, sass_special_name(a) ? sass_special_name(a) : "SR"); break;
    case EV_LOOP:
        for (uint32_t l = 0; l < flow->n_loops; l++)
            if (flow->loops[l].header == a) wg_text_printf(out, "i%u", l);
        break;
    case EV_LOAD: name_result(flow, a, b, true, out); break;
    case EV_VALUE: name_result(flow, a, b, false, out); break;
    case EV_PHI: name_slot(flow, "", a, b, out); break;
    case EV_SAME: name_slot(flow, "u_", a, b, out); break;
    case EV_UNDEF: wg_text_add(out, "undefined"); break;
    }
}

struct ev_names ev_names_of(const ev_flow *flow) { return (struct ev_names){.ctx = (void *)flow, .leaf = name_leaf}; }

char *ev_text_of(ev_flow *flow, ev_id id) {
    wg_text text = {0};
    const struct ev_names names = ev_names_of(flow);
    ev_show(&flow->g, id, &names, &text);
    char *kept = text.failed ? NULL : wg_arena_strdup(flow->arena, text.at ? text.at : "0");
    wg_text_free(&text);
    return kept;
}
