// How numbers are added: trees for a handful of neighbours, wide states above them.
#ifndef WK_SUMS_CUH
#define WK_SUMS_CUH

#include <stdint.h>

// x[0] + ... + x[K-1] as a tree: ceil(log2(K)) roundings on the way of every element.
template <int K, class T> struct tree {
    static __device__ __forceinline__ T sum(const T *x) {
        return tree<K / 2, T>::sum(x) + tree<K - K / 2, T>::sum(x + K / 2);
    }
};
template <class T> struct tree<1, T> {
    static __device__ __forceinline__ T sum(const T *x) { return x[0]; }
};
template <int K, class T> static __device__ __forceinline__ T tree_sum(const T (&x)[K]) {
    return tree<K, T>::sum(x);
}

// An unevaluated sum hi + lo of doubles. lo holds what the additions to hi rounded off
// (Knuth's TwoSum: The Art of Computer Programming, vol. 2, section 4.2.2, theorem B).
struct double_double {
    double hi, lo;
};

static __device__ __forceinline__ double_double dd_add(double_double a, double_double b) {
    const double s = a.hi + b.hi;
    const double t = s - a.hi;
    return {s, a.lo + b.lo + ((a.hi - (s - t)) + (b.hi - t))};
}

// Infinities and NaN live in hi alone: the error term of such an addition is NaN.
static __device__ __forceinline__ double dd_value(double_double a) {
    return isfinite(a.hi) ? a.hi + a.lo : a.hi;
}

// The state in which sums of T are kept: 29 bits more than a float, 53 more than a double.
template <class T> struct sum_state;

template <> struct sum_state<float> {
    typedef double type;
    typedef float partial; // what neighbours are added in
    static __device__ double of(float x) { return (double)x; }
    static __device__ double add(double a, double b) { return a + b; }
    static __device__ double value(double a) { return a; }
};

template <> struct sum_state<double> {
    typedef double_double type;
    typedef double partial;
    static __device__ double_double of(double x) { return {x, 0}; }
    static __device__ double_double add(double_double a, double_double b) { return dd_add(a, b); }
    static __device__ double value(double_double a) { return dd_value(a); }
};

// Unsigned inside: wrapping is defined there.
template <> struct sum_state<int32_t> {
    typedef uint64_t type;
    typedef uint64_t partial;
    static __device__ uint64_t of(uint64_t x) { return x; }
    static __device__ uint64_t add(uint64_t a, uint64_t b) { return a + b; }
    static __device__ int64_t value(uint64_t a) { return (int64_t)a; }
};

template <> struct sum_state<int64_t> : sum_state<int32_t> {};

#endif
