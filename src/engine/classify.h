/* The shape of a warp's addresses: one look at the vector makes the common shapes cheap for everybody. For exec_*.c. */
#ifndef WG_ENGINE_CLASSIFY_H
#define WG_ENGINE_CLASSIFY_H

#include "engine/lanes.h"

/* Is every bit of t zero? */
ENG_INLINE bool vu_none(vu t) {
#if defined(ENG_HAVE_AVX512)
    return !_mm512_test_epi32_mask((__m512i)t, (__m512i)t);
#elif defined(ENG_HAVE_AVX2)
    return _mm256_testz_si256((__m256i)t, (__m256i)t);
#else
    vq q = (vq)t;
    return !(q[0] | q[1]);
#endif
}

/* All 32 lanes of a slot of 32-bit addresses, with the upper halves (or `low`'s offset again: no upper half). */
typedef struct lanes_scan {
    vu contiguous, uniform; /* no bit set: that is the shape */
} lanes_scan;

ENG_INLINE lanes_scan scan32(uint8_t *R, uint32_t low, uint32_t width) {
    const vu *a = eng_vu(R, low);
    vu first = vu_set(*eng_u32(R, low)), c = {0}, u = {0};
    ENG_EACH {
        vu d = a[k] - first;
        u |= d;
        c |= d ^ (((vu)ENG_LANE_IDS + (uint32_t)(k * ENG_VL)) * width);
    }
    return (lanes_scan){c, u};
}
/* 64-bit addresses in two slots; one that crosses a multiple of 4 GiB counts as neither. */
ENG_INLINE lanes_scan scan64(uint8_t *R, uint32_t low, uint32_t width) {
    lanes_scan s = scan32(R, low, width);
    const vu *h = eng_vu(R, low + ENG_SLOT);
    vu first = vu_set(*eng_u32(R, low + ENG_SLOT)), d = {0};
    ENG_EACH d |= h[k] ^ first;
    return (lanes_scan){s.contiguous | d, s.uniform | d};
}

/* What an access sees of its addresses, kept for those that follow (access.h). */
enum { SEEN_OTHER, SEEN_CONTIGUOUS, SEEN_UNIFORM };
ENG_INLINE uint8_t look(lanes_scan s, uint8_t *kept) {
    uint8_t seen = vu_none(s.contiguous) ? SEEN_CONTIGUOUS : vu_none(s.uniform) ? SEEN_UNIFORM : SEEN_OTHER;
    return *kept = seen;
}
ENG_INLINE uint8_t look32(uint8_t *R, uint32_t low, uint32_t width, uint8_t *kept) { return look(scan32(R, low, width), kept); }
ENG_INLINE uint8_t look64(uint8_t *R, uint32_t low, uint32_t width, uint8_t *kept) { return look(scan64(R, low, width), kept); }

/* The same for the lanes in on, which is not 0; first: the lowest of them. */
ENG_INLINE lanes_scan scan32_on(uint8_t *R, uint32_t low, uint32_t width, uint32_t on, unsigned first) {
    const vu *a = eng_vu(R, low);
    vu start = vu_set(eng_u32(R, low)[first]), c = {0}, u = {0};
    ENG_EACH {
        vu m = vu_expand(on, k), d = a[k] - start;
        u |= d & m;
        c |= (d ^ (((vu)ENG_LANE_IDS + ((uint32_t)(k * ENG_VL) - first)) * width)) & m;
    }
    return (lanes_scan){c, u};
}
ENG_INLINE lanes_scan scan64_on(uint8_t *R, uint32_t low, uint32_t width, uint32_t on, unsigned first) {
    lanes_scan s = scan32_on(R, low, width, on, first);
    const vu *h = eng_vu(R, low + ENG_SLOT);
    vu start = vu_set(eng_u32(R, low + ENG_SLOT)[first]), d = {0};
    ENG_EACH d |= (h[k] ^ start) & vu_expand(on, k);
    return (lanes_scan){s.contiguous | d, s.uniform | d};
}

