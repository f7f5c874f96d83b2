/* The variants of calls that programs built with --default-stream per-thread import: the same calls, with
 * the per-thread default stream where they name none. _ptsz: the call takes a stream. _ptds: it takes none,
 * uses the default one and returns when its work is done. */
#include "cudart/api.h"
#include "cudart/memory.h"

static cudaStream_t own(cudaStream_t stream) {
    return stream ? stream : cudaStreamPerThread;
}

static cudaError_t done(cudaError_t error) {
    return error ? error : cudaStreamSynchronize(cudaStreamPerThread);
}

cudaError_t cudaLaunchKernel_ptsz(const void *f, dim3 grid, dim3 block, void **args, size_t shared,
                                  cudaStream_t s) {
    return cudaLaunchKernel(f, grid, block, args, shared, own(s));
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t k, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t s) {
    return cudaLaunchKernel(k, grid, block, args, shared, own(s));
}
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *f, dim3 grid, dim3 block, void **args, size_t shared,
                                             cudaStream_t s) {
    return cudaLaunchCooperativeKernel(f, grid, block, args, shared, own(s));
}
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *f, void **args) {
    if (!config) return cudaLaunchKernelExC(config, f, args);
    cudaLaunchConfig_t with = *config;
    with.stream = own(config->stream);
    return cudaLaunchKernelExC(&with, f, args);
}
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t s, cudaHostFn_t f, void *data) {
    return cudaLaunchHostFunc(own(s), f, data);
}

cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
                                 cudaStream_t s) {
    return cudaMemcpyAsync(to, from, n, kind, own(s));
}
cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                      struct cudaMemcpyAttributes *attributes, size_t *first, size_t n, cudaStream_t s) {
    return cudaMemcpyBatchAsync(to, from, sizes, count, attributes, first, n, own(s));
}
cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
    return done(cudaMemcpyAsync(to, from, n, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                   size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s) {
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, own(s));
}
cudaError_t cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind) {
    return done(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *p, cudaStream_t s) {
    return cudaMemcpy3DAsync(p, own(s));
}
cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p) {
    return done(cudaMemcpy3DAsync(p, cudaStreamPerThread));
}
cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t n, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t s) {
    return cudaMemcpyToSymbolAsync(symbol, from, n, offset, kind, own(s));
}
cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t n, size_t offset,
                                    enum cudaMemcpyKind kind) {
    return done(cudaMemcpyToSymbolAsync(symbol, from, n, offset, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t n, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t s) {
    return cudaMemcpyFromSymbolAsync(to, symbol, n, offset, kind, own(s));
}
cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t n, size_t offset,
                                      enum cudaMemcpyKind kind) {
    return done(cudaMemcpyFromSymbolAsync(to, symbol, n, offset, kind, cudaStreamPerThread));
}

cudaError_t cudaMemsetAsync_ptsz(void *to, int value, size_t n, cudaStream_t s) {
    return cudaMemsetAsync(to, value, n, own(s));
}
cudaError_t cudaMemset_ptds(void *to, int value, size_t n) {
    return rt_filled(cudaMemsetAsync(to, value, n, cudaStreamPerThread), to, cudaStreamPerThread);
}
cudaError_t cudaMemset2DAsync_ptsz(void *to, size_t pitch, int value, size_t width, size_t height,
                                   cudaStream_t s) {
    return cudaMemset2DAsync(to, pitch, value, width, height, own(s));
}
cudaError_t cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width, size_t height) {
    return rt_filled(cudaMemset2DAsync(to, pitch, value, width, height, cudaStreamPerThread), to, cudaStreamPerThread);
}
cudaError_t cudaMemset3DAsync_ptsz(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                   cudaStream_t s) {
    return cudaMemset3DAsync(to, value, extent, own(s));
}
cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr to, int value, struct cudaExtent extent) {
    return rt_filled(cudaMemset3DAsync(to, value, extent, cudaStreamPerThread), to.ptr, cudaStreamPerThread);
}
cudaError_t cudaMemPrefetchAsync_ptsz(const void *at, size_t n, struct cudaMemLocation where, unsigned flags,
                                      cudaStream_t s) {
    return cudaMemPrefetchAsync(at, n, where, flags, own(s));
}

