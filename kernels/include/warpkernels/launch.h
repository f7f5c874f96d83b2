/* Launch configurations: how many blocks cover a size, and how many threads are idle. */
#ifndef WARPKERNELS_LAUNCH_H
#define WARPKERNELS_LAUNCH_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of a grid that all architectures since sm_30 share. */
#define WK_MAX_GRID_X        2147483647
#define WK_MAX_GRID_YZ       65535
#define WK_MAX_BLOCK_THREADS 1024

typedef struct wk_launch {
    int64_t blocks;  /* blocks of the grid; may exceed WK_MAX_GRID_X, see wk_launch_grid_stride */
    int32_t threads; /* threads of a block */
    int64_t total;   /* blocks * threads */
    int64_t wasted;  /* threads beyond the size, all of them in the last block */
} wk_launch;

/* One thread for each of `size` elements in blocks of `threads`:
 * blocks = ceil(size / threads), computed without a sum that could overflow.
 * size >= 0 (0 gives no blocks), 1 <= threads <= 1024.
 * WK_ERROR_SIZE when size is negative or blocks * threads exceeds INT64_MAX,
 * WK_ERROR_VALUE when threads is out of range, WK_ERROR_NULL when out is NULL. */
WK_API wk_status wk_launch_config(int64_t size, int32_t threads, wk_launch *out);

/* The same, for a kernel that strides over the data by its grid: at most
 * `max_blocks` blocks (and never more than WK_MAX_GRID_X), so that `total` may be
 * less than `size`; wasted counts the threads that get no element. max_blocks >= 1. */
WK_API wk_status wk_launch_grid_stride(int64_t size, int32_t threads, int64_t max_blocks, wk_launch *out);

/* The block size that gives `kernel` (a __global__ function of this program) the most
 * resident warps on the current device, the smaller one among equals, and a grid that covers `size`
 * with one thread for each element. `dynamic_shared` is in bytes a block.
 * With grid_stride != 0 the grid is limited to the blocks that are resident at once.
 * Errors as above, and WK_ERROR_LAUNCH when the kernel cannot be launched on the device. */
WK_API wk_status wk_launch_occupancy(const void *kernel, size_t dynamic_shared, int64_t size, int grid_stride,
                                     wk_launch *out);

#ifdef __cplusplus
}
#endif
#endif
