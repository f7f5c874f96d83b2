/* The slow stream: what the step before each instruction must know of it. */
#include <stdlib.h>
#include <string.h>

#include "engine/undefined.h"

/* --- rules ------------------------------------------------------------------------------------------ */

static undef_rule rule_of(const sass_instr *in) {
    switch (in->op) {
    case SASS_MOV: return (in->byte & 15) == 15 ? UNDEF_COPY : UNDEF_ANY;
    case SASS_UMOV: case SASS_MOV_64: case SASS_UMOV_64: return UNDEF_COPY;
    case SASS_SEL: case SASS_USEL: case SASS_FSEL: case SASS_SEL_64: case SASS_USEL_64: return UNDEF_SELECT;
    case SASS_IADD3: case SASS_UIADD3: case SASS_UIADD3_64: case SASS_IADD_64: return UNDEF_LEFT;
    case SASS_VIADD: return in->type == SASS_TYPE_NONE || in->type == SASS_U32 || in->type == SASS_S32 ? UNDEF_LEFT : UNDEF_ANY;
    case SASS_LEA: case SASS_ULEA: return in->flags & (SASS_HI | SASS_SX32) ? UNDEF_ANY : UNDEF_LEA;
    case SASS_IMAD: case SASS_UIMAD: return UNDEF_IMAD;
    case SASS_IMAD_WIDE: case SASS_UIMAD_WIDE: return UNDEF_WIDE;
    case SASS_LOP3: case SASS_ULOP3: return UNDEF_LOP3;
    case SASS_PLOP3: case SASS_UPLOP3: return UNDEF_PLOP3;
    case SASS_SHF: case SASS_USHF: case SASS_PRMT: case SASS_UPRMT: case SASS_SGXT: case SASS_USGXT: case SASS_BREV: case SASS_UBREV:
        return UNDEF_MOVED;
    case SASS_ISETP: case SASS_UISETP: return in->shape ? UNDEF_COMPARE : UNDEF_COMPARE_INT;
    case SASS_FSETP: case SASS_DSETP: case SASS_HSETP2: return UNDEF_COMPARE;
    case SASS_P2R: case SASS_UP2UR: return UNDEF_P2R;
    case SASS_R2P: case SASS_UR2UP: return UNDEF_R2P;
    case SASS_R2UR: case SASS_R2UR_90: return UNDEF_R2UR;
    case SASS_VOTE: case SASS_VOTEU: return UNDEF_VOTE;
    case SASS_SHFL: return UNDEF_SHFL;
    case SASS_REDUX: case SASS_CREDUX: case SASS_MATCH: return UNDEF_REDUX;
    case SASS_HADD2: case SASS_HMUL2: case SASS_HFMA2: case SASS_HMNMX2: return in->flags & SASS_F32OUT ? UNDEF_ANY : UNDEF_HALVES;
    case SASS_I2F: case SASS_I2F_64: case SASS_I2I: case SASS_F2F: case SASS_F2I: return UNDEF_PART;
    case SASS_BMOV_GET: case SASS_BMOV_SET: case SASS_B2R: case SASS_LEPC: case SASS_LEPC_90: return UNDEF_ANY;
    case SASS_LDGSTS: return UNDEF_STORE;
    case SASS_NOP: case SASS_WARPSYNC: case SASS_YIELD: case SASS_BSSY: case SASS_BSYNC: case SASS_BREAK: case SASS_NANOSLEEP: return UNDEF_NOTHING;
    default: break;
    }
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_GLOBAL_LD: case SASS_CLASS_GENERIC_LD: case SASS_CLASS_SHARED_LD: case SASS_CLASS_LOCAL_LD: case SASS_CLASS_CONST_LOAD:
        return UNDEF_LOAD;
    case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_GENERIC_ST: case SASS_CLASS_SHARED_ST: case SASS_CLASS_LOCAL_ST: return UNDEF_STORE;
    case SASS_CLASS_GLOBAL_ATOM: case SASS_CLASS_GLOBAL_RED: case SASS_CLASS_SHARED_ATOM: return UNDEF_ATOMIC;
    case SASS_CLASS_TENSOR: return sass_is_gmma((sass_op)in->op) ? UNDEF_NOTHING /* it says itself what it writes */ : UNDEF_TENSOR;
    case SASS_CLASS_BRANCH: return in->op == SASS_BRA ? UNDEF_BRANCH : UNDEF_JUMP;
    case SASS_CLASS_EXIT: return UNDEF_BRANCH;
    case SASS_CLASS_CALL: return UNDEF_JUMP;
    case SASS_CLASS_BARRIER: return UNDEF_BARRIER;
    default: return UNDEF_ANY;
    }
}

