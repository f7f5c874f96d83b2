// Every path of the convolution against the host reference: all borders, sizes that hit each of them,
// odd and even filters, pitches and alignments, halves, parts of the output, NaN.
#include "check.cuh"

#include <warpkernels/conv.h>

#include <float.h>

#include <cuda_fp16.h>

static check_random rng = {17};

// How a case lies in memory: elements between rows and images beyond what they need, and how far
// both pointers are from 256-byte alignment.
struct layout {
    int64_t in_gap, in_image_gap, out_gap, out_image_gap, shift;
};

static wk_conv2d describe(int64_t height, int64_t width, int32_t filter_height,
                          int32_t filter_width, wk_border border, wk_conv_path path) {
    wk_conv2d c = {};
    c.images = 1, c.height = height, c.width = width;
    c.filter_height = filter_height, c.filter_width = filter_width;
    c.border = border, c.path = path;
    return c;
}

static void pitches(wk_conv2d *c, const layout &l) {
    int64_t height, width;
    if (wk_conv2d_output_size(c, &height, &width) != WK_SUCCESS) return;
    int64_t rows = c->rows ? c->rows : height - c->first_row;
    c->in_pitch = c->width + l.in_gap;
    c->in_image_pitch = c->height * c->in_pitch + l.in_image_gap;
    c->out_pitch = width + l.out_gap;
    c->out_image_pitch = rows * c->out_pitch + l.out_image_gap;
}

// What the difference to the reference may be: a rounding for each addition and product of
// the sum of magnitudes, and what separating the filter may change.
static double bound(const wk_conv2d &c, const float *weights, double peak) {
    double sum = 0;
    int n = c.filter_height * c.filter_width;
    for (int i = 0; i < n; i++) sum += fabs(weights[i]);
    return ((n + 4) * 0x1p-24 + WK_SEPARABLE_TOLERANCE) * sum * peak;
}

// Runs the case on the device and on the host. column and row NULL: the filter as it is.
static void compare(const char *name, wk_conv2d c, const float *weights, const float *column,
                    const float *row, bool half, const layout &l = layout()) {
    pitches(&c, l);
    const int64_t in_count = c.images * c.in_image_pitch, out_count = c.images * c.out_image_pitch;
    float *in = (float *)malloc((size_t)(in_count + 1) * 4);
    uint16_t *in16 = (uint16_t *)malloc((size_t)(in_count + 1) * 2);
    for (int64_t i = 0; i < in_count; i++) {
        __half h = __float2half((float)random_real(&rng, -1, 1));
        memcpy(&in16[i], &h, 2);
        in[i] = half ? __half2float(h) : (float)random_real(&rng, -1, 1);
    }
    float *got = (float *)malloc((size_t)(out_count + 1) * 4);
    float *want = (float *)malloc((size_t)(out_count + 1) * 4);
    memset(want, 0xa5, (size_t)out_count * 4);

    device_array<float> out = device_new<float>(out_count, l.shift);
    wk_status status, reference;
    if (half) {
        device_array<uint16_t> d = device_from(in16, in_count, l.shift);
        status = weights ? wk_conv2d_f16(&c, d.data, weights, out.data, 0)
                         : wk_conv2d_separable_f16(&c, d.data, column, row, out.data, 0);
        reference = weights ? wk_conv2d_f16_host(&c, in16, weights, want)
                            : wk_conv2d_separable_f16_host(&c, in16, column, row, want);
        check_cuda(cudaDeviceSynchronize(), name);
        device_free(&d);
    } else {
        device_array<float> d = device_from(in, in_count, l.shift);
        status = weights ? wk_conv2d_f32(&c, d.data, weights, out.data, 0)
                         : wk_conv2d_separable_f32(&c, d.data, column, row, out.data, 0);
        reference = weights ? wk_conv2d_f32_host(&c, in, weights, want)
                            : wk_conv2d_separable_f32_host(&c, in, column, row, want);
        check_cuda(cudaDeviceSynchronize(), name);
        device_free(&d);
    }
    bool intact = device_read(&out, got);

    float product[WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER];
    if (!weights)
        for (int i = 0; i < c.filter_height * c.filter_width; i++)
            product[i] = column[i / c.filter_width] * row[i % c.filter_width];
    const double limit = bound(c, weights ? weights : product, 1);
    // Gaps between rows and images keep their pattern, which compares equal as bits.
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < out_count; i++)
        if (memcmp(&got[i], &want[i], 4) && !(fabs((double)got[i] - want[i]) <= limit)) {
            if (first < 0) first = i;
            wrong++;
        }
    check(status == WK_SUCCESS && reference == WK_SUCCESS && intact && wrong == 0, name,
          "%s; %lld of %lld wrong, first %lld: %.9g, expected %.9g; guard %s",
          wk_status_string(status), (long long)wrong, (long long)out_count, (long long)first,
          first < 0 ? 0. : got[first], first < 0 ? 0. : want[first], intact ? "intact" : "broken");
    device_free(&out);
    free(in);
    free(in16);
    free(got);
    free(want);
}

