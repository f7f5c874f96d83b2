/* Prefix sums. */
#ifndef WARPKERNELS_SCAN_H
#define WARPKERNELS_SCAN_H

#include "status.h"
#include "workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scratch that a scan of n elements of any type needs: give it to wk_workspace_create. */
WK_API size_t wk_scan_workspace_bytes(int64_t n);

/* wk_inclusive_sum_TYPE: out[i] = x[0] + ... + x[i].
 * wk_exclusive_sum_TYPE: out[i] = x[0] + ... + x[i-1], out[0] = 0.
 * out may be x. Integers wrap. One pass: every element is read once and written once, and the bits are the
 * same in every run.
 * Error of the floating-point sums: at most 24 units of roundoff of sum |x|, whatever n is: neighbours are
 * added in the type, everything above a warp in double (double-double).
 * Errors: WK_ERROR_NULL, WK_ERROR_SIZE, WK_ERROR_ALIGNMENT, WK_ERROR_OVERLAP, WK_ERROR_WORKSPACE, and
 * those of a launch. The call queues a memset and a kernel. */
#define WK_DECLARE_SCAN(TYPE, T)                                                                             \
    WK_API wk_status wk_inclusive_sum_##TYPE(const T *x, T *out, int64_t n, wk_workspace *workspace,         \
                                             cudaStream_t stream);                                           \
    WK_API wk_status wk_exclusive_sum_##TYPE(const T *x, T *out, int64_t n, wk_workspace *workspace,         \
                                             cudaStream_t stream);                                           \
    WK_API wk_status wk_inclusive_sum_##TYPE##_host(const T *x, T *out, int64_t n);                          \
    WK_API wk_status wk_exclusive_sum_##TYPE##_host(const T *x, T *out, int64_t n);

WK_DECLARE_SCAN(f32, float)
WK_DECLARE_SCAN(f64, double)
WK_DECLARE_SCAN(i32, int32_t)
WK_DECLARE_SCAN(i64, int64_t)

#undef WK_DECLARE_SCAN

#ifdef __cplusplus
}
#endif
#endif
