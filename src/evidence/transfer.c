/* What an instruction does to a state. Integer operations become expressions; results of everything else are leaves. */
#include <string.h>

#include "evidence/flow.h"

/* --- reading ---------------------------------------------------------------------------------------- */

typedef struct at {
    ev_flow *flow;
    ev_graph *g;
    const sass_instr *in;
    ev_fact *fact;
    ev_state *state;
    uint32_t index;
} at;

static void note_source(at *t, unsigned slot) {
    for (unsigned k = 0; k < 5; k++) {
        if (t->fact->sources[k] == t->state->def[slot]) return;
        if (t->fact->sources[k]) continue;
        t->fact->sources[k] = t->state->def[slot];
        return;
    }
}
static ev_id slot_value(at *t, unsigned slot) {
    note_source(t, slot);
    return t->state->value[slot];
}
static ev_id reg(at *t, unsigned r) { return r >= SASS_RZ ? 0 : slot_value(t, EV_R + r); }
static ev_id ureg(at *t, unsigned r) { return r >= SASS_URZ ? 0 : slot_value(t, EV_UR + r); }
static ev_id pred(at *t, const sass_pred *p) {
    const ev_id v = p->reg == SASS_PT ? ev_const(t->g, 1) : t->state->value[(p->uniform ? EV_UP : EV_P) + p->reg];
    return p->inv ? ev_flip(t->g, v) : v;
}
static ev_id carry_in(at *t, unsigned k) {
    return (t->in->flags & SASS_X) && t->in->psrc[k].present ? pred(t, &t->in->psrc[k]) : 0;
}

/* Names of c[0x0] before the parameters; sm_100 moved them. */
static bool driver_constant(const ev_flow *flow, uint32_t offset, ev_leaf *leaf, uint32_t *dim) {
    const bool late = flow->module->sm >= 100;
    const uint32_t ntid = late ? 0x360 : 0, nctaid = late ? 0x370 : 12, stack = late ? 0x37c : 0x28;
    *dim = 0;
    if (offset == stack) return *leaf = EV_STACK, true;
    if (offset >= ntid && offset < ntid + 12) return *leaf = EV_NTID, *dim = (offset - ntid) / 4, true;
    if (offset >= nctaid && offset < nctaid + 12) return *leaf = EV_NCTAID, *dim = (offset - nctaid) / 4, true;
    return false;
}
static ev_id constant(at *t, unsigned bank, uint32_t offset, unsigned bytes, bool sign) {
    const img_function *f = t->flow->function;
    ev_leaf leaf;
    uint32_t dim;
    if (bank == 0 && offset >= f->param_base && offset - f->param_base + bytes <= f->param_bytes)
        return ev_leaf_of(t->g, EV_PARAM, offset - f->param_base, bytes | (uint32_t)sign << 8);
    if (bank == 0 && bytes == 4 && driver_constant(t->flow, offset, &leaf, &dim)) return ev_leaf_of(t->g, leaf, dim, 0);
    if (bank == 2 && f->const2 && bytes == 4 && (uint64_t)offset + 4 <= f->const2_size && t->flow->module->n_relocs == 0) {
        uint32_t v;
        memcpy(&v, f->const2 + offset, 4);
        return ev_const(t->g, v);
    }
    return ev_leaf_of(t->g, EV_CBANK, offset, bank | bytes << 8 | (uint32_t)sign << 16);
}

/* Word k of a source, without its sign. */
static ev_id raw(at *t, const sass_operand *o, unsigned k) {
    switch (o->kind) {
    case SASS_REG: return o->reg == SASS_RZ ? 0 : reg(t, o->reg + k);
    case SASS_UREG: return o->reg == SASS_URZ ? 0 : ureg(t, o->reg + k);
    case SASS_IMM:
        if (t->flow->reloc_at[t->index]) return ev_leaf_of(t->g, EV_CBANK, t->in->offset, 0xff);
        return ev_const(t->g, k ? (uint32_t)((uint64_t)o->value >> 32) : (uint32_t)o->value);
    case SASS_CONST:
        if (o->index == SASS_RZ) return constant(t, o->bank, (uint32_t)o->value + 4 * k, 4, false);
        break;
    case SASS_NONE: return 0;
    default: break;
    }
    return ev_leaf_of(t->g, EV_VALUE, t->index, EV_WORD_OPERAND + k);
}
static ev_id source(at *t, const sass_operand *o) {
    const ev_id v = raw(t, o, 0);
    return o->neg ? ev_scale(t->g, v, UINT32_MAX) : o->inv ? ev_not(t->g, v) : v;
}
/* For sums whose carry matters: -x as ~x and one more. */
static ev_id addend(at *t, const sass_operand *o, uint32_t *ones) {
    const ev_id v = raw(t, o, 0);
    if (o->neg) ++*ones;
    return o->neg || o->inv ? ev_not(t->g, v) : v;
}

