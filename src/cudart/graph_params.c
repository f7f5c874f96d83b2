/* Parameters of nodes: checked and turned into work when they are given, and given back as they came. */
#include <stdlib.h>
#include <string.h>

#include "cudart/api.h"
#include "cudart/array.h"
#include "cudart/event.h"
#include "cudart/graph.h"

/* The other form of a launch's arguments: one buffer, laid out as the kernel has its parameters. */
static const void *extra_buffer(void *const *extra, size_t *size) {
    const void *buffer = NULL;
    for (; extra && extra[0]; extra += 2) {
        if (extra[0] == (void *)1) buffer = extra[1];
        if (extra[0] == (void *)2) *size = *(const size_t *)extra[1];
    }
    return buffer;
}

static cudaError_t kernel_of(const struct cudaKernelNodeParams *p, rt_kernel *k) {
    *k = (rt_kernel){.grid = p->gridDim, .block = p->blockDim, .shared = p->sharedMemBytes};
    cudaError_t e = rt_kernel_find(k, p->func);
    if (e || (e = rt_kernel_check(k))) return e;
    if (p->kernelParams) return rt_kernel_pack(k, p->kernelParams);
    size_t size = 0;
    const void *buffer = extra_buffer(p->extra, &size);
    if (!buffer) return rt_kernel_pack(k, NULL);
    k->params = calloc(1, k->fn->image->param_bytes ? k->fn->image->param_bytes : 1);
    if (!k->params) return cudaErrorMemoryAllocation;
    memcpy(k->params, buffer, size < k->fn->image->param_bytes ? size : k->fn->image->param_bytes);
    return cudaSuccess;
}

static cudaError_t fill_of(const struct cudaMemsetParams *p, rt_fill *f) {
    unsigned n = p->elementSize;
    if ((n != 1 && n != 2 && n != 4) || !p->width || !p->height || (uintptr_t)p->dst % n) return cudaErrorInvalidValue;
    if (p->height > 1 && (p->pitch < p->width * n || p->pitch % n)) return cudaErrorInvalidPitchValue;
    size_t width = p->width * n;
    *f = (rt_fill){{(uintptr_t)p->dst, p->height > 1 ? p->pitch : width, p->height}, p->value, n, width, p->height, 1};
    return cudaSuccess;
}

static cudaError_t conditional_of(const struct cudaConditionalNodeParams *p, rt_work *w) {
    unsigned most = p->type == cudaGraphCondTypeWhile ? 1 : p->type == cudaGraphCondTypeIf ? 2 : 1u << 16;
    if ((unsigned)p->type > cudaGraphCondTypeSwitch || !p->size || p->size > most || !p->handle) return cudaErrorInvalidValue;
    w->conditional.handle = p->handle;
    w->conditional.type = p->type;
    w->conditional.size = p->size;
    w->conditional.bodies = NULL; /* the node makes empty ones */
    return cudaSuccess;
}

/* The work borrows graphs; of kernels and memory it owns its part: rt_work_drop gives that back. */
cudaError_t rt_work_of(const struct cudaGraphNodeParams *p, rt_work *w) {
    *w = (rt_work){.type = p->type};
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return kernel_of(&p->kernel, &w->kernel);
    case cudaGraphNodeTypeMemcpy:
        w->copy.asked = p->memcpy.copyParams;
        return rt_copy_of_3d(&p->memcpy.copyParams, &w->copy.box);
    case cudaGraphNodeTypeMemset:
        return fill_of(&p->memset, &w->fill);
    case cudaGraphNodeTypeHost:
        w->host = p->host;
        return p->host.fn ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeGraph:
        w->child = rt_graph_of(p->graph.graph);
        return w->child ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeEmpty:
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        w->event = p->eventRecord.event;
        return rt_event_of(w->event) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeMemAlloc:
        w->alloc.asked = p->alloc;
        if (!p->alloc.bytesize || p->alloc.poolProps.allocType != cudaMemAllocationTypePinned ||
            p->alloc.poolProps.location.type != cudaMemLocationTypeDevice || !rt_is_device(p->alloc.poolProps.location.id))
            return cudaErrorInvalidValue;
        return cudaSuccess; /* which memory, its place in the graph says */
    case cudaGraphNodeTypeMemFree:
        w->free.address = p->free.dptr;
        w->free.memory = rt_graph_memory_at(p->free.dptr);
        if (w->free.memory) rt_graph_memory_hold(w->free.memory);
        return p->free.dptr ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeConditional:
        return conditional_of(&p->conditional, w);
    default:
        return cudaErrorNotSupported; /* semaphores of other interfaces */
    }
}

