#include "engine/undefined.h"

#include "engine/bank0.h"
#include "engine/native.h"
#include "engine/threads_apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what binders ask ------------------------------------------------------------------ */

bool eng_refuse(eng_plan *plan, const char *why) {
    if (!plan->refused) snprintf(plan->why, sizeof plan->why, "%s", why);
    plan->refused = true;
    return false;
}

uint32_t eng_plan_wants(const eng_plan *plan) { return plan->wants; }
bool eng_plan_clustered(const eng_plan *plan) { return plan->clustered; }
const img_function *eng_plan_function(const eng_plan *plan) {
    return &plan->code->module->functions[plan->units.at[plan->current].function];
}
const sass_instr *eng_plan_instrs(const eng_plan *plan, unsigned *n) {
    *n = plan->units.at[plan->current].n;
    return plan->units.at[plan->current].instrs;
}

unsigned eng_plan_block_start(const eng_plan *plan) {
    const eng_unit *unit = &plan->units.at[plan->current];
    unsigned n = (unsigned)(plan->instr - unit->instrs);
    uint32_t block = unit->planned[n].block;
    while (n && unit->planned[n - 1].block == block) n--;
    return n;
}

uint32_t eng_place(const eng_plan *plan, uint32_t offset) { return eng_plan_function(plan)->code_offset + offset; }

void eng_branch_to(eng_plan *plan, eng_ins *out, uint32_t place) {
    out->imm = place;
    if (!wg_vec_push(&plan->fixups, (uint32_t)plan->ins.count)) eng_refuse(plan, "no memory");
}

uint32_t eng_branch_counter(eng_plan *plan) {
    eng_planned *p = &plan->units.at[plan->current].planned[plan->instr->offset / 16];
    if (plan->slowing) return p->branch;
    p->branch = plan->n_counters;
    plan->n_counters += ENG_BRANCH_COUNTERS;
    return p->branch;
}

uint32_t eng_request_counter(eng_plan *plan) {
    eng_planned *p = &plan->units.at[plan->current].planned[plan->instr->offset / 16];
    if (!plan->slowing) p->requests = plan->n_counters++;
    return p->requests;
}

uint32_t eng_plain_counter(eng_plan *plan, eng_space space) {
    eng_planned *p = &plan->units.at[plan->current].planned[plan->instr->offset / 16];
    if (plan->slowing) return p->plain;
    p->plain = plan->n_counters;
    p->space = space;
    plan->n_counters += ENG_PLAIN_COUNTERS;
    return p->plain;
}

/* --- functions ------------------------------------------------------------------------- */

const eng_unit *eng_plan_unit(const eng_plan *plan, unsigned function) {
    for (size_t u = 0; u < plan->units.count; u++)
        if (plan->units.at[u].function == function) return &plan->units.at[u];
    return NULL;
}

const eng_ins *eng_plan_at(const eng_plan *plan, uint64_t place, const eng_unit **unit, unsigned *index) {
    for (size_t u = 0; u < plan->units.count; u++) {
        const img_function *f = &plan->code->module->functions[plan->units.at[u].function];
        if (place < f->code_offset || place >= (uint64_t)f->code_offset + f->code_size) continue;
        uint64_t at = place - f->code_offset;
        if (at % 16) return NULL;
        *unit = &plan->units.at[u];
        *index = (unsigned)(at / 16);
        return &plan->ins.at[plan->units.at[u].planned[*index].ins];
    }
    return NULL;
}

static bool add_unit(eng_plan *plan, unsigned function) {
    if (eng_plan_unit(plan, function)) return true;
    const img_function *f = &plan->code->module->functions[function];
    eng_unit unit = {.function = function, .instrs = eng_instructions(plan->code, f), .n = f->code_size / 16};
    unit.planned = wg_arena_array(plan->arena, unit.n, sizeof *unit.planned);
    unit.leader = wg_arena_array(plan->arena, unit.n + 1u, 1);
    return unit.instrs && unit.planned && unit.leader && wg_vec_push(&plan->units, unit);
}

