/* Work over several GPUs with NCCL, one rank a GPU: reductions and portfolios whose elements are
 * divided over the ranks, convolution of an image whose rows are. In the library warpkernels_nccl.
 *
 * Every call is collective: each rank calls it, from a thread or process of its own, with its share and its
 * stream, on its device. (Several ranks in one thread inside ncclGroupStart do not work: the calls queue
 * kernels behind their NCCL operations.) Every rank gets the result. How to divide: shard.h.
 */
#ifndef WARPKERNELS_NCCL_H
#define WARPKERNELS_NCCL_H

#include <nccl.h>

#include "bonds.h"
#include "conv.h"
#include "shard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rank's scratch memory for the calls below. One for each stream that calls them. */
typedef struct wk_ranks wk_ranks;

/* `comm` stays the caller's and must outlive the result. The current device must be the communicator's:
 * else WK_ERROR_VALUE. WK_ERROR_NULL, WK_ERROR_MEMORY, WK_ERROR_NCCL. */
WK_API wk_status wk_ranks_create(ncclComm_t comm, wk_ranks **out);
WK_API wk_status wk_ranks_destroy(wk_ranks *ranks);

/* *out (device memory, on every rank) = the reduction over all shares; n may differ from rank to rank
 * and may be 0. Sums meet in double by ncclAllReduce: the same bits in every run of the same ranks,
 * within 7 units of roundoff of sum |x| for float. Min and max treat NaN as reduce.h does.
 * Errors as in reduce.h, and WK_ERROR_NCCL. */
WK_API wk_status wk_ranks_sum_f32(wk_ranks *ranks, const float *x, int64_t n, float *out,
                                  cudaStream_t stream);
WK_API wk_status wk_ranks_sum_f64(wk_ranks *ranks, const double *x, int64_t n, double *out,
                                  cudaStream_t stream);
WK_API wk_status wk_ranks_mean_f32(wk_ranks *ranks, const float *x, int64_t n, float *out,
                                   cudaStream_t stream);
WK_API wk_status wk_ranks_dot_f32(wk_ranks *ranks, const float *x, const float *y, int64_t n, float *out,
                                  cudaStream_t stream);
WK_API wk_status wk_ranks_min_f32(wk_ranks *ranks, const float *x, int64_t n, float *out,
                                  cudaStream_t stream);
WK_API wk_status wk_ranks_max_f32(wk_ranks *ranks, const float *x, int64_t n, float *out,
                                  cudaStream_t stream);

/* Totals of a portfolio whose bonds are divided over the ranks, as wk_bonds_portfolio_soa with double
 * accumulation. */
WK_API wk_status wk_ranks_portfolio(wk_ranks *ranks, const wk_bonds *bonds, int64_t n, wk_portfolio *out,
                                    cudaStream_t stream);

/* Convolves an image whose rows are divided over the ranks by wk_shard_conv_rows. `conv` describes
 * the whole image, one of them (images == 1). `in` points to above + count + below rows of this rank: the
 * call fills the rows above and below from the neighbours; while they travel, the outputs that do not need
 * them are computed. `out` points to out_count rows. Errors as wk_conv2d_f32 and
 * wk_shard_conv_rows, and WK_ERROR_NCCL. */
WK_API wk_status wk_ranks_conv2d_f32(wk_ranks *ranks, const wk_conv2d *conv, float *in, const float *weights,
                                     float *out, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
