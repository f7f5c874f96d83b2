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

/* --- boxes ----------------------------------------------------------------------------------------------- */

/* One side of a copy. */
typedef struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
} side;

/* A pitch of 0 means rows without gaps. */
static CUresult place(const side *s, size_t width, size_t height, struct cudaPitchedPtr *out, bool *device) {
    uint64_t base;
    switch (s->type) {
    case CU_MEMORYTYPE_HOST:
        base = (uintptr_t)s->host, *device = false;
        break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        base = s->device, *device = true;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    size_t pitch = s->pitch ? s->pitch : s->x + width, rows = s->height ? s->height : s->y + height;
    if (!base || s->x + width > pitch) return CUDA_ERROR_INVALID_VALUE;
    *out = (struct cudaPitchedPtr){drv_pointer(base), pitch, s->x + width, rows};
    return CUDA_SUCCESS;
}

static CUresult copy(const CUDA_MEMCPY3D *c, CUstream stream, bool wait) {
    side from = {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, c->srcZ, c->srcPitch, c->srcHeight},
         to = {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, c->dstZ, c->dstPitch, c->dstHeight};
    if (from.type == CU_MEMORYTYPE_ARRAY || to.type == CU_MEMORYTYPE_ARRAY) return drv_unsupported("a copy of a CUDA array by the driver's calls");
    struct cudaMemcpy3DParms p = {.extent = {c->WidthInBytes, c->Height, c->Depth},
                                  .srcPos = {from.x, from.y, from.z},
                                  .dstPos = {to.x, to.y, to.z}};
    bool from_device, to_device;
    CUresult r = place(&from, c->WidthInBytes, c->Height, &p.srcPtr, &from_device);
    if (!r) r = place(&to, c->WidthInBytes, c->Height, &p.dstPtr, &to_device);
    if (r) return r;
    p.kind = from_device ? to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
                         : to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
    if (from.type == CU_MEMORYTYPE_UNIFIED || to.type == CU_MEMORYTYPE_UNIFIED) p.kind = cudaMemcpyDefault;
    DRV_CALL(wait ? cudaMemcpy3D(&p) : cudaMemcpy3DAsync(&p, stream));
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
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n) {
    return cuMemsetD8Async(to, value, n, NULL);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n) {
    return cuMemsetD16Async(to, value, n, NULL);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n) {
    return cuMemsetD32Async(to, value, n, NULL);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return cuMemsetD2D8Async(to, pitch, value, width, height, NULL);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return cuMemsetD2D16Async(to, pitch, value, width, height, NULL);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
    return cuMemsetD2D32Async(to, pitch, value, width, height, NULL);
}
