/* LD and ST: generic addresses, each lane in the space that its address says. Also QSPC, which asks for it. */
#include "engine/generic.h"
#include "engine/lanes_global.h"

static __attribute__((noinline)) const eng_ins *load(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    ENG_ADDRESSES(offsets);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        bool ok = true;
        w->spinning |= (i->access & ENG_STRONG) != 0;
        global_addresses(i, R, A);
        spaces s = split_spaces(w, A, on, offsets);
        if (s.global) ok = load_lanes(i, w, R, s.global, A);
        if (ok && s.shared) ok = shared_load_lanes(i, w, R, s.shared, offsets);
        if (ok && ENG_UNLIKELY(s.cluster)) ok = cluster_lanes(i, w, R, s.cluster, offsets, reached_load_lanes);
        if (ok && s.local) ok = local_load_lanes(i, w, R, s.local, offsets);
        if (ENG_UNLIKELY(!ok)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_LOADED;
}

static __attribute__((noinline)) const eng_ins *store(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    ENG_ADDRESSES(offsets);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        bool ok = true;
        global_addresses(i, R, A);
        spaces s = split_spaces(w, A, on, offsets);
        if (s.global) ok = store_lanes(i, w, R, s.global, A);
        if (ok && s.shared) ok = shared_store_lanes(i, w, R, s.shared, offsets);
        if (ok && ENG_UNLIKELY(s.cluster)) ok = cluster_lanes(i, w, R, s.cluster, offsets, reached_store_lanes);
        if (ok && s.local) ok = local_store_lanes(i, w, R, s.local, offsets);
        if (ENG_UNLIKELY(!ok)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

static bool bind_ld(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->pdst[0].present && in->pdst[0].reg != SASS_PT) return eng_refuse(plan, "a load with a predicate result");
    bind_global(plan, in, out, ENG_READ);
    out->d = eng_slot_dst(plan, &in->dst);
    out->fn = load;
    return true;
}

static bool bind_st(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_global(plan, in, out, ENG_WRITE);
    out->c = eng_slot_src(plan, &in->a);
    out->fn = store;
    return true;
}

/* QSPC: is the address in this space? The answer is a predicate; the register result, where there is one, the same. */
ENG_HANDLER(qspc) {
    ENG_ADDRESSES(A);
    ENG_ADDRESSES(offsets);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        global_addresses(i, R, A);
        spaces s = split_spaces(w, A, ENG_ALL, offsets);
        uint32_t yes = i->z == 0 ? s.global : i->z == 1 ? s.local : i->z == 2 ? s.shared : s.shared | s.cluster;
        eng_set_pred(w, i->pd[0], yes, on);
        ENG_LANES(l, on) eng_u32(R, i->d)[l] = yes >> l & 1;
    }
    ENG_NEXT_UNWOUND;
}

static bool bind_qspc(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_global(plan, in, out, 0);
    out->d = eng_slot_dst(plan, &in->dst);
    out->pd[0] = eng_pred_dst(&in->pdst[0]);
    out->z = in->sub;
    out->fn = qspc;
    return true;
}

ENG_FAMILY(generic, {"ld", bind_ld}, {"st", bind_st}, {"qspc", bind_qspc});
