// Argmin and argmax: the smallest index among equals.
#include <warpkernels/reduce.h>

#include "order.cuh"
#include "reduce.cuh"

template <class Order> struct arg_op {
    typedef typename Order::T T;
    typedef int64_t Out;
    // The index in halves: with a value of 4 bytes the state has no padding and fits one slot. The
    // index of "none yet" is the largest, and so loses every tie.
    struct Acc {
        unsigned low, high;
        T value;
        __device__ __forceinline__ uint64_t index() const { return low | (uint64_t)high << 32; }
    };
    enum { N = 1 };
    static __device__ __forceinline__ Acc make(uint64_t index, T value) {
        return {(unsigned)index, (unsigned)(index >> 32), value};
    }
    static __device__ Acc identity() { return make(UINT64_MAX, Order::neutral()); }
    static __device__ __forceinline__ Acc combine(const Acc &a, const Acc &b) {
        const bool tie = !Order::before(a.value, b.value) && b.index() < a.index();
        return Order::before(b.value, a.value) || tie ? b : a;
    }
    // The best of the packs is found by its position in them; indices of 64 bits are compared once.
    // Packs do not wait for each other.
    template <int U, int W, int STEP>
    static __device__ __forceinline__ void add(Acc &acc, const T (&x)[1][U][W], int64_t i) {
        T best[U];
        int at[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            best[u] = x[0][u][0];
            at[u] = u * STEP;
#pragma unroll
            for (int w = 1; w < W; w++)
                if (Order::before(x[0][u][w], best[u])) {
                    best[u] = x[0][u][w];
                    at[u] = u * STEP + w;
                }
        }
#pragma unroll
        for (int step = 1; step < U; step *= 2)
#pragma unroll
            for (int u = 0; u + step < U; u += 2 * step)
                if (Order::before(best[u + step], best[u])) {
                    best[u] = best[u + step];
                    at[u] = at[u + step];
                }
        acc = combine(acc, make((uint64_t)(i + at[0]), best[0]));
    }
    static __device__ Out result(const Acc &acc, int64_t) {
        return (int64_t)acc.index();
    }
};

WK_DEFINE_ORDERED(argmin, arg_op, order_min)
WK_DEFINE_ORDERED(argmax, arg_op, order_max)
