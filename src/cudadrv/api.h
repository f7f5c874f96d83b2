/* The public calls of the driver that are implemented, by the symbols of the library (cuda.h maps the names that programs
 * write to them: cuMemAlloc is cuMemAlloc_v2). Their documentation is NVIDIA's manual of the driver; api.def is the list of all
 * public symbols. */
#ifndef WG_CUDADRV_API_H
#define WG_CUDADRV_API_H

#include "cudadrv/types.h"
#include "cudart/api.h"

#pragma GCC visibility push(default) /* all else in the library is hidden */

/* --- context.c --- */
CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorName(CUresult error, const char **text);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int n, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetFlags(unsigned *flags);
CUresult cuCtxSetFlags(unsigned flags);
CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetLimit(enum cudaLimit limit, size_t value);
CUresult cuCtxGetLimit(size_t *value, enum cudaLimit limit);
CUresult cuCtxGetCacheConfig(enum cudaFuncCache *config);
CUresult cuCtxSetCacheConfig(enum cudaFuncCache config);
CUresult cuCtxGetSharedMemConfig(enum cudaSharedMemConfig *config);
CUresult cuCtxSetSharedMemConfig(enum cudaSharedMemConfig config);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

/* --- device.c --- */
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetName(char *name, int size, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDeviceGetProperties(CUdevprop *out, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, CUdevice from, CUdevice to);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);

/* --- module.c --- */
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, CUjit_option *options, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatbin);
CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned n,
    void *library_options, void **library_values, unsigned n_library);
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **values, unsigned n,
    void *library_options, void **library_values, unsigned n_library);
CUresult cuModuleUnload(CUmodule module);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule module, const char *name);
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name);
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name);
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned n, CUmodule module);
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library);
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned n, CUlibrary library);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuModuleGetLoadingMode(int *mode);

/* --- link.c --- */
CUresult cuLinkCreate_v2(unsigned n, CUjit_option *options, void **values, CUlinkState *out);
CUresult cuLinkAddData_v2(CUlinkState s, CUjitInputType type, void *data, size_t size, const char *name, unsigned n,
    CUjit_option *options, void **values);
CUresult cuLinkAddFile_v2(CUlinkState s, CUjitInputType type, const char *path, unsigned n, CUjit_option *options,
    void **values);
CUresult cuLinkComplete(CUlinkState s, void **cubin, size_t *size);
CUresult cuLinkDestroy(CUlinkState s);

/* --- function.c --- */
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, enum cudaFuncCache config);
CUresult cuFuncSetSharedMemConfig(CUfunction function, enum cudaSharedMemConfig config);
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size);
CUresult cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult cuFuncIsLoaded(int *state, CUfunction function);
CUresult cuFuncLoad(CUfunction function);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device);
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel kernel, enum cudaFuncCache config, CUdevice device);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra);
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, CUstream stream, void **params, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned shared, CUstream stream, void **params);
CUresult cuLaunchHostFunc(CUstream stream, cudaHostFn_t function, void *data);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int threads, size_t dynamic,
    unsigned flags);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t dynamic);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, CUfunction f, int blocks, int threads);
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config);
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *config);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f, CUoccupancyB2DSize dynamic_of,
    size_t dynamic, int limit, unsigned flags);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, CUoccupancyB2DSize dynamic_of, size_t
    dynamic, int limit);

/* --- memory.c --- */
CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size);
CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned flags);
CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned element);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemHostAlloc(void **out, size_t size, unsigned flags);
CUresult cuMemAllocHost_v2(void **out, size_t size);
CUresult cuMemFreeHost(void *address);
CUresult cuMemHostRegister_v2(void *host, size_t size, unsigned flags);
CUresult cuMemHostUnregister(void *host);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags);
CUresult cuMemHostGetFlags(unsigned *flags, void *host);
CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size, CUmemoryPool pool, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CUresult cuMemPoolCreate(CUmemoryPool *pool, const struct cudaMemPoolProps *props);
CUresult cuMemPoolDestroy(CUmemoryPool pool);
CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, struct cudaMemLocation *place, enum cudaMemAllocationType type);
CUresult cuMemGetMemPool(CUmemoryPool *pool, struct cudaMemLocation *place, enum cudaMemAllocationType type);
CUresult cuMemSetMemPool(struct cudaMemLocation *place, enum cudaMemAllocationType type, CUmemoryPool pool);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, enum cudaMemPoolAttr attribute, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, enum cudaMemPoolAttr attribute, void *value);
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const struct cudaMemAccessDesc *list, size_t n);
CUresult cuMemPoolGetAccess(enum cudaMemAccessFlags *flags, CUmemoryPool pool, struct cudaMemLocation *where);
CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address);
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address);
CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *attributes, void **data, CUdeviceptr address);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t size, struct cudaMemLocation where, unsigned flags,
    CUstream stream);
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation where);
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size, CUdevice device, CUstream stream);
CUresult cuMemAdvise(CUdeviceptr address, size_t size, enum cudaMemoryAdvise advice, CUdevice device);
CUresult cuMemRangeGetAttribute(void *data, size_t data_size, enum cudaMemRangeAttribute attribute, CUdeviceptr address, size_t size);
CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes, size_t n, CUdeviceptr address,
    size_t size);
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t size, unsigned flags);

