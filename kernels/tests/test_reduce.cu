// All reductions of all types against the host references: integers and orders exactly, floating-point
// sums within the promised 6 units of roundoff, each call twice for the same bits.
#include "check.cuh"

#include <warpkernels/elementwise.h>
#include <warpkernels/reduce.h>

static wk_workspace *workspace;

template <class T, class O> struct reduce_case {
    const char *name;
    wk_status (*rows)(const T *, int64_t, int64_t, int64_t, O *, wk_workspace *, cudaStream_t);
    wk_status (*rows_host)(const T *, int64_t, int64_t, int64_t, O *);
    wk_status (*whole)(const T *, int64_t, O *, wk_workspace *, cudaStream_t);
    bool sums; // compare with a bound instead of bits
};

static double roundoff(float) {
    return 0x1p-24;
}
static double roundoff(double) {
    return 0x1p-53;
}
template <class T> static double roundoff(T) {
    return 0x1p-53;
}

template <class T> static double magnitude(const T *x, int64_t n) {
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += fabs((double)x[i]);
    return s;
}

template <class T, class O> static bool same(T a, T b, double bound, bool exact, O) {
    if (memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b)) return true;
    return !exact && fabs((double)a - (double)b) <= bound;
}

template <class T, class O>
static void try_rows(const reduce_case<T, O> &c, const T *x, int64_t rows, int64_t cols, int64_t pitch,
                     int shift) {
    const int64_t span = rows && cols ? (rows - 1) * pitch + cols : 0;
    O *got = (O *)malloc((size_t)(rows + 1) * sizeof(O)), *want = (O *)malloc((size_t)(rows + 1) * sizeof(O));
    O *again = (O *)malloc((size_t)(rows + 1) * sizeof(O));
    device_array<T> dx = device_from(x, span, shift);
    device_array<O> out = device_new<O>(rows);
    char name[120];
    snprintf(name, sizeof name, "%s %lldx%lld pitch %lld shift %d", c.name, (long long)rows, (long long)cols,
             (long long)pitch, shift);
    wk_status s = rows == 1 && pitch == cols ? c.whole(dx.data, cols, out.data, workspace, 0)
                                             : c.rows(dx.data, rows, cols, pitch, out.data, workspace, 0);
    bool intact = device_read(&out, got);
    c.rows_host(x, rows, cols, pitch, want);
    c.rows(dx.data, rows, cols, pitch, out.data, workspace, 0);
    device_read(&out, again);
    int64_t wrong = 0, first = -1;
    for (int64_t r = 0; r < rows; r++) {
        const double u = roundoff(O()) * 6;
        if (!same(got[r], want[r], u * magnitude(x + r * pitch, cols), !c.sums, O())) {
            if (first < 0) first = r;
            wrong++;
        }
    }
    check(s == WK_SUCCESS && intact && wrong == 0 && memcmp(got, again, (size_t)rows * sizeof(O)) == 0, name,
          "status %d, guard %s, %lld rows wrong, first %lld: %.17g, expected %.17g, %s", s,
          intact ? "intact" : "overwritten", (long long)wrong, (long long)first,
          first < 0 ? 0.0 : (double)got[first], first < 0 ? 0.0 : (double)want[first],
          memcmp(got, again, (size_t)rows * sizeof(O)) ? "other bits when repeated" : "same bits");
    device_free(&dx);
    device_free(&out);
    free(got);
    free(want);
    free(again);
}

// Values that make ties likely for orders and cancellation for sums.
template <class T> static T draw(check_random *r, bool ties) {
    if (ties) return (T)(int64_t)(random_u64(r) % 7) - (T)3;
    return (T)random_real(r, -1000, 1000);
}
template <> int64_t draw(check_random *r, bool ties) {
    return ties ? (int64_t)(random_u64(r) % 7) - 3 : (int64_t)random_u64(r);
}
template <> int32_t draw(check_random *r, bool ties) {
    return ties ? (int32_t)(random_u64(r) % 7) - 3 : (int32_t)random_u64(r);
}

