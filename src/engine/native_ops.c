/* What each instruction of a run becomes. Every function names its sources, then its target, and writes that last. */
#include "engine/native_run.h"

#define REG(n) x86_reg(n)

static void two(native_run *r, const eng_ins *i, unsigned op, uint32_t a, uint32_t b) {
    int x = native_source(r, a);
    x86_rm y = native_source_rm(r, b);
    v_op(&r->x, op, native_target(r, i, 0), x, y);
    native_done(r, i, 0, false);
}
static void copy(native_run *r, const eng_ins *i, uint32_t from, unsigned word) {
    x86_rm a = native_source_rm(r, from);
    v_load(&r->x, native_target(r, i, word), a);
    native_done(r, i, word, false);
}
/* The result is in a scratch register. */
static void done_from(native_run *r, const eng_ins *i, unsigned word, int scratch) {
    int d = native_target(r, i, word);
    if (d != scratch) v_load(&r->x, d, REG(scratch));
    native_done(r, i, word, false);
}

/* --- predicates as results -------------------------------------------------------------------------- */

static void combine(x86 *x, int reg, int with, unsigned bop) {
    g_op(x, bop == SASS_AND ? 0x23 : bop == SASS_OR ? 0x0b : 0x33, false, reg, REG(with));
}
/* The lanes whose sign is set in v (or not) passed a test: the rest of every comparison. */
static void set_predicates(native_run *r, const eng_ins *i, int v, bool inverted, unsigned bop) {
    x86 *x = &r->x;
    bool alone = bop == SASS_AND && i->ps[0] == ENG_PT;
    v_op(x, V_MOVMSK, R8, 0, REG(v));
    if (inverted) g_imm(x, 6, false, REG(R8), 0xff);
    if (!alone) native_predicate(r, R10, i->ps[0] & 0x1f, i->ps[0] & ENG_PINV);
    if (i->pd[1] != ENG_PSINK) {
        g_op(x, 0x8b, false, R11, REG(R8));
        g_imm(x, 6, false, REG(R11), 0xff);
        if (!alone) combine(x, R11, R10, bop);
    }
    if (!alone) combine(x, R8, R10, bop);
    if (i->pd[0] != ENG_PSINK) native_set_predicate(r, i, i->pd[0], R8);
    if (i->pd[1] != ENG_PSINK) native_set_predicate(r, i, i->pd[1], R11);
}

static void isetp(native_run *r, const eng_ins *i) {
    x86 *x = &r->x;
    int a = native_source(r, i->a), b = native_source(r, i->b);
    bool inverted = false;
    if (i->x == SASS_EQ || i->x == SASS_NE) {
        v_op(x, V_EQ, S0, a, REG(b));
        inverted = i->x == SASS_NE;
    } else if (i->z & 1) {
        bool greater = i->x == SASS_GT || i->x == SASS_LE;
        v_op(x, V_GT, S0, greater ? a : b, REG(greater ? b : a));
        inverted = i->x == SASS_LE || i->x == SASS_GE;
    } else { /* the greater, the lesser of both is a */
        v_op(x, i->x == SASS_LT || i->x == SASS_GE ? V_MAXU : V_MINU, S0, a, REG(b));
        v_op(x, V_EQ, S0, S0, REG(a));
        inverted = i->x == SASS_LT || i->x == SASS_GT;
    }
    set_predicates(r, i, S0, inverted, i->y);
}

/* --- integers ------------------------------------------------------------------------------------------- */

