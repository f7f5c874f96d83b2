#include "cudart/array.h"

#include <stdlib.h>

#include "cudart/api.h"

enum { MAX_LEVELS = 16 };

static size_t at_least_1(size_t n) {
    return n ? n : 1;
}

size_t rt_array_pitch(const rt_array *array) {
    return array->extent.width * array->texel;
}

size_t rt_array_rows(const rt_array *array) {
    return at_least_1(array->extent.height);
}

size_t rt_array_planes(const rt_array *array) {
    return at_least_1(array->extent.depth);
}

rt_array *rt_array_of(cudaArray_const_t handle) {
    uint64_t key = (uintptr_t)handle;
    return wg_u64map_get(&rt.arrays, key, NULL) ? (rt_array *)(uintptr_t)key : NULL;
}

rt_mipmap *rt_mipmap_of(cudaMipmappedArray_const_t handle) {
    uint64_t key = (uintptr_t)handle;
    return wg_u64map_get(&rt.mipmaps, key, NULL) ? (rt_mipmap *)(uintptr_t)key : NULL;
}

unsigned rt_texel_bytes(const struct cudaChannelFormatDesc *d) {
    int bits = d->x, n = d->y == 0 ? 1 : d->z == 0 ? 2 : 4;
    if (d->f == cudaChannelFormatKindFloat ? bits != 16 && bits != 32 : bits != 8 && bits != 16 && bits != 32) return 0;
    if ((unsigned)d->f > cudaChannelFormatKindFloat) return 0;
    const int all[] = {d->x, d->y, d->z, d->w};
    for (int i = 0; i < 4; i++)
        if (all[i] != (i < n ? bits : 0)) return 0;
    return (unsigned)(bits * n) / 8;
}

bool rt_array_box(const rt_array *array, size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth, rt_box *box) {
    size_t pitch = rt_array_pitch(array), rows = rt_array_rows(array), planes = rt_array_planes(array);
    if (x > pitch || width > pitch - x || y > rows || height > rows - y || z > planes || depth > planes - z) {
        rt_finding("api-error", "error",
                   "a copy of %zu bytes x %zu rows x %zu planes at (%zu, %zu, %zu) of an array that has %zu x %zu x %zu", width,
                   height, depth, x, y, z, pitch, rows, planes);
        return false;
    }
    *box = (rt_box){array->address + (z * rows + y) * pitch + x, pitch, rows};
    return true;
}

/* --- making and freeing ----------------------------------------------------------------------------------- */

/* Which dimensions each kind of array has, and the largest that it may have (programming guide, technical specifications). */
static bool extent_fits(const struct cudaExtent *e, unsigned flags) {
    bool layered = flags & cudaArrayLayered;
    if (!e->width) return false;
    if (flags & cudaArrayCubemap)
        return e->width == e->height && e->width <= 32768 && e->depth && e->depth % 6 == 0 && (layered || e->depth == 6) &&
               e->depth <= 2046;
    if (layered) return e->width <= 32768 && e->height <= 32768 && e->depth && e->depth <= 2048;
    if (e->depth) return e->height && e->width <= 16384 && e->height <= 16384 && e->depth <= 16384;
    return e->width <= 131072 && e->height <= 65536;
}

static void forget(rt_array *array) {
    wg_u64map_remove(&rt.arrays, (uintptr_t)array);
    free(array);
}

static cudaError_t make(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags, rt_array **out) {
    rt_array *array = calloc(1, sizeof *array);
    if (!array) return cudaErrorMemoryAllocation;
    *array = (rt_array){.desc = *desc, .extent = extent, .flags = flags, .texel = rt_texel_bytes(desc)};
    void *at = NULL;
    cudaError_t e = rt_alloc(&at, rt_array_pitch(array) * rt_array_rows(array) * rt_array_planes(array), ENG_ALLOC_DEVICE);
    if (!e && !wg_u64map_set(&rt.arrays, (uintptr_t)array, (uintptr_t)array)) {
        rt_free(at, 1u << ENG_ALLOC_DEVICE, "cudaMallocArray");
        e = cudaErrorMemoryAllocation;
    }
    if (e) return free(array), e;
    array->address = (uintptr_t)at;
    *out = array;
    return cudaSuccess;
}

static cudaError_t release(rt_array *array, const char *call) {
    cudaError_t e = rt_free((void *)(uintptr_t)array->address, 1u << ENG_ALLOC_DEVICE, call);
    forget(array);
    return e;
}

