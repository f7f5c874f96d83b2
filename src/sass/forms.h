/* Inside of the decoder: what isa.def, operands.def and mods.def expand to.
 *
 * Decoding and printing walk the same two lists of a row, its operands and its modifiers. An operand has a pair of
 * functions: sass_take_X fills the next free slot of the instruction, sass_show_X prints that slot. A modifier is a bit field with a
 * text for each value and a slot that the value goes to. */
#ifndef WG_SASS_FORMS_H
#define WG_SASS_FORMS_H

#include "sass/sass.h"

enum { MAX_OPERANDS = 8, MAX_MODS = 9 };
enum { ANY = 0 };          /* MINSM, MAXSM */
enum { EXACT, APPROX };    /* EXACT */

/* --- FORMS: bits 9..11 ----------------------------------------------------------------
 *        1st     2nd     3rd source
 *  F1    R@24    R@32    R@64
 *  F2    R@24    R@64    immediate@32
 *  F3    R@24    R@64    constant@32
 *  F4    R@24    imm@32  R@64
 *  F5    R@24    const   R@64
 *  F6    R@24    UR@32   R@64
 *  F7    R@24    R@64    UR@32
 * Two-source opcodes have their second source at 32 in every form ("slot B"). */
enum {
    F0 = 1 << 0, F1 = 1 << 1, F2 = 1 << 2, F3 = 1 << 3, F4 = 1 << 4, F5 = 1 << 5, F6 = 1 << 6, F7 = 1 << 7,
    UG = 1 << 8,     /* the guard is a uniform predicate */
    REUSE3 = 1 << 9, /* the second source's reuse hint may stand in the third place */
    ALU1 = F1 | F4 | F5 | F6,
    ALU2 = F1 | F4 | F5 | F6,
    ADD2 = F1 | F2 | F3 | F4 | F5 | F6 | F7 | REUSE3,
    ALU3 = F1 | F2 | F3 | F4 | F5 | F6 | F7,
    UALU1 = UG | F1 | F4 | F6,
    UALU2 = UG | F1 | F2 | F4 | F6,
    UALU3 = UG | F1 | F2 | F4 | F6 | F7,
    MEM = F1 | F3 | F4 | F5 | F6 | F7,
    ANYFORM = 0xff
};

/* --- SRC: signs of the sources, and how an immediate reads ---------------------------- */
typedef enum sass_src {
    SRC_NOSIGN,   /* plain registers */
    SRC_BITS,     /* immediates unsigned */
    SRC_SBITS,    /* immediates signed */
    SRC_SIGNS,    /* of which the sign bits alone count; immediates unsigned */
    SRC_INT,      /* negation; immediates signed */
    SRC_INTX,     /* the same; with .X the bit means bitwise not */
    SRC_UINT,     /* negation; immediates unsigned */
    SRC_INV,      /* bitwise not of slot B */
    SRC_NEGB,     /* negation of the second source */
    SRC_LEA,      /* negation of slots A and B; with .X bitwise not */
    SRC_F2FP,     /* slot A negation, slot B negation and absolute value; immediates float */
    SRC_F32,      /* negation and absolute value; immediates float */
    SRC_F64,      /* the same; an immediate is the high word of a double */
    SRC_F64SRC,   /* one-source conversions from double */
    SRC_HALF,     /* negation, absolute value, choice of halves; immediates two halves */
    SRC_HALF_MMA  /* as HALF in slot C's sign bits, no choice of halves */
} sass_src;

/* --- MODS ------------------------------------------------------------------------------ */
typedef enum sass_slot { /* the member of sass_instr that a modifier's value goes to */
    SLOT_NONE, SLOT_FLAG, SLOT_SUB, SLOT_CMP, SLOT_BOP, SLOT_ROUND, SLOT_TYPE, SLOT_STYPE, SLOT_EVICT, SLOT_SHAPE,
    SLOT_BYTE,
    SLOT_SIZE, /* type, and width in bytes */
    SLOT_ORDER,     /* order, and scope in the high half of the mapped value */
    SLOT_ATOM_FLOAT /* type, and width in bytes: vectors of 1, 2 or 4 words */
} sass_slot;

typedef struct sass_mod {
    uint8_t lo, width, lo2, width2; /* value = bits lo.., then bits lo2.. above them */
    uint8_t min_sm, max_sm;         /* ANY: no limit */
    uint8_t slot;                   /* sass_slot */
    bool mapped;                    /* the slot gets map[value], else value */
    uint32_t flag;                  /* SLOT_FLAG: set when the value is not 0 */
    const char *text[16];           /* printed after a dot; "" prints nothing; NULL: the value is not known */
    uint8_t map[16];
    const char *(*alias)(const sass_instr *instr); /* instead of text: depends on the operands */
} sass_mod;

