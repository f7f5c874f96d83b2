/* Where operands lie: registers, constants, immediates and special registers all become slots of a warp. */
#include <string.h>

#include "engine/plan.h"

static void reach(uint32_t *n, unsigned reg, unsigned limit) {
    if (reg < limit && *n < reg + 4) *n = reg + 4; /* the longest vector of an access is four registers */
}

static void scan_operand(eng_plan *plan, const sass_operand *op) {
    if (op->kind == SASS_REG) reach(&plan->n_regs, op->reg, SASS_RZ);
    if (op->kind == SASS_UREG || op->kind == SASS_BINDLESS) reach(&plan->n_uregs, op->reg, SASS_URZ);
    if (op->kind == SASS_BARRIER && plan->n_barriers <= op->reg) plan->n_barriers = op->reg + 1u;
    if (op->kind == SASS_CONST && op->index != SASS_RZ) {
        if (op->index_uniform) reach(&plan->n_uregs, op->index, SASS_URZ);
        else reach(&plan->n_regs, op->index, SASS_RZ);
    }
}

static void scan_address(eng_plan *plan, const sass_address *mem) {
    if (!mem->present) return;
    reach(&plan->n_regs, mem->base, SASS_RZ);
    reach(&plan->n_uregs, mem->uniform, SASS_URZ);
    reach(&plan->n_uregs, mem->desc, SASS_URZ);
}

void eng_layout_scan(eng_plan *plan) {
    plan->n_regs = plan->kernel->registers <= 255 ? plan->kernel->registers : 255;
    for (size_t u = 0; u < plan->units.count; u++) {
        const eng_unit *unit = &plan->units.at[u];
        for (unsigned n = 0; n < unit->n; n++) {
            const sass_instr *in = &unit->instrs[n];
            const sass_operand *ops[] = {&in->dst, &in->dst2, &in->a, &in->b, &in->c, &in->extra};
            for (unsigned k = 0; k < 6; k++) scan_operand(plan, ops[k]);
            scan_address(plan, &in->mem);
            scan_address(plan, &in->mem2);
        }
    }
    plan->zero = plan->n_regs * ENG_SLOT;
    plan->sink = plan->zero + ENG_RZ_SLOTS * ENG_SLOT;
    plan->uregs = plan->sink + ENG_RZ_SLOTS * ENG_SLOT;
    plan->barriers = plan->uregs + plan->n_uregs * ENG_SLOT;
    plan->end = plan->barriers + plan->n_barriers * ENG_SLOT;
}

static bool same_fill(const eng_fill *f, const eng_fill *g) {
    return f->kind == g->kind && f->bank == g->bank && f->width == g->width && f->sign == g->sign && f->value == g->value;
}

/* n fills in consecutive slots; an equal run that is there already is shared. */
static uint32_t fill_run(eng_plan *plan, const eng_fill *fills, unsigned n) {
    for (size_t k = 0; k + n <= plan->fills.count; k++) {
        unsigned same = 0;
        while (same < n && same_fill(&plan->fills.at[k + same], &fills[same]) &&
               plan->fills.at[k + same].slot == plan->fills.at[k].slot + same * ENG_SLOT)
            same++;
        if (same == n) return plan->fills.at[k].slot;
    }
    uint32_t first = plan->end;
    if (plan->slowing) return eng_refuse(plan, "a constant that the fast stream has not"), plan->zero; /* contexts are made already */
    for (unsigned k = 0; k < n; k++) {
        eng_fill f = fills[k];
        f.slot = plan->end;
        plan->end += ENG_SLOT;
        if (!wg_vec_push(&plan->fills, f)) eng_refuse(plan, "no memory");
    }
    return first;
}

uint32_t eng_slot_value(eng_plan *plan, uint32_t value) {
    if (value == 0) return plan->zero;
    return fill_run(plan, &(eng_fill){.kind = ENG_FILL_VALUE, .width = 4, .value = value}, 1);
}

bool eng_special_fixed(const sass_instr *in) {
    unsigned sr = (unsigned)in->a.value;
    if ((sr >= 0x25 && sr <= 0x28) || sr == 2 || sr == 3 || sr == 0x2f || sr == 0x32 || sr == 0x37 || sr == 0x43 || sr == ENG_SR_RANK || sr == 0xff) return true;
    return in->op != SASS_S2UR && (sr == 0 || (sr >= 0x20 && sr <= 0x23) || (sr >= 0x38 && sr <= 0x3c));
}

bool eng_half_constant(const sass_instr *in) {
    const uint32_t changes = SASS_FTZ | SASS_FMZ | SASS_SAT | SASS_RELU | SASS_F32OUT;
    if (!eng_is_zero(&in->a) || !eng_is_zero(&in->b) || in->c.kind != SASS_IMM || in->c.neg || in->c.abs || in->flags & changes) return false;
    uint16_t infinite = in->flags & SASS_PACKED_BF16 ? 0x7f80 : 0x7c00;
    for (int h = 0; h < 2; h++) { /* a zero must not meet one of the other sign, and NaN has one form */
        uint16_t v = (uint16_t)(in->c.value >> 16 * h);
        if (v == 0x8000 || (v & 0x7fff) > infinite) return false;
    }
    return true;
}

