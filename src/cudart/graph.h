/* Graphs: nodes of work, and which of them each waits for. An executable graph is a copy that is only changed by updates.
 * With the lock held. */
#ifndef WG_CUDART_GRAPH_H
#define WG_CUDART_GRAPH_H

#include "cudart/work.h"

typedef struct CUgraphNode_st {
    struct CUgraph_st *graph;
    rt_work work;
    wg_vec(struct CUgraphNode_st *) needs;    /* the nodes that it waits for */
    const struct CUgraphNode_st *original;    /* what it is a copy of */
    void **pointers;                          /* to a kernel's parameters, once they were asked for */
    bool disabled;                            /* of an executable graph: it is passed over */
    size_t mark;                              /* for the function at work on the graph */
    double done_ns;                           /* modelled end of its last run */
    uint64_t timeline;                        /* of an executable graph: of its branch (session.h); 0: its stream's */
} rt_node;

typedef struct rt_condition { /* what a conditional node looks at: a word of device memory, whose address is the handle */
    cudaGraphConditionalHandle handle;
    unsigned value, flags;
} rt_condition;

typedef struct rt_user { cudaUserObject_t object; unsigned count; } rt_user;

typedef struct CUgraph_st {
    wg_vec(rt_node *) nodes; /* in the order of making; of an executable graph, each after those that it waits for */
    wg_vec(rt_condition) conditions;
    wg_vec(rt_user) users;
    bool owned; /* by a node: not the program's to destroy */
    bool copy;  /* conditions are the original's */
} rt_graph;

typedef struct CUgraphExec_st {
    rt_graph *graph;
    unsigned long long flags;
} rt_exec;

rt_graph *rt_graph_of(cudaGraph_t handle);
rt_node *rt_node_of(cudaGraphNode_t handle);
rt_exec *rt_exec_of(cudaGraphExec_t handle);

/* NULL: no memory. The graph's handle and its nodes' are known from then on. */
rt_graph *rt_graph_new(void);
rt_graph *rt_graph_copy(const rt_graph *from);
void rt_graph_free(rt_graph *graph);
/* The work is copied. NULL: no memory. */
rt_node *rt_node_new(rt_graph *graph, const rt_work *work, rt_node *const *needs, size_t n);
void rt_node_free(rt_node *node); /* others must not wait for it */
bool rt_node_need(rt_node *node, rt_node *needed);
/* Puts each node after those that it waits for, also in graphs inside. False: there is a cycle, or no memory. */
bool rt_graph_sort(rt_graph *graph);
/* Gives the branches of a sorted graph, and of graphs inside, timelines of their own: what they do to each other's memory is looked at. */
void rt_graph_branches(rt_graph *graph);
/* Runs a sorted graph; nodes that do not wait for each other overlap in modelled time. */
cudaError_t rt_graph_run(rt_graph *graph, rt_stream *stream);

/* graph_params.c: work from what the interface takes, and back. */
cudaError_t rt_work_of(const struct cudaGraphNodeParams *params, rt_work *work);
/* Parameters of a copy of one row, of bytes from `from` on or with a variable on one side. */
struct cudaGraphNodeParams rt_params_of_row(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t rt_params_of_symbol(const void *symbol, void *other, size_t bytes, size_t offset, enum cudaMemcpyKind kind, bool to_symbol,
                                struct cudaGraphNodeParams *params);

/* graph_memory.c: what allocation nodes allocate. The address is given when the node is made, and stays; the memory is the
 * program's from the node's run to its being freed, by a node or a call. Nodes of which one always runs after the other's memory
 * is freed have the same. */
typedef struct rt_graph_memory {
    uint64_t address;
    size_t size;
    unsigned holders; /* nodes */
    bool live;
    struct rt_graph_part *part; /* what its graph has of the device's memory */
} rt_graph_memory;
/* For a node of the graph that waits for these. The caller holds it. */
cudaError_t rt_graph_memory_new(rt_graph *graph, rt_node *const *needs, size_t n, size_t size, unsigned device, rt_graph_memory **out);
void rt_graph_memory_hold(rt_graph_memory *memory);
void rt_graph_memory_drop(rt_graph_memory *memory);
/* NULL: not such memory. */
rt_graph_memory *rt_graph_memory_at(const void *address);
void rt_graph_memory_use(rt_graph_memory *memory, bool live);

/* user_object.c */
bool rt_user_hold(rt_graph *graph, cudaUserObject_t object, unsigned count);
void rt_user_drop_all(rt_graph *graph);

#endif