static void drop(rt_work *w) {
    if (w->type == cudaGraphNodeTypeKernel) free(w->kernel.params);
    if (w->type == cudaGraphNodeTypeMemAlloc && w->alloc.memory) rt_graph_memory_drop(w->alloc.memory);
    if (w->type == cudaGraphNodeTypeMemFree && w->free.memory) rt_graph_memory_drop(w->free.memory);
}

/* --- adding ------------------------------------------------------------------------------------------------ */

static cudaError_t add(cudaGraphNode_t *out, cudaGraph_t handle, const cudaGraphNode_t *needs, size_t n, struct cudaGraphNodeParams *p) {
    if (!out || (n && !needs)) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_graph *graph = rt_graph_of(handle);
    if (!graph || (p->type == cudaGraphNodeTypeGraph && p->graph.graph == handle)) return rt_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        const rt_node *node = rt_node_of(needs[i]);
        if (!node || node->graph != graph) return rt_leave(cudaErrorInvalidValue);
    }
    rt_work work;
    e = rt_work_of(p, &work);
    if (!e && p->type == cudaGraphNodeTypeMemAlloc)
        e = rt_graph_memory_new(graph, needs, n, p->alloc.bytesize, (unsigned)p->alloc.poolProps.location.id, &work.alloc.memory);
    rt_node *node = e ? NULL : rt_node_new(graph, &work, needs, n);
    if (!e && !node) e = cudaErrorMemoryAllocation;
    drop(&work);
    if (e) return rt_leave(e);
    if (p->type == cudaGraphNodeTypeMemAlloc) {
        p->alloc.dptr = node->work.alloc.asked.dptr = (void *)(uintptr_t)node->work.alloc.memory->address;
    }
    if (p->type == cudaGraphNodeTypeConditional) p->conditional.phGraph_out = node->work.conditional.bodies;
    if (p->type == cudaGraphNodeTypeGraph && p->graph.ownership == cudaGraphChildGraphOwnershipMove) rt_graph_free(work.child);
    *out = node;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *params) {
    (void)edges; /* how early a kernel may start: all start when what they need is done */
    return params ? add(out, graph, needs, n, params) : rt_note(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const struct cudaKernelNodeParams *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeKernel, .kernel = *params};
    return add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const struct cudaMemcpy3DParms *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = *params}};
    return add(out, graph, needs, n, &p);
}

struct cudaGraphNodeParams rt_params_of_row(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemcpy,
                                        .memcpy.copyParams = {.srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
                                                              .dstPtr = {to, bytes, bytes, 1},
                                                              .extent = {bytes, 1, 1},
                                                              .kind = kind}};
}

cudaError_t rt_params_of_symbol(const void *symbol, void *other, size_t bytes, size_t offset, enum cudaMemcpyKind kind, bool to_symbol,
                                struct cudaGraphNodeParams *p) {
    void *at = NULL;
    size_t size = 0;
    cudaError_t e = cudaGetSymbolAddress(&at, symbol);
    if (e || (e = cudaGetSymbolSize(&size, symbol))) return e;
    if (offset > size || bytes > size - offset) return rt_note(cudaErrorInvalidValue);
    at = (char *)at + offset;
    *p = to_symbol ? rt_params_of_row(at, other, bytes, kind) : rt_params_of_row(other, at, bytes, kind);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    struct cudaGraphNodeParams p = rt_params_of_row(to, from, bytes, kind);
    return add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const void *symbol, const void *from, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind) {
    struct cudaGraphNodeParams p;
    cudaError_t e = rt_params_of_symbol(symbol, (void *)(uintptr_t)from, bytes, offset, kind, true, &p);
    return e ? e : add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, void *to, const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind) {
    struct cudaGraphNodeParams p;
    cudaError_t e = rt_params_of_symbol(symbol, to, bytes, offset, kind, false, &p);
    return e ? e : add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const struct cudaMemsetParams *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemset, .memset = *params};
    return add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const struct cudaHostNodeParams *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeHost, .host = *params};
    return add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, cudaGraph_t child) {
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeGraph, .graph = {.graph = child}};
    return add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n) {
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeEmpty};
    return add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, cudaEvent_t event) {
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeEventRecord, .eventRecord = {event}};
    return add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, cudaEvent_t event) {
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeWaitEvent, .eventWait = {event}};
    return add(out, graph, needs, n, &p);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, struct cudaMemAllocNodeParams *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemAlloc, .alloc = *params};
    cudaError_t e = add(out, graph, needs, n, &p);
    if (!e) params->dptr = p.alloc.dptr;
    return e;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, void *address) {
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemFree, .free = {address}};
    return add(out, graph, needs, n, &p);
}

