#include "watch/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

enum { LANES = 32 };

typedef struct place { /* an instruction that was executed */
    unsigned function;
    uint32_t instr;
    const sass_instr *in;
} place;

struct watch_trace {
    watch_trace_spec spec;
    eng_trace engine;
    eng_code *code;
    uint32_t block[3];
    unsigned lanes;           /* of the warp that are threads */
    wg_vec(place) places;
    wg_vec(uint32_t) order;   /* index into places, by step */
    wg_u64map known;          /* function << 32 | instr -> index into places, + 1 */
    json_t *steps, *now;      /* now: the step that has begun */
    bool cut, failed;
};

/* --- values ------------------------------------------------------------------------------ */

static bool on(uint32_t mask, unsigned lane) { return mask >> lane & 1; }

static json_t *lanes_json(const watch_trace *t, const uint32_t *values, uint32_t mask) {
    json_t *list = json_array();
    for (unsigned l = 0; l < t->lanes; l++) json_array_append_new(list, on(mask, l) ? json_integer(values[l]) : json_null());
    return list;
}

/* Runs of registers, one list of lanes each; uniform registers hold one number. */
static json_t *registers_json(const watch_trace *t, const eng_step *step, const sass_operand *op, unsigned words) {
    json_t *list = json_array();
    for (unsigned w = 0; w < words; w++) {
        const uint32_t *at = op->kind == SASS_UREG ? eng_step_uniform(step, op->reg + w) : eng_step_register(step, op->reg + w);
        if (!at) continue;
        json_array_append_new(list, op->kind == SASS_UREG ? json_integer(at[0]) : lanes_json(t, at, step->on));
    }
    return list;
}

static bool is_register(const sass_operand *op) {
    return (op->kind == SASS_REG && op->reg != SASS_RZ) || (op->kind == SASS_UREG && op->reg != SASS_URZ);
}

static uint32_t value_of(const eng_step *step, const sass_operand *op, unsigned lane) {
    if (op->kind == SASS_IMM) return (uint32_t)op->value;
    if (!is_register(op)) return 0;
    const uint32_t *at = op->kind == SASS_UREG ? eng_step_uniform(step, op->reg) : eng_step_register(step, op->reg);
    return at ? at[lane] : 0;
}

/* Whom each lane of a shuffle reads, by the rules of the PTX manual (shfl.sync); itself when that lane is out of range. */
static json_t *sources_json(const watch_trace *t, const eng_step *step, const sass_instr *in) {
    json_t *list = json_array();
    for (unsigned l = 0; l < t->lanes; l++) {
        uint32_t b = value_of(step, &in->b, l) & 31, c = value_of(step, &in->c, l);
        int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31), lane = (int)l, low = lane & segment, most = low | (clamp & ~segment), from;
        bool valid;
        switch (in->sub) {
        case SASS_SHFL_UP: valid = (from = lane - (int)b) >= most; break;
        case SASS_SHFL_DOWN: valid = (from = lane + (int)b) <= most; break;
        case SASS_SHFL_BFLY: valid = (from = lane ^ (int)b) <= most; break;
        default: valid = (from = low | ((int)b & ~segment)) <= most;
        }
        json_array_append_new(list, on(step->on, l) ? json_integer(valid ? from & 31 : lane) : json_null());
    }
    return list;
}

static json_t *access_json(const watch_trace *t, const eng_batch *batch, const eng_event *ev) {
    static const char *const spaces[] = {[ENG_GLOBAL] = "global", [ENG_SHARED] = "shared", [ENG_LOCAL] = "local",
                                         [ENG_CONST] = "constant", [ENG_PARAM] = "parameter", [ENG_CLUSTER] = "cluster"};
    json_t *addresses = json_array();
    for (unsigned l = 0; l < t->lanes; l++)
        json_array_append_new(addresses, on(ev->mask, l) ? json_integer((json_int_t)eng_lane_address(batch, ev, l)) : json_null());
    const char *kind = ev->access & ENG_ATOMIC ? "atomic" : ev->access & ENG_WRITE ? "write" : "read";
    return json_pack("{s:s, s:s, s:i, s:o}", "space", spaces[ev->space], "access", kind, "width", (int)ev->width, "addresses", addresses);
}