/* --- writing ------------------------------------------------------------------------------------------- */

static void write_slot(at *t, unsigned slot, ev_id v) {
    ev_id old = t->state->value[slot], guard = t->fact->guard;
    uint32_t always;
    if (ev_is_const(t->g, guard, &always)) v = always ? v : old;
    else if (!ev_is_leaf(t->g, old, EV_UNDEF)) v = ev_make(t->g, EV_SELECT, 0, guard, v, old, 0);
    t->state->value[slot] = v;
    t->state->def[slot] = t->index + 1;
}
static void put(at *t, unsigned word, ev_id v) {
    const sass_operand *d = &t->in->dst;
    if (word == 0) t->fact->value = v;
    if (d->kind == SASS_REG && d->reg != SASS_RZ && d->reg + word < SASS_RZ) write_slot(t, EV_R + d->reg + word, v);
    if (d->kind == SASS_UREG && d->reg != SASS_URZ && d->reg + word < SASS_URZ) write_slot(t, EV_UR + d->reg + word, v);
}
static void put_pred(at *t, unsigned k, ev_id v) {
    const sass_pred *p = &t->in->pdst[k];
    if (p->present && p->reg != SASS_PT) write_slot(t, (p->uniform ? EV_UP : EV_P) + p->reg, v);
}
static ev_id unknown(at *t, unsigned word) { return ev_leaf_of(t->g, EV_VALUE, t->index, word); }

static void depend(at *t, ev_id v) {
    if (v && wg_vec_push(&t->flow->deps, v)) t->fact->n_deps++;
}
static void depend_operand(at *t, const sass_operand *o) {
    unsigned words = sass_src_regs(t->in, o);
    if (!words && o->kind != SASS_CONST) return;
    for (unsigned k = 0; k < (words ? words : 1); k++) depend(t, raw(t, o, k));
}
/* A result that is not followed: what it depends on decides whether it differs between lanes. */
static void leaf_results(at *t, ev_leaf leaf) {
    unsigned words = sass_dst_regs(t->in);
    if (t->in->op == SASS_IADD_64 || t->in->op == SASS_MOV_64 || t->in->op == SASS_UMOV_64 || t->in->op == SASS_SEL_64 ||
        t->in->op == SASS_USEL_64)
        words = 2;
    for (unsigned k = 0; k < words || k == 0; k++) put(t, k, ev_leaf_of(t->g, leaf, t->index, k));
    for (unsigned k = 0; k < 2; k++) put_pred(t, k, unknown(t, EV_WORD_PRED + k));
}

/* --- families -------------------------------------------------------------------------------------------- */

static void do_special(at *t) {
    const uint32_t sr = (uint32_t)t->in->a.value;
    ev_id v;
    if (sr >= 0x21 && sr <= 0x23) v = ev_leaf_of(t->g, EV_TID, sr - 0x21, 0);
    else if (sr >= 0x25 && sr <= 0x27) v = ev_leaf_of(t->g, EV_CTAID, sr - 0x25, 0);
    else if (sr == 0) v = ev_leaf_of(t->g, EV_LANE, 0, 0);
    else if (sr == 0xff || (sr == 0x88 && !t->flow->function->cluster[0])) v = 0; /* zero; block of a cluster of one */
    else v = ev_leaf_of(t->g, EV_SPECIAL, sr, 0);
    put(t, 0, v);
    if (t->in->op == SASS_CS2R && t->in->shape) put(t, 1, sr == 0xff ? 0 : unknown(t, 1));
}

