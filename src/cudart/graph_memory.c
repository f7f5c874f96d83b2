/* Memory of allocation nodes, and what the device says of it. */
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/graph.h"

/* --- how much a device has reserved ------------------------------------------------------------------------
 * An H200 takes memory for graphs in chunks: a graph has its chunks from its first allocation until all of it is freed, then
 * another graph may have them, and only trimming gives them back. What it calls used is what it calls reserved. */

enum { CHUNK = 32 << 20 };

typedef struct rt_graph_part { /* the memory of one graph */
    unsigned device, holders;  /* its allocations */
    unsigned live;             /* of which so many are the program's now */
    uint64_t size, taken;
} part;

static void take(part *p) {
    rt_graph_pool *pool = &rt.devices[p->device].graph_pool;
    p->taken = (p->size + CHUNK - 1) / CHUNK * CHUNK;
    uint64_t idle = p->taken < pool->idle ? p->taken : pool->idle;
    pool->idle -= idle;
    pool->reserved += p->taken - idle;
    if (pool->reserved > pool->used_high) pool->used_high = pool->reserved;
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
}

static void count(part *p, bool live) {
    if (live && !p->live++) take(p);
    if (!live && !--p->live) rt.devices[p->device].graph_pool.idle += p->taken;
}

/* --- addresses --------------------------------------------------------------------------------------------- */

/* Marks all nodes that these wait for, and they themselves. Most graphs are made in order, so that one pass finds them. */
static void mark_needed(rt_graph *graph, rt_node *const *needs, size_t n) {
    for (size_t i = 0; i < graph->nodes.count; i++) graph->nodes.at[i]->mark = 0;
    for (size_t i = 0; i < n; i++) needs[i]->mark = 1;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = graph->nodes.count; i-- > 0;) {
            rt_node *node = graph->nodes.at[i];
            if (node->mark != 1) continue;
            for (size_t k = 0; k < node->needs.count; k++)
                if (!node->needs.at[k]->mark) node->needs.at[k]->mark = 1, more = true;
            node->mark = 2; /* and what it waits for */
        }
    }
}

/* Do the marked nodes free it as often as the graph's nodes allocate it? */
static bool is_freed(const rt_graph *graph, const rt_graph_memory *m) {
    size_t allocated = 0, freed = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const rt_node *node = graph->nodes.at[i];
        allocated += node->work.type == cudaGraphNodeTypeMemAlloc && node->work.alloc.memory == m;
        freed += node->mark && node->work.type == cudaGraphNodeTypeMemFree && node->work.free.memory == m;
    }
    return allocated == freed;
}

/* Memory of this size that is free whenever a node with these needs runs. */
static rt_graph_memory *find_free(rt_graph *graph, rt_node *const *needs, size_t n, const part *of, size_t size) {
    mark_needed(graph, needs, n);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const rt_work *w = &graph->nodes.at[i]->work;
        if (w->type != cudaGraphNodeTypeMemAlloc || w->alloc.memory->part != of || w->alloc.memory->size != size) continue;
        if (is_freed(graph, w->alloc.memory)) return w->alloc.memory;
    }
    return NULL;
}

static part *part_of(const rt_graph *graph, unsigned device) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const rt_work *w = &graph->nodes.at[i]->work;
        if (w->type == cudaGraphNodeTypeMemAlloc && w->alloc.memory->part->device == device) return w->alloc.memory->part;
    }
    part *made = calloc(1, sizeof *made);
    if (made) made->device = device;
    return made;
}

static cudaError_t make(part *p, size_t size, rt_graph_memory **out) {
    rt_graph_memory *m = calloc(1, sizeof *m);
    if (!m) return cudaErrorMemoryAllocation;
    void *at = NULL;
    cudaError_t e = rt_alloc(&at, size, ENG_ALLOC_DEVICE);
    if (!e && !wg_u64map_set(&rt.graph_memory, (uintptr_t)at, (uintptr_t)m)) e = cudaErrorMemoryAllocation;
    if (e) return free(m), e;
    eng_memory_set_name(rt_memory(), (uintptr_t)at, "memory of a graph"); /* the program need not free it */
    eng_memory_set_device(rt_memory(), (uintptr_t)at, p->device);
    *m = (rt_graph_memory){(uintptr_t)at, size, 1, false, p};
    p->holders++;
    p->size += size;
    *out = m;
    return cudaSuccess;
}

cudaError_t rt_graph_memory_new(rt_graph *graph, rt_node *const *needs, size_t n, size_t size, unsigned device, rt_graph_memory **out) {
    part *p = part_of(graph, device);
    if (!p) return cudaErrorMemoryAllocation;
    if ((*out = find_free(graph, needs, n, p, size))) return rt_graph_memory_hold(*out), cudaSuccess;
    cudaError_t e = make(p, size, out);
    if (!p->holders) free(p);
    return e;
}

rt_graph_memory *rt_graph_memory_at(const void *address) {
    uint64_t at;
    return wg_u64map_get(&rt.graph_memory, (uintptr_t)address, &at) ? (rt_graph_memory *)(uintptr_t)at : NULL;
}

void rt_graph_memory_hold(rt_graph_memory *memory) {
    memory->holders++;
}

/* Nobody allocates it again, and it is not in use: it ends. */
static void end(rt_graph_memory *m) {
    if (m->holders || m->live) return;
    wg_u64map_remove(&rt.graph_memory, m->address);
    rt_free((void *)(uintptr_t)m->address, 1u << ENG_ALLOC_DEVICE, "cudaGraphDestroy");
    m->part->size -= m->size;
    if (!--m->part->holders) free(m->part);
    free(m);
}

void rt_graph_memory_drop(rt_graph_memory *memory) {
    memory->holders--;
    end(memory);
}

void rt_graph_memory_use(rt_graph_memory *m, bool live) {
    if (m->live == live) return;
    m->live = live;
    count(m->part, live);
    end(m);
}

/* --- what the program asks --------------------------------------------------------------------------------- */

static cudaError_t on_device(int device) {
    return rt_check_device(device);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    if (on_device(device)) return rt_note(on_device(device));
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_graph_pool *pool = &rt.devices[device].graph_pool;
    pool->reserved -= pool->idle;
    pool->idle = 0;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value) {
    if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh) return rt_note(cudaErrorInvalidValue);
    if (on_device(device)) return rt_note(on_device(device));
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_graph_pool *pool = &rt.devices[device].graph_pool;
    const uint64_t all[] = {pool->reserved, pool->used_high, pool->reserved, pool->reserved_high};
    *(uint64_t *)value = all[attribute];
    return rt_leave(cudaSuccess);
}

/* The two highest values may be set, to 0. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value) {
    bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (!value || !high || *(uint64_t *)value) return rt_note(cudaErrorInvalidValue);
    if (on_device(device)) return rt_note(on_device(device));
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_graph_pool *pool = &rt.devices[device].graph_pool;
    *(attribute == cudaGraphMemAttrUsedMemHigh ? &pool->used_high : &pool->reserved_high) = pool->reserved;
    return rt_leave(cudaSuccess);
}
