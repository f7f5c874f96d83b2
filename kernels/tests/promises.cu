// One launch of every kernel on aligned data of whole tiles: the run that kernels/budgets/*.budget
// speaks of. `wk_promises GROUP` with elementwise, bonds, reduce, scan, histogram or conv; all without one.
// Results are compared too, so that a kernel cannot keep its budget by doing nothing.
#include "check.cuh"

#include <vector>

#include <warpkernels/warpkernels.h>

enum { N = 1 << 16, ROWS = 256, COLS = N / ROWS };

static std::vector<float> draw(int64_t n, double lo, double hi, uint64_t seed) {
    std::vector<float> x((size_t)n);
    check_random r = {seed};
    for (float &v : x) v = (float)random_real(&r, lo, hi);
    return x;
}

// Copies back, compares within `bound`, frees.
static void expect(const char *name, wk_status s, device_array<float> *got, const std::vector<float> &want,
                   double bound) {
    std::vector<float> h(want.size());
    bool intact = device_read(got, h.data());
    double worst = 0;
    for (size_t i = 0; i < want.size(); i++) {
        const double e = fabs((double)h[i] - want[i]);
        if (!(e <= worst)) worst = e;
    }
    check(s == WK_SUCCESS && intact && worst <= bound, name, "status %d, error %g", s, worst);
    device_free(got);
}

static void elementwise(void) {
    std::vector<float> x = draw(N, -1, 1, 1), y = draw(N, -1, 1, 2), want(N);
    device_array<float> dx = device_from(x.data(), N), dy = device_from(y.data(), N),
                        out = device_new<float>(N);
    wk_status s = wk_scale_f32(2, dx.data, out.data, N, 0);
    wk_scale_f32_host(2, x.data(), want.data(), N);
    expect("scale", s, &out, want, 0);
    out = device_new<float>(N);
    s = wk_axpy_f32(2, dx.data, dy.data, out.data, N, 0);
    wk_axpy_f32_host(2, x.data(), y.data(), want.data(), N);
    expect("axpy", s, &out, want, 0);
    device_free(&dx);
    device_free(&dy);
}

static void bonds(void) {
    static const double lo[8] = {100, 0.1, 0, 0, 0, 0, 0, 0}, hi[8] = {10000, 30, 0.06, 0.04, 1, 1, 1, 1};
    std::vector<float> field[8];
    device_array<float> d[8];
    float *host[8], *device[8];
    for (int f = 0; f < 8; f++) {
        field[f] = draw(N, lo[f], hi[f], 10 + (uint64_t)f);
        d[f] = device_from(field[f].data(), N);
        host[f] = field[f].data(), device[f] = d[f].data;
    }
    wk_bonds h = {host[0], host[1], host[2], host[3], host[4], host[5], host[6], host[7]};
    wk_bonds b = {device[0], device[1], device[2], device[3], device[4], device[5], device[6], device[7]};
    std::vector<float> want(N);
    device_array<float> out = device_new<float>(N);
    wk_status s = wk_bonds_total_rate_soa(&b, N, out.data, 0);
    wk_bonds_total_rate_soa_host(&h, N, want.data());
    expect("total rate soa", s, &out, want, 0);
    out = device_new<float>(N);
    s = wk_bonds_present_value_soa(&b, N, out.data, 0);
    wk_bonds_present_value_soa_host(&h, N, want.data());
    expect("present value soa", s, &out, want, 5e-3);

    device_array<float> records = device_new<float>((int64_t)N * 8);
    s = wk_bonds_soa_to_aos(&b, N, (wk_bond *)records.data, 0);
    std::vector<float> as_records((size_t)N * 8);
    wk_bonds_soa_to_aos_host(&h, N, (wk_bond *)as_records.data());
    std::vector<float> got((size_t)N * 8);
    bool intact = device_read(&records, got.data());
    check(s == WK_SUCCESS && intact && got == as_records, "soa to aos", "status %d, or wrong records", s);
    out = device_new<float>(N);
    s = wk_bonds_present_value_aos((const wk_bond *)records.data, N, out.data, 0);
    expect("present value aos", s, &out, want, 5e-3);
    s = wk_bonds_aos_to_soa((const wk_bond *)records.data, N, &b, 0);
    for (int f = 0; f < 8; f++) {
        std::vector<float> back(N);
        intact &= device_read(&d[f], back.data()) && back == field[f];
    }
    check(s == WK_SUCCESS && intact, "aos to soa", "status %d, or wrong fields", s);

    wk_workspace *w = NULL;
    wk_workspace_create(0, &w);
    device_array<wk_portfolio> total = device_new<wk_portfolio>(1);
    wk_portfolio a, e;
    s = wk_bonds_portfolio_soa(&b, N, WK_ACCUMULATE_F64, total.data, w, 0);
    intact = device_read(&total, &a);
    wk_bonds_portfolio_soa_host(&h, N, WK_ACCUMULATE_F64, &e);
    check(s == WK_SUCCESS && intact && fabs(a.value / e.value - 1) < 3e-7, "portfolio",
          "status %d, %g, expected %g", s, a.value, e.value);
    device_free(&total);
    device_free(&records);
    for (auto &x : d) device_free(&x);
    wk_workspace_destroy(w);
}

