/* Executable graphs: instantiated, launched, updated. */
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/capture.h"
#include "cudart/graph.h"

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t handle, unsigned long long flags, cudaGraphInstantiateResult *result) {
    cudaGraphInstantiateResult unasked;
    if (!result) result = &unasked;
    *result = cudaGraphInstantiateError;
    if (!out || flags > 15) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_graph *graph = rt_graph_of(handle);
    if (!graph) return rt_leave(cudaErrorInvalidValue);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
        rt_finding("api-error", "error", "warpgrind does not launch graphs from device code: the graph was not instantiated");
        *result = cudaGraphInstantiateNodeOperationNotSupported;
        return rt_leave(cudaErrorNotSupported);
    }
    rt_exec *exec = calloc(1, sizeof *exec);
    if (exec) exec->graph = rt_graph_copy(graph);
    if (!exec || !exec->graph) return free(exec), rt_leave(cudaErrorMemoryAllocation);
    exec->graph->owned = true;
    exec->flags = flags;
    e = rt_graph_sort(exec->graph) ? cudaSuccess : cudaErrorInvalidValue; /* a cycle */
    if (!e) rt_graph_branches(exec->graph);
    if (!e && !wg_u64map_set(&rt.execs, (uintptr_t)exec, (uintptr_t)exec)) e = cudaErrorMemoryAllocation;
    if (e) {
        rt_graph_free(exec->graph);
        free(exec);
        *result = cudaGraphInstantiateInvalidStructure;
        return rt_leave(e);
    }
    *out = exec;
    *result = cudaGraphInstantiateSuccess;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    return instantiate(out, graph, flags, NULL);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    return instantiate(out, graph, flags, NULL);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphInstantiateParams *params) {
    if (!params) return rt_note(cudaErrorInvalidValue);
    params->errNode_out = NULL;
    return instantiate(out, graph, params->flags, &params->result_out);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long *flags) {
    if (!flags) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_exec *exec = rt_exec_of(handle);
    if (!exec) return rt_leave(cudaErrorInvalidValue);
    *flags = exec->flags;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_exec *exec = rt_exec_of(handle);
    if (!exec) return rt_leave(cudaErrorInvalidValue);
    wg_u64map_remove(&rt.execs, (uintptr_t)exec);
    rt_graph_free(exec->graph);
    free(exec);
    return rt_leave(cudaSuccess);
}

/* --- launching --------------------------------------------------------------------------------------------- */

/* Memory that an earlier launch allocated and nobody freed: given back first, or an error. */
static cudaError_t begin_memory(const rt_exec *exec) {
    for (size_t i = 0; i < exec->graph->nodes.count; i++) {
        const rt_work *w = &exec->graph->nodes.at[i]->work;
        if (w->type != cudaGraphNodeTypeMemAlloc || !w->alloc.memory->live) continue;
        if (!(exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)) {
            rt_finding("api-error", "error",
                       "a graph that allocates %zu bytes was launched again before they were freed: free them, or instantiate it with "
                       "cudaGraphInstantiateFlagAutoFreeOnLaunch", w->alloc.memory->size);
            return cudaErrorInvalidValue;
        }
        rt_graph_memory_use(w->alloc.memory, false);
    }
    return cudaSuccess;
}

static void begin_conditions(const rt_graph *graph) {
    for (size_t i = 0; i < graph->conditions.count; i++) {
        const rt_condition *c = &graph->conditions.at[i];
        if (c->flags & cudaGraphCondAssignDefault) eng_memory_fill(rt_memory(), c->handle, &c->value, sizeof c->value, 1, NULL);
    }
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    const rt_exec *exec = rt_exec_of(handle);
    if (!exec) return rt_leave(cudaErrorInvalidValue);
    if ((e = rt_capture_check(s))) return rt_leave(e);
    if (s->capture) /* becomes a child of the graph that is captured */
        return rt_leave(rt_capture_add(s, &(rt_work){.type = cudaGraphNodeTypeGraph, .child = exec->graph}, NULL));
    if ((e = begin_memory(exec))) return rt_leave(e);
    begin_conditions(exec->graph);
    rt_stream_work(s, 0);
    e = rt_graph_run(exec->graph, s);
    return rt_leave(e == rt_here()->sticky ? cudaSuccess : e); /* what ends a kernel comes with a later call */
}

/* Nothing has to be moved before a launch. */
cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
    cudaError_t e = rt_enter();
    if (e) return e;
    if (!rt_stream_of(stream)) return rt_leave(cudaErrorInvalidResourceHandle);
    return rt_leave(rt_exec_of(handle) ? cudaSuccess : cudaErrorInvalidValue);
}

/* --- updating ---------------------------------------------------------------------------------------------- */

static bool same_needs(const rt_node *a, const rt_node *b) {
    if (a->needs.count != b->needs.count) return false;
    for (size_t i = 0; i < a->needs.count; i++)
        if (a->needs.at[i]->mark != b->needs.at[i]->mark) return false;
    return true;
}

/* Nodes are matched in the order of making, as documented: same number, kinds and edges. *at: the node that differs. */
static enum cudaGraphExecUpdateResult compare(rt_graph *mine, rt_graph *theirs, rt_node **at) {
    if (mine->nodes.count != theirs->nodes.count) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < mine->nodes.count; i++) mine->nodes.at[i]->mark = theirs->nodes.at[i]->mark = i;
    for (size_t i = 0; i < mine->nodes.count; i++) {
        const rt_node *a = mine->nodes.at[i];
        rt_node *b = *at = theirs->nodes.at[i];
        if (a->work.type != b->work.type) return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!same_needs(a, b)) return cudaGraphExecUpdateErrorTopologyChanged;
        if (a->work.type == cudaGraphNodeTypeConditional || a->work.type == cudaGraphNodeTypeMemAlloc || a->work.type == cudaGraphNodeTypeMemFree)
            return cudaGraphExecUpdateErrorNotSupported;
        if (a->work.type != cudaGraphNodeTypeGraph) continue;
        enum cudaGraphExecUpdateResult inside = compare(a->work.child, b->work.child, at);
        if (inside) return inside;
    }
    *at = NULL;
    return cudaGraphExecUpdateSuccess;
}

/* Takes over the other's work, node by node. The nodes stay copies of those that the graph was instantiated from. */
static bool take(rt_graph *mine, rt_graph *theirs) {
    for (size_t i = 0; i < mine->nodes.count; i++) {
        rt_node *a = mine->nodes.at[i];
        rt_work work = theirs->nodes.at[i]->work;
        if (work.type == cudaGraphNodeTypeGraph) {
            if (!take(a->work.child, work.child)) return false;
            continue;
        }
        rt_work copy;
        if (!rt_work_copy(&copy, &work)) return false;
        rt_work_free(&a->work);
        a->work = copy;
    }
    return true;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_exec *exec = rt_exec_of(handle);
    rt_graph *from = rt_graph_of(graph), *sorted = NULL;
    if (!exec || !from) return rt_leave(cudaErrorInvalidValue);
    rt_node *at = NULL;
    enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateErrorTopologyChanged;
    if ((sorted = rt_graph_copy(from)) && rt_graph_sort(sorted)) result = compare(exec->graph, sorted, &at);
    if (info) *info = (cudaGraphExecUpdateResultInfo){result, at ? (rt_node *)(uintptr_t)at->original : NULL, NULL};
    if (!result && !take(exec->graph, sorted)) e = cudaErrorMemoryAllocation;
    if (sorted) rt_graph_free(sorted);
    return rt_leave(result ? cudaErrorGraphExecUpdateFailure : e);
}
