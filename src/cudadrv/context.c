/* cuInit, contexts, and the stack of them that each thread has.
 *
 * The contexts of a device see the same memory: a context is a handle, whose use is checked, and no separate
 * address space. The primary contexts are the runtime's, and the device of the current context is the runtime's device. */
#include <stdlib.h>
#include <string.h>

#include "cudadrv/driver.h"
#include "cudart/device.h"
#include "cudart/memory.h"
#include "cudart/stream.h"

struct CUctx_st {
    unsigned flags, device;
    bool primary;
    unsigned retained; /* of the primary one: cuDevicePrimaryCtxRetain */
    unsigned long long id;
};

enum { API_VERSION = 3020, MAX_PUSHED = 64 };

static bool initialized;
static struct CUctx_st primaries[SES_MOST_GPUS]; /* primary_of */
static wg_u64map contexts; /* that cuCtxCreate made and nobody destroyed; under the runtime's lock */
static unsigned long long contexts_made = SES_MOST_GPUS; /* the primary ones have the first ids */

static _Thread_local CUcontext pushed[MAX_PUSHED];
static _Thread_local unsigned n_pushed;

static CUcontext primary_of(unsigned device) {
    CUcontext c = &primaries[device];
    c->primary = true;
    c->device = device;
    c->id = device + 1;
    return c;
}

static bool is_primary(CUcontext context) {
    return context >= primaries && context < primaries + SES_MOST_GPUS;
}

/* After a change of the stack. */
static void follow(void) {
    if (n_pushed) rt_set_current(pushed[n_pushed - 1]->device);
}

bool drv_context_lives(CUcontext context) {
    return is_primary(context) || wg_u64map_get(&contexts, (uintptr_t)context, NULL);
}

/* A thread that has used the runtime has its primary context; cudaSetDevice may have gone on from what was pushed. */
CUcontext drv_current(void) {
    if (n_pushed && pushed[n_pushed - 1]->device == rt_current()) return pushed[n_pushed - 1];
    return n_pushed || rt_thread_used() ? primary_of(rt_current()) : NULL;
}

CUresult drv_initialized(void) {
    if (!initialized && !rt_thread_used()) return CUDA_ERROR_NOT_INITIALIZED;
    rt_quiet(true);
    return CUDA_SUCCESS;
}

CUresult drv_ready(void) {
    if (!initialized && !rt_thread_used()) return CUDA_ERROR_NOT_INITIALIZED;
    CUcontext c = drv_current();
    if (!c) return CUDA_ERROR_INVALID_CONTEXT;
    if (!drv_context_lives(c)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    rt_quiet(true);
    return CUDA_SUCCESS;
}

CUresult drv_ready_on(CUstream stream) {
    bool made = stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
    return made ? drv_initialized() : drv_ready();
}

/* Errors of the runtime that the driver has not: those of arguments, below 100. */
CUresult drv_result(cudaError_t error) {
    rt_quiet(false);
    switch (error) {
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    default:
        return (int)error > CUDA_ERROR_DEINITIALIZED && (int)error < CUDA_ERROR_NO_DEVICE ? CUDA_ERROR_INVALID_VALUE : (CUresult)error;
    }
}

CUresult drv_leave(CUresult result) {
    rt_leave(cudaSuccess);
    rt_quiet(false);
    return result;
}

CUresult drv_code_error(wg_status status) {
    switch (status) {
    case WG_ERR_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case WG_ERR_FORMAT:
        return CUDA_ERROR_INVALID_IMAGE;
    case WG_ERR_NOT_FOUND:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case WG_ERR_IO:
        return CUDA_ERROR_FILE_NOT_FOUND;
    case WG_ERR_UNSUPPORTED:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_PTX;
    }
}

CUresult drv_unsupported(const char *call) {
    rt_quiet(true);
    return drv_result(rt_unsupported_as(call, "CUDA_ERROR_NOT_SUPPORTED"));
}

CUresult cuInit(unsigned flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    initialized = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = RT_VERSION;
    return CUDA_SUCCESS;
}

/* --- errors -------------------------------------------------------------------------------------------- */

static const struct error { int number; const char *name, *text; } errors[] = {
#define ERR(number, name, text) {number, #name, text},
#include "cudadrv/errors.def"
#undef ERR
};

static const struct error *error_of(CUresult number) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)number) return &errors[i];
    return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    const struct error *e = error_of(error);
    *text = e ? e->name : NULL;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    const struct error *e = error_of(error);
    *text = e ? e->text : NULL;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- the primary context -------------------------------------------------------------------------------- */