template <class T, class O> static void try_case(const reduce_case<T, O> &c) {
    static const int64_t sizes[] = {0, 1, 2, 3, 31, 33, 256, 1025, 4095, 4099, 12289};
    static const int64_t shapes[][3] = {{3, 1, 1},     {7, 5, 8},       {33, 17, 17},    {65, 32, 32},
                                        {5, 129, 131}, {3, 1025, 1028}, {2, 9000, 9001}, {300, 2, 2},
                                        {4, 0, 3},     {0, 5, 5}};
    const int64_t most = check_large() ? 3000017 : 20000;
    T *x = (T *)malloc((size_t)most * sizeof(T));
    check_random r = {7};
    for (int64_t i = 0; i < most; i++) x[i] = draw<T>(&r, false);
    for (int64_t n : sizes) try_rows(c, x, 1, n, n, 0);
    try_rows(c, x, 1, 5003, 5003, 1);
    if (sizeof(T) == 4) try_rows(c, x, 1, 2, 2, 3);
    for (auto &s : shapes) try_rows(c, x, s[0], s[1], s[2], 0);
    try_rows(c, x, 3, 1500, 1501, 1);
    if (check_large()) try_rows(c, x, 1, most, most, 0);
    for (int64_t i = 0; i < 6000; i++) x[i] = draw<T>(&r, true);
    try_rows(c, x, 1, 6000, 6000, 0);
    try_rows(c, x, 20, 300, 300, 0);
    free(x);
}

