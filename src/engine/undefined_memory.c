/* Undefined bytes of global memory: asked for lane by lane, stored by kernels, and who stored them. */
#include <stdlib.h>
#include <string.h>

#include "engine/undefined.h"
#include "engine/view.h"

enum { GRAIN = 5 /* log2 of the bytes that remember one store */, MOST_STORES = 1 << 14, MOST_GRAINS = 1 << 18 };

struct mem_stores {
    wg_vec(eng_undefined_store) list;
    wg_u64map grains; /* shadow offset >> GRAIN -> number */
};

uint32_t mem_undefined_bytes(const eng_view *v, uint64_t address, unsigned n) {
    const mem_alloc *a = mem_find(v->mem, address, NULL);
    uint32_t undefined = 0;
    if (!a || a->pub.freed || n > a->end - address) return 0; /* a finding of another kind */
    uint64_t at = address - a->pub.address;
    for (unsigned b = 0; b < n; b++)
        if (at + b >= a->prefix && !mem_seen_all(v, a->shadow + at + b, 1)) undefined |= 1u << b;
    return undefined;
}

/* One number for the stores of an instruction by one launch: the first is told. */
static uint32_t number_of(eng_memory *m, const eng_undefined_store *store) {
    struct mem_stores *s = m->stores;
    if (!s) s = m->stores = calloc(1, sizeof *s);
    if (!s) return 0;
    for (size_t k = s->list.count; k-- > 0 && s->list.count - k < 64;) {
        eng_undefined_store *old = &s->list.at[k];
        if (old->code == store->code && old->launch == store->launch && old->at.function == store->at.function &&
            old->at.instr == store->at.instr && old->origin.at.instr == store->origin.at.instr && old->allocation == store->allocation) {
            if (store->computed && !old->computed) *old = *store;
            return (uint32_t)k + 1;
        }
    }
    if (s->list.count >= MOST_STORES || !wg_vec_push(&s->list, *store)) return 0;
    return (uint32_t)s->list.count;
}

static void lower_ranges(eng_view *v, const mem_alloc *a) {
    for (unsigned k = 0; k < 3 * MEM_RANGES; k++)
        if (v->ranges[k].alloc == a && v->ranges[k].plain > a->prefix) v->ranges[k].plain = a->prefix;
}

bool mem_undefine_bytes(eng_view *v, uint64_t address, uint32_t bytes, const eng_undefined_store *store) {
    eng_memory *m = v->mem;
    mem_alloc *a = mem_find(m, address, NULL);
    if (!a || a->pub.freed || a->pub.kind == ENG_ALLOC_MANAGED || a->pub.kind == ENG_ALLOC_PINNED || a->pub.kind == ENG_ALLOC_REGISTERED)
        return true;
    if (v->parallel) return false;
    uint64_t at = address - a->pub.address, old = a->prefix;
    for (unsigned b = 0; b < 16; b++)
        if (bytes >> b & 1 && at + b < a->pub.size) mem_undefine(m, a, at + b, 1);
    if (a->prefix < old) lower_ranges(v, a);
    eng_undefined_store here = *store;
    here.allocation = a->pub.id;
    uint32_t number = number_of(m, &here);
    for (unsigned b = 0; b < 16 && m->stores; b++)
        if (bytes >> b & 1 && at + b < a->pub.size) mem_note_stored(m, a, at + b, 1);
    uint64_t grain = (a->shadow + at) >> GRAIN;
    if (number && (m->stores->grains.count < MOST_GRAINS || wg_u64map_get(&m->stores->grains, grain, NULL)))
        wg_u64map_set(&m->stores->grains, grain, number);
    return true;
}

void mem_undefine_range(eng_view *v, uint64_t address, uint64_t n) {
    mem_alloc *a = mem_find(v->mem, address, NULL);
    if (!a || v->parallel || n > a->end - address) return;
    mem_undefine(v->mem, a, address - a->pub.address, n);
    lower_ranges(v, a);
}

const eng_undefined_store *eng_memory_undefined_store_at(const eng_memory *m, uint32_t number) {
    if (!m->stores || !number || number > m->stores->list.count || !m->stores->list.at[number - 1].code) return NULL;
    return &m->stores->list.at[number - 1];
}

uint32_t eng_memory_undefined_stores(const eng_memory *m) { return m->stores ? (uint32_t)m->stores->list.count : 0; }

const eng_undefined_store *eng_memory_undefined_store(const eng_memory *m, uint64_t address, uint32_t *number) {
    const mem_alloc *a = m->stores ? mem_find(m, address, NULL) : NULL;
    uint64_t found;
    *number = 0;
    if (!a || !wg_u64map_get(&m->stores->grains, (a->shadow + address - a->pub.address) >> GRAIN, &found)) return NULL;
    *number = (uint32_t)found;
    return eng_memory_undefined_store_at(m, *number);
}

void mem_forget_code(eng_memory *m, const void *code) {
    for (size_t k = 0; m->stores && k < m->stores->list.count; k++)
        if (m->stores->list.at[k].code == code) m->stores->list.at[k].code = NULL;
}

void mem_stores_free(eng_memory *m) {
    if (!m->stores) return;
    wg_vec_free(&m->stores->list);
    wg_u64map_free(&m->stores->grains);
    free(m->stores);
    m->stores = NULL;
}
