/* Moves: between registers, from constant banks and special registers, between the two datapaths. */
#include "engine/lanes_ops.h"
#include "engine/lift.h"
#include "engine/plan.h"

/* --- MOV ----------------------------------------------------------------------------------- */

ENG_OP(mov) { ENG_EACH PUT(k, A(k)); }
ENG_OP(mov64) {
    ENG_EACH {
        vu low = A(k), high = A2(k);
        PUT(k, low);
        PUT2(k, high);
    }
}
ENG_OP(mov128) {
    ENG_EACH for (int n = 0; n < 4; n++) eng_put(d_ + n * ENG_NV + k, k, a_[n * ENG_NV + k], on, full);
}
/* x: lanes of each quad */
ENG_HANDLER(mov_lanes) {
    uint32_t on = eng_on(i, w, mask) & i->x * 0x11111111u;
    ENG_EACH eng_put(eng_vu(R, i->d) + k, k, eng_vu(R, i->a)[k], on, false);
    ENG_NEXT;
}
static bool bind_mov(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    const bool some = in->op == SASS_MOV && (in->byte & 15) != 15;
    eng_operands(plan, in, out);
    if (some) out->x = in->byte & 15;
    out->fn = some ? mov_lanes : eng_pick(mov, out);
    return true;
}
static bool bind_umov(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    return bind_mov(plan, in, out);
}

/* --- constant banks -------------------------------------------------------------------------- */

/* A place that is known when the kernel is planned is a slot; the load is a move. */
static bool bind_fixed_load(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    uint32_t at = (uint32_t)in->a.value;
    switch (in->type) {
    case SASS_U8: case SASS_S8: out->a = eng_slot_const(plan, in->a.bank, at, 1, in->type == SASS_S8); break;
    case SASS_U16: case SASS_S16: out->a = eng_slot_const(plan, in->a.bank, at, 2, in->type == SASS_S16); break;
    case SASS_B64: out->a = eng_slot_const_run(plan, in->a.bank, at, 2); break;
    case SASS_B128: out->a = eng_slot_const_run(plan, in->a.bank, at, 4); break;
    default: out->a = eng_slot_const_run(plan, in->a.bank, at, 1); break;
    }
    out->fn = eng_pick(in->type == SASS_B64 ? mov64 : in->type == SASS_B128 ? mov128 : mov, out);
    return true;
}

/* a: index, imm: offset, x: bank, y: sass_type, z: sub (how a large index reaches the next bank: not used by nvcc) */
ENG_HANDLER(load_indexed) {
    uint32_t on = eng_on(i, w, mask), bad = 0;
    const uint32_t *index = eng_u32(R, i->a);
    const eng_bank *bank = &w->worker->grid->banks[i->x];
    uint32_t words = i->width < 4 ? 1 : i->width / 4u;
    _Alignas(64) uint32_t r[4][32] = {{0}};
    for (uint32_t left = on; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t at = index[l] + (uint32_t)i->imm;
        if ((uint64_t)at + i->width > bank->size) {
            bad |= 1u << l;
            continue;
        }
        for (uint32_t n = 0; n < words; n++) memcpy(&r[n][l], bank->bytes + at + 4 * n, i->width < 4 ? i->width : 4);
        if (i->y == SASS_S8) r[0][l] = (uint32_t)(int8_t)r[0][l];
        if (i->y == SASS_S16) r[0][l] = (uint32_t)(int16_t)r[0][l];
    }
    for (uint32_t n = 0; n < words; n++)
        ENG_EACH eng_put(eng_vu(R, i->d) + n * ENG_NV + k, k, ((vu *)r[n])[k], on, false);
    if (ENG_UNLIKELY(bad)) {
        eng_finding f = {.kind = ENG_FAULT_CONSTANT, .lanes = bad, .space = ENG_CONST, .access = ENG_READ, .width = i->width,
                         .address = index[__builtin_ctz(bad)] + (uint64_t)i->imm};
        eng_fault(w, i, &f);
    }
    ENG_NEXT;
}
static bool bind_load(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->d = eng_slot_dst(plan, &in->dst);
    if (in->a.kind != SASS_CONST) return eng_refuse(plan, "a bindless constant");
    if (in->a.index == SASS_RZ) return bind_fixed_load(plan, in, out);
    if (in->a.bank >= ENG_BANKS) return eng_refuse(plan, "a constant bank that no program has");
    out->a = in->a.index_uniform ? eng_slot_ureg(plan, in->a.index) : eng_slot_reg(plan, in->a.index);
    out->imm = in->a.value;
    out->x = in->a.bank;
    out->y = in->type;
    out->width = in->type == SASS_U8 || in->type == SASS_S8 ? 1 : in->type == SASS_U16 || in->type == SASS_S16 ? 2
                 : in->type == SASS_B64 ? 8 : in->type == SASS_B128 ? 16 : 4;
    out->fn = load_indexed;
    return true;
}
static bool bind_uload(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    return bind_load(plan, in, out);
}

/* --- special registers ------------------------------------------------------------------------- */

enum { SR_CLOCKLO = 0x50, SR_CLOCKHI = 0x51, SR_GLOBALTIMERLO = 0x52, SR_GLOBALTIMERHI = 0x53, SR_ZERO = 0xff };

/* Clocks count executed warp instructions: of the warp; of the worker, for the global timer. */
/* A warp that only looks at the clock waits for a time to come. Instruction by instruction that would take as many
 * instructions as a GPU has cycles, so after many looks the clock jumps, by more each time: a second is there in a few
 * hundred. Code that measures something has more than this between its looks, or looks less often. */
