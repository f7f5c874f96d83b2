#include <warpkernels/status.h>

const char *wk_status_string(wk_status status) {
    switch (status) {
    case WK_SUCCESS:
        return "success";
    case WK_ERROR_NULL:
        return "a pointer that is needed is NULL";
    case WK_ERROR_SIZE:
        return "a size is negative or overflows";
    case WK_ERROR_PITCH:
        return "a pitch is smaller than its row";
    case WK_ERROR_ALIGNMENT:
        return "a pointer lacks the alignment of its element";
    case WK_ERROR_OVERLAP:
        return "input and output overlap";
    case WK_ERROR_VALUE:
        return "a parameter is out of its range";
    case WK_ERROR_WORKSPACE:
        return "the workspace is too small or belongs to another device";
    case WK_ERROR_UNSUPPORTED:
        return "not supported on this device";
    case WK_ERROR_MEMORY:
        return "out of memory";
    case WK_ERROR_NO_DEVICE:
        return "no CUDA device or driver";
    case WK_ERROR_LAUNCH:
        return "the kernel could not be launched on this device";
    case WK_ERROR_CUDA:
        return "a CUDA call failed";
    case WK_ERROR_NCCL:
        return "an NCCL call failed";
    }
    return "unknown status";
}
