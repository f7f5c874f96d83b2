/* Operands of warp-group MMA: matrices in shared memory, by descriptors in uniform registers. */
#include "sass/forms.h"

#define UNUSED(x) (void)(x)
enum { BOTH_SHARED = 4 /* form: A has a descriptor too */, NEGATIVE_A = 72, TRANSPOSED_A = 61, TRANSPOSED_B = 62, NEGATIVE_B = 63 };

void sass_take_gmma_a(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    sass_operand *o = slot_of(at);
    if (at->form == BOTH_SHARED) *o = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 24)};
    else *o = (sass_operand){.kind = SASS_REG, .reg = (uint8_t)bits(i, 24, 8)};
    o->neg = bit(i, NEGATIVE_A);
}
void sass_show_gmma_a(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    const sass_operand *o = slot_of(at);
    if (at->form == BOTH_SHARED) return; /* with B's */
    sass_item(out);
    sass_put(out, o->reg == SASS_RZ ? "%sRZ" : "%sR%u", o->neg ? "-" : "", o->reg);
}

void sass_take_gmma_b(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    sass_operand *o = slot_of(at);
    if (at->form != BOTH_SHARED) *o = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 32)};
    o->neg = bit(i, NEGATIVE_B);
}
void sass_show_gmma_b(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    const sass_instr *i = at->instr;
    const bool both = at->form == BOTH_SHARED;
    const uint8_t reg = both ? i->a.reg : i->b.reg;
    slot_of(at);
    sass_item(out);
    if (reg == SASS_URZ) sass_put(out, "gdesc[URZ]");
    else sass_put(out, "gdesc[UR%u]", reg);
    if (both && bit(i, TRANSPOSED_A)) sass_put(out, ".tnspA");
    if (bit(i, TRANSPOSED_B)) sass_put(out, ".tnspB");
    if (both && i->a.neg) sass_put(out, ".negA");
    if (i->b.neg) sass_put(out, ".negB");
}

/* Does the sum begin with C? The number of the predicate is counted from UPT down. */
void sass_take_gmma_scale(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    sass_instr *i = at->instr;
    i->psrc[0] = (sass_pred){.reg = (uint8_t)(7 - bits(i, lo, 3)), .inv = bit(i, lo + 3), .uniform = true, .present = true};
}
void sass_show_gmma_scale(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    const sass_pred *p = &at->instr->psrc[0];
    if (p->reg == SASS_PT && !p->inv) return;
    sass_item(out);
    if (p->reg == SASS_PT) sass_put(out, "!UPT");
    else sass_put(out, "%sUP%u", p->inv ? "!" : "", p->reg);
}

/* The barrier that is told when it has been done, and that DEPBAR waits for; 7: none. */
void sass_take_gmma_barrier(sass_cursor *at, unsigned lo, unsigned arg2) { UNUSED(at), UNUSED(lo), UNUSED(arg2); }
void sass_show_gmma_barrier(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    const unsigned n = (unsigned)bits(at->instr, lo, 3);
    if (n == 7) return;
    sass_item(out);
    sass_put(out, "gsb%u", n);
}
