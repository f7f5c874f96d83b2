/* Device, pinned, managed and registered memory: allocating, freeing, asking. */
#include "cudart/memory.h"

#include <string.h>

#include "cudart/api.h"
#include "cudart/capture.h"
#include "cudart/shared.h"

enum {
    PITCH_ALIGNMENT = 512
}; /* of cudaMallocPitch: what devices of compute capability 7.5 and later give */

/* --- allocating and freeing -------------------------------------------------------------------------------
 */

cudaError_t rt_alloc(void **out, size_t size, eng_alloc_kind kind) {
    if (size == 0) return *out = NULL, cudaSuccess;
    const eng_allocation *made = NULL;
    wg_error err = {0};
    if (rt_device_count() > 1 && kind != ENG_ALLOC_PINNED && eng_memory_used_of(rt_memory(), rt_current()) + size > rt_gpu()->memory)
        return cudaErrorMemoryAllocation;
    wg_status status = eng_memory_alloc(rt_memory(), size, kind, &made, &err);
    if (status != WG_OK) return status == WG_ERR_MEMORY ? cudaErrorMemoryAllocation : rt_error_of(status);
    void *frames[RT_STACK_FRAMES];
    eng_memory_set_device(rt_memory(), made->address, rt_current());
    eng_memory_set_stack(rt_memory(), made->address, frames, rt_stack(frames), false);
    *out = (void *)(uintptr_t)made->address;
    if (kind == ENG_ALLOC_MANAGED || kind == ENG_ALLOC_PINNED) rt_shared_begin();
    return cudaSuccess;
}

static const char *kind_name(eng_alloc_kind kind) {
    switch (kind) {
    case ENG_ALLOC_DEVICE:
        return "device memory";
    case ENG_ALLOC_MANAGED:
        return "managed memory";
    case ENG_ALLOC_PINNED:
        return "pinned host memory";
    case ENG_ALLOC_REGISTERED:
        return "registered host memory";
    case ENG_ALLOC_GLOBAL:
        return "a __device__ variable";
    case ENG_ALLOC_HEAP:
        return "memory that a kernel allocated";
    }
    return "memory";
}

cudaError_t rt_free(void *address, unsigned kinds, const char *call) {
    uint64_t at = (uintptr_t)address;
    const eng_allocation *a = eng_memory_find(rt_memory(), at, NULL);
    uint64_t size = a ? a->size : 0;
    rt_graph_memory *of_graph = rt_graph_memory_at(address);
    if (of_graph && of_graph->live) return rt_graph_memory_use(of_graph, false), cudaSuccess; /* its node has it again */
    wg_error err = {0};
    if (of_graph)
        wg_fail(&err, WG_ERR_ARGUMENT, "a graph's node allocates it, and has not run since it was freed");
    else if (a && !a->freed && a->address == at && !(kinds & 1u << a->kind))
        wg_fail(&err, WG_ERR_ARGUMENT, "it is %s, which another call frees", kind_name(a->kind));
    else
        eng_memory_release(rt_memory(), at, &err);
    if (err.status) {
        rt_finding_about(at, "double-free", "error", "%s(%p): %s", call, address, err.text);
        return cudaErrorInvalidValue;
    }
    void *frames[RT_STACK_FRAMES];
    eng_memory_set_stack(rt_memory(), at, frames, rt_stack(frames), true);
    wg_u64map_remove(&rt.pinned, at);
    rt_pool_freed(at, size);
    rt_advice_freed(at, size);
    return cudaSuccess;
}

void rt_memory_reset(void) {
    eng_memory *mem = rt_memory();
    const eng_allocation *a;
    for (size_t i = 0; (a = eng_memory_at(mem, i)); i++) {
        if (a->freed || a->name || a->kind == ENG_ALLOC_GLOBAL || a->kind == ENG_ALLOC_HEAP || a->device != rt_current()) continue;
        wg_u64map_remove(&rt.pinned, a->address);
        rt_pool_freed(a->address, a->size);
        rt_advice_freed(a->address, a->size);
        if (a->kind == ENG_ALLOC_REGISTERED)
            eng_memory_unregister(mem, (void *)(uintptr_t)a->address, NULL);
        else
            eng_memory_release(mem, a->address, NULL);
    }
}