typedef struct shape {
    uint64_t address; /* of lane 0, were it active */
    int32_t stride;
    uint32_t more;
    uint8_t cls;
} shape;

/* Four 64-bit lanes, whatever the instruction set. */
typedef uint64_t v4 __attribute__((vector_size(32), may_alias));
typedef int64_t v4s __attribute__((vector_size(32), may_alias));

/* Bits 4 g .. 4 g + 3 of a mask, as 0 / all ones. */
ENG_INLINE v4 v4_expand(uint32_t mask, unsigned g) {
    const v4 bit = {1, 2, 4, 8};
    return (v4)((((mask >> 4 * g & 15) - (v4){0}) & bit) != 0);
}
ENG_INLINE bool v4_none(v4 x) {
#if defined(ENG_HAVE_AVX2)
    return _mm256_testz_si256((__m256i)x, (__m256i)x);
#else
    return !(x[0] | x[1] | x[2] | x[3]);
#endif
}
/* Of an active lane, is any sign bit set? */
ENG_INLINE bool v4_negative(v4 x) {
#if defined(ENG_HAVE_AVX2)
    return _mm256_movemask_pd((__m256d)x);
#else
    return (int64_t)(x[0] | x[1] | x[2] | x[3]) < 0;
#endif
}
ENG_INLINE v4 v4_at(const uint64_t *A, unsigned g) { return *(const v4 *)(const void *)(A + 4 * g); }

/* Thirty-two addresses with the mask of their active lanes, spelt out once for all that look at them. */
#define ENG_ADDRESSES(A) uint64_t A[32] __attribute__((aligned(32)))
typedef struct active {
    v4 lanes[8]; /* 0 or all ones */
} active;
ENG_INLINE void active_of(active *m, uint32_t on) {
    for (unsigned g = 0; g < 8; g++) m->lanes[g] = v4_expand(on, g);
}

/* Is any active lane not at address + (l >> shift) * stride + (l % 2^shift) * step? shift: 2 to 5. */
ENG_INLINE bool shape_differs(const uint64_t *A, const active *m, uint64_t address, uint64_t stride, uint64_t step, unsigned shift) {
    v4 differ = {0}, lane = (v4){0, step, 2 * step, 3 * step} + address;
    uint64_t row = 0, in_row = 0;
    for (unsigned g = 0; g < 8; g++) {
        differ |= (v4_at(A, g) ^ (lane + (row + in_row))) & m->lanes[g];
        in_row += 4 * step;
        if (((g + 1) * 4 & ((1u << shift) - 1)) == 0) row += stride, in_row = 0;
    }
    return !v4_none(differ);
}

ENG_INLINE int64_t divided(int64_t distance, unsigned n) { return n == 1 ? distance : distance / (int64_t)n; }

/* Rows of 16, 8 or 4 lanes: the step from two lanes of the first active row, the stride from the next such row. */
static inline bool shape_rows(const uint64_t *A, const active *m, uint32_t on, shape *s) {
    unsigned f = (unsigned)__builtin_ctz(on);
    for (unsigned shift = 4; shift >= 2; shift--) {
        unsigned n = 1u << shift, row = f >> shift, behind = (row + 1) * n;
        uint32_t later = behind < 32 ? on >> behind << behind : 0, same = (on ^ later) & (on - 1);
        if (!later || !same) continue;
        unsigned g = (unsigned)__builtin_ctz(same), h = (unsigned)__builtin_ctz(later), e = 31 - (unsigned)__builtin_clz(same);
        int64_t step = divided((int64_t)(A[g] - A[f]), g - f);
        if (step < 0 || step > 0xffff || A[e] != A[f] + (e - f) * (uint64_t)step) continue;
        uint64_t row_f = A[f] - (uint64_t)(f % n * step), row_h = A[h] - (uint64_t)(h % n * step);
        int64_t stride = divided((int64_t)(row_h - row_f), (h >> shift) - row);
        uint64_t address = row_f - (uint64_t)(row * stride);
        if (stride != (int32_t)stride || shape_differs(A, m, address, (uint64_t)stride, (uint64_t)step, shift)) continue;
        *s = (shape){address, (int32_t)stride, n | (uint32_t)step << 8, ENG_ROWS};
        return true;
    }
    return false;
}