static bool add_function_at(eng_plan *plan, uint64_t place) {
    const img_module *m = plan->code->module;
    for (size_t f = 0; f < m->n_functions; f++)
        if (place >= m->functions[f].code_offset && place < (uint64_t)m->functions[f].code_offset + m->functions[f].code_size)
            return add_unit(plan, (unsigned)f);
    return true; /* the branch itself will be refused */
}

/* The kernel, what it calls, and all device functions once an address can be called. */
static bool gather(eng_plan *plan) {
    const img_module *m = plan->code->module;
    if (!add_unit(plan, (unsigned)(plan->kernel - m->functions))) return false;
    for (size_t u = 0; u < plan->units.count; u++) {
        const img_function *f = &m->functions[plan->units.at[u].function];
        for (unsigned n = 0; n < plan->units.at[u].n; n++) {
            const sass_instr *in = &plan->units.at[u].instrs[n];
            bool absolute = in->op == SASS_CALL_ABS;
            uint64_t place = absolute ? in->target - ENG_CODE_BASE : (uint64_t)f->code_offset + in->target;
            if (in->has_target && in->op != SASS_BSSY && (absolute || in->target >= f->code_size) &&
                !add_function_at(plan, (uint32_t)place))
                return false;
            if (absolute && (!in->has_target || in->target >= ENG_EXTERN_BASE)) plan->indirect_calls = true;
            if (in->op == SASS_CALL_REL && !in->has_target) plan->indirect_calls = true;
        }
        if (plan->indirect_calls)
            for (size_t k = 0; k < m->n_functions; k++)
                if (!m->functions[k].is_kernel && !add_unit(plan, (unsigned)k)) return false;
    }
    return true;
}

/* --- basic blocks ---------------------------------------------------------------------- */

/* Instructions after which the group may be another one, or go on elsewhere. */
static bool ends_block(const sass_instr *in) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_BRANCH: case SASS_CLASS_CALL: case SASS_CLASS_EXIT: case SASS_CLASS_BARRIER: return true;
    case SASS_CLASS_CONVERGE: return in->op != SASS_BSSY && in->op != SASS_BMOV_GET && in->op != SASS_BMOV_SET;
    default: return in->op == SASS_NANOSLEEP || in->op == SASS_BPT;
    }
}

static void lead(eng_unit *unit, uint64_t n, eng_leader kind) {
    if (n < unit->n && unit->leader[n] < kind) unit->leader[n] = (uint8_t)kind;
}

/* A return address is a constant in the code: any immediate that can be one leads. */
static void find_leaders(const eng_plan *plan, eng_unit *unit) {
    const img_function *f = &plan->code->module->functions[unit->function];
    bool returns = false;
    lead(unit, 0, ENG_LEADER_UNKNOWN);
    for (unsigned n = 0; n < unit->n; n++) returns |= sass_class_of((sass_op)unit->instrs[n].op) == SASS_CLASS_CALL;
    for (unsigned n = 0; n < unit->n; n++) {
        const sass_instr *in = &unit->instrs[n];
        if (in->has_target && in->op != SASS_BSSY && in->target < f->code_size && in->target % 16 == 0)
            lead(unit, in->target / 16, ENG_LEADER);
        if (ends_block(in)) lead(unit, n + 1, sass_class_of((sass_op)in->op) == SASS_CLASS_CALL ? ENG_LEADER_UNKNOWN : ENG_LEADER);
        const sass_operand *ops[] = {&in->a, &in->b, &in->c};
        for (unsigned k = 0; k < 3 && returns; k++) {
            int64_t v = ops[k]->value;
            if (ops[k]->kind == SASS_IMM && v > 0 && v < (int64_t)f->code_size && v % 16 == 0) lead(unit, (uint64_t)v / 16, ENG_LEADER_UNKNOWN);
        }
    }
    for (size_t k = 0; k < f->n_branch_targets; k++)
        if (f->branch_targets[k] % 16 == 0) lead(unit, f->branch_targets[k] / 16, ENG_LEADER_UNKNOWN);
}

/* --- one instruction ------------------------------------------------------------------- */

static bool is_strong(const sass_instr *in) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_GLOBAL_ATOM: case SASS_CLASS_SHARED_ATOM: return true;
    case SASS_CLASS_GLOBAL_LD: case SASS_CLASS_GENERIC_LD: case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_GENERIC_ST:
        return in->order == SASS_STRONG || in->order == SASS_MMIO;
    default: return in->op == SASS_NANOSLEEP || in->op == SASS_YIELD || in->op == SASS_SYNCS_PHASE;
    }
}

