#include <cub/device/device_reduce.cuh>

#include <math.h>

#include "check.h"

struct cub_scratch {
    void *memory;
    size_t bytes;
};

void bench_reduce(bench *b) {
    if (!bench_any_wanted(b, {"sum", "dot", "min", "argmax"})) return;
    const int64_t n = (int64_t)1 << 28, small = 1 << 20;
    float *x = bench_floats(n, -1, 1, 21), *y = bench_floats(n, -1, 1, 22);
    float *out = bench_alloc<float>(1 << 20), *peer_out = bench_alloc<float>(16);
    int64_t *index = bench_alloc<int64_t>(1);
    wk_workspace *w = nullptr;
    bench_wk(wk_workspace_create(0, &w), "workspace");
    cub_scratch cub = {nullptr, 0};
    bench_cuda(cub::DeviceReduce::Sum(nullptr, cub.bytes, x, peer_out, n), "CUB");
    cub.bytes = cub.bytes > ((size_t)1 << 20) ? cub.bytes : (size_t)1 << 20;
    bench_cuda(cudaMalloc(&cub.memory, cub.bytes), "cudaMalloc");
    auto cub_sum = [=](int64_t count) {
        return contestant{"CUB", [=](cudaStream_t s) {
                              size_t bytes = cub.bytes;
                              bench_cuda(cub::DeviceReduce::Sum(cub.memory, bytes, x, peer_out, count, s),
                                         "CUB");
                          }};
    };

    // Relative to the sum of magnitudes, the measure in which the bound is stated.
    double sum = 0, magnitude = 0, dot = 0, dot_magnitude = 0;
    {
        auto hx = bench_read(x, n), hy = bench_read(y, n);
        for (int64_t i = 0; i < n; i++) {
            sum += hx[(size_t)i], magnitude += fabs(hx[(size_t)i]);
            const double p = (double)hx[(size_t)i] * hy[(size_t)i];
            dot += p, dot_magnitude += fabs(p);
        }
    }
    bench_wk(wk_sum_f32(x, n, out, w, b->stream), "sum");
    bench_cuda(cudaStreamSynchronize(b->stream), "sum");
    const double sum_error = fabs(bench_read(out, 1)[0] - sum) / magnitude;
    bench_wk(wk_dot_f32(x, y, n, out, w, b->stream), "dot");
    bench_cuda(cudaStreamSynchronize(b->stream), "dot");
    const double dot_error = fabs(bench_read(out, 1)[0] - dot) / dot_magnitude;

    bench_measure(
        b, {"sum f32", "2^28", 4.0 * n, 0, 1, false, sum_error, {0, "CUB", 0.99}},
        {{"wk", [=](cudaStream_t s) { bench_wk(wk_sum_f32(x, n, out, w, s), "sum"); }}, cub_sum(n)});
    bench_measure(
        b, {"sum f32, 200 calls", "2^20", 4.0 * small, 0, 200, false, NAN, {0, "CUB", 1 / 0.6}},
        {{"wk", [=](cudaStream_t s) { bench_wk(wk_sum_f32(x, small, out, w, s), "sum"); }}, cub_sum(small)});
    bench_measure(
        b, {"sum f32, graph of 200", "2^20", 4.0 * small, 0, 200, true, NAN, {0, "CUB", 1 / 0.6}},
        {{"wk", [=](cudaStream_t s) { bench_wk(wk_sum_f32(x, small, out, w, s), "sum"); }}, cub_sum(small)});
    bench_measure(
        b, {"sum f64", "2^27", 4.0 * n, 0, 1, false, NAN, {0, "CUB", 0.99}},
        {{"wk",
          [=](cudaStream_t s) { bench_wk(wk_sum_f64((double *)x, n / 2, (double *)out, w, s), "sum"); }},
         {"CUB", [=](cudaStream_t s) {
              size_t bytes = cub.bytes;
              bench_cuda(cub::DeviceReduce::Sum(cub.memory, bytes, (double *)x, (double *)peer_out, n / 2, s),
                         "CUB");
          }}});
    bench_measure(
        b, {"sum i32", "2^28", 4.0 * n, 0, 1, false, -1, {}},
        {{"wk", [=](cudaStream_t s) { bench_wk(wk_sum_i32((int32_t *)x, n, index, w, s), "sum"); }}});
    bench_measure(b, {"min f32", "2^28", 4.0 * n, 0, 1, false, -1, {0, "CUB", 0.99}},
                  {{"wk", [=](cudaStream_t s) { bench_wk(wk_min_f32(x, n, out, w, s), "min"); }},
                   {"CUB", [=](cudaStream_t s) {
                        size_t bytes = cub.bytes;
                        bench_cuda(cub::DeviceReduce::Min(cub.memory, bytes, x, peer_out, n, s), "CUB");
                    }}});
    bench_measure(b, {"argmax f32", "2^28", 4.0 * n, 0, 1, false, -1, {}},
                  {{"wk", [=](cudaStream_t s) { bench_wk(wk_argmax_f32(x, n, index, w, s), "argmax"); }}});
    bench_measure(b, {"dot f32", "2^28", 8.0 * n, 0, 1, false, dot_error, {}},
                  {{"wk", [=](cudaStream_t s) { bench_wk(wk_dot_f32(x, y, n, out, w, s), "dot"); }}});
    for (int64_t cols : {(int64_t)64, (int64_t)1024, (int64_t)8192, (int64_t)1 << 24})
        bench_measure(b, {"sum f32 of rows", "2^28 / " + std::to_string(cols), 4.0 * n, 0, 1, false, NAN, {}},
                      {{"wk", [=](cudaStream_t s) {
                            float *to = n / cols > (1 << 20) ? y : out;
                            bench_wk(wk_sum_rows_f32(x, n / cols, cols, cols, to, w, s), "rows");
                        }}});
    cudaFree(x);
    cudaFree(y);
    cudaFree(out);
    cudaFree(peer_out);
    cudaFree(index);
    cudaFree(cub.memory);
    wk_workspace_destroy(w);
}
