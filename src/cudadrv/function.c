/* Functions and kernels (one thing here), their launches and occupancy. */
#include "cudart/function.h"

#include <string.h>

#include "cudadrv/driver.h"

/* --- attributes ------------------------------------------------------------------------------------------ */

static int attribute_of(const struct cudaFuncAttributes *a, CUfunction_attribute which) {
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return a->maxThreadsPerBlock;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        return (int)a->sharedSizeBytes;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        return (int)a->constSizeBytes;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        return (int)a->localSizeBytes;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        return a->numRegs;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        return a->ptxVersion;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        return a->binaryVersion;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        return a->cacheModeCA;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return a->maxDynamicSharedSizeBytes;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return a->preferredShmemCarveout;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        return a->clusterDimMustBeSet;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        return a->requiredClusterWidth;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        return a->requiredClusterHeight;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        return a->requiredClusterDepth;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        return a->nonPortableClusterSizeAllowed;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        return a->clusterSchedulingPolicyPreference;
    }
    return 0;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    if (!value || (unsigned)attribute > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    struct cudaFuncAttributes a;
    r = drv_result(cudaFuncGetAttributes(&a, function));
    if (!r) *value = attribute_of(&a, attribute);
    return r;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    DRV_CALL(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}
CUresult cuFuncSetCacheConfig(CUfunction function, enum cudaFuncCache config) {
    DRV_CALL(cudaFuncSetCacheConfig(function, config));
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, enum cudaSharedMemConfig config) {
    DRV_CALL(cudaFuncSetSharedMemConfig(function, config));
}
CUresult cuFuncGetName(const char **name, CUfunction function) {
    DRV_CALL(cudaFuncGetName(name, function));
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
    DRV_CALL(cudaFuncGetParamInfo(function, index, offset, size));
}

/* Enters, with a function that exists. */
static CUresult enter_about(CUfunction handle, const void *out, rt_function **fn) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    e = rt_function_of(handle, fn);
    return e ? drv_result(rt_leave(e)) : CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
    rt_function *fn = NULL;
    CUresult r = enter_about(function, module, &fn);
    if (r) return r;
    *module = fn->module;
    return drv_result(rt_leave(cudaSuccess));
}

CUresult cuFuncIsLoaded(int *state, CUfunction function) {
    rt_function *fn = NULL;
    CUresult r = enter_about(function, state, &fn);
    if (r) return r;
    *state = 1; /* CU_FUNCTION_LOADING_STATE_LOADED: asking has loaded it */
    return drv_result(rt_leave(cudaSuccess));
}

CUresult cuFuncLoad(CUfunction function) {
    int state;
    return cuFuncIsLoaded(&state, function);
}

/* A kernel of a library is a function for every context. */
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
    rt_function *fn = NULL;
    CUresult r = enter_about(kernel, function, &fn);
    if (r) return r;
    *function = fn;
    return drv_result(rt_leave(cudaSuccess));
}
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
    return cuFuncGetModule(library, kernel);
}
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
    return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, kernel);
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
    return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute(kernel, attribute, value);
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, enum cudaFuncCache config, CUdevice device) {
    return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig(kernel, config);
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) {
    return cuFuncGetName(name, kernel);
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size) {
    return cuFuncGetParamInfo(kernel, index, offset, size);
}

/* --- launches -------------------------------------------------------------------------------------------- */

enum { MAX_PARAMS = 4096 /* bytes are at most 32764, and a parameter has one at least; more is no kernel of nvcc's */ };

/* Parameters that lie in one buffer, as pointers to each. */
static CUresult unpack(const rt_function *fn, void *const *extra, void *out[MAX_PARAMS]) {
    uint8_t *buffer = NULL;
    size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            size = *(const size_t *)extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (fn->image->n_params > MAX_PARAMS || (fn->image->n_params && !buffer)) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < fn->image->n_params; i++) {
        const img_param *p = &fn->image->params[i];
        if (p->offset + (size_t)p->size > size) return CUDA_ERROR_INVALID_VALUE;
        out[i] = buffer + p->offset;
    }
    return CUDA_SUCCESS;
}