static bool is_float_type(uint8_t t) {
    return t == SASS_F16 || t == SASS_BF16 || t == SASS_F32 || t == SASS_F64 || t == SASS_F16X2 || t == SASS_BF16X2;
}

/* Reductions of one kind commute, a bounded count does not; and what reductions of a narrow scope do to other blocks is a
 * race, which only a worker that runs both blocks sees. */
static void note_reduction(eng_plan *plan, const sass_instr *in) {
    uint32_t what = 1 + (in->sub | (uint32_t)in->type << 8);
    plan->ordered_reductions |= (plan->reduction && plan->reduction != what) || in->sub == SASS_ATOM_INC || in->sub == SASS_ATOM_DEC ||
                                (in->scope != SASS_SCOPE_NONE && in->scope < SASS_GPU);
    plan->float_atomics |= is_float_type(in->type);
    plan->reduction = what;
}

static void note_properties(eng_plan *plan, const sass_instr *in) {
    sass_class cls = sass_class_of((sass_op)in->op);
    if (cls == SASS_CLASS_GLOBAL_ATOM || in->op == SASS_SUATOM || in->op == SASS_SURED) plan->result_atomics = true;
    plan->calls |= cls == SASS_CLASS_CALL && in->op != SASS_RET;
    plan->cluster_barrier |= in->op == SASS_UCGABAR_ARV || in->op == SASS_UCGABAR_WAIT;
    plan->local |= cls == SASS_CLASS_LOCAL_LD || cls == SASS_CLASS_LOCAL_ST;
    if (cls == SASS_CLASS_GLOBAL_RED) note_reduction(plan, in);
    plan->ordered_reductions |= in->op == SASS_UBLKRED || in->op == SASS_UTMAREDG;
    if (is_strong(in) && cls != SASS_CLASS_SHARED_ATOM && in->op != SASS_YIELD && in->op != SASS_NANOSLEEP)
        plan->strong_access = true;
}

/* Frames are made and given back by adding a constant, which the frame's size covers, to R1; anything else that changes R1 takes
 * what it wants (alloca). */
static bool moves_stack_freely(const eng_plan *plan, const sass_instr *in) {
    enum { STACK_POINTER = 1 };
    if (in->dst.kind != SASS_REG || in->dst.reg != STACK_POINTER) return false;
    bool adds = (in->op == SASS_IADD3 || in->op == SASS_VIADD) && in->a.kind == SASS_REG && in->a.reg == STACK_POINTER && in->b.kind == SASS_IMM;
    if (!adds) return in->a.kind == SASS_REG && in->a.reg == STACK_POINTER;
    int64_t by = (int32_t)in->b.value;
    return (by < 0 ? -by : by) > (int64_t)plan->kernel->local_bytes;
}

static wg_status unsupported(eng_plan *plan, const sass_instr *in, wg_error *err) {
    char text[200];
    sass_print(in, text, sizeof text);
    const img_function *f = eng_plan_function(plan);
    return wg_fail(err, WG_ERR_UNSUPPORTED, "%s: instruction at 0x%04x of %s is not executed: %s%s%s%s",
                   plan->kernel->demangled, in->offset, f->name, text, plan->why[0] ? " (" : "", plan->why,
                   plan->why[0] ? ")" : "");
}

static bool emit(eng_plan *plan, const eng_ins *ins) { return wg_vec_push(&plan->ins, *ins); }

static uint8_t guard_index(const sass_pred *guard) {
    if ((guard->reg & 7) == SASS_PT) return ENG_PT;
    return (uint8_t)((guard->uniform ? ENG_UP : 0) + (guard->reg & 7));
}

/* Fills *out with the instruction; eng_constants_before has been asked. */
wg_status eng_plan_bind(eng_plan *plan, eng_unit *unit, unsigned n, eng_ins *out, wg_error *err) {
    const sass_instr *in = &unit->instrs[n];
    eng_bind binder = in->op < SASS_OP_COUNT ? plan->code->device->binders[in->op] : NULL;
    *out = (eng_ins){.id = n, .function = (uint16_t)unit->function, .guard = guard_index(&in->guard), .ginv = in->guard.inv ? ENG_ALL : 0};
    plan->instr = in;
    plan->refused = false;
    plan->why[0] = 0;
    return binder && binder(plan, in, out) && !plan->refused ? WG_OK : unsupported(plan, in, err);
}

