#include <math.h>

#include "check.h"

// Terms as the tests draw them, on the device.
static wk_bonds draw(int64_t n) {
    wk_bonds b;
    b.face_value = bench_floats(n, 100, 10000, 11);
    b.time_to_maturity = bench_floats(n, 0.1, 30, 12);
    b.risk_free_rate = bench_floats(n, 0, 0.06, 13);
    b.credit_spread = bench_floats(n, 0, 0.04, 14);
    b.present_value = bench_alloc<float>(n);
    b.yield_to_maturity = bench_alloc<float>(n);
    b.duration = bench_alloc<float>(n);
    b.portfolio_weight = bench_alloc<float>(n);
    return b;
}

static void release(wk_bonds *b) {
    float *all[8] = {b->face_value,    b->time_to_maturity,  b->risk_free_rate, b->credit_spread,
                     b->present_value, b->yield_to_maturity, b->duration,       b->portfolio_weight};
    for (float *p : all) cudaFree(p);
}

void bench_bonds(bench *b) {
    if (!bench_any_wanted(b, {"bonds"})) return;
    const int64_t n = (int64_t)1 << 28;
    wk_bonds bonds = draw(n);
    wk_bond *records = bench_alloc<wk_bond>(n);
    wk_portfolio *total = bench_alloc<wk_portfolio>(1);
    wk_workspace *w = nullptr;
    bench_wk(wk_workspace_create(0, &w), "workspace");

    // Prices against double, over a sample of bonds.
    const int64_t sample = 1 << 20;
    auto face = bench_read(bonds.face_value, sample), years = bench_read(bonds.time_to_maturity, sample),
         rate = bench_read(bonds.risk_free_rate, sample), spread = bench_read(bonds.credit_spread, sample);
    bench_wk(wk_bonds_price_soa(&bonds, n, b->stream), "price");
    bench_cuda(cudaStreamSynchronize(b->stream), "price");
    auto price = bench_read(bonds.present_value, sample);
    double worst = 0, value = 0;
    for (int64_t i = 0; i < sample; i++) {
        const double want = face[i] * exp(-((double)rate[i] + spread[i]) * years[i]);
        const double e = fabs(price[i] / want - 1);
        value += want;
        if (!(e <= worst)) worst = e;
    }
    auto portfolio_error = [&](wk_accumulation accumulation) {
        bench_wk(wk_bonds_portfolio_soa(&bonds, sample, accumulation, total, w, b->stream), "portfolio");
        bench_cuda(cudaStreamSynchronize(b->stream), "portfolio");
        return fabs(bench_read(total, 1)[0].value / value - 1);
    };
    const double error_f32 = portfolio_error(WK_ACCUMULATE_F32),
                 error_f64 = portfolio_error(WK_ACCUMULATE_F64);

    bench_measure(b, {"bonds total rate, SoA", "2^28", 12.0 * n, 0, 1, false, NAN, {0.98, "", 0}},
                  {{"wk", [=](cudaStream_t s) {
                        bench_wk(wk_bonds_total_rate_soa(&bonds, n, bonds.present_value, s), "rate");
                    }}});
    bench_measure(b, {"bonds present value, SoA", "2^28", 20.0 * n, 0, 1, false, worst, {0.98, "", 0}},
                  {{"wk", [=](cudaStream_t s) {
                        bench_wk(wk_bonds_present_value_soa(&bonds, n, bonds.present_value, s), "value");
                    }}});
    bench_measure(b, {"bonds price, SoA", "2^28", 28.0 * n, 0, 1, false, worst, {0.98, "", 0}},
                  {{"wk", [=](cudaStream_t s) { bench_wk(wk_bonds_price_soa(&bonds, n, s), "price"); }}});
    bench_measure(
        b, {"bonds SoA to AoS", "2^28", 64.0 * n, 0, 1, false, NAN, {0.85, "", 0}},
        {{"wk", [=](cudaStream_t s) { bench_wk(wk_bonds_soa_to_aos(&bonds, n, records, s), "layout"); }}});
    bench_measure(
        b, {"bonds AoS to SoA", "2^28", 64.0 * n, 0, 1, false, -1, {0.85, "", 0}},
        {{"wk", [=](cudaStream_t s) { bench_wk(wk_bonds_aos_to_soa(records, n, &bonds, s), "layout"); }}});
    // Useful bytes; every access touches a whole record of 32.
    bench_measure(b, {"bonds present value, AoS", "2^28", 20.0 * n, 0, 1, false, worst, {}},
                  {{"wk", [=](cudaStream_t s) {
                        bench_wk(wk_bonds_present_value_aos(records, n, bonds.present_value, s), "value");
                    }}});
    bench_measure(
        b, {"bonds portfolio, f64 sums", "2^28", 16.0 * n, 0, 1, false, error_f64, {0, "PyTorch", 2}},
        {{"wk", [=](cudaStream_t s) {
              bench_wk(wk_bonds_portfolio_soa(&bonds, n, WK_ACCUMULATE_F64, total, w, s), "portfolio");
          }}});
    bench_measure(
        b, {"bonds portfolio, f32 sums", "2^28", 16.0 * n, 0, 1, false, error_f32, {0, "PyTorch", 2}},
        {{"wk", [=](cudaStream_t s) {
              bench_wk(wk_bonds_portfolio_soa(&bonds, n, WK_ACCUMULATE_F32, total, w, s), "portfolio");
          }}});
    // The ceiling of a pass that only reads: the sum of as many bytes.
    bench_measure(b, {"bonds as plain sums (read ceiling)", "4 x 2^28", 16.0 * n, 0, 1, false, NAN, {}},
                  {{"wk", [=](cudaStream_t s) {
                        float *out = (float *)total;
                        bench_wk(wk_sum_f32(bonds.face_value, n, out, w, s), "sum");
                        bench_wk(wk_sum_f32(bonds.time_to_maturity, n, out, w, s), "sum");
                        bench_wk(wk_sum_f32(bonds.risk_free_rate, n, out, w, s), "sum");
                        bench_wk(wk_sum_f32(bonds.credit_spread, n, out, w, s), "sum");
                    }}});
    release(&bonds);
    cudaFree(records);
    cudaFree(total);
    wk_workspace_destroy(w);
}
