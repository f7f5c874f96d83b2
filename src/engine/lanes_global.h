/* Loads and stores of global memory, lane by lane: every mask, every shape, every fault. For exec_*.c. */
#ifndef WG_ENGINE_LANES_GLOBAL_H
#define WG_ENGINE_LANES_GLOBAL_H

#include "engine/access.h"

/* Returns the lanes that got undefined bytes. */
ENG_INLINE uint32_t load_group(eng_view *v, const mem_range *r, uint8_t *R, uint32_t d, const uint64_t *A, uint32_t group, const unsigned W,
                               const bool is_signed) {
    uint32_t undefined = 0;
    ENG_LANES(l, group) {
        uint8_t mixed[16];
        const uint8_t *p = at_host(r, A[l]);
        if (ENG_UNLIKELY(A[l] - r->lo + W > r->plain) && !mem_seen_all(v, A[l] + r->shadow, W)) {
            mem_read_mixed(v, r, A[l], W, mixed);
            p = mixed;
            undefined |= 1u << l;
        }
        load_lane(R, d, l, p, W, is_signed);
    }
    return undefined;
}

/* Where everything is defined: nothing to ask of each lane. */
ENG_INLINE void load_plain(const mem_range *r, uint8_t *R, uint32_t d, const uint64_t *A, uint32_t group, const unsigned W, const bool is_signed) {
    if (group == ENG_ALL)
        for (unsigned l = 0; l < 32; l++) load_lane(R, d, l, at_host(r, A[l]), W, is_signed);
    else
        ENG_LANES(l, group) load_lane(R, d, l, at_host(r, A[l]), W, is_signed);
}

static inline bool all_plain(const mem_range *r, const uint64_t *A, const active *m, unsigned width) {
    if (r->plain == r->size) return true;
    v4 above = {0};
    uint64_t room = r->plain - width + r->lo;
    for (unsigned g = 0; g < 8; g++) above |= (room - v4_at(A, g)) & m->lanes[g];
    return !v4_negative(above);
}

static inline void load_faulty(const eng_ins *i, uint8_t *R, const uint64_t *A, uint32_t lanes) {
    ENG_LANES(l, lanes) {
        uint8_t pattern[16];
        mem_pattern(pattern, A[l], i->width);
#define LOAD(W) load_lane(R, i->d, l, pattern, W, i->x & MEM_SIGNED)
        ENG_BY_WIDTH(i->width, LOAD)
#undef LOAD
    }
}

/* Loads from global memory; false: the launch ends. */
static __attribute__((noinline, unused)) bool load_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    eng_view *v = view_of(w);
    mem_range *r = range_of(v, i);
    groups g = {.left = on};
    const bool is_signed = i->x & MEM_SIGNED;
    active m;
    shape s;
    uint32_t undefined = 0;
    w->worked |= on;
    active_of(&m, on);
    shape_of(A, &m, on, i->width, &s);
    for (uint32_t group; (group = next_group(&g, w, i, r, A, &m, i->access));) {
        bool plain = all_plain(r, A, &m, i->width);
        if (s.cls == ENG_GENERAL && v->words && group == ENG_ALL) ask_for_counts(v, r, A);
#define LOAD(W)                                                                 \
    if (plain) load_plain(r, R, i->d, A, group, W, W < 4 && is_signed); \
    else undefined |= load_group(v, r, R, i->d, A, group, W, W < 4 && is_signed)
        ENG_BY_WIDTH(i->width, LOAD)
#undef LOAD
        r->bytes += (uint64_t)__builtin_popcount(group) * i->width;
        count_reads(v, i, r, A, group, &s);
    }
    put_groups(w, i, &g, &s, A, i->access);
    if (ENG_UNLIKELY(undefined) && w->undefined) eng_undefined_loaded(w, i, A, undefined, ENG_GLOBAL);
    if (ENG_LIKELY(!g.faulty)) return true;
    load_faulty(i, R, A, g.faulty);
    return !mem_fault(w, i, A, g.faulty);
}

static __attribute__((noinline, unused)) bool store_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    eng_view *v = view_of(w);
    mem_range *r = range_of(v, i);
    groups g = {.left = on};
    active m;
    shape s;
    bool room = true;
    w->worked |= on;
    active_of(&m, on);
    shape_of(A, &m, on, i->width, &s);
    for (uint32_t group; (group = next_group(&g, w, i, r, A, &m, i->access));) {
        if (!all_plain(r, A, &m, i->width))
            ENG_LANES(l, group) room = room && mem_mark(v, r, A[l], i->width, false);
        if (ENG_UNLIKELY(!room)) return mem_no_room(w, i), false;
#define STORE(W) ENG_LANES(l, group) store_lane(R, i->c, l, at_host(r, A[l]), W)
        ENG_BY_WIDTH(i->width, STORE)
#undef STORE
        r->bytes += (uint64_t)__builtin_popcount(group) * i->width;
    }
    put_groups(w, i, &g, &s, A, i->access);
    if (g.done && wants_access(w)) put_values(w, i, g.done, &s, A, R);
    return ENG_LIKELY(!g.faulty) || !mem_fault(w, i, A, g.faulty);
}

#endif
