/* Streams and events: the runtime's own. */
#include "cudart/stream.h"

#include "cudadrv/driver.h"

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    DRV_CALL(cudaStreamCreateWithFlags(stream, flags));
}
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    DRV_CALL(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamDestroy_v2(CUstream stream) {
    DRV_CALL(cudaStreamDestroy(stream));
}
CUresult cuStreamSynchronize(CUstream stream) {
    DRV_CALL(cudaStreamSynchronize(stream));
}
CUresult cuStreamQuery(CUstream stream) {
    DRV_CALL(cudaStreamQuery(stream));
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    DRV_CALL(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) {
    DRV_CALL(cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
    DRV_CALL(cudaStreamGetFlags(stream, flags));
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
    DRV_CALL(cudaStreamGetId(stream, id));
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
    DRV_CALL(cudaStreamGetDevice(stream, device));
}
CUresult cuStreamSetAttribute(CUstream stream, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value) {
    DRV_CALL(cudaStreamSetAttribute(stream, id, value));
}

/* All contexts share the device's streams; the current one answers for all of them. */
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = cuStreamQuery(stream);
    if (!r) *context = drv_current();
    return r;
}

/* The runtime's callbacks have the same arguments; the numbers of results agree. */
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
    DRV_CALL(cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))callback, data, flags));
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    DRV_CALL(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy_v2(CUevent event) {
    DRV_CALL(cudaEventDestroy(event));
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    DRV_CALL(cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    DRV_CALL(cudaEventRecord(event, stream));
}
CUresult cuEventQuery(CUevent event) {
    DRV_CALL(cudaEventQuery(event));
}
CUresult cuEventSynchronize(CUevent event) {
    DRV_CALL(cudaEventSynchronize(event));
}
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end) {
    DRV_CALL(cudaEventElapsedTime(ms, start, end));
}
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
    return cuEventElapsedTime_v2(ms, start, end);
}
