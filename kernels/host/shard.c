#include <warpkernels/shard.h>

#include "check.h"

wk_status wk_shard_range(int64_t n, int32_t ranks, int32_t rank, int64_t *first, int64_t *count) {
    if (!first || !count) return WK_ERROR_NULL;
    if (n < 0) return WK_ERROR_SIZE;
    if (ranks < 1 || rank < 0 || rank >= ranks) return WK_ERROR_VALUE;
    const int64_t share = n / ranks, larger = n % ranks;
    *count = share + (rank < larger);
    *first = rank * share + (rank < larger ? rank : larger);
    return WK_SUCCESS;
}

wk_status wk_shard_conv_rows(const wk_conv2d *conv, int32_t ranks, int32_t rank, wk_shard_rows *out) {
    if (!conv || !out) return WK_ERROR_NULL;
    int64_t out_height, out_width;
    if (conv->first_row != 0 || conv->rows != 0) return WK_ERROR_VALUE;
    WK_TRY(wk_conv2d_output_size(conv, &out_height, &out_width));
    WK_TRY(wk_shard_range(conv->height, ranks, rank, &out->first, &out->count));

    /* The smallest share is the last one. Its rows must be enough for a neighbour's halo, and for
     * a border that is mirrored into it. */
    int64_t first, least;
    WK_TRY(wk_shard_range(conv->height, ranks, ranks - 1, &first, &least));
    if (ranks > 1 && least < conv->filter_height) return WK_ERROR_SIZE;

    /* Output row r reads input rows r - top to r - top + filter_height - 1. */
    const int64_t top = conv->border == WK_BORDER_VALID ? 0 : (conv->filter_height - 1) / 2;
    out->above = rank > 0 ? top : 0;
    out->below = rank < ranks - 1 ? conv->filter_height - 1 - top : 0;
    out->out_first = out->first < out_height ? out->first : out_height;
    const int64_t end = out->first + out->count;
    out->out_count = (end < out_height ? end : out_height) - out->out_first;
    return WK_SUCCESS;
}