static void add3(native_run *r, const eng_ins *i) {
    int a = native_source(r, i->a);
    x86_rm b = native_source_rm(r, i->b), c = native_source_rm(r, i->c);
    v_op(&r->x, V_ADD, S0, a, b);
    v_op(&r->x, V_ADD, native_target(r, i, 0), S0, c);
    native_done(r, i, 0, false);
}
static void add2_x(native_run *r, const eng_ins *i) {
    int a = native_source(r, i->a);
    x86_rm b = native_source_rm(r, i->b);
    native_expand(r, S1, i->ps[0] & 0x1f, i->ps[0] & ENG_PINV);
    v_op(&r->x, V_ADD, S0, a, b);
    v_op(&r->x, V_SUB, native_target(r, i, 0), S0, REG(S1));
    native_done(r, i, 0, false);
}
/* A sum in S0 is below one of its addends: there was a carry. */
static void carry(native_run *r, const eng_ins *i, int addend) {
    v_op(&r->x, V_MAXU, S1, S0, REG(addend));
    v_op(&r->x, V_EQ, S1, S1, REG(S0));
    v_op(&r->x, V_MOVMSK, R8, 0, REG(S1));
    g_imm(&r->x, 6, false, REG(R8), 0xff);
    native_set_predicate(r, i, i->pd[0], R8);
    done_from(r, i, 0, S0);
}
static void add2_carry(native_run *r, const eng_ins *i) {
    int a = native_source(r, i->a);
    v_op(&r->x, V_ADD, S0, a, native_source_rm(r, i->b));
    carry(r, i, a);
}
static void shift_add(native_run *r, const eng_ins *i, uint32_t addend) {
    int a = native_source(r, i->a);
    x86_rm b = native_source_rm(r, addend);
    v_shift(&r->x, V_SHIFT, SHIFT_LEFT, S0, a, i->z);
    v_op(&r->x, V_ADD, native_target(r, i, 0), S0, b);
    native_done(r, i, 0, false);
}
static void lea_carry(native_run *r, const eng_ins *i) {
    int a = native_source(r, i->a), b = native_source(r, i->b);
    v_shift(&r->x, V_SHIFT, SHIFT_LEFT, S0, a, i->z);
    v_op(&r->x, V_ADD, S0, S0, REG(b));
    carry(r, i, b);
}
static void lea_hi(native_run *r, const eng_ins *i, bool extended) {
    int a = native_source(r, i->a), c = native_source(r, i->c);
    x86_rm b = native_source_rm(r, i->b);
    v_shift(&r->x, V_SHIFT, SHIFT_LEFT, S0, c, i->z);
    v_shift(&r->x, V_SHIFT, SHIFT_RIGHT, S1, a, 32u - i->z);
    v_op(&r->x, V_OR, S0, S0, REG(S1));
    if (extended) {
        native_expand(r, S1, i->ps[0] & 0x1f, i->ps[0] & ENG_PINV);
        v_op(&r->x, V_SUB, S0, S0, REG(S1));
    }
    v_op(&r->x, V_ADD, native_target(r, i, 0), S0, b);
    native_done(r, i, 0, false);
}

