/* Accesses to global memory, lane by lane where they must be: shared by the families that reach it. For exec_*.c. */
#ifndef WG_ENGINE_ACCESS_H
#define WG_ENGINE_ACCESS_H

#include "engine/classify.h"
#include "engine/fault.h"
#include "engine/undefined.h"
#include "engine/view.h"

/* eng_ins.x of memory instructions */
enum {
    MEM_PAIR = 1,      /* the base register holds 64 bits */
    MEM_UNIFORM = 2,   /* a uniform pair is added (slot b) */
    MEM_SIGNED = 4,    /* narrow loads extend the sign */
    MEM_SCALE = 8,     /* shared: bits 28.. are the shift of the base register */
    MEM_RANKED = 16    /* shared: addresses hold the block's rank */
};

/* Address, width, order and range of a global or generic access. */
static inline void bind_global(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned access) {
    const sass_address *m = &in->mem;
    unsigned strong = in->order == SASS_STRONG || in->order == SASS_MMIO ? ENG_STRONG : 0;
    if (in->order == SASS_MMIO || (strong && in->scope == SASS_SYS)) strong |= ENG_VOLATILE;
    out->a = eng_slot_reg(plan, m->base);
    out->b = eng_slot_ureg(plan, m->uniform);
    out->imm = m->offset;
    out->width = in->width;
    out->access = (uint8_t)(access | strong);
    out->z = (uint16_t)(out->access | in->scope << 8);
    out->x = (m->base == 255 || m->wide ? MEM_PAIR : 0u) | (m->uniform != 255 ? MEM_UNIFORM : 0u) |
             (in->type == SASS_S8 || in->type == SASS_S16 ? MEM_SIGNED : 0u);
    out->y = mem_range_slot(out->id, access);
}

/* --- addresses looked at before -------------------------------------------------------- */

/* A kernel often accesses memory at several offsets from one register. What its lanes look like is then known from the
 * access before, when that stands in the same basic block and width, and nothing in between could change the register
 * or let another warp run. Fast handlers leave the shape in view->seen; `again` handlers take it from there. */
ENG_INLINE uint8_t *seen_of(eng_view *v, const eng_ins *i) { return &v->seen[i->a / ENG_SLOT & 255]; }

static inline bool goes_straight_on(sass_class class) {
    switch (class) {
    case SASS_CLASS_BRANCH: case SASS_CLASS_CONVERGE: case SASS_CLASS_CALL: case SASS_CLASS_EXIT: case SASS_CLASS_BARRIER:
    case SASS_CLASS_OTHER: case SASS_CLASS_FENCE: case SASS_CLASS_WARP: return false;
    default: return true;
    }
}
/* Is there such an access by one of two classes (a load's and its store's) before this one, to a plain address? */
static inline bool looked_at_before(eng_plan *plan, const sass_instr *in, unsigned id, sass_class load, sass_class store) {
    unsigned n, start = eng_plan_block_start(plan), words = in->mem.wide ? 2 : 1;
    const sass_instr *all = eng_plan_instrs(plan, &n);
    if (in->guard.reg != SASS_PT || in->guard.inv || in->mem.base == 255) return false;
    for (unsigned k = id; k-- > start;) {
        const sass_instr *p = &all[k];
        sass_class class = sass_class_of((sass_op)p->op);
        if (!goes_straight_on(class)) return false;
        if (p->dst.kind == SASS_REG && p->dst.reg != SASS_RZ && p->dst.reg < in->mem.base + words &&
            p->dst.reg + sass_dst_regs(p) > in->mem.base)
            return false;
        if ((p->op != SASS_LDG && p->op != SASS_STG && p->op != SASS_LDS && p->op != SASS_STS) || p->mem.base != in->mem.base)
            continue;
        /* The nearest access by the register decides: one of another width left another shape. */
        bool always = p->guard.reg == SASS_PT && !p->guard.inv && !p->guard.uniform;
        return always && (class == load || class == store) && p->width == in->width && p->mem.scale <= 1 &&
               p->mem.wide == in->mem.wide && (load == SASS_CLASS_SHARED_LD || p->mem.uniform == 255) &&
               p->order != SASS_STRONG && p->order != SASS_MMIO;
    }
    return false;
}

ENG_INLINE eng_view *view_of(const eng_warp *w) { return w->worker->memory_state; }
ENG_INLINE mem_range *range_of(eng_view *v, const eng_ins *i) { return (mem_range *)(void *)((uint8_t *)v + i->y); }
ENG_INLINE uint8_t *at_host(const mem_range *r, uint64_t address) {
    return (uint8_t *)(uintptr_t)(address + (uint64_t)r->host);
}

