// Min and max.
#include <warpkernels/reduce.h>

#include "reduce_ops.cuh"

WK_DEFINE_ORDERED(min, extreme_op, order_min)
WK_DEFINE_ORDERED(max, extreme_op, order_max)
