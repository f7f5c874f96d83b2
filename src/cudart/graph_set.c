/* New parameters for nodes: of a graph, or of an executable graph by the node that its own was copied from. */
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/event.h"
#include "cudart/graph.h"

static void replace(rt_node *node, rt_work *work) {
    if (node->work.type == cudaGraphNodeTypeKernel) {
        work->kernel.cooperative = node->work.kernel.cooperative;
        work->kernel.cluster = node->work.kernel.cluster;
        work->kernel.priority = node->work.kernel.priority;
    }
    rt_work_free(&node->work);
    node->work = *work;
    free(node->pointers);
    node->pointers = NULL;
}

/* New parameters for a node of the same kind. */
static cudaError_t set_node(rt_node *node, const struct cudaGraphNodeParams *p) {
    rt_work work, owned;
    if (node->work.type != p->type || p->type == cudaGraphNodeTypeMemAlloc || p->type == cudaGraphNodeTypeMemFree ||
        p->type == cudaGraphNodeTypeConditional)
        return cudaErrorInvalidValue;
    cudaError_t e = rt_work_of(p, &work);
    if (e) return e;
    if (p->type != cudaGraphNodeTypeGraph) return replace(node, &work), cudaSuccess; /* of these kinds the work owns all it has */
    if (!rt_work_copy(&owned, &work)) return cudaErrorMemoryAllocation;
    if (!rt_graph_sort(owned.child)) return rt_work_free(&owned), cudaErrorInvalidValue;
    replace(node, &owned);
    return cudaSuccess;
}

/* The node of the executable graph that is a copy of this one, also inside its child graphs. */
static rt_node *find(rt_graph *graph, const rt_node *original) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        rt_node *node = graph->nodes.at[i], *inside = NULL;
        if (node->original == original) return node;
        if (node->work.type == cudaGraphNodeTypeGraph && (inside = find(node->work.child, original))) return inside;
        for (unsigned k = 0; node->work.type == cudaGraphNodeTypeConditional && k < node->work.conditional.size; k++)
            if ((inside = find(node->work.conditional.bodies[k], original))) return inside;
    }
    return NULL;
}

/* exec NULL: the node itself. */
static cudaError_t set(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t handle, const struct cudaGraphNodeParams *p) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_node *node = rt_node_of(handle);
    if (in_exec && node) {
        rt_exec *x = rt_exec_of(exec);
        node = x ? find(x->graph, node) : NULL;
    }
    return rt_leave(node ? set_node(node, p) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
    return params ? set(NULL, false, node, params) : rt_note(cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
    return params ? set(exec, true, node, params) : rt_note(cudaErrorInvalidValue);
}

static cudaError_t set_kernel(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeKernel, .kernel = *params};
    return set(exec, in_exec, node, &p);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
    return set_kernel(NULL, false, node, params);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
    return set_kernel(exec, true, node, params);
}

static cudaError_t set_copy(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = *params}};
    return set(exec, in_exec, node, &p);
}

static cudaError_t set_row(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node, void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
    struct cudaGraphNodeParams p = rt_params_of_row(to, from, n, kind);
    return set(exec, in_exec, node, &p);
}

static cudaError_t set_symbol(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node, const void *symbol, void *other, size_t n,
                              size_t offset, enum cudaMemcpyKind kind, bool to_symbol) {
    struct cudaGraphNodeParams p;
    cudaError_t e = rt_params_of_symbol(symbol, other, n, offset, kind, to_symbol, &p);
    return e ? e : set(exec, in_exec, node, &p);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params) {
    return set_copy(NULL, false, node, params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *params) {
    return set_copy(exec, true, node, params);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
    return set_row(NULL, false, node, to, from, n, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t n,
                                               enum cudaMemcpyKind kind) {
    return set_row(exec, true, node, to, from, n, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from, size_t n, size_t offset,
                                                 enum cudaMemcpyKind kind) {
    return set_symbol(NULL, false, node, symbol, (void *)(uintptr_t)from, n, offset, kind, true);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol, const void *from,
                                                     size_t n, size_t offset, enum cudaMemcpyKind kind) {
    return set_symbol(exec, true, node, symbol, (void *)(uintptr_t)from, n, offset, kind, true);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol, size_t n, size_t offset,
                                                   enum cudaMemcpyKind kind) {
    return set_symbol(NULL, false, node, symbol, to, n, offset, kind, false);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *symbol, size_t n,
                                                       size_t offset, enum cudaMemcpyKind kind) {
    return set_symbol(exec, true, node, symbol, to, n, offset, kind, false);
}

static cudaError_t set_fill(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node, const struct cudaMemsetParams *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemset, .memset = *params};
    return set(exec, in_exec, node, &p);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params) {
    return set_fill(NULL, false, node, params);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *params) {
    return set_fill(exec, true, node, params);
}

static cudaError_t set_host(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeHost, .host = *params};
    return set(exec, in_exec, node, &p);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
    return set_host(NULL, false, node, params);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
    return set_host(exec, true, node, params);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeGraph, .graph = {.graph = child}};
    return set(exec, true, node, &p);
}