/* Goes on behind a load that may have brought undefined bytes. */
#define ENG_NEXT_LOADED                                                                                                \
    do {                                                                                                               \
        if (ENG_UNLIKELY(w->undefined && w->undefined->pending)) return eng_undefined_enter(w, i);                     \
        ENG_NEXT_UNWOUND;                                                                                              \
    } while (0)

/* Are the bits of [at, at + n) set, with those of the bytes of bits around them? n: 8 bits at least. */
ENG_INLINE bool bits_full(const uint8_t *bits, uint64_t at, const unsigned n) {
    const uint8_t *p = bits + at / 8, *last = bits + (at + n - 1) / 8 + 1;
    if (n >= 128) {
        typedef uint64_t v2 __attribute__((vector_size(16)));
        v2 x, all = {UINT64_MAX, UINT64_MAX};
        for (unsigned b = 0; b < n / 8; b += 16) {
            memcpy(&x, p + b, 16);
            all &= x;
        }
        memcpy(&x, last - 16, 16);
        all &= x;
        return (all[0] & all[1]) == UINT64_MAX;
    }
    uint64_t x = 0, y = 0; /* 32 or 64 bits */
    memcpy(&x, p, n / 8);
    memcpy(&y, last - n / 8, n / 8);
    return (x & y) == UINT64_MAX >> (64 - n);
}
/* Sets them. n: a multiple of 8, 32 at least. */
ENG_INLINE void bits_fill(uint8_t *bits, uint64_t at, const unsigned n) {
    uint8_t *p = bits + at / 8;
    unsigned shift = at & 7;
    if (!shift) {
        memset(p, 0xff, n / 8);
    } else {
        p[0] |= (uint8_t)(0xff << shift);
        memset(p + 1, 0xff, n / 8 - 1);
        p[n / 8] |= (uint8_t)(0xff >> (8 - shift));
    }
}

static inline void global_addresses(const eng_ins *i, uint8_t *R, uint64_t *A) {
    const uint32_t *low = eng_u32(R, i->a), *high = eng_u32(R, i->a + ENG_SLOT);
    uint64_t add = (uint64_t)i->imm, keep = i->x & MEM_PAIR ? UINT64_MAX : UINT32_MAX;
    if (i->x & MEM_UNIFORM) add += (uint64_t)*eng_u32(R, i->b + ENG_SLOT) << 32 | *eng_u32(R, i->b);
    for (unsigned l = 0; l < 32; l++) A[l] = ((low[l] | (uint64_t)high[l] << 32) & keep) + add;
}

/* Is [address, address + n) outside what r knows, or not a multiple of width? */
ENG_INLINE bool misses(const mem_range *r, uint64_t address, uint64_t n, uint64_t width) {
    uint64_t off = address - r->lo;
    return (int64_t)((r->size - n - off) | off) < 0 || (address & (width - 1));
}

/* Lanes of `on` whose element lies in r and is aligned. */
static inline uint32_t lanes_inside(const mem_range *r, const uint64_t *A, const active *m, uint32_t on, unsigned width) {
    v4 any = {0};
    uint64_t room = r->size - width, low = width - 1, lo = r->lo;
    for (unsigned g = 0; g < 8; g++) {
        v4 off = v4_at(A, g) - lo;
        any |= ((room - off) | off | (0 - (v4_at(A, g) & low))) & m->lanes[g];
    }
    if (ENG_LIKELY(!v4_negative(any))) return on;
    uint32_t inside = 0;
    ENG_LANES(l, on) inside |= (uint32_t)!misses(r, A[l], width, width) << l;
    return inside;
}

/* The active lanes by allocation: start with left = the lanes, take groups until there is none. Each comes with r filled
 * for it. Lanes that may not access are left in faulty. */
typedef struct groups {
    uint32_t left, done, faulty;
} groups;
static inline uint32_t next_group(groups *g, eng_warp *w, const eng_ins *i, mem_range *r, const uint64_t *A, const active *m, unsigned access) {
    eng_view *v = view_of(w);
    const unsigned width = i->width;
    while (g->left) {
        uint32_t group = lanes_inside(r, A, m, g->left, width), first = g->left & -g->left;
        if (!group && mem_range_fill(v, r, A[__builtin_ctz(first)], access)) {
            group = lanes_inside(r, A, m, g->left, width);
            mem_check_root(w, i, r, A, group);
            if (!(group & first)) g->faulty |= first, g->left &= ~first;
        } else if (!group) {
            g->faulty |= first;
            g->left &= ~first;
        }
        g->left &= ~group;
        g->done |= group;
        if (group) return group;
    }
    return 0;
}

