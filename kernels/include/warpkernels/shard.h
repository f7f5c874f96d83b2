/* How work is divided over ranks, one GPU each: plain arithmetic, no NCCL. The calls that
 * use it are in nccl.h. */
#ifndef WARPKERNELS_SHARD_H
#define WARPKERNELS_SHARD_H

#include "conv.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rank `rank` of `ranks` gets elements [*first, *first + *count) of n: shares differ by at most one
 * element, the larger ones come first. WK_ERROR_NULL, WK_ERROR_SIZE, WK_ERROR_VALUE. */
WK_API wk_status wk_shard_range(int64_t n, int32_t ranks, int32_t rank, int64_t *first, int64_t *count);

/* What a rank holds of an image whose rows are divided over ranks: its own input rows, and
 * the rows of its neighbours that its outputs need. */
typedef struct wk_shard_rows {
    int64_t first, count;         /* own input rows, by wk_shard_range of the height */
    int64_t above, below;         /* rows of the neighbours, stored before and behind the own ones */
    int64_t out_first, out_count; /* output rows that this rank computes */
} wk_shard_rows;

/* `conv` describes the whole image; its first_row and rows must be 0. The rows that a filter needs from above
 * and below must come from the next rank alone, and a mirrored border from the own rows:
 * WK_ERROR_SIZE when a share has fewer rows than the filter. Other errors as wk_conv2d_f32. */
WK_API wk_status wk_shard_conv_rows(const wk_conv2d *conv, int32_t ranks, int32_t rank, wk_shard_rows *out);

#ifdef __cplusplus
}
#endif
#endif
