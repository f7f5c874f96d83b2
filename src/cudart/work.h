/* Work: what a call puts into a stream, as a value. It runs at once, or becomes a node of a graph when the stream is being
 * captured; a graph's nodes are the same values. With the lock held. */
#ifndef WG_CUDART_WORK_H
#define WG_CUDART_WORK_H

#include "cudart/memory.h"
#include "cudart/module.h"

struct CUgraph_st;

typedef struct rt_kernel { /* a launch */
    rt_function *fn;
    const void *handle; /* as the program names it: host function or cudaKernel_t */
    dim3 grid, block;
    dim3 cluster;       /* 0,0,0: not asked for */
    size_t shared;
    bool cooperative;
    int priority;
    uint8_t *params;    /* as the kernel gets them; NULL: none */
} rt_kernel;

typedef struct rt_fill {
    rt_box to;
    unsigned value, element;      /* element: 1, 2 or 4 bytes */
    size_t width, height, depth;  /* width: bytes */
} rt_fill;

typedef struct rt_work {
    enum cudaGraphNodeType type;
    union {
        rt_kernel kernel;
        struct { rt_copy box; struct cudaMemcpy3DParms asked; } copy; /* asked: for the program to ask */
        rt_fill fill;
        struct cudaHostNodeParams host;
        struct CUgraph_st *child;
        cudaEvent_t event;
        struct { struct rt_graph_memory *memory; struct cudaMemAllocNodeParams asked; } alloc;
        struct { struct rt_graph_memory *memory; void *address; } free;
        struct { cudaGraphConditionalHandle handle; enum cudaGraphConditionalNodeType type; unsigned size; struct CUgraph_st **bodies; } conditional;
    };
} rt_work;

/* Puts it into the stream: runs it, or captures it. The work's own memory stays the caller's. */
cudaError_t rt_work_put(const rt_work *work, rt_stream *stream);
cudaError_t rt_work_run(const rt_work *work, rt_stream *stream);
/* A copy that owns what it points at. False: no memory. */
bool rt_work_copy(rt_work *to, const rt_work *from);
void rt_work_free(rt_work *work);

/* launch.c: the runtime's checks, with a finding when the launch is refused; params from the array of pointers. */
cudaError_t rt_kernel_check(const rt_kernel *kernel);
cudaError_t rt_kernel_pack(rt_kernel *kernel, void *const *args);
cudaError_t rt_kernel_run(const rt_kernel *kernel, rt_stream *stream);
/* Finds the function of a handle, loaded; a kernel that cannot be loaded is reported as not run. */
cudaError_t rt_kernel_find(rt_kernel *kernel, const void *handle);

/* copy.c */
cudaError_t rt_fill_run(const rt_fill *fill, rt_stream *stream);


#endif
