/* Events, for the files that put them into streams. With the lock held. */
#ifndef WG_CUDART_EVENT_H
#define WG_CUDART_EVENT_H

#include "cudart/stream.h"

typedef struct CUevent_st {
    unsigned flags, device;
    bool recorded;
    double ns;
    uint64_t capture; /* id of the capture that it was last recorded in; 0: none */
    wg_vec(struct CUgraphNode_st *) tips; /* what it stands for there */
} rt_event;

rt_event *rt_event_of(cudaEvent_t handle);
cudaError_t rt_event_record(cudaEvent_t event, rt_stream *stream);
cudaError_t rt_event_wait(cudaEvent_t event, rt_stream *stream);

#endif
