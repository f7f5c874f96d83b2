/* Prefix sums, one element after the other. Floating point in compensated double, so that the
 * references are good to the last bit of the type. */
#include <string.h>

#include <warpkernels/scan.h>

#include "check.h"
#include "compensated.h"

/* `kept` is the sum of what came before x[i]; out may be x, so x[i] is read first. */
#define SCAN_HOST(TYPE, T, S, VALUE, ADD)                                                                    \
    static wk_status scan_##TYPE(const T *x, T *out, int64_t n, bool include) {                              \
        WK_TRY(check_array(x, n, sizeof(T)));                                                                \
        WK_TRY(check_array(out, n, sizeof(T)));                                                              \
        WK_TRY(check_no_shift(x, out, n *(int64_t)sizeof(T)));                                               \
        S kept;                                                                                              \
        memset(&kept, 0, sizeof kept);                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const T value = x[i];                                                                            \
            if (!include) out[i] = VALUE(kept);                                                              \
            ADD(kept, value);                                                                                \
            if (include) out[i] = VALUE(kept);                                                               \
        }                                                                                                    \
        return WK_SUCCESS;                                                                                   \
    }                                                                                                        \
    wk_status wk_inclusive_sum_##TYPE##_host(const T *x, T *out, int64_t n) {                                \
        return scan_##TYPE(x, out, n, true);                                                                 \
    }                                                                                                        \
    wk_status wk_exclusive_sum_##TYPE##_host(const T *x, T *out, int64_t n) {                                \
        return scan_##TYPE(x, out, n, false);                                                                \
    }

#define ADD_REAL(kept, x)    compensated_add(&(kept), (double)(x))
#define ADD_INTEGER(kept, x) ((kept) += (uint64_t)(x))
#define VALUE_F32(kept)      (float)compensated_value(&(kept))
#define VALUE_F64(kept)      compensated_value(&(kept))
#define VALUE_I32(kept)      (int32_t)(uint32_t)(kept)
#define VALUE_I64(kept)      (int64_t)(kept)

SCAN_HOST(f32, float, compensated, VALUE_F32, ADD_REAL)
SCAN_HOST(f64, double, compensated, VALUE_F64, ADD_REAL)
SCAN_HOST(i32, int32_t, uint64_t, VALUE_I32, ADD_INTEGER)
SCAN_HOST(i64, int64_t, uint64_t, VALUE_I64, ADD_INTEGER)