static cudaError_t set_event(cudaGraphExec_t exec, bool in_exec, cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t event) {
    struct cudaGraphNodeParams p = {.type = type, .eventRecord = {event}};
    return set(exec, in_exec, node, &p);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return set_event(NULL, false, node, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return set_event(NULL, false, node, cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
    return set_event(exec, true, node, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
    return set_event(exec, true, node, cudaGraphNodeTypeWaitEvent, event);
}

/* --- attributes of kernels, and nodes that are passed over -------------------------------------------------- */

static cudaError_t enter_kernel(cudaGraphNode_t handle, rt_kernel **kernel) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_node *node = rt_node_of(handle);
    if (!node || node->work.type != cudaGraphNodeTypeKernel) return rt_leave(cudaErrorInvalidValue);
    *kernel = &node->work.kernel;
    return cudaSuccess;
}

/* Those that change what is simulated; the others are hints. */
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value) {
    if (!value) return rt_note(cudaErrorInvalidValue);
    rt_kernel *k = NULL;
    cudaError_t e = enter_kernel(handle, &k);
    if (e) return e;
    if (id == cudaLaunchAttributeCooperative) k->cooperative = value->cooperative != 0;
    if (id == cudaLaunchAttributePriority) k->priority = value->priority;
    if (id == cudaLaunchAttributeClusterDimension) k->cluster = (dim3){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
    return rt_leave(rt_kernel_check(k));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id, cudaLaunchAttributeValue *out) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    rt_kernel *k = NULL;
    cudaError_t e = enter_kernel(handle, &k);
    if (e) return e;
    *out = (cudaLaunchAttributeValue){{0}};
    if (id == cudaLaunchAttributeCooperative) out->cooperative = k->cooperative;
    if (id == cudaLaunchAttributePriority) out->priority = k->priority;
    if (id == cudaLaunchAttributeClusterDimension)
        out->clusterDim.x = k->cluster.x, out->clusterDim.y = k->cluster.y, out->clusterDim.z = k->cluster.z;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    rt_kernel *k = NULL;
    cudaError_t e = enter_kernel(from, &k);
    if (e) return e;
    rt_node *node = rt_node_of(to);
    if (!node || node->work.type != cudaGraphNodeTypeKernel) return rt_leave(cudaErrorInvalidValue);
    node->work.kernel.cooperative = k->cooperative;
    node->work.kernel.cluster = k->cluster;
    node->work.kernel.priority = k->priority;
    return rt_leave(cudaSuccess);
}

static cudaError_t enter_exec_node(cudaGraphExec_t exec, cudaGraphNode_t handle, rt_node **node) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_exec *x = rt_exec_of(exec);
    const rt_node *original = rt_node_of(handle);
    *node = x && original ? find(x->graph, original) : NULL;
    return *node ? cudaSuccess : rt_leave(cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t handle, unsigned enabled) {
    rt_node *node = NULL;
    cudaError_t e = enter_exec_node(exec, handle, &node);
    if (e) return e;
    if (node->work.type > cudaGraphNodeTypeMemset) return rt_leave(cudaErrorInvalidValue); /* kernels, copies and fills only */
    node->disabled = !enabled;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t handle, unsigned *enabled) {
    if (!enabled) return rt_note(cudaErrorInvalidValue);
    rt_node *node = NULL;
    cudaError_t e = enter_exec_node(exec, handle, &node);
    if (e) return e;
    *enabled = !node->disabled;
    return rt_leave(cudaSuccess);
}
