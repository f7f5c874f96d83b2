/* Asynchronous barriers: SYNCS of sm_90, ATOMS.ARRIVE of sm_80, and what cp.async tells them (ARRIVES). Copies are done
 * at once here, so that an arrival that waits for them does not wait. Lanes arrive in ascending order. */
#include "engine/mbarrier.h"
#include "engine/window.h"

/* x beside the MEM_ flags: bits 8.. what is done; c: the count, y: both words of the state are wanted */
enum { SYNC_A1TR, SYNC_A1T0, SYNC_A0T1, SYNC_A0TR, SYNC_A0TX, SYNC_ART0, SYNC_ARRIVE80, SYNC_COPIED80, SYNC_COPIED, SYNC_NO_BYTES };
enum { SYNC_DROP = 1 << 12 };

static uint64_t change(uint64_t b, unsigned what, uint32_t count) {
    switch (what) {
    case SYNC_ARRIVE80: case SYNC_COPIED80: return mbarrier80_arrive(b);
    case SYNC_A1TR: return mbarrier90_settle(mbarrier90_arrive(mbarrier90_bytes(b, count), 1));
    case SYNC_A1T0: case SYNC_COPIED: return mbarrier90_settle(mbarrier90_arrive(b, 1));
    case SYNC_A0T1: return mbarrier90_bytes(b, 1);
    case SYNC_A0TR: return mbarrier90_bytes(b, count);
    case SYNC_A0TX: return mbarrier90_settle(mbarrier90_bytes(b, -count));
    case SYNC_NO_BYTES: return mbarrier90_settle(mbarrier90_bytes(b, UINT32_MAX));
    default: return mbarrier90_settle(mbarrier90_arrive(b, count));
    }
}
static bool barrier_lanes(const eng_ins *i, eng_warp *w, uint32_t on, const uint64_t *A) {
    active m;
    shape s;
    active_of(&m, on);
    w->worked |= on;
    uint32_t bad = window_outside(A, &m, on, w->shared_size, 8);
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, ENG_SHARED, A, bad, w->shared_size)) return false;
    shape_of(A, &m, on, 8, &s);
    if (wants_access(w)) put_access(w, i, on, &s, ENG_SHARED, A);
    return true;
}
static __attribute__((noinline)) const eng_ins *arrive(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        shared_addresses(i, R, A);
        if (ENG_UNLIKELY(!barrier_lanes(i, w, on, A))) ENG_GOTO(eng_end(w, i));
        ENG_LANES(l, on) {
            uint64_t old, now;
            memcpy(&old, w->shared + A[l], 8);
            now = i->x & SYNC_DROP ? mbarrier90_drop(old) : old;
            now = change(now, i->x >> 8 & 15, eng_u32(R, i->c)[l]);
            memcpy(w->shared + A[l], &now, 8);
            if (!i->y) continue;
            eng_u32(R, i->d)[l] = (uint32_t)old;
            eng_u32(R, i->d + ENG_SLOT)[l] = (uint32_t)(old >> 32);
        }
    }
    ENG_NEXT;
}
static bool bind_arrive(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned what) {
    bind_window(plan, in, out, ENG_ATOMIC | ENG_READ | ENG_WRITE);
    out->width = 8;
    out->d = eng_slot_dst(plan, &in->dst);
    out->y = in->dst.kind == SASS_REG && in->dst.reg != SASS_RZ;
    out->x |= what << 8;
    out->fn = arrive;
    return true;
}
static bool bind_syncs(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (!bind_arrive(plan, in, out, in->sub)) return false;
    out->c = eng_slot_src(plan, &in->a);
    if (in->shape & 8) out->x |= SYNC_DROP;
    return true;
}
/* When the copies before it have ended: an arrival, or (TRANSCNT) the byte that an A0T1 before it expects. */
static bool bind_arrives(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    unsigned what = in->sm < 90 ? SYNC_COPIED80 : in->hi >> (70 - 64) & 1 && !(in->hi >> (71 - 64) & 1) ? SYNC_COPIED : SYNC_NO_BYTES;
    return bind_arrive(plan, in, out, what);
}

/* The phase that bit 31 names has ended. */
static __attribute__((noinline)) const eng_ins *phase(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask), ended = 0;
    if (on) {
        shared_addresses(i, R, A);
        if (ENG_UNLIKELY(!barrier_lanes(i, w, on, A))) ENG_GOTO(eng_end(w, i));
        ENG_LANES(l, on) {
            uint32_t high;
            memcpy(&high, w->shared + A[l] + 4, 4);
            ended |= ((high ^ eng_u32(R, i->c)[l]) >> 31) << l;
        }
        eng_set_pred(w, i->pd[0], ended, on);
        w->spinning |= ended != on;
    }
    ENG_NEXT;
}
static bool bind_phase(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_window(plan, in, out, ENG_ATOMIC | ENG_READ);
    out->width = 8;
    out->c = eng_slot_src(plan, &in->a);
    out->pd[0] = eng_pred_dst(&in->pdst[0]);
    out->fn = phase;
    return true;
}

/* SYNCS.EXCH: all of it uniform. */
static __attribute__((noinline)) const eng_ins *exchange(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        uint32_t lane = (uint32_t)__builtin_ctz(on), words[2] = {*eng_u32(R, i->c), *eng_u32(R, i->c + ENG_SLOT)}, old[2];
        A[lane] = *eng_u32(R, i->a) + (uint32_t)i->imm;
        if (ENG_UNLIKELY(!barrier_lanes(i, w, 1u << lane, A))) ENG_GOTO(eng_end(w, i));
        memcpy(old, w->shared + A[lane], 8);
        memcpy(w->shared + A[lane], words, 8);
        shared_define(w, A, 1u << lane, 8);
    }
    ENG_NEXT;
}
static bool bind_exchange(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->dst.reg != SASS_URZ) return eng_refuse(plan, "what was there before");
    out->a = eng_slot_src(plan, &in->a);
    out->c = eng_slot_src64(plan, &in->b);
    out->imm = in->c.value;
    out->width = 8;
    out->access = ENG_ATOMIC | ENG_READ | ENG_WRITE;
    out->z = out->access;
    out->fn = exchange;
    return true;
}

/* Nothing has to be thrown out of a cache. */
ENG_HANDLER(nothing) { ENG_NEXT; }
static bool bind_nothing(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan, (void)in;
    out->fn = nothing;
    return true;
}

/* ATOMS.ARRIVE.64 comes here from the row of ATOMS. */
static bool bind_arrive80(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_arrive(plan, in, out, SYNC_ARRIVE80); }

ENG_FAMILY(sync, {"syncs", bind_syncs}, {"syncs_phase", bind_phase}, {"syncs_exch", bind_exchange}, {"syncs_cctl", bind_nothing},
           {"arrives", bind_arrives}, {"@arrive80", bind_arrive80});