/* The tables that exec_int.c has handlers for; the result in S0. */
static bool lop_known(unsigned lut) {
    switch (lut) {
    case 0xc0: case 0xfc: case 0x3c: case 0x33: case 0x30: case 0x96: case 0xfe: case 0x80: case 0xea: case 0xca: case 0x6a: return true;
    default: return false;
    }
}
static void lop(native_run *r, const eng_ins *i) {
    x86 *x = &r->x;
    bool three = i->x == 0x96 || i->x == 0xfe || i->x == 0x80 || i->x == 0xea || i->x == 0xca || i->x == 0x6a;
    int a = native_source(r, i->a), b = native_source(r, i->b), c = three ? native_source(r, i->c) : 0;
    switch (i->x) {
    case 0xc0: v_op(x, V_AND, S0, a, REG(b)); break;
    case 0xfc: v_op(x, V_OR, S0, a, REG(b)); break;
    case 0x3c: v_op(x, V_XOR, S0, a, REG(b)); break;
    case 0x33: v_op(x, V_EQ, S0, S0, REG(S0)), v_op(x, V_XOR, S0, S0, REG(b)); break;
    case 0x30: v_op(x, V_ANDN, S0, b, REG(a)); break;
    case 0x96: v_op(x, V_XOR, S0, a, REG(b)), v_op(x, V_XOR, S0, S0, REG(c)); break;
    case 0xfe: v_op(x, V_OR, S0, a, REG(b)), v_op(x, V_OR, S0, S0, REG(c)); break;
    case 0x80: v_op(x, V_AND, S0, a, REG(b)), v_op(x, V_AND, S0, S0, REG(c)); break;
    case 0xea: v_op(x, V_AND, S0, a, REG(b)), v_op(x, V_OR, S0, S0, REG(c)); break;
    case 0x6a: v_op(x, V_AND, S0, a, REG(b)), v_op(x, V_XOR, S0, S0, REG(c)); break;
    default: v_op(x, V_AND, S0, a, REG(b)), v_op(x, V_ANDN, S1, a, REG(c)), v_op(x, V_OR, S0, S0, REG(S1)); /* 0xca */
    }
}
static void lop3_test(native_run *r, const eng_ins *i) {
    x86 *x = &r->x;
    lop(r, i);
    v_op(x, V_XOR, S1, S1, REG(S1));
    v_op(x, V_EQ, S1, S1, REG(S0));
    v_op(x, V_MOVMSK, R8, 0, REG(S1));
    g_imm(x, 6, false, REG(R8), 0xff);
    native_predicate(r, R10, i->ps[0] & 0x1f, i->ps[0] & ENG_PINV);
    combine(x, R8, R10, i->y ? SASS_AND : SASS_OR);
    native_set_predicate(r, i, i->pd[0], R8);
    done_from(r, i, 0, S0);
}

static void shift(native_run *r, const eng_ins *i, unsigned op, uint32_t value) {
    int v = native_source(r, value);
    x86_rm n = native_source_rm(r, i->b);
    if (i->x & ENG_SHF_WRAP) { /* other counts need no limit: the host's shifts treat them as these do */
        v_load(&r->x, S0, n);
        v_op(&r->x, V_AND, S0, S0, x86_constant(&r->x, i->x & ENG_SHF_WIDE ? 63 : 31, false));
        n = REG(S0);
    }
    v_op(&r->x, op, native_target(r, i, 0), v, n);
    native_done(r, i, 0, false);
}
static void mad(native_run *r, const eng_ins *i) {
    int a = native_source(r, i->a);
    x86_rm b = native_source_rm(r, i->b), c = native_source_rm(r, i->c);
    v_op(&r->x, V_MUL, S0, a, b);
    v_op(&r->x, V_ADD, native_target(r, i, 0), S0, c);
    native_done(r, i, 0, false);
}

