/* 2-D convolution of N single-channel images with one filter.
 *
 * Correlation, as in image processing and in neural networks:
 *
 *     out[r][c] = sum over i, j of  w[i][j] * in[r + i - top][c + j - left]
 *
 * with top = left = 0 for WK_BORDER_VALID and top = (filter_height - 1) / 2,
 * left = (filter_width - 1) / 2 otherwise, so that an even filter reaches one
 * element further down and right than up and left. WK_CONV_FLIP turns the
 * filter by 180 degrees first: true convolution.
 *
 * Weights are HOST memory: at most 961 floats, which travel with the launch and
 * reach the kernel through the constant bank. They may be freed when the call
 * returns. Sums are float, products too but for WK_CONV_TENSOR; the order of
 * summation is fixed, so that a call gives the same bits every time.
 */
#ifndef WARPKERNELS_CONV_H
#define WARPKERNELS_CONV_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WK_CONV_MAX_FILTER 31 /* rows and columns of a filter */

/* What lies outside the image. */
typedef enum wk_border {
    WK_BORDER_VALID = 0, /* nothing: the output shrinks to where the filter fits */
    WK_BORDER_ZERO,      /* 0 0 | a b c d | 0 0 */
    WK_BORDER_REPLICATE, /* a a | a b c d | d d */
    WK_BORDER_REFLECT    /* c b | a b c d | c b, repeated as often as the filter needs */
} wk_border;

/* How it is computed. All paths give the same sums up to rounding. */
typedef enum wk_conv_path {
    WK_CONV_AUTO = 0,
    WK_CONV_NAIVE,    /* one thread an output, every tap from global memory */
    WK_CONV_TILED,    /* one tile a block in shared memory, any tile size */
    WK_CONV_MARCH,    /* square filters up to 7x7: registers only, one pass over the image */
    WK_CONV_BLOCKED,  /* shared tile, 4x8 outputs a thread in registers; any filter */
    WK_CONV_SEPARABLE, /* square filters of rank 1 from 3x3: a column and a row pass in one kernel */
    WK_CONV_TENSOR     /* the same on tensor cores, see below */
} wk_conv_path;

/* WK_CONV_TENSOR takes each element and each weight as the sum of two halves of 11 bits, and three of the four
 * products of halves. Blocks scale their elements by a power of two, chosen anew where it has to be as they
 * walk down the image: an element x counts with an error of 2^-23 |x| + 2^-34 M, where M is the largest
 * magnitude within 64 rows and 288 columns of the output, and so does the intermediate between rows and columns.
 * Where neighbours differ by less than 2^10 that is the accuracy of float; what is 2^-34 of its neighbours is
 * lost beside them. Windows that hold an infinity or NaN are computed in float, and so is everything (by
 * WK_CONV_SEPARABLE) on devices before compute capability 8.0, with factors that are not finite, and where the sum
 * of the filter's magnitudes is not in [2^-12, 2^20].
 *
 * WK_CONV_AUTO takes it where it is faster: large images and filters, input that allows 16-byte accesses.
 * WK_CONV_SEPARABLE is there for those who want float throughout. */

#define WK_CONV_FLIP 1u /* true convolution */

typedef struct wk_conv2d {
    int64_t images, height, width;        /* of the input */
    int64_t in_pitch, in_image_pitch;     /* elements from row to row, from image to image; */
    int64_t out_pitch, out_image_pitch;   /*   0 means dense */
    int64_t first_row, rows;              /* output rows to compute, `out` points to the first of
                                             them; rows == 0 means all from first_row on */
    int32_t filter_height, filter_width;  /* 1 to WK_CONV_MAX_FILTER */
    wk_border border;
    uint32_t flags;                       /* WK_CONV_FLIP or 0 */
    wk_conv_path path;
    int32_t tile_height, tile_width;      /* outputs of a WK_CONV_TILED block, 1 to 64; 0 means 16 */
} wk_conv2d;

/* Rows and columns of the whole output (before first_row and rows): those of the
 * input, less filter - 1 for WK_BORDER_VALID, never less than 0. */
WK_API wk_status wk_conv2d_output_size(const wk_conv2d *conv, int64_t *height, int64_t *width);

/* Convolves. `in` is a device pointer to images * height * width elements as the pitches lay
 * them out, `weights` a host pointer to filter_height * filter_width floats, row by row.
 * An empty input or output is valid and launches nothing.
 * 16-byte accesses are used where pointers and pitches allow it (multiples of 16 bytes).
 * WK_ERROR_NULL, WK_ERROR_SIZE (negative, or bytes overflow), WK_ERROR_PITCH (less than a row, or
 * images that overlap), WK_ERROR_ALIGNMENT, WK_ERROR_OVERLAP (input with output),
 * WK_ERROR_VALUE (filter size, border, flags, path or tile out of range, rows outside the output,
 * or a path that cannot do this filter). */
WK_API wk_status wk_conv2d_f32(const wk_conv2d *conv, const float *in, const float *weights,
                               float *out, cudaStream_t stream);

/* The same for IEEE 754 binary16 input (the bits of CUDA's __half), summed in float. */
WK_API wk_status wk_conv2d_f16(const wk_conv2d *conv, const uint16_t *in, const float *weights,
                               float *out, cudaStream_t stream);

/* A filter given as the product of a column (filter_height floats) and a row
 * (filter_width floats), both host pointers: w[i][j] = column[i] * row[j]. */
WK_API wk_status wk_conv2d_separable_f32(const wk_conv2d *conv, const float *in,
                                         const float *column, const float *row, float *out,
                                         cudaStream_t stream);
WK_API wk_status wk_conv2d_separable_f16(const wk_conv2d *conv, const uint16_t *in,
                                         const float *column, const float *row, float *out,
                                         cudaStream_t stream);

/* The references, in double, rounded once. `path` and tiles are checked and ignored. */
WK_API wk_status wk_conv2d_f32_host(const wk_conv2d *conv, const float *in, const float *weights,
                                    float *out);
WK_API wk_status wk_conv2d_f16_host(const wk_conv2d *conv, const uint16_t *in,
                                    const float *weights, float *out);
WK_API wk_status wk_conv2d_separable_f32_host(const wk_conv2d *conv, const float *in,
                                              const float *column, const float *row, float *out);
WK_API wk_status wk_conv2d_separable_f16_host(const wk_conv2d *conv, const uint16_t *in,
                                              const float *column, const float *row, float *out);

/* A filter counts as separable when
 *     sum |w[i][j] - column[i] * row[j]|  <=  WK_SEPARABLE_TOLERANCE * sum |w[i][j]|,
 * which bounds the change of any output by WK_SEPARABLE_TOLERANCE * sum |w| * max |in|: a few
 * roundings, what a filter costs that was itself computed as a product in float. */
#define WK_SEPARABLE_TOLERANCE 0x1p-21f

/* Finds column (height floats) and row (width floats), or returns 0 and leaves
 * them unspecified when the filter is not separable to `tolerance` (>= 0, as above). */
WK_API int wk_filter_separate(const float *weights, int32_t height, int32_t width,
                              float tolerance, float *column, float *row);

/* The path that WK_CONV_AUTO takes for this filter, or conv->path itself when that
 * one is possible. Errors as wk_conv2d_f32, for what can be seen without the pointers. */
WK_API wk_status wk_conv2d_choose(const wk_conv2d *conv, const float *weights,
                                  wk_conv_path *path);

#ifdef __cplusplus
}
#endif
#endif