static CUresult launch(CUfunction f, const cudaLaunchConfig_t *config, void **params, void **extra) {
    rt_function *fn = NULL;
    CUresult r = enter_about(f, &f, &fn);
    if (r) return r;
    void *pointers[MAX_PARAMS];
    if (params && extra) r = CUDA_ERROR_INVALID_VALUE; /* "exactly one of both", as documented */
    if (!r && extra) r = unpack(fn, extra, pointers);
    rt_leave(cudaSuccess);
    if (r) return rt_quiet(false), r;
    return drv_result(cudaLaunchKernelExC(config, fn, extra ? pointers : params));
}

static cudaLaunchConfig_t as_runtime(const CUlaunchConfig *config) {
    return (cudaLaunchConfig_t){.gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                .dynamicSmemBytes = config->sharedMemBytes,
                                .stream = config->hStream,
                                .attrs = config->attrs,
                                .numAttrs = config->numAttrs};
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    cudaLaunchConfig_t c = as_runtime(config);
    return launch(f, &c, params, extra);
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                        CUstream stream, void **params, void **extra) {
    cudaLaunchConfig_t c = {.gridDim = {gx, gy, gz}, .blockDim = {bx, by, bz}, .dynamicSmemBytes = shared, .stream = stream};
    return launch(f, &c, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                   unsigned shared, CUstream stream, void **params) {
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    cudaLaunchConfig_t c = {.gridDim = {gx, gy, gz}, .blockDim = {bx, by, bz}, .dynamicSmemBytes = shared, .stream = stream,
                            .attrs = &cooperative, .numAttrs = 1};
    return launch(f, &c, params, NULL);
}

CUresult cuLaunchHostFunc(CUstream stream, cudaHostFn_t function, void *data) {
    DRV_CALL(cudaLaunchHostFunc(stream, function, data));
}

/* --- occupancy ------------------------------------------------------------------------------------------- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int threads, size_t dynamic, unsigned flags) {
    DRV_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, dynamic, flags));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t dynamic) {
    DRV_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, dynamic));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, CUfunction f, int blocks, int threads) {
    DRV_CALL(cudaOccupancyAvailableDynamicSMemPerBlock(dynamic, f, blocks, threads));
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    cudaLaunchConfig_t c = as_runtime(config);
    DRV_CALL(cudaOccupancyMaxActiveClusters(clusters, f, &c));
}
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *config) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    cudaLaunchConfig_t c = as_runtime(config);
    DRV_CALL(cudaOccupancyMaxPotentialClusterSize(size, f, &c));
}

/* The block size, of whole warps, with which most threads are resident; the smallest grid that fills the device with it. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f, CUoccupancyB2DSize dynamic_of, size_t dynamic,
                                                   int limit, unsigned flags) {
    if (!grid || !block || flags > cudaOccupancyDisableCachingOverride) return CUDA_ERROR_INVALID_VALUE;
    rt_function *fn = NULL;
    CUresult r = enter_about(f, grid, &fn);
    if (r) return r;
    unsigned most = rt_function_max_threads(fn), best = 0, best_threads = 0;
    if (limit > 0 && (unsigned)limit < most) most = (unsigned)limit;
    for (unsigned threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
        unsigned blocks = rt_function_per_sm(fn, threads, dynamic_of ? dynamic_of((int)threads) : dynamic);
        if (blocks * threads > best * best_threads) best = blocks, best_threads = threads;
    }
    *grid = (int)(best * rt_gpu()->sms), *block = (int)best_threads;
    return drv_result(rt_leave(cudaSuccess));
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, CUoccupancyB2DSize dynamic_of, size_t dynamic, int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, dynamic_of, dynamic, limit, 0);
}