uint32_t eng_slot_special(eng_plan *plan, unsigned sr) {
    if (sr == 0xff || (sr == ENG_SR_RANK && !plan->clustered)) return plan->zero; /* without clusters a block is the first of its own */
    uint8_t varies = sr == 0x03 || (sr >= 0x20 && sr <= 0x23) ? ENG_BY_WARP : (sr >= 0x25 && sr <= 0x27) || sr == 0x43 || sr == ENG_SR_RANK || sr == ENG_SR_TO_OWN ? ENG_BY_BLOCK : ENG_NEVER;
    return fill_run(plan, &(eng_fill){.kind = ENG_FILL_SPECIAL, .width = 4, .value = sr, .varies = varies}, 1);
}

uint32_t eng_slot_const(eng_plan *plan, unsigned bank, uint32_t offset, unsigned width, bool sign) {
    eng_fill f = {.kind = ENG_FILL_CONST, .bank = (uint8_t)bank, .width = (uint8_t)width, .sign = sign, .value = offset};
    return fill_run(plan, &f, 1);
}

uint32_t eng_slot_const_run(eng_plan *plan, unsigned bank, uint32_t offset, unsigned words) {
    eng_fill f[4];
    for (unsigned k = 0; k < words && k < 4; k++)
        f[k] = (eng_fill){.kind = ENG_FILL_CONST, .bank = (uint8_t)bank, .width = 4, .value = offset + 4 * k};
    return fill_run(plan, f, words);
}

uint32_t eng_slot_reg(eng_plan *plan, unsigned reg) {
    if (reg == SASS_RZ) return plan->zero;
    return plan->constants[reg] != ENG_NO_INDEX ? plan->constants[reg] : reg * ENG_SLOT;
}
uint32_t eng_slot_ureg(eng_plan *plan, unsigned ureg) {
    if (ureg == SASS_URZ) return plan->zero;
    return plan->constants[256 + ureg] != ENG_NO_INDEX ? plan->constants[256 + ureg] : plan->uregs + ureg * ENG_SLOT;
}
uint32_t eng_slot_barrier(eng_plan *plan, unsigned b) {
    if (b >= plan->n_barriers) eng_refuse(plan, "a convergence barrier that the code does not declare");
    return plan->barriers + b * ENG_SLOT;
}

static uint32_t pair(eng_plan *plan, uint32_t low, uint32_t high) {
    if (!low && !high) return plan->zero;
    eng_fill f[2] = {{.kind = ENG_FILL_VALUE, .width = 4, .value = low}, {.kind = ENG_FILL_VALUE, .width = 4, .value = high}};
    return fill_run(plan, f, 2);
}

static uint32_t source(eng_plan *plan, const sass_operand *op, unsigned words, bool as_double) {
    switch (op->kind) {
    case SASS_NONE: return plan->zero;
    case SASS_REG: return eng_slot_reg(plan, op->reg);
    case SASS_UREG: return eng_slot_ureg(plan, op->reg);
    case SASS_IMM:
        if (words == 1) return eng_slot_value(plan, (uint32_t)op->value);
        return as_double ? pair(plan, 0, (uint32_t)op->value) : pair(plan, (uint32_t)op->value, 0);
    case SASS_CONST:
        if (op->index != SASS_RZ) break;
        return eng_slot_const_run(plan, op->bank, (uint32_t)op->value, words);
    default: break;
    }
    eng_refuse(plan, op->kind == SASS_BINDLESS ? "a bindless constant" : "an indexed constant");
    return plan->zero;
}

uint32_t eng_slot_src(eng_plan *plan, const sass_operand *op) { return source(plan, op, 1, false); }
uint32_t eng_slot_src64(eng_plan *plan, const sass_operand *op) { return source(plan, op, 2, false); }
uint32_t eng_slot_signed64(eng_plan *plan, const sass_operand *op) {
    if (op->kind != SASS_IMM) return source(plan, op, 2, false);
    return pair(plan, (uint32_t)op->value, (int32_t)op->value < 0 ? UINT32_MAX : 0);
}
uint32_t eng_slot_double(eng_plan *plan, const sass_operand *op) { return source(plan, op, 2, true); }

uint32_t eng_slot_dst(eng_plan *plan, const sass_operand *op) {
    if (op->kind == SASS_REG && op->reg != SASS_RZ) return op->reg * ENG_SLOT;
    if (op->kind == SASS_UREG && op->reg != SASS_URZ) return plan->uregs + op->reg * ENG_SLOT;
    return plan->sink;
}

uint8_t eng_pred_src(const sass_pred *pred) {
    if (!pred->present) return ENG_PT;
    return (uint8_t)(((pred->uniform ? ENG_UP : 0) + (pred->reg & 7)) | (pred->inv ? ENG_PINV : 0));
}

uint8_t eng_pred_dst(const sass_pred *pred) {
    if (!pred->present || (pred->reg & 7) == SASS_PT) return ENG_PSINK;
    return (uint8_t)((pred->uniform ? ENG_UP : 0) + (pred->reg & 7));
}

bool eng_is_zero(const sass_operand *op) {
    return op->kind == SASS_NONE || (op->kind == SASS_REG && op->reg == SASS_RZ) ||
           (op->kind == SASS_UREG && op->reg == SASS_URZ) || (op->kind == SASS_IMM && op->value == 0);
}

void eng_operands(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->d = eng_slot_dst(plan, &in->dst);
    out->a = eng_slot_src(plan, &in->a);
    out->b = eng_slot_src(plan, &in->b);
    out->c = eng_slot_src(plan, &in->c);
    for (int n = 0; n < 2; n++) out->pd[n] = eng_pred_dst(&in->pdst[n]);
    for (int n = 0; n < 3; n++) out->ps[n] = eng_pred_src(&in->psrc[n]);
}
