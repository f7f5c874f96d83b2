/* Stream-ordered allocation and memory pools. Work runs in the order of the calls, so an allocation is
 * there, and a freed one gone, when its call returns; a pool only keeps count. */
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/capture.h"
#include "cudart/memory.h"

typedef struct CUmemPoolHandle_st {
    struct cudaMemPoolProps props;
    int reuse[3]; /* by cudaMemPoolReuse... - 1 */
    uint64_t threshold, used, used_high;
    uint64_t open; /* bit set of other devices that may touch its memory */
} rt_pool;

/* A device's default pool, and the one that it allocates from. */
static struct { rt_pool pool, *current; } defaults[SES_MOST_GPUS];

static rt_pool *default_of(unsigned device) {
    rt_pool *pool = &defaults[device].pool;
    if (pool->props.allocType != cudaMemAllocationTypePinned)
        *pool = (rt_pool){.props = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, (int)device}},
                          .reuse = {1, 1, 1}};
    return pool;
}

static rt_pool *current_of(unsigned device) {
    return defaults[device].current ? defaults[device].current : default_of(device);
}

static bool is_default(const rt_pool *pool) {
    for (unsigned d = 0; d < rt_device_count(); d++)
        if (pool == &defaults[d].pool) return true;
    return false;
}

static wg_u64map owners; /* address of a pool's allocation -> its pool */

static rt_pool *pool_of(cudaMemPool_t handle) {
    if (is_default(handle)) return handle;
    return wg_u64map_get(&rt.pools, (uintptr_t)handle, NULL) ? handle : NULL;
}

static void count(rt_pool *pool, int64_t bytes) {
    pool->used += (uint64_t)bytes;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
}

void rt_pool_freed(uint64_t address, uint64_t size) {
    uint64_t owner;
    if (!wg_u64map_get(&owners, address, &owner)) return;
    count((rt_pool *)(uintptr_t)owner, -(int64_t)size);
    wg_u64map_remove(&owners, address);
}

/* In a capture an allocation is a node, and its address is known at once. */
static cudaError_t capture_alloc(void **out, size_t size, rt_stream *stream) {
    rt_work work = {.type = cudaGraphNodeTypeMemAlloc};
    work.alloc.asked = (struct cudaMemAllocNodeParams){.poolProps = default_of(stream->device)->props, .bytesize = size};
    cudaError_t e = rt_graph_memory_new(stream->capture->graph, stream->tips.at, stream->tips.count, size, stream->device, &work.alloc.memory);
    if (e) return e;
    *out = work.alloc.asked.dptr = (void *)(uintptr_t)work.alloc.memory->address;
    e = rt_capture_add(stream, &work, NULL);
    rt_graph_memory_drop(work.alloc.memory); /* the node holds it */
    return e;
}

/* Tells the session that memory begins or ends where the stream has come to, for its use in other streams. */
static void order_life(rt_stream *stream, const char *call, const void *address, bool frees) {
    void *frames[RT_STACK_FRAMES];
    if (!ses_order_kept(rt.session)) return;
    rt_stream_order(stream);
    ses_order_life(rt.session, rt_timeline(stream), call, (uintptr_t)address, frees, frames, rt_stack(frames));
}

/* named: from the pool of this handle; else from the device's current one. */
static cudaError_t alloc(void **out, size_t size, cudaMemPool_t handle, bool named, cudaStream_t stream) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    rt_pool *pool = named ? pool_of(handle) : current_of(s->device);
    if (!pool) return rt_leave(cudaErrorInvalidValue);
    if ((e = rt_capture_check(s))) return rt_leave(e);
    if (s->capture) return rt_leave(capture_alloc(out, size, s));
    if (pool->props.maxSize && pool->used + size > pool->props.maxSize)
        return rt_leave(cudaErrorMemoryAllocation);
    if (!(e = rt_alloc(out, size, ENG_ALLOC_DEVICE)) && *out) {
        eng_memory_set_device(rt_memory(), (uintptr_t)*out, (unsigned)pool->props.location.id);
        eng_memory_set_open(rt_memory(), (uintptr_t)*out, pool->open);
        wg_u64map_set(&owners, (uintptr_t)*out, (uintptr_t)pool);
        count(pool, (int64_t)size);
        order_life(s, named ? "cudaMallocFromPoolAsync" : "cudaMallocAsync", *out, false);
    }
    if (!e) rt_stream_work(s, 0);
    return rt_leave(e);
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream) {
    return alloc(out, size, NULL, false, stream);
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return alloc(out, size, pool, true, stream);
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if (!address) return rt_leave(cudaSuccess);
    if ((e = rt_capture_check(s))) return rt_leave(e);
    if (s->capture)
        return rt_leave(rt_capture_add(
            s, &(rt_work){.type = cudaGraphNodeTypeMemFree, .free = {rt_graph_memory_at(address), address}}, NULL));
    order_life(s, "cudaFreeAsync", address, true);
    if ((e = rt_free(address, 1u << ENG_ALLOC_DEVICE, "cudaFreeAsync"))) return rt_leave(e);
    rt_stream_work(s, 0);
    return rt_leave(cudaSuccess);
}

/* --- pools -------------------------------------------------------------------------------------------------
 */

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props) {
    if (!out || !props || props->allocType != cudaMemAllocationTypePinned ||
        props->location.type != cudaMemLocationTypeDevice)
        return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(props->location.id)) return rt_note(cudaErrorInvalidDevice);
    if (props->handleTypes) return rt_note(cudaErrorNotSupported); /* sharing with other processes */
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_pool *pool = calloc(1, sizeof *pool);
    if (!pool || !wg_u64map_set(&rt.pools, (uintptr_t)pool, (uintptr_t)pool)) {
        free(pool);
        return rt_leave(cudaErrorMemoryAllocation);
    }
    *pool = (rt_pool){.props = *props, .reuse = {1, 1, 1}};
    *out = pool;
    return rt_leave(cudaSuccess);
}