/* The shape of the active lanes' addresses; on is not 0. Three lanes tell at once what most are not. */
static inline void shape_of(const uint64_t *A, const active *m, uint32_t on, unsigned width, shape *s) {
    unsigned f = (unsigned)__builtin_ctz(on);
    uint32_t second = on & (on - 1), third = second & (second - 1);
    if (!second) {
        *s = (shape){A[f], 0, 0, ENG_UNIFORM};
        return;
    }
    unsigned g = (unsigned)__builtin_ctz(second), h = third ? (unsigned)__builtin_ctz(third) : g;
    int64_t step = divided((int64_t)(A[g] - A[f]), g - f);
    uint64_t address = A[f] - (uint64_t)(f * step);
    if (step == (int32_t)step && A[g] == address + g * (uint64_t)step && A[h] == address + h * (uint64_t)step &&
        !shape_differs(A, m, address, 0, (uint64_t)step, 5))
        *s = (shape){address, (int32_t)step, 0, step == 0 ? ENG_UNIFORM : step == (int64_t)width ? ENG_CONTIGUOUS : ENG_STRIDED};
    else if (!shape_rows(A, m, on, s))
        *s = (shape){A[f], 0, 0, ENG_GENERAL};
}

static inline void put_as(eng_warp *w, const eng_ins *i, eng_event_kind kind, uint32_t on, const shape *s, eng_space space, const uint64_t *A,
                          unsigned access) {
    eng_event *ev = eng_event_new(w);
    if (s->cls == ENG_GENERAL) memcpy(eng_event_lanes(w, &ev), A, 32 * sizeof *A);
    uint16_t general = ev->general;
    *ev = (eng_event){.address = s->address, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index, .mask = on,
                      .more = s->more, .stride = s->stride, .kind = (uint8_t)kind, .cls = s->cls, .space = (uint8_t)space,
                      .width = i->width, .access = (uint8_t)access, .scope = (uint8_t)(i->z >> 8), .general = general};
    eng_event_done(w);
}
/* Adds an access to the events; the caller knows that they are wanted. */
static inline void put_access_as(eng_warp *w, const eng_ins *i, uint32_t on, const shape *s, eng_space space, const uint64_t *A,
                                 unsigned access) {
    put_as(w, i, ENG_EV_ACCESS, on, s, space, A, access);
}
static inline void put_access(eng_warp *w, const eng_ins *i, uint32_t on, const shape *s, eng_space space, const uint64_t *A) {
    put_access_as(w, i, on, s, space, A, i->access);
}
/* Do lanes that store to one address store one value? Addresses are multiples of the width: two are the same or apart. */
static inline bool lanes_agree(const eng_ins *i, uint32_t on, const uint64_t *A, const uint8_t *R) {
    uint32_t keep = i->width >= 4 ? UINT32_MAX : (UINT32_C(1) << i->width * 8) - 1;
    unsigned words = i->width > 4 ? i->width / 4u : 1;
    uint8_t lane_at[64];
    memset(lane_at, 0xff, sizeof lane_at);
    for (uint32_t left = on; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left), at = (unsigned)(A[l] / i->width * 0x9e3779b1u >> 26) & 63;
        while (lane_at[at] != 0xff && A[lane_at[at]] != A[l]) at = (at + 1) & 63;
        if (lane_at[at] == 0xff) {
            lane_at[at] = (uint8_t)l;
            continue;
        }
        for (unsigned k = 0; k < words; k++) {
            const uint32_t *v = (const uint32_t *)(const void *)(R + i->c + k * ENG_SLOT);
            if ((v[l] ^ v[lane_at[at]]) & keep) return false;
        }
    }
    return true;
}
ENG_INLINE bool wants_values(const eng_warp *w) { return w->worker->wants & 1u << ENG_EV_VALUES; }
enum { PLACE_HASH = 0x1e3779b1 }; /* odd: an address times this */
/* What the lanes store where, from the registers at slot c (eng_event.value); places: their addresses times PLACE_HASH. The second hash is
 * a sum over words, so that it does not matter which lane stores which. */