static void random_filter(float *weights, int n) {
    for (int i = 0; i < n; i++) weights[i] = (float)random_real(&rng, -1, 1);
}

static const wk_border borders[] = {WK_BORDER_VALID, WK_BORDER_ZERO, WK_BORDER_REPLICATE,
                                    WK_BORDER_REFLECT};
static const char *const border_names[] = {"valid", "zero", "replicate", "reflect"};

// Wide enough for a strip away from both borders, with every border and alignment.
static void march(void) {
    for (int k = 1; k <= 7; k++)
        for (int b = 0; b < 4; b++) {
            float w[49];
            char name[96];
            random_filter(w, k * k);
            snprintf(name, sizeof name, "march %dx%d %s", k, k, border_names[b]);
            compare(name, describe(20, 400, k, k, borders[b], WK_CONV_MARCH), w, NULL, NULL, false);
            snprintf(name, sizeof name, "march %dx%d %s, unaligned, half %d", k, k, border_names[b], k % 2);
            layout odd = {1, 3, 2, 5, 1};
            compare(name, describe(k + 5, 261, k, k, borders[b], WK_CONV_MARCH), w, NULL, NULL,
                    k % 2, odd);
            snprintf(name, sizeof name, "march %dx%d %s, half", k, k, border_names[b]);
            compare(name, describe(13, 272, k, k, borders[b], WK_CONV_MARCH), w, NULL, NULL, true);
        }
}

// Each width once for floats and once for halves, heights all over the range.
static void blocked(void) {
    for (int kw = 1; kw <= WK_CONV_MAX_FILTER; kw++)
        for (int half = 0; half < 2; half++) {
            int kh = (kw * 7 + half * 13) % WK_CONV_MAX_FILTER + 1, b = (kw + half) % 4;
            float w[WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER];
            char name[96];
            random_filter(w, kh * kw);
            snprintf(name, sizeof name, "blocked %dx%d %s%s", kh, kw, border_names[b], half ? ", half" : "");
            layout l = {0, 0, 0, 0, 0};
            if (kw % 3 == 0) l = {1, 3, 1, 5, 1};
            compare(name, describe(36, 320, kh, kw, borders[b], WK_CONV_BLOCKED), w, NULL, NULL, half, l);
        }
}

static void separable(void) {
    for (int k = 3; k <= WK_CONV_MAX_FILTER; k++) {
        float column[WK_CONV_MAX_FILTER], row[WK_CONV_MAX_FILTER];
        char name[96];
        random_filter(column, k);
        random_filter(row, k);
        int b = k % 4;
        snprintf(name, sizeof name, "separable %dx%d %s", k, k, border_names[b]);
        compare(name, describe(2 * k + 5, 330, k, k, borders[b], WK_CONV_SEPARABLE), NULL, column, row, false);
        b = (k / 2) % 4;
        layout l = {0, 0, 0, 0, 0};
        if (k % 2) l = {1, 3, 1, 5, 1};
        snprintf(name, sizeof name, "separable %dx%d %s, half", k, k, border_names[b]);
        compare(name, describe(k, 61, k, k, borders[b], WK_CONV_SEPARABLE), NULL, column, row, true, l);
    }
}

// Each number of taps, floats and halves, aligned and not; strips and marches away from the borders and at each.
static void tensor(void) {
    for (int k = 3; k <= WK_CONV_MAX_FILTER; k++) {
        float column[WK_CONV_MAX_FILTER], row[WK_CONV_MAX_FILTER];
        char name[96];
        random_filter(column, k);
        random_filter(row, k);
        const int b = k % 4, half = k / 4 % 2;
        snprintf(name, sizeof name, "tensor %dx%d %s%s", k, k, border_names[b], half ? ", half" : "");
        const bool wide = k % 3 == 0;
        compare(name, describe(3 * k + 5, wide ? 840 : 332, k, k, borders[b], WK_CONV_TENSOR), NULL, column, row, half);
        snprintf(name, sizeof name, "tensor %dx%d %s, unaligned%s", k, k, border_names[(b + 1) % 4], half ? "" : ", half");
        compare(name, describe(k + 20, 61 + 5 * k, k, k, borders[(b + 1) % 4], WK_CONV_TENSOR), NULL, column, row, !half,
                {1, 3, 1, 5, 1});
    }
}