/* Is the result another value than a source's, or part of one? */
static bool computes(const sass_instr *in, undef_rule rule) {
    unsigned terms = !eng_is_zero(&in->a) + !eng_is_zero(&in->b) + !eng_is_zero(&in->c);
    switch (rule) {
    case UNDEF_ANY: return sass_class_of((sass_op)in->op) != SASS_CLASS_MOVE && sass_class_of((sass_op)in->op) != SASS_CLASS_CONVERGE;
    case UNDEF_LEFT: return terms > 1;
    case UNDEF_IMAD: return !eng_is_zero(&in->a) && !eng_is_zero(&in->b);
    case UNDEF_MOVED: /* bytes are put together by shifts, too */
        return in->op == SASS_BREV || in->op == SASS_UBREV || ((in->op == SASS_SHF || in->op == SASS_USHF) && in->b.kind == SASS_IMM && in->b.value % 8);
    case UNDEF_LEA: case UNDEF_WIDE: case UNDEF_TENSOR: case UNDEF_REDUX: case UNDEF_HALVES: case UNDEF_PART: return true;
    default: return false;
    }
}

/* --- operands -------------------------------------------------------------------------------------------- */

static undef_operand operand_of(eng_plan *plan, const sass_instr *in, const sass_operand *op) {
    undef_operand o = {.kind = SASS_NONE};
    if (eng_is_zero(op) && op->kind != SASS_IMM) return o;
    switch (op->kind) {
    case SASS_REG: case SASS_UREG:
        o.kind = SASS_REG;
        o.words = (uint8_t)sass_src_regs(in, op);
        if (o.words > 8) o.words = 8;
        o.slot = op->kind == SASS_REG ? eng_slot_reg(plan, op->reg) : eng_slot_ureg(plan, op->reg);
        break;
    case SASS_IMM: o.kind = SASS_IMM, o.value = (uint32_t)op->value; break;
    case SASS_CONST:
        if (op->index != SASS_RZ) break;
        o.kind = SASS_CONST, o.bank = op->bank, o.value = (uint32_t)op->value;
        break;
    default: break;
    }
    return o;
}

static void add_address(undef_op *op, uint32_t slot, unsigned words, uint32_t zero) {
    if (slot == zero || op->n_addresses == 4) return;
    op->address[op->n_addresses++] = (undef_operand){.kind = SASS_REG, .slot = slot, .words = (uint8_t)words};
}
/* Is it in shared or local memory? Then 32 bits are its address. */
static bool in_window(const sass_instr *in) {
    switch (in->op) {
    case SASS_SYNCS: case SASS_SYNCS_PHASE: case SASS_ARRIVES: return true;
    default: break;
    }
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_SHARED_LD: case SASS_CLASS_SHARED_ST: case SASS_CLASS_SHARED_ATOM: case SASS_CLASS_LOCAL_LD: case SASS_CLASS_LOCAL_ST: return true;
    default: return false;
    }
}
static void addresses_of(eng_plan *plan, const sass_instr *in, undef_op *op) {
    const sass_operand *ops[] = {&in->a, &in->b, &in->c};
    const sass_address *mem[] = {&in->mem, &in->mem2};
    for (unsigned k = 0; k < 2; k++) {
        if (!mem[k]->present) continue;
        bool window = k || in_window(in); /* LDGSTS has both */
        add_address(op, eng_slot_reg(plan, mem[k]->base), mem[k]->wide ? 2 : 1, plan->zero);
        add_address(op, eng_slot_ureg(plan, mem[k]->uniform), window ? 1 : 2, plan->zero);
    }
    for (unsigned k = 0; k < 3; k++)
        if (ops[k]->kind == SASS_CONST && ops[k]->index != SASS_RZ)
            add_address(op, ops[k]->index_uniform ? eng_slot_ureg(plan, ops[k]->index) : eng_slot_reg(plan, ops[k]->index), 1, plan->zero);
}

static undef_op *op_of(eng_plan *plan, const sass_instr *in, const eng_ins *out) {
    undef_op *op = wg_arena_alloc(plan->arena, sizeof *op);
    if (!op) return NULL;
    const sass_operand *ops[] = {&in->a, &in->b, &in->c, &in->extra};
    *op = (undef_op){.in = in, .rule = (uint8_t)rule_of(in), .d = eng_slot_dst(plan, &in->dst), .d2 = plan->sink, .real = *out};
    op->computes = computes(in, (undef_rule)op->rule);
    for (unsigned k = 0; k < 4; k++) op->source[k] = operand_of(plan, in, ops[k]);
    bool register_result = op->d != plan->sink;
    op->words = (uint8_t)(register_result ? sass_dst_regs(in) : 0);
    if (register_result && !op->words) op->words = 1;
    if (op->words > 8) op->words = 8;
    if (in->dst2.kind && (op->d2_words = (uint8_t)sass_dst2_regs(in))) op->d2 = eng_slot_dst(plan, &in->dst2);
    for (unsigned k = 0; k < 2; k++) op->pd[k] = eng_pred_dst(&in->pdst[k]);
    for (unsigned k = 0; k < 3; k++) op->ps[k] = eng_pred_src(&in->psrc[k]);
    addresses_of(plan, in, op);
    op->shadow[0] = *out;
    op->shadow[1] = (eng_ins){.fn = plan->code->device->stop};
    if (op->rule == UNDEF_MOVED) {
        op->shadow[0].d = out->d + plan->shadow;
        op->shadow[0].a = out->a + plan->shadow;
        op->shadow[0].c = out->c + plan->shadow;
    }
    return op;
}