typedef enum sass_mod_id {
    MOD_NONE = 0,
#define SASS_MOD(name, ...) MOD_##name,
#include "sass/mods.def"
#undef SASS_MOD
    MOD_COUNT
} sass_mod_id;
extern const sass_mod sass_mods[MOD_COUNT];

/* The field's value in this word; false when the modifier is not there on this architecture. */
bool sass_mod_value(const sass_mod *mod, const sass_instr *instr, unsigned *value);
/* The text of a value, NULL when the value is not known. */
const char *sass_mod_text(const sass_mod *mod, const sass_instr *instr, unsigned value);

/* --- OPERANDS -------------------------------------------------------------------------- */
typedef enum sass_operand_id {
    OPND_NONE = 0,
#define SASS_OPERAND(name, ...) OPND_##name,
#include "sass/operands.def"
#undef SASS_OPERAND
    OPND_COUNT
} sass_operand_id;

typedef struct sass_row {
    const char *text;
    uint16_t code, forms;
    uint8_t src, class, kind;
    uint8_t min_sm, max_sm;
    uint8_t operands[MAX_OPERANDS + 1]; /* sass_operand_id, ended by OPND_NONE */
    uint8_t mods[MAX_MODS + 1];         /* sass_mod_id, ended by MOD_NONE */
    bool approximate;
    const char *handler;
} sass_row;
extern const sass_row sass_rows[SASS_OP_COUNT];

typedef struct sass_text { /* bounded text; len counts what would have been written */
    char *buf;
    size_t size, len;
    unsigned items; /* operands printed so far */
} sass_text;
void sass_put(sass_text *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Before an operand: the blank or the comma. */
void sass_item(sass_text *out);
void sass_put_hex(sass_text *out, int64_t value); /* -0x10 */
void sass_put_f32(sass_text *out, uint32_t bits);
void sass_put_f64(sass_text *out, uint64_t bits);
void sass_put_f16(sass_text *out, uint16_t bits);

/* Where a walk over the operand list is: the next slots to fill or to print. */
typedef struct sass_cursor {
    sass_instr *instr; /* printing does not write it */
    const sass_row *row;
    unsigned form;
    unsigned n_src, n_pdst, n_psrc;
    bool bad; /* a field has a value that is not understood */
} sass_cursor;

typedef struct sass_operand_spec {
    void (*take)(sass_cursor *at, unsigned arg, unsigned arg2);
    void (*show)(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2);
    uint8_t arg, arg2;
    uint64_t claims; /* bits 72..104 that it reads, shifted down by 72 */
} sass_operand_spec;
#define SASS_CLAIM(lo, n) (((UINT64_C(1) << (n)) - 1) << ((lo) - 72))
uint64_t sass_sign_claims(const sass_row *row); /* bits 72..104 that hold signs of the row's sources */
extern const sass_operand_spec sass_operand_specs[OPND_COUNT];

#define SASS_PAIR(name)                                                                                       \
    void sass_take_##name(sass_cursor *at, unsigned arg, unsigned arg2);                                           \
    void sass_show_##name(sass_cursor *at, sass_text *out, unsigned arg, unsigned arg2);
#define SASS_OPERAND(name, pair, ...) SASS_PAIR(pair)
#include "sass/operands.def"
#undef SASS_OPERAND
#undef SASS_PAIR

/* --- bits ------------------------------------------------------------------------------ */
static inline uint64_t bits(const sass_instr *instr, unsigned lo, unsigned n) {
    uint64_t v = lo >= 64  ? instr->hi >> (lo - 64)
                 : lo == 0 ? instr->lo
                           : instr->lo >> lo | instr->hi << (64 - lo);
    return n >= 64 ? v : v & ((UINT64_C(1) << n) - 1);
}
static inline bool bit(const sass_instr *instr, unsigned at) { return bits(instr, at, 1) != 0; }
static inline int64_t sbits(const sass_instr *instr, unsigned lo, unsigned n) {
    uint64_t v = bits(instr, lo, n), sign = UINT64_C(1) << (n - 1);
    return (int64_t)((v ^ sign) - sign);
}
/* A uniform register field: 6 bits wide before sm_100, then 8; URZ is 255 in either. */
static inline uint8_t ureg_at(const sass_instr *instr, unsigned lo) {
    unsigned n = (unsigned)bits(instr, lo, instr->sm >= 100 ? 8 : 6);
    return (uint8_t)(instr->sm < 100 && n == 63 ? SASS_URZ : n);
}
static inline sass_operand *slot_of(sass_cursor *at) {
    sass_operand *const slots[] = {&at->instr->a, &at->instr->b, &at->instr->c};
    unsigned n = at->n_src < 3 ? at->n_src : 2;
    at->n_src++;
    return slots[n];
}

#endif
