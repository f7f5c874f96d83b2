/* Control: branches, calls, convergence barriers, block barriers, ends; and the planner's own instructions. */
#include <stdio.h>
#include <string.h>

#include "engine/lanes.h"
#include "engine/lift.h"
#include "engine/plan.h"
#include "engine/undefined.h"
#include "engine/warp.h"

/* --- counting pseudo-instructions (plan.h) ------------------------------------------------------- */

ENG_INLINE void count_one(const eng_ins *i, eng_warp *w, uint32_t mask) {
    uint64_t *c = w->counts + i->x;
    c[ENG_COUNT_WARPS]++;
    c[ENG_COUNT_LANES] += (uint32_t)__builtin_popcount(mask);
    w->executed += i->y;
    w->budget -= i->imm;
}
ENG_HANDLER(count_block) {
    count_one(i, w, mask);
    ENG_NEXT;
}
ENG_HANDLER(count_spin) {
    count_one(i, w, mask);
    w->spinning = true;
    ENG_NEXT;
}
ENG_HANDLER(count_guard) {
    w->counts[i->x] += (uint32_t)__builtin_popcount(mask & (w->P[i->guard] ^ i->ginv));
    ENG_NEXT;
}
ENG_HANDLER(trace) {
    eng_trace_step(w, i);
    ENG_NEXT;
}
ENG_HANDLER(stop) {
    (void)i, (void)w, (void)R, (void)mask;
    eng_leave_vectors();
    return NULL;
}
#define PSEUDO(name)                                                                                              \
    static bool bind_##name(eng_plan *plan, const sass_instr *in, eng_ins *out) {                                 \
        (void)plan, (void)in;                                                                                     \
        out->fn = name;                                                                                           \
        return true;                                                                                              \
    }
/* Undefined values (undefined.h): in the slow stream. */
ENG_HANDLER(undefined_step) {
    eng_leave_vectors();
    eng_undefined_step(i, w, R, mask);
    ENG_NEXT;
}
ENG_HANDLER(undefined_after) {
    eng_leave_vectors();
    eng_undefined_after(i, w, R, mask);
    ENG_NEXT;
}
ENG_HANDLER(undefined_block) {
    eng_leave_vectors();
    const eng_ins *fast = eng_undefined_block(i, w);
    if (fast) ENG_GOTO(fast);
    ENG_NEXT;
}
PSEUDO(undefined_step)
PSEUDO(undefined_after)
PSEUDO(undefined_block)
PSEUDO(count_block)
PSEUDO(count_spin)
PSEUDO(count_guard)
PSEUDO(trace)
PSEUDO(stop)

/* --- BRA ------------------------------------------------------------------------------------------- */

static void branch_event(const eng_ins *i, eng_warp *w, uint32_t taken, uint32_t rest) {
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = ENG_EV_BRANCH, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                      .mask = taken, .more = rest};
    eng_event_done(w);
}

static void sync_event(const eng_ins *i, eng_warp *w, eng_event_kind kind, uint32_t on, uint32_t named, unsigned meets) {
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = (uint8_t)kind, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                      .mask = on, .more = named, .access = (uint8_t)meets};
    eng_event_done(w);
}

/* Lanes may name different masks: one event for each. */
static void sync_events(const eng_ins *i, eng_warp *w, uint32_t on, const uint32_t *named) {
    while (on) {
        uint32_t mask = named[__builtin_ctz(on)], same = 0;
        for (uint32_t left = on; left; left &= left - 1)
            if (named[__builtin_ctz(left)] == mask) same |= left & -left;
        sync_event(i, w, ENG_EV_SYNCWARP, same, mask, i->x);
        on &= ~same;
    }
}

/* Lanes whose guard lets them go, and that do not all go: their counter is told of the difference. */
ENG_INLINE void count_barred(const eng_ins *i, eng_warp *w, uint32_t mask, uint32_t go) {
    const uint32_t guarded = mask & (w->P[i->guard] ^ i->ginv);
    (w->counts + i->x)[ENG_COUNT_BARRED] += (uint64_t)__builtin_popcount(guarded) - (uint64_t)__builtin_popcount(go);
}

