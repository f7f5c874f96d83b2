/* wk-conv: filters an image on the GPU.
 *
 *   wk-conv in.png --filter sharpen out.png
 *   wk-conv in.pgm --kernel '0 1 0  1 -4 1  0 1 0' --border reflect out.pgm
 */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <warpkernels/conv.h>

#include "image.h"

enum { MAX_TAPS = WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER };

typedef struct {
    const char *in, *out;
    int side; /* rows and columns of the filter */
    float weights[MAX_TAPS];
    wk_border border;
    int host;
} options;

/* --- filters ------------------------------------------------------------------ */

static const struct {
    const char *name;
    int side;
    float weights[25];
} named[] = {
    {"identity", 1, {1}},
    {"sharpen", 3, {0, -1, 0, -1, 5, -1, 0, -1, 0}},
    {"edges", 3, {-1, -1, -1, -1, 8, -1, -1, -1, -1}},
    {"emboss", 3, {-2, -1, 0, -1, 1, 1, 0, 1, 2}},
    {"sobel-x", 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}},
    {"sobel-y", 3, {-1, -2, -1, 0, 0, 0, 1, 2, 1}},
};

/* box-N and gauss-N for odd and even N up to 31; sigma of a Gaussian is N / 6: the filter ends at
 * three of them. */
static int make_sized(options *o, const char *name) {
    const int box = strncmp(name, "box-", 4) == 0, gauss = strncmp(name, "gauss-", 6) == 0;
    if (!box && !gauss) return 0;
    char *end;
    const long n = strtol(name + (box ? 4 : 6), &end, 10);
    if (*end || n < 1 || n > WK_CONV_MAX_FILTER) return 0;
    double line[WK_CONV_MAX_FILTER], sum = 0;
    for (int i = 0; i < n; i++) {
        const double x = (i - (double)(n - 1) / 2) / ((double)n / 6);
        sum += line[i] = box ? 1 : exp(-x * x / 2);
    }
    for (int i = 0; i < n * n; i++) o->weights[i] = (float)(line[i / n] / sum * line[i % n] / sum);
    o->side = (int)n;
    return 1;
}

static int set_filter(options *o, const char *name) {
    for (size_t k = 0; k < sizeof named / sizeof named[0]; k++)
        if (strcmp(name, named[k].name) == 0) {
            o->side = named[k].side;
            memcpy(o->weights, named[k].weights, sizeof named[k].weights);
            return 1;
        }
    return make_sized(o, name);
}

/* Numbers of a square filter, row by row. */
static int set_kernel(options *o, const char *text) {
    int n = 0;
    for (char *end; *text; text = end) {
        const float w = strtof(text, &end);
        if (end == text || n == MAX_TAPS || !isfinite(w)) return 0;
        o->weights[n++] = w;
        end += strspn(end, " ,;\t\n");
    }
    o->side = (int)lround(sqrt(n));
    return n > 0 && o->side * o->side == n;
}

/* --- command line ----------------------------------------------------------------- */