static void do_iadd3(at *t) {
    uint32_t ones = 0;
    const sass_instr *in = t->in;
    const ev_id a = addend(t, &in->a, &ones), b = addend(t, &in->b, &ones), c = addend(t, &in->c, &ones);
    const ev_id in0 = carry_in(t, 0), in1 = carry_in(t, 1);
    const ev_id sum = ev_add(t->g, ev_add(t->g, ev_add(t->g, a, b), ev_add(t->g, c, ev_const(t->g, ones))), ev_add(t->g, in0, in1));
    put(t, 0, sum);
    put_pred(t, 0, in1 ? unknown(t, EV_WORD_PRED) : ev_make(t->g, EV_CARRY, ones, a, b, c, in0));
    put_pred(t, 1, unknown(t, EV_WORD_PRED + 1));
}
static void do_add64(at *t) {
    const sass_instr *in = t->in;
    ev_id low = 0, high = 0;
    const sass_operand *const of[3] = {&in->a, &in->b, &in->c};
    for (unsigned k = 0; k < 3; k++) {
        if (of[k]->kind == SASS_NONE) continue;
        const bool wide = of[k]->kind == SASS_REG || of[k]->kind == SASS_UREG;
        const uint32_t ones = of[k]->neg;
        ev_id l = raw(t, of[k], 0), h = wide ? raw(t, of[k], 1) : of[k]->kind == SASS_CONST ? raw(t, of[k], 1) : 0;
        if (of[k]->neg) l = ev_not(t->g, l), h = ev_not(t->g, h);
        const ev_id carry = ev_make(t->g, EV_CARRY, ones, low, l, 0, 0);
        low = ev_add(t->g, ev_add(t->g, low, l), ev_const(t->g, ones));
        high = ev_add(t->g, ev_add(t->g, high, h), carry);
    }
    put(t, 0, low);
    put(t, 1, high);
    for (unsigned k = 0; k < 2; k++) put_pred(t, k, unknown(t, EV_WORD_PRED + k));
}
static void do_lea(at *t) {
    const sass_instr *in = t->in;
    const ev_id a = source(t, &in->a), c = in->flags & SASS_SX32 ? ev_make(t->g, EV_SAR, 0, a, ev_const(t->g, 31), 0, 0) : source(t, &in->c);
    uint32_t ones = 0;
    const ev_id b = addend(t, &in->b, &ones), carry = carry_in(t, 0);
    ev_id shifted;
    if (in->flags & SASS_HI) shifted = ev_make(t->g, EV_FUNNEL, 0, a, ev_const(t->g, 32u - in->shift), c, 0);
    else shifted = ev_scale(t->g, a, in->shift > 31 ? 0 : 1u << in->shift);
    put(t, 0, ev_add(t->g, ev_add(t->g, shifted, b), ev_add(t->g, carry, ev_const(t->g, ones))));
    put_pred(t, 0, ev_make(t->g, EV_CARRY, ones, shifted, b, 0, carry));
}
static ev_id truth(at *t, ev_id v) { return ev_flip(t->g, ev_make(t->g, EV_EQUAL, 0, v, 0, 0, 0)); }
static ev_id join(at *t, unsigned bop, ev_id a, ev_id b) {
    static const uint8_t tables[] = {[SASS_AND] = 0xc0, [SASS_OR] = 0xfc, [SASS_XOR] = 0x3c};
    return ev_and(t->g, ev_make(t->g, EV_LUT, tables[bop % 3], a, b, 0, 0), ev_const(t->g, 1));
}
static void do_lop3(at *t) {
    const sass_instr *in = t->in;
    const ev_id a = raw(t, &in->a, 0), b = raw(t, &in->b, 0), c = raw(t, &in->c, 0);
    const ev_id v = ev_make(t->g, EV_LUT, in->lut, a, b, c, 0);
    const ev_id p = in->psrc[0].present ? pred(t, &in->psrc[0]) : 0;
    put(t, 0, v);
    put_pred(t, 0, join(t, in->flags & SASS_PAND ? SASS_AND : SASS_OR, truth(t, v), p));
}
static ev_id min_max(at *t, ev_id p, bool is_signed, ev_id a, ev_id b) {
    const ev_id low = ev_make(t->g, is_signed ? EV_SMIN : EV_UMIN, 0, a, b, 0, 0);
    const ev_id high = ev_make(t->g, is_signed ? EV_SMAX : EV_UMAX, 0, a, b, 0, 0);
    return ev_make(t->g, EV_SELECT, 0, p, low, high, 0);
}
static void do_minmax(at *t) {
    const sass_instr *in = t->in;
    const ev_id p = pred(t, &in->psrc[0]);
    const bool s = in->flags & SASS_SIGNED;
    if (in->op == SASS_VIADDMNMX) {
        put(t, 0, min_max(t, p, s, ev_add(t->g, source(t, &in->a), source(t, &in->b)), source(t, &in->c)));
        return;
    }
    ev_id v = min_max(t, p, s, raw(t, &in->a, 0), raw(t, &in->b, 0));
    if (in->op == SASS_VIMNMX3) v = min_max(t, p, s, v, raw(t, &in->c, 0));
    put(t, 0, v);
    for (unsigned k = 0; k < 2; k++) put_pred(t, k, unknown(t, EV_WORD_PRED + k));
}
/* The pair (c:a) shifted by b. Counts of 32 and more only matter where they are constants, or for 64-bit types. */
static void do_shf(at *t) {
    const sass_instr *in = t->in;
    ev_graph *g = t->g;
    const bool right = in->flags & SASS_RIGHT, hi = in->flags & SASS_HI, wide = in->type == SASS_S64 || in->type == SASS_U64;
    const bool is_signed = in->type == SASS_S32 || in->type == SASS_S64;
    const ev_id a = raw(t, &in->a, 0), c = raw(t, &in->c, 0);
    ev_id b = raw(t, &in->b, 0);
    uint32_t n;
    const bool known = ev_is_const(g, b, &n);
    if (in->flags & SASS_WRAP) b = ev_and(g, b, ev_const(g, wide ? 63 : 31));
    else if (known && n > (wide ? 63u : 32u)) b = ev_const(g, n = wide ? 63 : 32);
    if (right && hi) put(t, 0, ev_make(g, is_signed ? EV_SAR : EV_SHR, 0, c, b, 0, 0));
    else if (!right && !hi) put(t, 0, ev_make(g, EV_SHL, 0, a, b, 0, 0));
    else if (right && (known || wide)) put(t, 0, ev_make(g, EV_FUNNEL, is_signed, a, b, c, 0));
    else if (!right && ev_is_const(g, b, &n) && n <= 32) put(t, 0, ev_make(g, EV_FUNNEL, 0, a, ev_const(g, 32 - n), c, 0));
    else put(t, 0, unknown(t, 0));
}
static void do_imad(at *t) {
    const sass_instr *in = t->in;
    const ev_id p = ev_mul(t->g, source(t, &in->a), source(t, &in->b));
    put(t, 0, ev_add(t->g, ev_add(t->g, p, source(t, &in->c)), carry_in(t, 0)));
    put_pred(t, 0, unknown(t, EV_WORD_PRED));
}
/* IMAD.WIDE and IMAD.HI: a product of 64 bits on top of a pair. */
static void do_wide(at *t, bool only_high) {
    const sass_instr *in = t->in;
    const bool wide_c = in->c.kind == SASS_REG || in->c.kind == SASS_UREG || in->c.kind == SASS_CONST;
    const ev_id a = raw(t, &in->a, 0), b = raw(t, &in->b, 0), c = raw(t, &in->c, 0), d = wide_c ? raw(t, &in->c, 1) : 0;
    const bool plain = !in->a.neg && !in->b.neg && !in->c.neg && !in->c.inv && !(in->flags & SASS_X);
    const uint32_t s = (in->flags & SASS_SIGNED) != 0;
    const ev_id high = plain ? ev_make(t->g, EV_MULHI, s, a, b, c, d) : unknown(t, 1);
    if (only_high) put(t, 0, high);
    else {
        const ev_id low = ev_add(t->g, ev_mul(t->g, source(t, &in->a), source(t, &in->b)), source(t, &in->c));
        put(t, 0, ev_add(t->g, low, carry_in(t, 0)));
        put(t, 1, high);
    }
    put_pred(t, 0, plain ? ev_make(t->g, EV_CARRY_WIDE, s, a, b, c, d) : unknown(t, EV_WORD_PRED));
}
static void do_isetp(at *t) {
    const sass_instr *in = t->in;
    ev_graph *g = t->g;
    const ev_op less = in->flags & SASS_SIGNED ? EV_LESS : EV_BELOW;
    const ev_id a = raw(t, &in->a, 0), b = raw(t, &in->b, 0), one = ev_const(g, 1);
    const ev_id equal = ev_make(g, EV_EQUAL, 0, a, b, 0, 0);
    ev_id r;
    if (in->flags & SASS_EX) { /* the high words decide, or where they are equal the low ones did */
        const ev_id low = pred(t, &in->psrc[1]), tie = join(t, SASS_AND, equal, low);
        switch (in->cmp) {
        case SASS_LT: case SASS_LE: r = join(t, SASS_OR, ev_make(g, less, 0, a, b, 0, 0), tie); break;
        case SASS_GT: case SASS_GE: r = join(t, SASS_OR, ev_make(g, less, 0, b, a, 0, 0), tie); break;
        case SASS_EQ: r = tie; break;
        case SASS_NE: r = join(t, SASS_OR, ev_flip(g, equal), low); break;
        default: r = in->cmp == SASS_T ? one : 0;
        }
    } else {
        switch (in->cmp) {
        case SASS_LT: r = ev_make(g, less, 0, a, b, 0, 0); break;
        case SASS_GE: r = ev_flip(g, ev_make(g, less, 0, a, b, 0, 0)); break;
        case SASS_GT: r = ev_make(g, less, 0, b, a, 0, 0); break;
        case SASS_LE: r = ev_flip(g, ev_make(g, less, 0, b, a, 0, 0)); break;
        case SASS_EQ: r = equal; break;
        case SASS_NE: r = ev_flip(g, equal); break;
        default: r = in->cmp == SASS_T ? one : 0;
        }
    }
    const ev_id p = pred(t, &in->psrc[0]);
    const ev_id other = join(t, in->bop, ev_flip(g, r), p);
    put_pred(t, 0, join(t, in->bop, r, p));
    put_pred(t, 1, other);
}
static void do_plop3(at *t) {
    const sass_instr *in = t->in;
    ev_id p[3], v[2];
    for (unsigned k = 0; k < 3; k++) p[k] = pred(t, &in->psrc[k]);
    for (unsigned k = 0; k < 2; k++)
        v[k] = ev_and(t->g, ev_make(t->g, EV_LUT, k ? in->lut2 : in->lut, p[0], p[1], p[2], 0), ev_const(t->g, 1));
    for (unsigned k = 0; k < 2; k++) put_pred(t, k, v[k]);
}
static void do_r2p(at *t) {
    const sass_instr *in = t->in;
    const ev_id a = raw(t, &in->a, 0);
    for (unsigned k = 0; k < 7; k++) {
        if (in->b.kind == SASS_IMM && !(in->b.value >> k & 1)) continue;
        const ev_id bit = ev_make(t->g, EV_SHR, 0, a, ev_const(t->g, 8u * in->byte + k), 0, 0);
        write_slot(t, EV_P + k, in->b.kind == SASS_IMM ? ev_and(t->g, bit, ev_const(t->g, 1)) : unknown(t, EV_WORD_PRED + 8 + k));
    }
}
static void do_load_constant(at *t) {
    const sass_operand *o = &t->in->a;
    const unsigned words = t->in->width > 4 ? t->in->width / 4 : 1, bytes = t->in->width < 4 ? t->in->width : 4;
    if (o->kind == SASS_CONST && o->index == SASS_RZ) {
        const bool sign = t->in->type == SASS_S8 || t->in->type == SASS_S16;
        for (unsigned k = 0; k < words; k++) put(t, k, constant(t, o->bank, (uint32_t)o->value + 4 * k, bytes, sign));
        return;
    }
    if (o->kind == SASS_CONST) depend(t, o->index_uniform ? ureg(t, o->index) : reg(t, o->index));
    leaf_results(t, EV_LOAD);
}

