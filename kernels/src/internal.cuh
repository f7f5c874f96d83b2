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
};

enum { WK_WORKSPACE_SLOTS = 6400 };

// The workspace is there, of the current device, and has so much scratch.
wk_status wk_check_workspace(const wk_workspace *workspace, size_t scratch_bytes);

#endif