// What a result may differ by where magnitudes differ: by the sum of the weights times the largest within 64 rows.
static void check_range(const char *name, int k, int64_t height, int64_t width, const float *in, double lost) {
    float column[WK_CONV_MAX_FILTER], row[WK_CONV_MAX_FILTER];
    double sum_column = 0, sum_row = 0;
    random_filter(column, k);
    random_filter(row, k);
    for (int i = 0; i < k; i++) sum_column += fabs(column[i]), sum_row += fabs(row[i]);
    float *got = (float *)malloc((size_t)(height * width) * 4), *want = (float *)malloc((size_t)(height * width) * 4);
    device_array<float> d = device_from(in, height * width), out = device_new<float>(height * width);
    wk_conv2d c = describe(height, width, k, k, WK_BORDER_REFLECT, WK_CONV_TENSOR);
    wk_status s = wk_conv2d_separable_f32(&c, d.data, column, row, out.data, 0);
    wk_conv2d_separable_f32_host(&c, in, column, row, want);
    device_read(&out, got);
    int64_t wrong = 0, first = -1;
    for (int64_t r = 0; r < height; r++) {
        double peak = 0, near = 0;  // of the window's rows, and of those that share a scale
        for (int64_t i = r - 64 < 0 ? 0 : r - 64; i < height && i <= r + 64; i++)
            for (int64_t j = 0; j < width; j++) {
                const double x = fabs(in[i * width + j]);
                if (!isfinite(x)) continue;
                near = fmax(near, x);
                if (i >= r - k && i <= r + k) peak = fmax(peak, x);
            }
        const double limit = sum_column * sum_row * (0x1p-20 * peak + lost * near) + 0x1p-149 * (1 + sum_column * sum_row);
        for (int64_t j = r * width; j < (r + 1) * width; j++) {
            const bool same = isnan(want[j]) ? isnan(got[j]) : got[j] == want[j] || fabs((double)got[j] - want[j]) <= limit;
            if (same) continue;
            if (first < 0) first = j;
            wrong++;
        }
    }
    check(s == WK_SUCCESS && wrong == 0, name, "%s; %lld of %lld wrong, first row %lld column %lld: %.9g, expected %.9g",
          wk_status_string(s), (long long)wrong, (long long)(height * width), (long long)(first / width),
          (long long)(first % width), first < 0 ? 0. : got[first], first < 0 ? 0. : want[first]);
    device_free(&d);
    device_free(&out);
    free(got);
    free(want);
}

// The scales of the path on tensor cores: sizes of all orders, steps between them up and down, zeros, and what is
// not finite in the midst of it.
static void tensor_range(void) {
    const int64_t height = 230, width = 300;
    float *in = (float *)malloc((size_t)(height * width) * 4);
    const struct { const char *name; double upper, middle, lower; } cases[] = {
        {"tensor, 1e30 in all", 1e30, 1e30, 1e30},      {"tensor, 1e-30 in all", 1e-30, 1e-30, 1e-30},
        {"tensor, denormals", 1e-40, 3e-42, 1e-40},     {"tensor, 1, 1e12, 1", 1, 1e12, 1},
        {"tensor, 1e12, 1, 1e-12", 1e12, 1, 1e-12},     {"tensor, 1, 0, 1", 1, 0, 1},
        {"tensor, 1e38, 1e-38, 0", 1e38, 1e-38, 0},     {"tensor, 0, 1e-45, 1e38", 0, 1e-45, 1e38},
        {"tensor, 1, 255, 65535", 1, 255, 65535},
    };
    for (auto &c : cases)
        for (int k = 9; k <= 31; k += 11) {
            char name[96];
            for (int64_t i = 0; i < height * width; i++) {
                const int64_t r = i / width;
                const double size = r < 70 ? c.upper : r < 150 ? c.middle : c.lower;
                in[i] = (float)(random_real(&rng, -1, 1) * size);
            }
            snprintf(name, sizeof name, "%s, %d taps", c.name, k);
            check_range(name, k, height, width, in, 0x1p-32);
        }
    const float odd[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        char name[96];
        for (int64_t j = 0; j < height * width; j++) in[j] = (float)random_real(&rng, -1, 1);
        in[100 * width + 150] = odd[i];
        if (i == 1) in[90 * width + 40] = INFINITY, in[97 * width + 48] = FLT_MAX;
        snprintf(name, sizeof name, "tensor, %g inside", odd[i]);
        check_range(name, 10 + 9 * i, height, width, in, 0x1p-32);
    }
    free(in);

    // Factors that only float can take.
    const struct { const char *name; float factor; } factors[] = {
        {"tensor, weights of 1e-20", 1e-20f}, {"tensor, weights of 1e20", 1e20f}, {"tensor, weights of 0", 0}};
    for (auto &f : factors) {
        float column[11], row[11];
        random_filter(column, 11);
        for (int i = 0; i < 11; i++) row[i] = f.factor * (float)random_real(&rng, -1, 1);
        compare(f.name, describe(40, 300, 11, 11, WK_BORDER_ZERO, WK_CONV_TENSOR), NULL, column, row, false);
    }
}