/* x: counters; z: 1 backward, 2 an event is wanted, 4 another predicate ps[0], 8 ps[1], 16 all lanes or none (.U:
 * another branch, lane by lane, stands behind it for those that disagree), 32 all lanes when any would (.ANY) */
enum { BRA_BACK = 1, BRA_EVENT = 2, BRA_PRED = 4, BRA_UPRED = 8, BRA_WHOLE = 16, BRA_ANY = 32, BRA_UNNAMED = 64 /* sm_75: no mask of the program's is here */ };
#define FINISH_BRANCH(t, flags)                                                                                   \
    do {                                                                                                          \
        uint64_t *c = w->counts + i->x;                                                                           \
        c[ENG_COUNT_ON] += (uint32_t)__builtin_popcount(t);                                                       \
        if ((flags) & BRA_EVENT) branch_event(i, w, t, mask & ~(t));                                              \
        if (!(t)) ENG_NEXT;                                                                                       \
        if (ENG_LIKELY((t) == mask)) {                                                                            \
            if ((flags) & BRA_BACK && ENG_UNLIKELY(w->budget < 0)) ENG_GOTO(eng_yield(w, i->target));             \
            ENG_GOTO(i->target);                                                                                  \
        }                                                                                                         \
        c[ENG_COUNT_DIVERGENT]++;                                                                                 \
        /* those that leave a loop first: they soon wait, or hold what the others spin for */                     \
        if ((flags) & BRA_BACK) ENG_GOTO(eng_split(w, mask & ~(t), i + 1, i->target));                            \
        /* else the smaller group, as an H200 does (docs/fidelity.md) */                                          \
        uint32_t stay = mask & ~(t);                                                                              \
        if (__builtin_popcount(t) >= __builtin_popcount(stay)) ENG_GOTO(eng_split(w, stay, i + 1, i->target));     \
        ENG_GOTO(eng_split(w, (t), i->target, i + 1));                                                            \
    } while (0)

ENG_HANDLER(bra_always) { /* forward or backward, all lanes */
    uint64_t *c = w->counts + i->x;
    c[ENG_COUNT_ON] += (uint32_t)__builtin_popcount(mask);
    if (ENG_UNLIKELY(w->budget < 0) && i->z & BRA_BACK) ENG_GOTO(eng_yield(w, i->target));
    ENG_GOTO(i->target);
}
ENG_HANDLER(bra_forward) {
    uint32_t t = mask & (w->P[i->guard] ^ i->ginv);
    FINISH_BRANCH(t, 0);
}
ENG_HANDLER(bra_backward) {
    uint32_t t = mask & (w->P[i->guard] ^ i->ginv);
    FINISH_BRANCH(t, BRA_BACK);
}
ENG_HANDLER(bra_any) {
    uint32_t t = mask & (w->P[i->guard] ^ i->ginv);
    if (i->z & BRA_PRED) t &= eng_pred(w, i->ps[0]);
    if (i->z & BRA_UPRED) t &= eng_pred(w, i->ps[1]);
    if (i->z & BRA_ANY && t) t = mask;
    count_barred(i, w, mask, t);
    if (i->z & BRA_WHOLE && t != mask) {
        (w->counts + i->x)[ENG_COUNT_ON] += (uint32_t)__builtin_popcount(t);
        t = 0;
    }
    FINISH_BRANCH(t, i->z);
}
/* .DIV: all jump when the lanes that are here, with the guard, are not just those of the mask in a. Compilers ask so whether a vote or shuffle
 * may go on: the guard is of lanes whose masks are like the first one's, a the masks of all together. .CONV (y): when they are. */
