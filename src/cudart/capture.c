#include "cudart/capture.h"

#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/event.h"

static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/* Every stream, with the thread's own default ones. */
#define FOR_STREAMS(s)                                                                                                     \
    for (size_t i_ = 0; i_ < rt.streams.room; i_++)                                                                        \
        for (rt_stream *s = rt.streams.slots[i_].used ? (rt_stream *)(uintptr_t)rt.streams.slots[i_].value : NULL; s; s = NULL)

static cudaError_t broken(rt_capture *capture, cudaError_t error) {
    capture->broken = true;
    return error;
}

cudaError_t rt_capture_check(rt_stream *stream) {
    if (stream->capture) return stream->capture->broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    if (!stream->legacy) return cudaSuccess;
    FOR_STREAMS(s)
        if (s->capture && s->capture->mode != cudaStreamCaptureModeRelaxed && !(s->flags & cudaStreamNonBlocking))
            return broken(s->capture, cudaErrorStreamCaptureImplicit);
    return cudaSuccess;
}

cudaError_t rt_capture_forbid(rt_stream *stream, cudaError_t error) {
    if (stream) return stream->capture ? broken(stream->capture, error) : cudaSuccess;
    FOR_STREAMS(s)
        if (s->capture) return broken(s->capture, error);
    return cudaSuccess;
}

/* Global captures forbid it to all threads but those that said they are relaxed; a thread's own also when they are local to it. */
cudaError_t rt_capture_unsafe(void) {
    if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    FOR_STREAMS(s) {
        if (!s->capture || s->capture->mode == cudaStreamCaptureModeRelaxed) continue;
        bool mine = pthread_equal(s->capture->thread, pthread_self());
        if (mine || (s->capture->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal))
            return broken(s->capture, cudaErrorStreamCaptureUnsupported);
    }
    return cudaSuccess;
}

static bool set_tips(rt_stream *stream, rt_node *const *tips, size_t n) {
    stream->tips.count = 0;
    for (size_t i = 0; i < n; i++)
        if (!wg_vec_push(&stream->tips, tips[i])) return false;
    return true;
}

cudaError_t rt_capture_add(rt_stream *stream, const rt_work *work, rt_node **out) {
    rt_node *node = rt_node_new(stream->capture->graph, work, stream->tips.at, stream->tips.count);
    if (!node || !set_tips(stream, &node, 1)) return cudaErrorMemoryAllocation;
    if (out) *out = node;
    return cudaSuccess;
}

static void leave(rt_stream *stream) {
    stream->capture = NULL;
    wg_vec_free(&stream->tips);
}

/* Ends it for all streams that are in it. */
static void end(rt_capture *capture) {
    FOR_STREAMS(s)
        if (s->capture == capture) leave(s);
    free(capture);
}

void rt_capture_leave(rt_stream *stream) {
    if (!stream->capture) return;
    if (stream->capture->origin != stream) { /* whether its work is waited for is seen at the end */
        leave(stream);
        return;
    }
    if (stream->capture->own) rt_graph_free(stream->capture->graph);
    end(stream->capture);
}

/* --- events ------------------------------------------------------------------------------------------------ */