static void basic(void) {
    const int sizes[][4] = {{3, 3, 16, 16}, {3, 5, 7, 9}, {5, 2, 1, 64}, {31, 31, 64, 64}, {1, 1, 3, 1}};
    for (int i = 0; i < 5; i++)
        for (int b = 0; b < 4; b++) {
            float w[WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER];
            char name[96];
            random_filter(w, sizes[i][0] * sizes[i][1]);
            wk_conv2d c = describe(33, 41, sizes[i][0], sizes[i][1], borders[b], WK_CONV_TILED);
            c.tile_height = sizes[i][2], c.tile_width = sizes[i][3];
            snprintf(name, sizeof name, "tiled %dx%d in %dx%d %s", sizes[i][0], sizes[i][1], sizes[i][2],
                     sizes[i][3], border_names[b]);
            compare(name, c, w, NULL, NULL, b % 2);
            c.path = WK_CONV_NAIVE;
            snprintf(name, sizeof name, "naive %dx%d %s", sizes[i][0], sizes[i][1], border_names[b]);
            compare(name, c, w, NULL, NULL, !(b % 2));
        }
}

// Images smaller than the filter, down to one element and none.
static void small(void) {
    const int sizes[][2] = {{1, 1}, {1, 7}, {9, 1}, {2, 2}, {3, 129}, {0, 5}, {5, 0}};
    const int filters[][2] = {{3, 3}, {7, 7}, {2, 2}, {1, 31}, {31, 1}, {12, 12}, {31, 31}};
    for (int s = 0; s < 7; s++)
        for (int f = 0; f < 7; f++) {
            int b = (s + f) % 4, h = filters[f][0], w = filters[f][1];
            float weights[WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER], column[31], row[31];
            char name[96];
            random_filter(weights, h * w);
            snprintf(name, sizeof name, "image %dx%d, filter %dx%d %s", sizes[s][0], sizes[s][1], h, w,
                     border_names[b]);
            compare(name, describe(sizes[s][0], sizes[s][1], h, w, borders[b], WK_CONV_AUTO), weights,
                    NULL, NULL, (s + f) % 2);
            if (h != w || h < 3) continue;
            random_filter(column, h);
            random_filter(row, w);
            snprintf(name, sizeof name, "image %dx%d, separable %dx%d %s", sizes[s][0], sizes[s][1], h, w,
                     border_names[(b + 1) % 4]);
            compare(name, describe(sizes[s][0], sizes[s][1], h, w, borders[(b + 1) % 4], WK_CONV_SEPARABLE),
                    NULL, column, row, false);
            snprintf(name, sizeof name, "image %dx%d, tensor %dx%d %s", sizes[s][0], sizes[s][1], h, w, border_names[b]);
            compare(name, describe(sizes[s][0], sizes[s][1], h, w, borders[b], WK_CONV_TENSOR), NULL, column, row, s % 2);
        }
}

