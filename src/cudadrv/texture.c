/* Arrays, textures and surfaces. */
#include <string.h>

#include "cudadrv/driver.h"

/* --- formats --------------------------------------------------------------------------------------------- */

static CUresult desc_of(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *out) {
    int bits;
    enum cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
    switch (format) {
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
        kind = cudaChannelFormatKindSigned;
        bits = 8 << (format - CU_AD_FORMAT_SIGNED_INT8);
        break;
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
        bits = 8 << (format - CU_AD_FORMAT_UNSIGNED_INT8);
        break;
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
        kind = cudaChannelFormatKindFloat;
        bits = format == CU_AD_FORMAT_HALF ? 16 : 32;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE; /* block-compressed and planar formats */
    }
    if (channels != 1 && channels != 2 && channels != 4) return CUDA_ERROR_INVALID_VALUE;
    *out = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind};
    return CUDA_SUCCESS;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *d) {
    int step = d->x == 8 ? 0 : d->x == 16 ? 1 : 2;
    if (d->f == cudaChannelFormatKindFloat) return d->x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    return (CUarray_format)((d->f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8) + step);
}

/* --- arrays ---------------------------------------------------------------------------------------------- */

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    struct cudaChannelFormatDesc desc;
    if (!array || !d || desc_of(d->Format, d->NumChannels, &desc)) return CUDA_ERROR_INVALID_VALUE;
    DRV_CALL(cudaMalloc3DArray(array, &desc, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}
CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR flat = {.Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return cuArray3DCreate_v2(array, &flat);
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array) {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned flags = 0;
    CUresult r = out ? drv_ready() : CUDA_ERROR_INVALID_VALUE;
    if (!r) r = drv_result(cudaArrayGetInfo(&desc, &extent, &flags, array));
    if (r) return r;
    unsigned channels = 1u + (desc.y > 0) + (desc.z > 0) + (desc.w > 0);
    *out = (CUDA_ARRAY3D_DESCRIPTOR){extent.width, extent.height, extent.depth, format_of(&desc), channels, flags};
    return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out, CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult r = out ? cuArray3DGetDescriptor_v2(&d, array) : CUDA_ERROR_INVALID_VALUE;
    if (!r) *out = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    return r;
}
CUresult cuArrayDestroy(CUarray array) {
    CUresult r = drv_ready();
    if (r) return r;
    r = drv_result(cudaFreeArray(array));
    return r == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_INVALID_HANDLE : r;
}
CUresult cuMipmappedArrayCreate(cudaMipmappedArray_t *array, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels) {
    struct cudaChannelFormatDesc desc;
    if (!array || !d || desc_of(d->Format, d->NumChannels, &desc)) return CUDA_ERROR_INVALID_VALUE;
    DRV_CALL(cudaMallocMipmappedArray(array, &desc, (struct cudaExtent){d->Width, d->Height, d->Depth}, levels, d->Flags));
}
CUresult cuMipmappedArrayGetLevel(CUarray *level, cudaMipmappedArray_t array, unsigned index) {
    DRV_CALL(cudaGetMipmappedArrayLevel(level, array, index));
}
CUresult cuMipmappedArrayDestroy(cudaMipmappedArray_t array) {
    DRV_CALL(cudaFreeMipmappedArray(array));
}

/* Runs of bytes into and out of the first row on. */
static CUresult run(CUmemorytype from, CUdeviceptr source, CUarray source_array, size_t source_x, CUmemorytype to, CUdeviceptr target,
                    CUarray target_array, size_t target_x, size_t n) {
    CUDA_MEMCPY2D c = {.srcMemoryType = from, .srcHost = drv_pointer(source), .srcDevice = source, .srcArray = source_array,
                       .srcXInBytes = source_x, .dstMemoryType = to, .dstHost = drv_pointer(target), .dstDevice = target,
                       .dstArray = target_array, .dstXInBytes = target_x, .WidthInBytes = n, .Height = 1};
    return cuMemcpy2D_v2(&c);
}
CUresult cuMemcpyHtoA_v2(CUarray to, size_t x, const void *from, size_t n) {
    return run(CU_MEMORYTYPE_HOST, (uintptr_t)from, NULL, 0, CU_MEMORYTYPE_ARRAY, 0, to, x, n);
}
CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t x, size_t n) {
    return run(CU_MEMORYTYPE_ARRAY, 0, from, x, CU_MEMORYTYPE_HOST, (uintptr_t)to, NULL, 0, n);
}
CUresult cuMemcpyDtoA_v2(CUarray to, size_t x, CUdeviceptr from, size_t n) {
    return run(CU_MEMORYTYPE_DEVICE, from, NULL, 0, CU_MEMORYTYPE_ARRAY, 0, to, x, n);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t x, size_t n) {
    return run(CU_MEMORYTYPE_ARRAY, 0, from, x, CU_MEMORYTYPE_DEVICE, to, NULL, 0, n);
}
CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_x, CUarray from, size_t from_x, size_t n) {
    return run(CU_MEMORYTYPE_ARRAY, 0, from, from_x, CU_MEMORYTYPE_ARRAY, 0, to, to_x, n);
}

