// Operations of the reduction kernel (reduce.cuh) that more than one file uses.
#ifndef WK_REDUCE_OPS_CUH
#define WK_REDUCE_OPS_CUH

#include "bonds.cuh"
#include "order.cuh"
#include "reduce.cuh"
#include "sums.cuh"

// Sum of E, given as R.
template <class E, class R> struct sum_op {
    typedef E T;
    typedef R Out;
    typedef sum_state<E> State;
    typedef typename State::type Acc;
    enum { N = 1 };
    static __device__ Acc identity() { return State::of(0); }
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const T (&x)[1][U][W], int64_t) {
        typename State::partial flat[U * W];
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int w = 0; w < W; w++) flat[u * W + w] = (typename State::partial)x[0][u][w];
        acc = State::add(acc, State::of(tree_sum(flat)));
    }
    static __device__ __forceinline__ Acc combine(const Acc &a, const Acc &b) {
        return State::add(a, b);
    }
    static __device__ Out result(const Acc &acc, int64_t) {
        return (Out)State::value(acc);
    }
};

// Sum of products of E, given as R.
template <class E, class R> struct dot_op {
    typedef E T;
    typedef R Out;
    typedef sum_state<E> State;
    typedef typename State::type Acc;
    typedef typename State::partial P;
    enum { N = 2 };
    static __device__ Acc identity() { return State::of(0); }
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const T (&x)[2][U][W], int64_t) {
        P products[U * W];
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int w = 0; w < W; w++) products[u * W + w] = (P)x[0][u][w] * (P)x[1][u][w];
        acc = State::add(acc, State::of(tree_sum(products)));
    }
    static __device__ __forceinline__ Acc combine(const Acc &a, const Acc &b) {
        return State::add(a, b);
    }
    static __device__ Out result(const Acc &acc, int64_t) {
        return (Out)State::value(acc);
    }
};

// The first in an order of order.cuh.
template <class Order> struct extreme_op {
    typedef typename Order::T T;
    typedef T Out;
    typedef T Acc;
    enum { N = 1 };
    static __device__ Acc identity() { return Order::neutral(); }
    static __device__ __forceinline__ Acc combine(Acc a, Acc b) { return Order::before(b, a) ? b : a; }
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const T (&x)[1][U][W], int64_t) {
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int w = 0; w < W; w++) acc = combine(acc, x[0][u][w]);
    }
    static __device__ Out result(Acc acc, int64_t) {
        return acc;
    }
};

// Sums of P, P T and P y over bonds: of neighbours in float, above them in S.
template <class S> struct portfolio_sums { S value, duration, yield; };

template <class S> struct portfolio_sums_op {
    typedef float T;
    typedef portfolio_sums<S> Out;
    typedef portfolio_sums<S> Acc;
    enum { N = 4 };
    static __device__ Acc identity() { return {0, 0, 0}; }
    static __device__ __forceinline__ Acc combine(const Acc &a, const Acc &b) {
        return {a.value + b.value, a.duration + b.duration, a.yield + b.yield};
    }
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const float (&x)[4][U][W], int64_t) {
        float value[U * W], duration[U * W], yield[U * W];
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int w = 0; w < W; w++) {
                const float years = x[1][u][w], rate = x[2][u][w] + x[3][u][w];
                const float p = bond_present_value(x[0][u][w], years, rate);
                value[u * W + w] = p;
                duration[u * W + w] = p * years;
                yield[u * W + w] = p * rate;
            }
        acc = combine(acc, {(S)tree_sum(value), (S)tree_sum(duration), (S)tree_sum(yield)});
    }
    static __device__ Out result(const Acc &acc, int64_t) {
        return acc;
    }
};

#endif