static void reduce(void) {
    std::vector<float> x = draw(N, -1, 1, 3), y = draw(N, -1, 1, 4), want(1), rows(ROWS);
    device_array<float> dx = device_from(x.data(), N), dy = device_from(y.data(), N),
                        out = device_new<float>(1);
    wk_workspace *w = NULL;
    wk_workspace_create(0, &w);
    wk_status s = wk_sum_f32(dx.data, N, out.data, w, 0);
    wk_sum_f32_host(x.data(), N, want.data());
    expect("sum", s, &out, want, 1e-2);
    out = device_new<float>(1);
    s = wk_min_f32(dx.data, N, out.data, w, 0);
    wk_min_f32_host(x.data(), N, want.data());
    expect("min", s, &out, want, 0);
    out = device_new<float>(1);
    s = wk_dot_f32(dx.data, dy.data, N, out.data, w, 0);
    wk_dot_f32_host(x.data(), y.data(), N, want.data());
    expect("dot", s, &out, want, 1e-2);
    device_array<int64_t> at = device_new<int64_t>(1);
    int64_t got = -1, first = -2;
    s = wk_argmax_f32(dx.data, N, at.data, w, 0);
    device_read(&at, &got);
    wk_argmax_f32_host(x.data(), N, &first);
    check(s == WK_SUCCESS && got == first, "argmax", "%lld, expected %lld", (long long)got, (long long)first);
    out = device_new<float>(ROWS);
    s = wk_sum_rows_f32(dx.data, ROWS, COLS, COLS, out.data, w, 0);
    wk_sum_rows_f32_host(x.data(), ROWS, COLS, COLS, rows.data());
    expect("sum of rows", s, &out, rows, 1e-3);
    device_free(&at);
    device_free(&dx);
    device_free(&dy);
    wk_workspace_destroy(w);
}

static void scan(void) {
    std::vector<float> x = draw(N, -1, 1, 5), want(N);
    device_array<float> dx = device_from(x.data(), N), out = device_new<float>(N);
    wk_workspace *w = NULL;
    wk_workspace_create(wk_scan_workspace_bytes(N), &w);
    wk_status s = wk_inclusive_sum_f32(dx.data, out.data, N, w, 0);
    wk_inclusive_sum_f32_host(x.data(), want.data(), N);
    expect("inclusive sum", s, &out, want, 1e-2);
    device_free(&dx);
    wk_workspace_destroy(w);
}

static void histogram(void) {
    std::vector<uint8_t> x(N);
    check_random r = {6};
    for (uint8_t &v : x) v = (uint8_t)random_u64(&r);
    device_array<uint8_t> dx = device_from(x.data(), N);
    device_array<uint64_t> counts = device_new<uint64_t>(256);
    uint64_t got[256], want[256];
    wk_status s = wk_histogram_u8(dx.data, N, counts.data, 0);
    device_read(&counts, got);
    wk_histogram_u8_host(x.data(), N, want);
    check(s == WK_SUCCESS && memcmp(got, want, sizeof got) == 0, "histogram", "status %d, or wrong counts",
          s);
    device_free(&dx);
    device_free(&counts);
}

// 512 x 512, filters of 3 to 11, each path of the dispatcher.
static void conv(void) {
    enum { SIDE = 512 };
    static const struct {
        const char *name;
        int filter;
        wk_conv_path path;
    } cases[] = {{"conv naive 3x3", 3, WK_CONV_NAIVE},        {"conv tiled 3x3", 3, WK_CONV_TILED},
                 {"conv march 3x3", 3, WK_CONV_MARCH},        {"conv march 5x5", 5, WK_CONV_MARCH},
                 {"conv blocked 11x11", 11, WK_CONV_BLOCKED}, {"conv separable 9x9", 9, WK_CONV_SEPARABLE},
                 {"conv tensor 31x31", 31, WK_CONV_TENSOR}};
    std::vector<float> image = draw(SIDE * SIDE, -1, 1, 7), want(SIDE * SIDE);
    device_array<float> in = device_from(image.data(), SIDE * SIDE);
    for (auto &c : cases) {
        std::vector<float> line = draw(c.filter, 0.1, 1, 8), weights((size_t)(c.filter * c.filter));
        for (int i = 0; i < c.filter * c.filter; i++)
            weights[(size_t)i] = c.path >= WK_CONV_SEPARABLE
                                     ? line[(size_t)(i / c.filter)] * line[(size_t)(i % c.filter)]
                                     : line[(size_t)(i % c.filter)] + 0.01f * (float)(i % 7);
        wk_conv2d conv = {};
        conv.images = 1, conv.height = conv.width = SIDE;
        conv.filter_height = conv.filter_width = c.filter;
        conv.border = WK_BORDER_ZERO;
        conv.path = c.path;
        device_array<float> out = device_new<float>(SIDE * SIDE);
        wk_status s = wk_conv2d_f32(&conv, in.data, weights.data(), out.data, 0);
        wk_conv2d_f32_host(&conv, image.data(), weights.data(), want.data());
        expect(c.name, s, &out, want, 1e-4);
    }
    device_free(&in);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } groups[] = {{"elementwise", elementwise}, {"bonds", bonds}, {"reduce", reduce}, {"scan", scan},
                  {"histogram", histogram},     {"conv", conv}};
    check_begin("promises");
    for (auto &g : groups)
        if (argc < 2 || strcmp(argv[1], g.name) == 0) g.run();
    return check_end();
}