/* The events of an access by all groups. */
static inline void put_groups(eng_warp *w, const eng_ins *i, const groups *g, const shape *s, const uint64_t *A, unsigned access) {
    if (ENG_UNLIKELY(g->faulty) && w->worker->wants & 1u << ENG_EV_STRAY) {
        put_as(w, i, ENG_EV_STRAY, g->done | g->faulty, s, ENG_GLOBAL, A, access);
        access |= ENG_DROPPED;
    }
    if (g->done && wants_access(w)) put_access_as(w, i, g->done, s, ENG_GLOBAL, A, access);
}

/* --- counting reads ------------------------------------------------------------------- */

ENG_INLINE mem_run *run_of(eng_view *v, const eng_ins *i, uint64_t at) { return mem_run_at(v, i->y, at); }

/* Does an access by `times` lanes at `at` go on where the run ended, or, of n bytes, stay where it is? */
ENG_INLINE bool run_goes_on(const mem_run *run, uint64_t at, uint32_t times) {
    return run->start + run->n == at && run->times == times && !(run->n >> 31);
}
ENG_INLINE bool run_stays(const mem_run *run, uint64_t at, uint32_t n) { return run->start == at && run->n == n && !(run->times >> 30); }
/* Can the run be put into the plane by two plain additions? */
ENG_INLINE bool run_fits(const eng_view *v, const mem_run *run) {
    const int16_t *words = v->words;
    return !((run->start | run->n) & 3) && words[run->start / 4] + (int)run->times <= INT16_MAX &&
           words[(run->start + run->n) / 4] - (int)run->times >= INT16_MIN;
}
/* Often a run begins where another one ended, and nothing is left there: tiles know how much they hold. */
ENG_INLINE void add_difference(const eng_view *v, uint64_t at, int times) {
    int16_t *word = v->words + at / 4, sum = (int16_t)(*word + times);
    uint8_t *tile = v->dirty ? &v->dirty[at >> MEM_TILE] : NULL;
    if (tile) *tile = (uint8_t)(*tile + (sum != 0) - (*word != 0));
    *word = sum;
}
/* An empty run, which may have any times, adds and takes away at one place. */
ENG_INLINE void run_put(eng_view *v, const mem_run *run) {
    uint64_t end = run->start + run->n;
    add_difference(v, run->start, (int)run->times);
    add_difference(v, end, -(int)run->times);
    v->plane_used = true;
}
static inline void run_drop(eng_view *v, mem_run *run) {
    if (run_fits(v, run)) run_put(v, run);
    else mem_run_flush(v, run);
}
/* Puts the run into the plane soon, or, one of the first of several workers' runs, leaves it for the launch's end. */
static inline void run_leave(eng_view *v, const mem_run *run) {
    if (v->n_ended < v->most_ended) {
        v->ended[v->n_ended++] = *run;
        return;
    }
    mem_run *oldest = &v->leaving[v->n_left++ % MEM_LEAVING];
    __builtin_prefetch(v->words + run->start / 4, 1);
    __builtin_prefetch(v->words + (run->start + run->n) / 4, 1);
    run_drop(v, oldest);
    *oldest = *run;
}
/* Makes the instruction's run at `at` one that an access there by `times` lanes goes on: the one that has come to the end of
 * the window before, or an empty one. */
static inline void run_begin(eng_view *v, const eng_ins *i, uint64_t at, uint32_t times) {
    mem_run *run = run_of(v, i, at), *before = run_of(v, i, at - (1 << MEM_WINDOW)), begun = {at, 0, times};
    if (before->n && run_goes_on(before, at, times)) begun = *before, before->n = 0;
    if (run->n) run_leave(v, run);
    mem_run_use(v, run);
    *run = begun;
}
/* The whole of it, where functions may be called. */
static inline void run_add(eng_view *v, const eng_ins *i, uint64_t at, uint32_t n, uint32_t times) {
    mem_run *run = run_of(v, i, at);
    if (run_stays(run, at, n)) {
        run->times += times;
        return;
    }
    if (!run_goes_on(run, at, times)) run_begin(v, i, at, times);
    run->n += n;
}

/* Counts a run of n bytes read `times` times. */
ENG_INLINE void count_run(eng_view *v, uint64_t at, uint64_t n, int times) {
    mem_run run = {at, (uint32_t)n, (uint32_t)times};
    run_drop(v, &run);
}

/* Single elements of whole words, one a lane: both ends of an element's run lie side by side, or in one line at least. The
 * lines are asked for before they are needed, because lanes that go anywhere find them far away. */