cudaError_t cudaMalloc(void **out, size_t size) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    return rt_leave((e = rt_capture_unsafe()) ? e : rt_alloc(out, size, ENG_ALLOC_DEVICE));
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags) {
    if (!out || !size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    return rt_leave((e = rt_capture_unsafe()) ? e : rt_alloc(out, size, ENG_ALLOC_MANAGED));
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags) {
    if (!out || flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    if (!(e = rt_alloc(out, size, ENG_ALLOC_PINNED)) && *out)
        wg_u64map_set(&rt.pinned, (uintptr_t)*out, flags + 1);
    return rt_leave(e);
}

cudaError_t cudaMallocHost(void **out, size_t size) {
    return cudaHostAlloc(out, size, 0);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    size_t pitch, slice, size;
    if (__builtin_add_overflow(extent.width, PITCH_ALIGNMENT - 1, &pitch))
        return rt_leave(cudaErrorMemoryAllocation);
    pitch -= pitch % PITCH_ALIGNMENT;
    if (__builtin_mul_overflow(pitch, extent.height, &slice) ||
        __builtin_mul_overflow(slice, extent.depth, &size))
        return rt_leave(cudaErrorMemoryAllocation);
    void *at = NULL;
    if (!(e = rt_capture_unsafe()) && !(e = rt_alloc(&at, size, ENG_ALLOC_DEVICE)))
        *out = (struct cudaPitchedPtr){at, pitch, extent.width, extent.height};
    return rt_leave(e);
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
    if (!out || !pitch) return rt_note(cudaErrorInvalidValue);
    struct cudaPitchedPtr made;
    cudaError_t e = cudaMalloc3D(&made, (struct cudaExtent){width, height, 1});
    if (!e) *out = made.ptr, *pitch = made.pitch;
    return e;
}

cudaError_t cudaFree(void *address) {
    cudaError_t e = rt_enter();
    if (e || !address) return e ? e : rt_leave(cudaSuccess);
    if ((e = rt_capture_unsafe())) return rt_leave(e);
    rt_stream_wait(NULL); /* cudaFree waits for the device */
    return rt_leave(rt_free(address, 1u << ENG_ALLOC_DEVICE | 1u << ENG_ALLOC_MANAGED, "cudaFree"));
}

cudaError_t cudaFreeHost(void *address) {
    cudaError_t e = rt_enter();
    if (e || !address) return e ? e : rt_leave(cudaSuccess);
    return rt_leave(rt_free(address, 1u << ENG_ALLOC_PINNED, "cudaFreeHost"));
}

/* --- registered host memory ------------------------------------------------------------------------------
 */

cudaError_t cudaHostRegister(void *host, size_t size, unsigned flags) {
    const unsigned all = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                         cudaHostRegisterReadOnly;
    if (!host || !size || flags > all) return rt_note(cudaErrorInvalidValue);
    if (flags & cudaHostRegisterIoMemory) return rt_note(cudaErrorNotSupported);
    cudaError_t e = rt_enter();
    if (e) return e;
    wg_status status = eng_memory_register(rt_memory(), host, size, NULL);
    if (status == WG_OK) {
        wg_u64map_set(&rt.pinned, (uintptr_t)host, flags + 1);
        eng_memory_set_device(rt_memory(), (uintptr_t)host, rt_current());
    }
    return rt_leave(status == WG_ERR_ARGUMENT || status == WG_ERR_STATE ? cudaErrorHostMemoryAlreadyRegistered
                                                                        : rt_error_of(status));
}

cudaError_t cudaHostUnregister(void *host) {
    if (!host) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    if (eng_memory_unregister(rt_memory(), host, NULL) != WG_OK)
        return rt_leave(cudaErrorHostMemoryNotRegistered);
    wg_u64map_remove(&rt.pinned, (uintptr_t)host);
    return rt_leave(cudaSuccess);
}

/* --- asking ------------------------------------------------------------------------------------------------
 */

static const eng_allocation *live(const void *address) {
    const eng_allocation *a = eng_memory_find(rt_memory(), (uintptr_t)address, NULL);
    return a && !a->freed ? a : NULL;
}

static bool host_visible(const eng_allocation *a) {
    return a->kind == ENG_ALLOC_PINNED || a->kind == ENG_ALLOC_REGISTERED;
}

/* Host and device share the address of pinned and registered memory. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    if (!device || !host || flags) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const eng_allocation *a = live(host);
    if (!a || !host_visible(a)) return rt_leave(cudaErrorInvalidValue);
    *device = host;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    if (!flags || !host) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const eng_allocation *a = live(host);
    uint64_t kept = 0;
    if (!a || !wg_u64map_get(&rt.pinned, a->address, &kept)) return rt_leave(cudaErrorInvalidValue);
    *flags =
        (unsigned)(kept - 1) | cudaHostAllocMapped; /* all pinned memory is mapped under unified addressing */
    return rt_leave(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *address) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const eng_allocation *a = live(address);
    void *at = (void *)(uintptr_t)address;
    *out = (struct cudaPointerAttributes){
        .type = cudaMemoryTypeUnregistered, .device = cudaInvalidDeviceId, .hostPointer = at};
    if (a && wg_u64map_get(&rt.opened, a->address, NULL)) /* device memory of another process */
        *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeDevice, .devicePointer = at};
    else if (a && host_visible(a))
        *out = (struct cudaPointerAttributes){
            .type = cudaMemoryTypeHost, .devicePointer = at, .hostPointer = at};
    else if (a && a->kind == ENG_ALLOC_MANAGED)
        *out = (struct cudaPointerAttributes){
            .type = cudaMemoryTypeManaged, .devicePointer = at, .hostPointer = at};
    else if (a)
        *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeDevice, .devicePointer = at};
    if (a && out->type != cudaMemoryTypeUnregistered) out->device = a->device;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
    if (!free && !total) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    uint64_t capacity = rt_gpu()->memory;
    uint64_t used = rt_device_count() > 1 ? eng_memory_used_of(rt_memory(), rt_current()) : eng_memory_used(rt_memory());
    if (total) *total = capacity;
    if (free) *free = capacity > used ? capacity - used : 0;
    return rt_leave(cudaSuccess);
}
