/* LDS and STS. As in exec_global.c: fast handlers for whole warps of contiguous or uniform addresses, which call nobody
 * and send everything else, before it has had an effect, to the general ones. */
#include "engine/lift.h"
#include "engine/loads.h"
#include "engine/matrix.h"
#include "engine/phase.h"

static __attribute__((noinline)) const eng_ins *load_rest(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        shared_addresses(i, w, R, A);
        if (ENG_UNLIKELY(!shared_load_lanes(i, w, R, on, A))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_LOADED;
}

/* A look at an asynchronous barrier (phase.h). c: the phase that is waited for; y: when it has ended, its bit << 8, not known << 16 */
static __attribute__((noinline)) const eng_ins *load_phase(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask), ended = 0;
    if (on) {
        shared_addresses(i, w, R, A);
        if (ENG_UNLIKELY(!shared_load_lanes(i, w, R, on, A))) ENG_GOTO(eng_end(w, i));
        unsigned bit = i->y >> 8 & 31;
        ENG_LANES(l, on) ended |= (i->y >> ((eng_u32(R, i->c)[l] >> bit & 1) | eng_u32(R, i->d)[l] >> 31 << 1) & 1) << l;
        if (i->y >> 16) put_phase_seen(w, i, on, A, 4, ENG_PHASE_LOOKED);
        else put_phase_seen(w, i, ended, A, 4, ENG_PHASE_SEEN);
        if (!(i->y >> 16)) note_awaited(w, on & ~ended, A, 4);
    }
    ENG_NEXT_LOADED;
}

