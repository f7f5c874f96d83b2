/* Streams and events: the runtime's own. */
#include "cudart/stream.h"

#include "cudadrv/driver.h"

static wg_u64map contexts; /* of streams that cuStreamCreate made: the context that was current; under the runtime's lock */

static CUresult belongs_here(CUstream stream) {
    pthread_mutex_lock(&rt.lock);
    bool kept = wg_u64map_set(&contexts, (uintptr_t)stream, (uintptr_t)drv_current());
    pthread_mutex_unlock(&rt.lock);
    return kept ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    CUresult r = drv_ready();
    if (!r) r = drv_result(cudaStreamCreateWithPriority(stream, flags, priority));
    return r ? r : belongs_here(*stream);
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}
CUresult cuStreamDestroy_v2(CUstream stream) {
    CUresult r = drv_ready_on(stream);
    if (!r) r = drv_result(cudaStreamDestroy(stream));
    if (r) return r;
    pthread_mutex_lock(&rt.lock);
    wg_u64map_remove(&contexts, (uintptr_t)stream);
    pthread_mutex_unlock(&rt.lock);
    return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
    DRV_CALL_ON(stream, cudaStreamSynchronize(stream));
}
CUresult cuStreamQuery(CUstream stream) {
    DRV_CALL_ON(stream, cudaStreamQuery(stream));
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    DRV_CALL_ON(stream, cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) {
    DRV_CALL_ON(stream, cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
    DRV_CALL_ON(stream, cudaStreamGetFlags(stream, flags));
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
    DRV_CALL_ON(stream, cudaStreamGetId(stream, id));
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
    DRV_CALL_ON(stream, cudaStreamGetDevice(stream, device));
}
CUresult cuStreamSetAttribute(CUstream stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value) {
    DRV_CALL_ON(stream, cudaStreamSetAttribute(stream, id, value));
}

/* The default streams are the current context's, the runtime's streams the primary context's. */
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    CUdevice device = 0;
    CUresult r = cuStreamGetDevice(stream, &device);
    if (r) return r;
    uint64_t owner = 0;
    pthread_mutex_lock(&rt.lock);
    bool known = wg_u64map_get(&contexts, (uintptr_t)stream, &owner);
    pthread_mutex_unlock(&rt.lock);
    *context = known ? (CUcontext)(uintptr_t)owner : drv_current();
    if (*context) return CUDA_SUCCESS;
    r = cuDevicePrimaryCtxRetain(context, device);
    return r ? r : cuDevicePrimaryCtxRelease_v2(device);
}

/* The runtime's callbacks have the same arguments; the numbers of results agree. */
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
    DRV_CALL_ON(stream, cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))callback, data, flags));
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    DRV_CALL(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy_v2(CUevent event) {
    DRV_CALL_ANYWHERE(cudaEventDestroy(event));
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    DRV_CALL_ON(stream, cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    DRV_CALL_ON(stream, cudaEventRecord(event, stream));
}
CUresult cuEventQuery(CUevent event) {
    DRV_CALL_ANYWHERE(cudaEventQuery(event));
}
CUresult cuEventSynchronize(CUevent event) {
    DRV_CALL_ANYWHERE(cudaEventSynchronize(event));
}
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end) {
    DRV_CALL_ANYWHERE(cudaEventElapsedTime(ms, start, end));
}
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
    return cuEventElapsedTime_v2(ms, start, end);
}