ENG_HANDLER(bra_group) {
    uint32_t want = eng_u32(R, i->a)[0] ^ (i->z & BRA_UPRED ? ENG_ALL : 0);
    uint32_t here = mask & (w->P[i->guard] ^ i->ginv);
    bool together = ((want ^ here) & ~w->exited) == 0;
    if (ENG_UNLIKELY(w->worker->wants & 1u << ENG_EV_MASK) && !(i->z & BRA_UNNAMED)) sync_event(i, w, ENG_EV_MASK, mask, want, 0);
    uint32_t t = together != (i->y != 0) ? 0 : i->y ? here : mask;
    if (!together) w->parted = i;
    count_barred(i, w, mask, t);
    FINISH_BRANCH(t, i->z);
}
static bool bind_bra(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (!in->has_target) return eng_refuse(plan, "no target");
    uint32_t place = eng_place(plan, in->target);
    eng_branch_to(plan, out, place);
    out->x = eng_branch_counter(plan);
    bool guarded = out->guard != ENG_PT || out->ginv;
    bool more = in->psrc[0].present && (in->psrc[0].reg != SASS_PT || in->psrc[0].inv);
    bool uniform = in->psrc[1].present && (in->psrc[1].reg != SASS_PT || in->psrc[1].inv);
    out->ps[0] = eng_pred_src(&in->psrc[0]);
    out->ps[1] = eng_pred_src(&in->psrc[1]);
    bool back = place <= eng_place(plan, in->offset), event = eng_plan_wants(plan) & 1u << ENG_EV_BRANCH;
    out->z = (back ? BRA_BACK : 0) | (event && (guarded || more || uniform) ? BRA_EVENT : 0);
    if (in->sub >= 2) {
        out->z |= (in->a.inv ? BRA_UPRED : 0) | (in->sm < 80 ? BRA_UNNAMED : 0);
        out->a = eng_slot_src(plan, &in->a);
        out->y = in->sub == 3;
        out->fn = bra_group;
        return true;
    }
    bool whole = in->sub == SASS_BRA_U, any = in->shape;
    out->z |= (more ? BRA_PRED : 0) | (uniform ? BRA_UPRED : 0) | (whole ? BRA_WHOLE : 0) | (any ? BRA_ANY : 0);
    if (!guarded && !more && !uniform) out->fn = bra_always;
    else if (more || uniform || event || whole || any) out->fn = bra_any;
    else out->fn = back ? bra_backward : bra_forward;
    return true;
}

/* --- calls, returns, jump tables ---------------------------------------------------------------------- */

