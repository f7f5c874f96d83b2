// The test harness of the kernels: device buffers with guard zones, random data, PASS and FAIL
// lines. A test is a main() that calls check_begin, some checks, and returns check_end().
// Small by default, because tests also run on an emulated GPU; WK_TEST_LARGE=1 asks for more.
#ifndef WK_TEST_CHECK_CUH
#define WK_TEST_CHECK_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warpkernels/status.h>

static int check_passes, check_failures;

// One line for a check. Details follow only a failure.
__attribute__((format(printf, 3, 4))) static inline bool check(bool ok, const char *name, const char *format,
                                                               ...) {
    if (ok) {
        check_passes++;
        printf("PASS %s\n", name);
    } else {
        check_failures++;
        printf("FAIL %s: ", name);
        va_list args;
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        printf("\n");
    }
    fflush(stdout);
    return ok;
}

// Device errors outside the library end the test: nothing after them means anything.
static inline void check_cuda(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    printf("FAIL %s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

static inline bool check_status(wk_status got, wk_status want, const char *name) {
    return check(got == want, name, "status \"%s\", expected \"%s\"", wk_status_string(got),
                 wk_status_string(want));
}

static inline bool check_large(void) {
    const char *v = getenv("WK_TEST_LARGE");
    return v && *v && strcmp(v, "0") != 0;
}

// Exits with 77 (skipped) where there is no device.
static inline void check_begin(const char *name) {
    int count = 0;
    cudaError_t e = cudaGetDeviceCount(&count);
    if (e != cudaSuccess || count == 0) {
        printf("SKIP %s: %s\n", name, cudaGetErrorString(e));
        exit(77);
    }
    printf("TEST %s\n", name);
}

static inline int check_end(void) {
    check_cuda(cudaDeviceSynchronize(), "device at the end of the test");
    printf("%d passed, %d failed\n", check_passes, check_failures);
    return check_failures != 0 || check_passes == 0;
}

// --- random data: splitmix64, the same on every machine -----------------------

struct check_random {
    uint64_t state;
};

static inline uint64_t random_u64(check_random *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniform in [lo, hi).
static inline double random_real(check_random *r, double lo, double hi) {
    return lo + (hi - lo) * (double)(random_u64(r) >> 11) * 0x1p-53;
}

// --- device buffers -----------------------------------------------------------

// n elements on the device, `shift` elements past a 256-byte boundary, between two zones of
// guard bytes that must stay as they are.
template <class T> struct device_array {
    enum { guard = 256 };
    unsigned char *base;
    T *data;
    int64_t n, shift;
};

template <class T> static inline int64_t device_bytes(const device_array<T> *a) {
    return 2 * device_array<T>::guard + (a->n + a->shift) * (int64_t)sizeof(T);
}

template <class T> static inline device_array<T> device_new(int64_t n, int64_t shift = 0) {
    device_array<T> a;
    a.n = n;
    a.shift = shift;
    check_cuda(cudaMalloc((void **)&a.base, (size_t)device_bytes(&a)), "cudaMalloc");
    // A pattern that is no plausible result: unwritten elements show.
    check_cuda(cudaMemset(a.base, 0xa5, (size_t)device_bytes(&a)), "cudaMemset");
    a.data = (T *)(a.base + device_array<T>::guard) + shift;
    return a;
}

template <class T> static inline device_array<T> device_from(const T *host, int64_t n, int64_t shift = 0) {
    device_array<T> a = device_new<T>(n, shift);
    if (n > 0)
        check_cuda(cudaMemcpy(a.data, host, (size_t)n * sizeof(T), cudaMemcpyHostToDevice),
                   "copy to the device");
    return a;
}

// Copies the elements back. False when a guard byte changed.
template <class T> static inline bool device_read(const device_array<T> *a, T *host) {
    size_t bytes = (size_t)device_bytes(a);
    unsigned char *all = (unsigned char *)malloc(bytes);
    check_cuda(cudaMemcpy(all, a->base, bytes, cudaMemcpyDeviceToHost), "copy to the host");
    size_t first = (size_t)((unsigned char *)a->data - a->base);
    size_t last = first + (size_t)a->n * sizeof(T);
    bool intact = true;
    for (size_t i = 0; i < bytes; i++)
        if ((i < first || i >= last) && all[i] != 0xa5) intact = false;
    if (a->n > 0) memcpy((void *)host, all + first, (size_t)a->n * sizeof(T));
    free(all);
    return intact;
}

template <class T> static inline void device_free(device_array<T> *a) {
    check_cuda(cudaFree(a->base), "cudaFree");
    a->base = NULL;
    a->data = NULL;
}

#endif
