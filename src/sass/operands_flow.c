/* Operands of control flow, barriers and shuffles. */
#include "sass/forms.h"
#include "sass/operands.h"

#define UNUSED(x) (void)(x)

static void put_reg(sass_text *out, uint8_t reg) {
    if (reg == SASS_RZ)
        sass_put(out, "RZ");
    else
        sass_put(out, "R%u", reg);
}
static sass_operand reg_at(const sass_instr *i, unsigned lo) {
    return (sass_operand){.kind = SASS_REG, .reg = (uint8_t)bits(i, lo, 8)};
}
static void show_number_or_reg(sass_text *out, const sass_operand *o) {
    sass_item(out);
    if (o->kind == SASS_REG)
        put_reg(out, o->reg);
    else
        sass_put(out, "0x%x", (unsigned)o->value);
}

/* --- labels ---------------------------------------------------------------------------------- */

/* Distance from the next instruction, in bytes; sm_90 and later keep its low 8 bits apart. */
static int64_t distance(const sass_instr *i) {
    const int64_t v = sbits(i, 34, 48);
    return i->sm >= 90 ? (v * 256 + (int64_t)bits(i, 16, 8)) * 4 : v * 4;
}
static int64_t next_offset(const sass_instr *i) {
    return (int64_t)i->offset + 16;
}

static void set_label(sass_instr *i, sass_operand *o, int64_t where) {
    *o = (sass_operand){.kind = SASS_LABEL, .value = where};
    i->has_target = where >= 0 && where <= UINT32_MAX;
    i->target = i->has_target ? (uint32_t)where : 0;
}

enum { FROM_NEXT, FROM_NEXT_SHORT /* BSSY */, FROM_NEXT_BYTES /* LEPC: not counted in words */ };
void sass_take_target(sass_cursor *at, unsigned kind, unsigned arg2) {
    UNUSED(arg2);
    sass_instr *i = at->instr;
    sass_operand *o = slot_of(at);
    switch (kind) {
    case FROM_NEXT_SHORT:
        set_label(i, o, next_offset(i) + sbits(i, 34, 30) * 4);
        break;
    case FROM_NEXT_BYTES:
        set_label(i, o, next_offset(i) + sbits(i, 34, 48) * 256 + (int64_t)bits(i, 24, 8));
        break;
    default:
        set_label(i, o, next_offset(i) + distance(i));
    }
}
void sass_show_target(sass_cursor *at, sass_text *out, unsigned kind, unsigned arg2) {
    UNUSED(kind), UNUSED(arg2);
    sass_item(out);
    sass_put(out, "0x%llx", (unsigned long long)slot_of(at)->value);
}

/* A register plus a constant: the constant is the second source, a label that the register's value is added
 * to. */
enum { VIA_REG, VIA_UREG, VIA_RETURN };
void sass_take_target_register(sass_cursor *at, unsigned kind, unsigned arg2) {
    UNUSED(arg2);
    sass_instr *i = at->instr;
    sass_operand *reg = slot_of(at), *base = slot_of(at);
    *reg = reg_at(i, 24);
    if (kind == VIA_UREG) *reg = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 24)};
    const bool absolute = kind == VIA_RETURN && (i->flags & SASS_ABS_TARGET);
    *base = (sass_operand){.kind = SASS_LABEL, .value = distance(i) + (absolute ? 0 : next_offset(i))};
}
void sass_show_target_register(sass_cursor *at, sass_text *out, unsigned kind, unsigned arg2) {
    UNUSED(arg2);
    const sass_operand *reg = slot_of(at), *base = slot_of(at);
    sass_item(out);
    if (reg->kind == SASS_UREG)
        sass_put(out, reg->reg == SASS_URZ ? "URZ" : "UR%u", reg->reg);
    else
        put_reg(out, reg->reg);
    sass_put(out, " ");
    /* A return shows where the sum is counted from, an indirect branch only the distance. */
    sass_put_hex(out, kind == VIA_RETURN ? base->value : base->value - next_offset(at->instr));
}

/* From sm_90 on the low eight bits of the number of words lie apart, as in a branch's distance. */
static int64_t absolute_target(const sass_instr *i) {
    if (i->sm < 90) return (int64_t)bits(i, 32, 50);
    return (int64_t)(bits(i, 34, 48) << 10 | bits(i, 16, 8) << 2);
}

