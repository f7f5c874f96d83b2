/* Graphs as data: made, copied, sorted, run. */
#include "cudart/graph.h"

#include <stdlib.h>

rt_graph *rt_graph_of(cudaGraph_t handle) {
    return wg_u64map_get(&rt.graphs, (uintptr_t)handle, NULL) ? handle : NULL;
}

rt_node *rt_node_of(cudaGraphNode_t handle) {
    return wg_u64map_get(&rt.nodes, (uintptr_t)handle, NULL) ? handle : NULL;
}

rt_exec *rt_exec_of(cudaGraphExec_t handle) {
    return wg_u64map_get(&rt.execs, (uintptr_t)handle, NULL) ? handle : NULL;
}

rt_graph *rt_graph_new(void) {
    rt_graph *graph = calloc(1, sizeof *graph);
    if (graph && wg_u64map_set(&rt.graphs, (uintptr_t)graph, (uintptr_t)graph)) return graph;
    free(graph);
    return NULL;
}

void rt_node_free(rt_node *node) {
    wg_u64map_remove(&rt.nodes, (uintptr_t)node);
    if (rt.session) ses_order_drop(rt.session, node);
    rt_work_free(&node->work);
    wg_vec_free(&node->needs);
    free(node->pointers);
    free(node);
}

void rt_graph_free(rt_graph *graph) {
    wg_u64map_remove(&rt.graphs, (uintptr_t)graph);
    for (size_t i = 0; i < graph->nodes.count; i++) rt_node_free(graph->nodes.at[i]);
    for (size_t i = 0; !graph->copy && i < graph->conditions.count; i++)
        rt_free((void *)(uintptr_t)graph->conditions.at[i].handle, 1u << ENG_ALLOC_DEVICE, "cudaGraphDestroy");
    rt_user_drop_all(graph);
    wg_vec_free(&graph->nodes);
    wg_vec_free(&graph->conditions);
    wg_vec_free(&graph->users);
    free(graph);
}

bool rt_node_need(rt_node *node, rt_node *needed) {
    for (size_t i = 0; i < node->needs.count; i++)
        if (node->needs.at[i] == needed) return true;
    return wg_vec_push(&node->needs, needed);
}

rt_node *rt_node_new(rt_graph *graph, const rt_work *work, rt_node *const *needs, size_t n) {
    rt_node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->graph = graph;
    bool there = rt_work_copy(&node->work, work) && wg_u64map_set(&rt.nodes, (uintptr_t)node, (uintptr_t)node);
    for (size_t i = 0; there && i < n; i++) there = rt_node_need(node, needs[i]);
    if (there && wg_vec_push(&graph->nodes, node)) return node;
    rt_node_free(node);
    return NULL;
}

static bool copy_into(rt_graph *to, const rt_graph *from) {
    for (size_t i = 0; i < from->nodes.count; i++) {
        rt_node *old = from->nodes.at[i], *node = rt_node_new(to, &old->work, NULL, 0);
        if (!node) return false;
        node->original = old;
        old->mark = i;
    }
    for (size_t i = 0; i < from->nodes.count; i++)
        for (size_t k = 0; k < from->nodes.at[i]->needs.count; k++)
            if (!wg_vec_push(&to->nodes.at[i]->needs, to->nodes.at[from->nodes.at[i]->needs.at[k]->mark])) return false;
    for (size_t i = 0; i < from->conditions.count; i++)
        if (!wg_vec_push(&to->conditions, from->conditions.at[i])) return false;
    for (size_t i = 0; i < from->users.count; i++)
        if (!rt_user_hold(to, from->users.at[i].object, from->users.at[i].count)) return false;
    return true;
}

rt_graph *rt_graph_copy(const rt_graph *from) {
    rt_graph *to = rt_graph_new();
    if (!to) return NULL;
    to->copy = true;
    if (copy_into(to, from)) return to;
    rt_graph_free(to);
    return NULL;
}

/* --- order ------------------------------------------------------------------------------------------------- */

static bool sort_inside(const rt_work *w) {
    if (w->type == cudaGraphNodeTypeGraph) return rt_graph_sort(w->child);
    bool sorted = true;
    if (w->type == cudaGraphNodeTypeConditional)
        for (unsigned k = 0; k < w->conditional.size; k++) sorted &= rt_graph_sort(w->conditional.bodies[k]);
    return sorted;
}

