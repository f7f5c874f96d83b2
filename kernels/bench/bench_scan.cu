#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>

#include <math.h>

#include "check.h"

void bench_scan(bench *b) {
    if (!bench_any_wanted(b, {"scan", "histogram"})) return;
    const int64_t n = (int64_t)1 << 28;
    float *x = bench_floats(n, -1, 1, 31), *out = bench_alloc<float>(n);
    uint64_t *counts = bench_alloc<uint64_t>(256);
    wk_workspace *w = nullptr;
    bench_wk(wk_workspace_create(wk_scan_workspace_bytes(n), &w), "workspace");
    size_t scan_bytes = 0, histogram_bytes = 0;
    // CUB at its best: 32-bit counters and a 32-bit count of samples.
    auto *peer_counts = (int *)counts;
    const int samples = 1 << 30;
    bench_cuda(cub::DeviceScan::InclusiveSum(nullptr, scan_bytes, x, out, n), "CUB");
    bench_cuda(cub::DeviceHistogram::HistogramEven(nullptr, histogram_bytes, (uint8_t *)x, peer_counts, 257,
                                                   0, 256, samples),
               "CUB");
    const size_t bytes = scan_bytes > histogram_bytes ? scan_bytes : histogram_bytes;
    void *scratch = bench_alloc<char>((int64_t)bytes);

    bench_wk(wk_inclusive_sum_f32(x, out, n, w, b->stream), "scan");
    bench_cuda(cudaStreamSynchronize(b->stream), "scan");
    double sum = 0, magnitude = 0, worst = 0;
    {
        auto hx = bench_read(x, n), ho = bench_read(out, n);
        for (int64_t i = 0; i < n; i++) {
            sum += hx[(size_t)i], magnitude += fabs(hx[(size_t)i]);
            worst = fmax(worst, fabs(ho[(size_t)i] - sum) / magnitude);
        }
    }
    bench_measure(b, {"scan f32, inclusive", "2^28", 8.0 * n, 0, 1, false, worst, {}},
                  {{"wk", [=](cudaStream_t s) { bench_wk(wk_inclusive_sum_f32(x, out, n, w, s), "scan"); }},
                   {"CUB", [=](cudaStream_t s) {
                        size_t k = bytes;
                        bench_cuda(cub::DeviceScan::InclusiveSum(scratch, k, x, out, n, s), "CUB");
                    }}});
    bench_measure(b, {"scan i32, exclusive", "2^28", 8.0 * n, 0, 1, false, -1, {}},
                  {{"wk",
                    [=](cudaStream_t s) {
                        bench_wk(wk_exclusive_sum_i32((int32_t *)x, (int32_t *)out, n, w, s), "scan");
                    }},
                   {"CUB", [=](cudaStream_t s) {
                        size_t k = bytes;
                        bench_cuda(
                            cub::DeviceScan::ExclusiveSum(scratch, k, (int32_t *)x, (int32_t *)out, n, s),
                            "CUB");
                    }}});
    bench_measure(
        b, {"histogram u8, random", "2^30", 4.0 * n, 0, 1, false, -1, {}},
        {{"wk",
          [=](cudaStream_t s) { bench_wk(wk_histogram_u8((uint8_t *)x, 4 * n, counts, s), "histogram"); }},
         {"CUB", [=](cudaStream_t s) {
              size_t k = bytes;
              bench_cuda(cub::DeviceHistogram::HistogramEven(scratch, k, (uint8_t *)x, peer_counts, 257, 0,
                                                             256, samples, s),
                         "CUB");
          }}});
    bench_measure(
        b, {"histogram f32", "2^28", 4.0 * n, 0, 1, false, -1, {}},
        {{"wk", [=](cudaStream_t s) { bench_wk(wk_histogram_f32(x, n, -1, 1, counts, s), "histogram"); }}});
    bench_cuda(cudaMemsetAsync(out, 77, (size_t)n * 4, b->stream), "memset");
    bench_measure(
        b, {"histogram u8, constant", "2^30", 4.0 * n, 0, 1, false, -1, {}},
        {{"wk",
          [=](cudaStream_t s) { bench_wk(wk_histogram_u8((uint8_t *)out, 4 * n, counts, s), "histogram"); }},
         {"CUB", [=](cudaStream_t s) {
              size_t k = bytes;
              bench_cuda(cub::DeviceHistogram::HistogramEven(scratch, k, (uint8_t *)out, peer_counts, 257, 0,
                                                             256, samples, s),
                         "CUB");
          }}});
    cudaFree(x);
    cudaFree(out);
    cudaFree(counts);
    cudaFree(scratch);
    wk_workspace_destroy(w);
}
