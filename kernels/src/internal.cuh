// What all kernels of the library share. Not installed.
#ifndef WK_INTERNAL_CUH
#define WK_INTERNAL_CUH

#include <warpkernels/device.cuh>
#include <warpkernels/workspace.h>

// A workspace: counters that every kernel leaves at zero, then scratch memory.
struct wk_workspace {
    int device;
    size_t scratch_bytes;
    unsigned *counters;
    void *scratch;
};

enum { WK_WORKSPACE_COUNTERS = 1024 };

// The workspace is there, of the current device, and has `bytes` of scratch.
wk_status wk_check_workspace(const wk_workspace *workspace, size_t bytes);

#endif
