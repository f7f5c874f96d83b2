#include "cudart/twelve.h"

#include <string.h>

#include "cudart/memory.h"

/* --- types that grew or lost fields ----------------------------------------------------------------------- */

cudaError_t rt12_properties(rt12_prop *out, int device) {
    struct cudaDeviceProp p;
    cudaError_t e = out ? cudaGetDeviceProperties(&p, device) : rt_note(cudaErrorInvalidValue);
    if (e) return e;
    *out = (rt12_prop){.deviceOverlap = 1, .maxTexture1DLinear = 268435456, .singleToDoublePrecisionPerfRatio = p.minor ? 64 : 2};
    /* Runs of fields that both have in the same order. */
#define RUN(first, last) \
    memcpy(&out->first, &p.first, offsetof(struct cudaDeviceProp, last) - offsetof(struct cudaDeviceProp, first) + sizeof p.last)
    RUN(name, luidDeviceNodeMask);
    RUN(totalGlobalMem, sharedMemPerBlock);
    RUN(regsPerBlock, warpSize);
    RUN(memPitch, memPitch);
    RUN(maxThreadsPerBlock, maxGridSize);
    RUN(totalConstMem, minor);
    RUN(textureAlignment, texturePitchAlignment);
    RUN(multiProcessorCount, multiProcessorCount);
    RUN(integrated, canMapHostMemory);
    RUN(maxTexture1D, maxTexture1DMipmap);
    RUN(maxTexture2D, maxSurfaceCubemapLayered);
    RUN(surfaceAlignment, surfaceAlignment);
    RUN(concurrentKernels, unifiedAddressing);
    RUN(memoryBusWidth, localL1CacheSupported);
    RUN(sharedMemPerMultiprocessor, sharedMemPerMultiprocessor);
    RUN(regsPerMultiprocessor, hostNativeAtomicSupported);
    RUN(pageableMemoryAccess, cooperativeLaunch);
    RUN(sharedMemPerBlockOptin, sharedMemPerBlockOptin);
    RUN(pageableMemoryAccessUsesHostPageTables, accessPolicyMaxWindowSize);
    RUN(reservedSharedMemPerBlock, reservedSharedMemPerBlock);
    RUN(hostRegisterSupported, unifiedFunctionPointers);
#undef RUN
    cudaDeviceGetAttribute(&out->clockRate, 13 /* cudaDevAttrClockRate */, device);
    cudaDeviceGetAttribute(&out->memoryClockRate, 36 /* cudaDevAttrMemoryClockRate */, device);
    return cudaSuccess;
}

/* The struct of CUDA 11 ends with other fields; headers of CUDA 12 never ask for it. */
cudaError_t rt12_properties_of_11(void *out, int device) {
    (void)out, (void)device;
    return rt_unsupported("cudaGetDeviceProperties in the form of CUDA 11");
}

cudaError_t rt12_pointer_attributes(rt12_pointer *out, const void *address) {
    struct cudaPointerAttributes a;
    cudaError_t e = out ? cudaPointerGetAttributes(&a, address) : rt_note(cudaErrorInvalidValue);
    if (!e) *out = (rt12_pointer){a.type, a.device, a.devicePointer, a.hostPointer};
    return e;
}

cudaError_t rt12_runtime_version(int *version) {
    cudaError_t e = cudaRuntimeGetVersion(version);
    if (!e) *version = RT12_VERSION;
    return e;
}

/* Descriptions of resources had no reserve behind them. */
enum { RESOURCE_BYTES = 64, VIEW_BYTES = 48 };

cudaError_t rt12_texture_resource(void *out, cudaTextureObject_t texture) {
    struct cudaResourceDesc r;
    cudaError_t e = out ? cudaGetTextureObjectResourceDesc(&r, texture) : rt_note(cudaErrorInvalidValue);
    if (!e) memcpy(out, &r, RESOURCE_BYTES);
    return e;
}
cudaError_t rt12_surface_resource(void *out, cudaSurfaceObject_t surface) {
    struct cudaResourceDesc r;
    cudaError_t e = out ? cudaGetSurfaceObjectResourceDesc(&r, surface) : rt_note(cudaErrorInvalidValue);
    if (!e) memcpy(out, &r, RESOURCE_BYTES);
    return e;
}
cudaError_t rt12_texture_view(void *out, cudaTextureObject_t texture) {
    struct cudaResourceViewDesc v;
    cudaError_t e = out ? cudaGetTextureObjectResourceViewDesc(&v, texture) : rt_note(cudaErrorInvalidValue);
    if (!e) memcpy(out, &v, VIEW_BYTES);
    return e;
}

