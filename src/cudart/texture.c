/* Texture and surface objects: descriptors of the program's, as the engine reads them. */
#include "engine/texture.h"

#include <stdlib.h>
#include <string.h>

#include "cudart/api.h"
#include "cudart/array.h"

typedef struct rt_object { /* what the program gave, for it to ask for */
    bool surface, has_view;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
} rt_object;

static rt_object *object_of(unsigned long long handle, bool surface) {
    uint64_t at;
    if (!wg_u64map_get(&rt.textures, handle, &at)) return NULL;
    rt_object *object = (rt_object *)(uintptr_t)at;
    return object->surface == surface ? object : NULL;
}

/* --- resources --------------------------------------------------------------------------------------------- */

static void put_format(eng_texture *t, const struct cudaChannelFormatDesc *d) {
    t->bits = (uint8_t)d->x;
    t->components = (uint8_t)(rt_texel_bytes(d) * 8 / (unsigned)d->x);
    t->format = d->f == cudaChannelFormatKindSigned     ? ENG_TEX_SIGNED
                : d->f == cudaChannelFormatKindUnsigned ? ENG_TEX_UNSIGNED
                                                        : ENG_TEX_FLOAT;
}

static void put_array(eng_texture *t, const rt_array *a) {
    const bool cube = a->flags & cudaArrayCubemap, layered = a->flags & cudaArrayLayered;
    put_format(t, &a->desc);
    t->kind = ENG_TEX_ARRAY;
    t->cube = cube;
    t->layered = layered;
    t->dims = !a->extent.height ? 1 : a->extent.depth && !cube && !layered ? 3 : 2;
    t->layers = layered ? (uint32_t)(cube ? a->extent.depth / 6 : a->extent.depth) : 1;
    size_t pitch = rt_array_pitch(a), rows = rt_array_rows(a);
    t->levels[t->n_levels++] = (eng_tex_level){a->address, (uint32_t)a->extent.width, (uint32_t)rows,
                                               t->dims == 3 ? (uint32_t)a->extent.depth : 1, pitch, pitch * rows};
}

/* Device memory that holds bytes from address on. */
static bool on_device(const void *address, size_t bytes) {
    uint64_t at = (uintptr_t)address;
    const eng_allocation *a = eng_memory_find(rt_memory(), at, NULL);
    return a && !a->freed && bytes <= a->size - (at - a->address);
}

static cudaError_t put_resource(eng_texture *t, const struct cudaResourceDesc *r) {
    *t = (eng_texture){.layers = 1};
    switch (r->resType) {
    case cudaResourceTypeArray: {
        const rt_array *array = rt_array_of(r->res.array.array);
        if (!array) return cudaErrorInvalidResourceHandle;
        put_array(t, array);
        return cudaSuccess;
    }
    case cudaResourceTypeMipmappedArray: {
        const rt_mipmap *mipmap = rt_mipmap_of(r->res.mipmap.mipmap);
        if (!mipmap) return cudaErrorInvalidResourceHandle;
        for (unsigned k = 0; k < mipmap->n_levels && k < ENG_TEX_LEVELS; k++) put_array(t, mipmap->levels[k]);
        return cudaSuccess;
    }
    case cudaResourceTypeLinear: {
        const struct cudaChannelFormatDesc *d = &r->res.linear.desc;
        unsigned texel = rt_texel_bytes(d);
        if (!texel) return cudaErrorInvalidChannelDescriptor;
        size_t n = r->res.linear.sizeInBytes / texel;
        if (!n || n > 1u << 28 || !on_device(r->res.linear.devPtr, n * texel)) return cudaErrorInvalidValue;
        put_format(t, d);
        t->kind = ENG_TEX_LINEAR, t->dims = 1, t->n_levels = 1;
        t->levels[0] = (eng_tex_level){(uintptr_t)r->res.linear.devPtr, (uint32_t)n, 1, 1, n * texel, n * texel};
        return cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
        const struct cudaChannelFormatDesc *d = &r->res.pitch2D.desc;
        unsigned texel = rt_texel_bytes(d);
        if (!texel) return cudaErrorInvalidChannelDescriptor;
        size_t w = r->res.pitch2D.width, h = r->res.pitch2D.height, pitch = r->res.pitch2D.pitchInBytes;
        /* Rows must begin at multiples of texturePitchAlignment, and the whole at one of textureAlignment; allocations do. */
        if (!w || !h || w > 131072 || h > 65000 || pitch < w * texel || pitch % 32 || (uintptr_t)r->res.pitch2D.devPtr % 32 ||
            !on_device(r->res.pitch2D.devPtr, pitch * (h - 1) + w * texel))
            return cudaErrorInvalidValue;
        put_format(t, d);
        t->kind = ENG_TEX_ARRAY, t->dims = 2, t->n_levels = 1;
        t->levels[0] = (eng_tex_level){(uintptr_t)r->res.pitch2D.devPtr, (uint32_t)w, (uint32_t)h, 1, pitch, pitch * h};
        return cudaSuccess;
    }
    default:
        return cudaErrorInvalidValue;
    }
}

