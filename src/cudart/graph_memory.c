/* Memory of allocation nodes, and what the device says of it. */
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/graph.h"

static struct { uint64_t used, used_high, reserved, reserved_high; } count;

cudaError_t rt_graph_memory_new(size_t size, rt_graph_memory **out) {
    rt_graph_memory *m = calloc(1, sizeof *m);
    if (!m) return cudaErrorMemoryAllocation;
    void *at = NULL;
    cudaError_t e = rt_alloc(&at, size, ENG_ALLOC_DEVICE);
    if (!e && !wg_u64map_set(&rt.graph_memory, (uintptr_t)at, (uintptr_t)m)) e = cudaErrorMemoryAllocation;
    if (e) return free(m), e;
    eng_memory_set_name(rt_memory(), (uintptr_t)at, "memory of a graph"); /* the program need not free it */
    *m = (rt_graph_memory){(uintptr_t)at, size, 1, false};
    *out = m;
    return cudaSuccess;
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
    free(m);
}

void rt_graph_memory_drop(rt_graph_memory *memory) {
    memory->holders--;
    end(memory);
}

void rt_graph_memory_use(rt_graph_memory *m, bool live) {
    if (m->live == live) return;
    m->live = live;
    count.used += live ? m->size : -m->size;
    if (count.used > count.used_high) count.used_high = count.used;
    if (count.used > count.reserved) count.reserved = count.used;
    if (count.reserved > count.reserved_high) count.reserved_high = count.reserved;
    end(m);
}

static cudaError_t on_device(int device) {
    return rt_check_device(device);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    if (on_device(device)) return rt_note(on_device(device));
    cudaError_t e = rt_enter();
    if (e) return e;
    count.reserved = count.used;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value) {
    if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh) return rt_note(cudaErrorInvalidValue);
    if (on_device(device)) return rt_note(on_device(device));
    cudaError_t e = rt_enter();
    if (e) return e;
    const uint64_t all[] = {count.used, count.used_high, count.reserved, count.reserved_high};
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
    if (attribute == cudaGraphMemAttrUsedMemHigh)
        count.used_high = count.used;
    else
        count.reserved_high = count.reserved;
    return rt_leave(cudaSuccess);
}
