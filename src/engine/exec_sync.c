/* Asynchronous barriers: SYNCS of sm_90, ATOMS.ARRIVE of sm_80, and what cp.async tells them (ARRIVES). Copies are done
 * at once here, so that an arrival that waits for them does not wait. Lanes arrive in ascending order. */
#include "engine/arrive.h"
#include "engine/generic.h"

/* .RED: at a barrier of any block of the cluster, the own one included. */
static __attribute__((noinline)) const eng_ins *arrive_anywhere(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        spaces s = {.shared = on};
        window_addresses(i, R, A);
        split_ranks(w, &s, A);
        bool ok = !s.shared || own_arrive_lanes(i, w, R, s.shared, A);
        if (ok && s.cluster) ok = cluster_lanes(i, w, R, s.cluster, A, arrive_lanes);
        if (ENG_UNLIKELY(!ok)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT;
}

enum { SYNC_TMASK = 2, SYNC_ANY_BLOCK = 4, SYNC_OPTOUT = 8 }; /* bits of sass_instr.shape */
static bool bind_syncs(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (!bind_arrive(plan, in, out, in->sub)) return false;
    out->c = eng_slot_src(plan, &in->a);
    if (in->shape & SYNC_OPTOUT) out->x |= SYNC_DROP;
    if (in->shape & SYNC_TMASK) out->x |= SYNC_MASK;
    if (in->shape & SYNC_ANY_BLOCK && eng_plan_clustered(plan)) {
        eng_ins address = {0};
        bind_window(plan, in, &address, 0);
        out->a = address.a, out->b = address.b;
        out->x &= ~(uint32_t)MEM_RANKED;
        out->fn = arrive_anywhere;
    }
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
        shared_addresses(i, w, R, A);
        if (ENG_UNLIKELY(!own_barrier_lanes(i, w, on, A))) ENG_GOTO(eng_end(w, i));
        ENG_LANES(l, on) {
            uint32_t high;
            memcpy(&high, w->shared + A[l] + 4, 4);
            ended |= ((high ^ eng_u32(R, i->c)[l]) >> 31) << l;
        }
        eng_set_pred(w, i->pd[0], ended, on);
        put_phase_seen(w, i, ended, A, 0, ENG_PHASE_SEEN);
        w->spinning |= ended != on;
        note_awaited(w, on & ~ended, A, 0);
    }
    ENG_NEXT;
}
static bool bind_phase(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_shared(plan, in, out, ENG_ATOMIC | ENG_READ);
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
        A[lane] = *eng_u32(R, i->a) + (uint32_t)i->imm - w->shared_base;
        if (ENG_UNLIKELY(!own_barrier_lanes(i, w, 1u << lane, A))) ENG_GOTO(eng_end(w, i));
        memcpy(old, w->shared + A[lane], 8);
        memcpy(w->shared + A[lane], words, 8);
        shared_define(w, A, 1u << lane, 8);
        put_phase(w, i, 1u << lane, ENG_SHARED, A[lane], ENG_PHASE_BEGINS, words[1] >> 31);
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

ENG_FAMILY(sync, {"syncs", bind_syncs}, {"syncs_phase", bind_phase}, {"syncs_exch", bind_exchange}, {"syncs_cctl", bind_nothing},
           {"arrives", bind_arrives});
