// Helpers of the bench_*.cu files: library calls that must succeed, results back on the host.
#ifndef WK_BENCH_CHECK_H
#define WK_BENCH_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include <warpkernels/warpkernels.h>

#include "bench.h"

static inline void bench_wk(wk_status s, const char *what) {
    if (s == WK_SUCCESS) return;
    fprintf(stderr, "wk-bench: %s: %s\n", what, wk_status_string(s));
    exit(1);
}

template <class T> static inline std::vector<T> bench_read(const T *device, int64_t n) {
    std::vector<T> v((size_t)n);
    bench_cuda(cudaMemcpy(v.data(), device, (size_t)n * sizeof(T), cudaMemcpyDeviceToHost),
               "copy to the host");
    return v;
}

template <class T> static inline T *bench_alloc(int64_t n) {
    T *p = nullptr;
    bench_cuda(cudaMalloc((void **)&p, (size_t)n * sizeof(T)), "cudaMalloc");
    // A pattern that no check takes for a result.
    bench_cuda(cudaMemset(p, 0xa5, (size_t)n * sizeof(T)), "cudaMemset");
    return p;
}

#endif