cudaError_t rt_event_record(cudaEvent_t handle, rt_stream *stream) {
    rt_event *ev = rt_event_of(handle);
    if (!ev) return cudaErrorInvalidResourceHandle;
    cudaError_t e = rt_capture_check(stream);
    if (e) return e;
    ev->recorded = true;
    ev->tips.count = 0;
    ev->capture = stream->capture ? stream->capture->id : 0;
    if (!stream->capture) {
        ev->ns = rt_stream_now(stream);
        rt_stream_order(stream);
        ses_order_record(rt.session, ev, rt_timeline(stream));
        return cudaSuccess;
    }
    for (size_t i = 0; i < stream->tips.count; i++)
        if (!wg_vec_push(&ev->tips, stream->tips.at[i])) return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

/* The capture that the event was recorded in, while it lasts. */
static rt_capture *capture_of(const rt_event *ev) {
    FOR_STREAMS(s)
        if (ev->capture && s->capture && s->capture->id == ev->capture) return s->capture;
    return NULL;
}

static cudaError_t wait_captured(const rt_event *ev, rt_stream *stream) {
    rt_capture *capture = capture_of(ev);
    if (!capture) return cudaErrorCapturedEvent; /* its capture is over: it stands for nothing */
    if (capture->broken) return cudaErrorStreamCaptureInvalidated;
    if (stream->capture && stream->capture != capture) {
        stream->capture->broken = true;
        return broken(capture, cudaErrorStreamCaptureMerge);
    }
    if (!stream->capture && stream->legacy) return broken(capture, cudaErrorStreamCaptureImplicit);
    stream->capture = capture;
    for (size_t i = 0; i < ev->tips.count; i++) {
        bool there = false;
        for (size_t k = 0; k < stream->tips.count; k++) there |= stream->tips.at[k] == ev->tips.at[i];
        if (!there && !wg_vec_push(&stream->tips, ev->tips.at[i])) return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

cudaError_t rt_event_wait(cudaEvent_t handle, rt_stream *stream) {
    const rt_event *ev = rt_event_of(handle);
    if (!ev) return cudaErrorInvalidResourceHandle;
    if (ev->capture) return wait_captured(ev, stream);
    cudaError_t e = rt_capture_check(stream);
    if (e || !ev->recorded) return e;
    if (stream->capture) return broken(stream->capture, cudaErrorStreamCaptureIsolation);
    if (ev->ns > stream->clock_ns) stream->clock_ns = ev->ns;
    ses_order_await(rt.session, rt_timeline(stream), ev);
    return cudaSuccess;
}

/* --- begin and end ----------------------------------------------------------------------------------------- */

static cudaError_t begin(cudaStream_t stream, cudaGraph_t handle, const cudaGraphNode_t *needs, size_t n, enum cudaStreamCaptureMode mode,
                         bool own) {
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed || (n && !needs)) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if (s->legacy) return rt_leave(cudaErrorStreamCaptureUnsupported); /* the legacy stream */
    rt_graph *graph = own ? rt_graph_new() : rt_graph_of(handle);
    rt_capture *capture = s->capture || !graph ? NULL : calloc(1, sizeof *capture);
    if (!capture) {
        if (own && graph) rt_graph_free(graph);
        return rt_leave(s->capture ? cudaErrorIllegalState : own ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
    }
    static uint64_t made;
    *capture = (rt_capture){++made, graph, own, false, s, mode, pthread_self(), graph->nodes.count};
    s->capture = capture;
    for (size_t i = 0; i < n; i++) {
        rt_node *node = rt_node_of(needs[i]);
        if (!node || node->graph != graph || !wg_vec_push(&s->tips, node)) {
            end(capture);
            return rt_leave(cudaErrorInvalidValue);
        }
    }
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    return begin(stream, NULL, NULL, 0, mode, true);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                          const cudaGraphEdgeData *data, size_t n, enum cudaStreamCaptureMode mode) {
    (void)data;
    return begin(stream, graph, needs, n, mode, false);
}

/* All that other streams did must have been waited for: no node of the capture is the last one but those of its stream. */
static bool joined(const rt_capture *capture) {
    const rt_graph *graph = capture->graph;
    for (size_t i = capture->first; i < graph->nodes.count; i++) graph->nodes.at[i]->mark = 0;
    for (size_t i = capture->first; i < graph->nodes.count; i++)
        for (size_t k = 0; k < graph->nodes.at[i]->needs.count; k++) graph->nodes.at[i]->needs.at[k]->mark = 1;
    for (size_t i = 0; i < capture->origin->tips.count; i++) capture->origin->tips.at[i]->mark = 1;
    for (size_t i = capture->first; i < graph->nodes.count; i++)
        if (!graph->nodes.at[i]->mark) return false;
    return true;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out) {
    cudaError_t e = rt_enter();
    if (e) return e;
    cudaGraph_t unasked; /* a capture into the program's own graph need not be told which */
    if (!out) out = &unasked;
    *out = NULL;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    rt_capture *capture = s->capture;
    if (!capture) return rt_leave(cudaErrorIllegalState);
    if (capture->origin != s) return rt_leave(broken(capture, cudaErrorStreamCaptureUnmatched));
    if (capture->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(capture->thread, pthread_self()))
        return rt_leave(cudaErrorStreamCaptureWrongThread);
    e = capture->broken ? cudaErrorStreamCaptureInvalidated : joined(capture) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
    if (!e)
        *out = capture->graph;
    else if (capture->own)
        rt_graph_free(capture->graph);
    end(capture);
    return rt_leave(e);
}

/* --- asking and changing ------------------------------------------------------------------------------------ */

static enum cudaStreamCaptureStatus status_of(const rt_stream *s) {
    return !s->capture          ? cudaStreamCaptureStatusNone
           : s->capture->broken ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    return cudaStreamGetCaptureInfo(stream, status, NULL, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **needs, const cudaGraphEdgeData **data, size_t *n) {
    if (!status) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if (s->legacy && (e = rt_capture_check(s))) return rt_leave(e); /* one that waits for it is being captured */
    *status = status_of(s);
    if (*status != cudaStreamCaptureStatusActive) return rt_leave(cudaSuccess);
    if (id) *id = s->capture->id;
    if (graph) *graph = s->capture->graph;
    if (needs) *needs = s->tips.at;
    if (data) *data = NULL;
    if (n) *n = s->tips.count;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *needs, const cudaGraphEdgeData *data, size_t n,
                                                unsigned flags) {
    (void)data;
    if (flags > cudaStreamSetCaptureDependencies || (n && !needs)) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if (!s->capture) return rt_leave(cudaErrorIllegalState);
    for (size_t i = 0; i < n; i++) {
        const rt_node *node = rt_node_of(needs[i]);
        if (!node || node->graph != s->capture->graph) return rt_leave(cudaErrorInvalidValue);
    }
    if (flags == cudaStreamSetCaptureDependencies) s->tips.count = 0;
    for (size_t i = 0; i < n; i++)
        if (!wg_vec_push(&s->tips, needs[i])) return rt_leave(cudaErrorMemoryAllocation);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return rt_note(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
