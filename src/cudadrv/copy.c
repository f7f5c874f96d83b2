/* Copies and fills. */
#include "cudart/work.h"

#include "cudadrv/driver.h"

/* --- one run of bytes ------------------------------------------------------------------------------------ */

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) {
    DRV_CALL(cudaMemcpy(drv_pointer(to), drv_pointer(from), n, cudaMemcpyDefault));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream) {
    DRV_CALL(cudaMemcpyAsync(drv_pointer(to), drv_pointer(from), n, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) {
    DRV_CALL(cudaMemcpy(drv_pointer(to), from, n, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream stream) {
    DRV_CALL(cudaMemcpyAsync(drv_pointer(to), from, n, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) {
    DRV_CALL(cudaMemcpy(to, drv_pointer(from), n, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream stream) {
    DRV_CALL(cudaMemcpyAsync(to, drv_pointer(from), n, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) {
    DRV_CALL(cudaMemcpy(drv_pointer(to), drv_pointer(from), n, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream) {
    DRV_CALL(cudaMemcpyAsync(drv_pointer(to), drv_pointer(from), n, cudaMemcpyDeviceToDevice, stream));
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n) {
    if (!drv_context_lives(to_context) || !drv_context_lives(from_context)) return CUDA_ERROR_INVALID_CONTEXT;
    return cuMemcpyDtoD_v2(to, from, n);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n, CUstream stream) {
    if (!drv_context_lives(to_context) || !drv_context_lives(from_context)) return CUDA_ERROR_INVALID_CONTEXT;
    return cuMemcpyDtoDAsync_v2(to, from, n, stream);
}

/* A CUdeviceptr is as wide as a pointer, so lists of them are lists of pointers. */
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes,
                            size_t *first, size_t n, size_t *failed, CUstream stream) {
    DRV_CALL(rt_copy_batch((void *const *)(void *)to, (const void *const *)(void *)from, sizes, count, attributes, first, n, failed, stream));
}
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes,
                               size_t *first, size_t n, CUstream stream) {
    return cuMemcpyBatchAsync(to, from, sizes, count, attributes, first, n, NULL, stream);
}

/* --- boxes ----------------------------------------------------------------------------------------------- */

/* One side of a copy. */
typedef struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
} side;

/* Where a side begins, as the runtime says it: positions in an array are texels there. A pitch of 0 means rows without gaps. */
static CUresult place(const side *s, size_t width, size_t height, struct cudaPitchedPtr *out, struct cudaPos *at, cudaArray_t *array,
                      size_t *texel) {
    *at = (struct cudaPos){s->x, s->y, s->z};
    if (s->type == CU_MEMORYTYPE_ARRAY) {
        struct cudaChannelFormatDesc d;
        if (!s->array || cudaGetChannelDesc(&d, s->array)) return CUDA_ERROR_INVALID_HANDLE;
        *texel = (size_t)(d.x + d.y + d.z + d.w) / 8;
        if (s->x % *texel || width % *texel) return CUDA_ERROR_INVALID_VALUE;
        *array = s->array;
        at->x = s->x / *texel;
        return CUDA_SUCCESS;
    }
    if (s->type != CU_MEMORYTYPE_HOST && s->type != CU_MEMORYTYPE_DEVICE && s->type != CU_MEMORYTYPE_UNIFIED) return CUDA_ERROR_INVALID_VALUE;
    void *base = s->type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)s->host : drv_pointer(s->device);
    size_t pitch = s->pitch ? s->pitch : s->x + width, rows = s->height ? s->height : s->y + height;
    if (!base || s->x + width > pitch) return CUDA_ERROR_INVALID_VALUE;
    *out = (struct cudaPitchedPtr){base, pitch, s->x + width, rows};
    return CUDA_SUCCESS;
}

static enum cudaMemcpyKind direction(CUmemorytype from, CUmemorytype to) {
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
    if (from == CU_MEMORYTYPE_HOST) return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

/* Between drv_ready and drv_result. */
CUresult drv_copy_of(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p) {
    side from = {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, c->srcZ, c->srcPitch, c->srcHeight},
         to = {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, c->dstZ, c->dstPitch, c->dstHeight};
    size_t texel = 1; /* of the array that takes part; of two, both have it */
    *p = (struct cudaMemcpy3DParms){.kind = direction(from.type, to.type)};
    CUresult r = place(&from, c->WidthInBytes, c->Height, &p->srcPtr, &p->srcPos, &p->srcArray, &texel);
    if (!r) r = place(&to, c->WidthInBytes, c->Height, &p->dstPtr, &p->dstPos, &p->dstArray, &texel);
    p->extent = (struct cudaExtent){c->WidthInBytes / texel, c->Height, c->Depth};
    return r;
}

static CUresult copy(const CUDA_MEMCPY3D *c, CUstream stream, bool wait) {
    CUresult r = drv_ready();
    if (r) return r;
    struct cudaMemcpy3DParms p;
    if ((r = drv_copy_of(c, &p))) return rt_quiet(false), r;
    return drv_result(wait ? cudaMemcpy3D(&p) : cudaMemcpy3DAsync(&p, stream));
}

static CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D *c) {
    return (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes, .srcY = c->srcY, .srcMemoryType = c->srcMemoryType, .srcHost = c->srcHost,
                           .srcDevice = c->srcDevice, .srcArray = c->srcArray, .srcPitch = c->srcPitch,
                           .dstXInBytes = c->dstXInBytes, .dstY = c->dstY, .dstMemoryType = c->dstMemoryType, .dstHost = c->dstHost,
                           .dstDevice = c->dstDevice, .dstArray = c->dstArray, .dstPitch = c->dstPitch,
                           .WidthInBytes = c->WidthInBytes, .Height = c->Height, .Depth = 1};
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) {
    return c ? copy(c, NULL, true) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream) {
    return c ? copy(c, stream, false) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) {
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D box = flat(c);
    return copy(&box, NULL, true);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c) {
    return cuMemcpy2D_v2(c);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream) {
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D box = flat(c);
    return copy(&box, stream, false);
}

/* --- fills ----------------------------------------------------------------------------------------------- */

/* Rows of elements of 1, 2 or 4 bytes. The runtime fills with bytes only. */
static CUresult fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, CUstream stream) {
    if (to % element || (height > 1 && pitch < width * element)) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    rt_stream *s = rt_stream_of(stream);
    if (!s) return drv_result(rt_leave(cudaErrorInvalidResourceHandle));
    rt_work work = {.type = cudaGraphNodeTypeMemset,
                    .fill = {{to, pitch, height}, .value = value, .element = element, .width = width * element, .height = height, .depth = 1}};
    return drv_result(rt_leave(width && height ? rt_work_put(&work, s) : cudaSuccess));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream s) {
    return fill(to, n, value, 1, n, 1, s);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream s) {
    return fill(to, 2 * n, value, 2, n, 1, s);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream s) {
    return fill(to, 4 * n, value, 4, n, 1, s);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream s) {
    return fill(to, pitch, value, 1, width, height, s);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream s) {
    return fill(to, pitch, value, 2, width, height, s);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream s) {
    return fill(to, pitch, value, 4, width, height, s);
}

static CUresult filled(CUresult result, CUdeviceptr to) {
    if (!result) result = drv_ready();
    return result ? result : drv_result(rt_filled(cudaSuccess, drv_pointer(to), NULL));
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n) {
    return filled(cuMemsetD8Async(to, value, n, NULL), to);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n) {
    return filled(cuMemsetD16Async(to, value, n, NULL), to);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n) {
    return filled(cuMemsetD32Async(to, value, n, NULL), to);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return filled(cuMemsetD2D8Async(to, pitch, value, width, height, NULL), to);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return filled(cuMemsetD2D16Async(to, pitch, value, width, height, NULL), to);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
    return filled(cuMemsetD2D32Async(to, pitch, value, width, height, NULL), to);
}
