// scale, axpy and a user's own map against the host references: bit for bit, at sizes around
// every boundary of a pack, a tile and a block, at every alignment.
#include "check.cuh"

#include <warpkernels/elementwise.h>
#include <warpkernels/map.cuh>

WK_ELEMENTWISE_2(clamp_sum, float, fminf(x + y, a))

static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 31, 33, 1023, 1024, 4095, 4096, 4097, 9001};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

template <class T> static void fill(T *x, int64_t n, uint64_t seed) {
    check_random r = {seed};
    for (int64_t i = 0; i < n; i++) x[i] = (T)random_real(&r, -100, 100);
}

template <class T> static int64_t differ(const T *a, const T *b, int64_t n) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) wrong += memcmp(a + i, b + i, sizeof(T)) != 0;
    return wrong;
}

template <class T>
static void try_all(const char *type, wk_status (*scale)(T, const T *, T *, int64_t, cudaStream_t),
                    wk_status (*scale_host)(T, const T *, T *, int64_t),
                    wk_status (*axpy)(T, const T *, const T *, T *, int64_t, cudaStream_t),
                    wk_status (*axpy_host)(T, const T *, const T *, T *, int64_t), int64_t n, int sx, int sy,
                    int so) {
    T *x = (T *)malloc((size_t)(n + 1) * sizeof(T)), *y = (T *)malloc((size_t)(n + 1) * sizeof(T));
    T *want = (T *)malloc((size_t)(n + 1) * sizeof(T)), *got = (T *)malloc((size_t)(n + 1) * sizeof(T));
    fill(x, n, 1 + (uint64_t)n);
    fill(y, n, 2 + (uint64_t)n);
    device_array<T> dx = device_from(x, n, sx), dy = device_from(y, n, sy);
    device_array<T> out = device_new<T>(n, so);
    char name[96];

    wk_status s = scale((T)1.7, dx.data, out.data, n, 0);
    scale_host((T)1.7, x, want, n);
    bool intact = device_read(&out, got);
    snprintf(name, sizeof name, "scale %s n=%lld shift %d->%d", type, (long long)n, sx, so);
    check(s == WK_SUCCESS && intact && !differ(got, want, n), name, "status %d, guard %s, %lld wrong", s,
          intact ? "intact" : "overwritten", (long long)differ(got, want, n));

    s = axpy((T)-0.3, dx.data, dy.data, out.data, n, 0);
    axpy_host((T)-0.3, x, y, want, n);
    intact = device_read(&out, got);
    snprintf(name, sizeof name, "axpy %s n=%lld shift %d,%d->%d", type, (long long)n, sx, sy, so);
    check(s == WK_SUCCESS && intact && !differ(got, want, n), name, "status %d, guard %s, %lld wrong", s,
          intact ? "intact" : "overwritten", (long long)differ(got, want, n));

    // In place on y, as BLAS does.
    s = axpy((T)-0.3, dx.data, dy.data, dy.data, n, 0);
    intact = device_read(&dy, got);
    snprintf(name, sizeof name, "axpy in place %s n=%lld shift %d,%d", type, (long long)n, sx, sy);
    check(s == WK_SUCCESS && intact && !differ(got, want, n), name, "status %d, %lld wrong", s,
          (long long)differ(got, want, n));

    device_free(&dx);
    device_free(&dy);
    device_free(&out);
    free(x);
    free(y);
    free(want);
    free(got);
}

static void try_user_map(void) {
    enum { n = 5000 };
    static float x[n], y[n], got[n];
    fill(x, n, 5);
    fill(y, n, 6);
    device_array<float> dx = device_from(x, n), dy = device_from(y, n), out = device_new<float>(n);
    wk_status s = clamp_sum(20.0f, dx.data, dy.data, out.data, n, 0);
    bool intact = device_read(&out, got);
    int64_t wrong = 0;
    for (int i = 0; i < n; i++) wrong += got[i] != fminf(x[i] + y[i], 20.0f);
    check(s == WK_SUCCESS && intact && wrong == 0, "user map", "%lld wrong", (long long)wrong);
    device_free(&dx);
    device_free(&dy);
    device_free(&out);
}

static void try_errors(void) {
    device_array<float> a = device_new<float>(64);
    check_status(wk_scale_f32(1, NULL, a.data, 4, 0), WK_ERROR_NULL, "null input");
    check_status(wk_scale_f32(1, a.data, NULL, 4, 0), WK_ERROR_NULL, "null output");
    check_status(wk_scale_f32(1, NULL, NULL, 0, 0), WK_SUCCESS, "size 0 with null");
    check_status(wk_scale_f32(1, a.data, a.data, -1, 0), WK_ERROR_SIZE, "negative size");
    check_status(wk_scale_f32(1, a.data, a.data, INT64_MAX / 2, 0), WK_ERROR_SIZE, "size overflows");
    check_status(wk_scale_f32(1, a.data, a.data + 1, 16, 0), WK_ERROR_OVERLAP, "shifted overlap");
    check_status(wk_scale_f32(1, (float *)((char *)a.data + 2), a.data + 32, 4, 0), WK_ERROR_ALIGNMENT,
                 "half an element off");
    float h[64];
    check(device_read(&a, h), "errors launch nothing", "guard overwritten");
    device_free(&a);
}

int main(void) {
    check_begin("elementwise");
    for (int i = 0; i < SIZES; i++) {
        try_all<float>("f32", wk_scale_f32, wk_scale_f32_host, wk_axpy_f32, wk_axpy_f32_host, sizes[i], 0, 0,
                       0);
        try_all<double>("f64", wk_scale_f64, wk_scale_f64_host, wk_axpy_f64, wk_axpy_f64_host, sizes[i], 0, 0,
                        0);
    }
    for (int shift = 1; shift < 4; shift++) {
        try_all<float>("f32", wk_scale_f32, wk_scale_f32_host, wk_axpy_f32, wk_axpy_f32_host, 2051, shift,
                       shift, shift);
        try_all<float>("f32", wk_scale_f32, wk_scale_f32_host, wk_axpy_f32, wk_axpy_f32_host, 2051, shift, 0,
                       2);
        try_all<float>("f32", wk_scale_f32, wk_scale_f32_host, wk_axpy_f32, wk_axpy_f32_host, shift, shift,
                       shift, shift);
    }
    try_all<double>("f64", wk_scale_f64, wk_scale_f64_host, wk_axpy_f64, wk_axpy_f64_host, 1027, 1, 1, 1);
    try_all<double>("f64", wk_scale_f64, wk_scale_f64_host, wk_axpy_f64, wk_axpy_f64_host, 1027, 1, 0, 0);
    if (check_large())
        try_all<float>("f32", wk_scale_f32, wk_scale_f32_host, wk_axpy_f32, wk_axpy_f32_host, 33554441, 0, 0,
                       0);
    try_user_map();
    try_errors();
    return check_end();
}