void sass_take_call_target(sass_cursor *at, unsigned absolute, unsigned arg2) {
    UNUSED(arg2);
    sass_instr *i = at->instr;
    sass_operand *first = slot_of(at);
    const int64_t where = absolute ? absolute_target(i) : next_offset(i) + distance(i);
    if (at->form == 1) {
        *first = reg_at(i, 24);
        *slot_of(at) = (sass_operand){.kind = SASS_LABEL, .value = absolute ? 0 : where};
    } else {
        set_label(i, first, where);
    }
}
void sass_show_call_target(sass_cursor *at, sass_text *out, unsigned absolute, unsigned arg2) {
    UNUSED(arg2);
    const sass_operand *first = slot_of(at);
    sass_item(out);
    if (first->kind == SASS_LABEL) {
        sass_put(out, "0x%llx", (unsigned long long)first->value);
        return;
    }
    put_reg(out, first->reg);
    if (!absolute) sass_put(out, " "), sass_put_hex(out, slot_of(at)->value);
}

/* What BRA asks before it branches. psrc[0] is the plain predicate that follows; the uniform one is psrc[1].
 */
enum { BRA_DIVERGENT = 2 };
/* .DIV and .CONV of sm_75 name no lanes: all of the warp are meant, as by ~URZ. */
static bool names_lanes(const sass_instr *i) { return i->sm >= 100 || bit(i, 91); }
void sass_take_bra_condition(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    if (i->sub >= BRA_DIVERGENT) {
        *slot_of(at) = names_lanes(i) ? (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 24), .inv = bit(i, 30) && i->sm < 100}
                                      : (sass_operand){.kind = SASS_UREG, .reg = SASS_URZ, .inv = true};
    } else if (at->form == 2 || bit(i, 91)) {
        i->psrc[1] =
            (sass_pred){.reg = (uint8_t)bits(i, 24, 3), .uniform = true, .inv = bit(i, 27), .present = true};
    }
}
void sass_show_bra_condition(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    const sass_instr *i = at->instr;
    const sass_pred *p = &i->psrc[1];
    if (i->sub >= BRA_DIVERGENT) {
        const sass_operand *o = slot_of(at);
        if (!names_lanes(i)) return;
        sass_item(out);
        sass_put(out, "%s", o->inv ? "~" : "");
        sass_put(out, o->reg == SASS_URZ ? "URZ" : "UR%u", o->reg);
    } else if (p->present && (p->reg != SASS_PT || p->inv)) {
        sass_item(out);
        sass_put(out, "%s", p->inv ? "!" : "");
        sass_put(out, p->reg == SASS_PT ? "UPT" : "UP%u", p->reg);
    }
}

/* --- convergence barriers ------------------------------------------------------------------------- */

void sass_take_barrier_register(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    *slot_of(at) = (sass_operand){.kind = SASS_BARRIER, .reg = (uint8_t)bits(at->instr, lo, 4)};
}
void sass_show_barrier_register(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    sass_item(out);
    sass_put(out, "B%u", slot_of(at)->reg);
}

/* BMOV moves between a barrier and a register (form 1) or a named mask of the warp (form 7). */
enum { WARP_MASK_ACTIVE = 26 };
static sass_operand bmov_barrier(const sass_instr *i, unsigned lo) {
    return (sass_operand){.kind = SASS_BARRIER, .reg = (uint8_t)bits(i, lo, 4)};
}
static sass_operand bmov_mask(const sass_instr *i) {
    const int64_t which = (int64_t)bits(i, 24, 8);
    if (which < 16) return (sass_operand){.kind = SASS_BARRIER, .reg = (uint8_t)which};
    return (sass_operand){.kind = SASS_SPECIAL, .value = which};
}
void sass_take_bmov(sass_cursor *at, unsigned source, unsigned arg2) {
    UNUSED(arg2);
    sass_instr *i = at->instr;
    const bool get = i->op == SASS_BMOV_GET; /* into the place at 16 */
    sass_operand *o = source ? slot_of(at) : &i->dst;
    if (at->form == 1) {
        if (get)
            *o = source ? bmov_barrier(i, 24) : reg_at(i, 16);
        else
            *o = source ? reg_at(i, 32) : bmov_barrier(i, 24);
    } else {
        *o = (source != 0) == get ? bmov_mask(i) : bmov_barrier(i, 16);
    }
}
void sass_show_bmov(sass_cursor *at, sass_text *out, unsigned source, unsigned arg2) {
    UNUSED(arg2);
    const sass_operand *o = source ? slot_of(at) : &at->instr->dst;
    sass_item(out);
    if (o->kind == SASS_REG)
        put_reg(out, o->reg);
    else if (o->kind == SASS_BARRIER)
        sass_put(out, "B%u", o->reg);
    else if (o->value == WARP_MASK_ACTIVE)
        sass_put(out, "MACTIVE");
    else
        sass_put(out, "B%u", (unsigned)o->value);
}