/* --- a batch said which of its copies failed --------------------------------------------------------------- */

cudaError_t rt12_batch(void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes, size_t *first, size_t n,
                       size_t *failed, cudaStream_t stream) {
    return rt_copy_batch(to, (const void *const *)from, sizes, count, attributes, first, n, failed, stream);
}
cudaError_t rt12_batch_ptsz(void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes, size_t *first,
                            size_t n, size_t *failed, cudaStream_t stream) {
    return rt12_batch(to, from, sizes, count, attributes, first, n, failed, stream ? stream : cudaStreamPerThread);
}

/* --- a place in memory was a device, or the host as -1 ----------------------------------------------------- */

static struct cudaMemLocation location(int device) {
    if (device == cudaCpuDeviceId) return (struct cudaMemLocation){cudaMemLocationTypeHost, 0};
    return (struct cudaMemLocation){cudaMemLocationTypeDevice, device};
}
cudaError_t rt12_advise(const void *address, size_t size, enum cudaMemoryAdvise advice, int device) {
    return cudaMemAdvise(address, size, advice, location(device));
}
cudaError_t rt12_prefetch(const void *address, size_t size, int device, cudaStream_t stream) {
    return cudaMemPrefetchAsync(address, size, location(device), 0, stream);
}
cudaError_t rt12_prefetch_ptsz(const void *address, size_t size, int device, cudaStream_t stream) {
    return cudaMemPrefetchAsync_ptsz(address, size, location(device), 0, stream);
}

/* --- graphs whose edges carried no data -------------------------------------------------------------------- */

cudaError_t rt12_graph_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
    return cudaGraphAddDependencies(graph, from, to, NULL, n);
}
cudaError_t rt12_graph_remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
    return cudaGraphRemoveDependencies(graph, from, to, NULL, n);
}
cudaError_t rt12_graph_add_node(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
                                struct cudaGraphNodeParams *params) {
    return cudaGraphAddNode(out, graph, needs, NULL, n, params);
}
cudaError_t rt12_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) {
    return cudaGraphGetEdges(graph, from, to, NULL, n);
}
cudaError_t rt12_node_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n) {
    return cudaGraphNodeGetDependencies(node, nodes, NULL, n);
}
cudaError_t rt12_node_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n) {
    return cudaGraphNodeGetDependentNodes(node, nodes, NULL, n);
}
cudaError_t rt12_capture_info_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                 const cudaGraphNode_t **needs, size_t *n) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, needs, NULL, n);
}
cudaError_t rt12_capture_info_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                      cudaGraph_t *graph, const cudaGraphNode_t **needs, size_t *n) {
    return cudaStreamGetCaptureInfo_ptsz(stream, status, id, graph, needs, NULL, n);
}
cudaError_t rt12_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id) {
    return rt12_capture_info_v2(stream, status, id, NULL, NULL, NULL);
}
cudaError_t rt12_capture_info_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id) {
    return rt12_capture_info_v2_ptsz(stream, status, id, NULL, NULL, NULL);
}
cudaError_t rt12_update_dependencies(cudaStream_t stream, cudaGraphNode_t *needs, size_t n, unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(stream, needs, NULL, n, flags);
}
cudaError_t rt12_update_dependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *needs, size_t n, unsigned flags) {
    return cudaStreamUpdateCaptureDependencies_ptsz(stream, needs, NULL, n, flags);
}

/* --- gone in CUDA 13 ---------------------------------------------------------------------------------------- */

/* For devices without double precision, which are no more. */
cudaError_t rt12_set_double(double *value) {
    return rt_note(value ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t rt12_cooperative_multi_device(void *list, unsigned n, unsigned flags) {
    (void)list, (void)n, (void)flags;
    return rt_unsupported("cudaLaunchCooperativeKernelMultiDevice");
}
