/* NVTX's memory extension: what a program tells of its memory, put into the tables of regions.c. */
#include "cudart/nvtx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cudart/context.h"
#include "cudart/regions.h"

/* --- entering and leaving: no call here is an error of the runtime's ----------------------------------------- */

static bool enter(void) {
    return pthread_mutex_lock(&rt.lock) == 0;
}
static void leave(void) {
    rt.told = false;
    pthread_mutex_unlock(&rt.lock);
}
static void complain(const char *call, const char *what) {
    if (rt.session && !rt.forked && !rt.closed) rt_finding("api-error", "warning", "%s: %s", call, what);
}

/* The k-th of n elements that may be longer than what is known of them. */
static const void *element(const void *all, size_t stride, size_t k, size_t least) {
    return (const char *)all + k * (stride ? stride : least);
}

/* As UTF-8, malloc'd; NULL: it has none that is known. */
static char *text_of(uint32_t type, nvtx_text text) {
    if (type == NVTX_TEXT_ASCII && text.ascii) return strdup(text.ascii);
    if (type != NVTX_TEXT_UNICODE || !text.unicode) return NULL;
    wg_text out = {0};
    for (const wchar_t *at = text.unicode; *at; at++) {
        uint32_t c = (uint32_t)*at;
        char bytes[4];
        size_t n = 0;
        if (c < 0x80) bytes[n++] = (char)c;
        else if (c < 0x800) bytes[n++] = (char)(0xc0 | c >> 6);
        else if (c < 0x10000) bytes[n++] = (char)(0xe0 | c >> 12), bytes[n++] = (char)(0x80 | (c >> 6 & 63));
        else bytes[n++] = (char)(0xf0 | (c >> 18 & 7)), bytes[n++] = (char)(0x80 | (c >> 12 & 63)), bytes[n++] = (char)(0x80 | (c >> 6 & 63));
        if (c >= 0x80) bytes[n++] = (char)(0x80 | (c & 63));
        wg_text_add_n(&out, bytes, n);
    }
    return out.at;
}

static rt_region *region_of(const char *call, uint32_t type, nvtx_ref ref) {
    rt_region *region = type == NVTX_REF_POINTER ? rt_region_at((uintptr_t)ref.pointer) : rt_is_region(ref.handle) ? ref.handle : NULL;
    if (!region) complain(call, type == NVTX_REF_POINTER ? "no region and no allocation begins at this address" : "this is no region, or one that has ended");
    return region;
}

/* --- heaps and regions ------------------------------------------------------------------------------------------ */

static void *heap_register(void *domain, const nvtx_heap *desc) {
    static const char *const call = "nvtxMemHeapRegister";
    rt_heap *heap = NULL;
    (void)domain;
    if (!desc || !enter()) return NULL;
    if (desc->type != NVTX_TYPE_ADDRESSES || !desc->range || desc->range_size < sizeof(nvtx_range)) complain(call, "only memory with addresses is known");
    else if (desc->usage != NVTX_USAGE_POOL && desc->usage != NVTX_USAGE_LAYOUT) complain(call, "this usage is not known");
    else {
        const nvtx_range *range = desc->range;
        char *name = text_of(desc->text_type, desc->text);
        heap = rt_heap_new((uintptr_t)range->at, range->size, desc->usage == NVTX_USAGE_POOL);
        if (heap) rt_heap_set_name(heap, name);
        free(name);
    }
    leave();
    return heap;
}

static rt_heap *heap_of(const char *call, void *handle) {
    if (rt_is_heap(handle)) return handle;
    complain(call, "this is no heap, or one that was unregistered");
    return NULL;
}

static void heap_unregister(void *domain, void *handle) {
    (void)domain;
    if (!enter()) return;
    rt_heap *heap = heap_of("nvtxMemHeapUnregister", handle);
    if (heap) rt_heap_free(heap);
    leave();
}

static void heap_reset(void *domain, void *handle) {
    (void)domain;
    if (!enter()) return;
    rt_heap *heap = handle ? heap_of("nvtxMemHeapReset", handle) : NULL;
    if (heap || !handle) rt_heap_reset(heap); /* NULL: the whole process is the heap */
    leave();
}

