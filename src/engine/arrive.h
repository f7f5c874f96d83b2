/* Arrivals at asynchronous barriers, for the families that have them: exec_sync.c, and ATOMS.ARRIVE in exec_atomic.c. */
#ifndef WG_ENGINE_ARRIVE_H
#define WG_ENGINE_ARRIVE_H

#include "engine/mbarrier.h"
#include "engine/phase.h"

/* x beside the MEM_ flags: bits 8.. what is done; c: the count, y: both words of the state are wanted */
enum { SYNC_A1TR, SYNC_A1T0, SYNC_A0T1, SYNC_A0TR, SYNC_A0TX, SYNC_ART0, SYNC_ARRIVE80, SYNC_COPIED80, SYNC_COPIED, SYNC_NO_BYTES };
enum { SYNC_DROP = 1 << 12, SYNC_MASK = 1 << 13 /* the low word of a result: the lanes that arrived as one, each its own here */ };

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
static unsigned told(unsigned what) {
    switch (what) {
    case SYNC_COPIED80: case SYNC_COPIED: case SYNC_NO_BYTES: return ENG_PHASE_COPIED;
    case SYNC_A0T1: case SYNC_A0TR: case SYNC_A0TX: return ENG_PHASE_BYTES;
    default: return ENG_PHASE_ARRIVES;
    }
}
static bool barrier_lanes(const eng_ins *i, eng_warp *w, uint32_t on, const uint64_t *A, const eng_reach *r) {
    active m;
    shape s;
    active_of(&m, on);
    w->worked |= on;
    uint32_t bad = window_outside(A, &m, on, r->end, 8);
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, r->space, A, bad, w->shared_size)) return false;
    shape_of(A, &m, on, 8, &s);
    if (wants_access(w)) put_access(w, i, on, &s, r->space, A);
    return true;
}
static inline bool own_barrier_lanes(const eng_ins *i, eng_warp *w, uint32_t on, const uint64_t *A) {
    return barrier_lanes(i, w, on, A, &(eng_reach){w->shared, w->shared_size, ENG_SHARED});
}
static __attribute__((noinline)) bool arrive_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A, const eng_reach *r) {
    if (ENG_UNLIKELY(!barrier_lanes(i, w, on, A, r))) return false;
    unsigned what = told(i->x >> 8 & 15);
    uint32_t since = 0, phase = 0; /* lanes at one barrier and in one phase are told together */
    uint64_t at = 0;
    ENG_LANES(l, on) {
        uint64_t old, now;
        memcpy(&old, r->at + A[l], 8);
        if (since && A[l] != at) {
            put_phase(w, i, since, r->space, at, what, phase);
            since = 0;
        }
        at = A[l];
        phase = (uint32_t)(old >> 63);
        since |= 1u << l;
        now = i->x & SYNC_DROP ? mbarrier90_drop(old) : old;
        now = change(now, i->x >> 8 & 15, eng_u32(R, i->c)[l]);
        memcpy(r->at + A[l], &now, 8);
        if (now >> 63 != phase) {
            put_phase(w, i, since, r->space, at, what | ENG_PHASE_ENDS, phase);
            since = 0;
        }
        if (!i->y) continue;
        eng_u32(R, i->d)[l] = i->x & SYNC_MASK ? 1u << l : (uint32_t)old;
        eng_u32(R, i->d + ENG_SLOT)[l] = (uint32_t)(old >> 32);
    }
    put_phase(w, i, since, r->space, at, what, phase);
    return true;
}
static inline bool own_arrive_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    return arrive_lanes(i, w, R, on, A, &(eng_reach){w->shared, w->shared_size, ENG_SHARED});
}
static __attribute__((noinline)) const eng_ins *arrive(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        shared_addresses(i, w, R, A);
        if (ENG_UNLIKELY(!own_arrive_lanes(i, w, R, on, A))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT;
}
static bool bind_arrive(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned what) {
    bind_shared(plan, in, out, ENG_ATOMIC | ENG_READ | ENG_WRITE);
    out->width = 8;
    out->d = eng_slot_dst(plan, &in->dst);
    out->y = in->dst.kind == SASS_REG && in->dst.reg != SASS_RZ;
    out->x |= what << 8;
    out->fn = arrive;
    return true;
}

#endif