cudaError_t cudaMallocAsync_ptsz(void **out, size_t size, cudaStream_t s) {
    return cudaMallocAsync(out, size, own(s));
}
cudaError_t cudaMallocFromPoolAsync_ptsz(void **out, size_t size, cudaMemPool_t pool, cudaStream_t s) {
    return cudaMallocFromPoolAsync(out, size, pool, own(s));
}
cudaError_t cudaFreeAsync_ptsz(void *address, cudaStream_t s) {
    return cudaFreeAsync(address, own(s));
}

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t s) {
    return cudaEventRecord(event, own(s));
}
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t s, unsigned flags) {
    return cudaEventRecordWithFlags(event, own(s), flags);
}
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t s, cudaEvent_t event, unsigned flags) {
    return cudaStreamWaitEvent(own(s), event, flags);
}
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t s) {
    return cudaStreamSynchronize(own(s));
}
cudaError_t cudaStreamQuery_ptsz(cudaStream_t s) {
    return cudaStreamQuery(own(s));
}
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t s, cudaStreamCallback_t f, void *data, unsigned flags) {
    return cudaStreamAddCallback(own(s), f, data, flags);
}
cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t s, void *at, size_t n, unsigned flags) {
    return cudaStreamAttachMemAsync(own(s), at, n, flags);
}
cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t s, int *priority) {
    return cudaStreamGetPriority(own(s), priority);
}
cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t s, unsigned *flags) {
    return cudaStreamGetFlags(own(s), flags);
}
cudaError_t cudaStreamGetId_ptsz(cudaStream_t s, unsigned long long *id) {
    return cudaStreamGetId(own(s), id);
}
cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t s, int *device) {
    return cudaStreamGetDevice(own(s), device);
}
cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t s, enum cudaStreamCaptureStatus *status) {
    return cudaStreamIsCapturing(own(s), status);
}
cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t s, cudaLaunchAttributeID id,
                                        const cudaLaunchAttributeValue *value) {
    return cudaStreamSetAttribute(own(s), id, value);
}

cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t s) {
    return cudaGraphLaunch(exec, own(s));
}
cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t exec, cudaStream_t s) {
    return cudaGraphUpload(exec, own(s));
}
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphInstantiateParams
    *params) {
    return cudaGraphInstantiateWithParams(out, graph, params);
}
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t s, enum cudaStreamCaptureMode mode) {
    return cudaStreamBeginCapture(own(s), mode);
}
cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t s, cudaGraph_t graph, const cudaGraphNode_t *needs, const
    cudaGraphEdgeData *data, size_t n, enum cudaStreamCaptureMode mode) {
    return cudaStreamBeginCaptureToGraph(own(s), graph, needs, data, n, mode);
}
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t s, cudaGraph_t *graph) {
    return cudaStreamEndCapture(own(s), graph);
}
cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long
    *id, cudaGraph_t *graph, const cudaGraphNode_t **needs, const cudaGraphEdgeData **data, size_t *n) {
    return cudaStreamGetCaptureInfo(own(s), status, id, graph, needs, data, n);
}
cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t s, cudaGraphNode_t *needs, const cudaGraphEdgeData
    *data, size_t n, unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(own(s), needs, data, n, flags);
}
cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t s, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value) {
    return cudaStreamGetAttribute(own(s), id, value);
}
cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from) {
    return cudaStreamCopyAttributes(own(to), own(from));
}
cudaError_t cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s) {
    return cudaMemcpy3DPeerAsync(p, own(s));
}
cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p) {
    return done(cudaMemcpy3DPeerAsync(p, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t
    width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s) {
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, own(s));
}
cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t
    width, size_t height, enum cudaMemcpyKind kind) {
    return done(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
    size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s) {
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, own(s));
}
cudaError_t cudaMemcpy2DFromArray_ptds(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t
    width, size_t height, enum cudaMemcpyKind kind) {
    return done(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y, const void *from, size_t n, enum
    cudaMemcpyKind kind, cudaStream_t s) {
    return cudaMemcpyToArrayAsync(to, x, y, from, n, kind, own(s));
}
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, size_t x, size_t y, const void *from, size_t n, enum
    cudaMemcpyKind kind) {
    return done(cudaMemcpyToArrayAsync(to, x, y, from, n, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n, enum
    cudaMemcpyKind kind, cudaStream_t s) {
    return cudaMemcpyFromArrayAsync(to, from, x, y, n, kind, own(s));
}
cudaError_t cudaMemcpyFromArray_ptds(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n, enum
    cudaMemcpyKind kind) {
    return done(cudaMemcpyFromArrayAsync(to, from, x, y, n, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t
    from_x, size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind) {
    return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, kind);
}
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t
    from_x, size_t from_y, size_t n, enum cudaMemcpyKind kind) {
    return cudaMemcpyArrayToArray(to, to_x, to_y, from, from_x, from_y, n, kind);
}