ENG_HANDLER(call) {
    uint32_t t = mask & (w->P[i->guard] ^ i->ginv);
    FINISH_BRANCH(t, BRA_BACK); /* recursion spends patience too */
}
static bool bind_call_direct(eng_plan *plan, const sass_instr *in, eng_ins *out, uint32_t place) {
    eng_branch_to(plan, out, place);
    out->x = eng_branch_counter(plan);
    out->fn = call;
    (void)in;
    return true;
}
/* Where each lane goes: its register (pair: y), plus imm, in bytes of the module's code. */
ENG_HANDLER(jump_register) {
    uint32_t t = mask & (w->P[i->guard] ^ i->ginv);
    uint64_t *c = w->counts + i->x;
    c[ENG_COUNT_ON] += (uint32_t)__builtin_popcount(t);
    if (!t) ENG_NEXT;
    uint64_t place[32];
    const uint32_t *low = eng_u32(R, i->a), *high = eng_u32(R, i->a + ENG_SLOT);
    for (int l = 0; l < 32; l++) {
        uint64_t v = i->y ? (uint64_t)high[l] << 32 | low[l] : (uint64_t)(int64_t)(int32_t)low[l];
        place[l] = v + (uint64_t)i->imm;
    }
    ENG_GOTO(eng_scatter(w, i, place, t));
}
static bool bind_jump(eng_plan *plan, const sass_instr *in, eng_ins *out, bool wide, int64_t base) {
    out->a = wide ? eng_slot_src64(plan, &in->a) : eng_slot_src(plan, &in->a);
    out->y = wide;
    out->imm = base;
    out->x = eng_branch_counter(plan);
    out->fn = jump_register;
    return true;
}
static bool bind_call_rel(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->has_target) return bind_call_direct(plan, in, out, eng_place(plan, in->target));
    return bind_jump(plan, in, out, false, (int64_t)eng_place(plan, 0) + in->b.value);
}
/* A function of the driver, by a direct call; imm: its place. */
ENG_HANDLER(call_driver) {
    uint32_t t = mask & (w->P[i->guard] ^ i->ginv);
    uint64_t *c = w->counts + i->x, place[32];
    c[ENG_COUNT_ON] += (uint32_t)__builtin_popcount(t);
    if (!t) ENG_NEXT;
    for (int l = 0; l < 32; l++) place[l] = (uint64_t)i->imm;
    ENG_GOTO(eng_scatter(w, i, place, t));
}
static bool bind_call_abs(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->has_target && in->target >= ENG_EXTERN_BASE) {
        out->imm = (int64_t)in->target - (int64_t)ENG_CODE_BASE;
        out->x = eng_branch_counter(plan);
        out->fn = call_driver;
        return true;
    }
    if (in->has_target) return bind_call_direct(plan, in, out, (uint32_t)(in->a.value - (int64_t)ENG_CODE_BASE));
    return bind_jump(plan, in, out, true, -(int64_t)ENG_CODE_BASE);
}
/* A relative return holds an offset in the function: the label takes its own place away again. */
static bool bind_ret(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool absolute = in->flags & SASS_ABS_TARGET;
    return bind_jump(plan, in, out, absolute, absolute ? in->b.value - (int64_t)ENG_CODE_BASE
                                                       : (int64_t)eng_place(plan, 0) + in->b.value);
}
static bool bind_brx(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    return bind_jump(plan, in, out, false, (int64_t)eng_place(plan, 0) + in->b.value);
}

/* --- convergence --------------------------------------------------------------------------------------- */

ENG_HANDLER(bssy) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv) & eng_pred(w, i->ps[0]);
    ENG_EACH eng_put(eng_vu(R, i->d) + k, k, vu_set(on), on, false);
    ENG_NEXT;
}
ENG_HANDLER(bsync) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv) & eng_pred(w, i->ps[0]);
    if (!on) ENG_NEXT;
    uint32_t want = eng_u32(R, i->d)[__builtin_ctz(on)] & ~w->exited;
    if (ENG_LIKELY(on == mask && !(want & ~mask))) ENG_NEXT;
    ENG_GOTO(eng_bsync(w, i, on));
}
ENG_HANDLER(break_) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv) & eng_pred(w, i->ps[0]);
    if (on) eng_break(w, i, on);
    ENG_NEXT;
}
static bool bind_converge(eng_plan *plan, const sass_instr *in, eng_ins *out, eng_fn fn) {
    const sass_operand *b = in->dst.kind == SASS_BARRIER ? &in->dst : &in->a;
    if (b->kind != SASS_BARRIER) return false;
    out->x = b->reg;
    out->d = eng_slot_barrier(plan, b->reg);
    out->ps[0] = eng_pred_src(&in->psrc[0]);
    out->fn = fn;
    return true;
}
static bool bind_bssy(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_converge(p, in, out, bssy); }
static bool bind_bsync(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_converge(p, in, out, bsync); }
static bool bind_break(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_converge(p, in, out, break_); }

/* BMOV: each lane's barrier mask is a register like any other; y: the source is cleared. */
ENG_HANDLER(bmov) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    ENG_EACH {
        vu v = eng_vu(R, i->a)[k];
        if (i->y) eng_put(eng_vu(R, i->a) + k, k, (vu){0}, on, false);
        eng_put(eng_vu(R, i->d) + k, k, v, on, false);
    }
    ENG_NEXT;
}
ENG_HANDLER(bmov_active) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    ENG_EACH eng_put(eng_vu(R, i->d) + k, k, vu_set(mask), on, false);
    ENG_NEXT;
}
/* BMOV to MACTIVE: the whole quads of the lanes that a barrier register names, until those lanes are named again. Compiled code lets lanes help their
 * neighbours so with the level of detail of a texture. The lanes that help may be elsewhere in the code, or have ended: their registers are given
 * back to them, and they have not worked. ptr: the registers that are written until then; y: it begins */
