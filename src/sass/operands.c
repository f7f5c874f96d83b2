/* Operands of arithmetic: registers, immediates, constants, predicates, small fields. */
#include "sass/forms.h"
#include "sass/operands.h"

const sass_operand_spec sass_operand_specs[OPND_COUNT] = {
#define FIELD(lo, n) SASS_CLAIM(lo, n)
#define SASS_OPERAND(name, pair, arg, arg2, claims)                                                          \
    [OPND_##name] = {sass_take_##pair, sass_show_##pair, arg, arg2, claims},
#include "sass/operands.def"
#undef SASS_OPERAND
#undef FIELD
};

#define UNUSED(x) (void)(x)

/* --- destinations ------------------------------------------------------------------- */

static void show_register(sass_text *out, const sass_operand *o) {
    if (o->kind == SASS_UREG) {
        if (o->reg == SASS_URZ)
            sass_put(out, "URZ");
        else
            sass_put(out, "UR%u", o->reg);
    } else if (o->reg == SASS_RZ) {
        sass_put(out, "RZ");
    } else {
        sass_put(out, "R%u", o->reg);
    }
}

void sass_take_reg_dst(sass_cursor *at, unsigned lo, unsigned optional) {
    UNUSED(optional);
    at->instr->dst = (sass_operand){.kind = SASS_REG, .reg = (uint8_t)bits(at->instr, lo, 8)};
}
void sass_show_reg_dst(sass_cursor *at, sass_text *out, unsigned lo, unsigned optional) {
    UNUSED(lo);
    if (optional && at->instr->dst.reg == SASS_RZ) return;
    sass_item(out);
    show_register(out, &at->instr->dst);
}
void sass_take_ureg_dst(sass_cursor *at, unsigned lo, unsigned optional) {
    UNUSED(optional);
    at->instr->dst = (sass_operand){.kind = SASS_UREG, .reg = ureg_at(at->instr, lo)};
}
void sass_show_ureg_dst(sass_cursor *at, sass_text *out, unsigned lo, unsigned optional) {
    sass_show_reg_dst(at, out, lo, optional);
}

/* --- sources ------------------------------------------------------------------------- */

typedef enum place { IN_A, IN_B, IN_C } place; /* bits 24.., 32.., 64.. */

typedef struct sign_rule {
    bool neg[3], abs[3];
    bool invert_with_x; /* with .X the sign bit is a bitwise not */
} sign_rule;

static const sign_rule sign_rules[] = {
    [SRC_INT] = {.neg = {1, 1, 1}},
    [SRC_INTX] = {.neg = {1, 1, 1}, .invert_with_x = true},
    [SRC_UINT] = {.neg = {1, 1, 1}},
    [SRC_NEGB] = {.neg = {0, 1, 1}},
    [SRC_LEA] = {.neg = {1, 1, 0}, .invert_with_x = true},
    [SRC_F2FP] = {.neg = {1, 1, 0}, .abs = {0, 1, 0}},
    [SRC_F32] = {.neg = {1, 1, 1}, .abs = {1, 1, 1}},
    [SRC_F64] = {.neg = {1, 1, 1}, .abs = {1, 1, 1}},
    [SRC_F64SRC] = {.neg = {1, 1, 1}, .abs = {1, 1, 1}},
    [SRC_HALF] = {.neg = {1, 1, 1}, .abs = {1, 1, 1}},
    [SRC_HALF_MMA] = {.neg = {1, 1, 1}, .abs = {1, 1, 1}},
};

/* Sign bits belong to the place in the word, not to the logical operand. */
static void take_signs(sass_cursor *at, sass_operand *o, place where) {
    static const uint8_t neg_bit[] = {72, 63, 75}, abs_bit[] = {73, 62, 74}, half_lo[] = {74, 60, 81};
    const sass_instr *i = at->instr;
    const unsigned src = at->row->src;
    if (src == SRC_INV) {
        o->inv = where == IN_B && bit(i, 63);
        return;
    }
    if (src >= sizeof sign_rules / sizeof *sign_rules) return;
    const unsigned form = (unsigned)bits(i, 9, 3);
    if (src == SRC_NEGB && where == IN_C && form != 2 && form != 3 && form != 7) return; /* a third source has no sign */
    const sign_rule *rule = &sign_rules[src];
    const bool half_c = where == IN_C && (src == SRC_HALF || src == SRC_HALF_MMA);
    const bool neg = rule->neg[where] && bit(i, half_c ? 84 : neg_bit[where]);
    const bool inverts = rule->invert_with_x && bit(i, 74);
    o->neg = neg && !inverts;
    o->inv = neg && inverts;
    o->abs = rule->abs[where] && bit(i, half_c ? 83 : abs_bit[where]);
    if (src == SRC_HALF) o->swizzle = (uint8_t)bits(i, half_lo[where], 2);
}

/* Whether a row has a source that may lie in slot A, or in slot C. */
static void places_of(const sass_row *row, bool *in_a, bool *in_c) {
    *in_a = *in_c = false;
    for (const uint8_t *id = row->operands; *id; id++) {
        const sass_operand_spec *spec = &sass_operand_specs[*id];
        if (spec->take != sass_take_source && spec->take != sass_take_source_lea &&
            spec->take != sass_take_source_cross && spec->take != sass_take_source_merge &&
            spec->take != sass_take_source_packed && spec->take != sass_take_source_opt)
            continue;
        const unsigned where = spec->arg;
        *in_a |= where == PLACE_A || where == PLACE_UA;
        *in_c |= where == PLACE_SECOND || where == PLACE_THIRD || where == PLACE_RC || where == PLACE_DADD ||
                 where == PLACE_USECOND || where == PLACE_UTHIRD;
    }
}

uint64_t sass_sign_claims(const sass_row *row) {
    bool in_a, in_c;
    places_of(row, &in_a, &in_c);
    uint64_t claims = 0;
    if (row->src >= sizeof sign_rules / sizeof *sign_rules) return 0;
    const sign_rule *rule = &sign_rules[row->src];
    const bool half = row->src == SRC_HALF, half_c = half || row->src == SRC_HALF_MMA;
    if (in_a) claims |= (rule->neg[IN_A] ? SASS_CLAIM(72, 1) : 0) | (rule->abs[IN_A] ? SASS_CLAIM(73, 1) : 0);
    if (in_a && half) claims |= SASS_CLAIM(74, 2);
    if (in_c && half_c) return claims | SASS_CLAIM(83, 2) | (half ? SASS_CLAIM(81, 2) : 0);
    if (in_c) claims |= (rule->neg[IN_C] ? SASS_CLAIM(75, 1) : 0) | (rule->abs[IN_C] ? SASS_CLAIM(74, 1) : 0);
    return claims;
}

static void take_register(sass_cursor *at, sass_operand *o, place where, bool uniform) {
    static const uint8_t lo[] = {24, 32, 64};
    const sass_instr *i = at->instr;
    o->kind = uniform ? SASS_UREG : SASS_REG;
    o->reg = uniform ? ureg_at(i, lo[where]) : (uint8_t)bits(i, lo[where], 8);
    take_signs(at, o, where);
    if (uniform || (i->lo & 0x1ff) >= 0x160) return; /* textures, memory and control: no reuse hint */
    /* The hint goes by logical position, which is the second one for slot C in forms 2, 3 and 7. */
    const bool c_is_second = at->form == 2 || at->form == 3 || at->form == 7;
    const unsigned position = where == IN_A ? 0 : where == IN_B ? 1 : c_is_second ? 1 : 2;
    o->reuse = bit(i, 122 + position);
    if ((at->row->forms & REUSE3) && where == IN_B && bit(i, 124)) o->reuse = true;
}

/* A register in slot B leaves bits 40..63 to its signs; others must be clear, as in the modifiers (decode.c).
 */
static bool spare_bits_are_clear(const sass_cursor *at, unsigned suffix) {
    const unsigned src = at->row->src;
    uint64_t allowed = 0;
    if (src < sizeof sign_rules / sizeof *sign_rules) {
        if (sign_rules[src].neg[IN_B]) allowed |= 1u << 23;
        if (sign_rules[src].abs[IN_B]) allowed |= 1u << 22;
    }
    if (src == SRC_INV) allowed |= 1u << 23;
    if (src == SRC_HALF || suffix == SUFFIX_HALF || suffix == SUFFIX_INT) allowed |= 3u << 20;
    return (bits(at->instr, 40, 24) & ~allowed) == 0;
}

static void take_b_register(sass_cursor *at, sass_operand *o, bool uniform, unsigned suffix) {
    take_register(at, o, IN_B, uniform);
    if (!spare_bits_are_clear(at, suffix)) at->bad = true;
}

/* Bits 32..63, whatever the form puts there. */
static void take_slot_b(sass_cursor *at, sass_operand *o, unsigned suffix) {
    const sass_instr *i = at->instr;
    switch (at->form) {
    case 2:
    case 4:
        *o = (sass_operand){.kind = SASS_IMM, .value = (int64_t)bits(i, 32, 32)};
        break;
    case 3:
    case 5:
        *o = bit(i, 91) ? (sass_operand){.kind = SASS_BINDLESS, .reg = ureg_at(i, 32), .index = 255}
                        : (sass_operand){.kind = SASS_CONST, .bank = (uint8_t)bits(i, 54, 5), .index = 255};
        o->value = (int64_t)bits(i, 38, 16);
        take_signs(at, o, IN_B);
        break;
    case 6:
    case 7:
        take_b_register(at, o, true, suffix);
        break;
    default:
        take_b_register(at, o, false, suffix);
    }
}

/* True where slot C holds the second operand and slot B the third. */
static bool swapped(const sass_cursor *at) {
    return at->form == 2 || at->form == 3 || at->form == 7;
}

void sass_take_source(sass_cursor *at, unsigned where, unsigned suffix) {
    sass_operand *o = slot_of(at);
    switch (where) {
    case PLACE_A:
        take_register(at, o, IN_A, false);
        break;
    case PLACE_B:
        take_slot_b(at, o, suffix);
        break;
    case PLACE_SECOND:
        swapped(at) ? take_register(at, o, IN_C, false) : take_slot_b(at, o, suffix);
        break;
    case PLACE_THIRD:
        swapped(at) ? take_slot_b(at, o, suffix) : take_register(at, o, IN_C, false);
        break;
    case PLACE_RB:
        take_register(at, o, IN_B, false);
        break;
    case PLACE_RC:
        take_register(at, o, IN_C, false);
        break;
    case PLACE_DADD:
        at->form == 1 ? take_register(at, o, IN_C, false) : take_slot_b(at, o, suffix);
        break;
    case PLACE_UA:
        take_register(at, o, IN_A, true);
        break;
    case PLACE_UB:
    case PLACE_USECOND:
    case PLACE_UTHIRD:
        if (where != PLACE_UB && swapped(at) == (where == PLACE_USECOND))
            take_register(at, o, IN_C, true);
        else if (at->form == 2 || at->form == 4)
            take_slot_b(at, o, suffix);
        else
            take_b_register(at, o, true, suffix);
        break;
    }
    sass_instr *i = at->instr;
    if (suffix == SUFFIX_BYTE) i->byte = (uint8_t)bits(i, 76, 2);
    if (suffix == SUFFIX_UNPACK) i->byte = bit(i, 88);
    if (suffix == SUFFIX_HALF || suffix == SUFFIX_INT)
        i->byte = o->kind == SASS_IMM ? 0 : (uint8_t)bits(i, 60, 2);
}

static void show_immediate(sass_cursor *at, sass_text *out, const sass_operand *o) {
    const uint32_t v = (uint32_t)o->value;
    switch (at->row->src) {
    case SRC_SBITS:
    case SRC_INT:
    case SRC_INTX:
        sass_put_hex(out, (int32_t)v);
        break;
    case SRC_F2FP:
        sass_put_f32(out, v);
        break;
    case SRC_F32:
        /* The 64-bit approximations take the high word of a double. */
        if (at->instr->op == SASS_MUFU && (at->instr->sub == 6 || at->instr->sub == 7))
            sass_put_f64(out, (uint64_t)v << 32);
        else
            sass_put_f32(out, v);
        break;
    case SRC_F64:
    case SRC_F64SRC:
        sass_put_f64(out, (uint64_t)v << 32);
        break;
    case SRC_HALF:
    case SRC_HALF_MMA:
        if (at->instr->flags & SASS_PACKED_BF16) {
            sass_put_f32(out, v & 0xffff0000u);
            sass_put(out, ", ");
            sass_put_f32(out, v << 16);
        } else {
            sass_put_f16(out, (uint16_t)(v >> 16));
            sass_put(out, ", ");
            sass_put_f16(out, (uint16_t)v);
        }
        break;
    default:
        if (at->instr->op == SASS_VIMNMX && at->instr->flags & SASS_SIGNED) sass_put_hex(out, (int32_t)v);
        else sass_put(out, "0x%x", v);
    }
}

static const char *suffix_text(const sass_cursor *at, const sass_operand *o, unsigned suffix) {
    static const char *const halves[] = {"", ".F32", ".H0_H0", ".H1_H1", ".H0_NH1"};
    static const char *const bytes[] = {"", ".B1", ".B2", ".B3"};
    static const char *const words[] = {"", ".H1", ".H1", ".H1"};
    const sass_instr *i = at->instr;
    if (at->row->src == SRC_HALF) return halves[o->swizzle];
    switch (suffix) {
    case SUFFIX_BYTE:
        return bytes[i->byte];
    case SUFFIX_ROW:
        return ".ROW";
    case SUFFIX_COL:
        return ".COL";
    case SUFFIX_SIGN:
        return ".SIGN";
    case SUFFIX_BITS: /* how much of it stays */
        return i->type == SASS_U4 || i->type == SASS_S4 ? ".24" : i->type == SASS_U2 || i->type == SASS_S2 ? ".28" : "";
    case SUFFIX_LAYOUT_A:
    case SUFFIX_LAYOUT_B:
        return bit(i, suffix == SUFFIX_LAYOUT_A ? 73 : 74) ? ".COL" : ".ROW";
    case SUFFIX_UNPACK:
    case SUFFIX_HALF:
        return words[i->byte];
    case SUFFIX_INT:
        return i->stype == SASS_U8 || i->stype == SASS_S8 ? bytes[i->byte] : words[i->byte];
    default:
        return "";
    }
}

static void show_constant(sass_cursor *at, sass_text *out, const sass_operand *o) {
    if (o->kind == SASS_BINDLESS) {
        sass_put(out, "cx[");
        show_register(out, &(sass_operand){.kind = SASS_UREG, .reg = o->reg});
        sass_put(out, "][0x%x]", (unsigned)o->value);
    } else { /* operands with a suffix of their own have a blank there */
        const bool blank = at->row->src == SRC_HALF || at->row->src == SRC_SIGNS;
        sass_put(out, "c[0x%x]%s[0x%x]", o->bank, blank ? " " : "", (unsigned)o->value);
    }
}

static void show_operand(sass_cursor *at, sass_text *out, const sass_operand *o, unsigned suffix) {
    sass_item(out);
    if (o->kind == SASS_IMM) {
        show_immediate(at, out, o);
        return;
    }
    const char *text = suffix_text(at, o, suffix);
    sass_put(out, "%s%s", o->inv ? "~" : o->neg ? "-" : "", o->abs ? "|" : "");
    if (o->kind == SASS_REG || o->kind == SASS_UREG) {
        show_register(out, o);
        sass_put(out, "%s%s%s", o->abs ? "|" : "", o->reuse ? ".reuse" : "", text);
    } else {
        show_constant(at, out, o);
        sass_put(out, "%s%s", text, o->abs ? "|" : "");
    }
}
void sass_show_source(sass_cursor *at, sass_text *out, unsigned where, unsigned suffix) {
    UNUSED(where);
    show_operand(at, out, slot_of(at), suffix);
}

/* LEA has a third source only when it makes a high word and does not extend the sign of the first. */
static bool lea_has_third(const sass_instr *i) {
    return (i->flags & SASS_HI) && !(i->flags & SASS_SX32);
}
void sass_take_source_lea(sass_cursor *at, unsigned where, unsigned suffix) {
    if (lea_has_third(at->instr))
        sass_take_source(at, where, suffix);
    else
        slot_of(at);
}
void sass_show_source_lea(sass_cursor *at, sass_text *out, unsigned where, unsigned suffix) {
    if (lea_has_third(at->instr))
        sass_show_source(at, out, where, suffix);
    else
        slot_of(at);
}

/* The second factor of a complex product: its halves change places, and the one that becomes the low half its
 * sign. */
enum { CROSSED = 4 };
void sass_take_source_cross(sass_cursor *at, unsigned where, unsigned suffix) {
    sass_operand *o = &at->instr->b;
    sass_take_source(at, where, suffix);
    if (bit(at->instr, 86)) o->swizzle = CROSSED;
}
void sass_show_source_cross(sass_cursor *at, sass_text *out, unsigned where, unsigned suffix) {
    sass_show_source(at, out, where, suffix);
}

/* The value whose other half a conversion keeps. */
static bool merges(const sass_instr *i) {
    return i->sub == SASS_F2FP_MERGE || i->sub == SASS_F2FP_PACK_MERGE || i->sub == SASS_F2FP_UNPACK_MERGE;
}
/* Not printed when it is RZ. */
void sass_take_source_opt(sass_cursor *at, unsigned where, unsigned suffix) {
    sass_take_source(at, where, suffix);
}
void sass_show_source_opt(sass_cursor *at, sass_text *out, unsigned where, unsigned suffix) {
    UNUSED(where);
    const sass_operand *o = slot_of(at);
    if (o->reg != SASS_RZ) show_operand(at, out, o, suffix);
}
/* The one that comes to the high half, where two are packed. */
static bool packs(const sass_instr *i) {
    return i->sub == SASS_F2FP_PACK || i->sub == SASS_F2FP_PACK_MERGE;
}
void sass_take_source_packed(sass_cursor *at, unsigned where, unsigned suffix) {
    if (packs(at->instr)) sass_take_source(at, where, suffix);
    else slot_of(at);
}
void sass_show_source_packed(sass_cursor *at, sass_text *out, unsigned where, unsigned suffix) {
    if (packs(at->instr)) sass_show_source(at, out, where, suffix);
    else slot_of(at);
}
void sass_take_source_merge(sass_cursor *at, unsigned where, unsigned suffix) {
    if (merges(at->instr)) sass_take_source(at, where, suffix);
}
void sass_show_source_merge(sass_cursor *at, sass_text *out, unsigned where, unsigned suffix) {
    if (merges(at->instr)) sass_show_source(at, out, where, suffix);
}

/* An immediate mask that is not printed when it is `all`. */
void sass_take_mask(sass_cursor *at, unsigned all, unsigned arg2) {
    UNUSED(all), UNUSED(arg2);
    take_slot_b(at, slot_of(at), SUFFIX_NONE);
}
void sass_show_mask(sass_cursor *at, sass_text *out, unsigned all, unsigned arg2) {
    UNUSED(arg2);
    const sass_operand *o = slot_of(at);
    if (o->value != (int64_t)all) show_operand(at, out, o, 0);
}

/* MOV's mask of bytes in a quad, almost always all of them. */
void sass_take_lanes(sass_cursor *at, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    at->instr->byte = (uint8_t)bits(at->instr, 72, 4);
}
void sass_show_lanes(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2) {
    UNUSED(arg), UNUSED(arg2);
    if (at->instr->byte == 15) return;
    sass_item(out);
    sass_put(out, "0x%x", at->instr->byte);
}

/* --- predicates -------------------------------------------------------------------------- */

static void show_pred(sass_text *out, const sass_pred *p) {
    sass_item(out);
    sass_put(out, "%s%s", p->inv ? "!" : "", p->uniform ? "UP" : "P");
    if (p->reg == SASS_PT)
        sass_put(out, "T");
    else
        sass_put(out, "%u", p->reg);
}
static sass_pred *next_pdst(sass_cursor *at) {
    return &at->instr->pdst[at->n_pdst++ & 1];
}
static sass_pred *next_psrc(sass_cursor *at) {
    unsigned n = at->n_psrc++;
    return &at->instr->psrc[n < 3 ? n : 2];
}

void sass_take_pdst(sass_cursor *at, unsigned lo, unsigned uniform) {
    *next_pdst(at) = (sass_pred){.reg = (uint8_t)bits(at->instr, lo, 3), .uniform = uniform, .present = true};
}
void sass_show_pdst(sass_cursor *at, sass_text *out, unsigned lo, unsigned uniform) {
    UNUSED(lo), UNUSED(uniform);
    show_pred(out, next_pdst(at));
}
void sass_take_pdst_opt(sass_cursor *at, unsigned lo, unsigned uniform) {
    sass_take_pdst(at, lo, uniform);
}
void sass_show_pdst_opt(sass_cursor *at, sass_text *out, unsigned lo, unsigned uniform) {
    UNUSED(lo), UNUSED(uniform);
    const sass_pred *p = next_pdst(at);
    if (p->reg != SASS_PT) show_pred(out, p);
}
/* Carries are always printed since sm_100. */
void sass_take_carry_out(sass_cursor *at, unsigned lo, unsigned uniform) {
    sass_take_pdst(at, lo, uniform);
}
void sass_show_carry_out(sass_cursor *at, sass_text *out, unsigned lo, unsigned uniform) {
    (at->instr->sm >= 100 ? sass_show_pdst : sass_show_pdst_opt)(at, out, lo, uniform);
}
/* MATCH.ANY makes no predicate. */
void sass_take_pdst_match(sass_cursor *at, unsigned lo, unsigned uniform) {
    if (at->instr->sub == SASS_MATCH_ALL) sass_take_pdst(at, lo, uniform);
}
void sass_show_pdst_match(sass_cursor *at, sass_text *out, unsigned lo, unsigned uniform) {
    if (at->instr->sub == SASS_MATCH_ALL) sass_show_pdst(at, out, lo, uniform);
}

/* kind 0 P, 1 UP, 2 either, as bit 67 says */
void sass_take_psrc(sass_cursor *at, unsigned where, unsigned kind) {
    static const uint8_t reg[] = {87, 77, 68}, inv[] = {90, 80, 71};
    const sass_instr *i = at->instr;
    *next_psrc(at) = (sass_pred){.reg = (uint8_t)bits(i, reg[where], 3),
                                 .inv = bit(i, inv[where]),
                                 .uniform = kind == 2 ? bit(i, 67) : kind,
                                 .present = true};
}
void sass_show_psrc(sass_cursor *at, sass_text *out, unsigned where, unsigned kind) {
    UNUSED(where), UNUSED(kind);
    show_pred(out, next_psrc(at));
}
void sass_take_psrc_opt(sass_cursor *at, unsigned where, unsigned kind) {
    sass_take_psrc(at, where, kind);
}
void sass_show_psrc_opt(sass_cursor *at, sass_text *out, unsigned where, unsigned kind) {
    UNUSED(where), UNUSED(kind);
    const sass_pred *p = next_psrc(at);
    if (p->reg != SASS_PT || p->inv) show_pred(out, p);
}
/* Operands of the extended forms: .X and .EX. */
void sass_take_psrc_if(sass_cursor *at, unsigned where, unsigned kind) {
    if (at->instr->flags & (SASS_X | SASS_EX)) sass_take_psrc(at, where, kind);
}
void sass_show_psrc_if(sass_cursor *at, sass_text *out, unsigned where, unsigned kind) {
    if (at->instr->flags & (SASS_X | SASS_EX)) sass_show_psrc(at, out, where, kind);
}
void sass_take_psrc_relu(sass_cursor *at, unsigned where, unsigned kind) {
    if (at->instr->flags & SASS_RELU) sass_take_psrc(at, where, kind);
}
void sass_show_psrc_relu(sass_cursor *at, sass_text *out, unsigned where, unsigned kind) {
    if (at->instr->flags & SASS_RELU) sass_show_psrc_opt(at, out, where, kind);
}
void sass_take_psrc_bar(sass_cursor *at, unsigned where, unsigned kind) {
    if (at->instr->sub == SASS_BAR_RED) sass_take_psrc(at, where, kind);
}
void sass_show_psrc_bar(sass_cursor *at, sass_text *out, unsigned where, unsigned kind) {
    if (at->instr->sub == SASS_BAR_RED) sass_show_psrc(at, out, where, kind);
}
/* LDG stores its predicate as 7 - p. */
void sass_take_psrc_ldg(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    *next_psrc(at) =
        (sass_pred){.reg = (uint8_t)(7 - bits(at->instr, lo, 3)), .inv = bit(at->instr, 67), .present = true};
}
void sass_show_psrc_ldg(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    sass_show_psrc_opt(at, out, lo, arg2);
}

/* --- words and small fields ----------------------------------------------------------------- */

void sass_take_word_pr(sass_cursor *at, unsigned uniform, unsigned arg2) {
    UNUSED(at), UNUSED(uniform), UNUSED(arg2);
}
void sass_show_word_pr(sass_cursor *at, sass_text *out, unsigned uniform, unsigned arg2) {
    UNUSED(at), UNUSED(arg2);
    sass_item(out);
    sass_put(out, uniform ? "UPR" : "PR");
}

void sass_take_special(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    *slot_of(at) = (sass_operand){.kind = SASS_SPECIAL, .value = (int64_t)bits(at->instr, lo, 8)};
}
void sass_show_special(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    const unsigned number = (unsigned)slot_of(at)->value;
    const char *name = sass_special_name(number);
    sass_item(out);
    if (name)
        sass_put(out, "%s", name);
    else
        sass_put(out, "SR%u", number);
}

void sass_take_shift(sass_cursor *at, unsigned lo, unsigned width) {
    at->instr->shift = (uint8_t)bits(at->instr, lo, width);
}
void sass_show_shift(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo), UNUSED(width);
    sass_item(out);
    sass_put(out, "0x%x", at->instr->shift);
}

