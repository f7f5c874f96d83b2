/* The references: the definition in loops, in double. */
#include <math.h>
#include <string.h>

#include "conv_plan.h"

/* The element of a line of n that position i stands for, or -1 for zero. */
static int64_t border_index(int64_t i, int64_t n, wk_border border) {
    if (i >= 0 && i < n) return i;
    switch (border) {
    case WK_BORDER_REPLICATE: return i < 0 ? 0 : n - 1;
    case WK_BORDER_REFLECT: {
        if (n == 1) return 0;
        int64_t period = 2 * (n - 1);
        int64_t m = (i % period + period) % period;
        return m < n ? m : period - m;
    }
    default: return -1;
    }
}

/* IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. */
static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v;
    if (exponent == 31) v = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0) v = ldexp(fraction, -24);
    else v = ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -v : v;
}

typedef struct source {
    const float *f32;
    const uint16_t *f16;
} source;

static double element(source in, int64_t i) {
    return in.f32 ? (double)in.f32[i] : half_value(in.f16[i]);
}

static void convolve(const wk_conv2d *c, const conv_plan *p, source in, const double *w,
                     float *out) {
    for (int64_t n = 0; n < c->images; n++)
        for (int64_t y = 0; y < p->rows; y++)
            for (int64_t x = 0; x < p->columns; x++) {
                double sum = 0;
                for (int32_t i = 0; i < c->filter_height; i++)
                    for (int32_t j = 0; j < c->filter_width; j++) {
                        int64_t r = border_index(c->first_row + y + i - p->top, c->height, c->border);
                        int64_t k = border_index(x + j - p->left, c->width, c->border);
                        double v = r < 0 || k < 0
                                       ? 0
                                       : element(in, n * p->in_image + r * p->in_pitch + k);
                        sum += w[i * c->filter_width + j] * v;
                    }
                out[n * p->out_image + y * p->out_pitch + x] = (float)sum;
            }
}

/* The filter as it is, or as column times row. */
static wk_status reference(const wk_conv2d *c, source in, size_t in_bytes, const float *weights,
                           const float *column, const float *row, float *out) {
    conv_plan plan;
    wk_status status = conv_plan_make(c, &plan);
    if (status != WK_SUCCESS) return status;
    if (!weights && !(column && row)) return WK_ERROR_NULL;
    const void *data = in.f32 ? (const void *)in.f32 : in.f16;
    status = conv_plan_pointers(&plan, data, in_bytes, out);
    if (status != WK_SUCCESS || plan.out_count == 0) return status;

    int32_t height = c->filter_height, width = c->filter_width, count = height * width;
    double w[WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER];
    for (int32_t i = 0; i < count; i++) {
        double v = weights ? (double)weights[i] : (double)column[i / width] * (double)row[i % width];
        w[c->flags & WK_CONV_FLIP ? count - 1 - i : i] = v;
    }
    convolve(c, &plan, in, w, out);
    return WK_SUCCESS;
}

wk_status wk_conv2d_f32_host(const wk_conv2d *conv, const float *in, const float *weights,
                             float *out) {
    return reference(conv, (source){in, NULL}, sizeof *in, weights, NULL, NULL, out);
}

wk_status wk_conv2d_f16_host(const wk_conv2d *conv, const uint16_t *in, const float *weights,
                             float *out) {
    return reference(conv, (source){NULL, in}, sizeof *in, weights, NULL, NULL, out);
}

wk_status wk_conv2d_separable_f32_host(const wk_conv2d *conv, const float *in,
                                       const float *column, const float *row, float *out) {
    return reference(conv, (source){in, NULL}, sizeof *in, NULL, column, row, out);
}

wk_status wk_conv2d_separable_f16_host(const wk_conv2d *conv, const uint16_t *in,
                                       const float *column, const float *row, float *out) {
    return reference(conv, (source){NULL, in}, sizeof *in, NULL, column, row, out);
}