typedef struct written {
    unsigned n;
    uint8_t registers[ENG_QUAD_REGISTERS];
} written;
static void copy_lanes(uint32_t *to, const uint32_t *from, uint32_t lanes) {
    for (unsigned l = 0; l < 32; l++)
        if (lanes >> l & 1) to[l] = from[l];
}
ENG_HANDLER(quads_begin) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    if (!on) ENG_NEXT;
    eng_worker *worker = w->worker;
    const written *r = i->ptr;
    uint32_t named = eng_u32(R, i->a)[__builtin_ctz(on)], lanes = named;
    for (unsigned q = 0; q < 32; q += 4)
        if (named >> q & 15) lanes |= 15u << q;
    worker->helpers.lanes = lanes & ~named, worker->helpers.worked = w->worked;
    for (unsigned k = 0; k < r->n; k++) copy_lanes(worker->helpers.words[k], eng_u32(R, r->registers[k] * ENG_SLOT), lanes & ~named);
    w->mask = mask = lanes;
    ENG_NEXT;
}
ENG_HANDLER(quads_end) {
    eng_worker *worker = w->worker;
    const written *r = i->ptr;
    const uint32_t helped = worker->helpers.lanes;
    if (!(mask & (w->P[i->guard] ^ i->ginv)) || !(mask & ~helped)) ENG_NEXT;
    for (unsigned k = 0; k < r->n; k++) {
        copy_lanes(eng_u32(R, r->registers[k] * ENG_SLOT), worker->helpers.words[k], helped);
        eng_undefined_clear(w, r->registers[k] * ENG_SLOT, helped);
    }
    w->worked = (w->worked & ~helped) | (worker->helpers.worked & helped);
    w->mask = mask = mask & ~helped;
    worker->helpers.lanes = 0;
    ENG_NEXT;
}
enum { SR_ACTIVE = 26 }; /* MACTIVE, among the places that BMOV names */
static bool is_to_active(const sass_instr *in, bool quads) {
    return in->op == SASS_BMOV_SET && in->dst.kind == SASS_SPECIAL && in->dst.value == SR_ACTIVE && in->a.kind == SASS_BARRIER && (in->sub != 0) == quads;
}
static bool note_written(written *r, const sass_operand *o, unsigned n) {
    for (unsigned k = 0; o->kind == SASS_REG && k < n; k++) {
        if (r->n == ENG_QUAD_REGISTERS) return false;
        r->registers[r->n++] = (uint8_t)(o->reg + k);
    }
    return true;
}
static bool may_stand_between(const sass_instr *in) { /* such as do not end a run of handlers, and write registers alone */
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_ALU: case SASS_CLASS_FP: case SASS_CLASS_SPECIAL: case SASS_CLASS_MOVE: case SASS_CLASS_TEXTURE: case SASS_CLASS_WARP: return true;
    default: return in->op == SASS_DEPBAR || in->op == SASS_NOP;
    }
}
/* Whole quads are active from one BMOV to the next one from the same register. */
static bool bind_quads(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    unsigned n;
    const bool begins = in->sub != 0;
    const sass_instr *all = eng_plan_instrs(plan, &n), *other = in;
    written *r = wg_arena_alloc(plan->arena, sizeof *r);
    if (!r) return eng_refuse(plan, "no memory");
    r->n = 0;
    do {
        other += begins ? 1 : -1;
        if (other < all || other >= all + n) return eng_refuse(plan, "a change of the active lanes");
        if (is_to_active(other, !begins) && other->a.reg == in->a.reg) break;
    } while (may_stand_between(other));
    const sass_instr *first = begins ? in : other, *last = begins ? other : in;
    if (!is_to_active(other, !begins)) return eng_refuse(plan, "a change of the active lanes");
    for (const sass_instr *k = first + 1; k < last; k++)
        if (!note_written(r, &k->dst, sass_dst_regs(k)) || !note_written(r, &k->dst2, sass_dst2_regs(k)))
            return eng_refuse(plan, "a change of the active lanes for long");
    out->a = eng_slot_barrier(plan, in->a.reg);
    out->ptr = r;
    out->fn = begins ? quads_begin : quads_end;
    return true;
}
static bool bmov_slot(eng_plan *plan, const sass_operand *op, uint32_t *slot) {
    if (op->kind == SASS_REG) *slot = eng_slot_reg(plan, op->reg);
    else if (op->kind == SASS_BARRIER) *slot = eng_slot_barrier(plan, op->reg);
    else return eng_refuse(plan, "a mask of the warp that is not simulated");
    return true;
}
static bool bind_bmov(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (is_to_active(in, in->sub != 0)) return bind_quads(plan, in, out);
    if (in->sub) return eng_refuse(plan, "whole quads of lanes");
    bool nowhere = in->dst.kind == SASS_REG && in->dst.reg == SASS_RZ, active = in->a.kind == SASS_SPECIAL && in->a.value == SR_ACTIVE;
    if (nowhere) out->d = eng_slot_dst(plan, &in->dst);
    else if (!bmov_slot(plan, &in->dst, &out->d)) return false;
    out->y = (in->flags & SASS_CLEAR) != 0;
    out->fn = bmov;
    if (active) return out->fn = bmov_active, true;
    return bmov_slot(plan, &in->a, &out->a);
}

