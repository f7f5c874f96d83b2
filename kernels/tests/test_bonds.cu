// Bonds in both layouts against the host references: sums and conversions bit for bit, prices within
// the last bits of expf and logf.
#include "check.cuh"

#include <warpkernels/bonds.h>

enum { FIELDS = 8 };

static void draw_bonds(wk_bond *b, int64_t n, uint64_t seed) {
    check_random r = {seed};
    for (int64_t i = 0; i < n; i++) {
        b[i].face_value = (float)random_real(&r, 100, 10000);
        b[i].time_to_maturity = (float)random_real(&r, 0.1, 30);
        b[i].risk_free_rate = (float)random_real(&r, 0, 0.06);
        b[i].credit_spread = (float)random_real(&r, 0, 0.04);
        b[i].present_value = (float)random_real(&r, 1, 100);
        b[i].yield_to_maturity = (float)random_real(&r, 0, 1);
        b[i].duration = (float)random_real(&r, 0, 30);
        b[i].portfolio_weight = (float)random_real(&r, 0, 1);
    }
}

// Eight arrays on the device and on the host, with one shift for all but the first.
struct bond_arrays {
    device_array<float> device[FIELDS];
    float *host[FIELDS];
    wk_bonds on_device, on_host;
};

static wk_bonds named(float *const p[FIELDS]) {
    wk_bonds b = {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
    return b;
}

static bond_arrays arrays_new(const wk_bond *from, int64_t n, int shift) {
    bond_arrays a;
    float *p[FIELDS];
    for (int f = 0; f < FIELDS; f++) {
        a.host[f] = (float *)malloc((size_t)(n + 1) * sizeof(float));
        for (int64_t i = 0; i < n; i++) a.host[f][i] = ((const float *)&from[i])[f];
        a.device[f] = device_from(a.host[f], n, f ? shift : 0);
        p[f] = a.device[f].data;
    }
    a.on_device = named(p);
    a.on_host = named(a.host);
    return a;
}

static void arrays_free(bond_arrays *a) {
    for (int f = 0; f < FIELDS; f++) {
        device_free(&a->device[f]);
        free(a->host[f]);
    }
}

static bool close_to(float a, float b, double relative) {
    return fabs((double)a - b) <= relative * fabs((double)b);
}

// The largest relative difference of a field on the device from its host array; infinite where a guard broke.
static double field_error(const device_array<float> *device, const float *want) {
    float *got = (float *)malloc((size_t)(device->n + 1) * sizeof(float));
    double worst = device_read(device, got) ? 0 : INFINITY;
    for (int64_t i = 0; i < device->n; i++)
        if (!close_to(got[i], want[i], 0)) {
            double e = fabs((double)got[i] - want[i]) / fabs((double)want[i]);
            if (!(e <= worst)) worst = e;
        }
    free(got);
    return worst;
}

static void try_soa(const wk_bond *bonds, int64_t n, int shift) {
    char name[96];
    bond_arrays a = arrays_new(bonds, n, shift);
    device_array<float> out = device_new<float>(n);
    float *want = (float *)malloc((size_t)(n + 1) * sizeof(float));
#define NAMED(what) (snprintf(name, sizeof name, what " soa n=%lld shift %d", (long long)n, shift), name)
    wk_status s = wk_bonds_total_rate_soa(&a.on_device, n, out.data, 0);
    wk_bonds_total_rate_soa_host(&a.on_host, n, want);
    double e = field_error(&out, want);
    check(s == WK_SUCCESS && e == 0, NAMED("total rate"), "status %d, error %g", s, e);

    s = wk_bonds_present_value_soa(&a.on_device, n, out.data, 0);
    wk_bonds_present_value_soa_host(&a.on_host, n, want);
    e = field_error(&out, want);
    check(s == WK_SUCCESS && e <= 5e-7, NAMED("present value"), "status %d, error %g", s, e);

    s = wk_bonds_price_soa(&a.on_device, n, 0);
    wk_bonds_price_soa_host(&a.on_host, n);
    e = field_error(&a.device[4], a.host[4]);
    check(s == WK_SUCCESS && e <= 5e-7 && field_error(&a.device[5], a.host[5]) == 0 &&
              field_error(&a.device[6], a.host[6]) == 0,
          NAMED("price"), "status %d, error of the value %g", s, e);

    // From the price back to the rate: the division and the logarithm lose digits where the
    // rate times the years is small.
    s = wk_bonds_yield_soa(&a.on_device, n, 0);
    float *rate = a.host[5];
    float *got = (float *)malloc((size_t)(n + 1) * sizeof(float));
    bool intact = device_read(&a.device[5], got);
    double worst = 0;
    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)got[i] - rate[i]) * a.host[1][i]);
    check(s == WK_SUCCESS && intact && worst <= 1e-6, NAMED("yield"), "status %d, error %g", s, worst);
    free(got);

    double value = 0;
    for (int64_t i = 0; i < n; i++) value += a.host[4][i];
    device_array<double> total = device_from(&value, 1);
    s = wk_bonds_weights_soa(&a.on_device, n, total.data, 0);
    wk_bonds_weights_soa_host(&a.on_host, n, &value);
    e = field_error(&a.device[7], a.host[7]);
    check(s == WK_SUCCESS && e <= 6e-7, NAMED("weights"), "status %d, error %g", s, e);
    device_free(&total);
    device_free(&out);
    free(want);
    arrays_free(&a);
