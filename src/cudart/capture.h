/* Capture: work of streams becomes nodes of a graph. With the lock held. */
#ifndef WG_CUDART_CAPTURE_H
#define WG_CUDART_CAPTURE_H

#include "cudart/graph.h"

typedef struct rt_capture {
    uint64_t id; /* from 1, never reused */
    rt_graph *graph;
    bool own;    /* the graph was made for it */
    bool broken; /* a call that cannot be captured came: it can only be ended */
    rt_stream *origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    size_t first; /* nodes that the graph had before */
} rt_capture;

/* May work be put into the stream at all? Not while its capture is broken, nor into the legacy stream while a stream that
 * waits for it is captured. */
cudaError_t rt_capture_check(rt_stream *stream);
/* The node, after all that the stream holds. */
cudaError_t rt_capture_add(rt_stream *stream, const rt_work *work, rt_node **out);
/* A call that no captured stream permits; cudaSuccess when the stream (NULL: any) is not being captured. */
cudaError_t rt_capture_forbid(rt_stream *stream, cudaError_t error);
/* A call that may synchronise, as cudaMalloc does: forbidden by captures of this mode. */
cudaError_t rt_capture_unsafe(void);
/* The stream is about to be destroyed. */
void rt_capture_leave(rt_stream *stream);

#endif
