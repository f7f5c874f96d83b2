/* Events: moments in a stream's modelled time. */
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/stream.h"

typedef struct CUevent_st {
    unsigned flags;
    bool recorded;
    double ns;
} rt_event;

static rt_event *event_of(cudaEvent_t handle) {
    return wg_u64map_get(&rt.events, (uintptr_t)handle, NULL) ? handle : NULL;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    const unsigned all = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || (flags & ~all) || ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
        return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_event *ev = calloc(1, sizeof *ev);
    if (!ev || !wg_u64map_set(&rt.events, (uintptr_t)ev, (uintptr_t)ev)) {
        free(ev);
        return rt_leave(cudaErrorMemoryAllocation);
    }
    ev->flags = flags;
    *event = ev;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_event *ev = event_of(event);
    if (!ev) return rt_leave(cudaErrorInvalidResourceHandle);
    wg_u64map_remove(&rt.events, (uintptr_t)ev);
    free(ev);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    if (flags > cudaEventRecordExternal) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_event *ev = event_of(event);
    rt_stream *s = rt_stream_of(stream);
    if (!ev || !s) return rt_leave(cudaErrorInvalidResourceHandle);
    ev->recorded = true;
    ev->ns = rt_stream_now(s);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    cudaError_t e = rt_enter();
    if (e) return e;
    return rt_leave(event_of(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    cudaError_t e = rt_enter_to_wait();
    if (e) return e;
    const rt_event *ev = event_of(event);
    if (!ev) return rt_leave(cudaErrorInvalidResourceHandle);
    if (ev->recorded && ev->ns > rt.host_ns) rt.host_ns = ev->ns;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    if (!ms) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_event *a = event_of(start), *b = event_of(end);
    if (!a || !b || !a->recorded || !b->recorded || ((a->flags | b->flags) & cudaEventDisableTiming))
        return rt_leave(cudaErrorInvalidResourceHandle);
    *ms = (float)((b->ns - a->ns) / 1e6);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    if (flags > 1) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    const rt_event *ev = event_of(event);
    if (!s || !ev) return rt_leave(cudaErrorInvalidResourceHandle);
    if (ev->recorded && ev->ns > s->clock_ns) s->clock_ns = ev->ns;
    return rt_leave(cudaSuccess);
}
