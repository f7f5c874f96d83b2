/* Atomics and reductions. Lanes take effect in ascending order, one after the other, which is one of the orders that
 * hardware may choose, and always the same one. */
#include <math.h>

#include "engine/arrive.h"
#include "engine/generic.h"
#include "engine/half.h"
#include "engine/surface.h"

/* eng_ins.x beside the MEM_ flags: bits 8..11 the operation (sass_atom), 12..15 its type */
enum { T_U32, T_S32, T_U64, T_S64, T_F32, T_F32_FTZ, T_F64, T_F16X2, T_BF16X2, T_COUNT };
enum { ATOM_NO_RESULT = 1 << 16, ATOM_TELLS = 1 << 17, ATOM_GLOBAL = 1 << 18, ATOM_WORDS = 1 << 19, ATOM_SURFACE_SIGN = 1 << 20 };
/* TELLS: a predicate says which lanes it was not done for, because their place is not in global memory (never, where no others are: GLOBAL).
 * WORDS: a value is several words of the type, which are done one by one. */

typedef union word { /* a value of any type */
    uint64_t u64;
    int64_t s64;
    double f64;
    uint32_t u32;
    int32_t s32;
    float f32;
} word;

static float flushed(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (!(bits & 0x7f800000)) bits &= 0x80000000;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t add_f32(float a, float b, bool ftz) {
    float sum = ftz ? flushed(flushed(a) + flushed(b)) : a + b;
    uint32_t bits;
    memcpy(&bits, &sum, 4);
    return sum != sum ? 0x7fffffff : bits;
}

/* A NaN comes out as it is, also a signalling one: the operand's before that of memory. */
static word add_f64(word old, word data) {
    if (isnan(data.f64)) return data;
    return isnan(old.f64) ? old : (word){.f64 = old.f64 + data.f64};
}

static uint32_t add_halves(uint32_t a, uint32_t b, bool bf) {
    uint32_t sum = 0;
    for (unsigned k = 0; k < 32; k += 16) {
        uint16_t x = (uint16_t)(a >> k), y = (uint16_t)(b >> k);
        uint16_t z = bf ? bfloat_of(bfloat_value(x) + bfloat_value(y)) : half_of(half_value(x) + half_value(y));
        sum |= (uint32_t)z << k;
    }
    return sum;
}

static uint32_t extreme_halves(uint32_t old, uint32_t data, bool least, bool bf) {
    return half_extreme((uint16_t)old, (uint16_t)data, least, bf) | (uint32_t)half_extreme((uint16_t)(old >> 16), (uint16_t)(data >> 16), least, bf) << 16;
}

/* What memory holds afterwards. op and type are constants after inlining. */
ENG_INLINE word combine(const unsigned op, const unsigned type, word old, word data) {
    word r = {0};
    const bool wide = type == T_U64 || type == T_S64 || type == T_F64;
    switch (op) {
    case SASS_ATOM_ADD:
        if (type == T_F32 || type == T_F32_FTZ) r.u32 = add_f32(old.f32, data.f32, type == T_F32_FTZ);
        else if (type == T_F64) r = add_f64(old, data);
        else if (type == T_F16X2 || type == T_BF16X2) r.u32 = add_halves(old.u32, data.u32, type == T_BF16X2);
        else if (wide) r.u64 = old.u64 + data.u64;
        else r.u32 = old.u32 + data.u32;
        break;
    case SASS_ATOM_POPC_INC: r.u32 = old.u32 + 1; break;
    case SASS_ATOM_MIN:
        if (type == T_F16X2 || type == T_BF16X2) r.u32 = extreme_halves(old.u32, data.u32, true, type == T_BF16X2);
        else if (type == T_U32) r.u32 = old.u32 < data.u32 ? old.u32 : data.u32;
        else if (type == T_S32) r.s32 = old.s32 < data.s32 ? old.s32 : data.s32;
        else if (type == T_U64) r.u64 = old.u64 < data.u64 ? old.u64 : data.u64;
        else r.s64 = old.s64 < data.s64 ? old.s64 : data.s64;
        break;
    case SASS_ATOM_MAX:
        if (type == T_F16X2 || type == T_BF16X2) r.u32 = extreme_halves(old.u32, data.u32, false, type == T_BF16X2);
        else if (type == T_U32) r.u32 = old.u32 > data.u32 ? old.u32 : data.u32;
        else if (type == T_S32) r.s32 = old.s32 > data.s32 ? old.s32 : data.s32;
        else if (type == T_U64) r.u64 = old.u64 > data.u64 ? old.u64 : data.u64;
        else r.s64 = old.s64 > data.s64 ? old.s64 : data.s64;
        break;
    case SASS_ATOM_INC: r.u32 = old.u32 >= data.u32 ? 0 : old.u32 + 1; break;
    case SASS_ATOM_DEC: r.u32 = old.u32 == 0 || old.u32 > data.u32 ? data.u32 : old.u32 - 1; break;
    case SASS_ATOM_AND: r.u64 = old.u64 & data.u64; break;
    case SASS_ATOM_OR: r.u64 = old.u64 | data.u64; break;
    case SASS_ATOM_XOR: r.u64 = old.u64 ^ data.u64; break;
    default: r = data; /* EXCH */
    }
    return r;
}

/* --- all lanes, each at its own place ------------------------------------------------- */

typedef void atom_fn(const eng_ins *i, uint8_t *R, uint8_t *const *place, uint32_t lanes, bool shared_by_workers);

ENG_INLINE word lane_word(uint8_t *R, uint32_t slot, unsigned l, const unsigned W) {
    word x = {0};
    x.u64 = eng_u32(R, slot)[l];
    if (W == 8) x.u64 |= (uint64_t)eng_u32(R, slot + ENG_SLOT)[l] << 32;
    return x;
}
ENG_INLINE void put_lane(uint8_t *R, uint32_t slot, unsigned l, word x, const unsigned W) {
    eng_u32(R, slot)[l] = x.u32;
    if (W == 8) eng_u32(R, slot + ENG_SLOT)[l] = (uint32_t)(x.u64 >> 32);
}
ENG_INLINE word load_word(const uint8_t *p, const unsigned W) {
    word x = {0};
    memcpy(&x, p, W);
    return x;
}

ENG_INLINE void atom_lanes(const eng_ins *i, uint8_t *R, uint8_t *const *place, uint32_t lanes, bool shared_by_workers, const unsigned op,
                           const unsigned type) {
    const unsigned W = type == T_U64 || type == T_S64 || type == T_F64 ? 8 : 4;
    ENG_LANES(l, lanes) {
        word data = lane_word(R, i->c, l, W), old = load_word(place[l], W), new;
        if (ENG_UNLIKELY(shared_by_workers)) {
            if (W == 8) {
                do new = combine(op, type, old, data);
                while (!__atomic_compare_exchange_n((uint64_t *)(void *)place[l], &old.u64, new.u64, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
            } else {
                do new = combine(op, type, old, data);
                while (!__atomic_compare_exchange_n((uint32_t *)(void *)place[l], &old.u32, new.u32, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
            }
        } else {
            new = combine(op, type, old, data);
            memcpy(place[l], &new, W);
        }
        put_lane(R, i->d, l, old, W);
    }
}

#define ATOM(op, type)                                                                                                        \
    static __attribute__((noinline)) void atom_##op##_##type(const eng_ins *i, uint8_t *R, uint8_t *const *place, uint32_t lanes, \
                                                             bool shared_by_workers) {                                        \
        atom_lanes(i, R, place, lanes, shared_by_workers, SASS_ATOM_##op, T_##type);                                         \
    }
#define ATOM_OPS(X)                                                                                                     \
    X(ADD, U32) X(ADD, U64) X(ADD, F32) X(ADD, F32_FTZ) X(ADD, F64) X(ADD, F16X2) X(ADD, BF16X2)                         \
    X(MIN, U32) X(MIN, S32) X(MIN, U64) X(MIN, S64) X(MAX, U32) X(MAX, S32) X(MAX, U64) X(MAX, S64)                     \
    X(MIN, F16X2) X(MIN, BF16X2) X(MAX, F16X2) X(MAX, BF16X2)                                                            \
    X(INC, U32) X(DEC, U32) X(AND, U32) X(AND, U64) X(OR, U32) X(OR, U64) X(XOR, U32) X(XOR, U64)                      \
    X(EXCH, U32) X(EXCH, U64) X(POPC_INC, U32)
ATOM_OPS(ATOM)
#define ROW(op, type) [SASS_ATOM_##op][T_##type] = atom_##op##_##type,
static atom_fn *const atoms[SASS_ATOM_CAST_SPIN + 1][T_COUNT] = {ATOM_OPS(ROW)};

/* Compare (slot c) and swap (slot of new values behind the sink's: b, kept in y of shared, imm2 of global: see bind). */
ENG_INLINE void cas_lanes(const eng_ins *i, uint8_t *R, uint8_t *const *place, uint32_t lanes, uint32_t new_slot, const unsigned W) {
    bool tells = (i->x >> 8 & 15) == SASS_ATOM_CAST_SPIN; /* whether it swapped, not what was there */
    ENG_LANES(l, lanes) {
        word old = load_word(place[l], W), compare = lane_word(R, i->c, l, W), new = lane_word(R, new_slot, l, W);
        bool equal = old.u64 == compare.u64;
        if (equal) memcpy(place[l], &new, W);
        if (tells) put_lane(R, i->d, l, (word){.u64 = equal}, W);
        else put_lane(R, i->d, l, old, W);
    }
}
static __attribute__((noinline)) void swap_words(const eng_ins *i, uint8_t *R, uint8_t *const *place, uint32_t lanes, uint32_t new_slot);
static __attribute__((noinline)) void swap_places(const eng_ins *i, uint8_t *R, uint8_t *const *place, uint32_t lanes, bool shared_by_workers) {
    (void)shared_by_workers; /* never: its result is used */
    uint32_t new_slot = (uint32_t)i->ps[0] | (uint32_t)i->ps[1] << 8 | (uint32_t)i->ps[2] << 16;
    if (i->width == 16) swap_words(i, R, place, lanes, new_slot);
    else if (i->width == 8) cas_lanes(i, R, place, lanes, new_slot, 8);
    else cas_lanes(i, R, place, lanes, new_slot, 4);
}

/* Vectors of floats, and an exchange of 128 bits: word by word. */
static __attribute__((noinline)) void words_places(const eng_ins *i, uint8_t *R, uint8_t *const *place, uint32_t lanes, bool shared_by_workers) {
    const unsigned op = i->x >> 8 & 15, type = i->x >> 12 & 15;
    (void)shared_by_workers; /* never: sums of floats, or with a result */
    ENG_LANES(l, lanes)
        for (unsigned k = 0; k < i->width / 4u; k++) {
            word data = lane_word(R, i->c + k * ENG_SLOT, l, 4), old = load_word(place[l] + 4 * k, 4), new = data;
            if (op == SASS_ATOM_ADD && (type == T_F32 || type == T_F32_FTZ)) new.u32 = add_f32(old.f32, data.f32, type == T_F32_FTZ);
            else if (op == SASS_ATOM_ADD) new.u32 = add_halves(old.u32, data.u32, type == T_BF16X2);
            else if (op != SASS_ATOM_EXCH) new.u32 = extreme_halves(old.u32, data.u32, op == SASS_ATOM_MIN, type == T_BF16X2);
            memcpy(place[l] + 4 * k, &new, 4);
            put_lane(R, i->d + k * ENG_SLOT, l, old, 4);
        }
}

static __attribute__((noinline)) void swap_words(const eng_ins *i, uint8_t *R, uint8_t *const *place, uint32_t lanes, uint32_t new_slot) {
    ENG_LANES(l, lanes) {
        uint32_t old[4], compare[4], new[4];
        memcpy(old, place[l], 16);
        for (unsigned k = 0; k < 4; k++) compare[k] = eng_u32(R, i->c + k * ENG_SLOT)[l], new[k] = eng_u32(R, new_slot + k * ENG_SLOT)[l];
        if (!memcmp(old, compare, 16)) memcpy(place[l], new, 16);
        for (unsigned k = 0; k < 4; k++) eng_u32(R, i->d + k * ENG_SLOT)[l] = old[k];
    }
}

static atom_fn *operation(const eng_ins *i) {
    unsigned op = i->x >> 8 & 15;
    if (i->x & ATOM_WORDS) return words_places;
    return op == SASS_ATOM_CAS || op == SASS_ATOM_CAST_SPIN ? swap_places : atoms[op][i->x >> 12 & 15];
}

/* --- spaces --------------------------------------------------------------------------- */

/* An exchange does not look at what it replaces. */
static bool reads_memory(const eng_ins *i) { return (i->x >> 8 & 15) != SASS_ATOM_EXCH; }

/* Bytes that nobody wrote take the pattern first, as a load would have seen it. */
static bool define_places(eng_view *v, const mem_range *r, const uint64_t *A, uint32_t group, unsigned width, uint32_t *unwritten) {
    ENG_LANES(l, group) {
        if (A[l] - r->alloc->pub.address + width > r->alloc->prefix && !mem_seen_all(v, A[l] + r->shadow, width)) {
            if (v->parallel) return v->failed = true, false; /* two workers might both do it */
            uint8_t mixed[16];
            *unwritten |= 1u << l;
            mem_read_mixed(v, r, A[l], width, mixed);
            if (!mem_mark(v, r, A[l], width, false)) return false;
            memcpy(at_host(r, A[l]), mixed, width);
        }
        if (!mem_mark(v, r, A[l], width, v->parallel)) return false;
    }
    return true;
}

static bool atom_global(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    eng_view *v = view_of(w);
    mem_range *r = range_of(v, i);
    groups g = {.left = on};
    active m;
    shape s;
    active_of(&m, on);
    shape_of(A, &m, on, i->width, &s);
    for (uint32_t group; (group = next_group(&g, w, i, r, A, &m, i->access));) {
        uint8_t *place[32];
        uint32_t unwritten = 0;
        if (!define_places(v, r, A, group, i->width, &unwritten)) return mem_no_room(w, i), false;
        if (ENG_UNLIKELY(unwritten) && reads_memory(i)) eng_undefined_atomic(w, i, A, unwritten, ENG_GLOBAL);
        for (unsigned l = 0; l < 32; l++) place[l] = at_host(r, A[l]);
        operation(i)(i, R, place, group, v->parallel);
        r->bytes += (uint64_t)__builtin_popcount(group) * i->width;
    }
    put_groups(w, i, &g, &s, A, i->access);
    if (ENG_LIKELY(!g.faulty)) return true;
    ENG_LANES(l, g.faulty) {
        uint8_t pattern[16];
        mem_pattern(pattern, A[l], i->width);
        for (unsigned k = 0; k < i->width / 4u; k++) put_lane(R, i->d + k * ENG_SLOT, l, load_word(pattern + 4 * k, 4), 4);
    }
    return !mem_fault(w, i, A, g.faulty);
}

/* CAST.SPIN makes one pass through the banks: of lanes at different words of a bank the first one is served, the others are told
 * that they did not swap and come again. Wide ones are served by groups of lanes, as stores are (watch/banks.h). */
static uint32_t served_at_once(const uint64_t *A, uint32_t on, unsigned width) {
    const unsigned together = 32 * 4 / width, words = width / 4;
    uint32_t served = 0;
    for (unsigned first = 0; first < 32; first += together) {
        uint64_t word_of[32]; /* of each bank, plus 1 */
        memset(word_of, 0, sizeof word_of);
        ENG_LANES(l, on & (UINT32_MAX >> (32 - together) << first)) {
            const uint64_t word = A[l] / 4;
            bool free = true;
            for (unsigned k = 0; k < words; k++) free &= !word_of[(word + k) % 32] || word_of[(word + k) % 32] == word + k + 1;
            if (!free) continue;
            for (unsigned k = 0; k < words; k++) word_of[(word + k) % 32] = word + k + 1;
            served |= 1u << l;
        }
    }
    return served;
}

static bool atom_window(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A, const eng_reach *r) {
    const eng_space space = r->space;
    active m;
    active_of(&m, on);
    uint32_t bad = window_outside(A, &m, on, r->end, i->width);
    uint8_t *place[32];
    shape s;
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, space, A, bad, space == ENG_LOCAL ? w->local_size : w->shared_size)) return false;
    shape_of(A, &m, on, i->width, &s);
    if (wants_access(w)) put_access(w, i, on, &s, space, A);
    if (space == ENG_SHARED) {
        uint32_t unwritten = shared_unwritten(w, A, on, i->width);
        if (ENG_UNLIKELY(unwritten) && reads_memory(i)) eng_undefined_atomic(w, i, A, unwritten, ENG_SHARED);
        shared_define(w, A, on, i->width);
    }
    for (unsigned l = 0; l < 32; l++) place[l] = space == ENG_LOCAL ? local_at(w, A[l], l) : r->at + A[l];
    const uint32_t served = (i->x >> 8 & 15) == SASS_ATOM_CAST_SPIN ? served_at_once(A, on, i->width) : on;
    ENG_LANES(l, on & ~served) put_lane(R, i->d, l, (word){0}, i->width);
    operation(i)(i, R, place, served, false);
    return true;
}

static bool atom_shared_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on, const uint64_t *A) {
    return atom_window(i, w, R, on, A, &(eng_reach){w->shared, w->shared_size, ENG_SHARED});
}

static __attribute__((noinline)) const eng_ins *atom(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    ENG_ADDRESSES(offsets);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        bool ok = true;
        w->worked |= on;
        w->spinning |= !(i->x & ATOM_NO_RESULT);
        global_addresses(i, R, A);
        spaces s = split_spaces(w, A, on, offsets);
        if (i->x & ATOM_TELLS) { /* those in a window do it by other means, which the code has */
            eng_set_pred(w, i->pd[0], i->x & ATOM_GLOBAL ? 0 : s.global, on);
            s.shared = s.local = s.cluster = 0;
        }
        if (s.global) ok = atom_global(i, w, R, s.global, A);
        if (ok && s.shared) ok = atom_shared_lanes(i, w, R, s.shared, offsets);
        if (ok && ENG_UNLIKELY(s.cluster)) ok = cluster_lanes(i, w, R, s.cluster, offsets, atom_window);
        if (ok && s.local && i->width == 4) ok = atom_window(i, w, R, s.local, offsets, &(eng_reach){NULL, w->local_size, ENG_LOCAL});
        else if (ok && s.local) ok = !mem_fault(w, i, A, s.local);
        if (ENG_UNLIKELY(!ok)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

static __attribute__((noinline)) const eng_ins *atom_shared(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        w->worked |= on;
        w->spinning |= !(i->x & ATOM_NO_RESULT);
        shared_addresses(i, w, R, A);
        if (ENG_UNLIKELY(!atom_shared_lanes(i, w, R, on, A))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

/* SURED: the elements of lanes that are inside the surface. b: the handle; imm: the place; MINs and MAXs whose sign the surface says have
 * ATOM_SURFACE_SIGN and the type without one. */
static __attribute__((noinline)) const eng_ins *atom_surface(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask), inside = 0, with_sign = 0;
    w->worked |= on;
    ENG_LANES(l, on) {
        uint32_t handle = eng_u32(R, i->b)[l];
        if (ENG_UNLIKELY(!surface_element(i, w, R, l, handle, (unsigned)i->imm, &A[l]))) ENG_GOTO(eng_end(w, i));
        inside |= (uint32_t)(A[l] != 0) << l;
        with_sign |= (uint32_t)(i->x & ATOM_SURFACE_SIGN && eng_texture_get(w->worker->device, handle)->format == ENG_TEX_SIGNED) << l;
    }
    eng_ins other = *i;
    other.x += (uint32_t)(T_S32 - T_U32) << 12;
    _Static_assert(T_S32 - T_U32 == T_S64 - T_U64, "the type with a sign comes after the one without");
    if (inside & ~with_sign && ENG_UNLIKELY(!atom_global(i, w, R, inside & ~with_sign, A))) ENG_GOTO(eng_end(w, i));
    if (inside & with_sign && ENG_UNLIKELY(!atom_global(&other, w, R, inside & with_sign, A))) ENG_GOTO(eng_end(w, i));
    ENG_NEXT_UNWOUND;
}

/* --- binders -------------------------------------------------------------------------- */

static bool take_operation(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    unsigned type = T_COUNT;
    switch (in->type) {
    case SASS_U32: case SASS_SD32: type = T_U32; break;
    case SASS_S32: type = T_S32; break;
    case SASS_U64: case SASS_SD64: type = T_U64; break;
    case SASS_S64: type = T_S64; break;
    case SASS_F32: type = T_F32_FTZ; break;
    case SASS_F64: type = T_F64; break;
    case SASS_F16X2: type = T_F16X2; break;
    case SASS_BF16X2: type = T_BF16X2; break;
    default: break;
    }
    unsigned sub = in->sub;
    bool floats_of_90 = in->op == SASS_REDG_F || in->op == SASS_ATOMG_F || in->op == SASS_ATOM_F;
    if (floats_of_90 && type == T_F32_FTZ && (in->hi >> 9 & 15) >= 12) type = T_F32;
    const unsigned vectors = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 14; /* of ATOM_FLOAT's values */
    bool words = floats_of_90 && vectors >> (in->hi >> 9 & 15) & 1;
    if (in->type == SASS_B128 && (sub == SASS_ATOM_EXCH || sub == SASS_ATOM_CAS)) type = T_U32, words = sub == SASS_ATOM_EXCH;
    out->width = words || in->type == SASS_B128 ? in->width : type == T_U64 || type == T_S64 || type == T_F64 ? 8 : 4;
    if (sub == SASS_ATOM_POPC_INC) type = T_U32;
    bool swap = sub == SASS_ATOM_CAS || sub == SASS_ATOM_CAST_SPIN;
    if (!swap && (type == T_S32 || type == T_S64) && sub != SASS_ATOM_MIN && sub != SASS_ATOM_MAX) type = type == T_S32 ? T_U32 : T_U64;
    bool order_of_halves = (type == T_F16X2 || type == T_BF16X2) && sub != SASS_ATOM_ADD;
    if (type == T_COUNT || (!swap && !atoms[sub][type]) || (order_of_halves && !floats_of_90)) return eng_refuse(plan, "this atomic operation on this type");
    out->x = (out->x & (MEM_PAIR | MEM_UNIFORM | MEM_SCALE | MEM_RANKED | 7u << 28)) | sub << 8 | type << 12 | (words ? ATOM_WORDS : 0u);
    out->c = eng_slot_src(plan, &in->a);
    out->d = eng_slot_dst(plan, &in->dst);
    if (swap) { /* the new values' slot has no field of its own */
        uint32_t new_slot = eng_slot_src(plan, &in->b);
        out->ps[0] = (uint8_t)new_slot, out->ps[1] = (uint8_t)(new_slot >> 8), out->ps[2] = (uint8_t)(new_slot >> 16);
    }
    return true;
}

static bool bind_global_atom(eng_plan *plan, const sass_instr *in, eng_ins *out, bool result) {
    unsigned access = ENG_ATOMIC | ENG_WRITE | (result ? ENG_READ : ENG_REDUCTION);
    bind_global(plan, in, out, access);
    if (!take_operation(plan, in, out)) return false;
    if (!result) out->x |= ATOM_NO_RESULT;
    out->pd[0] = eng_pred_dst(&in->pdst[0]);
    if (in->pdst[0].present && in->pdst[0].reg != SASS_PT) out->x |= ATOM_TELLS;
    if (in->op == SASS_ATOMG || in->op == SASS_ATOMG_F || in->op == SASS_CAS_ATOMG) out->x |= ATOM_GLOBAL;
    out->fn = atom;
    return true;
}
static bool bind_red(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_global_atom(plan, in, out, false); }
static bool bind_atom(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_global_atom(plan, in, out, true); }

static bool bind_sured(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (!take_operation(plan, in, out)) return false;
    bool order = in->sub == SASS_ATOM_MIN || in->sub == SASS_ATOM_MAX;
    if (in->type == SASS_SD64 && !order) return eng_refuse(plan, "an H200 takes it for illegal");
    out->x |= ATOM_NO_RESULT | (order && (in->type == SASS_SD32 || in->type == SASS_SD64) ? ATOM_SURFACE_SIGN : 0u);
    out->access = ENG_ATOMIC | ENG_WRITE | ENG_REDUCTION;
    out->a = eng_slot_reg(plan, in->mem.base);
    out->b = eng_slot_src(plan, &in->extra);
    out->z = (uint16_t)(out->access | in->scope << 8);
    out->imm = surface_place(in);
    out->y = mem_range_slot(out->id, out->access);
    out->fn = atom_surface;
    return in->shape <= SURF_3D;
}

static bool bind_atoms(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->sub == SASS_ATOM_ARRIVE) return bind_arrive(plan, in, out, SYNC_ARRIVE80); /* at an asynchronous barrier */
    bool result = in->dst.kind == SASS_REG && in->dst.reg != SASS_RZ;
    bind_shared(plan, in, out, ENG_ATOMIC | ENG_WRITE | (result ? ENG_READ : ENG_REDUCTION));
    if (in->pdst[0].present && in->pdst[0].reg != SASS_PT) return eng_refuse(plan, "a shared atomic with a predicate result");
    if (!take_operation(plan, in, out)) return false;
    if (!result) out->x |= ATOM_NO_RESULT;
    out->fn = atom_shared;
    return true;
}

ENG_FAMILY(atomic, {"red", bind_red}, {"atom", bind_atom}, {"cas", bind_atom}, {"atoms", bind_atoms}, {"atoms_cas", bind_atoms},
           {"sured", bind_sured});
