// For CUDA C++ only: argument checks, the mapping of CUDA's errors, the launch helper and 16-byte
// access. The library is built on these, and so are kernels that a user adds with map.cuh.
#ifndef WARPKERNELS_DEVICE_CUH
#define WARPKERNELS_DEVICE_CUH

#include <cuda_runtime.h>
#include <limits.h>
#include <stdint.h>

#include "launch.h"
#include "status.h"

#define WK_TRY(call)                                                                                         \
    do {                                                                                                     \
        wk_status wk_try_status = (call);                                                                    \
        if (wk_try_status != WK_SUCCESS) return wk_try_status;                                               \
    } while (0)

#define WK_CUDA(call) WK_TRY(wk_from_cuda(call))

static inline wk_status wk_from_cuda(cudaError_t e) {
    switch (e) {
    case cudaSuccess:
        return WK_SUCCESS;
    case cudaErrorMemoryAllocation:
        return WK_ERROR_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
        return WK_ERROR_NO_DEVICE;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorInvalidConfiguration:
        return WK_ERROR_LAUNCH;
    default:
        return WK_ERROR_CUDA;
    }
}

// --- argument checks ---------------------------------------------------------

// n elements of `bytes` each must be addressable.
static inline wk_status wk_check_size(int64_t n, size_t bytes) {
    return n < 0 || n > (int64_t)(INT64_MAX / bytes) ? WK_ERROR_SIZE : WK_SUCCESS;
}

// A pointer to n elements of `bytes` each: not NULL unless n is 0, naturally aligned.
static inline wk_status wk_check_array(const void *p, int64_t n, size_t bytes, size_t alignment) {
    WK_TRY(wk_check_size(n, bytes));
    if (n > 0 && !p) return WK_ERROR_NULL;
    return (uintptr_t)p % alignment ? WK_ERROR_ALIGNMENT : WK_SUCCESS;
}

template <class T> static inline wk_status wk_check_array(const T *p, int64_t n) {
    return wk_check_array(p, n, sizeof(T), alignof(T));
}

static inline bool wk_overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_bytes > 0 && b_bytes > 0 && x < y + (uintptr_t)b_bytes && y < x + (uintptr_t)a_bytes;
}

// Element-by-element work may run in place, but must not be shifted against itself.
static inline wk_status wk_check_no_shift(const void *in, const void *out, int64_t bytes) {
    return in != out && wk_overlap(in, bytes, out, bytes) ? WK_ERROR_OVERLAP : WK_SUCCESS;
}

static inline bool wk_aligned16(const void *p) {
    return (uintptr_t)p % 16 == 0;
}

// Elements of `bytes` each from p to the next 16-byte boundary, at most n.
static inline int64_t wk_head(const void *p, int64_t n, size_t bytes) {
    int64_t head = (int64_t)((16 - (uintptr_t)p % 16) % 16 / bytes);
    return head < n ? head : n;
}

// --- launch ------------------------------------------------------------------

template <class T> struct wk_same { typedef T type; };

// Launches and returns what CUDA said of this launch alone: the runtime's last error,
// which may belong to someone else, is not read.
template <class... P>
static inline wk_status wk_launch_kernel(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes,
                                         cudaStream_t stream, typename wk_same<P>::type... params) {
    void *args[] = {(void *)&params...};
    return wk_from_cuda(cudaLaunchKernel((const void *)kernel, grid, block, args, shared_bytes, stream));
}

// The same, allowed to begin while the kernel before it in the stream ends (compute capability 9.0 and newer;
// `overlap` 0 elsewhere). The kernel must call wk_wait_for_stream before it touches memory.
template <class... P>
static inline wk_status wk_launch_overlapped(int overlap, void (*kernel)(P...), dim3 grid, dim3 block,
                                             cudaStream_t stream, typename wk_same<P>::type... params) {
    void *args[] = {(void *)&params...};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlap ? 1 : 0;
    return wk_from_cuda(cudaLaunchKernelExC(&config, (const void *)kernel, args));
}

// Blocks for ceil(work / per_block), at most the limit of gridDim.x: kernels stride over
// what is left.
static inline unsigned wk_grid(int64_t work, int64_t per_block) {
    int64_t blocks = work / per_block + (work % per_block != 0);
    return (unsigned)(blocks > WK_MAX_GRID_X ? WK_MAX_GRID_X : blocks);
}

// Waits until the kernels before this one in its stream have ended and their writes are seen; from then on
// the next one may be brought in. Does nothing unless launched by wk_launch_overlapped.
static __device__ __forceinline__ void wk_wait_for_stream(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// --- 16-byte access ----------------------------------------------------------

// As many elements as one 16-byte access moves.
template <class T> struct alignas(16) wk_pack {
    enum { width = 16 / sizeof(T) };
    T v[width];
};

// Through uint4, so that the access is one instruction whatever the compiler makes of v.
template <class T> static __device__ __forceinline__ wk_pack<T> wk_load16(const void *p) {
    union {
        uint4 raw;
        wk_pack<T> pack;
    } u;
    u.raw = *(const uint4 *)p;
    return u.pack;
}

template <class T> static __device__ __forceinline__ void wk_store16(void *p, const wk_pack<T> &pack) {
    union {
        uint4 raw;
        wk_pack<T> pack;
    } u;
    u.pack = pack;
    *(uint4 *)p = u.raw;
}

#endif