/* Nodes leave in the order of making as soon as all that they need has left; most graphs are in order already. mark: left. */
bool rt_graph_sort(rt_graph *graph) {
    size_t n = graph->nodes.count, left = 0;
    rt_node **sorted = malloc((n ? n : 1) * sizeof(rt_node *));
    if (!sorted) return false;
    for (size_t i = 0; i < n; i++) graph->nodes.at[i]->mark = 0;
    for (size_t before = 1; left < n && before != left;) {
        before = left;
        for (size_t i = 0; i < n; i++) {
            rt_node *node = graph->nodes.at[i];
            bool ready = !node->mark;
            for (size_t k = 0; ready && k < node->needs.count; k++) ready = node->needs.at[k]->mark;
            if (ready) node->mark = 1, sorted[left++] = node;
        }
        if (before == left) break;
    }
    bool whole = left == n;
    for (size_t i = 0; whole && i < n; i++) whole = sort_inside(&sorted[i]->work);
    for (size_t i = 0; whole && i < n; i++) graph->nodes.at[i] = sorted[i];
    free(sorted);
    return whole;
}

/* --- branches ---------------------------------------------------------------------------------------------- */

static bool is_chain(const rt_graph *graph) {
    for (size_t i = 1; i < graph->nodes.count; i++) {
        const rt_node *node = graph->nodes.at[i];
        bool next = false;
        for (size_t k = 0; k < node->needs.count; k++) next |= node->needs.at[k] == graph->nodes.at[i - 1];
        if (!next) return false;
    }
    return true;
}

/* A node goes on with the timeline of one that it needs, unless another node does already. */
static void branch(rt_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) graph->nodes.at[i]->mark = 0; /* somebody goes on with its timeline */
    for (size_t i = 0; i < graph->nodes.count; i++) {
        rt_node *node = graph->nodes.at[i], *from = NULL;
        for (size_t k = 0; k < node->needs.count && !from; k++)
            if (!node->needs.at[k]->mark && node->needs.at[k]->timeline) from = node->needs.at[k];
        if (from) from->mark = 1;
        node->timeline = from ? from->timeline : ses_order_branch(rt.session);
    }
}

void rt_graph_branches(rt_graph *graph) {
    if (!is_chain(graph)) {
        ses_order_begin(rt.session);
        branch(graph);
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const rt_work *w = &graph->nodes.at[i]->work;
        if (w->type == cudaGraphNodeTypeGraph) rt_graph_branches(w->child);
        for (unsigned k = 0; w->type == cudaGraphNodeTypeConditional && k < w->conditional.size; k++) rt_graph_branches(w->conditional.bodies[k]);
    }
}

/* A node comes after what it needs, and after what was in the stream before the graph. */
static void enter(rt_node *node, rt_stream *stream, uint64_t before) {
    if (!node->timeline) return;
    stream->branch = node->timeline;
    ses_order_branch_in(rt.session, node->timeline, before);
    ses_order_after(rt.session, node->timeline, before);
    for (size_t k = 0; k < node->needs.count; k++) ses_order_await(rt.session, node->timeline, node->needs.at[k]);
}
static void await_all(const rt_graph *graph, uint64_t timeline) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.at[i]->timeline) ses_order_await(rt.session, timeline, graph->nodes.at[i]);
}

/* --- running ----------------------------------------------------------------------------------------------- */

cudaError_t rt_graph_run(rt_graph *graph, rt_stream *stream) {
    double begin = rt_stream_now(stream), end = begin, host = rt.host_ns;
    uint64_t outer = stream->branch, timeline = rt_timeline(stream);
    cudaError_t e = cudaSuccess;
    rt_stream_order(stream);
    await_all(graph, timeline); /* what it did when it ran last */
    for (size_t i = 0; i < graph->nodes.count && !e; i++) {
        rt_node *node = graph->nodes.at[i];
        double start = begin;
        for (size_t k = 0; k < node->needs.count; k++)
            if (node->needs.at[k]->done_ns > start) start = node->needs.at[k]->done_ns;
        stream->clock_ns = start;
        rt.host_ns = 0; /* the device starts a node by itself */
        enter(node, stream, timeline);
        if (!node->disabled) e = rt_work_run(&node->work, stream);
        if (node->timeline) ses_order_record(rt.session, node, node->timeline);
        stream->branch = outer;
        if (!e) e = rt_here()->sticky; /* a kernel failed: nothing runs after it */
        node->done_ns = stream->clock_ns;
        if (node->done_ns > end) end = node->done_ns;
    }
    await_all(graph, timeline);
    rt.host_ns = host;
    stream->clock_ns = end;
    return e;
}
