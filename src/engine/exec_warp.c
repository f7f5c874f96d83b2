/* Work across the lanes of a warp: SHFL, VOTE, MATCH, REDUX. */
#include "engine/lanes_ops.h"
#include "engine/plan.h"

/* Lanes of the group take part. All that live, once more with nothing between: that brings nobody together who was not. */
static void warp_event(const eng_ins *i, eng_warp *w, uint32_t on) {
    if (on == w->met && on == ~w->exited && !w->strayed) return;
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = ENG_EV_WARP_OP, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                      .mask = on, .more = on};
    eng_event_done(w);
    w->met = on;
}
static uint32_t read_lanes(const uint32_t *from, uint32_t on) {
    uint32_t r = 0;
    for (uint32_t left = on; left; left &= left - 1) r |= 1u << (from[__builtin_ctz(left)] & 31);
    return r;
}
/* A shuffle: once one of the warp has read an inactive lane, every one tells where each lane reads. */
static __attribute__((noinline)) void shuffle_event(const eng_ins *i, eng_warp *w, uint32_t on, const uint32_t *from) {
    uint32_t inactive = w->mask == ENG_ALL ? 0 : read_lanes(from, on) & ~w->mask;
    w->strayed |= inactive != 0;
    if (!w->strayed) {
        warp_event(i, w, on);
        return;
    }
    eng_event *ev = eng_event_new(w);
    uint64_t *lanes = eng_event_lanes(w, &ev);
    uint16_t general = ev->general;
    for (unsigned l = 0; l < 32; l++) lanes[l] = from[l] & 31;
    *ev = (eng_event){.kind = ENG_EV_WARP_OP, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                      .mask = on, .more = on, .address = inactive, .cls = ENG_GENERAL, .general = general};
    eng_event_done(w);
}
#define WANTED(w) ENG_UNLIKELY((w)->worker->wants & 1u << ENG_EV_WARP_OP)

/* --- SHFL ---------------------------------------------------------------------------------------- */

enum { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };
typedef struct shfl_plan { /* a shuffle whose lane and clamp are constants */
    _Alignas(64) uint32_t from[32];
    uint32_t valid;
} shfl_plan;

/* Source lane and validity by the PTX rules: c holds the clamp in bits 0..4 and the segment mask in bits 8..12. */
static inline uint32_t shfl_lane(uint32_t l, uint32_t b, uint32_t c, unsigned kind, bool *valid) {
    uint32_t segment = c >> 8 & 31, clamp = c & 31, low = l & segment, most = low | (clamp & ~segment);
    int32_t j;
    b &= 31;
    switch (kind) {
    case SHFL_UP: j = (int32_t)l - (int32_t)b; *valid = j >= (int32_t)most; break;
    case SHFL_DOWN: j = (int32_t)(l + b); *valid = j <= (int32_t)most; break;
    case SHFL_BFLY: j = (int32_t)(l ^ b); *valid = j <= (int32_t)most; break;
    default: j = (int32_t)(low | (b & ~segment)); *valid = j <= (int32_t)most;
    }
    return *valid ? (uint32_t)j & 31 : l;
}
/* Of a lane that does not take part, because it has ended, is elsewhere in the code, or its guard does not hold, an H200 gives 0. */
static __attribute__((noinline)) void give_absent(uint32_t *d, const uint32_t *from, uint32_t on) {
    for (uint32_t left = on; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if (!(on >> (from[l] & 31) & 1)) d[l] = 0;
    }
}
ENG_INLINE void shuffle(const eng_ins *i, eng_warp *w, vu *d_, const vu *a_, const uint32_t *from, uint32_t valid,
                        uint32_t on, bool full) {
    vu all[ENG_NV];
    ENG_EACH all[k] = A(k);
    ENG_EACH PUT(k, vu_permute(all, ((const vu *)from)[k]));
    if (ENG_UNLIKELY(on != ENG_ALL)) give_absent((uint32_t *)d_, from, on);
    SETP(0, valid);
    w->worked |= on;
    if (WANTED(w)) shuffle_event(i, w, on, from);
}
ENG_OP(shfl_fixed) {
    const shfl_plan *p = i->ptr;
    shuffle(i, w, d_, a_, p->from, p->valid, on, full);
}
ENG_OP(shfl_any) { /* x: kind */
    const uint32_t *b = (const uint32_t *)b_, *c = (const uint32_t *)c_;
    _Alignas(64) uint32_t from[32];
    uint32_t valid = 0;
    for (uint32_t l = 0; l < 32; l++) {
        bool ok;
        from[l] = shfl_lane(l, b[l], c[l], i->x, &ok);
        valid |= (uint32_t)ok << l;
    }
    shuffle(i, w, d_, a_, from, valid, on, full);
}
static bool bind_shfl(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->sub;
    bool fixed = in->b.kind == SASS_IMM && in->c.kind == SASS_IMM;
    out->fn = eng_pick(fixed ? shfl_fixed : shfl_any, out);
    if (!fixed) return true;
    size_t room = sizeof(shfl_plan) + 64;
    uint8_t *at = wg_arena_alloc(plan->arena, room);
    if (!at) return eng_refuse(plan, "no memory");
    shfl_plan *p = (shfl_plan *)(void *)(((uintptr_t)at + 63) & ~(uintptr_t)63);
    for (uint32_t l = 0; l < 32; l++) {
        bool ok;
        p->from[l] = shfl_lane(l, (uint32_t)in->b.value, (uint32_t)in->c.value, in->sub, &ok);
        p->valid |= (uint32_t)ok << l;
    }
    out->ptr = p;
    return true;
}