/* Opens the device, as making a context does. */
static CUresult open_device(CUdevice device) {
    if (!initialized && !rt_thread_used()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!rt_is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    rt_quiet(true);
    cudaError_t e = rt_enter();
    return drv_result(e ? e : rt_leave(cudaSuccess));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = open_device(device);
    if (r) return r;
    *context = primary_of((unsigned)device);
    __atomic_add_fetch(&(*context)->retained, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!rt_is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    CUcontext primary = primary_of((unsigned)device);
    if (!primary->retained) return CUDA_ERROR_INVALID_CONTEXT;
    __atomic_sub_fetch(&primary->retained, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!rt_is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK) return CUDA_ERROR_INVALID_VALUE;
    primary_of((unsigned)device)->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!rt_is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    *flags = primary_of((unsigned)device)->flags;
    *active = primary_of((unsigned)device)->retained || (rt_thread_used() && rt_current() == (unsigned)device);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    if (!rt_is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    unsigned was = rt_current();
    CUresult r = drv_initialized();
    if (r) return r;
    rt_set_current((unsigned)device);
    r = drv_result(cudaDeviceReset());
    rt_set_current(was);
    return r;
}

/* --- contexts -------------------------------------------------------------------------------------------- */

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
    if (!context || (flags & ~(unsigned)CU_CTX_FLAGS_MASK)) return CUDA_ERROR_INVALID_VALUE;
    if (n_pushed == MAX_PUSHED) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult r = open_device(device);
    if (r) return r;
    CUcontext c = calloc(1, sizeof *c);
    if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&rt.lock);
    *c = (struct CUctx_st){.flags = flags, .device = (unsigned)device, .id = ++contexts_made};
    bool kept = wg_u64map_set(&contexts, (uintptr_t)c, (uintptr_t)c);
    pthread_mutex_unlock(&rt.lock);
    if (!kept) {
        free(c);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *context = pushed[n_pushed++] = c;
    follow();
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v3(CUcontext *context, void *affinity, int n, unsigned flags, CUdevice device) {
    if (affinity || n) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags, CUdevice device) {
    if (params && params->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
    return cuCtxCreate_v3(context, params ? params->execAffinityParams : NULL, params ? params->numExecAffinityParams : 0, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context || is_primary(context) || !drv_context_lives(context)) return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&rt.lock);
    if (rt.session) rt_stream_wait(NULL);
    wg_u64map_remove(&contexts, (uintptr_t)context);
    pthread_mutex_unlock(&rt.lock);
    if (n_pushed && pushed[n_pushed - 1] == context) n_pushed--;
    follow();
    return CUDA_SUCCESS; /* the struct stays: other threads may still have the handle on their stacks */
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context || !drv_context_lives(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (n_pushed == MAX_PUSHED) return CUDA_ERROR_OUT_OF_MEMORY;
    pushed[n_pushed++] = context;
    follow();
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!n_pushed) return CUDA_ERROR_INVALID_CONTEXT;
    CUcontext top = pushed[--n_pushed];
    follow();
    if (context) *context = top;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (context && !drv_context_lives(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (n_pushed) n_pushed--;
    if (context) pushed[n_pushed++] = context;
    follow();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    if (!initialized && !rt_thread_used()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    *context = drv_current();
    return CUDA_SUCCESS;
}

/* NULL: the current one. */
static CUresult about(CUcontext *context, const void *out) {
    if (!initialized && !rt_thread_used()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!*context) *context = drv_current();
    if (!*context || !drv_context_lives(*context)) return CUDA_ERROR_INVALID_CONTEXT;
    return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context) {
    CUresult r = about(&context, device);
    if (!r) *device = (CUdevice)context->device;
    return r;
}

CUresult cuCtxGetDevice(CUdevice *device) {
    return cuCtxGetDevice_v2(device, NULL);
}

CUresult cuCtxGetFlags(unsigned *flags) {
    CUcontext c = NULL;
    CUresult r = about(&c, flags);
    if (!r) *flags = c->flags;
    return r;
}

CUresult cuCtxSetFlags(unsigned flags) {
    CUcontext c = NULL;
    CUresult r = about(&c, &flags);
    if (!r && (flags & ~(unsigned)CU_CTX_FLAGS_MASK)) return CUDA_ERROR_INVALID_VALUE;
    if (!r) c->flags = flags;
    return r;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
    CUresult r = about(&context, id);
    if (!r) *id = context->id;
    return r;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
    CUresult r = about(&context, version);
    if (!r) *version = API_VERSION;
    return r;
}

CUresult cuCtxSynchronize_v2(CUcontext context) {
    CUresult r = about(&context, &context);
    if (r) return r;
    DRV_CALL_ANYWHERE(cudaDeviceSynchronize());
}

CUresult cuCtxSynchronize(void) {
    DRV_CALL(cudaDeviceSynchronize());
}
CUresult cuCtxSetLimit(enum cudaLimit limit, size_t value) {
    DRV_CALL(cudaDeviceSetLimit(limit, value));
}
CUresult cuCtxGetLimit(size_t *value, enum cudaLimit limit) {
    DRV_CALL(cudaDeviceGetLimit(value, limit));
}
CUresult cuCtxGetCacheConfig(enum cudaFuncCache *config) {
    DRV_CALL(cudaDeviceGetCacheConfig(config));
}
CUresult cuCtxSetCacheConfig(enum cudaFuncCache config) {
    DRV_CALL(cudaDeviceSetCacheConfig(config));
}
CUresult cuCtxGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    DRV_CALL(cudaDeviceGetSharedMemConfig(config));
}
CUresult cuCtxSetSharedMemConfig(enum cudaSharedMemConfig config) {
    DRV_CALL(cudaDeviceSetSharedMemConfig(config));
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    DRV_CALL(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxResetPersistingL2Cache(void) {
    DRV_CALL(cudaCtxResetPersistingL2Cache());
}
static CUresult peer(CUcontext other, const void *flags_are_right, cudaError_t (*call)(int device)) {
    CUresult r = about(&other, flags_are_right);
    if (r) return r;
    if (other->device == rt_current()) return CUDA_ERROR_INVALID_CONTEXT;
    DRV_CALL(call((int)other->device));
}
static cudaError_t enable(int device) {
    return cudaDeviceEnablePeerAccess(device, 0);
}
CUresult cuCtxEnablePeerAccess(CUcontext other, unsigned flags) {
    return peer(other, flags ? NULL : "", enable);
}
CUresult cuCtxDisablePeerAccess(CUcontext other) {
    return peer(other, "", cudaDeviceDisablePeerAccess);
}

CUresult cuProfilerStart(void) {
    return CUDA_SUCCESS;
}
CUresult cuProfilerStop(void) {
    return CUDA_SUCCESS;
}
