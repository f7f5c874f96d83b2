// What all kernels of the library share. Not installed.
#ifndef WK_INTERNAL_CUH
#define WK_INTERNAL_CUH

#include <warpkernels/device.cuh>
#include <warpkernels/workspace.h>

#include "slots.cuh"

// Ticket and slots are zero between calls: every kernel that uses them leaves them so.
// The scratch is cleared before it is used.
struct wk_workspace {
    int device;
    int overlap; // the device can begin a kernel while the one before it ends
    unsigned *ticket;
    wk_slot *slots;
    void *scratch;
    size_t scratch_bytes;
    // The last reduction captured into a graph (NULL: none yet), in which capture, and what it writes.
    cudaGraphNode_t node;
    unsigned long long capture;
    const void *out;
    int64_t out_bytes;
};

enum { WK_WORKSPACE_SLOTS = 6400 };

// The workspace is there, of the current device, and has so much scratch.
wk_status wk_check_workspace(const wk_workspace *workspace, size_t scratch_bytes);

// --- reductions one after the other in a graph --------------------------------
//
// A kernel that overlaps the one before it has to wait for its end before it reads what that one, or any
// earlier one, may have written. But where the one before is a reduction that overlaps too, all earlier ones
// have ended by the time that this one is let in: each block of a reduction waits for them before it lets
// the next kernel in. What is left to wait for is the reduction itself, which writes slots and its result and
// nothing else. So this one may read its elements before it waits, unless they hold that result. Only a
// capture tells what the one before is.

// Whether the stream is being captured; then in which capture, and the node that its next one will depend on,
// NULL when there is none or more than one. No runtime before CUDA 13 is asked.
bool wk_capture_end(cudaStream_t stream, unsigned long long *capture, cudaGraphNode_t *node);

// Whether that node is the last reduction with this workspace that was launched to overlap.
static inline bool wk_is_last_reduction(const wk_workspace *w, unsigned long long capture,
                                        cudaGraphNode_t node) {
    return node && w->node == node && w->capture == capture;
}

// Notes the reduction that has just been captured, and what it writes.
static inline void wk_note_reduction(wk_workspace *w, cudaStream_t stream, const void *out,
                                     int64_t out_bytes) {
    if (!wk_capture_end(stream, &w->capture, &w->node)) w->node = NULL;
    w->out = out;
    w->out_bytes = out_bytes;
}

#endif
