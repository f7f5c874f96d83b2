/* Memory operands: addresses and the data beside them. */
#include <string.h>

#include "sass/forms.h"

#define UNUSED(x) (void)(x)

static const char *reg_name(uint8_t reg, char text[8]) {
    if (reg == SASS_RZ) return "RZ";
    sass_text out = {.buf = text, .size = 8};
    sass_put(&out, "R%u", reg);
    return text;
}
static void put_ureg(sass_text *out, uint8_t reg) {
    if (reg == SASS_URZ)
        sass_put(out, "URZ");
    else
        sass_put(out, "UR%u", reg);
}

static bool is_class(const sass_instr *i, sass_class class) {
    return sass_class_of((sass_op)i->op) == class;
}

/* --- global and generic ------------------------------------------------------------------- */

/* Generic accesses without a uniform register have a 32-bit offset where the others have register and offset.
 */
static bool has_long_offset(const sass_instr *i) {
    return (i->op == SASS_LD || i->op == SASS_ST) && !bit(i, 91);
}

/* Where an access keeps its three particulars. Atomics need bit 90 for their operation, and sm_100 widened
 * the uniform register over the bits that they used instead. */
typedef struct global_fields {
    uint8_t desc, wide, offset_bits; /* bit of "the uniform register is a descriptor", of ".64" */
} global_fields;
static global_fields fields_of(const sass_instr *i, bool atomic) {
    if (!atomic) return (global_fields){76, 90, 24};
    const bool reduction = is_class(i, SASS_CLASS_GLOBAL_RED);
    if (i->sm < 100) return (global_fields){71, reduction ? 90 : 70, 24};
    if (reduction) return (global_fields){81, 90, 24};
    const bool floating = i->op == SASS_ATOMG_F || i->op == SASS_ATOM_F;
    return floating ? (global_fields){63, 90, 23} : (global_fields){76, 63, 23};
}

void sass_take_global(sass_cursor *at, unsigned ureg_lo, unsigned atomic) {
    sass_instr *i = at->instr;
    const global_fields f = fields_of(i, atomic);
    const bool uniform = bit(i, 91), desc = uniform && bit(i, f.desc);
    const unsigned offset_bits = uniform ? f.offset_bits : 24;
    i->mem = (sass_address){
        .present = true,
        .base = (uint8_t)bits(i, 24, 8),
        .uniform = uniform && !desc ? ureg_at(i, ureg_lo) : 255,
        .desc = desc ? ureg_at(i, ureg_lo) : 255,
        .scale = 1,
        .offset = (int32_t)(has_long_offset(i) ? sbits(i, 32, 32) : sbits(i, 40, offset_bits)),
    };
    /* With a uniform register the base says its own width; without one .E does. */
    const bool extended = bit(i, 72);
    i->mem.wide = extended && (!uniform || bit(i, f.wide));
    i->mem.base32 = extended && !i->mem.wide;
}

/* [base.suffix + uniform + offset], parts that are nothing left out. `uniform`: there is a field for that
 * register, which is shown even when it is URZ. */
static void put_address(sass_text *out, const sass_address *m, const char *suffix, bool uniform) {
    const char *plus = "";
    char reg[8];
    sass_put(out, "[");
    if (m->base != SASS_RZ || (uniform && !strcmp(suffix, ".U32"))) {
        sass_put(out, "%s", reg_name(m->base, reg));
        if (m->scale > 1) sass_put(out, ".X%u", m->scale);
        sass_put(out, "%s", suffix);
        plus = "+";
    }
    if (uniform) {
        sass_put(out, "%s", plus);
        put_ureg(out, m->uniform);
        plus = "+";
    }
    if (m->offset) {
        sass_put(out, "%s", plus);
        sass_put_hex(out, m->offset);
    } else if (!*plus) {
        sass_put(out, "RZ");
    }
    sass_put(out, "]");
}

void sass_show_global(sass_cursor *at, sass_text *out, unsigned ureg_lo, unsigned atomic) {
    UNUSED(ureg_lo), UNUSED(atomic);
    const sass_instr *i = at->instr;
    const sass_address *m = &i->mem;
    sass_item(out);
    /* cuobjdump 13 hides the descriptor of code for sm_80 to sm_89 unless bit 101 is set. */
    if (m->desc != 255 && (i->sm >= 90 || bit(i, 101))) {
        sass_put(out, "desc[");
        put_ureg(out, m->desc);
        sass_put(out, "]");
    }
    put_address(out, m,
                !bit(i, 91) ? ""
                : m->wide   ? ".64"
                : m->base32 ? ".U32"
                            : "",
                bit(i, 91) && m->desc == 255);
}

/* --- shared and local ---------------------------------------------------------------------- */

void sass_take_shared(sass_cursor *at, unsigned ureg_lo, unsigned local) {
    sass_instr *i = at->instr;
    i->mem = (sass_address){
        .present = true,
        .base = (uint8_t)bits(i, 24, 8),
        .uniform = ureg_lo && bit(i, 91) ? ureg_at(i, ureg_lo) : 255,
        .desc = 255,
        .scale = 1,
        .base32 = true,
        .offset = (int32_t)sbits(i, 40, 24),
    };
    static const uint8_t scales[] = {1, 4, 8, 16};
    if (!local && i->op != SASS_LDSM && i->op != SASS_STSM) i->mem.scale = scales[bits(i, 78, 2)];
}
void sass_show_shared(sass_cursor *at, sass_text *out, unsigned ureg_lo, unsigned local) {
    UNUSED(local);
    sass_item(out);
    put_address(out, &at->instr->mem, "", ureg_lo && bit(at->instr, 91));
}

