/* Histograms of 256 bins. */
#ifndef WARPKERNELS_HISTOGRAM_H
#define WARPKERNELS_HISTOGRAM_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WK_HISTOGRAM_BINS 256

/* counts[b] = how many of x[0..n) equal b. counts (device memory, 256 values) is overwritten. */
WK_API wk_status wk_histogram_u8(const uint8_t *x, int64_t n, uint64_t *counts, cudaStream_t stream);
WK_API wk_status wk_histogram_u8_host(const uint8_t *x, int64_t n, uint64_t *counts);

/* 256 bins of equal width from lo to hi: bin floor((x - lo) * (256 / (hi - lo))), evaluated in
 * float; x = hi belongs to the last bin; values outside and NaN are not counted. lo < hi, both finite,
 * else WK_ERROR_VALUE. */
WK_API wk_status wk_histogram_f32(const float *x, int64_t n, float lo, float hi, uint64_t *counts,
                                  cudaStream_t stream);
WK_API wk_status wk_histogram_f32_host(const float *x, int64_t n, float lo, float hi, uint64_t *counts);

/* Errors: WK_ERROR_NULL, WK_ERROR_SIZE, WK_ERROR_ALIGNMENT, WK_ERROR_OVERLAP, WK_ERROR_VALUE, and those
 * of a launch. The call queues a memset and a kernel. */

#ifdef __cplusplus
}
#endif
#endif
