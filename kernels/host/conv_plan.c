#include "conv_plan.h"

#include <stddef.h>

static int64_t dense(int64_t pitch, int64_t row) { return pitch ? pitch : row; }

/* (n - 1) * step + last, or -1 when that is no size in memory. */
static int64_t extent(int64_t n, int64_t step, int64_t last) {
    int64_t size;
    if (n == 0 || last == 0) return 0;
    if (__builtin_mul_overflow(n - 1, step, &size) || __builtin_add_overflow(size, last, &size))
        return -1;
    return size > INT64_MAX / (int64_t)sizeof(float) ? -1 : size;
}

/* Pitches of one side: fills defaults, checks that rows and images fit into them. */
static wk_status lay_out(int64_t images, int64_t rows, int64_t columns, int64_t *pitch,
                         int64_t *image_pitch, int64_t *count) {
    if (*pitch < 0 || *image_pitch < 0) return WK_ERROR_PITCH;
    *pitch = dense(*pitch, columns);
    if (*pitch < columns) return WK_ERROR_PITCH;
    int64_t image = extent(rows, *pitch, columns);
    if (image < 0) return WK_ERROR_SIZE;
    if (!*image_pitch && __builtin_mul_overflow(rows, *pitch, image_pitch)) return WK_ERROR_SIZE;
    if (images > 1 && *image_pitch < image) return WK_ERROR_PITCH;
    *count = extent(images, *image_pitch, image);
    return *count < 0 ? WK_ERROR_SIZE : WK_SUCCESS;
}

static wk_status check_options(const wk_conv2d *c) {
    if (c->filter_height < 1 || c->filter_height > WK_CONV_MAX_FILTER || c->filter_width < 1 ||
        c->filter_width > WK_CONV_MAX_FILTER)
        return WK_ERROR_VALUE;
    if ((unsigned)c->border > WK_BORDER_REFLECT || (unsigned)c->path > WK_CONV_TENSOR ||
        c->flags & ~WK_CONV_FLIP)
        return WK_ERROR_VALUE;
    if (c->tile_height < 0 || c->tile_height > 64 || c->tile_width < 0 || c->tile_width > 64)
        return WK_ERROR_VALUE;
    return conv_path_fits(c, c->path) ? WK_SUCCESS : WK_ERROR_VALUE;
}

wk_status wk_conv2d_output_size(const wk_conv2d *c, int64_t *height, int64_t *width) {
    if (!c || !height || !width) return WK_ERROR_NULL;
    if (c->height < 0 || c->width < 0) return WK_ERROR_SIZE;
    wk_status status = check_options(c);
    if (status != WK_SUCCESS) return status;
    int64_t h = c->height, w = c->width;
    if (c->border == WK_BORDER_VALID) {
        h = h < c->filter_height ? 0 : h - (c->filter_height - 1);
        w = w < c->filter_width ? 0 : w - (c->filter_width - 1);
    }
    *height = h;
    *width = w;
    return WK_SUCCESS;
}

wk_status conv_plan_make(const wk_conv2d *c, conv_plan *p) {
    int64_t out_height, out_width;
    if (!c) return WK_ERROR_NULL;
    wk_status status = wk_conv2d_output_size(c, &out_height, &out_width);
    if (status != WK_SUCCESS) return status;
    if (c->images < 0) return WK_ERROR_SIZE;
    if (c->first_row < 0 || c->rows < 0 || c->first_row > out_height ||
        c->rows > out_height - c->first_row)
        return WK_ERROR_VALUE;

    p->rows = c->rows ? c->rows : out_height - c->first_row;
    p->columns = out_width;
    p->top = c->border == WK_BORDER_VALID ? 0 : (c->filter_height - 1) / 2;
    p->left = c->border == WK_BORDER_VALID ? 0 : (c->filter_width - 1) / 2;
    p->in_pitch = c->in_pitch;
    p->in_image = c->in_image_pitch;
    p->out_pitch = c->out_pitch;
    p->out_image = c->out_image_pitch;
    status = lay_out(c->images, c->height, c->width, &p->in_pitch, &p->in_image, &p->in_count);
    if (status != WK_SUCCESS) return status;
    return lay_out(c->images, p->rows, p->columns, &p->out_pitch, &p->out_image, &p->out_count);
}

wk_status conv_plan_pointers(const conv_plan *p, const void *in, size_t in_bytes,
                             const float *out) {
    if (p->out_count == 0) return WK_SUCCESS; /* nothing is read either */
    if (!in || !out) return WK_ERROR_NULL;
    if ((uintptr_t)in % in_bytes || (uintptr_t)out % sizeof(float)) return WK_ERROR_ALIGNMENT;
    uintptr_t in_end = (uintptr_t)in + (uintptr_t)p->in_count * in_bytes;
    uintptr_t out_end = (uintptr_t)out + (uintptr_t)p->out_count * sizeof(float);
    if (in_end < (uintptr_t)in || out_end < (uintptr_t)out) return WK_ERROR_SIZE;
    return (uintptr_t)in < out_end && (uintptr_t)out < in_end ? WK_ERROR_OVERLAP : WK_SUCCESS;
}

void conv_copy_weights(const wk_conv2d *conv, const float *weights, int32_t count, float *copy) {
    for (int32_t i = 0; i < count; i++)
        copy[i] = weights[conv->flags & WK_CONV_FLIP ? count - 1 - i : i];
}

int conv_path_fits(const wk_conv2d *c, wk_conv_path path) {
    int square = c->filter_height == c->filter_width;
    switch (path) {
    case WK_CONV_MARCH: return square && c->filter_width <= 7;
    case WK_CONV_SEPARABLE:
    case WK_CONV_TENSOR: return square && c->filter_width >= 3;
    default: return 1;
    }
}

int conv_path_takes_factors(wk_conv_path path) {
    return path == WK_CONV_SEPARABLE || path == WK_CONV_TENSOR;
}

int conv_path_asks_rank(const wk_conv2d *c) {
    return conv_path_takes_factors(c->path) ||
           (c->path == WK_CONV_AUTO && conv_path_fits(c, WK_CONV_SEPARABLE) && c->filter_width >= 6);
}

/* Whether tensor cores are faster than float: measured (docs/kernels-conv-notes.md). Their time hardly depends on the taps,
 * and small images have too few blocks that march far enough to pay for their start. */
static int tensor_pays(int32_t taps, double pixels) {
    return taps >= (pixels >= 96e6 ? 11 : pixels >= 25e6 ? 24 : WK_CONV_MAX_FILTER + 1);
}

/* Up to 5x5 memory is the bound either way, and marching needs no shared memory. */
wk_conv_path conv_path_best(const wk_conv2d *c, const conv_plan *p, int separable) {
    if (separable && conv_path_asks_rank(c)) {
        const double pixels = (double)c->images * (double)p->rows * (double)p->columns;
        return tensor_pays(c->filter_width, pixels) ? WK_CONV_TENSOR : WK_CONV_SEPARABLE;
    }
    return conv_path_fits(c, WK_CONV_MARCH) ? WK_CONV_MARCH : WK_CONV_BLOCKED;
}