/* --- views and sampling ------------------------------------------------------------------------------------ */

/* Formats 1 to 0x18 come in threes of 1, 2 and 4 components: unsigned and signed char, short and int, half, float. */
static cudaError_t put_view(eng_texture *t, const struct cudaResourceViewDesc *v) {
    if (t->kind == ENG_TEX_LINEAR) return cudaErrorInvalidValue;
    unsigned before = eng_texel_bytes(t);
    if (v->format >= cudaResViewFormatUnsignedBlockCompressed1) return cudaErrorNotSupported;
    if (v->format) {
        static const uint8_t bits[] = {8, 8, 16, 16, 32, 32, 16, 32}, components[] = {1, 2, 4};
        unsigned f = (unsigned)v->format - 1, row = f / 3;
        t->bits = bits[row];
        t->components = components[f % 3];
        t->format = row >= 6 ? ENG_TEX_FLOAT : row % 2 ? ENG_TEX_SIGNED : ENG_TEX_UNSIGNED;
        if (eng_texel_bytes(t) != before) return cudaErrorInvalidValue;
    }
    unsigned last = v->lastMipmapLevel;
    if (v->firstMipmapLevel > last || last >= t->n_levels) return cudaErrorInvalidValue;
    t->n_levels = (uint8_t)(last - v->firstMipmapLevel + 1);
    memmove(t->levels, t->levels + v->firstMipmapLevel, t->n_levels * sizeof *t->levels);
    if (t->layered) {
        unsigned planes = t->cube ? 6 * t->layers : t->layers;
        if (v->firstLayer > v->lastLayer || v->lastLayer >= planes) return cudaErrorInvalidValue;
        unsigned n = v->lastLayer - v->firstLayer + 1;
        for (unsigned k = 0; k < t->n_levels; k++) t->levels[k].address += v->firstLayer * t->levels[k].slice;
        t->layers = t->cube ? n / 6 : n;
    }
    return cudaSuccess;
}

static cudaError_t put_sampling(eng_texture *t, const struct cudaTextureDesc *d) {
    bool integers = t->format != ENG_TEX_FLOAT;
    t->normalised_float = d->readMode == cudaReadModeNormalizedFloat && integers;
    if (t->normalised_float && t->bits == 32) return cudaErrorInvalidNormSetting;
    t->linear = d->filterMode == cudaFilterModeLinear;
    t->linear_levels = d->mipmapFilterMode == cudaFilterModeLinear;
    if (t->linear && integers && !t->normalised_float) return cudaErrorInvalidFilterSetting;
    t->normalised_coords = d->normalizedCoords != 0;
    t->srgb = d->sRGB != 0;
    t->seamless = t->cube && d->seamlessCubemap;
    for (int i = 0; i < 3; i++) {
        enum cudaTextureAddressMode mode = d->addressMode[i];
        if ((unsigned)mode > cudaAddressModeBorder) return cudaErrorInvalidValue;
        /* Wrapping and mirroring need normalised coordinates; the others clamp then, as documented. */
        if (!t->normalised_coords && mode != cudaAddressModeBorder) mode = cudaAddressModeClamp;
        t->address[i] = (uint8_t)mode;
    }
    if (t->n_levels > 1) t->normalised_coords = true; /* whatever was asked for, as an H200 does; the address modes are those of the others then */
    for (int i = 0; i < 4; i++) t->border[i] = d->borderColor[i];
    t->level_bias = d->mipmapLevelBias, t->level_min = d->minMipmapLevelClamp, t->level_max = d->maxMipmapLevelClamp;
    t->anisotropy = (uint8_t)(d->maxAnisotropy > 16 ? 16 : d->maxAnisotropy);
    return cudaSuccess;
}