/* ACQBULK leaves the field of a predicate source 0, which is P0: an H200 counts those lanes as on where P0 is true. */
static bool counts_by_p0(const sass_instr *in) { return in->op == SASS_ACQBULK; }

static wg_status bind(eng_plan *plan, eng_unit *unit, unsigned n, wg_error *err) {
    const sass_instr *in = &unit->instrs[n];
    eng_planned *p = &unit->planned[n];
    eng_ins out;
    p->self = (uint32_t)plan->ins.count;
    plan->instr = in;
    plan->allocates |= moves_stack_freely(plan, in);
    plan->takes_parameters |= eng_bank0_takes_parameters(in, plan->code->module->sm);
    if (eng_constants_before(plan, unit, n)) return WG_OK;
    wg_status st = eng_plan_bind(plan, unit, n, &out, err);
    if (st != WG_OK) return st;
    note_properties(plan, in);
    bool guarded = out.guard != ENG_PT || out.ginv, by_p0 = !guarded && counts_by_p0(in);
    if ((guarded || by_p0) && p->branch == ENG_NO_INDEX) {
        eng_ins count = {.fn = plan->code->device->count_guard, .id = n, .function = out.function, .guard = by_p0 ? 0 : out.guard,
                         .ginv = out.ginv, .x = plan->n_counters};
        p->guard = plan->n_counters++;
        if (plan->fixups.count && plan->fixups.at[plan->fixups.count - 1] == plan->ins.count)
            plan->fixups.at[plan->fixups.count - 1]++;
        if (!emit(plan, &count)) return wg_fail(err, WG_ERR_MEMORY, "no memory");
        p->self++;
    }
    if (!emit(plan, &out)) return wg_fail(err, WG_ERR_MEMORY, "no memory");
    return WG_OK;
}

/* The counting pseudo-instruction before a block. A block that may be part of a spin loop uses up patience faster. */
static bool emit_block(eng_plan *plan, eng_unit *unit, unsigned first) {
    unsigned last = first;
    bool spin = is_strong(&unit->instrs[first]);
    while (last + 1 < unit->n && !unit->leader[last + 1]) spin |= is_strong(&unit->instrs[++last]);
    const eng_device *device = plan->code->device;
    eng_ins count = {.fn = spin ? device->count_spin : device->count_block, .id = first, .guard = ENG_PT,
                     .function = (uint16_t)unit->function, .x = plan->n_counters, .y = last - first + 1,
                     .imm = spin ? 4096 : last - first + 1};
    plan->n_counters += ENG_BLOCK_COUNTERS;
    return emit(plan, &count);
}

static wg_status plan_unit(eng_plan *plan, eng_unit *unit, wg_error *err) {
    if (unit->n == 0) return wg_fail(err, WG_ERR_FORMAT, "%s has no code", eng_plan_function(plan)->name);
    uint32_t block = 0;
    for (unsigned n = 0; n < unit->n; n++) {
        eng_planned *p = &unit->planned[n];
        p->ins = (uint32_t)plan->ins.count;
        p->guard = p->branch = p->plain = p->requests = ENG_NO_INDEX;
        if (unit->leader[n]) {
            block = plan->n_counters;
            if (!emit_block(plan, unit, n)) return wg_fail(err, WG_ERR_MEMORY, "no memory");
        }
        p->block = block;
        eng_ins trace = {.fn = plan->code->device->trace, .id = n, .guard = ENG_PT, .function = (uint16_t)unit->function};
        if (plan->traced && !emit(plan, &trace)) return wg_fail(err, WG_ERR_MEMORY, "no memory");
        wg_status st = bind(plan, unit, n, err);
        if (st != WG_OK) return st;
        eng_constants_after(plan, unit, n);
    }
    /* falling off the end stops the warp: eng_end reports it */
    eng_ins stop = {.fn = plan->code->device->stop, .id = unit->n - 1, .function = (uint16_t)unit->function};
    return emit(plan, &stop) ? WG_OK : wg_fail(err, WG_ERR_MEMORY, "no memory");
}

