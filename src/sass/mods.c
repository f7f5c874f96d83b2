#include "sass/forms.h"

static bool is_zero(const sass_operand *o) {
    return o->kind == SASS_REG && o->reg == SASS_RZ && !o->neg;
}

/* nvdisasm shows what ptxas uses the multiplier for: moving, adding, shifting. */
static const char *imad_alias(const sass_instr *instr) {
    const bool signed_ = instr->flags & SASS_SIGNED;
    if (instr->flags & SASS_X) return "";
    if (is_zero(&instr->a) && is_zero(&instr->b) && instr->c.kind != SASS_UREG) return "MOV";
    if (instr->b.kind != SASS_IMM) return "";
    const uint32_t factor = (uint32_t)instr->b.value;
    if (factor == 1) return signed_ || !is_zero(&instr->c) ? "IADD" : "MOV";
    /* 0x10000 widens a bfloat16, which nvdisasm does not call a shift. */
    const bool power = factor != 0 && (factor & (factor - 1)) == 0;
    return power && factor != 0x10000 && is_zero(&instr->c) && !signed_ ? "SHL" : "";
}

/* Only BAR.RED has an operation. */
static const char *bar_reduction(const sass_instr *instr) {
    static const char *const names[] = {"POPC", "AND", "OR", NULL};
    return instr->sub == SASS_BAR_RED ? names[bits(instr, 74, 2)] : "";
}

/* Since sm_90 the form without a register stands for the whole warp. */
static const char *warpsync_all(const sass_instr *instr) {
    return bits(instr, 9, 3) == 4 ? "ALL" : "";
}

#define EIGHT(at, k) "64x" #at "x" #k
#define OF_EIGHTS(k)                                                                                                                   \
    EIGHT(8, k), EIGHT(16, k), EIGHT(24, k), EIGHT(32, k), EIGHT(40, k), EIGHT(48, k), EIGHT(56, k), EIGHT(64, k), EIGHT(72, k),       \
        EIGHT(80, k), EIGHT(88, k), EIGHT(96, k), EIGHT(104, k), EIGHT(112, k), EIGHT(120, k), EIGHT(128, k), EIGHT(136, k),           \
        EIGHT(144, k), EIGHT(152, k), EIGHT(160, k), EIGHT(168, k), EIGHT(176, k), EIGHT(184, k), EIGHT(192, k), EIGHT(200, k),        \
        EIGHT(208, k), EIGHT(216, k), EIGHT(224, k), EIGHT(232, k), EIGHT(240, k), EIGHT(248, k), EIGHT(256, k)
/* Rows, columns and depth of a warp-group MMA; the depth of a row of A is 32 bytes. */
static const char *gmma_shape(const sass_instr *instr) {
    static const char *const by_16[] = {OF_EIGHTS(16)}, *const by_8[] = {OF_EIGHTS(8)}, *const by_32[] = {OF_EIGHTS(32)}, *const by_256[] = {OF_EIGHTS(256)};
    sass_instr shaped = *instr;
    shaped.shape = (uint8_t)bits(instr, 53, 6);
    const unsigned n = sass_gmma_columns(&shaped);
    if (!n) return "";
    switch ((sass_op)instr->op) {
    case SASS_HGMMA:
        return (instr->stype == SASS_TF32 ? by_8 : by_16)[n / 8 - 1];
    case SASS_BGMMA:
        return by_256[n / 8 - 1];
    default:
        return by_32[n / 8 - 1];
    }
}

#define PICK2(slot_, lo_, width_, lo2_, width2_, ...)                                                        \
    .slot = slot_, .lo = lo_, .width = width_, .lo2 = lo2_, .width2 = width2_, .text = {__VA_ARGS__}
#define PICK(slot_, lo_, width_, ...) PICK2(slot_, lo_, width_, 0, 0, __VA_ARGS__)
#define BIT(lo_, flag_, text_)        PICK(SLOT_FLAG, lo_, 1, "", text_), .flag = flag_
#define CLEARBIT(lo_, flag_, text_)   PICK(SLOT_FLAG, lo_, 1, text_, ""), .flag = flag_
#define FIXED(text_)                  PICK(SLOT_NONE, 0, 0, text_)
#define MAP(...)                      .mapped = true, .map = {__VA_ARGS__}
#define FROM(sm)                      .min_sm = sm
#define UPTO(sm)                      .max_sm = sm

const sass_mod sass_mods[MOD_COUNT] = {
#define SASS_MOD(name, ...) [MOD_##name] = {__VA_ARGS__},
#include "sass/mods.def"
#undef SASS_MOD
};

bool sass_mod_value(const sass_mod *mod, const sass_instr *instr, unsigned *value) {
    if (instr->sm < mod->min_sm || (mod->max_sm != ANY && instr->sm > mod->max_sm)) return false;
    *value = (unsigned)bits(instr, mod->lo, mod->width) | (unsigned)bits(instr, mod->lo2, mod->width2)
                                                              << mod->width;
    return true;
}

const char *sass_mod_text(const sass_mod *mod, const sass_instr *instr, unsigned value) {
    if (mod->alias) return mod->alias(instr);
    return value < 16 ? mod->text[value] : NULL;
}
