/* Virtual memory management: addresses are reserved, memory is made, and the one is mapped to the other.
 *
 * A reservation is an allocation of the simulated device from its first mapping to its last unmapping; what lies in it without
 * being mapped is not told from what is. Memory that is unmapped while its handle lives keeps its bytes in the handle, and
 * brings them to where it is mapped next. The same memory at two addresses at once is refused by name. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cudadrv/driver.h"
#include "cudart/memory.h"

static const size_t GRANULARITY = 2 << 20; /* of cuMemGetAllocationGranularity: what devices since Pascal answer */

typedef struct physical { /* a handle of cuMemCreate */
    CUmemAllocationProp prop;
    size_t size;
    unsigned holders;    /* cuMemCreate, cuMemRetainAllocationHandle */
    CUdeviceptr mapped;  /* 0: nowhere */
    void *bytes;         /* of an unmapped one that was written; NULL: nothing yet */
} physical;

typedef struct reservation {
    CUdeviceptr address;
    size_t size;
} reservation;

/* All under the runtime's lock. */
static wg_u64map handles; /* physical -> itself */
static wg_vec(reservation) reservations;
static wg_vec(physical *) mapped;

static CUresult enter(void) {
    CUresult r = drv_initialized();
    if (r) return r;
    cudaError_t e = rt_enter();
    return e ? drv_result(e) : CUDA_SUCCESS;
}

static physical *physical_of(CUmemGenericAllocationHandle handle) {
    return wg_u64map_get(&handles, handle, NULL) ? (physical *)(uintptr_t)handle : NULL;
}

static bool reserved(CUdeviceptr address, size_t size) {
    for (size_t i = 0; i < reservations.count; i++) {
        const reservation *r = &reservations.at[i];
        if (address >= r->address && size <= r->size && address - r->address <= r->size - size) return true;
    }
    return false;
}

/* What is mapped at an address; NULL: nothing. */
static physical *mapping_at(CUdeviceptr address) {
    for (size_t i = 0; i < mapped.count; i++)
        if (address >= mapped.at[i]->mapped && address - mapped.at[i]->mapped < mapped.at[i]->size) return mapped.at[i];
    return NULL;
}

/* Nobody holds it and nothing shows it. */
static void drop_if_unused(physical *p) {
    if (p->holders || p->mapped) return;
    wg_u64map_remove(&handles, (uintptr_t)p);
    free(p->bytes);
    free(p);
}

/* --- addresses ------------------------------------------------------------------------------------------- */

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t alignment, CUdeviceptr wanted, unsigned long long flags) {
    (void)wanted; /* a wish, as documented */
    if (!out || !size || size % GRANULARITY || (alignment & (alignment - 1)) || flags) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter();
    if (r) return r;
    void *at = NULL;
    size_t room = size + (alignment > GRANULARITY ? alignment : GRANULARITY);
    cudaError_t e = rt_alloc(&at, room, ENG_ALLOC_DEVICE);
    if (e) return drv_result(rt_leave(e));
    eng_memory_set_open(rt_memory(), (uintptr_t)at, ~UINT64_C(0)); /* memory of any device may be mapped there */
    size_t step = alignment > GRANULARITY ? alignment : GRANULARITY;
    CUdeviceptr start = ((uintptr_t)at + step - 1) / step * step;
    if (!wg_vec_push(&reservations, ((reservation){start, size}))) return drv_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *out = start;
    return drv_leave(CUDA_SUCCESS);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
    CUresult r = enter();
    if (r) return r;
    for (size_t i = 0; i < reservations.count; i++) {
        if (reservations.at[i].address != address || reservations.at[i].size != size) continue;
        for (size_t k = 0; k < mapped.count; k++)
            if (mapped.at[k]->mapped >= address && mapped.at[k]->mapped - address < size) return drv_leave(CUDA_ERROR_INVALID_VALUE);
        const eng_allocation *a = eng_memory_find(rt_memory(), address, NULL);
        if (a) rt_free(drv_pointer(a->address), 1u << ENG_ALLOC_DEVICE, "cuMemAddressFree");
        reservations.at[i] = reservations.at[--reservations.count];
        return drv_leave(CUDA_SUCCESS);
    }
    return drv_leave(CUDA_ERROR_INVALID_VALUE);
}

/* --- memory ---------------------------------------------------------------------------------------------- */

