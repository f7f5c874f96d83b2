/* An assembler for the few forms that native code needs: vectors of 8 lanes (AVX2), and plain words. */
#ifndef WG_ENGINE_NATIVE_X86_H
#define WG_ENGINE_NATIVE_X86_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

typedef struct x86 {
    uint8_t *at, *start, *end; /* at goes on behind end, but nothing is written there */
    uint8_t *pool, *pool_start; /* constants of 32 bytes, below start */
    bool full;
} x86;

/* A place: a vector register, memory at base + disp, or (base X86_POOL) a constant. */
enum { X86_REGISTER = -1, X86_POOL = -2 };
typedef struct x86_rm {
    int base, reg;
    bool indexed; /* and RAX is added */
    int32_t disp;
    const uint8_t *pool;
} x86_rm;
static inline x86_rm x86_reg(int reg) { return (x86_rm){.base = X86_REGISTER, .reg = reg}; }
static inline x86_rm x86_mem(int base, int32_t disp) { return (x86_rm){.base = base, .disp = disp}; }

static inline void x86_byte(x86 *x, unsigned b) {
    if (x->at < x->end) *x->at++ = (uint8_t)b;
    else x->full = true;
}
static inline void x86_word(x86 *x, uint32_t w) {
    for (int k = 0; k < 4; k++) x86_byte(x, w >> 8 * k & 255);
}
static inline void x86_quad(x86 *x, uint64_t q) { x86_word(x, (uint32_t)q), x86_word(x, (uint32_t)(q >> 32)); }

/* reg: the instruction's register or opcode extension; behind: bytes of an immediate that follows. */
static inline void x86_modrm(x86 *x, int reg, x86_rm rm, unsigned behind) {
    if (rm.base == X86_REGISTER) {
        x86_byte(x, 0xc0u | (unsigned)(reg & 7) << 3 | (unsigned)(rm.reg & 7));
    } else if (rm.base == X86_POOL) {
        x86_byte(x, 0x05u | (unsigned)(reg & 7) << 3);
        x86_word(x, (uint32_t)(rm.pool - (x->at + 4 + behind)));
    } else if (rm.indexed) {
        x86_byte(x, 0x84u | (unsigned)(reg & 7) << 3);
        x86_byte(x, (unsigned)(rm.base & 7));
        x86_word(x, (uint32_t)rm.disp);
    } else { /* no base is rsp or r12 */
        x86_byte(x, 0x80u | (unsigned)(reg & 7) << 3 | (unsigned)(rm.base & 7));
        x86_word(x, (uint32_t)rm.disp);
    }
}
static inline bool x86_high(x86_rm rm) { return (rm.base == X86_REGISTER ? rm.reg : rm.base < 0 ? 0 : rm.base) > 7; }

/* --- vectors -------------------------------------------------------------------------------------- */