/* --- objects --------------------------------------------------------------------------------------------- */

static CUresult resource_of(const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *out) {
    *out = (struct cudaResourceDesc){.resType = r->resType, .flags = r->flags};
    switch (r->resType) {
    case cudaResourceTypeArray:
        out->res.array.array = r->res.array.hArray;
        return CUDA_SUCCESS;
    case cudaResourceTypeMipmappedArray:
        out->res.mipmap.mipmap = r->res.mipmap.hMipmappedArray;
        return CUDA_SUCCESS;
    case cudaResourceTypeLinear:
        out->res.linear.devPtr = drv_pointer(r->res.linear.devPtr);
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return desc_of(r->res.linear.format, r->res.linear.numChannels, &out->res.linear.desc);
    case cudaResourceTypePitch2D:
        out->res.pitch2D.devPtr = drv_pointer(r->res.pitch2D.devPtr);
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return desc_of(r->res.pitch2D.format, r->res.pitch2D.numChannels, &out->res.pitch2D.desc);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Integer texels of 8 and 16 bits come as normalised floats unless the texture says that they are read as integers; what is
 * wider, or a float, comes as it is. */
static bool normalises(const struct cudaResourceDesc *r) {
    struct cudaChannelFormatDesc d = {0};
    cudaArray_t level = NULL;
    if (r->resType == cudaResourceTypeArray)
        cudaGetChannelDesc(&d, r->res.array.array);
    else if (r->resType == cudaResourceTypeMipmappedArray && !cudaGetMipmappedArrayLevel(&level, r->res.mipmap.mipmap, 0))
        cudaGetChannelDesc(&d, level);
    else if (r->resType == cudaResourceTypeLinear)
        d = r->res.linear.desc;
    else if (r->resType == cudaResourceTypePitch2D)
        d = r->res.pitch2D.desc;
    return d.f != cudaChannelFormatKindFloat && d.x <= 16;
}

CUresult cuTexObjectCreate(cudaTextureObject_t *out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                           const struct cudaResourceViewDesc *view) {
    struct cudaResourceDesc r;
    if (!out || !resource || !texture || resource_of(resource, &r)) return CUDA_ERROR_INVALID_VALUE;
    CUresult not_ready = drv_ready();
    if (not_ready) return not_ready;
    bool integer = texture->flags & CU_TRSF_READ_AS_INTEGER;
    struct cudaTextureDesc t = {.filterMode = texture->filterMode,
                                .readMode = !integer && normalises(&r) ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
                                .sRGB = (texture->flags & CU_TRSF_SRGB) != 0,
                                .normalizedCoords = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
                                .maxAnisotropy = texture->maxAnisotropy,
                                .mipmapFilterMode = texture->mipmapFilterMode,
                                .mipmapLevelBias = texture->mipmapLevelBias,
                                .minMipmapLevelClamp = texture->minMipmapLevelClamp,
                                .maxMipmapLevelClamp = texture->maxMipmapLevelClamp,
                                .disableTrilinearOptimization = (texture->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
                                .seamlessCubemap = (texture->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
    memcpy(t.addressMode, texture->addressMode, sizeof t.addressMode);
    memcpy(t.borderColor, texture->borderColor, sizeof t.borderColor);
    return drv_result(cudaCreateTextureObject(out, &r, &t, view));
}
CUresult cuTexObjectDestroy(cudaTextureObject_t texture) {
    DRV_CALL(cudaDestroyTextureObject(texture));
}
CUresult cuTexObjectGetResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t texture) {
    DRV_CALL(cudaGetTextureObjectResourceViewDesc(out, texture));
}
CUresult cuSurfObjectCreate(cudaSurfaceObject_t *out, const CUDA_RESOURCE_DESC *resource) {
    struct cudaResourceDesc r;
    if (!out || !resource || resource_of(resource, &r)) return CUDA_ERROR_INVALID_VALUE;
    DRV_CALL(cudaCreateSurfaceObject(out, &r));
}
CUresult cuSurfObjectDestroy(cudaSurfaceObject_t surface) {
    DRV_CALL(cudaDestroySurfaceObject(surface));
}
