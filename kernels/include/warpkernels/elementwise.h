/* Elementwise calls. Add your own with map.cuh. */
#ifndef WARPKERNELS_ELEMENTWISE_H
#define WARPKERNELS_ELEMENTWISE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = a * x[i]. out may be x. */
WK_API wk_status wk_scale_f32(float a, const float *x, float *out, int64_t n, cudaStream_t stream);
WK_API wk_status wk_scale_f64(double a, const double *x, double *out, int64_t n, cudaStream_t stream);
WK_API wk_status wk_scale_f32_host(float a, const float *x, float *out, int64_t n);
WK_API wk_status wk_scale_f64_host(double a, const double *x, double *out, int64_t n);

/* out[i] = a * x[i] + y[i], rounded once. out may be x or y. */
WK_API wk_status wk_axpy_f32(float a, const float *x, const float *y, float *out, int64_t n,
                             cudaStream_t stream);
WK_API wk_status wk_axpy_f64(double a, const double *x, const double *y, double *out, int64_t n,
                             cudaStream_t stream);
WK_API wk_status wk_axpy_f32_host(float a, const float *x, const float *y, float *out, int64_t n);
WK_API wk_status wk_axpy_f64_host(double a, const double *x, const double *y, double *out, int64_t n);

/* Errors of all: WK_ERROR_NULL, WK_ERROR_SIZE, WK_ERROR_ALIGNMENT, WK_ERROR_OVERLAP (out
 * overlaps an input without being the same array), and those of a launch. */

#ifdef __cplusplus
}
#endif
#endif
