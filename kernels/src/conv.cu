// The dispatcher: checks, fills the kernels' arguments, picks the path. Nothing is launched
// before every check has passed.
#include "../host/conv_plan.h"
#include "conv_internal.cuh"

namespace {

struct filter {
    const float *weights;       // or
    const float *column, *row;  // its factors
};

conv_args arguments(const wk_conv2d &c, const conv_plan &p, const void *in, bool half, float *out) {
    conv_args a = {};
    size_t in_bytes = half ? sizeof(__half) : sizeof(float);
    a.in = in;
    a.out = out;
    a.in_pitch = p.in_pitch, a.in_image = p.in_image;
    a.out_pitch = p.out_pitch, a.out_image = p.out_image;
    a.height = c.height, a.width = c.width, a.images = c.images;
    a.out_height = p.rows, a.out_width = p.columns;
    a.row0 = c.first_row - p.top, a.col0 = -p.left;
    a.filter_height = c.filter_height, a.filter_width = c.filter_width;
    a.border = c.border;
    a.half_in = half;
    a.vector_in = (uintptr_t)in % (4 * in_bytes) == 0 && a.in_pitch % 4 == 0 &&
                  (a.in_image % 4 == 0 || a.images == 1);
    a.vector_out = (uintptr_t)out % 16 == 0 && a.out_pitch % 4 == 0 &&
                   (a.out_image % 4 == 0 || a.images == 1);
    return a;
}

wk_status run(const wk_conv2d *conv, const void *in, bool half, filter f, float *out,
              cudaStream_t stream) {
    conv_plan plan;
    WK_TRY(conv_plan_make(conv, &plan));
    if (!f.weights && !(f.column && f.row)) return WK_ERROR_NULL;
    WK_TRY(conv_plan_pointers(&plan, in, half ? sizeof(__half) : sizeof(float), out));

    // The filter as the kernels take it: turned where that was asked for, and its factors
    // where they were given or can be found.
    const int32_t height = conv->filter_height, width = conv->filter_width;
    float weights[WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER];
    float column[WK_CONV_MAX_FILTER], row[WK_CONV_MAX_FILTER];
    int separable = 1;
    if (f.weights) {
        conv_copy_weights(conv, f.weights, height * width, weights);
        separable = conv_path_asks_rank(conv) &&
                    wk_filter_separate(weights, height, width, WK_SEPARABLE_TOLERANCE, column, row);
    } else {
        conv_copy_weights(conv, f.column, height, column);
        conv_copy_weights(conv, f.row, width, row);
        for (int32_t i = 0; i < height * width; i++) weights[i] = column[i / width] * row[i % width];
    }
    wk_conv_path path = conv->path;
    if (path == WK_CONV_AUTO) path = conv_path_best(conv, &plan, separable);
    if (conv_path_takes_factors(path) && !separable) return WK_ERROR_VALUE;
    if (plan.out_count == 0) return WK_SUCCESS;

    conv_args a = arguments(*conv, plan, in, half, out);
    if (conv->path == WK_CONV_AUTO && path == WK_CONV_TENSOR && !a.vector_in) path = WK_CONV_SEPARABLE;
    switch (path) {
    case WK_CONV_NAIVE: return conv_launch_naive(a, weights, stream);
    case WK_CONV_TILED:
        return conv_launch_tiled(a, weights, conv->tile_height ? conv->tile_height : 16,
                                 conv->tile_width ? conv->tile_width : 16, stream);
    case WK_CONV_MARCH: return conv_launch_march(a, weights, stream);
    case WK_CONV_SEPARABLE: return conv_launch_separable(a, column, row, stream);
    case WK_CONV_TENSOR: return conv_launch_tensor(a, column, row, stream);
    default: return conv_launch_blocked(a, weights, stream);
    }
}

}  // namespace

extern "C" wk_status wk_conv2d_f32(const wk_conv2d *conv, const float *in, const float *weights,
                                   float *out, cudaStream_t stream) {
    return run(conv, in, false, {weights, NULL, NULL}, out, stream);
}

extern "C" wk_status wk_conv2d_f16(const wk_conv2d *conv, const uint16_t *in, const float *weights,
                                   float *out, cudaStream_t stream) {
    return run(conv, in, true, {weights, NULL, NULL}, out, stream);
}

extern "C" wk_status wk_conv2d_separable_f32(const wk_conv2d *conv, const float *in,
                                             const float *column, const float *row, float *out,
                                             cudaStream_t stream) {
    return run(conv, in, false, {NULL, column, row}, out, stream);
}

extern "C" wk_status wk_conv2d_separable_f16(const wk_conv2d *conv, const uint16_t *in,
                                             const float *column, const float *row, float *out,
                                             cudaStream_t stream) {
    return run(conv, in, true, {NULL, column, row}, out, stream);
}
