/* How many registers an operand covers: pairs of 64-bit values, vectors of memory accesses, fragments of
 * matrices. */
#include "sass/sass.h"

static bool is_register(const sass_operand *o) {
    return (o->kind == SASS_REG && o->reg != SASS_RZ) || (o->kind == SASS_UREG && o->reg != SASS_URZ);
}
static unsigned words_of_type(unsigned type) {
    switch (type) {
    case SASS_U64:
    case SASS_S64:
    case SASS_F64:
    case SASS_B64:
        return 2;
    case SASS_B128:
        return 4;
    default:
        return 1;
    }
}
static unsigned words_of_width(unsigned bytes) {
    return bytes > 4 ? bytes / 4 : 1;
}

/* --- matrix fragments, a warp's share in one lane (PTX ISA, "Matrix fragments for mma") -------- */

typedef struct fragments {
    uint8_t a, b, cd;
} fragments;

enum { HMMA_1688, HMMA_16816, HMMA_1684 };
static fragments hmma_fragments(const sass_instr *i) {
    const bool tf32 = i->stype == SASS_TF32;
    const uint8_t cd = i->type == SASS_F32 ? 4 : 2;
    switch (i->shape) {
    case HMMA_16816:
        return (fragments){4, 2, cd};
    case HMMA_1684:
        return (fragments){2, 1, cd};
    default:
        return tf32 ? (fragments){4, 2, cd} : (fragments){2, 1, cd};
    }
}
enum { IMMA_8816 = 0, IMMA_8832 = 2, IMMA_16816 = 4, IMMA_16832 = 5, IMMA_16864 = 6 };
static fragments imma_fragments(const sass_instr *i) {
    const bool nibbles = i->type == SASS_U4 || i->type == SASS_S4;
    switch (i->shape) {
    case IMMA_16816:
        return (fragments){2, 1, 4};
    case IMMA_16832:
        return nibbles ? (fragments){2, 1, 4} : (fragments){4, 2, 4};
    case IMMA_16864:
        return (fragments){4, 2, 4};
    default:
        return (fragments){1, 1, 2};
    }
}
enum { BMMA_88128, BMMA_168128, BMMA_168256 };
static fragments bmma_fragments(const sass_instr *i) {
    switch (i->shape) {
    case BMMA_168128:
        return (fragments){2, 1, 4};
    case BMMA_168256:
        return (fragments){4, 2, 4};
    default:
        return (fragments){1, 1, 2};
    }
}
/* Registers, two for each double. */
static fragments dmma_fragments(const sass_instr *i) {
    static const fragments by_shape[] = {
        {2, 2, 4}, {4, 2, 8}, {8, 4, 8}, {16, 8, 8}}; /* 884 1684 1688 16816 */
    return by_shape[i->shape & 3];
}
static fragments fragments_of(const sass_instr *i) {
    switch ((sass_op)i->op) {
    case SASS_HMMA:
        return hmma_fragments(i);
    case SASS_HMMA_884:
        return (fragments){2, 2, 2};
    case SASS_IMMA:
        return imma_fragments(i);
    case SASS_BMMA:
        return bmma_fragments(i);
    case SASS_HMMA_SP:
        return i->shape == 3 || (i->stype == SASS_TF32 && i->shape == 1) ? (fragments){4, 4, i->type == SASS_F32 ? 4 : 2}
                                                      : (fragments){2, 2, i->type == SASS_F32 ? 4 : 2};
    case SASS_IMMA_SP:
        return i->shape == 5 ? (fragments){2, 2, 4} : (fragments){4, 4, 4};
    case SASS_QMMA:
        return i->shape ? (fragments){4, 2, i->type == SASS_F32 ? 4 : 2} : (fragments){2, 1, i->type == SASS_F32 ? 4 : 2};
    case SASS_QMMA_SP:
        return (fragments){4, 4, i->type == SASS_F32 ? 4 : 2};
    case SASS_DMMA:
        return dmma_fragments(i);
    default:
        return (fragments){1, 1, 1};
    }
}

/* --- textures ------------------------------------------------------------------------------------ */

typedef struct tex_regs {
    uint8_t a, b;
} tex_regs;

/* Coordinates with the array's layer first, then the level of detail, offsets, and what is compared with. Scalar forms (.SCR) share
 * the values between the two registers, others have the coordinates in the first. A bindless form begins the
 * second with the descriptor. With gradients, two for each coordinate, all of it is in the first register, the layer and offsets in a word behind the coordinates. */
