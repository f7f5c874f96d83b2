/* The variants of calls whose default stream is the thread's own. A call without a stream means that stream; what copies
 * at once and waits is the call on that stream and a wait. */
#include "cudadrv/driver.h"

static CUresult done(CUresult r) {
    return r ? r : cuStreamSynchronize(cudaStreamPerThread);
}

CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
    return cuEventRecordWithFlags(event, drv_own_stream(stream), flags);
}
CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) {
    return cuEventRecord(event, drv_own_stream(stream));
}
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params) {
    return cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, shared, drv_own_stream(stream), params);
}
CUresult cuLaunchHostFunc_ptsz(CUstream stream, cudaHostFn_t function, void *data) {
    return cuLaunchHostFunc(drv_own_stream(stream), function, data);
}
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    CUlaunchConfig c = *config;
    c.hStream = drv_own_stream(c.hStream);
    return cuLaunchKernelEx(&c, f, params, extra);
}
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params, void **extra) {
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, drv_own_stream(stream), params, extra);
}
CUresult cuMemAllocAsync_ptsz(CUdeviceptr *out, size_t size, CUstream stream) {
    return cuMemAllocAsync(out, size, drv_own_stream(stream));
}
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *out, size_t size, CUmemoryPool pool, CUstream stream) {
    return cuMemAllocFromPoolAsync(out, size, pool, drv_own_stream(stream));
}
CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
    return cuMemFreeAsync(address, drv_own_stream(stream));
}
CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr address, size_t size, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync(address, size, device, drv_own_stream(stream));
}
CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr address, size_t size, struct cudaMemLocation where, unsigned flags, CUstream stream) {
    return cuMemPrefetchAsync_v2(address, size, where, flags, drv_own_stream(stream));
}
CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *c, CUstream stream) {
    return cuMemcpy2DAsync_v2(c, drv_own_stream(stream));
}
CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *c) {
    return done(cuMemcpy2DAsync_v2(c, cudaStreamPerThread));
}
CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *c, CUstream stream) {
    return cuMemcpy3DAsync_v2(c, drv_own_stream(stream));
}
CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *c) {
    return done(cuMemcpy3DAsync_v2(c, cudaStreamPerThread));
}
CUresult cuMemcpyBatchAsync_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes,
                                 size_t *first, size_t n, size_t *failed, CUstream stream) {
    return cuMemcpyBatchAsync(to, from, sizes, count, attributes, first, n, failed, drv_own_stream(stream));
}
CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes,
                                    size_t *first, size_t n, CUstream stream) {
    return cuMemcpyBatchAsync_v2(to, from, sizes, count, attributes, first, n, drv_own_stream(stream));
}
CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream) {
    return cuMemcpyAsync(to, from, n, drv_own_stream(stream));
}
CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream) {
    return cuMemcpyDtoDAsync_v2(to, from, n, drv_own_stream(stream));
}
CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, size_t n) {
    return done(cuMemcpyDtoDAsync_v2(to, from, n, cudaStreamPerThread));
}
CUresult cuMemcpyDtoHAsync_v2_ptsz(void *to, CUdeviceptr from, size_t n, CUstream stream) {
    return cuMemcpyDtoHAsync_v2(to, from, n, drv_own_stream(stream));
}
CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t n) {
    return done(cuMemcpyDtoHAsync_v2(to, from, n, cudaStreamPerThread));
}
CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void *from, size_t n, CUstream stream) {
    return cuMemcpyHtoDAsync_v2(to, from, n, drv_own_stream(stream));
}
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t n) {
    return done(cuMemcpyHtoDAsync_v2(to, from, n, cudaStreamPerThread));
}
CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n, CUstream stream) {
    return cuMemcpyPeerAsync(to, to_context, from, from_context, n, drv_own_stream(stream));
}
CUresult cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n) {
    return done(cuMemcpyPeerAsync(to, to_context, from, from_context, n, cudaStreamPerThread));
}
CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, size_t n) {
    return done(cuMemcpyAsync(to, from, n, cudaStreamPerThread));
}
CUresult cuMemsetD16Async_ptsz(CUdeviceptr to, unsigned short value, size_t n, CUstream s) {
    return cuMemsetD16Async(to, value, n, drv_own_stream(s));
}
CUresult cuMemsetD16_v2_ptds(CUdeviceptr to, unsigned short value, size_t n) {
    return done(cuMemsetD16Async(to, value, n, cudaStreamPerThread));
}
CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream s) {
    return cuMemsetD2D16Async(to, pitch, value, width, height, drv_own_stream(s));
}
CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return done(cuMemsetD2D16Async(to, pitch, value, width, height, cudaStreamPerThread));
}
CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream s) {
    return cuMemsetD2D32Async(to, pitch, value, width, height, drv_own_stream(s));
}
CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
    return done(cuMemsetD2D32Async(to, pitch, value, width, height, cudaStreamPerThread));
}
CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream s) {
    return cuMemsetD2D8Async(to, pitch, value, width, height, drv_own_stream(s));
}
CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return done(cuMemsetD2D8Async(to, pitch, value, width, height, cudaStreamPerThread));
}
CUresult cuMemsetD32Async_ptsz(CUdeviceptr to, unsigned value, size_t n, CUstream s) {
    return cuMemsetD32Async(to, value, n, drv_own_stream(s));
}
CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, size_t n) {
    return done(cuMemsetD32Async(to, value, n, cudaStreamPerThread));
}
CUresult cuMemsetD8Async_ptsz(CUdeviceptr to, unsigned char value, size_t n, CUstream s) {
    return cuMemsetD8Async(to, value, n, drv_own_stream(s));
}
CUresult cuMemsetD8_v2_ptds(CUdeviceptr to, unsigned char value, size_t n) {
    return done(cuMemsetD8Async(to, value, n, cudaStreamPerThread));
}
CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
    return cuStreamAddCallback(drv_own_stream(stream), callback, data, flags);
}
CUresult cuStreamAttachMemAsync_ptsz(CUstream stream, CUdeviceptr address, size_t size, unsigned flags) {
    return cuStreamAttachMemAsync(drv_own_stream(stream), address, size, flags);
}
CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext *context) {
    return cuStreamGetCtx(drv_own_stream(stream), context);
}
CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice *device) {
    return cuStreamGetDevice(drv_own_stream(stream), device);
}
CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned *flags) {
    return cuStreamGetFlags(drv_own_stream(stream), flags);
}
CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long *id) {
    return cuStreamGetId(drv_own_stream(stream), id);
}
CUresult cuStreamGetPriority_ptsz(CUstream stream, int *priority) {
    return cuStreamGetPriority(drv_own_stream(stream), priority);
}
CUresult cuStreamQuery_ptsz(CUstream stream) {
    return cuStreamQuery(drv_own_stream(stream));
}
CUresult cuStreamSetAttribute_ptsz(CUstream stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value) {
    return cuStreamSetAttribute(drv_own_stream(stream), id, value);
}
CUresult cuStreamSynchronize_ptsz(CUstream stream) {
    return cuStreamSynchronize(drv_own_stream(stream));
}
CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags) {
    return cuStreamWaitEvent(drv_own_stream(stream), event, flags);
}
CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *c) {
    return cuMemcpy2D_v2_ptds(c);
}
CUresult cuGraphInstantiateWithParams_ptsz(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params) {
    return done(cuGraphInstantiateWithParams(exec, graph, params));
}
CUresult cuGraphLaunch_ptsz(cudaGraphExec_t exec, CUstream stream) {
    return cuGraphLaunch(exec, drv_own_stream(stream));
}
CUresult cuGraphUpload_ptsz(cudaGraphExec_t exec, CUstream stream) {
    return cuGraphUpload(exec, drv_own_stream(stream));
}
CUresult cuMemcpyAtoA_v2_ptds(CUarray to, size_t to_x, CUarray from, size_t from_x, size_t n) {
    return done(cuMemcpyAtoA_v2(to, to_x, from, from_x, n));
}
CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr to, CUarray from, size_t x, size_t n) {
    return done(cuMemcpyAtoD_v2(to, from, x, n));
}
CUresult cuMemcpyAtoH_v2_ptds(void *to, CUarray from, size_t x, size_t n) {
    return done(cuMemcpyAtoH_v2(to, from, x, n));
}
CUresult cuMemcpyDtoA_v2_ptds(CUarray to, size_t x, CUdeviceptr from, size_t n) {
    return done(cuMemcpyDtoA_v2(to, x, from, n));
}
CUresult cuMemcpyHtoA_v2_ptds(CUarray to, size_t x, const void *from, size_t n) {
    return done(cuMemcpyHtoA_v2(to, x, from, n));
}
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, enum cudaStreamCaptureMode mode) {
    return cuStreamBeginCapture_v2(drv_own_stream(stream), mode);
}
CUresult cuStreamEndCapture_ptsz(CUstream stream, cudaGraph_t *graph) {
    return cuStreamEndCapture(drv_own_stream(stream), graph);
}
CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **needs, size_t *n) {
    return cuStreamGetCaptureInfo_v2(drv_own_stream(stream), status, id, graph, needs, n);
}
CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **needs, const cudaGraphEdgeData **data, size_t *n) {
    return cuStreamGetCaptureInfo_v3(drv_own_stream(stream), status, id, graph, needs, data, n);
}
CUresult cuStreamIsCapturing_ptsz(CUstream stream, enum cudaStreamCaptureStatus *status) {
    return cuStreamIsCapturing(drv_own_stream(stream), status);
}
