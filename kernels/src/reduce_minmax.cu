// Min and max.
#include <warpkernels/reduce.h>

#include "reduce_ops.cuh"

typedef extreme_op<order_min<float>> min_f32;
typedef extreme_op<order_min<double>> min_f64;
typedef extreme_op<order_min<int32_t>> min_i32;
typedef extreme_op<order_min<int64_t>> min_i64;
typedef extreme_op<order_max<float>> max_f32;
typedef extreme_op<order_max<double>> max_f64;
typedef extreme_op<order_max<int32_t>> max_i32;
typedef extreme_op<order_max<int64_t>> max_i64;

WK_DEFINE_REDUCE(min, f32, min_f32)
WK_DEFINE_REDUCE(min, f64, min_f64)
WK_DEFINE_REDUCE(min, i32, min_i32)
WK_DEFINE_REDUCE(min, i64, min_i64)
WK_DEFINE_REDUCE(max, f32, max_f32)
WK_DEFINE_REDUCE(max, f64, max_f64)
WK_DEFINE_REDUCE(max, i32, max_i32)
WK_DEFINE_REDUCE(max, i64, max_i64)