static __attribute__((noinline)) const eng_ins *store_rest(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        shared_addresses(i, w, R, A);
        if (ENG_UNLIKELY(!shared_store_lanes(i, w, R, on, A))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

/* May [address, address + n) not be loaded as it is? What lies below shared_plain may, whoever asks for definedness. */
ENG_INLINE bool misses_defined(const eng_warp *w, uint32_t address, const unsigned n, const unsigned width) {
    if (address & (width - 1)) return true;
    if (ENG_LIKELY((uint64_t)address + n <= w->shared_plain)) return false;
    if ((uint64_t)address + n > w->shared_size) return true;
    if (n >= 32) return !bits_full(w->shared_bits, address, n);
    uint16_t bits; /* of one element */
    memcpy(&bits, w->shared_bits + address / 8, 2);
    return (~bits >> (address & 7) & ((1u << n) - 1)) != 0;
}
ENG_INLINE bool misses_plain(const eng_warp *w, uint32_t address, unsigned n, unsigned width) {
    return (uint64_t)address + n > w->shared_plain || (address & (width - 1));
}
/* Stored to, and marked as defined. */
ENG_INLINE bool misses_marked(const eng_warp *w, uint32_t address, const unsigned n, const unsigned width) {
    if (address & (width - 1)) return true;
    if (ENG_LIKELY((uint64_t)address + n <= w->shared_plain)) return false;
    if ((uint64_t)address + n > w->shared_size) return true;
    bits_fill(w->shared_bits, address, n);
    return false;
}

/* Some lanes, contiguous or uniform. */
ENG_INLINE const eng_ins *load_some(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, const unsigned W, const bool is_signed) {
    uint32_t on = eng_on(i, w, mask);
    if (!on) ENG_NEXT;
    unsigned first = (unsigned)__builtin_ctz(on), n = 32 - (unsigned)__builtin_clz(on) - first;
    lanes_scan scan = scan32_on(R, i->a, W, on, first);
    uint32_t address = eng_u32(R, i->a)[first] + *eng_u32(R, i->b) + (uint32_t)i->imm;
    bool contiguous = vu_none(scan.contiguous);
    if ((!contiguous && !vu_none(scan.uniform)) || ENG_UNLIKELY(misses_plain(w, address, contiguous ? n * W : W, W)) ||
        ENG_UNLIKELY(!event_fits(w)))
        return load_rest(i, w, R, mask);
    if (contiguous) gather_contiguous_on(R, i->d, w->shared + address - first * W, on, W, is_signed);
    else broadcast_on(R, i->d, w->shared + address, on, W, is_signed);
    if (wants_access(w))
        put_plain(w, i, on, contiguous ? (uint64_t)address - first * W : address, contiguous ? ENG_CONTIGUOUS : ENG_UNIFORM, ENG_SHARED, W);
    w->worked |= on;
    ENG_NEXT;
}

ENG_INLINE const eng_ins *store_some(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, const unsigned W) {
    uint32_t on = eng_on(i, w, mask);
    if (!on) ENG_NEXT;
    unsigned first = (unsigned)__builtin_ctz(on), n = 32 - (unsigned)__builtin_clz(on) - first;
    lanes_scan scan = scan32_on(R, i->a, W, on, first);
    uint32_t address = eng_u32(R, i->a)[first] + *eng_u32(R, i->b) + (uint32_t)i->imm;
    if (!vu_none(scan.contiguous) || ENG_UNLIKELY(misses_plain(w, address, n * W, W)) || ENG_UNLIKELY(!event_fits(w)))
        return store_rest(i, w, R, mask);
    scatter_contiguous_on(R, i->c, w->shared + address - first * W, on, W);
    w->worked |= on;
    if (wants_access(w)) put_plain(w, i, on, (uint64_t)address - first * W, ENG_CONTIGUOUS, ENG_SHARED, W);
    if (ENG_UNLIKELY(wants_values(w))) return value_stored(i, w, R, mask);
    ENG_NEXT;
}

ENG_INLINE const eng_ins *load_fast(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, uint32_t on, const unsigned W,
                                    const bool is_signed, eng_fn some, const bool again) {
    if (ENG_UNLIKELY(on != ENG_ALL)) return some(i, w, R, mask);
    uint8_t *kept = seen_of(view_of(w), i), seen = again ? *kept : look32(R, i->a, W, kept);
    uint32_t address = *eng_u32(R, i->a) + *eng_u32(R, i->b) + (uint32_t)i->imm;
    if (seen == SEEN_CONTIGUOUS) {
        if (ENG_UNLIKELY(!event_fits(w)) || ENG_UNLIKELY(misses_defined(w, address, 32 * W, W))) return load_rest(i, w, R, mask);
        gather_contiguous(R, i->d, w->shared + address, W, is_signed);
        put_whole(w, i, i->c, address, ENG_CONTIGUOUS, ENG_SHARED, W, 0);
    } else if (seen == SEEN_UNIFORM) {
        if (ENG_UNLIKELY(misses_defined(w, address, W, W)) || ENG_UNLIKELY(!event_fits(w))) return load_rest(i, w, R, mask);
        broadcast(R, i->d, w->shared + address, W, is_signed);
        put_whole(w, i, i->c, address, ENG_UNIFORM, ENG_SHARED, W, 0);
    } else {
        return load_rest(i, w, R, mask);
    }
    w->worked = ENG_ALL;
    ENG_NEXT;
}

ENG_INLINE const eng_ins *store_fast(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask, uint32_t on, const unsigned W, eng_fn some,
                                     const bool again) {
    if (ENG_UNLIKELY(on != ENG_ALL)) return some(i, w, R, mask);
    uint8_t *kept = seen_of(view_of(w), i), seen = again ? *kept : look32(R, i->a, W, kept);
    uint32_t address = *eng_u32(R, i->a) + *eng_u32(R, i->b) + (uint32_t)i->imm;
    if (ENG_UNLIKELY(seen != SEEN_CONTIGUOUS) || ENG_UNLIKELY(!event_fits(w)) || ENG_UNLIKELY(misses_marked(w, address, 32 * W, W)))
        return store_rest(i, w, R, mask);
    scatter_contiguous(R, i->c, w->shared + address, W);
    w->worked = ENG_ALL;
    if (put_whole(w, i, i->d, address, ENG_CONTIGUOUS, ENG_SHARED, W, 0) && wants_values(w)) return value_stored(i, w, R, mask);
    ENG_NEXT;
}

ENG_LOAD(lds_u8, 1, false)
ENG_LOAD(lds_s8, 1, true)
ENG_LOAD(lds_u16, 2, false)
ENG_LOAD(lds_s16, 2, true)
ENG_LOAD(lds_32, 4, false)
ENG_LOAD(lds_64, 8, false)
ENG_LOAD(lds_128, 16, false)
ENG_STORE(sts_8, 1)
ENG_STORE(sts_16, 2)
ENG_STORE(sts_32, 4)
ENG_STORE(sts_64, 8)
ENG_STORE(sts_128, 16)

static bool bind_lds(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    static const eng_fn *const fast[5] = {lds_u8, lds_u16, lds_32, lds_64, lds_128}, *const fast_signed[2] = {lds_s8, lds_s16};
    bind_shared(plan, in, out, ENG_READ);
    out->d = eng_slot_dst(plan, &in->dst);
    out->c = eng_plain_counter(plan, ENG_SHARED);
    bool before = looked_at_before(plan, in, out->id, SASS_CLASS_SHARED_LD, SASS_CLASS_SHARED_ST);
    phase_test test = {0};
    if (tests_phase(plan, in, out->id, &test)) {
        out->access |= ENG_STRONG;
        out->z = out->access;
        out->c = test.phase ? eng_slot_src(plan, test.phase) : plan->zero;
        out->y = test.ended | test.bit << 8 | (test.phase ? 0u : 1u << 16);
        out->fn = load_phase;
        return true;
    }
    if (out->x & (MEM_SCALE | MEM_RANKED)) out->fn = load_rest;
    else out->fn = pick_access((out->x & MEM_SIGNED ? fast_signed : fast)[__builtin_ctz(out->width)], out, before);
    return true;
}

static bool bind_sts(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    static const eng_fn *const fast[5] = {sts_8, sts_16, sts_32, sts_64, sts_128};
    bind_shared(plan, in, out, ENG_WRITE);
    out->c = eng_slot_src(plan, &in->a);
    out->d = eng_plain_counter(plan, ENG_SHARED);
    bool before = looked_at_before(plan, in, out->id, SASS_CLASS_SHARED_LD, SASS_CLASS_SHARED_ST);
    out->fn = out->x & (MEM_SCALE | MEM_RANKED) ? store_rest : pick_access(fast[__builtin_ctz(out->width)], out, before);
    return true;
}

/* --- matrices ------------------------------------------------------------------------- */

static uint32_t half_unwritten(const eng_warp *w, uint64_t at) { return w->shared_bits[at / 8] >> at % 8 & 1 ? 0 : 0xffff; }

/* The rows' addresses, checked and told: *rows, those of lanes that give one. False: the launch ends. */
static bool matrix_rows(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, uint64_t A[32], uint32_t *rows) {
    *rows = matrices(i) == 4 ? ENG_ALL : (1u << matrices(i) * 8) - 1;
    shared_addresses(i, w, R, A);
    active m_rows;
    active_of(&m_rows, *rows);
    uint32_t bad = window_outside(A, &m_rows, *rows, w->shared_size, 16);
    w->worked |= on;
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, ENG_SHARED, A, bad, w->shared_size)) return false;
    shape s;
    shape_of(A, &m_rows, *rows, 16, &s);
    if (wants_access(w)) put_access(w, i, *rows, &s, ENG_SHARED, A);
    return true;
}