/* --- steps ------------------------------------------------------------------------------- */

static bool place_index(watch_trace *t, const eng_step *step, uint32_t *index) {
    uint64_t key = (uint64_t)step->function << 32 | step->instr, found = 0;
    if (wg_u64map_get(&t->known, key, &found)) return *index = (uint32_t)found, true;
    const img_function *f = &eng_code_module(t->code)->functions[step->function];
    const sass_instr *all = eng_instructions(t->code, f);
    *index = (uint32_t)t->places.count;
    return all && wg_vec_push(&t->places, (place){step->function, step->instr, &all[step->instr]}) &&
           wg_u64map_set(&t->known, key, *index);
}

static bool stores(const sass_instr *in) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_GENERIC_ST: case SASS_CLASS_SHARED_ST: case SASS_CLASS_LOCAL_ST:
    case SASS_CLASS_GLOBAL_RED: return true;
    default: return false;
    }
}

static void before(void *ctx, const eng_step *step) {
    watch_trace *t = ctx;
    uint32_t k;
    if (t->order.count >= t->spec.steps) {
        t->cut = t->engine.stopped = true;
        return;
    }
    if (!place_index(t, step, &k) || !wg_vec_push(&t->order, k) ||
        !(t->now = json_pack("{s:i, s:I}", "instruction", (int)k, "mask", (json_int_t)step->mask))) {
        t->failed = t->engine.stopped = true;
        return;
    }
    const sass_instr *in = t->places.at[k].in;
    if (step->on != step->mask) json_object_set_new(t->now, "on", json_integer(step->on));
    if (in->op == SASS_SHFL) json_object_set_new(t->now, "from", sources_json(t, step, in));
    if (stores(in) && is_register(&in->a)) json_object_set_new(t->now, "stored", registers_json(t, step, &in->a, sass_src_regs(in, &in->a)));
    json_array_append_new(t->steps, t->now);
}

static void after(void *ctx, const eng_step *step) {
    watch_trace *t = ctx;
    if (!t->now) return;
    const sass_instr *in = t->places.at[t->order.at[t->order.count - 1]].in;
    if (is_register(&in->dst)) json_object_set_new(t->now, "values", registers_json(t, step, &in->dst, sass_dst_regs(in)));
    json_t *predicates = NULL;
    for (int p = 0; p < 2; p++) {
        const sass_pred *to = &in->pdst[p];
        char name[8];
        if (!to->present || (to->reg & 7) == SASS_PT) continue;
        if (!predicates) predicates = json_object();
        snprintf(name, sizeof name, "%s%u", to->uniform ? "UP" : "P", to->reg & 7u);
        json_object_set_new(predicates, name, json_integer(eng_step_predicate(step, to->reg, to->uniform) & step->on));
    }
    if (predicates) json_object_set_new(t->now, "predicates", predicates);
    json_t *accesses = NULL;
    for (size_t e = 0; step->batch && e < step->n_events; e++) {
        const eng_event *ev = &step->batch->events[e];
        if (ev->kind != ENG_EV_ACCESS || ev->warp != t->spec.warp || ev->instr != step->instr || ev->function != step->function) continue;
        if (!accesses) accesses = json_array();
        json_array_append_new(accesses, access_json(t, step->batch, ev));
    }
    if (accesses) json_object_set_new(t->now, "accesses", accesses);
    t->now = NULL;
}

/* --- start, result ------------------------------------------------------------------------ */