/* An H200 takes a mask that does not name the lane itself for an illegal instruction. It is told where the code asked for the vote or shuffle:
 * the WARPSYNC may stand out of line. */
static __attribute__((noinline)) const eng_ins *unnamed(const eng_ins *i, eng_warp *w, uint32_t lanes, uint32_t named) {
    eng_finding f = {.kind = ENG_FAULT_ILLEGAL, .lanes = lanes, .fatal = true};
    snprintf(f.text, sizeof f.text, "lanes 0x%08x wait here with a mask, 0x%08x, that does not name them", lanes, named);
    eng_fault_from(w, i, &f, w->parted ? w->parted : i);
    return eng_end(w, i);
}
ENG_HANDLER(warpsync) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    if (!on) ENG_NEXT;
    uint32_t want = eng_u32(R, i->a)[__builtin_ctz(on)];
    if (w->worker->wants & 1u << ENG_EV_SYNCWARP) sync_events(i, w, on, eng_u32(R, i->a));
    if (ENG_UNLIKELY(on & ~want)) ENG_GOTO(unnamed(i, w, on & ~want, want));
    w->parted = NULL;
    if (ENG_LIKELY(on == mask && !(want & ~w->exited & ~mask))) ENG_NEXT;
    ENG_GOTO(eng_warpsync(w, i, on, want));
}
/* A mask in a register. z: those that name the same lanes go on as a group of their own, as what follows works on a group (EXCLUSIVE,
 * COLLECTIVE). Else, on sm_90, all go on together once those have come whom somebody names. */
