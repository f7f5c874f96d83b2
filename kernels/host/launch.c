#include <warpkernels/launch.h>

/* ceil(size / threads) as quotient and remainder: no sum that could overflow. */
static int64_t ceil_div(int64_t size, int64_t threads) {
    return size / threads + (size % threads != 0);
}

wk_status wk_launch_config(int64_t size, int32_t threads, wk_launch *out) {
    if (!out) return WK_ERROR_NULL;
    if (size < 0) return WK_ERROR_SIZE;
    if (threads < 1 || threads > WK_MAX_BLOCK_THREADS) return WK_ERROR_VALUE;
    int64_t blocks = ceil_div(size, threads);
    if (blocks > INT64_MAX / threads) return WK_ERROR_SIZE;
    out->blocks = blocks;
    out->threads = threads;
    out->total = blocks * threads;
    out->wasted = out->total - size;
    return WK_SUCCESS;
}

wk_status wk_launch_grid_stride(int64_t size, int32_t threads, int64_t max_blocks, wk_launch *out) {
    if (!out) return WK_ERROR_NULL;
    if (size < 0) return WK_ERROR_SIZE;
    if (threads < 1 || threads > WK_MAX_BLOCK_THREADS || max_blocks < 1) return WK_ERROR_VALUE;
    int64_t blocks = ceil_div(size, threads);
    if (max_blocks > WK_MAX_GRID_X) max_blocks = WK_MAX_GRID_X;
    if (blocks > max_blocks) blocks = max_blocks;
    out->blocks = blocks;
    out->threads = threads;
    out->total = blocks * threads;
    out->wasted = out->total > size ? out->total - size : 0;
    return WK_SUCCESS;
}
