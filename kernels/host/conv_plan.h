/* A convolution's description with its defaults filled in and everything checked: shared by the
 * dispatcher and the references. Not installed. */
#ifndef WK_CONV_PLAN_H
#define WK_CONV_PLAN_H

#include <warpkernels/conv.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct conv_plan {
    int64_t in_pitch, in_image, out_pitch, out_image; /* elements */
    int64_t rows, columns;                            /* of output to compute */
    int64_t in_count, out_count; /* elements from the first to the last, 0 when empty */
    int32_t top, left;           /* taps above and left of the output's own position */
} conv_plan;

/* Checks everything but pointers. */
wk_status conv_plan_make(const wk_conv2d *conv, conv_plan *plan);

/* Checks the pointers, for input elements of `in_bytes`; weights are up to the caller. */
wk_status conv_plan_pointers(const conv_plan *plan, const void *in, size_t in_bytes,
                             const float *out);

/* Copies `count` weights, back to front when the filter is to be turned. */
void conv_copy_weights(const wk_conv2d *conv, const float *weights, int32_t count, float *copy);

/* Whether `path` computes with a column and a row, so that the filter's rank has to be 1. */
int conv_path_takes_factors(wk_conv_path path);

/* Whether `path` can do the filter, its rank aside. */
int conv_path_fits(const wk_conv2d *conv, wk_conv_path path);

/* Whether the choice of the path depends on the filter's rank. */
int conv_path_asks_rank(const wk_conv2d *conv);

/* What WK_CONV_AUTO takes, given whether the filter has rank 1. */
wk_conv_path conv_path_best(const wk_conv2d *conv, const conv_plan *plan, int separable);

#ifdef __cplusplus
}
#endif
#endif