/* --- asking ------------------------------------------------------------------------------------------------ */

/* Enters; the node when it is of the type. */
static cudaError_t enter_node(cudaGraphNode_t handle, enum cudaGraphNodeType type, const void *out, rt_node **node) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    *node = rt_node_of(handle);
    return *node && (*node)->work.type == type ? cudaSuccess : rt_leave(cudaErrorInvalidValue);
}

/* kernelParams points into the node: valid until its parameters change, as documented. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t handle, struct cudaKernelNodeParams *out) {
    rt_node *node = NULL;
    cudaError_t e = enter_node(handle, cudaGraphNodeTypeKernel, out, &node);
    if (e) return e;
    const rt_kernel *k = &node->work.kernel;
    const img_function *image = k->fn->image;
    if (!node->pointers && image->n_params) {
        node->pointers = calloc(image->n_params, sizeof *node->pointers);
        if (!node->pointers) return rt_leave(cudaErrorMemoryAllocation);
    }
    for (size_t i = 0; i < image->n_params; i++) node->pointers[i] = k->params + image->params[i].offset;
    *out = (struct cudaKernelNodeParams){(void *)(uintptr_t)k->handle, k->grid, k->block, (unsigned)k->shared, node->pointers, NULL};
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t handle, struct cudaMemcpy3DParms *out) {
    rt_node *node = NULL;
    cudaError_t e = enter_node(handle, cudaGraphNodeTypeMemcpy, out, &node);
    if (e) return e;
    *out = node->work.copy.asked;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t handle, struct cudaMemsetParams *out) {
    rt_node *node = NULL;
    cudaError_t e = enter_node(handle, cudaGraphNodeTypeMemset, out, &node);
    if (e) return e;
    const rt_fill *f = &node->work.fill;
    *out = (struct cudaMemsetParams){(void *)(uintptr_t)f->to.address, f->to.pitch, f->value, f->element, f->width / f->element, f->height};
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t handle, struct cudaHostNodeParams *out) {
    rt_node *node = NULL;
    cudaError_t e = enter_node(handle, cudaGraphNodeTypeHost, out, &node);
    if (e) return e;
    *out = node->work.host;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t *out) {
    rt_node *node = NULL;
    cudaError_t e = enter_node(handle, cudaGraphNodeTypeGraph, out, &node);
    if (e) return e;
    *out = node->work.child;
    return rt_leave(cudaSuccess);
}

static cudaError_t get_event(cudaGraphNode_t handle, enum cudaGraphNodeType type, cudaEvent_t *out) {
    rt_node *node = NULL;
    cudaError_t e = enter_node(handle, type, out, &node);
    if (e) return e;
    *out = node->work.event;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t handle, cudaEvent_t *out) {
    return get_event(handle, cudaGraphNodeTypeEventRecord, out);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t handle, cudaEvent_t *out) {
    return get_event(handle, cudaGraphNodeTypeWaitEvent, out);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle, struct cudaMemAllocNodeParams *out) {
    rt_node *node = NULL;
    cudaError_t e = enter_node(handle, cudaGraphNodeTypeMemAlloc, out, &node);
    if (e) return e;
    *out = node->work.alloc.asked;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void *out) {
    rt_node *node = NULL;
    cudaError_t e = enter_node(handle, cudaGraphNodeTypeMemFree, out, &node);
    if (e) return e;
    *(void **)out = node->work.free.address;
    return rt_leave(cudaSuccess);
}
