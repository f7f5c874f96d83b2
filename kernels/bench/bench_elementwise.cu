#include <math.h>

#include "check.h"

void bench_elementwise(bench *b) {
    if (!bench_any_wanted(b, {"scale", "axpy"})) return;
    const int64_t n = (int64_t)1 << 28;
    float *x = bench_floats(n, -1, 1, 2), *y = bench_floats(n, -1, 1, 3), *out = bench_alloc<float>(n);
    const float a = 1.25f;

    // Sampled at both ends and in the middle, against double.
    const int64_t sample = 1 << 20, at[3] = {0, n / 2, n - sample};
    auto error = [&](bool axpy) {
        double worst = 0;
        for (int64_t from : at) {
            auto hx = bench_read(x + from, sample), hy = bench_read(y + from, sample),
                 ho = bench_read(out + from, sample);
            for (int64_t i = 0; i < sample; i++) {
                const double want = (double)a * hx[i] + (axpy ? hy[i] : 0.0);
                const double e = fabs(ho[i] - want) / (fabs(want) + 1e-30);
                if (!(e <= worst)) worst = e;
            }
        }
        return worst;
    };

    bench_wk(wk_scale_f32(a, x, out, n, b->stream), "scale");
    bench_cuda(cudaStreamSynchronize(b->stream), "scale");
    bench_measure(b, {"scale f32", "2^28", 8.0 * n, 0, 1, false, error(false), {0.98, "", 0}},
                  {{"wk", [=](cudaStream_t s) { bench_wk(wk_scale_f32(a, x, out, n, s), "scale"); }}});
    bench_wk(wk_axpy_f32(a, x, y, out, n, b->stream), "axpy");
    bench_cuda(cudaStreamSynchronize(b->stream), "axpy");
    bench_measure(b, {"axpy f32", "2^28", 12.0 * n, 0, 1, false, error(true), {0.98, "", 0}},
                  {{"wk", [=](cudaStream_t s) { bench_wk(wk_axpy_f32(a, x, y, out, n, s), "axpy"); }}});
    bench_measure(
        b, {"scale f32, shifted by 4 bytes", "2^28 - 4", 8.0 * (n - 4), 0, 1, false, NAN, {}},
        {{"wk", [=](cudaStream_t s) { bench_wk(wk_scale_f32(a, x + 1, out, n - 4, s), "scale"); }}});
    cudaFree(x);
    cudaFree(y);
    cudaFree(out);
}