static __attribute__((noinline)) const eng_ins *ldsm(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask), count = matrices(i), rows;
    bool transposed = is_transposed(i);
    if (on && on == mask) { /* not by some lanes only */
        if (ENG_UNLIKELY(!matrix_rows(i, w, R, on, A, &rows))) ENG_GOTO(eng_end(w, i));
        uint32_t value[4][32], undefined[4][32], some = 0;
        for (unsigned m = 0; m < count; m++)
            for (unsigned l = 0; l < 32; l++) {
                uint16_t low, high;
                memcpy(&low, w->shared + element_at(A, m, l, 0, transposed), 2);
                memcpy(&high, w->shared + element_at(A, m, l, 1, transposed), 2);
                value[m][l] = low | (uint32_t)high << 16;
            }
        if (shared_unwritten(w, A, rows, 16)) {
            for (unsigned m = 0; m < count; m++)
                for (unsigned l = 0; l < 32; l++) {
                    undefined[m][l] = half_unwritten(w, element_at(A, m, l, 0, transposed)) |
                                      half_unwritten(w, element_at(A, m, l, 1, transposed)) << 16;
                    some |= undefined[m][l];
                }
        }
        for (unsigned m = 0; m < count; m++)
            ENG_LANES(l, on) eng_u32(R, i->d + m * ENG_SLOT)[l] = value[m][l];
        if (ENG_UNLIKELY(some)) eng_undefined_loaded_matrix(w, i, undefined, count, on, A[0]);
    }
    ENG_NEXT_LOADED;
}

static __attribute__((noinline)) const eng_ins *stsm(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask), rows;
    if (on) {
        if (ENG_UNLIKELY(!matrix_rows(i, w, R, on, A, &rows))) ENG_GOTO(eng_end(w, i));
        for (unsigned m = 0; m < matrices(i); m++)
            ENG_LANES(l, on) {
                uint32_t value = eng_u32(R, i->c + m * ENG_SLOT)[l];
                memcpy(w->shared + element_at(A, m, l, 0, is_transposed(i)), &(uint16_t){(uint16_t)value}, 2);
                memcpy(w->shared + element_at(A, m, l, 1, is_transposed(i)), &(uint16_t){(uint16_t)(value >> 16)}, 2);
            }
        shared_define(w, A, rows, 16);
    }
    ENG_NEXT_UNWOUND;
}