/* The pool's memory stays with who has it; the handle ends. The struct stays for the owners' counts. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
    cudaError_t e = rt_enter();
    if (e) return e;
    if (is_default(handle) || !pool_of(handle)) return rt_leave(cudaErrorInvalidValue);
    wg_u64map_remove(&rt.pools, (uintptr_t)handle);
    for (unsigned d = 0; d < rt_device_count(); d++)
        if (defaults[d].current == handle) defaults[d].current = NULL;
    return rt_leave(cudaSuccess);
}

static cudaError_t give(cudaMemPool_t *out, int device, rt_pool *(*which)(unsigned device)) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    cudaError_t e = rt_enter();
    if (e) return e;
    *out = which((unsigned)device);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device) {
    return give(out, device, default_of);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device) {
    return give(out, device, current_of);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_pool *pool = pool_of(handle);
    if (!pool || pool->props.location.id != device) return rt_leave(cudaErrorInvalidValue);
    defaults[device].current = pool;
    return rt_leave(cudaSuccess);
}

/* The pools by place, as CUDA 13 asks for them: those of device memory are the device's; pools of host and of
 * managed memory there are none. */
static cudaError_t place_of(const struct cudaMemLocation *place, enum cudaMemAllocationType type) {
    if (!place || (type != cudaMemAllocationTypePinned && type != cudaMemAllocationTypeManaged)) return cudaErrorInvalidValue;
    if (place->type == cudaMemLocationTypeDevice && type == cudaMemAllocationTypePinned) return cudaSuccess;
    return cudaErrorNotSupported;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *out, struct cudaMemLocation *place, enum cudaMemAllocationType type) {
    cudaError_t e = place_of(place, type);
    return e ? rt_note(e) : cudaDeviceGetDefaultMemPool(out, place->id);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *out, struct cudaMemLocation *place, enum cudaMemAllocationType type) {
    cudaError_t e = place_of(place, type);
    return e ? rt_note(e) : cudaDeviceGetMemPool(out, place->id);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *place, enum cudaMemAllocationType type, cudaMemPool_t pool) {
    cudaError_t e = place_of(place, type);
    return e ? rt_note(e) : cudaDeviceSetMemPool(place->id, pool);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
    (void)keep; /* freed memory is given back at once, so there is nothing to trim */
    cudaError_t e = rt_enter();
    if (e) return e;
    return rt_leave(pool_of(handle) ? cudaSuccess : cudaErrorInvalidValue);
}

/* Values are int for the three reuse attributes, and 64-bit numbers for the others. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
    if (!value) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_pool *pool = pool_of(handle);
    if (!pool) return rt_leave(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        pool->reuse[attribute - 1] = *(const int *)value != 0;
        break;
    case cudaMemPoolAttrReleaseThreshold:
        pool->threshold = *(const uint64_t *)value;
        break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: /* may only be reset */
        if (*(const uint64_t *)value) return rt_leave(cudaErrorInvalidValue);
        pool->used_high = pool->used;
        break;
    default:
        return rt_leave(cudaErrorInvalidValue);
    }
    return rt_leave(cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
    if (!value) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_pool *pool = pool_of(handle);
    if (!pool) return rt_leave(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)value = pool->reuse[attribute - 1];
        break;
    case cudaMemPoolAttrReleaseThreshold:
        *(uint64_t *)value = pool->threshold;
        break;
    case cudaMemPoolAttrReservedMemCurrent: /* nothing is reserved beyond what is used */
    case cudaMemPoolAttrUsedMemCurrent:
        *(uint64_t *)value = pool->used;
        break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        *(uint64_t *)value = pool->used_high;
        break;
    default:
        return rt_leave(cudaErrorInvalidValue);
    }
    return rt_leave(cudaSuccess);
}

/* What the pool's memory is open to, that which it has given out included. */
static void open_to(rt_pool *pool, int device, bool on) {
    uint64_t bit = UINT64_C(1) << device;
    pool->open = on ? pool->open | bit : pool->open & ~bit;
    for (size_t i = 0; i < owners.room; i++)
        if (owners.slots[i].used && owners.slots[i].value == (uintptr_t)pool) eng_memory_set_open(rt_memory(), owners.slots[i].key, pool->open);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const struct cudaMemAccessDesc *list, size_t n) {
    if (n && !list) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_pool *pool = pool_of(handle);
    if (!pool) return rt_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        int device = list[i].location.id;
        if (list[i].location.type != cudaMemLocationTypeDevice || !rt_is_device(device)) return rt_leave(cudaErrorInvalidDevice);
        if (list[i].flags != cudaMemAccessFlagsProtReadWrite && list[i].flags != cudaMemAccessFlagsProtNone) return rt_leave(cudaErrorInvalidValue);
        /* A device cannot lose the access to its own pool. */
        if (device == pool->props.location.id && !list[i].flags) return rt_leave(cudaErrorInvalidValue);
        if (device != pool->props.location.id) open_to(pool, device, list[i].flags != cudaMemAccessFlagsProtNone);
    }
    return rt_leave(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                 struct cudaMemLocation *where) {
    if (!flags || !where) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_pool *pool = pool_of(handle);
    if (!pool) return rt_leave(cudaErrorInvalidValue);
    bool may = where->type == cudaMemLocationTypeDevice && rt_is_device(where->id) &&
               (where->id == pool->props.location.id || pool->open >> where->id & 1);
    *flags = may ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return rt_leave(cudaSuccess);
}