#define CASE(OP, TYPE, T, O, SUMS)                                                                           \
    try_case<T, O>(                                                                                          \
        {#OP " " #TYPE, wk_##OP##_rows_##TYPE, wk_##OP##_rows_##TYPE##_host, wk_##OP##_##TYPE, SUMS})

template <class T>
static void try_dot(const char *type,
                    wk_status (*rows_call)(const T *, const T *, int64_t, int64_t, int64_t, T *,
                                           wk_workspace *, cudaStream_t),
                    wk_status (*rows_host)(const T *, const T *, int64_t, int64_t, int64_t, T *),
                    int64_t rows, int64_t cols, int64_t pitch, int sx, int sy) {
    const int64_t n = (rows - 1) * pitch + cols;
    T *x = (T *)malloc((size_t)n * sizeof(T)), *y = (T *)malloc((size_t)n * sizeof(T));
    T *got = (T *)malloc((size_t)rows * sizeof(T)), *want = (T *)malloc((size_t)rows * sizeof(T));
    check_random r = {11};
    for (int64_t i = 0; i < n; i++) x[i] = draw<T>(&r, false), y[i] = draw<T>(&r, false);
    device_array<T> dx = device_from(x, n, sx), dy = device_from(y, n, sy), out = device_new<T>(rows);
    wk_status s = rows_call(dx.data, dy.data, rows, cols, pitch, out.data, workspace, 0);
    bool intact = device_read(&out, got);
    rows_host(x, y, rows, cols, pitch, want);
    bool right = true;
    for (int64_t k = 0; k < rows; k++) {
        double bound = 0;
        for (int64_t i = 0; i < cols; i++) bound += fabs((double)x[k * pitch + i] * (double)y[k * pitch + i]);
        const bool exact = T(0.5) == T(0);
        right &= same(got[k], want[k], 6 * roundoff(T()) * bound, exact, T());
    }
    char name[96];
    snprintf(name, sizeof name, "dot %s %lldx%lld shift %d,%d", type, (long long)rows, (long long)cols, sx,
             sy);
    check(s == WK_SUCCESS && intact && right, name, "status %d, %.17g, expected %.17g", s, (double)got[0],
          (double)want[0]);
    device_free(&dx);
    device_free(&dy);
    device_free(&out);
    free(x);
    free(y);
    free(got);
    free(want);
}

static void try_dot_i32(void) {
    enum { n = 7001 };
    static int32_t x[n], y[n];
    check_random r = {13};
    for (int i = 0; i < n; i++) x[i] = draw<int32_t>(&r, false), y[i] = draw<int32_t>(&r, false);
    device_array<int32_t> dx = device_from(x, n), dy = device_from(y, n, 1);
    device_array<int64_t> out = device_new<int64_t>(1);
    int64_t got, want;
    wk_status s = wk_dot_i32(dx.data, dy.data, n, out.data, workspace, 0);
    device_read(&out, &got);
    wk_dot_i32_host(x, y, n, &want);
    check(s == WK_SUCCESS && got == want, "dot i32", "%lld, expected %lld", (long long)got, (long long)want);
    device_free(&dx);
    device_free(&dy);
    device_free(&out);
}

// NaN wins every order, infinities come through sums, and an array of the neutral value has
// its first index.
static void try_special(void) {
    enum { n = 5000 };
    static float x[n];
    for (int i = 0; i < n; i++) x[i] = INFINITY;
    reduce_case<float, int64_t> argmin = {"argmin f32 all infinite", wk_argmin_rows_f32,
                                          wk_argmin_rows_f32_host, wk_argmin_f32, false};
    try_rows(argmin, x, 1, n, n, 0);
    reduce_case<float, float> sum = {"sum f32 all infinite", wk_sum_rows_f32, wk_sum_rows_f32_host,
                                     wk_sum_f32, false};
    try_rows(sum, x, 1, n, n, 0);
    check_random r = {17};
    for (int i = 0; i < n; i++) x[i] = (float)random_real(&r, -1, 1);
    x[4321] = NAN;
    x[2222] = NAN;
    x[100] = -INFINITY;
    argmin.name = "argmin f32 with NaN";
    try_rows(argmin, x, 1, n, n, 0);
    reduce_case<float, float> min = {"min f32 with NaN", wk_min_rows_f32, wk_min_rows_f32_host, wk_min_f32,
                                     false};
    try_rows(min, x, 1, n, n, 0);
    reduce_case<float, float> max = {"max f32 rows, one with NaN", wk_max_rows_f32, wk_max_rows_f32_host,
                                     wk_max_f32, false};
    try_rows(max, x, 10, 500, 500, 0);
    static double d[n];
    for (int i = 0; i < n; i++) d[i] = i == 77 ? -INFINITY : 1e308;
    reduce_case<double, double> sum64 = {"sum f64 overflows", wk_sum_rows_f64, wk_sum_rows_f64_host,
                                         wk_sum_f64, false};
    for (int i = 0; i < n; i++) d[i] = 1e308;
    try_rows(sum64, d, 1, n, n, 0);
}

// Sums captured into a graph: those behind another reduction read ahead of its end, but not where another
// kernel lies between or where they read its result; and all results are those of the calls outside a graph.
static void try_captured(void) {
    enum { n = 40000, last = 6 };
    static float x[n], z[n];
    check_random r = {19};
    for (int i = 0; i < n; i++) x[i] = (float)random_real(&r, -1, 1), z[i] = (float)random_real(&r, -1, 1);
    device_array<float> dx = device_from(x, n), dy = device_from(x, n), dz = device_from(z, n);
    device_array<float> out = device_new<float>(last + 1), plain = device_new<float>(last + 1);
    cudaStream_t stream;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    cudaGraphNode_t nodes[last + 1] = {};
    auto calls = [&](float *to, bool captured) {
        for (int i = 0; i <= last; i++) {
            if (i == 3) wk_scale_f32(2, dz.data, dy.data, n, stream);
            wk_status s = i == 4 ? wk_max_f32(dy.data, n, dx.data + 7, workspace, stream)
                                 : wk_sum_f32(i == 5 ? dx.data : dy.data, n, to + i, workspace, stream);
            check_status(s, WK_SUCCESS, "a call of the sequence");
#if CUDART_VERSION >= 13000
            cudaStreamCaptureStatus status;
            unsigned long long id;
            const cudaGraphNode_t *ends;
            const cudaGraphEdgeData *edges;
            size_t count;
            if (!captured) continue;
            check_cuda(cudaStreamGetCaptureInfo(stream, &status, &id, NULL, &ends, &edges, &count), "ends");
            if (count == 1) nodes[i] = ends[0];
#else
            (void)captured;
#endif
        }
    };
    check_cuda(cudaDeviceSynchronize(), "arrays"); // this stream does not wait for them
    calls(plain.data, false);
    check_cuda(cudaStreamSynchronize(stream), "sequence");
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    calls(out.data, true);
    check_cuda(cudaStreamEndCapture(stream, &graph), "capture");

    // The sixth parameter of the kernel says whether it reads ahead.
    static const int ahead[last + 1] = {0, 1, 1, 0, 1, 0, 1};
    int major = 0;
    check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "capability");
    for (int i = 0; i <= last; i++) {
        cudaKernelNodeParams p = {};
        if (!nodes[i] || cudaGraphKernelNodeGetParams(nodes[i], &p) != cudaSuccess) {
            check(CUDART_VERSION < 13000, "a captured sum is a kernel node", "call %d", i);
            continue;
        }
        const int got = *(const int *)p.kernelParams[5], want = major >= 9 ? ahead[i] : 0;
        check(got == want, "reads ahead", "call %d: %d, expected %d", i, got, want);
    }
    check_cuda(cudaGraphInstantiate(&exec, graph, 0), "graph");
    float want[last + 1], got[last + 1];
    bool same = device_read(&plain, want);
    for (int k = 0; k < 3; k++) {
        // What the sequence begins with: it writes both.
        check_cuda(cudaMemcpyAsync(dx.data, x, sizeof x, cudaMemcpyHostToDevice, stream), "x");
        check_cuda(cudaMemcpyAsync(dy.data, x, sizeof x, cudaMemcpyHostToDevice, stream), "y");
        check_cuda(cudaGraphLaunch(exec, stream), "graph");
        check_cuda(cudaStreamSynchronize(stream), "graph");
        same &= device_read(&out, got) && memcmp(got, want, sizeof got) == 0;
    }
    check(same, "sums in a graph", "other bits than outside");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    device_free(&dx);
    device_free(&dy);
    device_free(&dz);
    device_free(&out);
    device_free(&plain);
}

static void try_errors(void) {
    device_array<float> x = device_new<float>(64), out = device_new<float>(4);
    check_status(wk_sum_f32(NULL, 4, out.data, workspace, 0), WK_ERROR_NULL, "null input");
    check_status(wk_sum_f32(x.data, 4, NULL, workspace, 0), WK_ERROR_NULL, "null output");
    check_status(wk_sum_f32(x.data, 4, out.data, NULL, 0), WK_ERROR_NULL, "null workspace");
    check_status(wk_sum_f32(x.data, -4, out.data, workspace, 0), WK_ERROR_SIZE, "negative size");
    check_status(wk_sum_f32(x.data, 64, x.data + 3, workspace, 0), WK_ERROR_OVERLAP, "output in input");
    check_status(wk_sum_rows_f32(x.data, 2, 8, 7, out.data, workspace, 0), WK_ERROR_PITCH, "short pitch");
    check_status(wk_sum_rows_f32(x.data, INT64_MAX / 4, 8, 8, out.data, workspace, 0), WK_ERROR_SIZE,
                 "size overflows");
    check_status(wk_sum_f32((float *)((char *)x.data + 1), 4, out.data, workspace, 0), WK_ERROR_ALIGNMENT,
                 "misaligned element");
    float h[4];
    check(device_read(&out, h), "errors launch nothing", "guard overwritten");
    device_free(&x);
    device_free(&out);
}

int main(void) {
    check_begin("reduce");
    check_status(wk_workspace_create(0, &workspace), WK_SUCCESS, "workspace");
    CASE(sum, f32, float, float, true);
    CASE(sum, f64, double, double, true);
    CASE(sum, i32, int32_t, int64_t, false);
    CASE(sum, i64, int64_t, int64_t, false);
    CASE(mean, f32, float, float, true);
    CASE(mean, f64, double, double, true);
    CASE(mean, i32, int32_t, double, false);
    CASE(mean, i64, int64_t, double, true);
    CASE(min, f32, float, float, false);
    CASE(min, f64, double, double, false);
    CASE(min, i32, int32_t, int32_t, false);
    CASE(min, i64, int64_t, int64_t, false);
    CASE(max, f32, float, float, false);
    CASE(max, f64, double, double, false);
    CASE(max, i32, int32_t, int32_t, false);
    CASE(max, i64, int64_t, int64_t, false);
    CASE(argmin, f32, float, int64_t, false);
    CASE(argmin, f64, double, int64_t, false);
    CASE(argmin, i32, int32_t, int64_t, false);
    CASE(argmin, i64, int64_t, int64_t, false);
    CASE(argmax, f32, float, int64_t, false);
    CASE(argmax, f64, double, int64_t, false);
    CASE(argmax, i32, int32_t, int64_t, false);
    CASE(argmax, i64, int64_t, int64_t, false);
    try_dot<float>("f32", wk_dot_rows_f32, wk_dot_rows_f32_host, 1, 9001, 9001, 0, 0);
    try_dot<float>("f32", wk_dot_rows_f32, wk_dot_rows_f32_host, 1, 9001, 9001, 1, 1);
    try_dot<float>("f32", wk_dot_rows_f32, wk_dot_rows_f32_host, 1, 9001, 9001, 0, 3);
    try_dot<float>("f32", wk_dot_rows_f32, wk_dot_rows_f32_host, 40, 77, 80, 0, 0);
    try_dot<float>("f32", wk_dot_rows_f32, wk_dot_rows_f32_host, 3, 2077, 2080, 0, 0);
    try_dot<double>("f64", wk_dot_rows_f64, wk_dot_rows_f64_host, 1, 9001, 9001, 0, 1);
    try_dot<double>("f64", wk_dot_rows_f64, wk_dot_rows_f64_host, 2, 4500, 4500, 0, 0);
    try_dot<int64_t>("i64", wk_dot_rows_i64, wk_dot_rows_i64_host, 2, 4500, 4501, 0, 0);
    try_dot_i32();
    try_special();
    try_captured();
    try_errors();
    check_status(wk_workspace_destroy(workspace), WK_SUCCESS, "workspace destroyed");
    return check_end();
}