// Several images with gaps, and some rows of the output, on each path.
static void parts(void) {
    const struct { wk_conv_path path; int k; const char *name; } paths[] = {
        {WK_CONV_NAIVE, 4, "naive"},     {WK_CONV_TILED, 5, "tiled"},      {WK_CONV_MARCH, 5, "march"},
        {WK_CONV_BLOCKED, 9, "blocked"}, {WK_CONV_SEPARABLE, 9, "separable"}, {WK_CONV_TENSOR, 9, "tensor"}};
    for (int i = 0; i < 6; i++)
        for (int b = 0; b < 4; b++) {
            float w[81], column[9], row[9];
            char name[96];
            const int k = paths[i].k;
            random_filter(w, k * k);
            random_filter(column, k);
            random_filter(row, k);
            wk_conv2d c = describe(37, 52, k, k, borders[b], paths[i].path);
            c.images = 3;
            bool factors = paths[i].path >= WK_CONV_SEPARABLE;
            layout l = {4, 8, 4, 12, 0};
            snprintf(name, sizeof name, "%s, 3 images, %s", paths[i].name, border_names[b]);
            compare(name, c, factors ? NULL : w, column, row, false, l);
            c.flags = WK_CONV_FLIP;
            for (int first = 0; first < 30; first += 11) {
                c.first_row = first, c.rows = first == 22 ? 0 : 5;
                snprintf(name, sizeof name, "%s, turned, rows from %d, %s", paths[i].name, first, border_names[b]);
                compare(name, c, factors ? NULL : w, column, row, false, l);
            }
        }
}

// A filter of rank 1 that is not said to be one gives what its factors give.
static void detected(void) {
    float column[11], row[11], w[121];
    for (int i = 0; i < 11; i++) column[i] = row[i] = expf(-0.08f * (float)((i - 5) * (i - 5)));
    for (int i = 0; i < 121; i++) w[i] = column[i / 11] * row[i % 11];
    wk_conv2d c = describe(40, 60, 11, 11, WK_BORDER_REFLECT, WK_CONV_AUTO);
    wk_conv_path path = WK_CONV_AUTO;
    check_status(wk_conv2d_choose(&c, w, &path), WK_SUCCESS, "choose");
    check(path == WK_CONV_SEPARABLE, "Gauss 11x11 is found to be separable", "path %d", path);
    compare("Gauss 11x11, detected", c, w, NULL, NULL, false);
    c.filter_height = 3;
    compare("factors of a filter that is not square", c, NULL, column, row, false);
}

// A NaN reaches exactly the outputs whose window holds it, also where the library pads.
static void nan_stays(void) {
    const struct { wk_conv_path path; int k; const char *name; } paths[] = {
        {WK_CONV_MARCH, 3, "march 3"},       {WK_CONV_MARCH, 6, "march 6"},
        {WK_CONV_BLOCKED, 11, "blocked 11"}, {WK_CONV_BLOCKED, 5, "blocked 5"},
        {WK_CONV_SEPARABLE, 9, "separable 9"}, {WK_CONV_TENSOR, 9, "tensor 9"},       {WK_CONV_TILED, 3, "tiled"}};
    const int64_t height = 45, width = 300;
    for (int i = 0; i < 7; i++) {
        const int k = paths[i].k;
        float *in = (float *)calloc((size_t)(height * width), 4), w[121], column[11], row[11];
        float *got = (float *)malloc((size_t)(height * width) * 4);
        for (int j = 0; j < k * k; j++) w[j] = 1;
        for (int j = 0; j < k; j++) column[j] = row[j] = 1;
        in[20 * width + 150] = NAN;
        device_array<float> d = device_from(in, height * width), out = device_new<float>(height * width);
        wk_conv2d c = describe(height, width, k, k, WK_BORDER_ZERO, paths[i].path);
        wk_status s = paths[i].path >= WK_CONV_SEPARABLE
                          ? wk_conv2d_separable_f32(&c, d.data, column, row, out.data, 0)
                          : wk_conv2d_f32(&c, d.data, w, out.data, 0);
        device_read(&out, got);
        int64_t nans = 0;
        for (int64_t j = 0; j < height * width; j++) nans += isnan(got[j]);
        char name[64];
        snprintf(name, sizeof name, "NaN stays in its windows, %s", paths[i].name);
        check(s == WK_SUCCESS && nans == k * k, name, "%s, %lld NaN", wk_status_string(s), (long long)nans);
        device_free(&d);
        device_free(&out);
        free(in);
        free(got);
    }
}