#undef NAMED
}

static void try_aos(const wk_bond *bonds, int64_t n, int shift) {
    char name[96];
    // Records as floats, so that they can start at any of them.
    device_array<float> records = device_from((const float *)bonds, n * FIELDS, shift);
    device_array<float> out = device_new<float>(n);
    wk_bond *on_device = (wk_bond *)records.data;
    float *want = (float *)malloc((size_t)(n + 1) * sizeof(float));
#define NAMED(what) (snprintf(name, sizeof name, what " aos n=%lld shift %d", (long long)n, shift), name)
    wk_status s = wk_bonds_total_rate_aos(on_device, n, out.data, 0);
    wk_bonds_total_rate_aos_host(bonds, n, want);
    double e = field_error(&out, want);
    check(s == WK_SUCCESS && e == 0, NAMED("total rate"), "status %d, error %g", s, e);

    s = wk_bonds_present_value_aos(on_device, n, out.data, 0);
    wk_bonds_present_value_aos_host(bonds, n, want);
    e = field_error(&out, want);
    check(s == WK_SUCCESS && e <= 5e-7, NAMED("present value"), "status %d, error %g", s, e);

    wk_bond *priced = (wk_bond *)malloc((size_t)(n + 1) * sizeof(wk_bond));
    memcpy((void *)priced, bonds, (size_t)n * sizeof(wk_bond));
    s = wk_bonds_price_aos(on_device, n, 0);
    wk_bonds_price_aos_host(priced, n);
    e = field_error(&records, (const float *)priced);
    check(s == WK_SUCCESS && e <= 5e-7, NAMED("price"), "status %d, error %g", s, e);
    free(priced);
    free(want);
    device_free(&records);
    device_free(&out);
#undef NAMED
}

static void try_layouts(const wk_bond *bonds, int64_t n, int shift, int record_shift) {
    char name[96];
    bond_arrays a = arrays_new(bonds, n, shift);
    device_array<float> records = device_new<float>(n * FIELDS, record_shift);
    float *got = (float *)malloc((size_t)(n * FIELDS + 1) * sizeof(float));
    wk_status s = wk_bonds_soa_to_aos(&a.on_device, n, (wk_bond *)records.data, 0);
    bool intact = device_read(&records, got);
    snprintf(name, sizeof name, "soa to aos n=%lld shift %d->%d", (long long)n, shift, record_shift);
    check(s == WK_SUCCESS && intact && memcmp(got, bonds, (size_t)n * sizeof(wk_bond)) == 0, name,
          "status %d, guard %s or wrong records", s, intact ? "intact" : "overwritten");

    for (int f = 0; f < FIELDS; f++)
        if (n) check_cuda(cudaMemset(a.device[f].data, 0xee, (size_t)n * sizeof(float)), "cudaMemset");
    s = wk_bonds_aos_to_soa((const wk_bond *)records.data, n, &a.on_device, 0);
    double e = 0;
    for (int f = 0; f < FIELDS; f++) e += field_error(&a.device[f], a.host[f]);
    snprintf(name, sizeof name, "aos to soa n=%lld shift %d->%d", (long long)n, record_shift, shift);
    check(s == WK_SUCCESS && e == 0, name, "status %d, error %g", s, e);
    free(got);
    device_free(&records);
    arrays_free(&a);
}

