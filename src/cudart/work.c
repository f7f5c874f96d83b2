#include "cudart/work.h"

#include <stdlib.h>
#include <string.h>

#include "cudart/capture.h"
#include "cudart/event.h"
#include "cudart/graph.h"

cudaError_t rt_work_put(const rt_work *work, rt_stream *stream) {
    cudaError_t e = rt_capture_check(stream);
    if (e) return e;
    return stream->capture ? rt_capture_add(stream, work, NULL) : rt_work_run(work, stream);
}

/* The program's own function, without the lock: it may wait for another thread's calls. */
static cudaError_t run_host(const struct cudaHostNodeParams *host, rt_stream *stream) {
    rt_stream_work(stream, 0);
    rt_stream_order(stream);
    ses_order_after(rt.session, SES_HOST, rt_timeline(stream)); /* the program may learn of it by the function */
    rt_print_flush();
    pthread_mutex_unlock(&rt.lock);
    host->fn(host->userData);
    pthread_mutex_lock(&rt.lock);
    return cudaSuccess;
}

static unsigned condition(cudaGraphConditionalHandle handle) {
    unsigned value = 0;
    eng_memory_copy(rt_memory(), (uintptr_t)&value, handle, sizeof value, ENG_DEVICE_TO_HOST, NULL);
    return value;
}

static cudaError_t run_conditional(const rt_work *w, rt_stream *stream) {
    cudaError_t e = cudaSuccess;
    unsigned value = condition(w->conditional.handle);
    if (w->conditional.type == cudaGraphCondTypeWhile) {
        while (!e && condition(w->conditional.handle)) e = rt_graph_run(w->conditional.bodies[0], stream);
        return e;
    }
    /* If: the first body, or, when it is 0, the second. Switch: the body of this number. */
    if (w->conditional.type == cudaGraphCondTypeIf) value = !value;
    return value < w->conditional.size ? rt_graph_run(w->conditional.bodies[value], stream) : cudaSuccess;
}

static cudaError_t run_alloc(rt_graph_memory *memory, rt_stream *stream) {
    if (memory->live) return cudaErrorInvalidValue; /* not freed since the last launch */
    rt_graph_memory_use(memory, true);
    rt_stream_work(stream, 0);
    return cudaSuccess;
}

static cudaError_t run_free(const rt_work *w, rt_stream *stream) {
    rt_stream_work(stream, 0);
    return rt_free(w->free.address, 1u << ENG_ALLOC_DEVICE, "a node that frees memory");
}

cudaError_t rt_work_run(const rt_work *w, rt_stream *stream) {
    switch (w->type) {
    case cudaGraphNodeTypeKernel:
        return rt_kernel_run(&w->kernel, stream);
    case cudaGraphNodeTypeMemcpy:
        return rt_copy_box(&w->copy.box, stream);
    case cudaGraphNodeTypeMemset:
        return rt_fill_run(&w->fill, stream);
    case cudaGraphNodeTypeHost:
        return run_host(&w->host, stream);
    case cudaGraphNodeTypeGraph:
        return rt_graph_run(w->child, stream);
    case cudaGraphNodeTypeEventRecord:
        return rt_event_record(w->event, stream);
    case cudaGraphNodeTypeWaitEvent:
        return rt_event_wait(w->event, stream);
    case cudaGraphNodeTypeMemAlloc:
        return run_alloc(w->alloc.memory, stream);
    case cudaGraphNodeTypeMemFree:
        return run_free(w, stream);
    case cudaGraphNodeTypeConditional:
        return run_conditional(w, stream);
    default:
        return cudaSuccess; /* an empty node orders others */
    }
}

/* --- owned copies ------------------------------------------------------------------------------------------ */

static bool copy_bodies(rt_work *to, const rt_work *from) {
    unsigned n = from->conditional.size;
    to->conditional.bodies = calloc(n, sizeof *to->conditional.bodies);
    if (!to->conditional.bodies) return false;
    for (unsigned k = 0; k < n; k++) {
        rt_graph *body = from->conditional.bodies ? rt_graph_copy(from->conditional.bodies[k]) : rt_graph_new();
        if (!body) return false;
        body->owned = true;
        to->conditional.bodies[k] = body;
    }
    return true;
}

bool rt_work_copy(rt_work *to, const rt_work *from) {
    *to = *from;
    switch (from->type) {
    case cudaGraphNodeTypeKernel: {
        size_t n = from->kernel.fn->image->param_bytes;
        if (!from->kernel.params) return true;
        to->kernel.params = malloc(n ? n : 1);
        if (to->kernel.params) memcpy(to->kernel.params, from->kernel.params, n);
        return to->kernel.params;
    }
    case cudaGraphNodeTypeGraph:
        to->child = rt_graph_copy(from->child);
        if (to->child) to->child->owned = true;
        return to->child;
    case cudaGraphNodeTypeMemAlloc:
        rt_graph_memory_hold(to->alloc.memory);
        return true;
    case cudaGraphNodeTypeMemFree:
        if (to->free.memory) rt_graph_memory_hold(to->free.memory);
        return true;
    case cudaGraphNodeTypeConditional:
        if (copy_bodies(to, from)) return true;
        rt_work_free(to);
        return false;
    default:
        return true;
    }
}

void rt_work_free(rt_work *work) {
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        free(work->kernel.params);
        break;
    case cudaGraphNodeTypeGraph:
        if (work->child) rt_graph_free(work->child);
        break;
    case cudaGraphNodeTypeMemAlloc:
        rt_graph_memory_drop(work->alloc.memory);
        break;
    case cudaGraphNodeTypeMemFree:
        if (work->free.memory) rt_graph_memory_drop(work->free.memory);
        break;
    case cudaGraphNodeTypeConditional:
        for (unsigned k = 0; work->conditional.bodies && k < work->conditional.size; k++)
            if (work->conditional.bodies[k]) rt_graph_free(work->conditional.bodies[k]);
        free(work->conditional.bodies);
        break;
    default:
        break;
    }
    *work = (rt_work){.type = cudaGraphNodeTypeEmpty};
}
