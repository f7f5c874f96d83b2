/* Bulk copies with a tensor map: UTMALDG, UTMASTG, UTMAREDG copy a box of the tensor; UTMAPF and UTMACCTL ask for caches. */
#include "engine/classify.h"
#include "engine/plan.h"
#include "engine/tma.h"

enum { MULTICAST = 1 << 8, IM2COL = 1 << 9, OPERATION = 16 }; /* of x, beside the number of dimensions */

/* a: the place in shared memory; of loads, the barrier; the coordinates. c, of loads: offsets of im2col in 16 bits, the blocks of a multicast */
static tma_begin begin_at(const eng_ins *i, const uint8_t *R, unsigned behind, uint32_t offsets) {
    const unsigned rank = i->x & 7, bits = rank > 2 ? 16 / (rank - 2) : 0;
    tma_begin c = {0};
    for (unsigned d = 0; d < rank; d++) c.at[d] = (int32_t)eng_bulk_word(R, i->a, behind + d);
    for (unsigned d = 0; d + 2 < rank; d++) c.offset[d] = (int32_t)(offsets >> d * bits & ((1u << bits) - 1));
    return c;
}

/* The map that b is the address of, which must be of the instruction's kind. */
static bool take_map(eng_bulk *b, const eng_ins *i, const uint8_t *R, tensor_map *map) {
    return eng_tma_map(b, eng_bulk_pair(R, i->b), i->x & 7, i->x & IM2COL, map);
}

static void load(eng_bulk *b, const eng_ins *i, const uint8_t *R) {
    tensor_map map;
    eng_bulk_target t[ENG_CLUSTER_BLOCKS];
    if (!take_map(b, i, R, &map)) return;
    const uint32_t more = i->x & (MULTICAST | IM2COL) ? eng_bulk_word(R, i->c, 0) : 0, place = eng_bulk_word(R, i->a, 0);
    const tma_begin c = begin_at(i, R, 2, i->x & IM2COL ? more : 0);
    unsigned count = eng_bulk_targets(b, place, eng_bulk_word(R, i->a, 1), eng_tma_extent(&map, place), TMA_ALIGN, i->x & MULTICAST ? more >> 16 : 0, t);
    if (count && eng_tma_begins(b, &map, &c, false)) eng_tma_load(b, &map, &c, t, count);
}

static void store(eng_bulk *b, const eng_ins *i, const uint8_t *R, bool reduces) {
    tensor_map map;
    eng_bulk_at from;
    uint32_t place = eng_bulk_word(R, i->a, 0);
    if (!take_map(b, i, R, &map) || !eng_bulk_find(b, place, eng_tma_extent(&map, place), TMA_ALIGN, ENG_READ, &from)) return;
    const tma_begin c = begin_at(i, R, 1, 0);
    if (!eng_tma_begins(b, &map, &c, true)) return;
    if (reduces) eng_tma_reduce(b, &map, &c, &from, i->x >> OPERATION);
    else eng_tma_store(b, &map, &c, &from);
}

static __attribute__((noinline)) const eng_ins *tensor_load(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        eng_leave_vectors();
        eng_bulk b = eng_bulk_begin(w, i, on);
        load(&b, i, R);
        if (ENG_UNLIKELY(b.ended)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}
static __attribute__((noinline)) const eng_ins *tensor_store(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        eng_leave_vectors();
        eng_bulk b = eng_bulk_begin(w, i, on);
        store(&b, i, R, false);
        if (ENG_UNLIKELY(b.ended)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}
static __attribute__((noinline)) const eng_ins *tensor_reduce(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        eng_leave_vectors();
        eng_bulk b = eng_bulk_begin(w, i, on);
        store(&b, i, R, true);
        if (ENG_UNLIKELY(b.ended)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

static bool bind_tensor(eng_plan *plan, const sass_instr *in, eng_ins *out, eng_fn fn) {
    out->a = eng_slot_src(plan, &in->a);
    out->b = eng_slot_src64(plan, &in->b);
    out->c = eng_slot_src(plan, &in->c);
    out->x = in->shape | (in->flags & SASS_MULTICAST ? MULTICAST : 0u) | (in->flags & SASS_IM2COL ? IM2COL : 0u) | (uint32_t)in->sub << OPERATION;
    out->fn = fn;
    return true;
}
static bool bind_utmaldg(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_tensor(plan, in, out, tensor_load); }
static bool bind_utmastg(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_tensor(plan, in, out, tensor_store); }
static bool bind_utmaredg(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_tensor(plan, in, out, tensor_reduce); }

/* Nothing is cached. */
ENG_HANDLER(nothing) { ENG_NEXT; }
static bool bind_nothing(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan, (void)in;
    out->fn = nothing;
    return true;
}

ENG_FAMILY(tma, {"utmaldg", bind_utmaldg}, {"utmastg", bind_utmastg}, {"utmaredg", bind_utmaredg}, {"utmapf", bind_nothing}, {"utmacctl", bind_nothing});