static inline uint32_t stored_value(const eng_ins *i, uint32_t on, const uint32_t places[32], const uint8_t *R) {
    uint32_t same = 2166136261u, differ = 0, sum = 0, keep = i->width >= 4 ? UINT32_MAX : (UINT32_C(1) << i->width * 8) - 1;
    unsigned first = (unsigned)__builtin_ctz(on), words = i->width > 4 ? i->width / 4u : 1;
    for (unsigned k = 0; k < words; k++) {
        const uint32_t *v = (const uint32_t *)(const void *)(R + i->c + k * ENG_SLOT), f = v[first] & keep;
        for (unsigned l = 0; l < 32; l++) {
            uint32_t active = -(on >> l & 1), x = v[l] & keep, h = (x ^ (places[l] + 4 * PLACE_HASH * k)) * 0x85ebca6bu;
            differ |= (x ^ f) & active;
            sum += (h ^ h >> 15) * 0xc2b2ae35u & active;
        }
        same = (same ^ f) * 16777619u;
    }
    return differ ? (sum & ~1u) | 2 : same | 1;
}
/* Adds to the event of a store, the last one, what the lanes store. */
static inline void put_values(eng_warp *w, const eng_ins *i, uint32_t on, const shape *s, const uint64_t *A, uint8_t *R) {
    uint32_t places[32], value = 0;
    if (!wants_values(w)) return;
    for (unsigned l = 0; l < 32; l++) places[l] = (uint32_t)A[l] * PLACE_HASH;
    value = stored_value(i, on, places, R);
    bool meet = !(value & 1) && s->cls != ENG_CONTIGUOUS && s->cls != ENG_STRIDED;
    (w->worker->ev - 1)->value = meet && (s->cls == ENG_UNIFORM || !lanes_agree(i, on, A, R)) ? 0 : value;
}
static inline void put_store(eng_warp *w, const eng_ins *i, uint32_t on, const shape *s, eng_space space, const uint64_t *A, uint8_t *R) {
    put_access(w, i, on, s, space, A);
    put_values(w, i, on, s, A, R);
}
/* The same where the shape is plain and a place is known to be free. */
ENG_INLINE void put_plain(eng_warp *w, const eng_ins *i, uint32_t on, uint64_t address, unsigned cls, unsigned space, unsigned width) {
    eng_event *ev = w->worker->ev;
    _Static_assert(offsetof(eng_ins, function) == offsetof(eng_ins, id) + 4 && offsetof(eng_ins, z) == offsetof(eng_ins, id) + 6 &&
                       offsetof(eng_event, instr) == 8 && offsetof(eng_event, kind) == 28 && offsetof(eng_event, access) == 32 &&
                       sizeof(eng_event) == 40, "words of the event");
    uint64_t which, *to = (uint64_t *)(void *)ev; /* five stores, where the fields would be fifteen */
    memcpy(&which, &i->id, 8);
    to[0] = address;
    to[1] = (which & 0xffffffffffff) | (uint64_t)w->index << 48; /* instruction, function, warp */
    to[2] = on;
    to[3] = (uint64_t)ENG_EV_ACCESS << 32 | (uint64_t)cls << 40 | (uint64_t)space << 48 | (uint64_t)width << 56;
    to[4] = which >> 48; /* access, scope */
    w->worker->ev = ev + 1;
    w->met = 0;
}
/* The value of a store of lanes side by side, whose event was put just now; then the warp goes on. */
static __attribute__((noinline, unused)) const eng_ins *value_stored(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    eng_event *ev = w->worker->ev - 1;
    uint32_t places[32];
    for (unsigned l = 0; l < 32; l++) places[l] = (uint32_t)ev->address * PLACE_HASH + l * (i->width * (uint32_t)PLACE_HASH);
    ev->value = stored_value(i, ev->mask, places, R);
    ENG_NEXT_UNWOUND;
}
ENG_INLINE bool wants_access(const eng_warp *w) { return w->worker->wants & 1u << ENG_EV_ACCESS; }
/* An event of an access, if one is wanted, has a free place: the fast handlers do not call anybody to make one. */
ENG_INLINE bool event_fits(const eng_warp *w) { return !wants_access(w) || w->worker->ev != w->worker->ev_end; }