static error_t parse(int key, char *arg, struct argp_state *state) {
    static const char *const borders[] = {"valid", "zero", "replicate", "reflect"};
    options *o = state->input;
    switch (key) {
    case 'f':
        if (!set_filter(o, arg)) argp_error(state, "unknown filter '%s': see --help for the names", arg);
        return 0;
    case 'k':
        if (!set_kernel(o, arg)) argp_error(state, "'%s' is no square of numbers, 1x1 to 31x31", arg);
        return 0;
    case 'b':
        for (int i = 0; i < 4; i++)
            if (strcmp(arg, borders[i]) == 0) {
                o->border = (wk_border)i;
                return 0;
            }
        argp_error(state, "unknown border '%s': valid, zero, replicate or reflect", arg);
        return EINVAL;
    case 'H':
        o->host = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (!o->in)
            o->in = arg;
        else if (!o->out)
            o->out = arg;
        else
            argp_error(state, "one input and one output, please");
        return 0;
    case ARGP_KEY_END:
        if (!o->out) argp_error(state, "an input and an output image are needed");
        if (!o->side) argp_error(state, "--filter or --kernel is needed");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* --- work ------------------------------------------------------------------------- */

static wk_status on_gpu(const wk_conv2d *conv, const float *in, const float *weights, float *out,
                        size_t in_bytes, size_t out_bytes) {
    float *device_in = NULL, *device_out = NULL;
    wk_status s = WK_ERROR_CUDA;
    if (cudaMalloc((void **)&device_in, in_bytes) == cudaSuccess &&
        cudaMalloc((void **)&device_out, out_bytes) == cudaSuccess &&
        cudaMemcpy(device_in, in, in_bytes, cudaMemcpyHostToDevice) == cudaSuccess) {
        s = wk_conv2d_f32(conv, device_in, weights, device_out, 0);
        if (s == WK_SUCCESS && cudaMemcpy(out, device_out, out_bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
            s = WK_ERROR_CUDA;
    }
    cudaFree(device_in);
    cudaFree(device_out);
    return s;
}

int main(int argc, char **argv) {
    static const struct argp_option option[] = {
        {"filter", 'f', "NAME", 0,
         "identity, sharpen, edges, emboss, sobel-x, sobel-y, box-N, gauss-N (N to 31)", 0},
        {"kernel", 'k', "NUMBERS", 0, "a square filter, row by row", 0},
        {"border", 'b', "KIND", 0, "valid (the image shrinks), zero, replicate (default), reflect", 0},
        {"host", 'H', NULL, 0, "compute on the CPU, with the reference", 0},
        {0},
    };
    static const struct argp parser = {option, parse, "IN OUT", "Filters a PNG, PGM or PPM image on the GPU.",
                                       NULL,   NULL,  NULL};
    options o = {.border = WK_BORDER_REPLICATE};
    if (argp_parse(&parser, argc, argv, 0, NULL, &o) != 0) return 2;

    char message[256];
    image in, out = {0, 0, 0, NULL};
    const char *error = image_read(o.in, &in, message);
    if (error) {
        fprintf(stderr, "wk-conv: %s: %s\n", o.in, error);
        return 1;
    }
    /* The planes are the images of one call. */
    wk_conv2d conv = {.images = in.planes,
                      .height = in.height,
                      .width = in.width,
                      .filter_height = o.side,
                      .filter_width = o.side,
                      .border = o.border};
    int64_t height = 0, width = 0;
    wk_status s = wk_conv2d_output_size(&conv, &height, &width);
    int status = 1;
    if (s == WK_SUCCESS && (height == 0 || width == 0)) {
        fprintf(stderr, "wk-conv: %s is smaller than the filter: nothing is left with --border valid\n",
                o.in);
        goto done;
    }
    out = (image){(int)width, (int)height, in.planes, NULL};
    const size_t in_bytes = (size_t)in.planes * (size_t)in.height * (size_t)in.width * sizeof(float);
    const size_t out_bytes = (size_t)in.planes * (size_t)height * (size_t)width * sizeof(float);
    if (s == WK_SUCCESS && !(out.samples = malloc(out_bytes))) s = WK_ERROR_MEMORY;
    if (s == WK_SUCCESS)
        s = o.host ? wk_conv2d_f32_host(&conv, in.samples, o.weights, out.samples)
                   : on_gpu(&conv, in.samples, o.weights, out.samples, in_bytes, out_bytes);
    if (s != WK_SUCCESS) {
        fprintf(stderr, "wk-conv: %s: %s\n", wk_status_string(s),
                o.host ? "on the host" : cudaGetErrorString(cudaGetLastError()));
        goto done;
    }
    error = image_write(o.out, &out, message);
    if (error)
        fprintf(stderr, "wk-conv: %s: %s\n", o.out, error);
    else
        status = 0;
done:
    image_free(&in);
    image_free(&out);
    return status;
}