/* Products of even lanes in S0, of odd ones in S1. */
static void products(native_run *r, const eng_ins *i, bool is_signed) {
    x86 *x = &r->x;
    unsigned op = is_signed ? V_MULS64 : V_MULU64;
    int a = native_source(r, i->a), b = native_source(r, i->b);
    v_op(x, op, S0, a, REG(b));
    v_shift(x, V_SHIFT64, SHIFT_RIGHT, S1, a, 32);
    if (!native_uniform(r->plan, i->b)) {
        v_shift(x, V_SHIFT64, SHIFT_RIGHT, S2, b, 32);
        b = S2;
    }
    v_op(x, op, S1, S1, REG(b));
}
/* Pairs of even lanes in S0 and of odd ones in S1 become the result. */
static void split(native_run *r, const eng_ins *i) {
    x86 *x = &r->x;
    v_shift(x, V_SHIFT64, SHIFT_LEFT, S2, S1, 32);
    v_op_imm(x, V_BLEND, native_target(r, i, 0), S0, REG(S2), 0xaa);
    native_done(r, i, 0, false);
    v_shift(x, V_SHIFT64, SHIFT_RIGHT, S0, S0, 32);
    v_op_imm(x, V_BLEND, native_target(r, i, 1), S0, REG(S1), 0xaa);
    native_done(r, i, 1, false);
}
static void wide(native_run *r, const eng_ins *i, bool is_signed) {
    x86 *x = &r->x;
    int low = native_source(r, i->c), high = native_source(r, i->c + ENG_SLOT);
    products(r, i, is_signed);
    v_shift(x, V_SHIFT64, SHIFT_LEFT, S2, high, 32);
    v_op_imm(x, V_BLEND, S2, low, REG(S2), 0xaa);
    v_op(x, V_ADD64, S0, S0, REG(S2));
    v_shift(x, V_SHIFT64, SHIFT_RIGHT, S2, low, 32);
    v_op_imm(x, V_BLEND, S2, S2, REG(high), 0xaa);
    v_op(x, V_ADD64, S1, S1, REG(S2));
    split(r, i);
}
/* By 2^n, as addresses are made: a << n plus low, and what was shifted out plus high and the carry. */
static void wide_shift(native_run *r, const eng_ins *i, bool is_signed, unsigned n) {
    x86 *x = &r->x;
    int a = native_source(r, i->a), low = native_source(r, i->c), high = native_source(r, i->c + ENG_SLOT);
    v_shift(x, V_SHIFT, SHIFT_LEFT, S0, a, n);
    v_shift(x, V_SHIFT, is_signed ? SHIFT_SIGNED : SHIFT_RIGHT, S1, a, 32 - n);
    v_op(x, V_ADD, S0, S0, REG(low));
    v_op(x, V_ADD, S1, S1, REG(high));
    v_op(x, V_MAXU, S2, S0, REG(low));
    v_op(x, V_EQ, S2, S2, REG(S0)); /* all ones: no carry */
    v_op(x, V_ADD, S1, S1, x86_constant(x, 1, false));
    done_from(r, i, 0, S0);
    v_op(x, V_ADD, native_target(r, i, 1), S1, REG(S2));
    native_done(r, i, 1, false);
}
static void wide_any(native_run *r, const eng_ins *i, bool is_signed, bool add) {
    uint32_t by;
    if (add && native_constant(r, i->b, &by) && by > 1 && by < 0x80000000u && !(by & (by - 1))) {
        wide_shift(r, i, is_signed, (unsigned)__builtin_ctz(by));
    } else if (add) {
        wide(r, i, is_signed);
    } else {
        products(r, i, is_signed);
        split(r, i);
    }
}
static void mov64(native_run *r, const eng_ins *i) {
    v_load(&r->x, S0, native_source_rm(r, i->a));
    v_load(&r->x, S1, native_source_rm(r, i->a + ENG_SLOT));
    done_from(r, i, 0, S0);
    done_from(r, i, 1, S1);
}
static void select_by(native_run *r, const eng_ins *i, int yes, int no) {
    native_expand(r, S2, i->ps[0] & 0x1f, i->ps[0] & ENG_PINV);
    v_blendv(&r->x, native_target(r, i, 0), no, REG(yes), S2);
    native_done(r, i, 0, false);
}

/* --- single precision ----------------------------------------------------------------------------------------- */

