/* Operands of textures, surfaces and sparse matrices, and the few of sm_90 and later that no older form has.
 */
#include "sass/forms.h"

#define UNUSED(x) (void)(x)

static void put_reg(sass_text *out, const sass_operand *o) {
    const char *prefix = o->kind == SASS_UREG ? "UR" : "R";
    if (o->reg == SASS_RZ)
        sass_put(out, "%sZ", prefix);
    else
        sass_put(out, "%s%u", prefix, o->reg);
}
static sass_operand reg_at(const sass_instr *i, unsigned lo) {
    return (sass_operand){.kind = SASS_REG, .reg = (uint8_t)bits(i, lo, 8)};
}

/* The register of the third and fourth component is printed before the other. */
void sass_take_second_dst(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    at->instr->dst2 = reg_at(at->instr, lo);
}
void sass_show_second_dst(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    sass_item(out);
    put_reg(out, &at->instr->dst2);
}

/* Where the descriptor is: a word of the constant bank, or a uniform register (sm_90 and later). */
static sass_operand handle_of(const sass_cursor *at) {
    const sass_instr *i = at->instr;
    if (at->form == 7) return (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 40)};
    if (at->form == 1 || at->form == 4) return reg_at(i, 64);
    return (sass_operand){.kind = SASS_CONST,
                          .bank = (uint8_t)bits(i, 54, 5),
                          .index = 255,
                          .value = (int64_t)bits(i, 40, 14) * 4};
}
void sass_take_tex_handle(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    at->instr->extra = handle_of(at);
}
void sass_show_tex_handle(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    const sass_operand *o = &at->instr->extra;
    sass_item(out);
    if (o->kind == SASS_CONST)
        sass_put(out, "0x%x, 0x%x", o->bank, (unsigned)(o->value / 4));
    else
        sass_put(out, "%s%u%s", o->kind == SASS_UREG ? "UR" : "R", o->reg, o->kind == SASS_UREG && at->instr->sm < 100 ? ", 0x0" : "");
}

void sass_take_tex_dim(sass_cursor *at, unsigned lo, unsigned width) {
    at->instr->shape = (uint8_t)bits(at->instr, lo, width);
}
void sass_show_tex_dim(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo), UNUSED(width);
    static const char *const names[] = {"1D",       "2D",       "3D",       "CUBE",
                                        "ARRAY_1D", "ARRAY_2D", "ARRAY_3D", "ARRAY_CUBE"};
    sass_item(out);
    sass_put(out, "%s", names[at->instr->shape]);
}

enum { ALL_COMPONENTS = 15 };
void sass_take_tex_mask(sass_cursor *at, unsigned lo, unsigned width) {
    at->instr->byte = (uint8_t)bits(at->instr, lo, width);
}
void sass_show_tex_mask(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo), UNUSED(width);
    if (at->instr->byte == ALL_COMPONENTS) return;
    sass_item(out);
    sass_put(out, "0x%x", at->instr->byte);
}

void sass_take_txq_mask(sass_cursor *at, unsigned lo, unsigned width) {
    sass_take_tex_mask(at, lo, width);
}
void sass_show_txq_mask(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo), UNUSED(width);
    sass_item(out);
    sass_put(out, "0x%x", at->instr->byte);
}

void sass_take_txq_what(sass_cursor *at, unsigned lo, unsigned width) {
    at->instr->sub = (uint8_t)bits(at->instr, lo, width);
    if (at->instr->sub == 3) at->bad = true;
}
void sass_show_txq_what(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo), UNUSED(width);
    static const char *const names[] = {"TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE",
                                        "TEX_HEADER_SAMPLER_POS", ""};
    sass_item(out);
    sass_put(out, "%s", names[at->instr->sub & 3]);
}

void sass_take_surface_address(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    at->instr->mem = (sass_address){
        .present = true, .base = (uint8_t)bits(at->instr, lo, 8), .uniform = 255, .desc = 255, .scale = 1};
}
void sass_show_surface_address(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    const sass_operand base = {.kind = SASS_REG, .reg = at->instr->mem.base};
    sass_item(out);
    sass_put(out, "[");
    put_reg(out, &base);
    sass_put(out, "]");
}

/* --- SYNCS.EXCH: all of its operands are uniform registers, and stand where nothing else has them ----------- */

void sass_take_exchange(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    i->dst = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 16)};
    i->a = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 24)};
    i->b = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 32)};
    i->c.value = sbits(i, 40, 24); /* bytes that are added to the address */
}
void sass_show_exchange(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_item(out);
    put_reg(out, &at->instr->dst);
    sass_item(out);
    sass_put(out, "[");
    put_reg(out, &at->instr->a);
    if (at->instr->c.value) {
        sass_put(out, "+");
        sass_put_hex(out, at->instr->c.value);
    }
    sass_put(out, "]");
    sass_item(out);
    put_reg(out, &at->instr->b);
}

/* --- the return address register, whose halves are chosen by bit 31 ------------------------------ */

void sass_take_rpc(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    at->instr->byte = (uint8_t)bits(at->instr, lo, 8);
    if (at->instr->byte & 0x7f) at->bad = true;
    /* Two words of each lane, like the barrier registers' masks, and behind them. */
    sass_operand *o = at->instr->op == SASS_RPCMOV_SET ? &at->instr->dst : &at->instr->a;
    *o = (sass_operand){.kind = SASS_BARRIER, .reg = (uint8_t)(SASS_RPC + (at->instr->byte != 0))};
}
void sass_show_rpc(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    sass_item(out);
    sass_put(out, "Rpc.%s", at->instr->byte ? "HI" : "LO");
}

/* --- 64-bit immediates ----------------------------------------------------------------------------- */

void sass_take_wide_immediate(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    sass_operand *o = slot_of(at);
    *o = (sass_operand){.kind = SASS_IMM, .value = (int64_t)bits(at->instr, lo, 64)};
}
void sass_show_wide_immediate(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    sass_item(out);
    sass_put(out, "0x%llx", (unsigned long long)slot_of(at)->value);
}

/* Form 2 has an immediate whose sign stands in bit 64, form 3 a register pair. */
void sass_take_sel64(sass_cursor *at, unsigned uniform, unsigned arg2) {
    UNUSED(arg2);
    const sass_instr *i = at->instr;
    sass_operand *o = slot_of(at);
    if (at->form == 2)
        *o = (sass_operand){.kind = SASS_IMM, .value = sbits(i, 32, 33)};
    else if (uniform)
        *o = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(i, 32)};
    else
        *o = reg_at(i, 32);
}
void sass_show_sel64(sass_cursor *at, sass_text *out, unsigned uniform, unsigned arg2) {
    UNUSED(uniform), UNUSED(arg2);
    const sass_operand *o = slot_of(at);
    sass_item(out);
    if (o->kind == SASS_IMM)
        sass_put_hex(out, o->value);
    else
        put_reg(out, o);
}

/* --- sparse matrices: the metadata register and the choice of threads --- */

void sass_take_sparse_metadata(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    at->instr->extra = reg_at(at->instr, lo);
    at->instr->extra.reuse = bit(at->instr, 50);
}
void sass_show_sparse_metadata(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    sass_item(out);
    put_reg(out, &at->instr->extra);
    if (at->instr->extra.reuse) sass_put(out, ".reuse");
}
void sass_take_sparse_selector(sass_cursor *at, unsigned lo, unsigned width) {
    at->instr->shift = (uint8_t)bits(at->instr, lo, width);
}
void sass_show_sparse_selector(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo), UNUSED(width);
    sass_item(out);
    sass_put(out, "0x%x", at->instr->shift);
}