/* --- virtual.c --- */
CUresult cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t alignment, CUdeviceptr wanted, unsigned long long
    flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t size);
CUresult cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *prop, int option);
CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *prop, unsigned long
    long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *address);
CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long
    long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t size);
CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const struct cudaMemAccessDesc *list, size_t n);
CUresult cuMemGetAccess(unsigned long long *flags, const struct cudaMemLocation *where, CUdeviceptr address);

/* --- copy.c --- */
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n);
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
    struct cudaMemcpyAttributes *attributes, size_t *first, size_t n, size_t *failed, CUstream stream);
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
    struct cudaMemcpyAttributes *attributes, size_t *first, size_t n, CUstream stream);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream stream);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream stream);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n,
    CUstream stream);
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c);
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream);
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c);
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c);
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream s);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream s);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream s);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream
    s);
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream
    s);
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream s);
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n);
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t n);
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height);
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height);
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height);

/* --- texture.c --- */
CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d);
CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray array);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMipmappedArrayCreate(cudaMipmappedArray_t *array, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels);
CUresult cuMipmappedArrayGetLevel(CUarray *level, cudaMipmappedArray_t array, unsigned index);
CUresult cuMipmappedArrayDestroy(cudaMipmappedArray_t array);
CUresult cuMemcpyHtoA_v2(CUarray to, size_t x, const void *from, size_t n);
CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t x, size_t n);
CUresult cuMemcpyDtoA_v2(CUarray to, size_t x, CUdeviceptr from, size_t n);
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t x, size_t n);
CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_x, CUarray from, size_t from_x, size_t n);
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                const unsigned *box, const unsigned *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                 const int *low, const int *high, unsigned channels, unsigned pixels, const unsigned *steps, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address);
CUresult cuTexObjectCreate(cudaTextureObject_t *out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC
    *texture, const struct cudaResourceViewDesc *view);
CUresult cuTexObjectDestroy(cudaTextureObject_t texture);
CUresult cuTexObjectGetResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t texture);
CUresult cuSurfObjectCreate(cudaSurfaceObject_t *out, const CUDA_RESOURCE_DESC *resource);
CUresult cuSurfObjectDestroy(cudaSurfaceObject_t surface);

/* --- stream.c --- */
CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device);
CUresult cuStreamSetAttribute(CUstream stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value);
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags);
CUresult cuEventCreate(CUevent *event, unsigned flags);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end);
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);

/* --- graph.c --- */
CUresult cuStreamBeginCapture_v2(CUstream stream, enum cudaStreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream stream, cudaGraph_t *graph);
CUresult cuStreamIsCapturing(CUstream stream, enum cudaStreamCaptureStatus *status);
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **needs, const cudaGraphEdgeData **data, size_t *n);
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **needs, size_t *n);
CUresult cuThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
CUresult cuGraphCreate(cudaGraph_t *graph, unsigned flags);
CUresult cuGraphDestroy(cudaGraph_t graph);
CUresult cuGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
CUresult cuGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
CUresult cuGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n);
CUresult cuGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n);
CUresult cuGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data,
    size_t *n);
CUresult cuGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const
    cudaGraphEdgeData *data, size_t n);
CUresult cuGraphDestroyNode(cudaGraphNode_t node);
CUresult cuGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
CUresult cuGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params);
CUresult cuGraphExecUpdate_v2(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info);
CUresult cuGraphLaunch(cudaGraphExec_t exec, CUstream stream);
CUresult cuGraphUpload(cudaGraphExec_t exec, CUstream stream);
CUresult cuGraphExecDestroy(cudaGraphExec_t exec);
CUresult cuGraphAddKernelNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
    const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t exec, cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS
    *params);
CUresult cuGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const
    CUDA_MEMCPY3D *params, CUcontext context);
