/* Streams, and the modelled time of their work.
 *
 * Work runs at once, in the order of the calls; what differs between streams is time. Each stream has a
 * clock, in modelled nanoseconds: work starts when the host has asked for it and what it must wait for is
 * over, and ends after its duration (a kernel's from its executed instructions, a copy's from its bytes).
 * The legacy default stream waits for all blocking streams, and they for it. A call that synchronises
 * moves the host's clock to the stream's. No wall time enters: elapsed times repeat from run to run. */
#ifndef WG_CUDART_STREAM_H
#define WG_CUDART_STREAM_H

#include "cudart/context.h"

typedef struct CUstream_st {
    uint64_t number; /* 0 = the legacy default stream of the first device */
    unsigned device;
    bool legacy;     /* its device's default stream */
    unsigned flags;
    int priority;
    double clock_ns;
    uint64_t branch; /* timeline of the node of a graph that runs in it; 0: none does */
    struct rt_capture *capture; /* that it is part of (capture.h); NULL: its work runs */
    wg_vec(struct CUgraphNode_st *) tips; /* of a capture: the nodes that its next one waits for */
} rt_stream;

/* A handle of the interface; NULL for one that does not exist. 0 means the legacy default stream here: the
 * per-thread variants of calls (perthread.c) name that stream by its own handle. */
rt_stream *rt_stream_of(cudaStream_t handle);
/* Adds work of a duration to the stream. */
void rt_stream_work(rt_stream *stream, double ns);
/* What the stream does next comes after all that it must wait for (session.h: the order of operations). */
void rt_stream_order(const rt_stream *stream);
static inline uint64_t rt_timeline(const rt_stream *stream) { return stream->branch ? stream->branch : stream->number + 1; }
/* The host waits for all that is in the stream; NULL: in all streams. */
void rt_stream_wait(rt_stream *stream);
/* The same for a call, which a capture of the stream does not permit. */
cudaError_t rt_stream_wait_call(rt_stream *stream);
/* When the work that is in the stream now will be done. */
double rt_stream_now(const rt_stream *stream);

#endif
