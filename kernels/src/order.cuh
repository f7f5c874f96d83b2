// The order behind min, max, argmin and argmax: NaN comes before everything.
#ifndef WK_ORDER_CUH
#define WK_ORDER_CUH

#include <math_constants.h>
#include <stdint.h>

template <class T> struct order_ends;
template <> struct order_ends<float> {
    static __device__ float least() { return -CUDART_INF_F; }
    static __device__ float greatest() { return CUDART_INF_F; }
};
template <> struct order_ends<double> {
    static __device__ double least() { return -CUDART_INF; }
    static __device__ double greatest() { return CUDART_INF; }
};
template <> struct order_ends<int32_t> {
    static __device__ int32_t least() { return INT32_MIN; }
    static __device__ int32_t greatest() { return INT32_MAX; }
};
template <> struct order_ends<int64_t> {
    static __device__ int64_t least() { return INT64_MIN; }
    static __device__ int64_t greatest() { return INT64_MAX; }
};

// before(a, b): a must win against b. An integer is never unequal to itself, so that the
// compiler drops the tests for NaN there.
template <class E> struct order_min {
    typedef E T;
    static __device__ T neutral() { return order_ends<T>::greatest(); }
    static __device__ __forceinline__ bool before(T a, T b) { return (a < b || a != a) && b == b; }
};
template <class E> struct order_max {
    typedef E T;
    static __device__ T neutral() { return order_ends<T>::least(); }
    static __device__ __forceinline__ bool before(T a, T b) { return (a > b || a != a) && b == b; }
};

#endif
