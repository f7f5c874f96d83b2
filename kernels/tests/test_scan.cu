// Prefix sums against the host references: integers exactly, floating point within the promised 24 units
// of roundoff, each call twice for the same bits, in place too.
#include "check.cuh"

#include <warpkernels/scan.h>

template <class T> struct scan_calls {
    const char *type;
    wk_status (*call[2])(const T *, T *, int64_t, wk_workspace *, cudaStream_t);
    wk_status (*host[2])(const T *, T *, int64_t);
    double roundoff; // 0: integers
};

template <class T>
static void try_scan(const scan_calls<T> &c, const T *x, int64_t n, int sx, int so, wk_workspace *workspace) {
    T *got = (T *)malloc((size_t)(n + 1) * sizeof(T)), *want = (T *)malloc((size_t)(n + 1) * sizeof(T));
    T *again = (T *)malloc((size_t)(n + 1) * sizeof(T));
    device_array<T> dx = device_from(x, n, sx), out = device_new<T>(n, so);
    for (int exclusive = 0; exclusive < 2; exclusive++) {
        char name[96];
        snprintf(name, sizeof name, "%s sum %s n=%lld shift %d->%d", exclusive ? "exclusive" : "inclusive",
                 c.type, (long long)n, sx, so);
        wk_status s = c.call[exclusive](dx.data, out.data, n, workspace, 0);
        bool intact = device_read(&out, got);
        c.host[exclusive](x, want, n);
        int64_t wrong = 0, first = -1;
        double magnitude = 0;
        for (int64_t i = 0; i < n; i++) {
            magnitude += fabs((double)x[i]);
            const bool ok = c.roundoff == 0
                                ? got[i] == want[i]
                                : fabs((double)got[i] - (double)want[i]) <= 24 * c.roundoff * magnitude;
            if (!ok && first < 0) first = i;
            wrong += !ok;
        }
        c.call[exclusive](dx.data, out.data, n, workspace, 0);
        device_read(&out, again);
        const bool repeated = memcmp(got, again, (size_t)n * sizeof(T)) == 0;
        check(s == WK_SUCCESS && intact && wrong == 0 && repeated, name,
              "status %d, guard %s, %lld wrong, first %lld: %.17g, expected %.17g, %s", s,
              intact ? "intact" : "overwritten", (long long)wrong, (long long)first,
              first < 0 ? 0.0 : (double)got[first], first < 0 ? 0.0 : (double)want[first],
              repeated ? "same bits" : "other bits when repeated");
    }
    c.call[0](dx.data, dx.data, n, workspace, 0);
    c.call[0](out.data, out.data, 0, workspace, 0);
    bool intact = device_read(&dx, again);
    c.host[0](x, want, n);
    bool same = true;
    for (int64_t i = 0; i < n && c.roundoff == 0; i++) same &= again[i] == want[i];
    char name[96];
    snprintf(name, sizeof name, "in place %s n=%lld shift %d", c.type, (long long)n, sx);
    check(intact && same, name, "wrong sums or guard overwritten");
    device_free(&dx);
    device_free(&out);
    free(got);
    free(want);
    free(again);
}

template <class T> static void try_type(const scan_calls<T> &c, wk_workspace *workspace, int64_t most) {
    T *x = (T *)malloc((size_t)most * sizeof(T));
    check_random r = {31};
    for (int64_t i = 0; i < most; i++)
        x[i] = c.roundoff == 0 ? (T)random_u64(&r) : (T)random_real(&r, -10, 10);
    static const int64_t sizes[] = {0, 1, 2, 5, 31, 129, 1025, 4096, 4099};
    for (int64_t n : sizes) try_scan(c, x, n, 0, 0, workspace);
    try_scan(c, x, 3001, 1, 1, workspace);
    try_scan(c, x, 3001, 0, 1, workspace);
    // More than two groups of 32 tiles of 2048 doubles, or more than one of 4096 floats.
    try_scan(c, x, most, 0, 0, workspace);
    free(x);
}

int main(void) {
    check_begin("scan");
    const int64_t most = check_large() ? 30000001 : 140001;
    wk_workspace *workspace;
    check_status(wk_workspace_create(wk_scan_workspace_bytes(most), &workspace), WK_SUCCESS, "workspace");
    try_type<float>({"f32",
                     {wk_inclusive_sum_f32, wk_exclusive_sum_f32},
                     {wk_inclusive_sum_f32_host, wk_exclusive_sum_f32_host},
                     0x1p-24},
                    workspace, most);
    try_type<double>({"f64",
                      {wk_inclusive_sum_f64, wk_exclusive_sum_f64},
                      {wk_inclusive_sum_f64_host, wk_exclusive_sum_f64_host},
                      0x1p-53},
                     workspace, most);
    try_type<int32_t>({"i32",
                       {wk_inclusive_sum_i32, wk_exclusive_sum_i32},
                       {wk_inclusive_sum_i32_host, wk_exclusive_sum_i32_host},
                       0},
                      workspace, most);
    try_type<int64_t>({"i64",
                       {wk_inclusive_sum_i64, wk_exclusive_sum_i64},
                       {wk_inclusive_sum_i64_host, wk_exclusive_sum_i64_host},
                       0},
                      workspace, most);

    device_array<float> a = device_new<float>(64);
    wk_workspace *small;
    check_status(wk_workspace_create(0, &small), WK_SUCCESS, "small workspace");
    check_status(wk_inclusive_sum_f32(NULL, a.data, 4, small, 0), WK_ERROR_NULL, "null input");
    check_status(wk_inclusive_sum_f32(a.data, a.data, 4, NULL, 0), WK_ERROR_NULL, "null workspace");
    check_status(wk_inclusive_sum_f32(a.data, a.data + 1, 8, small, 0), WK_ERROR_OVERLAP, "shifted overlap");
    check_status(wk_inclusive_sum_f32(a.data, a.data, (int64_t)1 << 40, small, 0), WK_ERROR_WORKSPACE,
                 "workspace too small");
    float h[64];
    check(device_read(&a, h), "errors launch nothing", "guard overwritten");
    device_free(&a);
    wk_workspace_destroy(small);
    check_status(wk_workspace_destroy(workspace), WK_SUCCESS, "workspace destroyed");
    return check_end();
}
