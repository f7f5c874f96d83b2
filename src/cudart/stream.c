#include "cudart/stream.h"

#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/capture.h"

/* What the host spends on one asynchronous call: about what a launch costs on a real machine. It is part
 * of the model, so that work that takes no time still has an order in time. */
static const double CALL_NS = 2000;

static rt_stream legacies[SES_MOST_GPUS]; /* legacy_of */
static _Thread_local rt_stream *per_threads[SES_MOST_GPUS];

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static rt_stream *make(unsigned flags, int priority) {
    rt_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    ses_order_begin(rt.session);
    *s = (rt_stream){.number = ++rt.streams_made, .device = rt_current(), .flags = flags, .priority = priority};
    if (wg_u64map_set(&rt.streams, (uintptr_t)s, (uintptr_t)s)) return s;
    free(s);
    return NULL;
}

/* The default stream of a device. Those of all but the first get their numbers when they are first used. */
static rt_stream *legacy_of(unsigned device) {
    rt_stream *s = &legacies[device];
    s->legacy = true;
    if (device && !s->number) {
        ses_order_begin(rt.session);
        s->number = ++rt.streams_made;
        s->device = device;
    }
    return s;
}

rt_stream *rt_stream_of(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy) return legacy_of(rt_current());
    if (handle == cudaStreamPerThread) {
        rt_stream **own = &per_threads[rt_current()];
        if (!*own) *own = make(cudaStreamDefault, LEAST_PRIORITY);
        return *own;
    }
    return wg_u64map_get(&rt.streams, (uintptr_t)handle, NULL) ? handle : NULL;
}

/* The i-th of the streams that the program made, if it is one of the device. */
static rt_stream *made(size_t i, unsigned device) {
    rt_stream *s = rt.streams.slots[i].used ? (rt_stream *)(uintptr_t)rt.streams.slots[i].value : NULL;
    return s && s->device == device ? s : NULL;
}

/* The latest clock among a device's streams; blocking: only of those that its legacy stream waits for. */
static double latest(unsigned device, bool blocking) {
    double t = legacies[device].clock_ns;
    for (size_t i = 0; i < rt.streams.room; i++) {
        const rt_stream *s = made(i, device);
        if (!s || (blocking && (s->flags & cudaStreamNonBlocking))) continue;
        if (s->clock_ns > t) t = s->clock_ns;
    }
    return t;
}

static double later(double a, double b) {
    return a > b ? a : b;
}

double rt_stream_now(const rt_stream *stream) {
    double t = later(stream->clock_ns, rt.host_ns);
    if (stream->legacy) return later(t, latest(stream->device, true));
    return stream->flags & cudaStreamNonBlocking ? t : later(t, legacies[stream->device].clock_ns);
}

void rt_stream_work(rt_stream *stream, double ns) {
    rt.host_ns += CALL_NS;
    stream->clock_ns = rt_stream_now(stream) + ns;
}

void rt_stream_order(const rt_stream *stream) {
    if (!ses_order_kept(rt.session)) return;
    ses_order_after(rt.session, rt_timeline(stream), SES_HOST);
    if (stream->legacy) {
        for (size_t i = 0; i < rt.streams.room; i++) {
            const rt_stream *s = made(i, stream->device);
            if (s && !(s->flags & cudaStreamNonBlocking)) ses_order_after(rt.session, rt_timeline(stream), rt_timeline(s));
        }
    } else if (!(stream->flags & cudaStreamNonBlocking)) {
        ses_order_after(rt.session, rt_timeline(stream), rt_timeline(legacy_of(stream->device)));
    }
}

/* The host has waited for all that the device was asked to do. */
static void order_device(unsigned device) {
    if (rt_device_count() == 1) {
        ses_order_all(rt.session);
        return;
    }
    ses_order_after(rt.session, SES_HOST, rt_timeline(legacy_of(device)));
    for (size_t i = 0; i < rt.streams.room; i++)
        if (made(i, device)) ses_order_after(rt.session, SES_HOST, rt_timeline(made(i, device)));
}

void rt_stream_wait(rt_stream *stream) {
    rt_print_flush();
    if (!stream) {
        order_device(rt_current());
    } else {
        rt_stream_order(stream);
        ses_order_after(rt.session, SES_HOST, rt_timeline(stream));
    }
    rt.host_ns = later(rt.host_ns, stream ? rt_stream_now(stream) : latest(rt_current(), false));
}

