/* Operands of bulk copies (TMA): uniform registers that hold addresses, and runs of them. */
#include "sass/forms.h"

#define UNUSED(x) (void)(x)

static void put_ureg(sass_text *out, uint8_t reg) {
    if (reg == SASS_URZ) sass_put(out, "URZ");
    else sass_put(out, "UR%u", reg);
}

/* The first of the registers; how many there are says sass_src_regs. */
void sass_take_bulk_address(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    *slot_of(at) = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(at->instr, lo)};
}
void sass_show_bulk_address(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    sass_item(out);
    sass_put(out, "[");
    put_ureg(out, slot_of(at)->reg);
    sass_put(out, "]");
}

/* A register in the third place. WHEN_FORM1: only that form has it. */
static bool has_value(const sass_cursor *at, unsigned when_form1) { return !when_form1 || at->form == 1; }
void sass_take_bulk_value(sass_cursor *at, unsigned lo, unsigned when_form1) {
    sass_operand *o = slot_of(at);
    if (has_value(at, when_form1)) *o = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(at->instr, lo)};
}
void sass_show_bulk_value(sass_cursor *at, sass_text *out, unsigned lo, unsigned when_form1) {
    UNUSED(lo);
    const sass_operand *o = slot_of(at);
    if (!has_value(at, when_form1)) return;
    sass_item(out);
    put_ureg(out, o->reg);
}

/* Of the cache: a policy. */
enum { HAS_POLICY = 76 };
void sass_take_bulk_policy(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    if (bit(at->instr, HAS_POLICY)) at->instr->extra = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(at->instr, lo)};
}
void sass_show_bulk_policy(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    if (!bit(at->instr, HAS_POLICY)) return;
    sass_item(out);
    sass_put(out, "desc[");
    put_ureg(out, at->instr->extra.reg);
    sass_put(out, "]");
}
