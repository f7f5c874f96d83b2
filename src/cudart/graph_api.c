/* Graphs as the program sees them: making, asking, edges. */
#include <stdio.h>
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/graph.h"

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags) {
    if (!out || flags) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_graph *graph = rt_graph_new();
    if (!graph) return rt_leave(cudaErrorMemoryAllocation);
    *out = graph;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_graph *graph = rt_graph_of(handle);
    if (!graph || graph->owned) return rt_leave(cudaErrorInvalidValue);
    rt_graph_free(graph);
    return rt_leave(cudaSuccess);
}

static bool has(const rt_graph *graph, enum cudaGraphNodeType type) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.at[i]->work.type == type) return true;
    return false;
}

/* Graphs with memory or conditional nodes cannot be cloned, as documented. */
cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t handle) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_graph *graph = rt_graph_of(handle);
    if (!graph) return rt_leave(cudaErrorInvalidValue);
    if (has(graph, cudaGraphNodeTypeConditional) || has(graph, cudaGraphNodeTypeMemAlloc) || has(graph, cudaGraphNodeTypeMemFree))
        return rt_leave(cudaErrorNotSupported);
    rt_graph *copy = rt_graph_copy(graph);
    if (!copy) return rt_leave(cudaErrorMemoryAllocation);
    *out = copy;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone) {
    if (!out) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_graph *graph = rt_graph_of(clone);
    for (size_t i = 0; graph && rt_node_of(original) && i < graph->nodes.count; i++)
        if (graph->nodes.at[i]->original == original) return *out = graph->nodes.at[i], rt_leave(cudaSuccess);
    return rt_leave(cudaErrorInvalidValue);
}

/* --- nodes ------------------------------------------------------------------------------------------------- */

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, enum cudaGraphNodeType *type) {
    if (!type) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_node *node = rt_node_of(handle);
    if (!node) return rt_leave(cudaErrorInvalidValue);
    *type = node->work.type;
    return rt_leave(cudaSuccess);
}

/* Lists are given out as the interface says: without a list, their length; with one, up to *n, the rest of it is NULL. */
typedef struct listing {
    cudaGraphNode_t *out;
    size_t room, count;
} listing;

static void list(listing *l, rt_node *node) {
    if (l->out && l->count < l->room) l->out[l->count] = node;
    l->count++;
}

static void list_end(const listing *l, size_t *n) {
    for (size_t i = l->count; l->out && i < l->room; i++) l->out[i] = NULL;
    if (!l->out || l->count < *n) *n = l->count;
}

static cudaError_t list_nodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *n, bool roots) {
    if (!n) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_graph *graph = rt_graph_of(handle);
    if (!graph) return rt_leave(cudaErrorInvalidValue);
    listing l = {nodes, *n, 0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (!roots || !graph->nodes.at[i]->needs.count) list(&l, graph->nodes.at[i]);
    list_end(&l, n);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    return list_nodes(graph, nodes, n, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    return list_nodes(graph, nodes, n, true);
}

static bool needs(const rt_node *node, const rt_node *other) {
    for (size_t i = 0; i < node->needs.count; i++)
        if (node->needs.at[i] == other) return true;
    return false;
}

static cudaError_t list_neighbours(cudaGraphNode_t handle, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *n, bool dependents) {
    if (!n) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_node *node = rt_node_of(handle);
    if (!node) return rt_leave(cudaErrorInvalidValue);
    listing l = {nodes, *n, 0};
    for (size_t i = 0; !dependents && i < node->needs.count; i++) list(&l, node->needs.at[i]);
    for (size_t i = 0; dependents && i < node->graph->nodes.count; i++)
        if (needs(node->graph->nodes.at[i], node)) list(&l, node->graph->nodes.at[i]);
    for (size_t i = 0; data && i < *n; i++) data[i] = (cudaGraphEdgeData){0};
    list_end(&l, n);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *n) {
    return list_neighbours(node, nodes, data, n, false);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *n) {
    return list_neighbours(node, nodes, data, n, true);
}

static void unneed(rt_node *node, const rt_node *other) {
    for (size_t i = 0; i < node->needs.count; i++) {
        if (node->needs.at[i] != other) continue;
        for (size_t k = i + 1; k < node->needs.count; k++) node->needs.at[k - 1] = node->needs.at[k];
        node->needs.count--;
        return;
    }
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_node *node = rt_node_of(handle);
    if (!node) return rt_leave(cudaErrorInvalidValue);
    if (node->work.type == cudaGraphNodeTypeMemAlloc || node->work.type == cudaGraphNodeTypeMemFree) return rt_leave(cudaErrorNotSupported);
    rt_graph *graph = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        unneed(graph->nodes.at[i], node);
        if (graph->nodes.at[i] != node) graph->nodes.at[kept++] = graph->nodes.at[i];
    }
    graph->nodes.count = kept;
    rt_node_free(node);
    return rt_leave(cudaSuccess);
}

/* --- edges ------------------------------------------------------------------------------------------------- */

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n) {
    if (!n || !from != !to) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_graph *graph = rt_graph_of(handle);
    if (!graph) return rt_leave(cudaErrorInvalidValue);
    listing froms = {from, *n, 0}, tos = {to, *n, 0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        for (size_t k = 0; k < graph->nodes.at[i]->needs.count; k++) list(&froms, graph->nodes.at[i]->needs.at[k]), list(&tos, graph->nodes.at[i]);
    for (size_t i = 0; data && i < *n; i++) data[i] = (cudaGraphEdgeData){0};
    size_t same = *n;
    list_end(&froms, n);
    list_end(&tos, &same);
    return rt_leave(cudaSuccess);
}

static cudaError_t edges(cudaGraph_t handle, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n, bool add) {
    if (n && (!from || !to)) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_graph *graph = rt_graph_of(handle);
    if (!graph) return rt_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        rt_node *a = rt_node_of(from[i]), *b = rt_node_of(to[i]);
        if (!a || !b || a == b || a->graph != graph || b->graph != graph || needs(b, a) == add) return rt_leave(cudaErrorInvalidValue);
        if (!add)
            unneed(b, a);
        else if (!rt_node_need(b, a))
            return rt_leave(cudaErrorMemoryAllocation);
    }
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *data, size_t n) {
    (void)data;
    return edges(graph, from, to, n, true);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *data, size_t n) {
    (void)data;
    return edges(graph, from, to, n, false);
}