/* --- objects ----------------------------------------------------------------------------------------------- */

static cudaError_t keep(const eng_texture *t, const rt_object *like, unsigned long long *out) {
    rt_object *object = malloc(sizeof *object);
    uint64_t handle = object ? eng_texture_add(rt_device(), t) : 0;
    if (!handle || !wg_u64map_set(&rt.textures, handle, (uintptr_t)object)) {
        if (handle) eng_texture_remove(rt_device(), handle);
        free(object);
        return cudaErrorMemoryAllocation;
    }
    *object = *like;
    *out = handle;
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view) {
    if (!out || !resource || !texture) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    eng_texture t;
    rt_object object = {.resource = *resource, .texture = *texture, .has_view = view != NULL};
    if (view) object.view = *view;
    if ((e = put_resource(&t, resource)) || (view && (e = put_view(&t, view))) || (e = put_sampling(&t, texture))) return rt_leave(e);
    return rt_leave(keep(&t, &object, out));
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *resource) {
    if (!out || !resource) return rt_note(cudaErrorInvalidValue);
    if (resource->resType != cudaResourceTypeArray) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    eng_texture t;
    if ((e = put_resource(&t, resource))) return rt_leave(e);
    if (!(rt_array_of(resource->res.array.array)->flags & cudaArraySurfaceLoadStore)) {
        rt_finding("api-error", "error", "a surface object of an array that was made without cudaArraySurfaceLoadStore");
        return rt_leave(cudaErrorInvalidValue);
    }
    t.surface = true;
    return rt_leave(keep(&t, &(rt_object){.surface = true, .resource = *resource}, out));
}

/* 0 is no object, and destroying it does nothing. */
static cudaError_t destroy(unsigned long long handle, bool surface) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_object *object = object_of(handle, surface);
    if (!object) return rt_leave(handle ? cudaErrorInvalidValue : cudaSuccess);
    wg_u64map_remove(&rt.textures, handle);
    eng_texture_remove(rt_device(), handle);
    free(object);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
    return destroy(handle, false);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
    return destroy(handle, true);
}

void rt_textures_reset(void) {
    for (size_t i = 0; i < rt.textures.room; i++) {
        if (!rt.textures.slots[i].used) continue;
        eng_texture_remove(rt_device(), rt.textures.slots[i].key);
        free((void *)(uintptr_t)rt.textures.slots[i].value);
    }
    wg_u64map_free(&rt.textures);
}

/* --- asking ------------------------------------------------------------------------------------------------ */

static cudaError_t ask(unsigned long long handle, bool surface, const void *out, rt_object **object) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    *object = object_of(handle, surface);
    return *object ? cudaSuccess : rt_leave(cudaErrorInvalidValue);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t handle) {
    rt_object *object = NULL;
    cudaError_t e = ask(handle, false, out, &object);
    if (e) return e;
    *out = object->resource;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t handle) {
    rt_object *object = NULL;
    cudaError_t e = ask(handle, false, out, &object);
    if (e) return e;
    *out = object->texture;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t handle) {
    rt_object *object = NULL;
    cudaError_t e = ask(handle, false, out, &object);
    if (e) return e;
    if (!object->has_view) return rt_leave(cudaErrorInvalidValue);
    *out = object->view;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t handle) {
    rt_object *object = NULL;
    cudaError_t e = ask(handle, true, out, &object);
    if (e) return e;
    *out = object->resource;
    return rt_leave(cudaSuccess);
}
