// Histograms against the host references, exactly: random, constant and sorted data.
#include "check.cuh"

#include <warpkernels/histogram.h>

enum { BINS = WK_HISTOGRAM_BINS };

static void compare(const char *name, wk_status s, device_array<uint64_t> *counts, const uint64_t *want) {
    uint64_t got[BINS];
    bool intact = device_read(counts, got);
    int first = -1;
    for (int b = BINS - 1; b >= 0; b--)
        if (got[b] != want[b]) first = b;
    check(s == WK_SUCCESS && intact && first < 0, name, "status %d, bin %d: %llu, expected %llu", s, first,
          (unsigned long long)got[first < 0 ? 0 : first], (unsigned long long)want[first < 0 ? 0 : first]);
}

static void try_bytes(const char *kind, const uint8_t *x, int64_t n, int shift) {
    char name[80];
    uint64_t want[BINS];
    device_array<uint8_t> dx = device_from(x, n, shift);
    device_array<uint64_t> counts = device_new<uint64_t>(BINS);
    wk_status s = wk_histogram_u8(dx.data, n, counts.data, 0);
    wk_histogram_u8_host(x, n, want);
    snprintf(name, sizeof name, "bytes %s n=%lld shift %d", kind, (long long)n, shift);
    compare(name, s, &counts, want);
    device_free(&dx);
    device_free(&counts);
}

static void try_floats(const float *x, int64_t n, int shift, float lo, float hi) {
    char name[80];
    uint64_t want[BINS];
    device_array<float> dx = device_from(x, n, shift);
    device_array<uint64_t> counts = device_new<uint64_t>(BINS);
    wk_status s = wk_histogram_f32(dx.data, n, lo, hi, counts.data, 0);
    wk_histogram_f32_host(x, n, lo, hi, want);
    snprintf(name, sizeof name, "floats n=%lld shift %d in %g..%g", (long long)n, shift, lo, hi);
    compare(name, s, &counts, want);
    device_free(&dx);
    device_free(&counts);
}

int main(void) {
    check_begin("histogram");
    const int64_t most = check_large() ? 20000003 : 40003;
    uint8_t *bytes = (uint8_t *)malloc((size_t)most);
    float *floats = (float *)malloc((size_t)most * sizeof(float));
    check_random r = {23};
    for (int64_t i = 0; i < most; i++) bytes[i] = (uint8_t)random_u64(&r);
    static const int64_t sizes[] = {0, 1, 15, 16, 17, 255, 4096, 16385};
    for (int64_t n : sizes) try_bytes("random", bytes, n, 0);
    for (int shift = 1; shift < 16; shift += 5) try_bytes("random", bytes, 1000, shift);
    try_bytes("random", bytes, most, 0);
    for (int64_t i = 0; i < most; i++) bytes[i] = (uint8_t)(i * BINS / most);
    try_bytes("sorted", bytes, most, 0);
    memset(bytes, 77, (size_t)most);
    try_bytes("constant", bytes, most, 3);

    for (int64_t i = 0; i < most; i++) floats[i] = (float)random_real(&r, -1.5, 1.5);
    floats[0] = -1;
    floats[1] = 1;
    floats[2] = NAN;
    floats[3] = INFINITY;
    for (int64_t n : sizes) try_floats(floats, n, 0, -1, 1);
    try_floats(floats, most, 1, -1, 1);
    try_floats(floats, 5000, 2, 0.1f, 0.7f);

    device_array<uint64_t> counts = device_new<uint64_t>(BINS);
    check_status(wk_histogram_u8(NULL, 4, counts.data, 0), WK_ERROR_NULL, "null input");
    check_status(wk_histogram_u8((uint8_t *)counts.data, 4, NULL, 0), WK_ERROR_NULL, "null counts");
    check_status(wk_histogram_u8((uint8_t *)counts.data, 4, counts.data, 0), WK_ERROR_OVERLAP,
                 "counts in input");
    check_status(wk_histogram_f32(NULL, 0, 1, 1, counts.data, 0), WK_ERROR_VALUE, "empty range");
    check_status(wk_histogram_f32(NULL, 0, 0, INFINITY, counts.data, 0), WK_ERROR_VALUE, "infinite range");
    uint64_t h[BINS];
    check(device_read(&counts, h), "errors launch nothing", "guard overwritten");
    device_free(&counts);
    free(bytes);
    free(floats);
    return check_end();
}
