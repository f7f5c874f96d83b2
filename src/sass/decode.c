#include "sass/forms.h"

#include <string.h>

/* --- the table: isa.def, with every list as an array of ids -------------------------------- */

#define COUNT_(a, b, c, d, e, f, g, h, i, n, ...) n
#define COUNT(...)                                COUNT_(__VA_ARGS__, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define CAT_(a, b)                                a##b
#define CAT(a, b)                                 CAT_(a, b)
#define EACH_1(p, a)                              p##a
#define EACH_2(p, a, ...)                         p##a, EACH_1(p, __VA_ARGS__)
#define EACH_3(p, a, ...)                         p##a, EACH_2(p, __VA_ARGS__)
#define EACH_4(p, a, ...)                         p##a, EACH_3(p, __VA_ARGS__)
#define EACH_5(p, a, ...)                         p##a, EACH_4(p, __VA_ARGS__)
#define EACH_6(p, a, ...)                         p##a, EACH_5(p, __VA_ARGS__)
#define EACH_7(p, a, ...)                         p##a, EACH_6(p, __VA_ARGS__)
#define EACH_8(p, a, ...)                         p##a, EACH_7(p, __VA_ARGS__)
#define EACH_9(p, a, ...)                         p##a, EACH_8(p, __VA_ARGS__)
#define OPERANDS(...)                                                                                        \
    { CAT(EACH_, COUNT(__VA_ARGS__))(OPND_, __VA_ARGS__) }
#define MODS(...)                                                                                            \
    { CAT(EACH_, COUNT(__VA_ARGS__))(MOD_, __VA_ARGS__) }

const sass_row sass_rows[SASS_OP_COUNT] = {
#define SASS_ROW(name_, text_, code_, forms_, operands_, src_, mods_, class_, kind_, handler_, exact_, min_, max_)  \
    [SASS_##name_] = {.text = text_,                                                                         \
                      .code = code_,                                                                         \
                      .forms = forms_,                                                                       \
                      .operands = OPERANDS operands_,                                                        \
                      .src = SRC_##src_,                                                                     \
                      .mods = MODS mods_,                                                                    \
                      .class = SASS_CLASS_##class_,                                                          \
                      .kind = SASS_KIND_##kind_,                                                             \
                      .handler = #handler_,                                                                  \
                      .approximate = exact_ == APPROX,                                                       \
                      .min_sm = min_,                                                                        \
                      .max_sm = max_},
#include "sass/isa.def"
#undef SASS_ROW
};

const char *sass_name(sass_op op) {
    return op > SASS_UNKNOWN && op < SASS_OP_COUNT ? sass_rows[op].text : "unknown";
}
const char *sass_handler_name(sass_op op) {
    return op > SASS_UNKNOWN && op < SASS_OP_COUNT ? sass_rows[op].handler : NULL;
}
bool sass_is_exact(sass_op op) {
    return op > SASS_UNKNOWN && op < SASS_OP_COUNT && !sass_rows[op].approximate;
}
sass_class sass_class_of(sass_op op) {
    return op > SASS_UNKNOWN && op < SASS_OP_COUNT ? (sass_class)sass_rows[op].class : SASS_CLASS_OTHER;
}

sass_kind sass_kind_of(sass_op op) { return op > SASS_UNKNOWN && op < SASS_OP_COUNT ? (sass_kind)sass_rows[op].kind : SASS_KIND_NONE; }

/* --- decoding -------------------------------------------------------------------------------- */

/* The first row after `op` that has this opcode, form and architecture. */
static unsigned next_row(const sass_instr *instr, unsigned op) {
    const unsigned code = (unsigned)bits(instr, 0, 9), form = 1u << bits(instr, 9, 3);
    while (++op < SASS_OP_COUNT) {
        const sass_row *row = &sass_rows[op];
        if (row->code == code && (row->forms & form) && instr->sm >= row->min_sm &&
            (row->max_sm == ANY || instr->sm <= row->max_sm))
            break;
    }
    return op;
}

static const uint8_t type_bytes[] = {
    [SASS_U8] = 1,  [SASS_S8] = 1,  [SASS_U16] = 2, [SASS_S16] = 2,
    [SASS_U32] = 4, [SASS_S32] = 4, [SASS_B64] = 8, [SASS_B128] = 16,
};

static void fill_slot(sass_instr *i, const sass_mod *mod, unsigned value) {
    const uint8_t v = mod->mapped ? mod->map[value] : (uint8_t)value;
    switch ((sass_slot)mod->slot) {
    case SLOT_NONE:
        break;
    case SLOT_FLAG:
        i->flags |= mod->mapped ? v : value ? mod->flag : 0;
        break;
    case SLOT_SUB:
        i->sub = v;
        break;
    case SLOT_CMP:
        i->cmp = v;
        break;
    case SLOT_BOP:
        i->bop = v;
        break;
    case SLOT_ROUND:
        i->round = v;
        break;
    case SLOT_TYPE:
        i->type = v;
        break;
    case SLOT_STYPE:
        i->stype = v;
        break;
    case SLOT_EVICT:
        i->evict = v;
        break;
    case SLOT_SHAPE:
        i->shape = v;
        break;
    case SLOT_BYTE:
        i->byte = v;
        break;
    case SLOT_SIZE:
        i->type = v;
        i->width = type_bytes[v];
        break;
    case SLOT_ATOM_FLOAT:
        i->type = v;
        i->width = v == SASS_F64 ? 8 : (uint8_t)(4u << value % 3);
        break;
    case SLOT_ORDER:
        i->order = v & 15;
        i->scope = v >> 4;
        break;
    }
}