static void regions_register(void *domain, const nvtx_regions *desc) {
    static const char *const call = "nvtxMemRegionsRegister";
    (void)domain;
    if (!desc || !enter()) return;
    rt_heap *heap = desc->heap ? heap_of(call, desc->heap) : NULL;
    if (desc->type != NVTX_TYPE_ADDRESSES) complain(call, "only memory with addresses is known");
    else if (heap || !desc->heap)
        for (size_t k = 0; k < desc->n; k++) {
            const nvtx_range *range = element(desc->ranges, desc->stride, k, sizeof *range);
            rt_region *region = rt_region_new(heap, (uintptr_t)range->at, range->size);
            if (desc->handles) desc->handles[k] = region;
        }
    leave();
}

static void regions_resize(void *domain, const nvtx_ranges *desc) {
    static const char *const call = "nvtxMemRegionsResize";
    (void)domain;
    if (!desc || !enter()) return;
    if (desc->type != NVTX_TYPE_ADDRESSES) complain(call, "only memory with addresses is known");
    else
        for (size_t k = 0; k < desc->n; k++) {
            const nvtx_range *range = element(desc->ranges, desc->stride, k, sizeof *range);
            rt_region *region = region_of(call, NVTX_REF_POINTER, (nvtx_ref){.pointer = range->at});
            if (region) rt_region_resize(region, range->size);
        }
    leave();
}

static void regions_unregister(void *domain, const nvtx_refs *desc) {
    (void)domain;
    if (!desc || !enter()) return;
    for (size_t k = 0; k < desc->n; k++) {
        const nvtx_ref *ref = element(desc->refs, desc->stride, k, sizeof *ref);
        rt_region *region = region_of("nvtxMemRegionsUnregister", desc->type, *ref);
        if (region) rt_region_end(region);
    }
    leave();
}

static void regions_name(void *domain, const nvtx_names *desc) {
    (void)domain;
    if (!desc || !enter()) return;
    for (size_t k = 0; k < desc->n; k++) {
        const nvtx_name *one = element(desc->names, desc->stride, k, sizeof *one);
        rt_region *region = region_of("nvtxMemRegionsName", one->ref_type, one->ref);
        char *name = text_of(one->text_type, one->text);
        if (region) rt_region_set_name(region, name);
        free(name);
    }
    leave();
}

/* --- permissions --------------------------------------------------------------------------------------------------- */

static rt_permissions *permissions_of(const char *call, void *handle) {
    if (!handle) return rt_permissions_of_process();
    if (rt_is_permissions(handle)) return handle;
    complain(call, "this is no object of permissions, or one that was destroyed");
    return NULL;
}

static void permissions_assign(void *domain, const nvtx_permissions *desc) {
    static const char *const call = "nvtxMemPermissionsAssign";
    (void)domain;
    if (!desc || !enter()) return;
    rt_permissions *p = permissions_of(call, desc->permissions);
    for (size_t k = 0; p && k < desc->n; k++) {
        const nvtx_permission *one = element(desc->regions, desc->stride, k, sizeof *one);
        const rt_region *region = region_of(call, one->ref_type, one->ref);
        if (region && one->may & NVTX_PERMISSIONS_RESET) rt_permit_no_more(p, region);
        else if (region) rt_permit(p, region, one->may & RT_MAY_ALL);
    }
    leave();
}

static void *permissions_create(void *domain, int32_t flags) {
    (void)domain;
    if (!enter()) return NULL;
    void *p = rt_permissions_new((unsigned)flags);
    leave();
    return p;
}

static void permissions_destroy(void *domain, void *handle) {
    (void)domain;
    if (!enter()) return;
    rt_permissions *p = permissions_of("nvtxMemPermissionsDestroy", handle);
    if (p) rt_permissions_free(p);
    leave();
}

static void permissions_reset(void *domain, void *handle) {
    (void)domain;
    if (!enter()) return;
    rt_permissions *p = permissions_of("nvtxMemPermissionsReset", handle);
    if (p) rt_permissions_reset(p);
    leave();
}

/* What the program's own threads do with memory is not looked at. */
static void permissions_bind(void *domain, void *handle, uint32_t scope, uint32_t flags) {
    static const char *const call = "nvtxMemPermissionsBind";
    (void)domain;
    if (scope != NVTX_BIND_CUDA_STREAM || !enter()) return;
    if (!handle) complain(call, "only what nvtxMemPermissionsCreate has made can be bound");
    const rt_permissions *p = handle ? permissions_of(call, handle) : NULL;
    if (p) rt_permissions_bind(p, flags);
    leave();
}
static void permissions_unbind(void *domain, uint32_t scope) {
    (void)domain;
    if (scope != NVTX_BIND_CUDA_STREAM || !enter()) return;
    rt_permissions_unbind();
    leave();
}