static void try_portfolio(const wk_bond *bonds, int64_t n, int shift, wk_workspace *workspace) {
    char name[96];
    bond_arrays a = arrays_new(bonds, n, shift);
    wk_portfolio want;
    wk_bonds_portfolio_soa_host(&a.on_host, n, WK_ACCUMULATE_F64, &want);
    for (int k = 0; k < 2; k++) {
        wk_accumulation accumulation = k ? WK_ACCUMULATE_F64 : WK_ACCUMULATE_F32;
        // Each price carries the error of expf, which does not cancel; float sums add their own.
        const double bound = k ? 3e-7 : 2e-6;
        wk_portfolio got[2];
        device_array<wk_portfolio> out = device_new<wk_portfolio>(1);
        wk_status s = WK_SUCCESS;
        bool intact = true;
        for (int run = 0; run < 2; run++) {
            s = wk_bonds_portfolio_soa(&a.on_device, n, accumulation, out.data, workspace, 0);
            intact &= device_read(&out, &got[run]);
        }
        bool right = n == 0 ? got[0].value == 0 && isnan(got[0].duration) && isnan(got[0].yield)
                            : fabs(got[0].value - want.value) <= bound * want.value &&
                                  fabs(got[0].duration - want.duration) <= bound * want.duration &&
                                  fabs(got[0].yield - want.yield) <= bound * want.yield;
        snprintf(name, sizeof name, "portfolio n=%lld shift %d in %s", (long long)n, shift,
                 k ? "double" : "float");
        check(s == WK_SUCCESS && intact && right && memcmp(&got[0], &got[1], sizeof got[0]) == 0, name,
              "status %d, value %.12g, expected %.12g, duration %.12g, expected %.12g", s, got[0].value,
              want.value, got[0].duration, want.duration);
        device_free(&out);
    }
    arrays_free(&a);
}

static void try_errors(wk_workspace *workspace) {
    device_array<float> a = device_new<float>(1024);
    wk_bonds empty = {};
    wk_bonds same = {a.data, a.data, a.data, a.data, a.data, a.data, a.data, a.data};
    check_status(wk_bonds_total_rate_soa(NULL, 4, a.data, 0), WK_ERROR_NULL, "null bonds");
    check_status(wk_bonds_total_rate_soa(&empty, 4, a.data, 0), WK_ERROR_NULL, "null field");
    check_status(wk_bonds_total_rate_soa(&empty, 0, NULL, 0), WK_SUCCESS, "no bonds");
    check_status(wk_bonds_price_soa(&same, 4, 0), WK_ERROR_OVERLAP, "outputs overlap");
    check_status(wk_bonds_aos_to_soa((wk_bond *)a.data, 4, &same, 0), WK_ERROR_OVERLAP, "layouts overlap");
    check_status(wk_bonds_present_value_aos((wk_bond *)a.data, INT64_MAX / 16, a.data, 0), WK_ERROR_SIZE,
                 "size overflows");
    check_status(
        wk_bonds_portfolio_soa(&same, 4, (wk_accumulation)7, (wk_portfolio *)(a.data + 512), workspace, 0),
        WK_ERROR_VALUE, "unknown accumulation");
    float h[1024];
    check(device_read(&a, h), "errors launch nothing", "guard overwritten");
    device_free(&a);
}

int main(void) {
    check_begin("bonds");
    wk_workspace *workspace;
    check_status(wk_workspace_create(0, &workspace), WK_SUCCESS, "workspace");
    const int64_t most = check_large() ? 2000003 : 5000;
    wk_bond *bonds = (wk_bond *)malloc((size_t)most * sizeof(wk_bond));
    draw_bonds(bonds, most, 3);
    static const int64_t sizes[] = {0, 1, 3, 4, 127, 128, 129, 1024, 1029, 4999};
    for (int64_t n : sizes) {
        try_soa(bonds, n, 0);
        try_aos(bonds, n, 0);
        try_layouts(bonds, n, 0, 0);
        try_portfolio(bonds, n, 0, workspace);
    }
    for (int shift = 1; shift < 4; shift++) {
        try_soa(bonds, 1000, shift);
        try_aos(bonds, 300, shift);
        try_layouts(bonds, 300, shift, 0);
        try_layouts(bonds, 300, 0, shift);
        try_layouts(bonds, 300, shift, shift);
        try_portfolio(bonds, 1000, shift, workspace);
    }
    if (check_large()) {
        try_soa(bonds, most, 0);
        try_layouts(bonds, most, 0, 0);
        try_portfolio(bonds, most, 0, workspace);
    }
    try_errors(workspace);
    check_status(wk_workspace_destroy(workspace), WK_SUCCESS, "workspace destroyed");
    free(bonds);
    return check_end();
}