/* Flags that say what the memory is like for other interfaces or for memory that is mapped later. */
static cudaError_t check(const void *out, const struct cudaChannelFormatDesc *desc, const struct cudaExtent *extent, unsigned flags) {
    if (!out || !desc) return cudaErrorInvalidValue;
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping)) return cudaErrorNotSupported;
    if (flags & ~(unsigned)(cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather | cudaArrayColorAttachment))
        return cudaErrorInvalidValue;
    if (!rt_texel_bytes(desc)) return cudaErrorInvalidChannelDescriptor;
    return extent_fits(extent, flags) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags) {
    cudaError_t e = check(out, desc, &extent, flags);
    if (e) return rt_note(e);
    if ((e = rt_enter())) return e;
    return rt_leave(make(desc, extent, flags, out));
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned flags) {
    if (flags & (cudaArrayLayered | cudaArrayCubemap)) return rt_note(cudaErrorInvalidValue);
    return cudaMalloc3DArray(out, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t handle) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_array *array = rt_array_of(handle);
    if (!array || array->mipmap) return rt_leave(cudaErrorInvalidValue); /* a level is freed with its array */
    rt_stream_wait(NULL);
    return rt_leave(release(array, "cudaFreeArray"));
}

/* --- levels of detail ------------------------------------------------------------------------------------- */

static size_t halved(size_t n, unsigned level) {
    return n ? at_least_1(n >> level) : 0;
}

static cudaError_t make_levels(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags, rt_mipmap *mipmap) {
    for (unsigned k = 0; k < mipmap->n_levels; k++) {
        bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
        struct cudaExtent level = {halved(extent.width, k), halved(extent.height, k), layers ? extent.depth : halved(extent.depth, k)};
        cudaError_t e = make(desc, level, flags, &mipmap->levels[k]);
        if (e) return e;
        mipmap->levels[k]->mipmap = mipmap;
    }
    return cudaSuccess;
}

static void release_levels(rt_mipmap *mipmap) {
    for (unsigned k = 0; k < mipmap->n_levels; k++)
        if (mipmap->levels[k]) release(mipmap->levels[k], "cudaFreeMipmappedArray");
    wg_u64map_remove(&rt.mipmaps, (uintptr_t)mipmap);
    free(mipmap);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                     unsigned n_levels, unsigned flags) {
    cudaError_t e = check(out, desc, &extent, flags);
    if (e) return rt_note(e);
    unsigned most = 1; /* 1 + log2 of the largest dimension; more are clamped, as documented */
    size_t largest = extent.width > extent.height ? extent.width : extent.height;
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && extent.depth > largest) largest = extent.depth;
    while (largest >>= 1) most++;
    if (most > MAX_LEVELS) most = MAX_LEVELS;
    if (n_levels > most) n_levels = most;
    if (!n_levels) n_levels = 1;
    if ((e = rt_enter())) return e;
    rt_mipmap *mipmap = calloc(1, sizeof *mipmap + n_levels * sizeof *mipmap->levels);
    if (!mipmap || !wg_u64map_set(&rt.mipmaps, (uintptr_t)mipmap, (uintptr_t)mipmap)) {
        free(mipmap);
        return rt_leave(cudaErrorMemoryAllocation);
    }
    mipmap->n_levels = n_levels;
    if ((e = make_levels(desc, extent, flags, mipmap)))
        release_levels(mipmap);
    else
        *out = mipmap;
    return rt_leave(e);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_const_t handle, unsigned level) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_mipmap *mipmap = rt_mipmap_of(handle);
    if (!mipmap) return rt_leave(cudaErrorInvalidResourceHandle);
    if (level >= mipmap->n_levels) return rt_leave(cudaErrorInvalidValue);
    *out = mipmap->levels[level];
    return rt_leave(cudaSuccess);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t handle) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_mipmap *mipmap = rt_mipmap_of(handle);
    if (!mipmap) return rt_leave(cudaErrorInvalidValue);
    rt_stream_wait(NULL);
    release_levels(mipmap);
    return rt_leave(cudaSuccess);
}

/* The handles of a map and what they stand for end; the memory is released by its owner. */
static void drop(wg_u64map *map) {
    for (size_t i = 0; i < map->room; i++)
        if (map->slots[i].used) free((void *)(uintptr_t)map->slots[i].value);
    wg_u64map_free(map);
}

void rt_arrays_reset(void) {
    drop(&rt.arrays);
    drop(&rt.mipmaps);
}

/* --- asking ------------------------------------------------------------------------------------------------ */

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags, cudaArray_t handle) {
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_array *array = rt_array_of(handle);
    if (!array) return rt_leave(cudaErrorInvalidValue);
    if (desc) *desc = array->desc;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t handle) {
    if (!desc) return rt_note(cudaErrorInvalidValue);
    return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)handle);
}

/* Only arrays that are mapped later have requirements, and those are refused. */
cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaArray_t handle, int device) {
    (void)handle;
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    (void)out;
    return rt_note(cudaErrorInvalidValue);
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaMipmappedArray_t handle, int device) {
    (void)handle;
    return cudaArrayGetMemoryRequirements(out, NULL, device);
}

/* Formats of several planes (NV12 and its kin) are refused when an array is made. */
cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t handle, unsigned index) {
    (void)plane, (void)handle, (void)index;
    return rt_note(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels, const struct cudaChannelFormatDesc *desc, int device) {
    if (!texels || !desc || !rt_texel_bytes(desc)) return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    *texels = 1 << 28;
    return cudaSuccess;
}