/* --- the stream -------------------------------------------------------------------------------------------- */

static bool emit(eng_plan *plan, const eng_ins *ins) { return wg_vec_push(&plan->slow, *ins); }

static bool emit_instruction(eng_plan *plan, eng_unit *unit, unsigned n, wg_error *err) {
    const eng_device *device = plan->code->device;
    eng_planned *p = &unit->planned[n];
    const sass_instr *in = &unit->instrs[n];
    eng_ins step = {.fn = device->undefined_step, .id = n, .function = (uint16_t)unit->function, .guard = ENG_PT};
    size_t fixups = plan->fixups.count;
    if (eng_constants_before(plan, unit, n)) { /* its register is not read: what it holds no longer matters */
        unit->slow[n].self = (uint32_t)plan->slow.count;
        undef_op *op = wg_arena_alloc(plan->arena, sizeof *op);
        if (!op) return false;
        *op = (undef_op){.in = in, .rule = UNDEF_ANY, .d = eng_slot_dst(plan, &in->dst), .words = (uint8_t)sass_dst_regs(in),
                         .d2 = plan->sink, .pd = {ENG_PSINK, ENG_PSINK}, .ps = {ENG_PT, ENG_PT, ENG_PT}};
        step.ptr = op;
        step.uni = in->dst.kind == SASS_UREG ? ENG_ALL : 0;
        return emit(plan, &step);
    }
    eng_ins out = {.id = n, .function = (uint16_t)unit->function};
    if (eng_plan_bind(plan, unit, n, &out, err) != WG_OK) return false;
    undef_op *op = op_of(plan, in, &out);
    if (!op) return false;
    step.guard = out.guard, step.ginv = out.ginv, step.uni = out.uni;
    step.ptr = op;
    if (!emit(plan, &step)) return false;
    if (p->guard != ENG_NO_INDEX) {
        const eng_ins count = plan->ins.at[p->self - 1];
        if (!emit(plan, &count)) return false;
    }
    if (plan->fixups.count > fixups) plan->fixups.at[fixups] = (uint32_t)plan->slow.count;
    unit->slow[n].self = (uint32_t)plan->slow.count;
    if (!emit(plan, &out)) return false;
    if (op->rule != UNDEF_STORE) return true;
    step.fn = device->undefined_after;
    return emit(plan, &step);
}

static bool emit_unit(eng_plan *plan, eng_unit *unit, wg_error *err) {
    const eng_device *device = plan->code->device;
    unit->slow = wg_arena_array(plan->arena, unit->n + 1u, sizeof *unit->slow);
    if (!unit->slow || !eng_undefined_live(plan, unit)) return false;
    for (unsigned n = 0; n < unit->n; n++) {
        unit->slow[n].at = (uint32_t)plan->slow.count;
        if (unit->leader[n]) {
            eng_ins leave = {.fn = device->undefined_block, .id = n, .function = (uint16_t)unit->function, .guard = ENG_PT, .ptr = unit};
            eng_ins count = plan->ins.at[unit->planned[n].ins];
            if (count.fn != device->count_spin) count.fn = device->count_block; /* there it may begin native code */
            if (!emit(plan, &leave) || !emit(plan, &count)) return false;
        }
        eng_ins trace = {.fn = device->trace, .id = n, .guard = ENG_PT, .function = (uint16_t)unit->function};
        if (plan->traced && !emit(plan, &trace)) return false;
        if (!emit_instruction(plan, unit, n, err)) return false;
        eng_constants_after(plan, unit, n);
    }
    unit->slow_stop = (uint32_t)plan->slow.count;
    eng_ins stop = {.fn = device->stop, .id = unit->n - 1, .function = (uint16_t)unit->function};
    return emit(plan, &stop);
}

static bool fix_targets(eng_plan *plan) {
    for (size_t k = 0; k < plan->fixups.count; k++) {
        eng_ins *ins = &plan->slow.at[plan->fixups.at[k]];
        const eng_unit *unit;
        unsigned index;
        if (!eng_plan_at(plan, (uint64_t)ins->imm, &unit, &index)) return false;
        ins->target = &plan->slow.at[unit->slow[index].at];
    }
    return true;
}

const eng_ins *eng_undefined_at(const eng_plan *plan, const eng_unit *unit, unsigned index) {
    return index < unit->n ? &plan->slow.at[unit->slow[index].at] : &plan->slow.at[unit->slow_stop];
}

bool eng_undefined_plan(eng_plan *plan) {
    if (plan->slow.count || plan->slow_failed) return !plan->slow_failed;
    wg_error err;
    plan->slowing = true;
    plan->fixups.count = 0;
    bool ok = true;
    uint32_t counters = plan->n_counters; /* the workers have made room for so many: the slow stream counts in the fast one's */
    for (size_t u = 0; ok && u < plan->units.count; u++) {
        plan->current = (unsigned)u;
        ok = emit_unit(plan, &plan->units.at[u], &err);
    }
    ok = ok && plan->n_counters == counters && fix_targets(plan);
    plan->slowing = false;
    plan->slow_failed = !ok;
    if (!ok) wg_vec_free(&plan->slow);
    return ok;
}
