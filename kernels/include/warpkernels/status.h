/* What every call of warpkernels returns, and the rules that all calls share.
 *
 * - Pointers are device pointers unless a name says _host; sizes and pitches are
 *   int64_t and count elements unless a name says bytes.
 * - Work is queued on the given stream; a call never waits for it.
 * - Arguments are checked first: on any value but WK_SUCCESS nothing was launched.
 * - Size 0 is valid and launches nothing, or writes the identity of a reduction.
 * - Pointers need the natural alignment of their element. 16-byte alignment is
 *   faster and never required.
 * - An error of an earlier, unrelated CUDA call is neither returned nor cleared.
 * - Every call has a reference in plain C of the same name with _host: same
 *   arguments without workspace and stream, host pointers.
 */
#ifndef WARPKERNELS_STATUS_H
#define WARPKERNELS_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_include)
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#else
/* The host references build without a CUDA toolkit. */
typedef struct CUstream_st *cudaStream_t;
#endif
#else
#include <cuda_runtime_api.h>
#endif

#if defined(_WIN32)
#define WK_API
#else
#define WK_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wk_status {
    WK_SUCCESS = 0,
    WK_ERROR_NULL,        /* a pointer that is needed is NULL */
    WK_ERROR_SIZE,        /* a size is negative, or its product overflows */
    WK_ERROR_PITCH,       /* a pitch is smaller than a row */
    WK_ERROR_ALIGNMENT,   /* a pointer lacks the alignment of its element */
    WK_ERROR_OVERLAP,     /* input and output overlap where that gives wrong results */
    WK_ERROR_VALUE,       /* an enumeration or a parameter is out of its range */
    WK_ERROR_WORKSPACE,   /* the workspace is too small, or of another device */
    WK_ERROR_UNSUPPORTED, /* valid, but not done on this device */
    WK_ERROR_MEMORY,      /* host or device memory ran out */
    WK_ERROR_NO_DEVICE,   /* no CUDA device, or no driver */
    WK_ERROR_LAUNCH,      /* the launch was refused: no code for this device, no resources */
    WK_ERROR_CUDA,        /* another CUDA error, see cudaGetLastError */
    WK_ERROR_NCCL         /* a call of NCCL failed */
} wk_status;

/* One line of English for a status. Never NULL; a string for unknown values too. */
WK_API const char *wk_status_string(wk_status status);

#ifdef __cplusplus
}
#endif
#endif