/* Opcodes as map << 16 | prefix << 8 | opcode; prefix: 0 none, 1 66, 2 f3, 3 f2. */
#define V0F(prefix, op)   (1u << 16 | (prefix) << 8 | (op))
#define V38(prefix, op)   (2u << 16 | (prefix) << 8 | (op))
#define V3A(prefix, op)   (3u << 16 | (prefix) << 8 | (op))
enum {
    V_LOAD = V0F(0, 0x10), V_STORE = V0F(0, 0x29), /* what was loaded may lie anywhere; slots are aligned */
    V_ADD = V0F(1, 0xfe), V_SUB = V0F(1, 0xfa), V_AND = V0F(1, 0xdb), V_ANDN = V0F(1, 0xdf), V_OR = V0F(1, 0xeb), V_XOR = V0F(1, 0xef),
    V_EQ = V0F(1, 0x76), V_GT = V0F(1, 0x66), V_MUL = V38(1, 0x40), V_MULU64 = V0F(1, 0xf4), V_MULS64 = V38(1, 0x28), V_ADD64 = V0F(1, 0xd4),
    V_MINU = V38(1, 0x3b), V_MAXU = V38(1, 0x3f), V_MINS = V38(1, 0x39), V_MAXS = V38(1, 0x3d),
    V_SHLV = V38(1, 0x47), V_SHRV = V38(1, 0x45), V_SARV = V38(1, 0x46), V_SHIFT = V0F(1, 0x72), V_SHIFT64 = V0F(1, 0x73),
    V_BLEND = V3A(1, 0x02), V_BLENDV = V3A(1, 0x4a), V_MOVMSK = V0F(0, 0x50), V_MOVD = V0F(1, 0x6e),
    V_BROADCAST = V38(1, 0x58), V_FBROADCAST = V38(1, 0x18),
    V_FADD = V0F(0, 0x58), V_FSUB = V0F(0, 0x5c), V_FMUL = V0F(0, 0x59), V_FAND = V0F(0, 0x54), V_FXOR = V0F(0, 0x57), V_FCMP = V0F(0, 0xc2),
    V_FMA213 = V38(1, 0xa8), V_FMA231 = V38(1, 0xb8), V_FMS213 = V38(1, 0xaa), V_FMS231 = V38(1, 0xba),
    V_FNMA213 = V38(1, 0xac), V_FNMA231 = V38(1, 0xbc)
};
enum { SHIFT_RIGHT = 2, SHIFT_SIGNED = 4, SHIFT_LEFT = 6 }; /* opcode extensions of V_SHIFT */
enum { CMP_UNORDERED = 3 };

static inline void x86_vex(x86 *x, unsigned op, int reg, int v, x86_rm rm, unsigned length, unsigned behind) {
    x86_byte(x, 0xc4);
    x86_byte(x, (reg > 7 ? 0u : 0x80u) | 0x40u | (x86_high(rm) ? 0u : 0x20u) | op >> 16);
    x86_byte(x, (unsigned)(~v & 15) << 3 | length << 2 | (op >> 8 & 3));
    x86_byte(x, op & 255);
    x86_modrm(x, reg, rm, behind);
}
/* d = a op b; operations of one source have a = 0. */
static inline void v_op(x86 *x, unsigned op, int d, int a, x86_rm b) { x86_vex(x, op, d, a, b, 1, 0); }
static inline void v_op_imm(x86 *x, unsigned op, int d, int a, x86_rm b, unsigned imm) {
    x86_vex(x, op, d, a, b, 1, 1);
    x86_byte(x, imm);
}
static inline void v_shift(x86 *x, unsigned op, unsigned how, int d, int a, unsigned n) {
    x86_vex(x, op, (int)how, d, x86_reg(a), 1, 1);
    x86_byte(x, n);
}
static inline void v_load(x86 *x, int d, x86_rm from) { v_op(x, V_LOAD, d, 0, from); }
static inline void v_store(x86 *x, x86_rm to, int s) { v_op(x, V_STORE, s, 0, to); }
static inline void v_zero_upper(x86 *x) { x86_byte(x, 0xc5), x86_byte(x, 0xf8), x86_byte(x, 0x77); }
/* d = mask's sign ? yes : no */
static inline void v_blendv(x86 *x, int d, int no, x86_rm yes, int mask) { v_op_imm(x, V_BLENDV, d, no, yes, (unsigned)mask << 4); }

/* --- words ------------------------------------------------------------------------------------------ */