ENG_HANDLER(warpsync_named) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    if (!on) ENG_NEXT;
    const uint32_t *named = eng_u32(R, i->a);
    if (w->worker->wants & 1u << ENG_EV_SYNCWARP) sync_events(i, w, on, named);
    uint32_t want = named[__builtin_ctz(on)], all = 0, others = 0, lacking = 0;
    for (uint32_t left = on; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        all |= named[l];
        others |= named[l] ^ want;
        lacking |= ~named[l] & 1u << l;
    }
    if (ENG_UNLIKELY(lacking)) ENG_GOTO(unnamed(i, w, lacking, named[__builtin_ctz(lacking)]));
    w->parted = NULL;
    if (!(others && i->z) && on == mask && !(all & ~w->exited & ~mask)) ENG_NEXT;
    ENG_GOTO(eng_warpsync_named(w, i, on, named));
}
/* What the lanes come together for: ENG_MEETS_... */
static unsigned meeting_kind(eng_plan *plan, const sass_instr *in) {
    unsigned n;
    const sass_instr *all = eng_plan_instrs(plan, &n);
    for (unsigned k = in->offset / 16 + 1; in->guard.reg != SASS_PT && k < n && k < in->offset / 16 + 9; k++)
        if (all[k].op == SASS_BAR && all[k].guard.reg == in->guard.reg && all[k].guard.inv == in->guard.inv) return ENG_MEETS_FOR_BARRIER;
    for (unsigned k = in->offset / 16 + 1, left = 8; k < n && left; k++, left--) {
        switch (all[k].op) {
        case SASS_SHFL: case SASS_VOTE: case SASS_VOTEU: case SASS_MATCH: case SASS_REDUX: return ENG_MEETS_FOR_WARP_OP;
        case SASS_BAR: return ENG_MEETS_FOR_BARRIER;
        case SASS_BRA: case SASS_RET: case SASS_CALL_REL: case SASS_CALL_ABS: case SASS_EXIT: case SASS_BSYNC: case SASS_WARPSYNC: case SASS_NOP: return ENG_MEETS;
        default:
            if (sass_class_of((sass_op)all[k].op) == SASS_CLASS_SHARED_LD || sass_class_of((sass_op)all[k].op) == SASS_CLASS_SHARED_ST ||
                sass_class_of((sass_op)all[k].op) == SASS_CLASS_GLOBAL_LD || sass_class_of((sass_op)all[k].op) == SASS_CLASS_GLOBAL_ST)
                return ENG_MEETS;
        }
    }
    return ENG_MEETS;
}
static bool bind_warpsync(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->x = meeting_kind(plan, in);
    out->a = eng_slot_src(plan, &in->a);
    out->y = in->a.kind == SASS_REG;
    out->z = in->sub != 0 || in->sm < 90;
    out->fn = out->y ? warpsync_named : warpsync;
    return true;
}
ENG_HANDLER(yield) { /* lets the other groups run; where there are none, the warp goes on */
    w->spinning = true;
    if (w->budget < 0) ENG_GOTO(eng_yield(w, i + 1));
    ENG_NEXT;
}
ENG_HANDLER(nothing) { ENG_NEXT; }
ENG_HANDLER(nanosleep) {
    if (!(mask & (w->P[i->guard] ^ i->ginv))) ENG_NEXT;
    w->spinning = true;
    ENG_GOTO(eng_yield(w, i + 1));
}
PSEUDO(yield)
PSEUDO(nothing)
PSEUDO(nanosleep)

/* --- block barriers --------------------------------------------------------------------------------------- */

/* a: id, b: count, x: eng_bar_op, y: reduction */
ENG_HANDLER(bar) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    if (!on) ENG_NEXT;
    int l = __builtin_ctz(on);
    uint32_t id = eng_u32(R, i->a)[l] & 15, count = eng_u32(R, i->b)[l];
    if (i->z) count = count >> 16 & 0xfff; /* one register holds both */
    eng_leave_vectors();
    ENG_GOTO(eng_bar(w, i, on, (eng_bar_op)i->x, id, count, i->y, eng_pred(w, i->ps[0])));
}
/* BAR.SYNC with a number that is known (x), for all threads: the usual one. */
ENG_HANDLER(bar_all) {
    eng_leave_vectors();
    if (ENG_LIKELY(!w->n_groups))
        ENG_GOTO(eng_bar_whole(w, i, i->x));
    ENG_GOTO(eng_bar(w, i, mask, ENG_BAR_SYNC, i->x, 0, 0, 0));
}
static bool bind_bar(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->sub > 2) return eng_refuse(plan, "BAR.SCAN");
    out->a = eng_slot_src(plan, &in->a);
    out->b = eng_slot_src(plan, &in->b);
    bool one = in->a.kind == SASS_REG && in->b.kind == SASS_REG && in->a.reg == in->b.reg;
    out->z = one;
    out->x = in->sub;
    out->y = in->bop;
    out->ps[0] = eng_pred_src(&in->psrc[0]);
    out->fn = bar;
    if (in->sub == ENG_BAR_SYNC && in->a.kind == SASS_IMM && in->b.kind == SASS_NONE && out->guard == ENG_PT && !out->ginv) {
        out->x = (uint32_t)in->a.value & 15;
        out->fn = bar_all;
    }
    return true;
}
ENG_HANDLER(b2r) {
    uint32_t on = eng_on(i, w, mask);
    ENG_EACH eng_put(eng_vu(R, i->d) + k, k, vu_set(w->b2r), on, false);
    eng_set_pred(w, i->pd[0], w->b2r ? ENG_ALL : 0, on);
    ENG_NEXT;
}
static bool bind_b2r(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->sub != 1) return false;
    eng_operands(plan, in, out);
    out->fn = b2r;
    return true;
}