static bool half_constant(const sass_instr *in) { /* -0 * 0 + immediate: how a register gets a constant on the half unit */
    const bool zero = in->a.kind == SASS_REG && in->a.reg == SASS_RZ && in->b.kind == SASS_REG && in->b.reg == SASS_RZ;
    return zero && in->c.kind == SASS_IMM && !(in->flags & (SASS_FTZ | SASS_SAT | SASS_RELU));
}

/* True when the instruction is followed exactly. */
static bool do_integer(at *t) {
    const sass_instr *in = t->in;
    ev_graph *g = t->g;
    switch ((sass_op)in->op) {
    case SASS_MOV:
    case SASS_UMOV:
        if (in->op == SASS_MOV && ((in->byte & 15) != 15 || in->shape)) return false;
        put(t, 0, raw(t, &in->a, 0));
        return true;
    case SASS_MOV_64:
    case SASS_UMOV_64: put(t, 0, raw(t, &in->a, 0)), put(t, 1, raw(t, &in->a, 1)); return true;
    case SASS_S2R: case SASS_S2UR: case SASS_CS2R: do_special(t); return true;
    case SASS_R2UR:
    case SASS_R2UR_90: put(t, 0, ev_make(g, EV_FIRST, 0, raw(t, &in->a, 0), 0, 0, 0)); return true;
    case SASS_LDC: case SASS_ULDC: case SASS_ULDC_R: case SASS_LDCU: do_load_constant(t); return true;
    case SASS_IADD3: case SASS_UIADD3: do_iadd3(t); return true;
    case SASS_UIADD3_64: case SASS_IADD_64:
        if (in->op == SASS_IADD_64 && in->psrc[0].present && !(in->psrc[0].reg == SASS_PT)) return false;
        do_add64(t);
        return true;
    case SASS_VIADD:
        if (in->shape) return false;
        put(t, 0, ev_add(g, source(t, &in->a), source(t, &in->b)));
        return true;
    case SASS_LEA: case SASS_ULEA: do_lea(t); return true;
    case SASS_LOP3: case SASS_ULOP3: do_lop3(t); return true;
    case SASS_IABS: put(t, 0, ev_make(g, EV_ABS, 0, raw(t, &in->a, 0), 0, 0, 0)); return true;
    case SASS_IMNMX: case SASS_VIMNMX: case SASS_VIMNMX3: case SASS_VIADDMNMX:
        if (in->shape || (in->flags & SASS_RELU) || (in->op == SASS_VIADDMNMX && (in->a.neg || in->b.neg))) return false;
        do_minmax(t);
        return true;
    case SASS_SHF: case SASS_USHF: do_shf(t); return true;
    case SASS_SGXT: case SASS_USGXT: {
        const ev_id b = raw(t, &in->b, 0);
        put(t, 0, ev_make(g, EV_BFE, (in->flags & SASS_SIGNED) != 0, raw(t, &in->a, 0),
                          in->flags & SASS_WRAP ? ev_and(g, b, ev_const(g, 31)) : b, 0, 0));
        return true;
    }
    case SASS_BMSK: case SASS_UBMSK: {
        if (in->flags & SASS_WRAP) return false;
        put(t, 0, ev_make(g, EV_BMSK, 0, raw(t, &in->a, 0), raw(t, &in->b, 0), 0, 0));
        return true;
    }
    case SASS_POPC: case SASS_UPOPC: put(t, 0, ev_make(g, EV_POPC, 0, source(t, &in->a), 0, 0, 0)); return true;
    case SASS_FLO: case SASS_UFLO:
        put(t, 0, ev_make(g, EV_FLO, (in->flags & SASS_SIGNED ? 1u : 0) | (in->flags & SASS_SH ? 2u : 0), source(t, &in->a), 0, 0, 0));
        return true;
    case SASS_BREV: case SASS_UBREV: put(t, 0, ev_make(g, EV_BREV, 0, raw(t, &in->a, 0), 0, 0, 0)); return true;
    case SASS_PRMT: case SASS_UPRMT:
        put(t, 0, ev_make(g, EV_PRMT, in->sub, raw(t, &in->a, 0), raw(t, &in->b, 0), raw(t, &in->c, 0), 0));
        return true;
    case SASS_SEL: case SASS_USEL:
        put(t, 0, ev_make(g, EV_SELECT, 0, pred(t, &in->psrc[0]), raw(t, &in->a, 0), raw(t, &in->b, 0), 0));
        return true;
    case SASS_IMAD: case SASS_UIMAD: do_imad(t); return true;
    case SASS_IMAD_WIDE: case SASS_UIMAD_WIDE: do_wide(t, false); return true;
    case SASS_IMAD_HI: case SASS_UIMAD_HI: do_wide(t, true); return true;
    case SASS_ISETP: case SASS_UISETP:
        if (in->shape) return false;
        do_isetp(t);
        return true;
    case SASS_PLOP3: case SASS_UPLOP3: do_plop3(t); return true;
    case SASS_R2P: do_r2p(t); return true;
    case SASS_HFMA2: case SASS_HFMA2_MMA:
        if (!half_constant(in)) return false;
        put(t, 0, raw(t, &in->c, 0));
        return true;
    default: return false;
    }
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

static ev_id address_of(at *t, const sass_address *m) {
    ev_id a = ev_scale(t->g, reg(t, m->base), m->scale ? m->scale : 1);
    a = ev_add(t->g, a, ureg(t, m->uniform));
    return ev_add(t->g, a, ev_const(t->g, (uint32_t)m->offset));
}
static bool is_load(sass_class c) {
    return c == SASS_CLASS_GLOBAL_LD || c == SASS_CLASS_GENERIC_LD || c == SASS_CLASS_SHARED_LD || c == SASS_CLASS_LOCAL_LD;
}
static bool mixes_lanes(const sass_instr *in) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_GLOBAL_ATOM: case SASS_CLASS_SHARED_ATOM: case SASS_CLASS_TENSOR: case SASS_CLASS_TEXTURE:
    case SASS_CLASS_SURFACE: return true;
    case SASS_CLASS_LOCAL_LD: return true; /* each lane has its own */
    default: return in->op == SASS_LDSM || in->op == SASS_SHFL || in->op == SASS_MATCH;
    }
}