enum { TEX_SCALAR_BIT = 60, TEX_BINDLESS_BIT = 59, TEX_LB = 2, TEX_LBC = 5 };
static bool word_bit(const sass_instr *i, unsigned at) {
    return (at < 64 ? i->lo >> at : i->hi >> (at - 64)) & 1;
}
static tex_regs texture_sources(const sass_instr *i) {
    static const uint8_t dimensions[] = {1, 2, 3, 3}; /* 1D 2D 3D CUBE, and, from 4 on, arrays of them */
    const unsigned xyz = dimensions[i->shape & 3], array = i->shape >> 2 & 1, bindless = word_bit(i, TEX_BINDLESS_BIT);
    const unsigned offsets = (i->flags & SASS_OFFSETS) != 0, compares = i->flags & SASS_COMPARES ? 1 : 0;
    if (i->op == SASS_TXD || i->op == SASS_TXD_B) return (tex_regs){(uint8_t)(bindless + xyz + (array | offsets)), (uint8_t)(2 * xyz)};
    const bool lod = i->op != SASS_TLD4 && i->op != SASS_TLD4_B && i->sub >= TEX_LB && i->sub <= TEX_LBC;
    const unsigned more = lod + offsets + compares, all = array + xyz + more;
    if (bindless) return (tex_regs){(uint8_t)(array + xyz), (uint8_t)(1 + more)};
    if (word_bit(i, TEX_SCALAR_BIT)) return (tex_regs){(uint8_t)((all + 1) / 2), (uint8_t)(all / 2)};
    return (tex_regs){(uint8_t)(array + xyz), (uint8_t)more};
}
static unsigned texture_source_regs(const sass_instr *i, bool first) {
    if (i->op == SASS_TXQ || i->op == SASS_TXQ_B) return 1;
    const tex_regs n = texture_sources(i);
    return first ? n.a : n.b ? n.b : 1;
}
static unsigned components(const sass_instr *i) {
    static const uint8_t ones[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return ones[i->byte & 15];
}
static bool is_texture(const sass_instr *i) {
    return sass_class_of((sass_op)i->op) == SASS_CLASS_TEXTURE;
}
static unsigned surface_words(const sass_instr *i) { /* .P moves components, .D bytes */
    return i->op == SASS_SULD_P || i->op == SASS_SUST_P ? (i->sub == 1   ? 1
                                                           : i->sub == 3 ? 2
                                                                         : 4)
                                                        : words_of_width(i->width);
}

/* --- warp-group MMA -------------------------------------------------------------------------------- */

bool sass_is_gmma(sass_op op) { return op == SASS_HGMMA || op == SASS_IGMMA || op == SASS_BGMMA || op == SASS_QGMMA; }

/* Multiples of 8; of integers and bits, above 32 of 16. Integers count by three, halves begin anew behind those of TF32. */
unsigned sass_gmma_columns(const sass_instr *i) {
    enum { SHAPES = 32, EIGHTS = 4 };
    unsigned k = i->shape;
    switch ((sass_op)i->op) {
    case SASS_HGMMA:
        return (k >= SHAPES) == (i->stype == SASS_TF32) ? k % SHAPES * 8 + 8 : 0;
    case SASS_QGMMA:
        return k < SHAPES ? k * 8 + 8 : 0;
    case SASS_IGMMA:
        if (k % 3) return 0;
        k /= 3;
        break;
    default:
        break;
    }
    return k < EIGHTS ? k * 8 + 8 : k <= 17 ? (k - 1) * 16 : 0;
}
static unsigned gmma_accumulators(const sass_instr *i) {
    const unsigned n = sass_gmma_columns(i);
    return (i->op == SASS_HGMMA || i->op == SASS_QGMMA) && i->type == SASS_F16 ? n / 4 : n / 2;
}

/* --- bulk copies --------------------------------------------------------------------------------- */

static unsigned bulk_source_regs(const sass_instr *i, const sass_operand *slot) {
    enum { TO_GLOBAL = 2 };
    const bool a = slot == &i->a, b = slot == &i->b;
    switch ((sass_op)i->op) {
    case SASS_UBLKCP:
    case SASS_UBLKRED: /* an address of 64 bits, or one of shared memory and the barrier's; from shared memory, an address alone */
        return a ? 2 : b ? (i->shape & TO_GLOBAL ? 1 : 2) : 1;
    case SASS_UTMALDG:
        return a ? i->shape + 2u : b ? 2 : 1;
    case SASS_UTMASTG:
    case SASS_UTMAREDG:
        return a ? i->shape + 1u : 2;
    case SASS_UTMAPF:
        return a ? i->shape : b ? 2 : 1;
    case SASS_UBLKPF:
        return a ? 2 : 1;
    case SASS_UTMACCTL:
        return 2;
    default:
        return 0;
    }
}

/* --- the questions ------------------------------------------------------------------------------- */

unsigned sass_dst_regs(const sass_instr *i) {
    if (!is_register(&i->dst)) return 0;
    if (is_texture(i)) return components(i) >= 2 ? 2 : 1;
    if (sass_class_of((sass_op)i->op) == SASS_CLASS_SURFACE) return surface_words(i);
    if (sass_is_gmma((sass_op)i->op)) return gmma_accumulators(i);
    switch ((sass_op)i->op) {
    case SASS_IMAD_WIDE:
    case SASS_UIMAD_WIDE:
    case SASS_UIADD3_64:
    case SASS_IADD_64:
    case SASS_MOV_64:
    case SASS_UMOV_64:
    case SASS_SEL_64:
    case SASS_USEL_64:
    case SASS_FFMA2:
    case SASS_FMUL2:
    case SASS_FADD2:
    case SASS_DADD:
    case SASS_DMUL:
    case SASS_DFMA:
    case SASS_LEPC:
    case SASS_LEPC_90:
    case SASS_SYNCS:
        return 2;
    case SASS_CS2R:
    case SASS_MOV:
        return i->shape ? 2 : 1;
    case SASS_F2F:
    case SASS_F2F_64:
    case SASS_F2I:
    case SASS_F2I_64:
    case SASS_I2F:
    case SASS_I2F_64:
    case SASS_FRND:
    case SASS_FRND_64:
        return words_of_type(i->type);
    case SASS_HMMA:
    case SASS_IMMA:
    case SASS_BMMA:
    case SASS_HMMA_SP:
    case SASS_IMMA_SP:
    case SASS_QMMA:
    case SASS_QMMA_SP:
    case SASS_DMMA:
        return fragments_of(i).cd;
    case SASS_LDSM:
        return i->shape;
    default:
        return words_of_width(i->width);
    }
}

unsigned sass_dst2_regs(const sass_instr *i) {
    if (!is_register(&i->dst2) || !is_texture(i)) return 0;
    const unsigned n = components(i);
    return n > 2 ? n - 2 : 0;
}

unsigned sass_src_regs(const sass_instr *i, const sass_operand *slot) {
    if (!is_register(slot)) return 0;
    const bool a = slot == &i->a, b = slot == &i->b;
    if (sass_class_of((sass_op)i->op) == SASS_CLASS_ASYNC_COPY || i->op == SASS_UTMACCTL) {
        const unsigned n = bulk_source_regs(i, slot);
        if (n) return slot == &i->extra ? 2 : n;
    }
    if (slot == &i->extra) return 1;
    if (sass_is_gmma((sass_op)i->op)) return a || b ? 4 : gmma_accumulators(i); /* a descriptor is a pair, A's before B's also where A has none */
    if (i->op == SASS_SYNCS_EXCH) return b ? 2 : 1;
    if (is_texture(i)) return texture_source_regs(i, a);
    switch ((sass_op)i->op) {
    case SASS_IMAD_WIDE:
    case SASS_UIMAD_WIDE:
    case SASS_IMAD_HI: /* adds 64 bits, too, before it drops the low ones */
    case SASS_UIMAD_HI:
        return a || b ? 1 : 2;
    case SASS_UIADD3_64:
    case SASS_IADD_64:
    case SASS_SEL_64:
    case SASS_USEL_64:
    case SASS_FFMA2:
    case SASS_FMUL2:
    case SASS_FADD2:
    case SASS_DADD:
    case SASS_DMUL:
    case SASS_DFMA:
    case SASS_DSETP:
        return 2;
    case SASS_F2F:
    case SASS_F2F_64:
    case SASS_F2I:
    case SASS_F2I_64:
    case SASS_I2F:
    case SASS_I2F_64:
        return words_of_type(i->stype);
    case SASS_FRND:
    case SASS_FRND_64:
    case SASS_MATCH:
        return words_of_type(i->type);
    case SASS_MOV:
    case SASS_ISETP:
        return i->shape ? 2 : 1; /* .64 of sm_100 and later */
    case SASS_HMMA:
    case SASS_IMMA:
    case SASS_BMMA:
    case SASS_HMMA_SP:
    case SASS_IMMA_SP:
    case SASS_QMMA:
    case SASS_QMMA_SP:
    case SASS_DMMA:
        return a ? fragments_of(i).a : b ? fragments_of(i).b : fragments_of(i).cd;
    case SASS_STSM:
        return i->shape;
    case SASS_BRX:
    case SASS_BRXU:
    case SASS_RET:
    case SASS_CALL_REL:
    case SASS_CALL_ABS:
        return 2;
    default:
        break;
    }
    switch (sass_class_of((sass_op)i->op)) {
    case SASS_CLASS_GLOBAL_ST:
    case SASS_CLASS_GENERIC_ST:
    case SASS_CLASS_SHARED_ST:
    case SASS_CLASS_LOCAL_ST:
    case SASS_CLASS_GLOBAL_ATOM:
    case SASS_CLASS_GLOBAL_RED:
    case SASS_CLASS_SHARED_ATOM:
        return words_of_width(i->width);
    case SASS_CLASS_SURFACE:
        return surface_words(i);
    case SASS_CLASS_ASYNC_COPY:
        return i->op == SASS_STAS || i->op == SASS_REDAS ? words_of_width(i->width) : 1;
    default:
        return 1;
    }
}

unsigned sass_address_regs(const sass_address *address) {
    if (!address->present || address->base == SASS_RZ) return 0;
    return address->wide ? 2 : 1;
}
