/* Memory: allocating, freeing, asking. An address is the runtime's pointer as a number. */
#include "cudart/memory.h"

#include <string.h>

#include "cudadrv/driver.h"

/* --- allocating ------------------------------------------------------------------------------------------ */

static CUresult allocate(CUdeviceptr *out, size_t size, eng_alloc_kind kind) {
    if (!out || !size) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    void *at = NULL;
    if (!(e = rt_alloc(&at, size, kind))) *out = (uintptr_t)at;
    return drv_result(rt_leave(e));
}

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size) {
    return allocate(out, size, ENG_ALLOC_DEVICE);
}

CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return CUDA_ERROR_INVALID_VALUE;
    return allocate(out, size, ENG_ALLOC_MANAGED);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned element) {
    if (!out || !pitch || !width || !height || (element != 4 && element != 8 && element != 16)) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    void *at = NULL;
    r = drv_result(cudaMallocPitch(&at, pitch, width, height));
    if (!r) *out = (uintptr_t)at;
    return r;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    rt_stream_wait(NULL);
    return drv_result(rt_leave(rt_free(drv_pointer(address), 1u << ENG_ALLOC_DEVICE | 1u << ENG_ALLOC_MANAGED, "cuMemFree")));
}

CUresult cuMemHostAlloc(void **out, size_t size, unsigned flags) {
    if (!size) return CUDA_ERROR_INVALID_VALUE;
    DRV_CALL(cudaHostAlloc(out, size, flags));
}
CUresult cuMemAllocHost_v2(void **out, size_t size) {
    return cuMemHostAlloc(out, size, 0);
}
CUresult cuMemFreeHost(void *address) {
    if (!address) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    return drv_result(rt_leave(rt_free(address, 1u << ENG_ALLOC_PINNED, "cuMemFreeHost")));
}
CUresult cuMemHostRegister_v2(void *host, size_t size, unsigned flags) {
    DRV_CALL(cudaHostRegister(host, size, flags));
}
CUresult cuMemHostUnregister(void *host) {
    DRV_CALL(cudaHostUnregister(host));
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags) {
    void *at = NULL;
    CUresult r = device ? drv_ready() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = drv_result(cudaHostGetDevicePointer(&at, host, flags));
    if (!r) *device = (uintptr_t)at;
    return r;
}
CUresult cuMemHostGetFlags(unsigned *flags, void *host) {
    DRV_CALL(cudaHostGetFlags(flags, host));
}

/* --- in the order of a stream ---------------------------------------------------------------------------- */

CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream) {
    void *at = NULL;
    CUresult r = out && size ? drv_ready_on(stream) : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = drv_result(cudaMallocAsync(&at, size, stream));
    if (!r) *out = (uintptr_t)at;
    return r;
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size, CUmemoryPool pool, CUstream stream) {
    void *at = NULL;
    CUresult r = out && size ? drv_ready_on(stream) : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = drv_result(cudaMallocFromPoolAsync(&at, size, pool, stream));
    if (!r) *out = (uintptr_t)at;
    return r;
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    DRV_CALL_ON(stream, cudaFreeAsync(drv_pointer(address), stream));
}
CUresult cuMemPoolCreate(CUmemoryPool *pool, const struct cudaMemPoolProps *props) {
    DRV_CALL_ANYWHERE(cudaMemPoolCreate(pool, props));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    DRV_CALL_ANYWHERE(cudaMemPoolDestroy(pool));
}
CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, struct cudaMemLocation *place, enum cudaMemAllocationType type) {
    DRV_CALL_ANYWHERE(cudaMemGetDefaultMemPool(pool, place, type));
}
CUresult cuMemGetMemPool(CUmemoryPool *pool, struct cudaMemLocation *place, enum cudaMemAllocationType type) {
    DRV_CALL_ANYWHERE(cudaMemGetMemPool(pool, place, type));
}
CUresult cuMemSetMemPool(struct cudaMemLocation *place, enum cudaMemAllocationType type, CUmemoryPool pool) {
    DRV_CALL_ANYWHERE(cudaMemSetMemPool(place, type, pool));
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
    DRV_CALL_ANYWHERE(cudaMemPoolTrimTo(pool, keep));
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, enum cudaMemPoolAttr attribute, void *value) {
    DRV_CALL_ANYWHERE(cudaMemPoolSetAttribute(pool, attribute, value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, enum cudaMemPoolAttr attribute, void *value) {
    DRV_CALL_ANYWHERE(cudaMemPoolGetAttribute(pool, attribute, value));
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const struct cudaMemAccessDesc *list, size_t n) {
    DRV_CALL_ANYWHERE(cudaMemPoolSetAccess(pool, list, n));
}
CUresult cuMemPoolGetAccess(enum cudaMemAccessFlags *flags, CUmemoryPool pool, struct cudaMemLocation *where) {
    DRV_CALL_ANYWHERE(cudaMemPoolGetAccess(flags, pool, where));
}

/* --- asking ---------------------------------------------------------------------------------------------- */

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
    DRV_CALL(cudaMemGetInfo(free, total));
}

/* Enters, with the allocation that an address is in. */
static CUresult enter_about(CUdeviceptr address, eng_allocation *out) {
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    const eng_allocation *a = eng_memory_find(rt_memory(), address, NULL);
    bool found = a && !a->freed;
    if (found) *out = *a;
    return drv_leave(found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
    eng_allocation a = {0};
    CUresult r = enter_about(address, &a);
    if (r) return r == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_NOT_FOUND : r;
    if (base) *base = a.address;
    if (size) *size = a.size;
    return CUDA_SUCCESS;
}

static bool on_host(const eng_allocation *a) {
    return a->kind == ENG_ALLOC_PINNED || a->kind == ENG_ALLOC_REGISTERED;
}

static CUresult answer(void *data, CUpointer_attribute attribute, CUdeviceptr address, const eng_allocation *a) {
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return *(CUcontext *)data = drv_current(), CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return *(unsigned *)data = on_host(a) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return *(CUdeviceptr *)data = address, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!on_host(a) && a->kind != ENG_ALLOC_MANAGED) return *(void **)data = NULL, CUDA_ERROR_INVALID_VALUE;
        return *(void **)data = drv_pointer(address), CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return *(unsigned *)data = 0, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return *(unsigned long long *)data = a->id, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return *(unsigned *)data = a->kind == ENG_ALLOC_MANAGED, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return *(int *)data = 0, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return *(CUdeviceptr *)data = a->address, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return *(size_t *)data = a->size, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return *(unsigned *)data = 1, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        return *(unsigned long long *)data = 0, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return *(unsigned *)data = cudaMemAccessFlagsProtReadWrite, CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return *(CUmemoryPool *)data = NULL, CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address) {
    if (!data) return CUDA_ERROR_INVALID_VALUE;
    eng_allocation a = {0};
    CUresult r = enter_about(address, &a);
    return r ? r : answer(data, attribute, address, &a);
}

/* Of a pointer that CUDA does not know, each attribute gets its zero, and the call succeeds, as documented. */
CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *attributes, void **data, CUdeviceptr address) {
    if (!attributes || !data) return CUDA_ERROR_INVALID_VALUE;
    eng_allocation a = {0};
    CUresult r = enter_about(address, &a);
    if (r && r != CUDA_ERROR_INVALID_VALUE) return r;
    for (unsigned i = 0; i < n; i++) {
        if (!r && !answer(data[i], attributes[i], address, &a)) continue;
        switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *(int *)data[i] = cudaInvalidDeviceId;
            break;
        case CU_POINTER_ATTRIBUTE_CONTEXT:
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
            *(unsigned long long *)data[i] = 0;
            break;
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_MAPPED:
        case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
            *(unsigned *)data[i] = 0;
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

/* --- hints ----------------------------------------------------------------------------------------------- */

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t size, struct cudaMemLocation where, unsigned flags, CUstream stream) {
    DRV_CALL(cudaMemPrefetchAsync(drv_pointer(address), size, where, flags, stream));
}
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation where) {
    DRV_CALL(cudaMemAdvise(drv_pointer(address), size, advice, where));
}
/* The older forms name a device, or the host as -1. */
static struct cudaMemLocation location(CUdevice device) {
    return (struct cudaMemLocation){device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                    device == cudaCpuDeviceId ? 0 : device};
}
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync_v2(address, size, location(device), 0, stream);
}
CUresult cuMemAdvise(CUdeviceptr address, size_t size, enum cudaMemoryAdvise advice, CUdevice device) {
    return cuMemAdvise_v2(address, size, advice, location(device));
}
CUresult cuMemRangeGetAttribute(void *data, size_t data_size, enum cudaMemRangeAttribute attribute, CUdeviceptr address, size_t size) {
    DRV_CALL(cudaMemRangeGetAttribute(data, data_size, attribute, drv_pointer(address), size));
}
CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes, size_t n, CUdeviceptr address,
                                 size_t size) {
    DRV_CALL(cudaMemRangeGetAttributes(data, sizes, attributes, n, drv_pointer(address), size));
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t size, unsigned flags) {
    DRV_CALL(cudaStreamAttachMemAsync(stream, drv_pointer(address), size, flags));
}