static void transfer(ev_flow *flow, uint32_t index, ev_state *state) {
    const sass_instr *in = &flow->code[index];
    at t = {.flow = flow, .g = &flow->g, .in = in, .fact = &flow->facts[index], .state = state, .index = index};
    *t.fact = (ev_fact){.reached = true, .deps = (uint32_t)flow->deps.count, .mixes = mixes_lanes(in)};
    t.fact->guard = in->guard.present ? pred(&t, &in->guard) : ev_const(t.g, 1);
    t.fact->branch = t.fact->guard;
    if (in->op == SASS_BRA || in->op == SASS_EXIT)
        for (unsigned k = 0; k < 2; k++)
            if (in->psrc[k].present) t.fact->branch = join(&t, SASS_AND, t.fact->branch, pred(&t, &in->psrc[k]));
    if (in->mem.present) t.fact->address = address_of(&t, &in->mem);
    if (in->mem2.present) t.fact->address2 = address_of(&t, &in->mem2);
    const bool has_result = in->dst.kind == SASS_REG || in->dst.kind == SASS_UREG || in->pdst[0].present;
    if ((!has_result && in->op != SASS_R2P) || do_integer(&t)) return;
    if (is_load(sass_class_of((sass_op)in->op))) {
        depend(&t, t.fact->address);
        leaf_results(&t, EV_LOAD);
        return;
    }
    depend_operand(&t, &in->a);
    depend_operand(&t, &in->b);
    depend_operand(&t, &in->c);
    for (unsigned k = 0; k < 3; k++)
        if (in->psrc[k].present) depend(&t, pred(&t, &in->psrc[k]));
    leaf_results(&t, EV_VALUE);
}

void ev_transfer_block(ev_flow *flow, uint32_t block, ev_state *state) {
    for (uint32_t k = flow->cfg->blocks[block].first; k <= flow->cfg->blocks[block].last; k++) transfer(flow, k, state);
}