/* 0: LOP3's table; 1, 2: PLOP3's two, the first of which is split. */
void sass_take_lut(sass_cursor *at, unsigned which, unsigned arg2) {
    UNUSED(arg2);
    sass_instr *i = at->instr;
    if (which == 0) i->lut = (uint8_t)bits(i, 72, 8);
    if (which == 1) i->lut = (uint8_t)(bits(i, 64, 3) | bits(i, 72, 5) << 3);
    if (which == 2) i->lut2 = (uint8_t)bits(i, 16, 8);
}
void sass_show_lut(sass_cursor *at, sass_text *out, unsigned which, unsigned arg2) {
    UNUSED(arg2);
    sass_item(out);
    sass_put(out, "0x%x", which == 2 ? at->instr->lut2 : at->instr->lut);
}

/* FSWZADD: for each lane of a quad, the sign of the two sources. */
void sass_take_swizzle_pattern(sass_cursor *at, unsigned lo, unsigned arg2) {
    UNUSED(arg2);
    at->instr->sub = (uint8_t)bits(at->instr, lo, 8);
}
void sass_show_swizzle_pattern(sass_cursor *at, sass_text *out, unsigned lo, unsigned arg2) {
    UNUSED(lo), UNUSED(arg2);
    sass_item(out);
    static const char *const pairs[] = {"PP", "PN", "NP", "ZP"}; /* signs of the two operands; Z: without the first */
    for (unsigned k = 4; k-- > 0;) sass_put(out, "%s", pairs[at->instr->sub >> 2 * k & 3]);
}

/* A number that is only printed and kept as the next source. */
void sass_take_small(sass_cursor *at, unsigned lo, unsigned width) {
    *slot_of(at) = (sass_operand){.kind = SASS_IMM, .value = (int64_t)bits(at->instr, lo, width)};
}
void sass_show_small(sass_cursor *at, sass_text *out, unsigned lo, unsigned width) {
    UNUSED(lo), UNUSED(width);
    sass_item(out);
    sass_put(out, "0x%x", (unsigned)slot_of(at)->value);
}