wg_status watch_trace_start(const watch_trace_spec *spec, eng_code *code, const eng_launch *launch, watch_trace **out,
                            eng_trace **engine, wg_error *err) {
    const uint32_t *g = launch->grid, *b = spec->block;
    uint64_t blocks = (uint64_t)g[0] * g[1] * g[2], threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t linear = spec->linear ? b[0] : b[0] + (uint64_t)g[0] * (b[1] + (uint64_t)g[1] * b[2]);
    bool inside = spec->linear ? linear < blocks : b[0] < g[0] && b[1] < g[1] && b[2] < g[2];
    const char *name = launch->function->demangled;
    if (!inside)
        return wg_fail(err, WG_ERR_ARGUMENT, "--trace: %s was launched with %llu blocks (%u x %u x %u); the one asked for is not among them",
                       name, (unsigned long long)blocks, g[0], g[1], g[2]);
    if ((uint64_t)spec->warp * LANES >= threads)
        return wg_fail(err, WG_ERR_ARGUMENT, "--trace: a block of %s has %llu warps; warp %u is not among them", name,
                       (unsigned long long)(threads + LANES - 1) / LANES, spec->warp);
    watch_trace *t = calloc(1, sizeof *t);
    if (!t || !(t->steps = json_array())) {
        free(t);
        return wg_fail(err, WG_ERR_MEMORY, "no memory to trace %s", name);
    }
    uint64_t left = threads - (uint64_t)spec->warp * LANES;
    t->spec = *spec;
    t->code = code;
    t->lanes = left < LANES ? (unsigned)left : LANES;
    t->block[0] = (uint32_t)(linear % g[0]);
    t->block[1] = (uint32_t)(linear / g[0] % g[1]);
    t->block[2] = (uint32_t)(linear / g[0] / g[1]);
    t->engine = (eng_trace){.block = linear, .warp = spec->warp, .before = before, .after = after, .ctx = t};
    *out = t;
    *engine = &t->engine;
    return WG_OK;
}

size_t watch_trace_places(const watch_trace *t) { return t->places.count; }
void watch_trace_place(const watch_trace *t, size_t i, unsigned *function, uint32_t *instr) {
    *function = t->places.at[i].function;
    *instr = t->places.at[i].instr;
}

static void name_registers(json_t *out, const sass_operand *op, unsigned words) {
    json_t *names = json_array();
    char name[8];
    for (unsigned w = 0; w < words; w++) {
        snprintf(name, sizeof name, "%s%u", op->kind == SASS_UREG ? "UR" : "R", op->reg + w);
        json_array_append_new(names, json_string(name));
    }
    json_object_set_new(out, "writes", names);
}

static json_t *instructions_json(const watch_trace *t) {
    size_t n = t->places.count;
    const sass_instr **instrs = calloc(n + 1, sizeof *instrs);
    watch_typed *types = calloc(n + 1, sizeof *types);
    json_t *list = instrs && types ? json_array() : NULL;
    for (size_t k = 0; list && k < n; k++) instrs[k] = t->places.at[k].in;
    if (list) watch_trace_types(instrs, n, t->order.at, t->order.count, types);
    for (size_t k = 0; list && k < n; k++) {
        json_t *one = json_object();
        const sass_instr *in = instrs[k];
        if (is_register(&in->dst)) {
            name_registers(one, &in->dst, sass_dst_regs(in));
            json_object_set_new(one, "type", json_string(watch_type_names[types[k].result]));
        }
        if (stores(in)) json_object_set_new(one, "stores", json_string(watch_type_names[types[k].data]));
        json_array_append_new(list, one);
    }
    free(instrs);
    free(types);
    return list;
}

json_t *watch_trace_json(const watch_trace *t) {
    json_t *instructions = t->failed ? NULL : instructions_json(t);
    if (!instructions) return NULL;
    json_t *out = json_pack("{s:[i,i,i], s:i, s:i, s:[i,i], s:b, s:o, s:O}", "block", (int)t->block[0], (int)t->block[1],
                            (int)t->block[2], "warp", (int)t->spec.warp, "lanes", (int)t->lanes, "show", (int)t->spec.first_lane,
                            (int)(t->spec.last_lane < t->lanes ? t->spec.last_lane : t->lanes - 1), "cut", t->cut ? 1 : 0,
                            "instructions", instructions, "steps", t->steps);
    json_t *registers = json_array();
    char name[8];
    for (unsigned r = 0; r < 255; r++)
        if (t->spec.registers[r / 64] >> r % 64 & 1) {
            snprintf(name, sizeof name, "R%u", r);
            json_array_append_new(registers, json_string(name));
        }
    if (json_array_size(registers)) json_object_set(out, "show_registers", registers);
    json_decref(registers);
    return out;
}

void watch_trace_free(watch_trace *t) {
    if (!t) return;
    wg_vec_free(&t->places);
    wg_vec_free(&t->order);
    wg_u64map_free(&t->known);
    json_decref(t->steps);
    free(t);
}
