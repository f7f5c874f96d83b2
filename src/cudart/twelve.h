/* The runtime of CUDA 12, where it differs from that of CUDA 13: its types, and its forms of calls. Programs reach them as
 * symbols of version libcudart.so.12, or by the takeover of a runtime that is linked statically. */
#ifndef WG_CUDART_TWELVE_H
#define WG_CUDART_TWELVE_H

#include "cudart/api.h"

enum { RT12_VERSION = 12090 }; /* what cudaRuntimeGetVersion answers */

typedef struct rt12_pointer { /* cudaPointerAttributes */
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
} rt12_pointer;

typedef struct rt12_prop { /* cudaDeviceProp */
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3],
        maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2],
        maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3],
        maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing,
        memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor,
        streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
        singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
        canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
        accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
        memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, reserved[63];
} rt12_prop;

cudaError_t rt12_properties(rt12_prop *out, int device);
cudaError_t rt12_properties_of_11(void *out, int device);
cudaError_t rt12_pointer_attributes(rt12_pointer *out, const void *address);
cudaError_t rt12_runtime_version(int *version);
cudaError_t rt12_advise(const void *address, size_t size, enum cudaMemoryAdvise advice, int device);
cudaError_t rt12_prefetch(const void *address, size_t size, int device, cudaStream_t stream);
cudaError_t rt12_prefetch_ptsz(const void *address, size_t size, int device, cudaStream_t stream);
cudaError_t rt12_batch(void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes, size_t *first, size_t n,
    size_t *failed, cudaStream_t stream);
cudaError_t rt12_batch_ptsz(void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes, size_t *first,
    size_t n, size_t *failed, cudaStream_t stream);
cudaError_t rt12_set_double(double *value);
cudaError_t rt12_cooperative_multi_device(void *list, unsigned n, unsigned flags);
cudaError_t rt12_texture_resource(void *out, cudaTextureObject_t texture);
cudaError_t rt12_texture_view(void *out, cudaTextureObject_t texture);
cudaError_t rt12_surface_resource(void *out, cudaSurfaceObject_t surface);
cudaError_t rt12_graph_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n);
cudaError_t rt12_graph_remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n);
cudaError_t rt12_graph_add_node(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
    struct cudaGraphNodeParams *params);
cudaError_t rt12_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n);
cudaError_t rt12_node_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n);
cudaError_t rt12_node_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n);
cudaError_t rt12_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id);
cudaError_t rt12_capture_info_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id);
cudaError_t rt12_capture_info_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
    const cudaGraphNode_t **needs, size_t *n);
cudaError_t rt12_capture_info_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **needs, size_t *n);
cudaError_t rt12_update_dependencies(cudaStream_t stream, cudaGraphNode_t *needs, size_t n, unsigned flags);
cudaError_t rt12_update_dependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *needs, size_t n, unsigned flags);

#endif