/* STAS, REDAS: a pair, of which the second register is the address of a barrier. */
void sass_take_remote(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    i->mem = (sass_address){
        .present = true, .base = (uint8_t)bits(i, 24, 8), .uniform = 255, .desc = 255, .scale = 1, .wide = true, .offset = (int32_t)sbits(i, 40, 24)};
    if (ureg_at(i, 64) != SASS_URZ) at->bad = true;
}
void sass_show_remote(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_item(out);
    put_address(out, &at->instr->mem, ".64", false);
}

/* --- data ------------------------------------------------------------------------------------ */

enum { PLAIN, GENERIC_STORE, ATOMIC };
static bool has_data(const sass_instr *i, unsigned kind) {
    return kind != ATOMIC || (i->sub != SASS_ATOM_POPC_INC && i->sub != SASS_ATOM_ARRIVE);
}
void sass_take_data(sass_cursor *at, unsigned lo, unsigned kind) {
    sass_instr *i = at->instr;
    sass_operand *o = slot_of(at);
    if (!has_data(i, kind)) return;
    /* A 32-bit offset leaves the generic store only slot C. */
    if (kind == GENERIC_STORE && has_long_offset(i)) lo = 64;
    *o = (sass_operand){.kind = SASS_REG, .reg = (uint8_t)bits(i, lo, 8)};
}
void sass_show_data(sass_cursor *at, sass_text *out, unsigned lo, unsigned kind) {
    UNUSED(lo);
    const sass_operand *o = slot_of(at);
    if (!has_data(at->instr, kind)) return;
    char reg[8];
    sass_item(out);
    sass_put(out, "%s", reg_name(o->reg, reg));
}

/* --- constant bank -------------------------------------------------------------------------- */

enum { INDEX_REG, INDEX_NONE, INDEX_UREG, INDEX_UREG_100 };
void sass_take_const_address(sass_cursor *at, unsigned kind, unsigned arg2) {
    UNUSED(arg2);
    sass_instr *i = at->instr;
    sass_operand *o = slot_of(at);
    *o = (sass_operand){.kind = SASS_CONST, .bank = (uint8_t)bits(i, 54, 5), .index = 255};
    o->value = kind == INDEX_UREG_100 ? (int64_t)bits(i, 37, 17) : (int64_t)bits(i, 38, 16);
    if (kind == INDEX_REG) o->index = (uint8_t)bits(i, 24, 8);
    if (kind == INDEX_UREG || kind == INDEX_UREG_100) {
        o->index = ureg_at(i, 24);
        o->index_uniform = o->index != SASS_URZ;
    }
    if (o->index != 255 && kind != INDEX_UREG_100) o->value = (int16_t)o->value;
}
void sass_show_const_address(sass_cursor *at, sass_text *out, unsigned kind, unsigned arg2) {
    UNUSED(arg2);
    const sass_operand *o = slot_of(at);
    sass_item(out);
    sass_put(out, "c[0x%x][", o->bank);
    if (o->index != 255) {
        sass_put(out, o->index_uniform ? "UR%u" : "R%u", o->index);
        if (o->value) sass_put(out, "+"), sass_put_hex(out, o->value);
    } else if (o->value == 0 && kind == INDEX_REG) {
        sass_put(out, "RZ");
    } else {
        sass_put(out, "0x%x", (unsigned)o->value);
    }
    sass_put(out, "]");
}

/* --- asynchronous copy ------------------------------------------------------------------------ */

/* LDGSTS: form 6 has a uniform register for the shared side, and the descriptor in the one after it. */
void sass_take_async_shared(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    i->mem2 = (sass_address){
        .present = true,
        .base = (uint8_t)bits(i, 16, 8),
        .uniform = at->form == 6 && bit(i, 91) ? ureg_at(i, 64) : 255,
        .desc = 255,
        .scale = 1,
        .base32 = true,
        .offset = (int32_t)sbits(i, 44, 20),
    };
}
void sass_show_async_shared(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_item(out);
    put_address(out, &at->instr->mem2, "", at->form == 6 && bit(at->instr, 91));
}
void sass_take_async_global(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    const uint8_t ureg = bit(i, 91) ? ureg_at(i, 64) : 255;
    const bool desc = bit(i, 76), shared_too = at->form == 6;
    const uint8_t own = ureg == 255 ? 255 : shared_too ? (uint8_t)(ureg + 1) : ureg;
    i->mem = (sass_address){
        .present = true,
        .base = (uint8_t)bits(i, 24, 8),
        .uniform = desc || shared_too ? 255 : own,
        .desc = desc ? own : 255,
        .scale = 1,
        .wide = !bit(i, 91) || bit(i, i->sm >= 100 ? 83 : 70),
        .offset = (int32_t)sbits(i, 32, 12),
    };
    i->mem.base32 = !i->mem.wide;
}
void sass_show_async_global(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    sass_show_global(at, out, arg, arg2);
}

/* --- cache control ----------------------------------------------------------------------------- */

/* Operations on the whole cache have no address. */
static bool cctl_has_address(const sass_instr *i) {
    return i->sub < 4 || i->sub == 5 || i->sub >= 10;
}
void sass_take_cctl_address(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    sass_instr *i = at->instr;
    if (!cctl_has_address(i)) return;
    i->mem = (sass_address){
        .present = true,
        .base = (uint8_t)bits(i, 24, 8),
        .uniform = 255,
        .desc = 255,
        .scale = 1,
        .wide = bit(i, 72),
        .offset = (int32_t)sbits(i, 32, 32),
    };
}
void sass_show_cctl_address(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    if (!cctl_has_address(at->instr)) return;
    sass_item(out);
    put_address(out, &at->instr->mem, "", false);
}