static bool bind_matrices(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned access, eng_fn fn) {
    bind_shared(plan, in, out, access);
    out->width = 16;
    out->x = (out->x & MEM_RANKED) | (uint32_t)in->shape << 8 | (uint32_t)in->sub << 16;
    out->fn = fn;
    return in->shape == 1 || in->shape == 2 || in->shape == 4;
}
static bool bind_ldsm(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->sub > 1) return eng_refuse(plan, "this shape of LDSM");
    out->d = eng_slot_dst(plan, &in->dst);
    return bind_matrices(plan, in, out, ENG_READ, ldsm);
}
static bool bind_stsm(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->sub > 1) return eng_refuse(plan, "this shape of STSM");
    out->c = eng_slot_src(plan, &in->a);
    return bind_matrices(plan, in, out, ENG_WRITE, stsm);
}

ENG_FAMILY(shared, {"lds", bind_lds}, {"sts", bind_sts}, {"ldsm", bind_ldsm}, {"stsm", bind_stsm});

/* --- the loads of a run (loads.h) ------------------------------------------------------- */

/* Plain accesses are summed, and the first of a kind is an event, which handlers make. */
static __attribute__((noinline)) bool all_heard(const eng_loads *loads, unsigned b, const eng_warp *w, uint32_t address) {
    for (unsigned n = 0; n < loads->n; n++) {
        const eng_ins *i = loads->loads[n].ins;
        if (loads->loads[n].base == b && !w->counts[i->c + eng_load_plain(&loads->bases[b], i, address)]) return false;
    }
    return true;
}
/* All of a base's loads at once. Contiguous ones must begin where a sector does: then one count tells the shape of each. */
ENG_INLINE bool base_fits(const eng_loads *loads, unsigned b, const eng_warp *w, uint8_t *R, uint32_t address) {
    const eng_load_base *base = &loads->bases[b];
    bool contiguous = base->shape == ENG_LOAD_CONTIGUOUS;
    int64_t first = (int64_t)address + base->least, end = (int64_t)address + base->most + (contiguous ? 31 * base->width : 0);
    if (!base->known) {
        lanes_scan scan = scan32(R, base->slot, base->width);
        if (!vu_none(contiguous ? scan.contiguous : scan.uniform)) return false;
    }
    if (first < 0 || end > w->shared_plain || address & (base->width - 1u)) return false;
    if (!(w->worker->wants & ENG_WANTS_SUMS)) return !wants_access(w);
    if (contiguous && address & (ENG_PLAIN_SECTOR - 1)) return false;
    return w->counts[base->counter] || all_heard(loads, b, w, address);
}
static void copy_words(eng_load_frame *frame, const eng_loads *loads) {
    for (unsigned n = 0; n < loads->n; n++) {
        const eng_one_load *load = &loads->loads[n];
        const eng_load_base *base = &loads->bases[load->base];
        const uint8_t *p = frame->at[load->base] + load->ins->imm;
        if (!eng_load_copied(base)) continue;
        if (base->width == 8) gather_contiguous(frame->words[load->words], 0, p, 8, false);
        else gather_contiguous(frame->words[load->words], 0, p, 16, false);
    }
}
eng_load_frame *ENG_ISA(eng_loads_do)(const eng_loads *loads, eng_warp *w, uint8_t *R);
eng_load_frame *ENG_ISA(eng_loads_do)(const eng_loads *loads, eng_warp *w, uint8_t *R) {
    eng_view *v = view_of(w);
    eng_load_frame *frame = w->worker->load_frame;
    bool copied = false;
    for (unsigned b = 0; frame && b < loads->n_bases; b++) {
        const eng_load_base *base = &loads->bases[b];
        uint32_t address = *eng_u32(R, base->slot) + *eng_u32(R, base->add);
        if (!base_fits(loads, b, w, R, address)) return NULL;
        frame->at[b] = w->shared + address;
        copied |= eng_load_copied(base);
    }
    for (unsigned b = 0; frame && b < loads->n_bases; b++) { /* nothing can go wrong any more */
        const eng_load_base *base = &loads->bases[b];
        if (base->keeps) v->seen[base->slot / ENG_SLOT & 255] = base->shape == ENG_LOAD_UNIFORM ? SEEN_UNIFORM : SEEN_CONTIGUOUS;
        w->counts[base->counter]++;
    }
    if (frame && copied) copy_words(frame, loads);
    w->worked = ENG_ALL;
    return frame;
}

ENG_LIFTS(shared, {lds_32, ENG_LIFT_LDS}, {lds_64, ENG_LIFT_LDS_64}, {lds_128, ENG_LIFT_LDS_128});
