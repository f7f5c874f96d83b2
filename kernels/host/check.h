/* The argument checks of the host references: the rules of the device calls. */
#ifndef WK_HOST_CHECK_H
#define WK_HOST_CHECK_H

#include <stdbool.h>

#include <warpkernels/status.h>

#define WK_TRY(call)                                                                                         \
    do {                                                                                                     \
        wk_status wk_try_status = (call);                                                                    \
        if (wk_try_status != WK_SUCCESS) return wk_try_status;                                               \
    } while (0)

static inline wk_status check_array(const void *p, int64_t n, size_t bytes) {
    if (n < 0 || n > INT64_MAX / (int64_t)bytes) return WK_ERROR_SIZE;
    return n > 0 && !p ? WK_ERROR_NULL : WK_SUCCESS;
}

static inline bool check_overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_bytes > 0 && b_bytes > 0 && x < y + (uintptr_t)b_bytes && y < x + (uintptr_t)a_bytes;
}

/* In place is fine, shifted against itself is not. */
static inline wk_status check_no_shift(const void *in, const void *out, int64_t bytes) {
    return in != out && check_overlap(in, bytes, out, bytes) ? WK_ERROR_OVERLAP : WK_SUCCESS;
}

#endif
