/* LDG and STG.
 *
 * The fast handlers do all 32 lanes of a contiguous or uniform access that needs nothing unusual: one compare for the
 * bounds, one for what is defined, vector copies, two additions for the reads, one event. They call nobody. Anything
 * else goes, before it has had an effect, to the general handlers, which take every mask and every shape. */
#include "engine/lanes_global.h"

/* --- general -------------------------------------------------------------------------- */

/* The lanes that are on; *ended: one of their accesses ended the warp. */
static inline uint32_t load_masked(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, bool *ended) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    *ended = false;
    if (on) {
        w->spinning |= (i->access & ENG_STRONG) != 0;
        global_addresses(i, R, A);
        *ended = !load_lanes(i, w, R, on, A);
    }
    return on;
}

static __attribute__((noinline)) const eng_ins *load_rest(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    bool ended;
    load_masked(i, w, R, mask, &ended);
    if (ENG_UNLIKELY(ended)) ENG_GOTO(eng_end(w, i));
    ENG_NEXT_LOADED;
}

/* With a predicate result, which no compiler asks for: an H200 makes it false. */
static __attribute__((noinline)) const eng_ins *load_told(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    bool ended;
    uint32_t on = load_masked(i, w, R, mask, &ended);
    if (ENG_UNLIKELY(ended)) ENG_GOTO(eng_end(w, i));
    eng_set_pred(w, i->pd[0], 0, on);
    ENG_NEXT_LOADED;
}

