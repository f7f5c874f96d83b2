/* What the watches are told of asynchronous barriers (ENG_EV_PHASE). For exec_*.c. */
#ifndef WG_ENGINE_PHASE_H
#define WG_ENGINE_PHASE_H

#include "engine/window.h"

/* Bit 63 of a barrier, on all architectures. */
static inline uint32_t phase_at(const eng_warp *w, uint64_t address) {
    uint32_t high;
    memcpy(&high, w->shared + address + 4, 4);
    return high >> 31;
}

static inline bool wants_phase(const eng_warp *w) { return w->worker->wants & 1u << ENG_EV_PHASE; }
static inline void put_phase(eng_warp *w, const eng_ins *i, uint32_t lanes, eng_space space, uint64_t address, unsigned what, uint32_t phase) {
    if (!lanes || !wants_phase(w)) return;
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = ENG_EV_PHASE, .address = address, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                      .mask = lanes, .more = what | phase << 8, .space = (uint8_t)space};
    eng_event_done(w);
}
/* Lanes saw the end of the phase that they waited for: one event a barrier, which begins `offset` below what they looked at. */
static inline void put_phase_seen(eng_warp *w, const eng_ins *i, uint32_t lanes, const uint64_t *A, unsigned offset, unsigned what) {
    if (!wants_phase(w)) return;
    while (lanes) {
        uint64_t address = A[__builtin_ctz(lanes)];
        uint32_t same = 0;
        ENG_LANES(l, lanes) same |= (uint32_t)(A[l] == address) << l;
        put_phase(w, i, same, ENG_SHARED, address - offset, what, phase_at(w, address - offset));
        lanes &= ~same;
    }
}

/* Those lanes go on waiting for the phase. */
static inline void note_awaited(eng_warp *w, uint32_t lanes, const uint64_t *A, unsigned offset) {
    w->awaited_at = w->executed;
    w->awaited = lanes ? (uint32_t)A[__builtin_ctz(lanes)] - offset + 1 : 0;
}

/* --- waiting on sm_80 ------------------------------------------------------------------ */

static inline bool writes_register(const sass_instr *in, unsigned reg) {
    return in->dst.kind == SASS_REG && in->dst.reg <= reg && in->dst.reg + sass_dst_regs(in) > reg;
}
static inline bool arrives_somewhere(const sass_instr *all, unsigned n) {
    for (unsigned k = 0; k < n; k++)
        if (all[k].op == SASS_ARRIVES || (all[k].op == SASS_ATOMS && all[k].sub == SASS_ATOM_ARRIVE)) return true;
    return false;
}

typedef struct phase_test {
    const sass_operand *phase; /* holds the phase that is waited for; NULL: not yet known when the barrier is loaded */
    unsigned bit;              /* which bit of it */
    unsigned ended;            /* bit (its value + 2 * that of the barrier): the phase has ended */
} phase_test;

/* Where what is in a register at `to` was at `from`: itself, or what was shifted to bit 31 since then. */
static inline bool phase_register(const sass_instr *all, unsigned from, unsigned to, const sass_operand *reg, phase_test *out) {
    const sass_operand *source = reg;
    *out = (phase_test){.bit = 31};
    for (unsigned k = to; k-- > from;) {
        const sass_instr *in = &all[k];
        if (!writes_register(in, source->reg)) continue;
        bool imad = in->op == SASS_IMAD && in->b.kind == SASS_IMM && (uint32_t)in->b.value == 0x80000000u && in->c.kind == SASS_REG && in->c.reg == SASS_RZ;
        bool shf = in->op == SASS_SHF && !(in->flags & SASS_RIGHT) && in->b.kind == SASS_IMM && in->b.value == 31;
        if (out->bit == 0 || (!imad && !shf) || in->a.kind != SASS_REG || in->guard.reg != SASS_PT) return false;
        source = &in->a;
        out->bit = 0;
    }
    out->phase = source;
    return true;
}

/* sm_80 has no instruction that waits: the barrier's high word is loaded, and a LOP3 compares bit 31 with that of the phase. Is a load,
 * in a function that arrives at asynchronous barriers, one of these? */
static inline bool tests_phase(eng_plan *plan, const sass_instr *load, unsigned id, phase_test *out) {
    unsigned n, reg = load->dst.reg;
    const sass_instr *all = eng_plan_instrs(plan, &n);
    if (load->sm >= 90 || load->width != 4 || load->dst.kind != SASS_REG || reg == SASS_RZ) return false;
    for (unsigned k = id + 1; k < n && k < id + 16; k++) {
        const sass_instr *t = &all[k];
        const sass_operand *source[3] = {&t->a, &t->b, &t->c};
        unsigned word = 3, sign = 3;
        if (t->op != SASS_NOP && t->op != SASS_BSSY && t->op != SASS_YIELD && !goes_straight_on(sass_class_of((sass_op)t->op))) return false;
        for (unsigned o = 0; o < 3 && t->op == SASS_LOP3 && t->dst.reg == SASS_RZ && t->pdst[0].reg != SASS_PT; o++) {
            if (source[o]->kind == SASS_REG && source[o]->reg == reg) word = o;
            if (source[o]->kind == SASS_IMM && (uint32_t)source[o]->value == 0x80000000u) sign = o;
        }
        if (word == 3 || sign == 3) {
            if (writes_register(t, reg)) return false;
            continue;
        }
        unsigned phase = 3 - word - sign, ended = 0;
        if (source[phase]->kind != SASS_REG || !phase_register(all, id, k, source[phase], out)) out->phase = NULL;
        for (unsigned bits = 0; bits < 4; bits++) {
            unsigned at = 4u >> sign | (bits & 1 ? 4u >> phase : 0) | (bits & 2 ? 4u >> word : 0);
            ended |= (unsigned)(t->lut >> at & 1) << bits;
        }
        out->ended = ended == 9 ? 6 : ended; /* 9, equal: it has not ended */
        return arrives_somewhere(all, n);
    }
    return false;
}

#endif