/* --- ends ---------------------------------------------------------------------------------------------------- */

ENG_HANDLER(exit_) {
    uint32_t t = mask & (w->P[i->guard] ^ i->ginv) & eng_pred(w, i->ps[0]);
    w->counts[i->x + ENG_COUNT_ON] += (uint32_t)__builtin_popcount(t);
    count_barred(i, w, mask, t);
    if (!t) ENG_NEXT;
    if (t != mask) w->counts[i->x + ENG_COUNT_DIVERGENT]++;
    eng_leave_vectors();
    ENG_GOTO(eng_exit(w, i, t));
}
static bool bind_exit(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->sub) return eng_refuse(plan, "a trap handler's end");
    out->ps[0] = eng_pred_src(&in->psrc[0]);
    out->x = eng_branch_counter(plan);
    out->fn = exit_;
    return true;
}
ENG_HANDLER(trap) {
    uint32_t on = eng_on(i, w, mask);
    if (!on) ENG_NEXT;
    eng_finding f = {.kind = ENG_FAULT_TRAP, .lanes = on, .fatal = true, .text = "the kernel executed a trap"};
    eng_fault(w, i, &f);
    ENG_GOTO(eng_end(w, i));
}
PSEUDO(trap)

ENG_FAMILY(control, {"@block", bind_count_block}, {"@spin", bind_count_spin}, {"@guard", bind_count_guard},
           {"@trace", bind_trace}, {"@undefined_step", bind_undefined_step}, {"@undefined_after", bind_undefined_after},
           {"@undefined_block", bind_undefined_block}, {"@stop", bind_stop}, {"bra", bind_bra}, {"call_rel", bind_call_rel}, {"call_abs", bind_call_abs},
           {"ret", bind_ret}, {"brx", bind_brx}, {"brxu", bind_brx}, {"bssy", bind_bssy}, {"bsync", bind_bsync},
           {"break_", bind_break}, {"bmov_get", bind_bmov}, {"bmov_set", bind_bmov}, {"rpcmov_get", bind_bmov}, {"rpcmov_set", bind_bmov}, {"warpsync", bind_warpsync},
           {"endcollective", bind_nothing}, {"yield_", bind_yield}, {"nanosleep", bind_nanosleep}, {"bar", bind_bar},
           {"b2r", bind_b2r}, {"exit", bind_exit}, {"bpt", bind_trap});

static const eng_fn blocks[3] = {count_block, count_block, count_block}, guards[3] = {count_guard, count_guard, count_guard},
                    branches[3] = {bra_forward, bra_backward, bra_any}, always[3] = {bra_always, bra_always, bra_always};
ENG_LIFTS(control, {blocks, ENG_LIFT_COUNT}, {guards, ENG_LIFT_COUNT_GUARD}, {branches, ENG_LIFT_BRA}, {always, ENG_LIFT_BRA});
