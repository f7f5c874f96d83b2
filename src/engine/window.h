/* Accesses to shared and local memory, lane by lane: for the families that reach them, directly or by generic
 * addresses. Addresses are offsets in the window. For exec_*.c. */
#ifndef WG_ENGINE_WINDOW_H
#define WG_ENGINE_WINDOW_H

#include "engine/access.h"
#include "engine/cluster.h"

/* Address, width and order of a shared or local access. */
static inline void bind_window(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned access) {
    const sass_address *m = &in->mem;
    out->a = eng_slot_reg(plan, m->base);
    out->b = eng_slot_ureg(plan, m->uniform);
    out->imm = m->offset;
    out->width = in->width;
    out->access = (uint8_t)access;
    out->z = (uint16_t)access;
    out->x = in->type == SASS_S8 || in->type == SASS_S16 ? MEM_SIGNED : 0u;
    if (m->scale > 1) out->x |= MEM_SCALE | (uint32_t)__builtin_ctz(m->scale) << 28;
}

/* The same of the block's own shared memory. In a cluster its addresses hold the block's rank, which is taken away: where an operand is
 * free, by a slot that is added in its place. */
static inline void bind_shared(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned access) {
    bind_window(plan, in, out, access);
    if (!eng_plan_clustered(plan)) return;
    if (in->mem.uniform == SASS_URZ) out->b = eng_slot_special(plan, ENG_SR_TO_OWN);
    else if (in->mem.base == SASS_RZ) out->a = eng_slot_special(plan, ENG_SR_TO_OWN);
    else out->x |= MEM_RANKED;
}

static inline void window_addresses(const eng_ins *i, uint8_t *R, uint64_t *A) {
    const uint32_t *a = eng_u32(R, i->a);
    uint32_t add = *eng_u32(R, i->b) + (uint32_t)i->imm, shift = i->x & MEM_SCALE ? i->x >> 28 & 7 : 0;
    for (unsigned l = 0; l < 32; l++) A[l] = (a[l] << shift) + add;
}
static inline void shared_addresses(const eng_ins *i, const eng_warp *w, uint8_t *R, uint64_t *A) {
    window_addresses(i, R, A);
    if (i->x & MEM_RANKED)
        for (unsigned l = 0; l < 32; l++) A[l] = (uint32_t)A[l] - w->shared_base;
}

/* Lanes whose element is not inside [0, size) or not aligned. */
static inline uint32_t window_outside(const uint64_t *A, const active *m, uint32_t on, uint64_t size, unsigned width) {
    v4 any = {0};
    for (unsigned g = 0; g < 8; g++) {
        v4 a = v4_at(A, g);
        any |= ((size - width - a) | a | (0 - (a & (uint64_t)(width - 1)))) & m->lanes[g];
    }
    if (ENG_LIKELY(!v4_negative(any))) return 0;
    uint32_t bad = 0;
    for (unsigned l = 0; l < 32; l++) bad |= (uint32_t)(A[l] + width > size || (A[l] & (width - 1))) << l;
    return bad & on;
}

/* --- what is defined in shared memory, where somebody asks (undefined.h) --------------------------------- */

/* Lanes whose element (within the memory, aligned) holds undefined bytes. */
static inline uint32_t shared_unwritten(const eng_warp *w, const uint64_t *A, uint32_t on, unsigned width) {
    uint32_t unwritten = 0;
    if (!w->shared_bits) return 0;
    ENG_LANES(l, on) {
        uint16_t bits;
        if (A[l] + width <= w->shared_plain) continue;
        memcpy(&bits, w->shared_bits + A[l] / 8, 2);
        uint32_t mask = (1u << width) - 1;
        unwritten |= (uint32_t)((bits >> A[l] % 8 & mask) != mask) << l;
    }
    return unwritten;
}
static inline void shared_define(const eng_warp *w, const uint64_t *A, uint32_t on, unsigned width) {
    if (!w->shared_bits) return;
    ENG_LANES(l, on) {
        if (A[l] + width <= w->shared_plain) continue;
        uint16_t bits;
        memcpy(&bits, w->shared_bits + A[l] / 8, 2);
        bits |= (uint16_t)(((1u << width) - 1) << A[l] % 8);
        memcpy(w->shared_bits + A[l] / 8, &bits, 2);
    }
}

/* All of these return false when the launch ends. */
static __attribute__((noinline, unused)) bool reached_load_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A, const eng_reach *r) {
    const bool is_signed = i->x & MEM_SIGNED;
    active m;
    active_of(&m, on);
    uint32_t bad = window_outside(A, &m, on, r->end, i->width);
    shape s;
    w->worked |= on;
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, r->space, A, bad, w->shared_size)) return false;
    shape_of(A, &m, on, i->width, &s);
    if (wants_access(w)) put_access(w, i, on, &s, r->space, A);