/* --- VOTE ------------------------------------------------------------------------------------------ */

enum { VOTE_ALL, VOTE_ANY, VOTE_EQ };
ENG_INLINE bool vote(uint32_t votes, uint32_t on, uint32_t kind) {
    return kind == VOTE_ALL ? votes == on : kind == VOTE_ANY ? votes != 0 : votes == on || votes == 0;
}
ENG_OP(vote_) {
    uint32_t votes = eng_pred(w, i->ps[0]) & on;
    ENG_EACH PUT(k, vu_set(votes));
    SETP(0, vote(votes, on, i->x) ? ENG_ALL : 0);
    w->worked |= on;
    if (WANTED(w)) warp_event(i, w, on);
}
static bool bind_vote(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->sub;
    out->fn = eng_pick(vote_, out);
    return true;
}
/* Into the uniform datapath: for all lanes, from the active ones. */
ENG_HANDLER(voteu) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv), votes = eng_pred(w, i->ps[0]) & on;
    if (!on) ENG_NEXT;
    ENG_EACH eng_vu(R, i->d)[k] = vu_set(votes);
    eng_set_pred(w, i->pd[0], vote(votes, on, i->x) ? ENG_ALL : 0, ENG_ALL);
    w->worked |= on;
    if (WANTED(w)) warp_event(i, w, on);
    ENG_NEXT;
}
static bool bind_voteu(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->sub;
    out->fn = voteu;
    return true;
}

/* --- MATCH ------------------------------------------------------------------------------------------- */

/* x: 1 ANY; y: 64 bits */
ENG_OP(match) {
    const uint32_t *low = (const uint32_t *)a_, *high = low + 32;
    _Alignas(64) uint32_t r[32] = {0};
    for (uint32_t left = on; left;) {
        int l = __builtin_ctz(left);
        uint32_t same = 0;
        for (int m = 0; m < 32; m++) same |= (uint32_t)(low[m] == low[l] && (!i->y || high[m] == high[l])) << m;
        same &= on;
        for (int m = 0; m < 32; m++)
            if (same >> m & 1) r[m] = same;
        left &= ~same;
    }
    bool all = r[__builtin_ctz(on | 0x80000000u)] == on;
    if (!i->x) {
        for (int l = 0; l < 32; l++) r[l] = all ? on : 0;
        SETP(0, all ? ENG_ALL : 0);
    }
    ENG_EACH PUT(k, ((vu *)r)[k]);
    w->worked |= on;
    if (WANTED(w)) warp_event(i, w, on);
}
static bool bind_match(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->y = in->type == SASS_U64;
    out->a = out->y ? eng_slot_src64(plan, &in->a) : out->a;
    out->x = in->sub;
    out->fn = eng_pick(match, out);
    return true;
}

/* --- REDUX --------------------------------------------------------------------------------------------- */

enum { REDUX_AND, REDUX_OR, REDUX_XOR, REDUX_SUM, REDUX_MIN, REDUX_MAX };
ENG_HANDLER(redux) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    if (!on) ENG_NEXT;
    const uint32_t *a = eng_u32(R, i->a);
    uint32_t flip = i->y ? 0x80000000u : 0; /* signed order as unsigned */
    uint32_t r = a[__builtin_ctz(on)] ^ (i->x >= REDUX_MIN ? flip : 0);
    for (uint32_t left = on & (on - 1); left; left &= left - 1) {
        uint32_t v = a[__builtin_ctz(left)];
        switch (i->x) {
        case REDUX_AND: r &= v; break;
        case REDUX_OR: r |= v; break;
        case REDUX_XOR: r ^= v; break;
        case REDUX_SUM: r += v; break;
        case REDUX_MIN: r = r < (v ^ flip) ? r : v ^ flip; break;
        default: r = r > (v ^ flip) ? r : v ^ flip;
        }
    }
    if (i->x >= REDUX_MIN) r ^= flip;
    ENG_EACH eng_vu(R, i->d)[k] = vu_set(r);
    w->worked |= on;
    if (WANTED(w)) warp_event(i, w, on);
    ENG_NEXT;
}
static bool bind_redux(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->sub;
    out->y = (in->flags & SASS_SIGNED) != 0;
    out->fn = redux;
    return true;
}

/* --- ELECT ----------------------------------------------------------------------------------------- */

/* The lowest lane. */
ENG_HANDLER(elect) {
    uint32_t on = mask & (w->P[i->guard] ^ i->ginv);
    if (!on) ENG_NEXT;
    ENG_EACH eng_vu(R, i->d)[k] = vu_set((uint32_t)__builtin_ctz(on));
    eng_set_pred(w, i->pd[0], on & -on, on);
    w->worked |= on;
    ENG_NEXT;
}
static bool bind_elect(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->psrc[0].reg != SASS_PT || in->psrc[0].inv) return eng_refuse(plan, "of lanes whose predicate holds");
    eng_operands(plan, in, out);
    out->fn = elect;
    return true;
}

ENG_FAMILY(warp, {"elect", bind_elect}, {"shfl", bind_shfl}, {"vote", bind_vote}, {"voteu", bind_voteu}, {"match", bind_match}, {"redux", bind_redux});
