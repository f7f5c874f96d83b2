/* One kernel as JSON: everything that the text says, and what it leaves out. docs/evidence.md names the fields. */
#include "evidence/access.h"
#include "evidence/explain.h"
#include "evidence/names.h"

static json_t *range(ev_range r) { return json_pack("{s:i,s:i}", "least", (int)r.least, "most", (int)r.most); }

static json_t *terms(const ev_kernel *k, const ev_access *a) {
    ev_flow *flow = k->flow;
    const ev_node *n = ev_at(&flow->g, a->address);
    json_t *list = json_array();
    const uint32_t constant = n->kind == EV_SUM || n->kind == EV_CONST ? n->imm : 0;
    for (unsigned t = 0; t < (n->kind == EV_SUM ? ev_args(&flow->g, a->address) : n->kind == EV_CONST ? 0u : 1u); t++) {
        const bool sum = n->kind == EV_SUM;
        const ev_id node = sum ? ev_arg(&flow->g, a->address, t) : a->address;
        const int32_t factor = sum ? (int32_t)ev_word(&flow->g, a->address, 2 * t) : 1;
        const char *text = ev_text_of(flow, node);
        json_array_append_new(list, json_pack("{s:i,s:s}", "factor", (int)factor, "of", text ? text : "?"));
        n = ev_at(&flow->g, a->address);
    }
    if (constant) json_array_append_new(list, json_pack("{s:I}", "constant", (json_int_t)(int32_t)constant));
    return list;
}

static json_t *access_json(const ev_kernel *k, const ev_access *a, bool explain) {
    char text[160];
    sass_print(&k->flow->code[a->instr], text, sizeof text);
    json_t *o = json_pack("{s:i,s:s,s:s,s:i,s:b,s:b,s:b,s:b,s:b,s:s,s:o,s:s,s:s,s:b}", "offset", (int)(a->instr * 16), "instruction", text,
                          "space", ev_space_name(a), "width", (int)a->width, "load", (int)a->load, "store", (int)a->store, "atomic", (int)a->atomic,
                          "async", (int)a->async, "vector", a->width > 4, "address", a->text, "terms", terms(k, a), "verdict",
                          ev_verdict_name(a->verdict), "words", a->words, "converged_only", (int)a->converged);
    if (!o) return NULL;
    if (a->file) json_object_set_new(o, "file", json_string(a->file));
    if (a->line) json_object_set_new(o, "line", json_integer(a->line));
    if (a->has_stride) json_object_set_new(o, "stride", json_integer(a->stride));
    if (a->verdict != EV_DATA && a->space == ENG_SHARED) {
        json_object_set_new(o, "wavefronts", range(a->wavefronts));
        json_object_set_new(o, "ways", range(a->ways));
    } else if (a->verdict != EV_DATA) {
        json_object_set_new(o, "sectors", range(a->sectors));
        json_object_set_new(o, "bytes_used", range(a->used));
        json_object_set_new(o, "bytes_moved", range((ev_range){a->sectors.least * 32, a->sectors.most * 32}));
    }
    if (explain) json_object_set_new(o, "explain", ev_explain_json(k, a));
    return o;
}

json_t *ev_json(const ev_kernel *k, bool explain) {
    const img_function *f = k->function;
    json_t *accesses = json_array(), *loops = json_array(), *mix = json_object();
    for (size_t i = 0; i < k->n_accesses; i++) json_array_append_new(accesses, access_json(k, &k->accesses[i], explain));
    for (size_t l = 0; l < k->n_loops; l++)
        json_array_append_new(loops, json_pack("{s:i,s:i,s:i,s:i}", "first", (int)k->loops[l].first * 16, "last", (int)k->loops[l].last * 16,
                                               "line", (int)k->loops[l].line, "depth", (int)k->loops[l].depth));
    for (unsigned m = 0; m < EV_MIX_KINDS; m++)
        if (k->mix[m].n) json_object_set_new(mix, k->mix[m].name, json_integer(k->mix[m].n));
    return json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:{s:i,s:i,s:i,s:i},s:i,s:i,s:o,s:o,s:o}", "kernel", f->demangled, "symbol", f->name,
                     "sm", k->module->sm, "registers", (int)f->registers, "shared_bytes", (int)f->shared_static, "local_bytes",
                     (int)f->local_bytes, "instructions", (int)k->instructions, "barriers", (int)k->barriers, "local", "fixed_loads",
                     (int)k->spill_loads, "fixed_stores", (int)k->spill_stores, "indexed_loads", (int)k->array_loads, "indexed_stores",
                     (int)k->array_stores, "tensor", (int)k->tensor, "async_copies", (int)k->async, "mix", mix, "loops", loops, "accesses",
                     accesses);
}