enum { CLOCK_BETWEEN = 12, CLOCK_LOOKS = 256 };
static void clock_look(eng_warp *w) {
    w->clock_reads = w->executed - w->clock_seen <= CLOCK_BETWEEN ? w->clock_reads + 1 : 0;
    w->clock_seen = w->executed;
    if (w->clock_reads > CLOCK_LOOKS) w->clock_ahead += 64 + w->clock_ahead / 8;
}

static uint64_t clock_now(const eng_ins *i, const eng_warp *w) {
    if (w->worker->time_stands) return w->worker->time_stands;
    uint64_t now = w->executed + w->clock_ahead + w->worker->time_passed;
    if (i->x == SR_GLOBALTIMERLO || i->x == SR_GLOBALTIMERHI) now += w->worker->executed;
    return now;
}
ENG_HANDLER(read_clock) { /* y: both words */
    uint32_t on = eng_on(i, w, mask);
    clock_look(w);
    uint64_t now = clock_now(i, w) + i->id;
    bool high = i->x == SR_CLOCKHI || i->x == SR_GLOBALTIMERHI;
    vu first = vu_set((uint32_t)(high ? now >> 32 : now)), second = vu_set((uint32_t)(now >> 32));
    ENG_EACH eng_put(eng_vu(R, i->d) + k, k, first, on, false);
    if (i->y)
        ENG_EACH eng_put(eng_vu(R, i->d) + ENG_NV + k, k, second, on, false);
    ENG_NEXT;
}
static bool bind_special(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    unsigned sr = (unsigned)in->a.value;
    bool both = in->op == SASS_CS2R && in->shape;
    out->d = eng_slot_dst(plan, &in->dst);
    out->x = sr;
    out->y = both;
    if (sr >= SR_CLOCKLO && sr <= SR_GLOBALTIMERHI) {
        plan->clocks = true;
        out->fn = read_clock;
        return true;
    }
    if (!eng_special_fixed(in)) return eng_refuse(plan, "a special register that is not simulated");
    if (both && sr != SR_ZERO) return eng_refuse(plan, "a pair of special registers");
    out->a = eng_slot_special(plan, sr);
    out->fn = eng_pick(both ? mov64 : mov, out);
    return true;
}
static bool bind_s2ur(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->uni = ENG_ALL;
    return bind_special(plan, in, out);
}

/* --- between the datapaths, and code addresses -------------------------------------------------- */

/* R2UR: the value of the first active lane. The predicate: a lane holds another one; OR (x): or it was set before. Compilers
 * loop on it until each lane has had its turn, or branch to the slow path of a collective. */
ENG_HANDLER(r2ur) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    if (on) {
        const uint32_t *a = eng_u32(R, i->a);
        uint32_t v = a[__builtin_ctz(on)], differ = 0;
        if (i->pd[0] != ENG_PSINK)
            for (unsigned l = 0; l < 32; l++) differ |= (uint32_t)(a[l] != v) << l;
        eng_set_pred(w, i->pd[0], i->x ? differ | w->P[i->pd[0]] : differ, on);
        ENG_EACH eng_vu(R, i->d)[k] = vu_set(v);
    }
    ENG_NEXT;
}
static bool bind_r2ur(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->sub;
    out->fn = r2ur;
    return true;
}
/* LEPC: its own address (return addresses are made by taking its offset away again), or that of a label, as a pair. */
static bool bind_lepc(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    uint64_t at = ENG_CODE_BASE + eng_place(plan, in->has_target ? in->target : in->offset);
    sass_operand low = {.kind = SASS_IMM, .value = (uint32_t)at};
    out->d = eng_slot_dst(plan, &in->dst);
    out->a = eng_slot_src64(plan, &low);
    out->fn = eng_pick(mov64, out);
    return true;
}

ENG_HANDLER(nop) {
    (void)w; /* not read where handlers return to a loop */
    ENG_NEXT;
}
/* A __syncwarp whose lanes are together anyway. */
ENG_HANDLER(nop_syncwarp) {
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        eng_event *ev = eng_event_new(w);
        *ev = (eng_event){.kind = ENG_EV_SYNCWARP, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index, .mask = on};
        eng_event_done(w);
    }
    ENG_NEXT;
}
static bool bind_nop(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    const img_function *f = eng_plan_function(plan);
    out->fn = nop;
    for (size_t k = 0; k < f->n_syncwarps && in->op == SASS_NOP && eng_plan_wants(plan) & 1u << ENG_EV_SYNCWARP; k++)
        if (f->syncwarps[k] == in->offset) out->fn = nop_syncwarp;
    return true;
}

ENG_FAMILY(move, {"mov", bind_mov}, {"umov", bind_umov}, {"ldc", bind_load}, {"uldc", bind_uload}, {"ldcu", bind_uload},
           {"s2r", bind_special}, {"cs2r", bind_special}, {"s2ur", bind_s2ur}, {"r2ur", bind_r2ur}, {"lepc", bind_lepc},
           /* A kernel begins when the one before it in its stream has ended: there is nothing to wait for. */
           {"acqbulk", bind_nop}, {"preexit", bind_nop}, {"nop", bind_nop});

ENG_LIFTS(move, {mov, ENG_LIFT_MOV}, {mov64, ENG_LIFT_MOV64});