ENG_INLINE void count_elements(eng_view *v, const mem_range *r, const uint64_t *A, uint32_t group, unsigned width) {
    if (width > 4) {
        ENG_LANES(l, group) count_run(v, A[l] + r->shadow, width, 1);
        return;
    }
    v->plane_used = true;
    ENG_LANES(l, group) {
        uint64_t at = A[l] + r->shadow;
        uint32_t both;
        memcpy(&both, v->words + at / 4, 4);
        uint16_t from = (uint16_t)(both + 1), to = (uint16_t)((both >> 16) - 1);
        if (ENG_UNLIKELY(from == 0x8000 || to == 0x7fff)) {
            count_run(v, at, 4, 1);
            continue;
        }
        if (v->dirty) {
            v->dirty[at >> MEM_TILE] = (uint8_t)(v->dirty[at >> MEM_TILE] + (from != 0) - ((uint16_t)both != 0));
            v->dirty[(at + 4) >> MEM_TILE] = (uint8_t)(v->dirty[(at + 4) >> MEM_TILE] + (to != 0) - (both >> 16 != 0));
        }
        both = from | (uint32_t)to << 16;
        memcpy(v->words + at / 4, &both, 4);
    }
}
static inline void ask_for_counts(const eng_view *v, const mem_range *r, const uint64_t *A) {
    for (unsigned l = 0; l < 32; l++) __builtin_prefetch(v->words + (A[l] + r->shadow) / 4, 1);
}

/* Counts the reads of a group: one run for a contiguous stretch of lanes, one place for a uniform address. */
static inline void count_reads(eng_view *v, const eng_ins *i, const mem_range *r, const uint64_t *A, uint32_t group, const shape *s) {
    const unsigned width = i->width;
    if (!v->words) return;
    if (s->cls == ENG_UNIFORM) {
        run_add(v, i, s->address + r->shadow, width, (uint32_t)__builtin_popcount(group));
    } else if (s->cls == ENG_CONTIGUOUS || (s->cls == ENG_ROWS && s->more >> 8 == width)) {
        unsigned row = s->cls == ENG_ROWS ? s->more & 0xff : 32;
        while (group) {
            unsigned first = (unsigned)__builtin_ctz(group), n = (unsigned)__builtin_ctzll(~((uint64_t)group >> first));
            unsigned left = row - first % row;
            n = n < left ? n : left;
            run_add(v, i, A[first] + r->shadow, n * width, 1);
            group = first + n < 32 ? group >> (first + n) << (first + n) : 0;
        }
    } else if (width >= 4) {
        count_elements(v, r, A, group, width);
    } else {
        ENG_LANES(l, group) count_run(v, A[l] + r->shadow, width, 1);
    }
}

/* The handlers of one width: NAME_plain, NAME_guard and NAME_again, which try the whole warp first; NAME_some for some lanes. */
static inline eng_fn pick_access(const eng_fn variants[3], const eng_ins *out, bool before) {
    return variants[out->guard != ENG_PT || out->ginv ? 1 : before ? 2 : 0];
}
#define NOINLINE static __attribute__((noinline))
#define ENG_LOAD(name, W, is_signed)                                                                                        \
    NOINLINE const eng_ins *name##_some(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {                     \
        return load_some(i, w, R, mask, W, is_signed);                                                                  \
    }                                                                                                                   \
    ENG_HANDLER(name##_plain) { return load_fast(i, w, R, mask, mask, W, is_signed, name##_some, false); }              \
    ENG_HANDLER(name##_again) { return load_fast(i, w, R, mask, mask, W, is_signed, name##_some, true); }               \
    ENG_HANDLER(name##_guard) { return load_fast(i, w, R, mask, eng_on(i, w, mask), W, is_signed, name##_some, false); } \
    static const eng_fn name[3] = {name##_plain, name##_guard, name##_again};
#define ENG_STORE(name, W)                                                                                                  \
    NOINLINE const eng_ins *name##_some(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {                     \
        return store_some(i, w, R, mask, W);                                                                            \
    }                                                                                                                   \
    ENG_HANDLER(name##_plain) { return store_fast(i, w, R, mask, mask, W, name##_some, false); }                        \
    ENG_HANDLER(name##_again) { return store_fast(i, w, R, mask, mask, W, name##_some, true); }                         \
    ENG_HANDLER(name##_guard) { return store_fast(i, w, R, mask, eng_on(i, w, mask), W, name##_some, false); }          \
    static const eng_fn name[3] = {name##_plain, name##_guard, name##_again};

#endif