static void *process_permissions(void *domain) {
    (void)domain;
    if (!enter()) return NULL;
    void *p = rt_permissions_of_kernels();
    leave();
    return p;
}
static void *device_permissions(void *domain, int device) {
    (void)domain;
    if (!enter()) return NULL;
    void *p = rt_is_device(device) ? rt_permissions_of_device((unsigned)device) : NULL;
    if (!p) complain("nvtxMemCudaGetDeviceWidePermissions", "there is no such device");
    leave();
    return p;
}
static void peer_access(void *domain, void *handle, int device, uint32_t flags) {
    (void)domain;
    if (!enter()) return;
    rt_permissions *p = permissions_of("nvtxMemCudaSetPeerAccess", handle);
    if (p) rt_permit_peer(p, device, flags);
    leave();
}

/* --- memory that counts as written -------------------------------------------------------------------------------- */

static void initialized(void *domain, void *stream, uint8_t per_thread, const nvtx_ranges *desc) {
    (void)domain, (void)stream, (void)per_thread; /* streams run what they get at once */
    if (!desc || !enter()) return;
    if (desc->type != NVTX_TYPE_ADDRESSES) complain("nvtxMemCudaMarkInitialized", "only memory with addresses is known");
    for (size_t k = 0; desc->type == NVTX_TYPE_ADDRESSES && rt.session && !rt.forked && k < desc->n; k++) {
        const nvtx_range *range = element(desc->ranges, desc->stride, k, sizeof *range);
        eng_memory_define(rt_memory(), (uintptr_t)range->at, range->size);
    }
    leave();
}

/* --- NVTX asks ------------------------------------------------------------------------------------------------------- */

int InitializeInjectionNvtx2(void *export_table) {
    (void)export_table;
    return 1;
}

int InitializeInjectionNvtxExtension(nvtx_module *module) {
    static const intptr_t calls[NVTX_MEM_CALLS] = {
        [NVTX_MEM_HEAP_REGISTER] = (intptr_t)heap_register, [NVTX_MEM_HEAP_UNREGISTER] = (intptr_t)heap_unregister,
        [NVTX_MEM_HEAP_RESET] = (intptr_t)heap_reset, [NVTX_MEM_REGIONS_REGISTER] = (intptr_t)regions_register,
        [NVTX_MEM_REGIONS_RESIZE] = (intptr_t)regions_resize, [NVTX_MEM_REGIONS_UNREGISTER] = (intptr_t)regions_unregister,
        [NVTX_MEM_REGIONS_NAME] = (intptr_t)regions_name, [NVTX_MEM_PERMISSIONS_ASSIGN] = (intptr_t)permissions_assign,
        [NVTX_MEM_PERMISSIONS_CREATE] = (intptr_t)permissions_create, [NVTX_MEM_PERMISSIONS_DESTROY] = (intptr_t)permissions_destroy,
        [NVTX_MEM_PERMISSIONS_RESET] = (intptr_t)permissions_reset, [NVTX_MEM_PERMISSIONS_BIND] = (intptr_t)permissions_bind,
        [NVTX_MEM_PERMISSIONS_UNBIND] = (intptr_t)permissions_unbind, [NVTX_MEM_CUDA_PROCESS_PERMISSIONS] = (intptr_t)process_permissions,
        [NVTX_MEM_CUDA_DEVICE_PERMISSIONS] = (intptr_t)device_permissions, [NVTX_MEM_CUDA_PEER_ACCESS] = (intptr_t)peer_access,
        [NVTX_MEM_CUDA_INITIALIZED] = (intptr_t)initialized};
    if (!module || module->size < sizeof *module || module->module != NVTX_MODULE_MEM || module->compat != NVTX_COMPAT_MEM || !module->n_segments) return 0;
    const nvtx_segment *segment = &module->segments[0];
    for (size_t k = 0; k < NVTX_MEM_CALLS && k < segment->slots; k++) segment->functions[k] = calls[k];
    return 1;
}