// On an error nothing is launched: the output keeps its pattern.
static void errors(void) {
    float w[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
    float zeros[64] = {0}, got[64];
    device_array<float> in = device_from(zeros, 64), out = device_new<float>(64);
    wk_conv2d good = describe(8, 8, 3, 3, WK_BORDER_ZERO, WK_CONV_AUTO), c = good;
    check_status(wk_conv2d_f32(NULL, in.data, w, out.data, 0), WK_ERROR_NULL, "no description");
    check_status(wk_conv2d_f32(&c, NULL, w, out.data, 0), WK_ERROR_NULL, "no input");
    check_status(wk_conv2d_f32(&c, in.data, NULL, out.data, 0), WK_ERROR_NULL, "no weights");
    check_status(wk_conv2d_f32(&c, in.data, w, NULL, 0), WK_ERROR_NULL, "no output");
    check_status(wk_conv2d_separable_f32(&c, in.data, w, NULL, out.data, 0), WK_ERROR_NULL, "no row");
    check_status(wk_conv2d_f32(&c, in.data, w, in.data, 0), WK_ERROR_OVERLAP, "in place");
    check_status(wk_conv2d_f32(&c, in.data, w, (float *)((char *)out.data + 2), 0), WK_ERROR_ALIGNMENT,
                 "unaligned element");
    c.path = WK_CONV_SEPARABLE;
    check_status(wk_conv2d_f32(&c, in.data, w, out.data, 0), WK_ERROR_VALUE, "rank 3 as separable");
    c = good, c.filter_width = 2, c.path = WK_CONV_MARCH;
    check_status(wk_conv2d_f32(&c, in.data, w, out.data, 0), WK_ERROR_VALUE, "march 3x2");
    c = good, c.in_pitch = 7;
    check_status(wk_conv2d_f32(&c, in.data, w, out.data, 0), WK_ERROR_PITCH, "pitch");
    c = good, c.height = INT64_MAX / 8;
    check_status(wk_conv2d_f32(&c, in.data, w, out.data, 0), WK_ERROR_SIZE, "overflow");
    check_cuda(cudaDeviceSynchronize(), "errors");
    bool kept = device_read(&out, got);
    for (int i = 0; i < 64; i++) {
        uint32_t bits;
        memcpy(&bits, &got[i], 4);
        kept = kept && bits == 0xa5a5a5a5u;
    }
    check(kept, "nothing launched on error", "the output changed");
    device_free(&in);
    device_free(&out);
}

// More images and more rows than a grid has blocks along z and y.
static void grid_limits(void) {
    float one = 2, w[9];
    random_filter(w, 9);
    wk_conv2d c = describe(1, 1, 1, 1, WK_BORDER_VALID, WK_CONV_NAIVE);
    c.images = 65535 + 70;
    compare("70 images too many for z, naive", c, &one, NULL, NULL, false);
    c.path = WK_CONV_MARCH;
    compare("70 images too many for z, march", c, &one, NULL, NULL, false);
    wk_conv2d three = describe(3, 3, 3, 3, WK_BORDER_REPLICATE, WK_CONV_SEPARABLE);
    three.images = 65535 + 70;
    compare("70 images too many for z, separable", three, NULL, w, w + 3, false);
    three.path = WK_CONV_TENSOR;
    compare("70 images too many for z, tensor", three, NULL, w, w + 3, false);
    compare("rows too many for y, march", describe(65535 * 4 + 90, 3, 3, 3, WK_BORDER_REFLECT, WK_CONV_MARCH), w,
            NULL, NULL, false);
    compare("rows too many for y, naive", describe(65535 * 8 + 90, 2, 3, 3, WK_BORDER_ZERO, WK_CONV_NAIVE), w, NULL,
            NULL, false);
    compare("rows too many for y, blocked", describe((int64_t)65535 * 32 + 90, 2, 3, 3, WK_BORDER_ZERO, WK_CONV_BLOCKED),
            w, NULL, NULL, false);
}

static void large(void) {
    grid_limits();
    for (int k = 1; k <= WK_CONV_MAX_FILTER; k += 2)
        for (int b = 0; b < 4; b++) {
            float w[WK_CONV_MAX_FILTER * WK_CONV_MAX_FILTER], column[31], row[31];
            char name[96];
            random_filter(w, k * k);
            random_filter(column, k);
            random_filter(row, k);
            snprintf(name, sizeof name, "large %dx%d %s", k, k, border_names[b]);
            compare(name, describe(261, 1025 + b, k, k, borders[b], WK_CONV_AUTO), w, NULL, NULL, b % 2);
            snprintf(name, sizeof name, "large separable %dx%d %s", k, k, border_names[b]);
            if (k >= 3)
                compare(name, describe(261, 1025 + b, k, k, borders[b], WK_CONV_SEPARABLE), NULL, column, row, b % 2);
        }
}

int main(void) {
    check_begin("conv");
    march();
    blocked();
    separable();
    tensor();
    tensor_range();
    basic();
    small();
    parts();
    detected();
    nan_stays();
    errors();
    if (check_large()) large();
    return check_end();
}