/* Plain accesses of whole warps: as events, for which a place is known to be free, or as sums in the counters at c once
 * the first was an event. stored: 1 when the launch stores to the allocation, as far as somebody asks. True: as an event. */
ENG_INLINE bool put_whole(eng_warp *w, const eng_ins *i, uint32_t c, uint64_t address, unsigned cls, unsigned space, unsigned width,
                          uint64_t stored) {
    uint32_t wants = w->worker->wants;
    if (wants & ENG_WANTS_SUMS) {
        const uint64_t *heard = w->counts + c + ENG_PLAIN_HEARD;
        uint64_t *n = w->counts + c + (cls == ENG_UNIFORM ? ENG_PLAIN_UNIFORM : eng_plain_shape(address, space, width));
        if (ENG_LIKELY(*n) && ENG_LIKELY(!stored || !(*heard & ENG_HEARD_STORED))) { /* of those that are all heard there is no sum */
            ++*n;
            return false;
        }
        if (!(*heard & (ENG_HEARD_ALL | stored))) *n = 1;
    } else if (!(wants & 1u << ENG_EV_ACCESS)) {
        return false;
    }
    put_plain(w, i, ENG_ALL, address, cls, space, width);
    return true;
}

/* --- moving whole warps --------------------------------------------------------------- */

ENG_INLINE vu load_vu(const void *p) {
    vu x;
    memcpy(&x, p, sizeof x);
    return x;
}
ENG_INLINE void store_vu(void *p, vu x) { memcpy(p, &x, sizeof x); }

#if ENG_VB == 64
#define EVEN_ODD(a, b, o) \
    __builtin_shufflevector(a, b, o, o + 2, o + 4, o + 6, o + 8, o + 10, o + 12, o + 14, o + 16, o + 18, o + 20, o + 22, o + 24, o + 26, o + 28, o + 30)
#define ZIP(a, b, o)                                                                                            \
    __builtin_shufflevector(a, b, o, o + 16, o + 1, o + 17, o + 2, o + 18, o + 3, o + 19, o + 4, o + 20, o + 5, o + 21, \
                            o + 6, o + 22, o + 7, o + 23)
#elif ENG_VB == 32
#define EVEN_ODD(a, b, o) __builtin_shufflevector(a, b, o, o + 2, o + 4, o + 6, o + 8, o + 10, o + 12, o + 14)
#define ZIP(a, b, o)      __builtin_shufflevector(a, b, o, o + 8, o + 1, o + 9, o + 2, o + 10, o + 3, o + 11)
#else
#define EVEN_ODD(a, b, o) __builtin_shufflevector(a, b, o, o + 2, o + 4, o + 6)
#define ZIP(a, b, o)      __builtin_shufflevector(a, b, o, o + 4, o + 1, o + 5)
#endif
ENG_INLINE vu even(vu a, vu b) { return EVEN_ODD(a, b, 0); }
ENG_INLINE vu odd(vu a, vu b) { return EVEN_ODD(a, b, 1); }
ENG_INLINE vu zip_low(vu a, vu b) { return ZIP(a, b, 0); }
ENG_INLINE vu zip_high(vu a, vu b) { return ZIP(a, b, ENG_VL / 2); }