/* v with its modifiers (1 negative, 2 absolute) in scratch, or itself where there are none. */
static int modified(native_run *r, int v, unsigned bits, int scratch) {
    x86 *x = &r->x;
    if (bits & 2) v_op(x, V_FAND, scratch, v, x86_constant(x, 0x7fffffff, false)), v = scratch;
    if (bits & 1) v_op(x, V_FXOR, scratch, v, x86_constant(x, 0x80000000, false)), v = scratch;
    return v;
}
static void fadd(native_run *r, const eng_ins *i) {
    unsigned x = i->x;
    int a = modified(r, native_float(r, i->a), x & 3, S0);
    x86_rm b = x & 8 ? REG(modified(r, native_float(r, i->b), 2, S1)) : native_float_rm(r, i->b);
    v_op(&r->x, x & 4 ? V_FSUB : V_FADD, native_target(r, i, 0), a, b);
    native_done(r, i, 0, true);
}
static void fmul(native_run *r, const eng_ins *i) {
    unsigned x = i->x;
    int a = modified(r, native_float(r, i->a), (x & 2) | ((x ^ x >> 2) & 1), S0); /* the product's sign */
    x86_rm b = x & 8 ? REG(modified(r, native_float(r, i->b), 2, S1)) : native_float_rm(r, i->b);
    v_op(&r->x, V_FMUL, native_target(r, i, 0), a, b);
    native_done(r, i, 0, true);
}
static void ffma(native_run *r, const eng_ins *i) {
    x86 *x = &r->x;
    unsigned m = i->x;
    int a = modified(r, native_float(r, i->a), (m & 2) | ((m ^ m >> 2) & 1), S0);
    x86_rm b = m & 8 ? REG(modified(r, native_float(r, i->b), 2, S1)) : native_float_rm(r, i->b);
    x86_rm c = m & 32 ? REG(modified(r, native_float(r, i->c), 2, S2)) : native_float_rm(r, i->c);
    bool minus = m & 16;
    int d = native_target(r, i, 0);
    if (b.base == X86_REGISTER && d == b.reg && !(c.base == X86_REGISTER && d == c.reg)) {
        b.reg = a;
        a = d;
    }
    if (c.base == X86_REGISTER && d == c.reg) {
        v_op(x, minus ? V_FMS231 : V_FMA231, d, a, b);
    } else if (d == a) { /* d * b + c */
        if (b.base != X86_REGISTER) v_load(x, S1, b), b = REG(S1);
        v_op(x, minus ? V_FMS213 : V_FMA213, d, b.reg, c);
    } else {
        v_load(x, d, c);
        v_op(x, minus ? V_FMS231 : V_FMA231, d, a, b);
    }
    native_done(r, i, 0, true);
}
static void fsetp(native_run *r, const eng_ins *i) {
    /* by the bits less, equal, greater, unordered */
    static const uint8_t host[16] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07, 0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
    int a = modified(r, native_float(r, i->a), i->x & 3, S0), b = modified(r, native_float(r, i->b), i->x >> 2 & 3, S1);
    v_op_imm(&r->x, V_FCMP, S2, a, REG(b), host[i->z & 15]);
    set_predicates(r, i, S2, false, i->z >> 4);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

bool native_does(const eng_ins *i, eng_lift lift) {
    bool sets = i->pd[0] != ENG_PSINK || i->pd[1] != ENG_PSINK, guarded = native_guarded(i);
    switch (lift) {
    case ENG_LIFT_NONE: return false;
    case ENG_LIFT_BRA: return !(i->z & 2);
    case ENG_LIFT_LDS: case ENG_LIFT_LDS_64: case ENG_LIFT_LDS_128: return !guarded;
    case ENG_LIFT_LOP3: return lop_known(i->x);
    case ENG_LIFT_LOP3_TEST: return lop_known(i->x) && !guarded && sets;
    case ENG_LIFT_ADD2_CARRY: case ENG_LIFT_LEA_CARRY: return !guarded && i->pd[0] != ENG_PSINK;
    case ENG_LIFT_WIDE_S: case ENG_LIFT_WIDE_U: case ENG_LIFT_WIDE_MUL_S: case ENG_LIFT_WIDE_MUL_U: case ENG_LIFT_MOV64: return !guarded;
    case ENG_LIFT_ISETP: return !guarded && !(i->z & 2) && i->x >= SASS_LT && i->x <= SASS_GE && i->pd[0] != i->pd[1];
    case ENG_LIFT_FSETP: return !guarded && !(i->x & ~(uint32_t)ENG_FLOAT_SIGNS) && i->pd[0] != i->pd[1];
    case ENG_LIFT_FADD: case ENG_LIFT_FFMA: return i->y == SASS_RN && !(i->x & ~(uint32_t)ENG_FLOAT_SIGNS);
    case ENG_LIFT_FMUL: return i->y == SASS_RN && !(i->x & ~(uint32_t)ENG_FLOAT_SIGNS) && i->z == ENG_FMUL_UNSCALED;
    case ENG_LIFT_FSEL: return !(i->x & ~(uint32_t)ENG_FLOAT_SIGNS);
    default: return true;
    }
}

void native_op(native_run *r, const eng_ins *i, eng_lift lift) {
    switch (lift) {
    case ENG_LIFT_ADD2: two(r, i, V_ADD, i->a, i->b); break;
    case ENG_LIFT_ADD3: add3(r, i); break;
    case ENG_LIFT_SUB2: two(r, i, V_SUB, i->a, i->b); break;
    case ENG_LIFT_ADD2_CARRY: add2_carry(r, i); break;
    case ENG_LIFT_ADD2_X: add2_x(r, i); break;
    case ENG_LIFT_LEA: shift_add(r, i, i->b); break;
    case ENG_LIFT_LEA_CARRY: lea_carry(r, i); break;
    case ENG_LIFT_LEA_HI: lea_hi(r, i, false); break;
    case ENG_LIFT_LEA_HI_X: lea_hi(r, i, true); break;
    case ENG_LIFT_LOP3: lop(r, i), done_from(r, i, 0, S0); break;
    case ENG_LIFT_LOP3_TEST: lop3_test(r, i); break;
    case ENG_LIFT_SHL: shift(r, i, V_SHLV, i->a); break;
    case ENG_LIFT_SHR: shift(r, i, V_SHRV, i->c); break;
    case ENG_LIFT_SAR: shift(r, i, V_SARV, i->c); break;
    case ENG_LIFT_SEL: {
        int a = native_source(r, i->a), b = native_source(r, i->b);
        select_by(r, i, a, b);
        break;
    }
    case ENG_LIFT_MIN_S: two(r, i, V_MINS, i->a, i->b); break;
    case ENG_LIFT_MAX_S: two(r, i, V_MAXS, i->a, i->b); break;
    case ENG_LIFT_MIN_U: two(r, i, V_MINU, i->a, i->b); break;
    case ENG_LIFT_MAX_U: two(r, i, V_MAXU, i->a, i->b); break;
    case ENG_LIFT_MAD: mad(r, i); break;
    case ENG_LIFT_MUL: two(r, i, V_MUL, i->a, i->b); break;
    case ENG_LIFT_MOV_C: copy(r, i, i->c, 0); break;
    case ENG_LIFT_ADD_AC: two(r, i, V_ADD, i->a, i->c); break;
    case ENG_LIFT_SHL_ADD: shift_add(r, i, i->c); break;
    case ENG_LIFT_WIDE_S: wide_any(r, i, true, true); break;
    case ENG_LIFT_WIDE_U: wide_any(r, i, false, true); break;
    case ENG_LIFT_WIDE_MUL_S: wide_any(r, i, true, false); break;
    case ENG_LIFT_WIDE_MUL_U: wide_any(r, i, false, false); break;
    case ENG_LIFT_ISETP: isetp(r, i); break;
    case ENG_LIFT_FADD: fadd(r, i); break;
    case ENG_LIFT_FMUL: fmul(r, i); break;
    case ENG_LIFT_FFMA: ffma(r, i); break;
    case ENG_LIFT_FSETP: fsetp(r, i); break;
    case ENG_LIFT_FSEL: {
        int a = modified(r, native_source(r, i->a), i->x & 3, S0), b = modified(r, native_source(r, i->b), i->x >> 2 & 3, S1);
        select_by(r, i, a, b);
        break;
    }
    case ENG_LIFT_MOV: copy(r, i, i->a, 0); break;
    case ENG_LIFT_MOV64: mov64(r, i); break;
    case ENG_LIFT_LDS: native_load(r, i, 1); break;
    case ENG_LIFT_LDS_64: native_load(r, i, 2); break;
    case ENG_LIFT_LDS_128: native_load(r, i, 4); break;
    default: break; /* counts and the branch: native_run.c */
    }
}