/* Branch targets become pointers once the stream does not move any more. */
static wg_status fix_targets(eng_plan *plan, wg_error *err) {
    for (size_t k = 0; k < plan->fixups.count; k++) {
        eng_ins *ins = &plan->ins.at[plan->fixups.at[k]];
        const eng_unit *unit;
        unsigned index;
        const eng_ins *target = eng_plan_at(plan, (uint64_t)ins->imm, &unit, &index);
        if (!target)
            return wg_fail(err, WG_ERR_FORMAT, "%s: the branch at 0x%04x leaves the code", plan->kernel->demangled, ins->id * 16);
        ins->target = target;
    }
    return WG_OK;
}

/* --- plans ----------------------------------------------------------------------------- */

void eng_plan_free(eng_plan *plan) {
    if (!plan) return;
    if (plan->parameters) eng_memory_release(plan->code->device->memory, plan->parameters, NULL);
    eng_native_free(plan);
    eng_threads_apart_free(plan->apart);
    wg_vec_free(&plan->units);
    wg_vec_free(&plan->ins);
    wg_vec_free(&plan->fills);
    wg_vec_free(&plan->starts);
    wg_vec_free(&plan->fixups);
    wg_vec_free(&plan->live_in);
    wg_vec_free(&plan->slow);
    wg_vec_free(&plan->undefined_in);
    wg_arena_free(plan->arena);
    free(plan);
}

static wg_status make(eng_plan *plan, wg_error *err) {
    plan->arena = wg_arena_new();
    if (!plan->arena || !gather(plan)) return wg_fail(err, WG_ERR_MEMORY, "no memory to plan %s", plan->kernel->demangled);
    eng_layout_scan(plan);
    for (size_t u = 0; u < plan->units.count; u++) find_leaders(plan, &plan->units.at[u]);
    eng_find_constants(plan);
    for (size_t u = 0; u < plan->units.count; u++) {
        plan->current = (unsigned)u;
        wg_status st = plan_unit(plan, &plan->units.at[u], err);
        if (st != WG_OK) return st;
    }
    wg_status st = fix_targets(plan, err);
    if (st != WG_OK) return st;
    for (size_t f = 0; f < plan->fills.count; f++)
        if (plan->fills.at[f].varies && !wg_vec_push(&plan->starts, plan->fills.at[f]))
            return wg_fail(err, WG_ERR_MEMORY, "no memory to plan %s", plan->kernel->demangled);
    plan->start = &plan->ins.at[plan->units.at[0].planned[0].ins];
    plan->stop = &plan->ins.at[plan->ins.count - 1];
    plan->shadow = (plan->end + 511) / 512 * 512 + 5 * 64; /* odd lines more: registers of several warps do not share cache sets */
    if (plan->code->device->native && !plan->traced) eng_native_make(plan);
    if (!eng_undefined_wanted(plan)) return WG_OK;
    if (!eng_undefined_entry(plan)) return wg_fail(err, WG_ERR_MEMORY, "no memory to plan %s", plan->kernel->demangled);
    if (plan->undefined_in.count || plan->undefined_preds) eng_undefined_plan(plan);
    return WG_OK;
}

wg_status eng_plan_get(eng_code *code, const img_function *kernel, uint32_t wants, bool traced, bool clustered, eng_plan **out, wg_error *err) {
    for (eng_plan *p = code->plans; p; p = p->next)
        if (p->kernel == kernel && p->wants == wants && p->traced == traced && p->clustered == clustered) return *out = p, WG_OK;
    eng_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return wg_fail(err, WG_ERR_MEMORY, "no memory to plan %s", kernel->demangled);
    plan->code = code;
    plan->kernel = kernel;
    plan->wants = wants;
    plan->traced = traced;
    plan->clustered = clustered;
    plan->writes_shared = clustered;
    wg_status st = make(plan, err);
    if (st != WG_OK) {
        eng_plan_free(plan);
        return st;
    }
    plan->next = code->plans;
    code->plans = plan;
    return *out = plan, WG_OK;
}