typedef uint8_t v8 __attribute__((vector_size(ENG_VL)));
typedef int8_t v8s __attribute__((vector_size(ENG_VL)));
typedef uint16_t v16 __attribute__((vector_size(ENG_VL * 2)));
typedef int16_t v16s __attribute__((vector_size(ENG_VL * 2)));

/* 32 elements of W bytes, one behind the other, into slots from d. */
ENG_INLINE void gather_contiguous(uint8_t *R, uint32_t d, const uint8_t *p, const unsigned W, const bool is_signed) {
    vu *out = eng_vu(R, d);
    ENG_EACH {
        if (W == 1) {
            v8 x;
            memcpy(&x, p + k * ENG_VL, sizeof x);
            out[k] = is_signed ? (vu) __builtin_convertvector((v8s)x, vs) : __builtin_convertvector(x, vu);
        } else if (W == 2) {
            v16 x;
            memcpy(&x, p + k * ENG_VL * 2, sizeof x);
            out[k] = is_signed ? (vu) __builtin_convertvector((v16s)x, vs) : __builtin_convertvector(x, vu);
        } else if (W == 4) {
            out[k] = load_vu(p + k * ENG_VB);
        } else if (W == 8) {
            vu x = load_vu(p + k * 2 * ENG_VB), y = load_vu(p + (k * 2 + 1) * ENG_VB);
            out[k] = even(x, y);
            out[k + ENG_NV] = odd(x, y);
        } else {
            const uint8_t *q = p + k * 4 * ENG_VB;
            vu x = load_vu(q), y = load_vu(q + ENG_VB), z = load_vu(q + 2 * ENG_VB), t = load_vu(q + 3 * ENG_VB);
            vu e0 = even(x, y), e1 = even(z, t), o0 = odd(x, y), o1 = odd(z, t);
            out[k] = even(e0, e1);
            out[k + ENG_NV] = even(o0, o1);
            out[k + 2 * ENG_NV] = odd(e0, e1);
            out[k + 3 * ENG_NV] = odd(o0, o1);
        }
    }
}

ENG_INLINE void scatter_contiguous(uint8_t *R, uint32_t s, uint8_t *p, const unsigned W) {
    const vu *in = eng_vu(R, s);
    ENG_EACH {
        if (W == 1) {
            v8 x = __builtin_convertvector(in[k], v8);
            memcpy(p + k * ENG_VL, &x, sizeof x);
        } else if (W == 2) {
            v16 x = __builtin_convertvector(in[k], v16);
            memcpy(p + k * ENG_VL * 2, &x, sizeof x);
        } else if (W == 4) {
            store_vu(p + k * ENG_VB, in[k]);
        } else if (W == 8) {
            store_vu(p + k * 2 * ENG_VB, zip_low(in[k], in[k + ENG_NV]));
            store_vu(p + (k * 2 + 1) * ENG_VB, zip_high(in[k], in[k + ENG_NV]));
        } else {
            vu a = in[k], b = in[k + ENG_NV], c = in[k + 2 * ENG_NV], e = in[k + 3 * ENG_NV];
            vu ac0 = zip_low(a, c), ac1 = zip_high(a, c), be0 = zip_low(b, e), be1 = zip_high(b, e);
            uint8_t *q = p + k * 4 * ENG_VB;
            store_vu(q, zip_low(ac0, be0));
            store_vu(q + ENG_VB, zip_high(ac0, be0));
            store_vu(q + 2 * ENG_VB, zip_low(ac1, be1));
            store_vu(q + 3 * ENG_VB, zip_high(ac1, be1));
        }
    }
}

/* The elements of the lanes in on; p is where lane 0's would be. Touches no other memory. */
ENG_INLINE void gather_contiguous_on(uint8_t *R, uint32_t d, const uint8_t *p, uint32_t on, const unsigned W, const bool is_signed);
ENG_INLINE void scatter_contiguous_on(uint8_t *R, uint32_t s, uint8_t *p, uint32_t on, const unsigned W);