CUresult cuGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const
    struct cudaMemsetParams *params, CUcontext context);
CUresult cuGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params);
CUresult cuGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params);
CUresult cuGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const
    struct cudaHostNodeParams *params);
CUresult cuGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
    cudaGraph_t child);
CUresult cuGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n);
CUresult cuGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
    CUevent event);
CUresult cuGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
    CUevent event);

/* --- address.c --- */
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags,
    CUdriverProcAddressQueryResult *status);
CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags);
CUresult cuGetExportTable(const void **table, const CUuuid *id);

/* --- perthread.c --- */
CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags);
CUresult cuEventRecord_ptsz(CUevent event, CUstream stream);
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned shared, CUstream stream, void **params);
CUresult cuLaunchHostFunc_ptsz(CUstream stream, cudaHostFn_t function, void *data);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params, void **extra);
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned
    bz, unsigned shared, CUstream stream, void **params, void **extra);
CUresult cuMemAllocAsync_ptsz(CUdeviceptr *out, size_t size, CUstream stream);
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *out, size_t size, CUmemoryPool pool, CUstream stream);
CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream);
CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr address, size_t size, CUdevice device, CUstream stream);
CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr address, size_t size, struct cudaMemLocation where, unsigned flags,
    CUstream stream);
CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *c, CUstream stream);
CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *c);
CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *c, CUstream stream);
CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *c);
CUresult cuMemcpyBatchAsync_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
    struct cudaMemcpyAttributes *attributes, size_t *first, size_t n, size_t *failed, CUstream stream);
CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
    struct cudaMemcpyAttributes *attributes, size_t *first, size_t n, CUstream stream);
CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream);
CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream);
CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, size_t n);
CUresult cuMemcpyDtoHAsync_v2_ptsz(void *to, CUdeviceptr from, size_t n, CUstream stream);
CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t n);
CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void *from, size_t n, CUstream stream);
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t n);
CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t
    n, CUstream stream);
CUresult cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n);
CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, size_t n);
CUresult cuMemsetD16Async_ptsz(CUdeviceptr to, unsigned short value, size_t n, CUstream s);
CUresult cuMemsetD16_v2_ptds(CUdeviceptr to, unsigned short value, size_t n);
CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
    CUstream s);
CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height);
CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream
    s);
CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height);
CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
    CUstream s);
CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height);
CUresult cuMemsetD32Async_ptsz(CUdeviceptr to, unsigned value, size_t n, CUstream s);
CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, size_t n);
CUresult cuMemsetD8Async_ptsz(CUdeviceptr to, unsigned char value, size_t n, CUstream s);
CUresult cuMemsetD8_v2_ptds(CUdeviceptr to, unsigned char value, size_t n);
CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void *data, unsigned flags);
CUresult cuStreamAttachMemAsync_ptsz(CUstream stream, CUdeviceptr address, size_t size, unsigned flags);
CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext *context);
CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice *device);
CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned *flags);
CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long *id);
CUresult cuStreamGetPriority_ptsz(CUstream stream, int *priority);
CUresult cuStreamQuery_ptsz(CUstream stream);
CUresult cuStreamSetAttribute_ptsz(CUstream stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value);
CUresult cuStreamSynchronize_ptsz(CUstream stream);
CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags);
CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *c);
CUresult cuGraphInstantiateWithParams_ptsz(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams
    *params);
CUresult cuGraphLaunch_ptsz(cudaGraphExec_t exec, CUstream stream);
CUresult cuGraphUpload_ptsz(cudaGraphExec_t exec, CUstream stream);
CUresult cuMemcpyAtoA_v2_ptds(CUarray to, size_t to_x, CUarray from, size_t from_x, size_t n);
CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr to, CUarray from, size_t x, size_t n);
CUresult cuMemcpyAtoH_v2_ptds(void *to, CUarray from, size_t x, size_t n);
CUresult cuMemcpyDtoA_v2_ptds(CUarray to, size_t x, CUdeviceptr from, size_t n);
CUresult cuMemcpyHtoA_v2_ptds(CUarray to, size_t x, const void *from, size_t n);
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, enum cudaStreamCaptureMode mode);
CUresult cuStreamEndCapture_ptsz(CUstream stream, cudaGraph_t *graph);
CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **needs, size_t *n);
CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **needs, const cudaGraphEdgeData **data, size_t *n);
CUresult cuStreamIsCapturing_ptsz(CUstream stream, enum cudaStreamCaptureStatus *status);

#pragma GCC visibility pop

#endif