static __attribute__((noinline)) const eng_ins *store_rest(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        global_addresses(i, R, A);
        if (ENG_UNLIKELY(!store_lanes(i, w, R, on, A))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

/* --- fast ----------------------------------------------------------------------------- */

/* Warps take their turns in order, and mostly lie side by side: asks for what the fourth warp from here will access. Where
 * they do not, a prefetch is lost, and no more. */
ENG_INLINE void fetch_ahead(const mem_range *r, uint64_t address, uint64_t n) {
    const uint8_t *ahead = at_host(r, address + 4 * n);
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + n - 1);
}

/* Some lanes, contiguous or uniform: as the fast path, but for what a mask costs. */
ENG_INLINE const eng_ins *load_some(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, const unsigned W, const bool is_signed) {
    uint32_t on = eng_on(i, w, mask);
    if (!on) ENG_NEXT;
    eng_view *v = view_of(w);
    mem_range *r = range_of(v, i);
    unsigned first = (unsigned)__builtin_ctz(on), n = 32 - (unsigned)__builtin_clz(on) - first;
    lanes_scan scan = scan64_on(R, i->a, W, on, first);
    uint64_t address = (eng_u32(R, i->a)[first] | (uint64_t)eng_u32(R, i->a + ENG_SLOT)[first] << 32) + (uint64_t)i->imm;
    bool contiguous = vu_none(scan.contiguous);
    if (!contiguous && !vu_none(scan.uniform)) return load_rest(i, w, R, mask);
    uint64_t span = contiguous ? (uint64_t)n * W : W;
    if (ENG_UNLIKELY(misses(r, address, span, W)) || address - r->lo + span > r->plain || ENG_UNLIKELY(!event_fits(w)))
        return load_rest(i, w, R, mask);
    const uint8_t *p = at_host(r, address);
    unsigned lanes = (unsigned)__builtin_popcount(on);
    if (!contiguous) {
        broadcast_on(R, i->d, p, on, W, is_signed);
        if (v->words) run_add(v, i, address + r->shadow, W, lanes);
        if (wants_access(w)) put_plain(w, i, on, address, ENG_UNIFORM, ENG_GLOBAL, W);
    } else {
        gather_contiguous_on(R, i->d, p - first * W, on, W, is_signed);
        if (v->words && lanes == n) run_add(v, i, address + r->shadow, (uint32_t)span, 1);
        else if (v->words) ENG_LANES(l, on) count_run(v, address + r->shadow + (l - first) * W, W, 1);
        if (wants_access(w)) put_plain(w, i, on, address - first * W, ENG_CONTIGUOUS, ENG_GLOBAL, W);
    }
    r->bytes += lanes * W;
    w->worked |= on;
    ENG_NEXT;
}

ENG_INLINE const eng_ins *store_some(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, const unsigned W) {
    uint32_t on = eng_on(i, w, mask);
    if (!on) ENG_NEXT;
    mem_range *r = range_of(view_of(w), i);
    unsigned first = (unsigned)__builtin_ctz(on), n = 32 - (unsigned)__builtin_clz(on) - first, lanes = (unsigned)__builtin_popcount(on);
    lanes_scan scan = scan64_on(R, i->a, W, on, first);
    uint64_t address = (eng_u32(R, i->a)[first] | (uint64_t)eng_u32(R, i->a + ENG_SLOT)[first] << 32) + (uint64_t)i->imm;
    uint64_t span = (uint64_t)n * W;
    if (!vu_none(scan.contiguous) || ENG_UNLIKELY(misses(r, address, span, W)) || ENG_UNLIKELY(!event_fits(w)))
        return store_rest(i, w, R, mask);
    if (address - r->lo + span > r->plain && ENG_UNLIKELY(lanes != n || !mem_mark(view_of(w), r, address, span, false)))
        return store_rest(i, w, R, mask);
    scatter_contiguous_on(R, i->c, at_host(r, address) - first * W, on, W);
    r->bytes += lanes * W;
    w->worked |= on;
    if (wants_access(w)) put_plain(w, i, on, address - first * W, ENG_CONTIGUOUS, ENG_GLOBAL, W);
    if (ENG_UNLIKELY(wants_values(w))) return value_stored(i, w, R, mask);
    ENG_NEXT;
}

/* The fast path's access goes on where no run ended: begins one, and comes back. Of all lanes, as the fast path saw them. */
static __attribute__((noinline)) const eng_ins *begin_run(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    eng_view *v = view_of(w);
    uint64_t address = (*eng_u32(R, i->a) | (uint64_t)*eng_u32(R, i->a + ENG_SLOT) << 32) + (uint64_t)i->imm;
    run_begin(v, i, address + range_of(v, i)->shadow, *seen_of(v, i) == SEEN_CONTIGUOUS ? 1 : 32);
    return i->fn(i, w, R, mask);
}

ENG_INLINE const eng_ins *load_fast(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, uint32_t on, const unsigned W,
                                    const bool is_signed, eng_fn some, const bool again) {
    if (ENG_UNLIKELY(on != ENG_ALL)) return some(i, w, R, mask);
    eng_view *v = view_of(w);
    mem_range *r = range_of(v, i);
    uint8_t seen = again ? *seen_of(v, i) : look64(R, i->a, W, seen_of(v, i));
    uint64_t address = (*eng_u32(R, i->a) | (uint64_t)*eng_u32(R, i->a + ENG_SLOT) << 32) + (uint64_t)i->imm, at = address + r->shadow;
    if (ENG_LIKELY(seen == SEEN_CONTIGUOUS)) {
        const unsigned n = 32 * W;
        if (ENG_UNLIKELY(misses(r, address, n, W)) || (address - r->lo + n > r->plain && !bits_full(v->defined, at, n)) ||
            ENG_UNLIKELY(!event_fits(w)))
            return load_rest(i, w, R, mask);
        if (v->words) {
            mem_run *run = run_of(v, i, at);
            if (ENG_UNLIKELY(!run_goes_on(run, at, 1))) return begin_run(i, w, R, mask);
            run->n += n;
        }
        fetch_ahead(r, address, n);
        gather_contiguous(R, i->d, at_host(r, address), W, is_signed);
        put_whole(w, i, i->c, address, ENG_CONTIGUOUS, ENG_GLOBAL, W, r->stored);
    } else if (seen == SEEN_UNIFORM) {
        if (ENG_UNLIKELY(misses(r, address, W, W)) || address - r->lo + W > r->plain || ENG_UNLIKELY(!event_fits(w)))
            return load_rest(i, w, R, mask);
        if (v->words) {
            mem_run *run = run_of(v, i, at);
            if (ENG_LIKELY(run_stays(run, at, W))) run->times += 32;
            else if (run_goes_on(run, at, 32)) run->n += W;
            else return begin_run(i, w, R, mask);
        }
        broadcast(R, i->d, at_host(r, address), W, is_signed);
        put_whole(w, i, i->c, address, ENG_UNIFORM, ENG_GLOBAL, W, r->stored);
    } else {
        return load_rest(i, w, R, mask);
    }
    r->bytes += 32 * W;
    w->worked = ENG_ALL;
    ENG_NEXT;
}

/* Marks n (32 at least, a multiple of 8) bytes as written where that needs nothing else. False: nothing was done. */
ENG_INLINE bool mark_fast(const eng_view *v, uint64_t at, const unsigned n) {
    const _Atomic uint8_t *pages = v->pages;
    if (!v->touched[at >> MEM_CHUNK] || !v->touched[(at + n - 1) >> MEM_CHUNK]) return false;
    if (pages && (atomic_load_explicit(&pages[at / MEM_PAGE], memory_order_acquire) != MEM_KEPT ||
                  atomic_load_explicit(&pages[(at + n - 1) / MEM_PAGE], memory_order_acquire) != MEM_KEPT))
        return false;
    bits_fill(v->marks, at, n);
    return true;
}

ENG_INLINE const eng_ins *store_fast(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, uint32_t on, const unsigned W, eng_fn some,
                                     const bool again) {
    if (ENG_UNLIKELY(on != ENG_ALL)) return some(i, w, R, mask);
    eng_view *v = view_of(w);
    mem_range *r = range_of(v, i);
    const unsigned n = 32 * W;
    uint8_t seen = again ? *seen_of(v, i) : look64(R, i->a, W, seen_of(v, i));
    uint64_t address = (*eng_u32(R, i->a) | (uint64_t)*eng_u32(R, i->a + ENG_SLOT) << 32) + (uint64_t)i->imm;
    if (ENG_UNLIKELY(seen != SEEN_CONTIGUOUS) || ENG_UNLIKELY(misses(r, address, n, W)) || ENG_UNLIKELY(!event_fits(w)) ||
        (address - r->lo + n > r->plain && ENG_UNLIKELY(!mark_fast(v, address + r->shadow, n))))
        return store_rest(i, w, R, mask);
    fetch_ahead(r, address, n);
    scatter_contiguous(R, i->c, at_host(r, address), W);
    r->bytes += n;
    w->worked = ENG_ALL;
    if (put_whole(w, i, i->d, address, ENG_CONTIGUOUS, ENG_GLOBAL, W, 0) && wants_values(w)) return value_stored(i, w, R, mask);
    ENG_NEXT;
}

ENG_LOAD(ldg_u8, 1, false)
ENG_LOAD(ldg_s8, 1, true)
ENG_LOAD(ldg_u16, 2, false)
ENG_LOAD(ldg_s16, 2, true)
ENG_LOAD(ldg_32, 4, false)
ENG_LOAD(ldg_64, 8, false)
ENG_LOAD(ldg_128, 16, false)
ENG_STORE(stg_8, 1)
ENG_STORE(stg_16, 2)
ENG_STORE(stg_32, 4)
ENG_STORE(stg_64, 8)
ENG_STORE(stg_128, 16)

/* --- binders -------------------------------------------------------------------------- */

static bool bind_ldg(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    static const eng_fn *const fast[5] = {ldg_u8, ldg_u16, ldg_32, ldg_64, ldg_128}, *const fast_signed[2] = {ldg_s8, ldg_s16};
    if (in->psrc[0].present && (in->psrc[0].reg != SASS_PT || in->psrc[0].inv))
        return eng_refuse(plan, "a load with a predicate operand");
    bind_global(plan, in, out, ENG_READ);
    out->d = eng_slot_dst(plan, &in->dst);
    out->c = eng_plain_counter(plan, ENG_GLOBAL);
    bool before = looked_at_before(plan, in, out->id, SASS_CLASS_GLOBAL_LD, SASS_CLASS_GLOBAL_ST);
    out->pd[0] = eng_pred_dst(&in->pdst[0]);
    if (out->pd[0] != ENG_PSINK) out->fn = load_told;
    else if ((out->x & (MEM_PAIR | MEM_UNIFORM)) != MEM_PAIR || (out->access & ENG_STRONG)) out->fn = load_rest;
    else out->fn = pick_access((out->x & MEM_SIGNED ? fast_signed : fast)[__builtin_ctz(out->width)], out, before);
    return true;
}

static bool bind_stg(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    static const eng_fn *const fast[5] = {stg_8, stg_16, stg_32, stg_64, stg_128};
    bind_global(plan, in, out, ENG_WRITE);
    out->c = eng_slot_src(plan, &in->a);
    out->d = eng_plain_counter(plan, ENG_GLOBAL);
    bool before = looked_at_before(plan, in, out->id, SASS_CLASS_GLOBAL_LD, SASS_CLASS_GLOBAL_ST);
    if ((out->x & (MEM_PAIR | MEM_UNIFORM)) != MEM_PAIR) out->fn = store_rest;
    else out->fn = pick_access(fast[__builtin_ctz(out->width)], out, before);
    return true;
}

ENG_FAMILY(global, {"ldg", bind_ldg}, {"stg", bind_stg});
