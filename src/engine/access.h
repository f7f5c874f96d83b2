/* Accesses to global memory, lane by lane where they must be: shared by the families that reach it. For exec_*.c. */
#ifndef WG_ENGINE_ACCESS_H
#define WG_ENGINE_ACCESS_H

#include "engine/classify.h"
#include "engine/fault.h"
#include "engine/view.h"

/* eng_ins.x of memory instructions */
enum {
    MEM_PAIR = 1,      /* the base register holds 64 bits */
    MEM_UNIFORM = 2,   /* a uniform pair is added (slot b) */
    MEM_SIGNED = 4,    /* narrow loads extend the sign */
    MEM_SCALE = 8      /* shared: bits 8.. are the shift of the base register */
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

ENG_INLINE eng_view *view_of(const eng_warp *w) { return w->worker->memory_state; }
ENG_INLINE mem_range *range_of(eng_view *v, const eng_ins *i) { return (mem_range *)(void *)((uint8_t *)v + i->y); }
ENG_INLINE uint8_t *at_host(const mem_range *r, uint64_t address) {
    return (uint8_t *)(uintptr_t)(address + (uint64_t)r->host);
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
static inline uint32_t lanes_inside(const mem_range *r, const uint64_t *A, uint32_t on, unsigned width) {
    uint64_t bad[32];
    for (unsigned l = 0; l < 32; l++) {
        uint64_t off = A[l] - r->lo;
        bad[l] = (r->size - width - off) | off | (uint64_t)-(int64_t)(A[l] & (width - 1));
    }
    uint32_t inside = 0;
    for (unsigned l = 0; l < 32; l++) inside |= (uint32_t)(~bad[l] >> 63) << l;
    return inside & on;
}

/* The active lanes by allocation: start with left = the lanes, take groups until there is none. Each comes with r filled
 * for it. Lanes that may not access are left in faulty. */
typedef struct groups {
    uint32_t left, done, faulty;
} groups;
static inline uint32_t next_group(groups *g, eng_view *v, mem_range *r, const uint64_t *A, unsigned width, unsigned access) {
    while (g->left) {
        uint32_t group = lanes_inside(r, A, g->left, width), first = g->left & -g->left;
        if (!group && mem_range_fill(v, r, A[__builtin_ctz(first)], access)) {
            group = lanes_inside(r, A, g->left, width);
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

/* Counts the reads of a group: one run for a contiguous stretch of lanes, one place for a uniform address. */
static inline void count_reads(eng_view *v, const mem_range *r, const uint64_t *A, uint32_t group, const shape *s, unsigned width) {
    if (!v->words) return;
    if (s->cls == ENG_UNIFORM) {
        mem_reads_run(&v->plane, s->address + r->shadow, width, __builtin_popcount(group));
    } else if (s->cls == ENG_CONTIGUOUS) {
        while (group) {
            unsigned first = (unsigned)__builtin_ctz(group);
            uint64_t holes = ~((uint64_t)group >> first);
            unsigned n = (unsigned)__builtin_ctzll(holes);
            mem_reads_run(&v->plane, A[first] + r->shadow, (uint64_t)n * width, 1);
            group = first + n < 32 ? group >> (first + n) << (first + n) : 0;
        }
    } else {
        ENG_LANES(l, group) mem_reads_run(&v->plane, A[l] + r->shadow, width, 1);
    }
}

#endif