CUresult cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *prop, int option) {
    if (!out || !prop || option < 0 || option > 1) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_initialized();
    rt_quiet(false);
    if (!r) *out = GRANULARITY;
    return r;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *prop, unsigned long long flags) {
    if (!out || !size || size % GRANULARITY || !prop || flags) return CUDA_ERROR_INVALID_VALUE;
    if (prop->type != cudaMemAllocationTypePinned) return CUDA_ERROR_INVALID_VALUE;
    if (prop->location.type != cudaMemLocationTypeDevice || prop->requestedHandleTypes) return drv_unsupported("cuMemCreate of memory of the host or for other processes");
    if (!rt_is_device(prop->location.id)) return CUDA_ERROR_INVALID_DEVICE;
    CUresult r = enter();
    if (r) return r;
    if (size > eng_memory_capacity(rt_memory()) - eng_memory_used(rt_memory())) return drv_leave(CUDA_ERROR_OUT_OF_MEMORY);
    physical *p = calloc(1, sizeof *p);
    if (!p || !wg_u64map_set(&handles, (uintptr_t)p, (uintptr_t)p)) {
        free(p);
        return drv_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *p = (physical){.prop = *prop, .size = size, .holders = 1};
    *out = (uintptr_t)p;
    return drv_leave(CUDA_SUCCESS);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    CUresult r = enter();
    if (r) return r;
    physical *p = physical_of(handle);
    if (!p || !p->holders) return drv_leave(CUDA_ERROR_INVALID_VALUE);
    p->holders--;
    drop_if_unused(p);
    return drv_leave(CUDA_SUCCESS);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle) {
    if (!prop) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter();
    if (r) return r;
    const physical *p = physical_of(handle);
    if (!p) return drv_leave(CUDA_ERROR_INVALID_VALUE);
    *prop = p->prop;
    return drv_leave(CUDA_SUCCESS);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *address) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter();
    if (r) return r;
    physical *p = mapping_at((uintptr_t)address);
    if (!p) return drv_leave(CUDA_ERROR_INVALID_VALUE);
    p->holders++;
    *out = (uintptr_t)p;
    return drv_leave(CUDA_SUCCESS);
}

/* --- the one to the other -------------------------------------------------------------------------------- */

/* What the memory held at its last place. */
static CUresult bring(physical *p) {
    if (!p->bytes) return CUDA_SUCCESS;
    wg_error err = {0};
    wg_status status = eng_memory_copy(rt_memory(), p->mapped, (uintptr_t)p->bytes, p->size, ENG_HOST_TO_DEVICE, &err);
    free(p->bytes);
    p->bytes = NULL;
    return drv_result(rt_error_of(status));
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags) {
    if (!size || size % GRANULARITY || address % GRANULARITY || flags) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter();
    if (r) return r;
    physical *p = physical_of(handle);
    if (!p || offset || size != p->size || !reserved(address, size)) return drv_leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < mapped.count; i++)
        if (address < mapped.at[i]->mapped + mapped.at[i]->size && mapped.at[i]->mapped < address + size) return drv_leave(CUDA_ERROR_INVALID_VALUE);
    if (p->mapped) {
        rt_finding("api-error", "error", "cuMemMap of memory that is mapped already: warpgrind does not show memory at two addresses at once");
        return drv_leave(CUDA_ERROR_NOT_SUPPORTED);
    }
    if (!wg_vec_push(&mapped, p)) return drv_leave(CUDA_ERROR_OUT_OF_MEMORY);
    p->mapped = address;
    return drv_leave(bring(p));
}

/* The bytes go with the memory, if it can be mapped again. */
static CUresult take(physical *p) {
    CUresult r = CUDA_SUCCESS;
    if (p->holders) {
        wg_error err = {0};
        p->bytes = malloc(p->size);
        if (!p->bytes) return CUDA_ERROR_OUT_OF_MEMORY;
        r = (CUresult)rt_error_of(eng_memory_copy(rt_memory(), (uintptr_t)p->bytes, p->mapped, p->size, ENG_DEVICE_TO_HOST, &err));
    }
    p->mapped = 0;
    drop_if_unused(p);
    return r;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
    CUresult r = enter();
    if (r) return r;
    size_t unmapped = 0;
    for (size_t i = 0; i < mapped.count && !r;) {
        physical *p = mapped.at[i];
        if (p->mapped < address || p->mapped + p->size > address + size) {
            i++;
            continue;
        }
        unmapped += p->size;
        mapped.at[i] = mapped.at[--mapped.count];
        r = take(p);
    }
    return drv_leave(r ? r : unmapped == size ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

static bool all_mapped(CUdeviceptr address, size_t size) {
    size_t have = 0;
    for (size_t i = 0; i < mapped.count; i++)
        if (mapped.at[i]->mapped >= address && mapped.at[i]->mapped + mapped.at[i]->size <= address + size) have += mapped.at[i]->size;
    return have == size;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const struct cudaMemAccessDesc *list, size_t n) {
    if (!list || !n) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter();
    if (r) return r;
    if (!all_mapped(address, size)) return drv_leave(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < n; i++)
        if (list[i].location.type == cudaMemLocationTypeDevice && !rt_is_device(list[i].location.id)) return drv_leave(CUDA_ERROR_INVALID_DEVICE);
    return drv_leave(CUDA_SUCCESS); /* the device that made the memory reads and writes it */
}

CUresult cuMemGetAccess(unsigned long long *flags, const struct cudaMemLocation *where, CUdeviceptr address) {
    if (!flags || !where) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter();
    if (r) return r;
    bool seen = where->type == cudaMemLocationTypeDevice && mapping_at(address);
    *flags = seen ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return drv_leave(CUDA_SUCCESS);
}