cudaError_t rt_stream_wait_call(rt_stream *stream) {
    cudaError_t e = rt_capture_forbid(stream, cudaErrorStreamCaptureUnsupported);
    if (!e) rt_stream_wait(stream);
    return e;
}

/* --- making and asking ---------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (!stream || flags > cudaStreamNonBlocking) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    /* A priority outside the range is clamped, as documented. */
    if (priority > LEAST_PRIORITY) priority = LEAST_PRIORITY;
    if (priority < GREATEST_PRIORITY) priority = GREATEST_PRIORITY;
    rt_stream *s = make(flags, priority);
    if (!s) return rt_leave(cudaErrorMemoryAllocation);
    *stream = s;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s || s->legacy || s == per_threads[s->device]) return rt_leave(cudaErrorInvalidResourceHandle);
    rt_capture_leave(s);
    if (!(s->flags & cudaStreamNonBlocking)) ses_order_after(rt.session, rt_timeline(legacy_of(s->device)), rt_timeline(s)); /* which waits for its work all the same */
    wg_u64map_remove(&rt.streams, (uintptr_t)s);
    free(s);
    return rt_leave(cudaSuccess);
}

/* Work is done when its call returns, so a stream is always at rest; waiting moves the host's clock. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    cudaError_t e = rt_enter_to_wait();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if (s->legacy && (e = rt_capture_check(s))) return rt_leave(e);
    return rt_leave(rt_stream_wait_call(s));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if (s->legacy && (e = rt_capture_check(s))) return rt_leave(e);
    e = rt_capture_forbid(s, cudaErrorStreamCaptureUnsupported);
    if (!e) { /* all its work is done, which the program now knows */
        rt_stream_order(s);
        ses_order_after(rt.session, SES_HOST, rt_timeline(s));
    }
    return rt_leave(e);
}

/* Enters, and finds the stream that a question is about; out: where the answer goes. */
static cudaError_t enter_about(cudaStream_t stream, const void *out, rt_stream **s) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    *s = rt_stream_of(stream);
    return *s ? cudaSuccess : rt_leave(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    rt_stream *s;
    cudaError_t e = enter_about(stream, priority, &s);
    if (e) return e;
    *priority = s->priority;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    rt_stream *s;
    cudaError_t e = enter_about(stream, flags, &s);
    if (e) return e;
    *flags = s->flags;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    rt_stream *s;
    cudaError_t e = enter_about(stream, id, &s);
    if (e) return e;
    *id = s->number + 1;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    rt_stream *s;
    cudaError_t e = enter_about(stream, device, &s);
    if (e) return e;
    *device = (int)s->device;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    cudaError_t e = rt_enter();
    if (e) return e;
    if (least) *least = LEAST_PRIORITY;
    if (greatest) *greatest = GREATEST_PRIORITY;
    return rt_leave(cudaSuccess);
}

/* Attributes are hints for caches and scheduling; the handle is checked. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value) {
    rt_stream *s;
    cudaError_t e = enter_about(stream, value, &s);
    if (e) return e;
    if (id == cudaLaunchAttributePriority) s->priority = value->priority;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value) {
    rt_stream *s;
    cudaError_t e = enter_about(stream, value, &s);
    if (e) return e;
    *value = (cudaLaunchAttributeValue){{0}};
    if (id == cudaLaunchAttributePriority) value->priority = s->priority;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    rt_stream *s;
    cudaError_t e = enter_about(from, "", &s);
    if (e) return e;
    rt_stream *t = rt_stream_of(to);
    if (!t) return rt_leave(cudaErrorInvalidResourceHandle);
    t->priority = s->priority;
    return rt_leave(cudaSuccess);
}

/* --- host functions ---------------------------------------------------------------------------------------
 */

/* All work before it is done, so it runs at once; it may not call CUDA (as documented). */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    if (!function) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    return rt_leave(rt_work_put(&(rt_work){.type = cudaGraphNodeTypeHost, .host = {function, data}}, s));
}

/* The older form, which is told the stream's state, and cannot be captured. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags) {
    if (!callback || flags) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if ((e = rt_capture_check(s)) || (e = rt_capture_forbid(s, cudaErrorStreamCaptureUnsupported))) return rt_leave(e);
    rt_stream_work(s, 0);
    rt_stream_order(s);
    ses_order_after(rt.session, SES_HOST, rt_timeline(s)); /* the program may learn of it by the callback */
    rt_print_flush();
    rt_leave(cudaSuccess);
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}