/* False when a field has a value that is not known. */
static bool take_modifiers(const sass_row *row, sass_instr *i) {
    for (const uint8_t *id = row->mods; *id; id++) {
        unsigned value;
        const sass_mod *mod = &sass_mods[*id];
        if (!sass_mod_value(mod, i, &value)) continue;
        if (!mod->alias && !sass_mod_text(mod, i, value)) return false;
        fill_slot(i, mod, value);
    }
    return true;
}

/* Atomics say their width by their type, but vectors of floats have said it already. */
static void set_atomic_width(sass_instr *i) {
    if (i->width) return;
    switch (i->type) {
    case SASS_U64:
    case SASS_S64:
    case SASS_SD64:
    case SASS_F64:
    case SASS_B64:
        i->width = 8;
        break;
    case SASS_B128:
        i->width = 16;
        break;
    default:
        i->width = 4;
    }
}

/* --- bits that no field of the row reads ------------------------------------------------------ */

static uint64_t mod_claims(const sass_mod *mod) {
    uint64_t claims = 0;
    if (mod->width && mod->lo >= 72) claims |= SASS_CLAIM(mod->lo, mod->width);
    if (mod->width && mod->lo < 72 && mod->lo + mod->width > 72)
        claims |= SASS_CLAIM(72, mod->lo + mod->width - 72);
    if (mod->width2 && mod->lo2 >= 72) claims |= SASS_CLAIM(mod->lo2, mod->width2);
    return claims;
}

/* Modifiers that are not understood must not be ignored: of bits 72..104, where modifiers are, those that
 * nothing reads have to be clear. Predicates that an opcode does not have, and of which no other field reads a bit, may be
 * PT, but not those of matrices, of which PT is 0; and bit 91 only says "uniform register". */
static bool unclaimed_bits_are_clear(const sass_row *row, const sass_instr *i) {
    uint64_t claims = sass_sign_claims(row) | SASS_CLAIM(91, 1);
    unsigned value;
    for (const uint8_t *id = row->mods; *id; id++)
        if (sass_mod_value(&sass_mods[*id], i, &value)) claims |= mod_claims(&sass_mods[*id]);
    for (const uint8_t *id = row->operands; *id; id++) claims |= sass_operand_specs[*id].claims;
    static const uint8_t predicates[] = {81, 84, 87};
    if (row->forms == ANYFORM) return true; /* known by name only */
    const uint64_t have = bits(i, 72, 33);
    for (size_t k = 0; k < sizeof predicates; k++) {
        const uint64_t field = SASS_CLAIM(predicates[k], 3);
        if ((have & field) == field && !(claims & field) && row->class != SASS_CLASS_TENSOR) claims |= field;
    }
    return (have & ~claims) == 0;
}

/* Fills *out; false when a field of this row has a value that is not known. */
static bool decode_as(unsigned op, sass_instr *out) {
    const sass_row *row = &sass_rows[op];
    sass_instr i = *out;
    i.op = (uint16_t)op;
    i.guard = (sass_pred){
        .reg = (uint8_t)bits(&i, 12, 3), .inv = bit(&i, 15), .uniform = row->forms & UG, .present = true};
    if (!unclaimed_bits_are_clear(row, &i) || !take_modifiers(row, &i)) return false;
    sass_cursor at = {.instr = &i, .row = row, .form = (unsigned)bits(&i, 9, 3)};
    for (const uint8_t *id = row->operands; *id; id++) {
        const sass_operand_spec *spec = &sass_operand_specs[*id];
        spec->take(&at, spec->arg, spec->arg2);
    }
    if (at.bad) return false;
    if (row->class == SASS_CLASS_GLOBAL_ATOM || row->class == SASS_CLASS_GLOBAL_RED ||
        row->class == SASS_CLASS_SHARED_ATOM || op == SASS_REDAS || op == SASS_SURED || op == SASS_SUATOM)
        set_atomic_width(&i);
    *out = i;
    return true;
}

bool sass_decode(const void *word, uint32_t offset, int sm, sass_instr *out) {
    *out = (sass_instr){.offset = offset, .sm = (uint8_t)sm};
    memcpy(&out->lo, word, 8);
    memcpy(&out->hi, (const char *)word + 8, 8);
    if (sm < 75 || sm > 255) return false;
    for (unsigned op = next_row(out, SASS_UNKNOWN); op < SASS_OP_COUNT; op = next_row(out, op))
        if (decode_as(op, out)) return true;
    return false;
}