/* One element for all lanes. */
ENG_INLINE void broadcast(uint8_t *R, uint32_t d, const uint8_t *p, const unsigned W, const bool is_signed) {
    uint32_t x[4] = {0};
    memcpy(x, p, W);
    if (is_signed) x[0] = W == 1 ? (uint32_t)(int8_t)x[0] : (uint32_t)(int16_t)x[0];
    for (unsigned j = 0; j < (W + 3) / 4; j++) {
        vu v = vu_set(x[j]), *out = eng_vu(R, d + j * ENG_SLOT);
        ENG_EACH out[k] = v;
    }
}

/* One element, one lane. */
ENG_INLINE void load_lane(uint8_t *R, uint32_t d, unsigned l, const uint8_t *p, const unsigned W, const bool is_signed) {
    uint32_t x[4] = {0};
    memcpy(x, p, W);
    if (is_signed) x[0] = W == 1 ? (uint32_t)(int8_t)x[0] : (uint32_t)(int16_t)x[0];
    for (unsigned j = 0; j < (W + 3) / 4; j++) eng_u32(R, d + j * ENG_SLOT)[l] = x[j];
}
ENG_INLINE void store_lane(uint8_t *R, uint32_t s, unsigned l, uint8_t *p, const unsigned W) {
    uint32_t x[4] = {0};
    for (unsigned j = 0; j < (W + 3) / 4; j++) x[j] = eng_u32(R, s + j * ENG_SLOT)[l];
    memcpy(p, x, W);
}

ENG_INLINE void broadcast_on(uint8_t *R, uint32_t d, const uint8_t *p, uint32_t on, const unsigned W, const bool is_signed) {
    uint32_t x[4] = {0};
    memcpy(x, p, W);
    if (is_signed) x[0] = W == 1 ? (uint32_t)(int8_t)x[0] : (uint32_t)(int16_t)x[0];
    for (unsigned j = 0; j < (W + 3) / 4; j++) {
        vu v = vu_set(x[j]), *out = eng_vu(R, d + j * ENG_SLOT);
        ENG_EACH out[k] = vu_blend(on, k, out[k], v);
    }
}

#define ENG_LANES(l, set) for (uint32_t set_ = (set), l; set_ && ((l = (uint32_t)__builtin_ctz(set_)), true); set_ &= set_ - 1)

ENG_INLINE void gather_contiguous_on(uint8_t *R, uint32_t d, const uint8_t *p, uint32_t on, const unsigned W, const bool is_signed) {
#if defined(ENG_HAVE_AVX2)
    if (W == 4) {
        vu *out = eng_vu(R, d);
        ENG_EACH {
#if defined(ENG_HAVE_AVX512)
            out[k] = (vu)_mm512_mask_loadu_epi32((__m512i)out[k], (__mmask16)(on >> (k * 16)), p + k * ENG_VB);
#else
            vu m = vu_expand(on, k);
            vu x = (vu)_mm256_maskload_epi32((const int *)(const void *)(p + k * ENG_VB), (__m256i)m);
            out[k] = (out[k] & ~m) | x;
#endif
        }
        return;
    }
#endif
    ENG_LANES(l, on) load_lane(R, d, l, p + l * W, W, is_signed);
}

ENG_INLINE void scatter_contiguous_on(uint8_t *R, uint32_t s, uint8_t *p, uint32_t on, const unsigned W) {
    unsigned first = (unsigned)__builtin_ctz(on);
    if (W == 4 && !(on >> first & ((on >> first) + 1))) memcpy(p + first * 4, R + s + first * 4, (size_t)__builtin_popcount(on) * 4);
    else ENG_LANES(l, on) store_lane(R, s, l, p + l * W, W);
}

/* Runs f with the width as a constant, so that everything above inlines to the one case. */
#define ENG_BY_WIDTH(width, f) \
    switch (width) {           \
    case 1: f(1); break;       \
    case 2: f(2); break;       \
    case 4: f(4); break;       \
    case 8: f(8); break;       \
    default: f(16); break;     \
    }

#endif
