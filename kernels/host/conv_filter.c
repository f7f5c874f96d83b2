#include <math.h>

#include "conv_plan.h"

/* Rank 1 means that every row is a multiple of the row that holds the largest weight. */
int wk_filter_separate(const float *w, int32_t height, int32_t width, float tolerance,
                       float *column, float *row) {
    if (!w || !column || !row || height < 1 || height > WK_CONV_MAX_FILTER || width < 1 ||
        width > WK_CONV_MAX_FILTER || !(tolerance >= 0))
        return 0;
    int32_t pivot = 0;
    double total = 0;
    for (int32_t i = 0; i < height * width; i++) {
        if (!isfinite(w[i])) return 0;
        total += fabs((double)w[i]);
        if (fabsf(w[i]) > fabsf(w[pivot])) pivot = i;
    }
    const float *pivot_row = w + pivot / width * width;
    double peak = w[pivot];
    /* Both factors get the size of a square root: neither over- nor underflows. */
    double scale = peak != 0 ? sqrt(fabs(peak)) : 1;
    for (int32_t j = 0; j < width; j++) row[j] = (float)(pivot_row[j] / scale);
    for (int32_t i = 0; i < height; i++)
        column[i] = peak != 0 ? (float)(w[i * width + pivot % width] / peak * scale) : 0;

    double error = 0;
    for (int32_t i = 0; i < height; i++)
        for (int32_t j = 0; j < width; j++)
            error += fabs((double)w[i * width + j] - (double)column[i] * (double)row[j]);
    return error <= (double)tolerance * total;
}

wk_status wk_conv2d_choose(const wk_conv2d *conv, const float *weights, wk_conv_path *path) {
    float column[WK_CONV_MAX_FILTER], row[WK_CONV_MAX_FILTER];
    conv_plan plan;
    if (!conv || !weights || !path) return WK_ERROR_NULL;
    wk_status status = conv_plan_make(conv, &plan);
    if (status != WK_SUCCESS) return status;
    int separable = wk_filter_separate(weights, conv->filter_height, conv->filter_width,
                                       WK_SEPARABLE_TOLERANCE, column, row);
    if (conv_path_takes_factors(conv->path) && !separable) return WK_ERROR_VALUE;
    *path = conv->path == WK_CONV_AUTO ? conv_path_best(conv, &plan, separable) : conv->path;
    return WK_SUCCESS;
}
