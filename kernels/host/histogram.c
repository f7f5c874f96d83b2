#include <math.h>
#include <string.h>

#include <warpkernels/histogram.h>

#include "check.h"

static wk_status check_histogram(const void *x, int64_t n, size_t bytes, const uint64_t *counts) {
    WK_TRY(check_array(x, n, bytes));
    WK_TRY(check_array(counts, WK_HISTOGRAM_BINS, sizeof *counts));
    return check_overlap(x, n * (int64_t)bytes, counts, WK_HISTOGRAM_BINS * (int64_t)sizeof *counts)
               ? WK_ERROR_OVERLAP
               : WK_SUCCESS;
}

wk_status wk_histogram_u8_host(const uint8_t *x, int64_t n, uint64_t *counts) {
    WK_TRY(check_histogram(x, n, sizeof *x, counts));
    memset(counts, 0, WK_HISTOGRAM_BINS * sizeof *counts);
    for (int64_t i = 0; i < n; i++) counts[x[i]]++;
    return WK_SUCCESS;
}

wk_status wk_histogram_f32_host(const float *x, int64_t n, float lo, float hi, uint64_t *counts) {
    if (!(lo < hi) || !isfinite(lo) || !isfinite(hi) || !isfinite(hi - lo)) return WK_ERROR_VALUE;
    const float scale = WK_HISTOGRAM_BINS / (hi - lo);
    if (!isfinite(scale)) return WK_ERROR_VALUE;
    WK_TRY(check_histogram(x, n, sizeof *x, counts));
    memset(counts, 0, WK_HISTOGRAM_BINS * sizeof *counts);
    for (int64_t i = 0; i < n; i++) {
        if (!(x[i] >= lo && x[i] <= hi)) continue;
        unsigned bin = (unsigned)((x[i] - lo) * scale);
        counts[bin < WK_HISTOGRAM_BINS ? bin : WK_HISTOGRAM_BINS - 1]++;
    }
    return WK_SUCCESS;
}
