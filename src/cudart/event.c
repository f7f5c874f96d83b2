/* Events: moments in a stream's modelled time. */
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/capture.h"
#include "cudart/event.h"

rt_event *rt_event_of(cudaEvent_t handle) {
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
    ev->device = rt_current();
    *event = ev;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_event *ev = rt_event_of(event);
    if (!ev) return rt_leave(cudaErrorInvalidResourceHandle);
    wg_u64map_remove(&rt.events, (uintptr_t)ev);
    wg_vec_free(&ev->tips);
    ses_order_drop(rt.session, ev);
    free(ev);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    if (flags > cudaEventRecordExternal) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_event *ev = rt_event_of(event);
    rt_stream *s = rt_stream_of(stream);
    if (!ev || !s || ev->device != s->device) return rt_leave(cudaErrorInvalidResourceHandle);
    if (flags & cudaEventRecordExternal) { /* in a capture: a node, for those outside the graph */
        if (!s->capture) return rt_leave(cudaErrorIllegalState);
        return rt_leave(rt_work_put(&(rt_work){.type = cudaGraphNodeTypeEventRecord, .event = event}, s));
    }
    return rt_leave(rt_event_record(event, s));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}

/* An event of a capture is no moment in time: asking for it is an error, and breaks the capture. */
static cudaError_t captured(const rt_event *ev) {
    for (size_t i = 0; i < rt.streams.room; i++) {
        const rt_stream *s = rt.streams.slots[i].used ? (const rt_stream *)(uintptr_t)rt.streams.slots[i].value : NULL;
        if (s && s->capture && s->capture->id == ev->capture) s->capture->broken = true;
    }
    return cudaErrorCapturedEvent;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_event *ev = rt_event_of(event);
    if (ev && ev->recorded && !ev->capture) ses_order_await(rt.session, SES_HOST, ev); /* it is over, which the program now knows */
    return rt_leave(!ev ? cudaErrorInvalidResourceHandle : ev->capture ? captured(ev) : cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    cudaError_t e = rt_enter_to_wait();
    if (e) return e;
    const rt_event *ev = rt_event_of(event);
    if (!ev) return rt_leave(cudaErrorInvalidResourceHandle);
    if (ev->capture) return rt_leave(captured(ev));
    if (ev->recorded && ev->ns > rt.host_ns) rt.host_ns = ev->ns;
    if (ev->recorded) ses_order_await(rt.session, SES_HOST, ev);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    if (!ms) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_event *a = rt_event_of(start), *b = rt_event_of(end);
    if (!a || !b || a->device != b->device || !a->recorded || !b->recorded || ((a->flags | b->flags) & cudaEventDisableTiming))
        return rt_leave(cudaErrorInvalidResourceHandle);
    if (a->capture || b->capture) return rt_leave(captured(a->capture ? a : b));
    for (int k = 0; k < 2; k++) ses_order_await(rt.session, SES_HOST, k ? b : a); /* both are over, which the program now knows */
    *ms = (float)((b->ns - a->ns) / 1e6);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    if (flags > 1) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    const rt_event *ev = rt_event_of(event);
    if (!s || !ev) return rt_leave(cudaErrorInvalidResourceHandle);
    if (flags & cudaEventWaitExternal) {
        if (!s->capture) return rt_leave(cudaErrorIllegalState);
        return rt_leave(rt_work_put(&(rt_work){.type = cudaGraphNodeTypeWaitEvent, .event = event}, s));
    }
    return rt_leave(rt_event_wait(event, s));
}