/* --- conditions -------------------------------------------------------------------------------------------- */

/* The handle is the address of a word of device memory, which cudaGraphSetConditional in a kernel sets. */
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out, cudaGraph_t handle, unsigned value, unsigned flags) {
    if (!out || flags > cudaGraphCondAssignDefault) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_graph *graph = rt_graph_of(handle);
    if (!graph) return rt_leave(cudaErrorInvalidValue);
    void *at = NULL;
    if ((e = rt_alloc(&at, sizeof(unsigned), ENG_ALLOC_DEVICE))) return rt_leave(e);
    rt_condition c = {(uintptr_t)at, value, flags};
    wg_status status = eng_memory_fill(rt_memory(), c.handle, &value, sizeof value, 1, NULL);
    if (status == WG_OK && wg_vec_push(&graph->conditions, c)) return *out = c.handle, rt_leave(cudaSuccess);
    rt_free(at, 1u << ENG_ALLOC_DEVICE, "cudaGraphConditionalHandleCreate");
    return rt_leave(cudaErrorMemoryAllocation);
}

/* --- a picture --------------------------------------------------------------------------------------------- */

static const char *type_name(enum cudaGraphNodeType type) {
    static const char *const names[] = {"kernel", "memcpy", "memset", "host", "graph", "empty", "wait for event", "record event",
                                        "signal", "wait", "allocate", "free", "", "conditional"};
    return (size_t)type < sizeof names / sizeof *names ? names[type] : "?";
}

static void draw(FILE *f, const rt_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const rt_node *node = graph->nodes.at[i];
        const char *more = node->work.type == cudaGraphNodeTypeKernel ? node->work.kernel.fn->name : "";
        fprintf(f, "  n%p [label=\"%zu %s %s\"];\n", (const void *)node, i, type_name(node->work.type), more);
        for (size_t k = 0; k < node->needs.count; k++) fprintf(f, "  n%p -> n%p;\n", (const void *)node->needs.at[k], (const void *)node);
        if (node->work.type == cudaGraphNodeTypeGraph) draw(f, node->work.child);
    }
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char *path, unsigned flags) {
    (void)flags; /* how much is written beside each node: its kind and kernel */
    if (!path) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const rt_graph *graph = rt_graph_of(handle);
    FILE *f = graph ? fopen(path, "w") : NULL;
    if (!f) return rt_leave(graph ? cudaErrorOperatingSystem : cudaErrorInvalidValue);
    fprintf(f, "digraph graph_of_work {\n  node [shape=box];\n");
    draw(f, graph);
    fprintf(f, "}\n");
    return rt_leave(fclose(f) ? cudaErrorOperatingSystem : cudaSuccess);
}
