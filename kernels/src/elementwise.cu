#include <warpkernels/elementwise.h>
#include <warpkernels/map.cuh>

WK_ELEMENTWISE_1(wk_scale_f32, float, a *x)
WK_ELEMENTWISE_1(wk_scale_f64, double, a *x)
WK_ELEMENTWISE_2(wk_axpy_f32, float, fmaf(a, x, y))
WK_ELEMENTWISE_2(wk_axpy_f64, double, fma(a, x, y))