/* A mask; the collective form has a register and the address behind the section that it guards. */
static bool is_collective(const sass_instr *i) {
    return i->sm >= 90 && bit(i, 86);
}
void sass_take_warpsync(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    if (at->form == 5) { /* a constant; none since sm_90 */
        at->bad |= i->sm >= 90;
        sass_take_source(at, PLACE_B, SUFFIX_NONE);
        return;
    }
    sass_operand *mask = slot_of(at);
    /* Since sm_90 the form without a register has no mask either: all lanes. */
    if (at->form == 1)
        *mask = reg_at(i, i->sm >= 90 ? 24 : 32);
    else
        *mask =
            (sass_operand){.kind = SASS_IMM, .value = i->sm >= 90 ? UINT32_MAX : (int64_t)bits(i, 32, 32)};
    if (!is_collective(i)) return;
    i->flags |= SASS_COLLECTIVE;
    set_label(i, slot_of(at), next_offset(i) + distance(i));
}
void sass_show_warpsync(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    if (at->form == 5) {
        sass_show_source(at, out, PLACE_B, SUFFIX_NONE);
        return;
    }
    const sass_operand *mask = slot_of(at);
    if (mask->kind == SASS_REG || at->instr->sm < 90) show_number_or_reg(out, mask);
    if (is_collective(at->instr)) sass_show_target(at, out, arg, arg2);
}

/* --- block barriers -------------------------------------------------------------------------------- */

/* Forms 2 and 5 have a constant count, 4 and 5 a constant number. In form 1 one register holds both: the
 * number in its low 4 bits, the count from bit 16 on (shape is then BAR_PACKED). */
enum { BAR_PACKED = 1 };
void sass_take_bar_id(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    *slot_of(at) =
        at->form <= 2 ? reg_at(i, 32) : (sass_operand){.kind = SASS_IMM, .value = (int64_t)bits(i, 54, 4)};
    if (at->form == 1) i->shape = BAR_PACKED;
}
void sass_show_bar_id(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    show_number_or_reg(out, slot_of(at));
}
void sass_take_bar_count(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    sass_operand *o = slot_of(at);
    if (at->form == 1 || at->form == 4)
        *o = reg_at(i, 32);
    else if (bits(i, 42, 12))
        *o = (sass_operand){.kind = SASS_IMM, .value = (int64_t)bits(i, 42, 12)};
}
void sass_show_bar_count(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    const sass_operand *o = slot_of(at);
    if (o->kind != SASS_NONE) show_number_or_reg(out, o);
}

/* --- scoreboards ------------------------------------------------------------------------------------- */

void sass_take_scoreboard(sass_cursor *at, unsigned lo, unsigned width) {
    *slot_of(at) = (sass_operand){.kind = SASS_IMM, .value = (int64_t)bits(at->instr, lo, width)};
}
void sass_show_scoreboard(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo), UNUSED(width);
    sass_item(out);
    sass_put(out, "SB%u", (unsigned)slot_of(at)->value);
}
void sass_take_scoreboard_list(sass_cursor *at, unsigned lo, unsigned width) {
    sass_take_scoreboard(at, lo, width);
}
void sass_show_scoreboard_list(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo);
    const unsigned mask = (unsigned)slot_of(at)->value;
    const char *before = "{";
    if (!mask) return;
    sass_item(out);
    for (unsigned k = width; k-- > 0;) {
        if (!(mask >> k & 1)) continue;
        sass_put(out, "%s%u", before, k);
        before = ",";
    }
    sass_put(out, "}");
}

/* --- shuffles ------------------------------------------------------------------------------------------ */

/* Forms 1, 2: lane in a register; 4, 7: a constant. Forms 1 and 4: clamp in a register. */
void sass_take_shfl_lane(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    *slot_of(at) =
        at->form <= 2 ? reg_at(i, 32) : (sass_operand){.kind = SASS_IMM, .value = (int64_t)bits(i, 53, 5)};
}
void sass_show_shfl_lane(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    show_number_or_reg(out, slot_of(at));
}
void sass_take_shfl_clamp(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    *slot_of(at) = at->form == 1 || at->form == 4
                       ? reg_at(i, 64)
                       : (sass_operand){.kind = SASS_IMM, .value = (int64_t)bits(i, 40, 13)};
}
void sass_show_shfl_clamp(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    show_number_or_reg(out, slot_of(at));
}