static inline void x86_rex(x86 *x, bool wide, int reg, x86_rm rm) {
    unsigned rex = (wide ? 8u : 0) | (reg > 7 ? 4u : 0) | (x86_high(rm) ? 1u : 0);
    if (rex) x86_byte(x, 0x40 | rex);
}
/* op with a register and a place: 0x8b mov from, 0x89 mov to, 0x03 add, 0x01 add to, 0x23 and, 0x33 xor, 0x3b compare, 0x85 test */
static inline void g_op(x86 *x, unsigned op, bool wide, int reg, x86_rm rm) {
    x86_rex(x, wide, reg, rm);
    x86_byte(x, op);
    x86_modrm(x, reg, rm, 0);
}
/* extension: 0 add, 1 or, 4 and, 5 sub, 6 xor, 7 compare */
static inline void g_imm(x86 *x, unsigned extension, bool wide, x86_rm rm, int32_t imm) {
    x86_rex(x, wide, 0, rm);
    x86_byte(x, 0x81);
    x86_modrm(x, (int)extension, rm, 4);
    x86_word(x, (uint32_t)imm);
}
static inline void g_shift(x86 *x, unsigned extension, int reg, unsigned n) { /* 4 left, 5 right */
    x86_rex(x, false, 0, x86_reg(reg));
    x86_byte(x, 0xc1);
    x86_modrm(x, (int)extension, x86_reg(reg), 0);
    x86_byte(x, n);
}
static inline void g_load_byte(x86 *x, int reg, x86_rm rm) { /* movzx */
    x86_rex(x, false, reg, rm);
    x86_byte(x, 0x0f), x86_byte(x, 0xb6);
    x86_modrm(x, reg, rm, 0);
}
static inline void g_popcount(x86 *x, int reg, int from) {
    x86_byte(x, 0xf3);
    x86_rex(x, false, reg, x86_reg(from));
    x86_byte(x, 0x0f), x86_byte(x, 0xb8);
    x86_modrm(x, reg, x86_reg(from), 0);
}
static inline void g_mov_imm(x86 *x, int reg, uint32_t imm) {
    x86_rex(x, false, 0, x86_reg(reg));
    x86_byte(x, 0xb8u | (unsigned)(reg & 7));
    x86_word(x, imm);
}
static inline void g_mov_imm64(x86 *x, int reg, uint64_t imm) {
    x86_byte(x, 0x48u | (reg > 7 ? 1u : 0));
    x86_byte(x, 0xb8u | (unsigned)(reg & 7));
    x86_quad(x, imm);
}
static inline void g_push(x86 *x, int reg) {
    if (reg > 7) x86_byte(x, 0x41);
    x86_byte(x, 0x50u | (unsigned)(reg & 7));
}
static inline void g_pop(x86 *x, int reg) {
    if (reg > 7) x86_byte(x, 0x41);
    x86_byte(x, 0x58u | (unsigned)(reg & 7));
}
static inline void g_call(x86 *x, int reg) { /* of the lower eight */
    x86_byte(x, 0xff), x86_byte(x, 0xd0u | (unsigned)reg);
}
static inline void g_jump_to(x86 *x, int reg) {
    x86_byte(x, 0xff), x86_byte(x, 0xe0u | (unsigned)reg);
}
static inline void g_jump_through(x86 *x, x86_rm rm) { /* jmp [rm] */
    x86_rex(x, false, 0, rm);
    x86_byte(x, 0xff);
    x86_modrm(x, 4, rm, 0);
}
/* Jumps within the code: condition 4 equal, 5 not equal, 12 less; -1 always. Forward ones are filled by x86_land. */
static inline uint8_t *x86_jump(x86 *x, int condition) {
    if (condition < 0) x86_byte(x, 0xe9);
    else x86_byte(x, 0x0f), x86_byte(x, 0x80u | (unsigned)condition);
    x86_word(x, 0);
    return x->at;
}
static inline void x86_land_at(const x86 *x, uint8_t *jump, const uint8_t *to) {
    int32_t distance = (int32_t)(to - jump);
    if (!x->full) memcpy(jump - 4, &distance, 4);
}
static inline void x86_land(const x86 *x, uint8_t *jump) { x86_land_at(x, jump, x->at); }

/* --- constants ------------------------------------------------------------------------------------------ */

/* The same word in all lanes; or lane l's word first << l. */
static inline x86_rm x86_constant(x86 *x, uint32_t word, bool by_lane) {
    uint32_t v[8];
    for (int l = 0; l < 8; l++) v[l] = by_lane ? word << l : word;
    uint8_t *p = x->pool_start;
    while (p < x->pool && memcmp(p, v, 32)) p += 32;
    if (p == x->pool) {
        if (p + 32 > x->start) return x->full = true, (x86_rm){.base = X86_POOL, .pool = x->pool_start};
        memcpy(p, v, 32);
        x->pool += 32;
    }
    return (x86_rm){.base = X86_POOL, .pool = p};
}

#endif