#define LOAD(W)                                                                                        \
    if (on == ENG_ALL)                                                                                 \
        for (unsigned l = 0; l < 32; l++) load_lane(R, i->d, l, r->at + A[l], W, W < 4 && is_signed);  \
    else                                                                                               \
        ENG_LANES(l, on) load_lane(R, i->d, l, r->at + A[l], W, W < 4 && is_signed)
    uint32_t unwritten = shared_unwritten(w, A, on, i->width);
    ENG_BY_WIDTH(i->width, LOAD)
#undef LOAD
    if (ENG_UNLIKELY(unwritten)) eng_undefined_loaded(w, i, A, unwritten, ENG_SHARED);
    return true;
}
static inline bool shared_load_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    return reached_load_lanes(i, w, R, on, A, &(eng_reach){w->shared, w->shared_size, ENG_SHARED});
}

static __attribute__((noinline, unused)) bool reached_store_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A, const eng_reach *r) {
    active m;
    active_of(&m, on);
    uint32_t bad = window_outside(A, &m, on, r->end, i->width);
    shape s;
    w->worked |= on;
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, r->space, A, bad, w->shared_size)) return false;
    shape_of(A, &m, on, i->width, &s);
    if (wants_access(w)) put_store(w, i, on, &s, r->space, A, R);
#define STORE(W) ENG_LANES(l, on) store_lane(R, i->c, l, r->at + A[l], W)
    ENG_BY_WIDTH(i->width, STORE)
#undef STORE
    shared_define(w, A, on, i->width);
    return true;
}
static inline bool shared_store_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    return reached_store_lanes(i, w, R, on, A, &(eng_reach){w->shared, w->shared_size, ENG_SHARED});
}

/* An access of other blocks' shared memory, by whole addresses: one block after the other. What nobody wrote is not looked for in
 * clusters (eng_plan.writes_shared). */
typedef bool reached_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A, const eng_reach *r);
static inline bool cluster_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A, reached_lanes *access) {
    while (on) {
        uint64_t rank = A[__builtin_ctz(on)] >> ENG_RANK_SHIFT;
        uint32_t same = 0;
        eng_reach r;
        ENG_LANES(l, on) same |= (uint32_t)(A[l] >> ENG_RANK_SHIFT == rank) << l;
        if (!eng_cluster_reach(w, i, rank < UINT32_MAX ? (uint32_t)rank : UINT32_MAX, same, A, &r) || !access(i, w, R, same, A, &r)) return false;
        on &= ~same;
    }
    return true;
}

/* Local memory holds the words of all lanes side by side: a narrow element is a part of its lane's word. */
ENG_INLINE uint8_t *local_at(const eng_warp *w, uint64_t address, unsigned l) {
    return w->local + address / 4 * ENG_SLOT + l * 4 + address % 4;
}

static __attribute__((noinline, unused)) bool local_load_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    active m;
    active_of(&m, on);
    uint32_t bad = window_outside(A, &m, on, w->local_size, i->width);
    shape s;
    w->worked |= on;
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, ENG_LOCAL, A, bad, w->local_size)) return false;
    shape_of(A, &m, on, i->width, &s);
    if (wants_access(w)) put_access(w, i, on, &s, ENG_LOCAL, A);
    ENG_LANES(l, on) {
        uint8_t element[16];
        if (i->width < 4) memcpy(element, local_at(w, A[l], l), 2 > i->width ? 1 : 2);
        else
            for (unsigned b = 0; b < i->width; b += 4) memcpy(element + b, local_at(w, A[l] + b, l), 4);
#define LOAD(W) load_lane(R, i->d, l, element, W, W < 4 && (i->x & MEM_SIGNED))
        ENG_BY_WIDTH(i->width, LOAD)
#undef LOAD
    }
    if (w->local_undefined) eng_undefined_loaded(w, i, A, on, ENG_LOCAL);
    return true;
}

static __attribute__((noinline, unused)) bool local_store_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    active m;
    active_of(&m, on);
    uint32_t bad = window_outside(A, &m, on, w->local_size, i->width);
    shape s;
    w->worked |= on;
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, ENG_LOCAL, A, bad, w->local_size)) return false;
    shape_of(A, &m, on, i->width, &s);
    if (wants_access(w)) put_access(w, i, on, &s, ENG_LOCAL, A);
    ENG_LANES(l, on) {
        uint8_t element[16];
#define STORE(W) store_lane(R, i->c, l, element, W)
        ENG_BY_WIDTH(i->width, STORE)
#undef STORE
        if (i->width < 4) memcpy(local_at(w, A[l], l), element, 2 > i->width ? 1 : 2);
        else
            for (unsigned b = 0; b < i->width; b += 4) memcpy(local_at(w, A[l] + b, l), element + b, 4);
        if (!w->local_undefined) continue;
        uint32_t *undefined = &w->local_undefined[A[l] / 4 * 32 + l]; /* what was not comes afterwards (eng_undefined_after) */
        if (i->width < 4) *undefined &= ~(((1u << 8 * i->width) - 1) << A[l] % 4 * 8);
        else
            for (unsigned b = 0; b < i->width / 4u; b++) undefined[b * 32] = 0;
    }
    return true;
}

#endif
