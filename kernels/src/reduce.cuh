// One reduction kernel for all operations: every block reduces its share of a row, the last one of the row
// collects the shares. An operation (reduce_*.cu) says what happens to elements:
//
//   T, N           element type, number of input arrays
//   Acc, Out       state of a reduction, type of the result
//   identity()     the state of no elements
//   add(acc, x, i) adds x[N][U][W]: U packs of W neighbours, the first element at index i,
//                  the packs PACK_STEP elements apart
//   combine(a, b)  of two states
//   result(acc, n) of n elements
#ifndef WK_REDUCE_CUH
#define WK_REDUCE_CUH

#include "internal.cuh"

enum {
    REDUCE_THREADS = 256,
    REDUCE_WARPS = REDUCE_THREADS / 32,
    REDUCE_UNROLL = 4,   // 16-byte loads in flight in a thread
    REDUCE_RESIDENT = 6, // blocks that a multiprocessor must hold: the compiler keeps to 40 registers
    // Most blocks of one reduction: four waves on 132 multiprocessors, so that those which get on faster
    // take more of them. A constant, so that the bits are the same on every device.
    REDUCE_MAX_PARTS = 4 * REDUCE_RESIDENT * 132,
    REDUCE_OVERLAP_GRID = 2 * 132, // blocks of a kernel short enough to begin while another one ends
};

// sm_75 has room for 1024 threads only.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define REDUCE_BOUNDS __launch_bounds__(REDUCE_THREADS, 1024 / REDUCE_THREADS)
#else
#define REDUCE_BOUNDS __launch_bounds__(REDUCE_THREADS, REDUCE_RESIDENT)
#endif

template <class T, int N> struct reduce_arrays { const T *p[N]; };

// --- the steps of the kernel ---------------------------------------------------

template <class A> static __device__ __forceinline__ A shuffle_down(const A &a, int delta, int width) {
    static_assert(sizeof(A) % 4 == 0, "states are shuffled word by word");
    union {
        A value;
        unsigned word[sizeof(A) / 4];
    } from, to;
    from.value = a;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(A) / 4); i++)
        to.word[i] = __shfl_down_sync(0xffffffffu, from.word[i], delta, width);
    return to.value;
}

// The state of a block, in thread 0. Warps meet in a tree in shared memory; below one
// warp, shuffles. Every lane of warp 0 takes part, with the identity where it has no elements.
template <class Op>
static __device__ __forceinline__ typename Op::Acc reduce_block(typename Op::Acc acc,
                                                                typename Op::Acc *buffer) {
    buffer[threadIdx.x] = acc;
    __syncthreads();
    if (threadIdx.x < 32) {
        // Each lane takes its column of the warps' rows, so that no step but this reads what
        // another thread wrote, and one barrier is enough.
        typename Op::Acc column[REDUCE_WARPS];
#pragma unroll
        for (int w = 0; w < REDUCE_WARPS; w++) column[w] = buffer[w * 32 + threadIdx.x];
#pragma unroll
        for (int half = REDUCE_WARPS / 2; half > 0; half /= 2)
#pragma unroll
            for (int w = 0; w < half; w++) column[w] = Op::combine(column[w], column[w + half]);
        acc = column[0];
#pragma unroll
        for (int delta = 16; delta > 0; delta /= 2) acc = Op::combine(acc, shuffle_down(acc, delta, 32));
    }
    return acc;
}

// The state of a row, in thread 0 of the block that has the last part of it. Each share comes in a slot,
// tagged: whoever sees the tag sees the share. The slots are left empty for the next call. Blocks start in
// the order of their numbers, so that those waited for have started.
template <class Op>
static __device__ __forceinline__ typename Op::Acc collect(typename Op::Acc acc, wk_slot *slots,
                                                           unsigned parts, typename Op::Acc *buffer) {
    typedef typename Op::Acc Acc;
    if (threadIdx.x != 0) acc = Op::identity();
    for (unsigned i = threadIdx.x; i < parts - 1; i += REDUCE_THREADS) {
        wk_slot *slot = slots + i * slots_of<Acc>::count;
        Acc share;
        while (slots_get(slot, &share) == 0) {
        }
        slots_clear<Acc>(slot);
        acc = Op::combine(acc, share);
    }
    __syncthreads(); // warp 0 has read the buffer for the last time
    return reduce_block<Op>(acc, buffer);
}

template <class T, int W> static __device__ __forceinline__ void load_pack(T (&to)[W], const T *from) {
    if (W == 1) {
        to[0] = from[0];
    } else {
        wk_pack<T> pack = wk_load16<T>(from);
#pragma unroll
        for (int w = 0; w < W; w++) to[w] = pack.v[w];
    }
}

// Adds U packs of each array, REDUCE_THREADS packs apart, from element i on.
template <class Op, int U, int W>
static __device__ __forceinline__ void
reduce_packs(typename Op::Acc &acc, const reduce_arrays<typename Op::T, Op::N> &in, int64_t i) {
    typename Op::T x[Op::N][U][W];
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
        for (int k = 0; k < Op::N; k++) load_pack(x[k][u], in.p[k] + i + u * (REDUCE_THREADS * W));
    Op::template add<U, W, REDUCE_THREADS * W>(acc, x, i);
}

// One thread's part of the elements [0, n) of a row; `part` of `parts` blocks. Waits for the stream first
// unless `ahead`.
template <class Op, int W>
static __device__ __forceinline__ typename Op::Acc
reduce_thread(const reduce_arrays<typename Op::T, Op::N> &in, int64_t n, unsigned part, unsigned parts,
              int ahead) {
    constexpr int U = W == 1 ? 2 * REDUCE_UNROLL : (REDUCE_UNROLL + Op::N - 1) / Op::N;
    constexpr int TILE = REDUCE_THREADS * U * W;
    typename Op::Acc acc = Op::identity();

    int64_t head = 0;
    if (W > 1) {
        head = (int64_t)((16 - (uintptr_t)in.p[0] % 16) % 16 / sizeof(typename Op::T));
        if (head > n) head = n;
    }
    const int64_t end = head + (n - head) / W * W;
    if (!ahead) wk_wait_for_stream(); // what is above overlaps the end of the kernel before this one
    for (int64_t tile = head + (int64_t)part * TILE; tile < end; tile += (int64_t)parts * TILE) {
        const int64_t i = tile + threadIdx.x * W;
        if (tile + TILE <= end) {
            reduce_packs<Op, U, W>(acc, in, i);
        } else {
#pragma unroll 1
            for (int u = 0; u < U; u++)
                if (i + u * (REDUCE_THREADS * W) < end)
                    reduce_packs<Op, 1, W>(acc, in, i + u * (REDUCE_THREADS * W));
        }
    }
    // What lies before the first and behind the last 16-byte boundary.
    if (W > 1 && part == 0) {
        const int64_t t = threadIdx.x;
        const int64_t i = t < head ? t : end + t - head;
        if (i < n && (t < head || i >= end)) reduce_packs<Op, 1, 1>(acc, in, i);
    }
    return acc;
}

// --- kernels -------------------------------------------------------------------

// `parts` blocks for each row. With more than one the grid is rows * parts blocks, and the slots
// are enough for them; with one, the grid may be smaller than `rows`. `ahead`: the elements are read while
// the kernel before this one still runs (internal.cuh says when); nothing is written before it has ended.
template <class Op, int W>
__global__ void REDUCE_BOUNDS
    wk_reduce_kernel(reduce_arrays<typename Op::T, Op::N> in, int64_t rows, int64_t cols, int64_t pitch,
                     unsigned parts, int ahead, wk_slot *slots, typename Op::Out *out) {
    typedef typename Op::Acc Acc;
    __shared__ __align__(16) unsigned char storage[REDUCE_THREADS * sizeof(Acc)];
    Acc *buffer = (Acc *)storage;

    const unsigned part = parts == gridDim.x ? blockIdx.x : blockIdx.x % parts;
    int64_t row = parts == gridDim.x ? 0 : blockIdx.x / parts;
    for (; row < rows; row += gridDim.x / parts) {
        reduce_arrays<typename Op::T, Op::N> here = in;
#pragma unroll
        for (int k = 0; k < Op::N; k++) here.p[k] += row * pitch;
        Acc acc = reduce_thread<Op, W>(here, cols, part, parts, ahead);
        if (ahead) wk_wait_for_stream(); // slots and results are the kernel before's until then
        acc = reduce_block<Op>(acc, buffer);
        if (parts == 1) {
            if (threadIdx.x == 0) out[row] = Op::result(acc, cols);
            __syncthreads(); // before the buffer is used again
            continue;
        }

        slots += row * parts * slots_of<Acc>::count;
        if (part != parts - 1) {
            if (threadIdx.x == 0) slots_put(slots + part * slots_of<Acc>::count, acc, 1u);
            return;
        }
        acc = collect<Op>(acc, slots, parts, buffer);
        if (threadIdx.x == 0) out[row] = Op::result(acc, cols);
        return;
    }
}

// Short rows: `group` neighbouring lanes (a power of two up to 32) for each row, W elements an access.
// W > 1 needs every row on a 16-byte boundary. Lanes beyond the last row bring the identity to the
// shuffles instead of leaving before them.
template <class Op, int W>
__global__ void __launch_bounds__(REDUCE_THREADS)
    wk_reduce_rows_kernel(reduce_arrays<typename Op::T, Op::N> in, int64_t rows, int64_t cols, int64_t pitch,
                          int group, typename Op::Out *out) {
    const int lane = threadIdx.x & (group - 1);
    const unsigned rows_a_block = REDUCE_THREADS / group;
    for (int64_t first = (int64_t)blockIdx.x * rows_a_block; first < rows;
         first += (int64_t)gridDim.x * rows_a_block) {
        const int64_t row = first + threadIdx.x / group;
        typename Op::Acc acc = Op::identity();
        if (row < rows) {
            reduce_arrays<typename Op::T, Op::N> here = in;
#pragma unroll
            for (int k = 0; k < Op::N; k++) here.p[k] += row * pitch;
            const int64_t end = cols / W * W;
#pragma unroll 4
            for (int64_t i = lane * W; i < end; i += group * W) reduce_packs<Op, 1, W>(acc, here, i);
            if (W > 1 && end + lane < cols) reduce_packs<Op, 1, 1>(acc, here, end + lane);
        }
        for (int delta = group / 2; delta > 0; delta /= 2)
            acc = Op::combine(acc, shuffle_down(acc, delta, group));
        if (lane == 0 && row < rows) out[row] = Op::result(acc, cols);
    }
}

// --- launch --------------------------------------------------------------------

// How a matrix is divided: a function of its shape alone.
struct reduce_plan {
    int group;      // lanes for a row; 0: whole blocks
    unsigned parts; // blocks for a row
    unsigned grid;
};

template <class Op> static reduce_plan reduce_divide(int64_t rows, int64_t cols, int width) {
    const int64_t tile = (int64_t)REDUCE_THREADS * REDUCE_UNROLL * wk_pack<typename Op::T>::width;
    reduce_plan plan = {0, 1, 1};
    if (rows > 1 && cols <= 1024) {
        // Four accesses a lane, but a group is no smaller than the tail of a row.
        plan.group = 4;
        while (plan.group < 32 && plan.group * 4 * width < cols) plan.group *= 2;
        plan.grid = wk_grid(rows, REDUCE_THREADS / plan.group);
        return plan;
    }
    int64_t parts = cols / tile + (cols % tile != 0);
    const int64_t most = rows < REDUCE_MAX_PARTS ? REDUCE_MAX_PARTS / rows : 1;
    if (parts > most) parts = most;
    if (parts < 1) parts = 1;
    plan.parts = (unsigned)parts;
    plan.grid = (unsigned)(parts > 1 ? rows * parts : rows > WK_MAX_GRID_X ? WK_MAX_GRID_X : rows);
    return plan;
}

template <class Op>
static wk_status reduce_rows(reduce_arrays<typename Op::T, Op::N> in, int64_t rows, int64_t cols,
                             int64_t pitch, typename Op::Out *out, wk_workspace *workspace,
                             cudaStream_t stream) {
    typedef typename Op::T T;
    typedef typename Op::Acc Acc;
    static_assert(REDUCE_MAX_PARTS * slots_of<Acc>::count <= WK_WORKSPACE_SLOTS, "shares fit");
    WK_TRY(wk_check_array(out, rows));
    if (rows < 0 || cols < 0) return WK_ERROR_SIZE;
    if (pitch < cols) return WK_ERROR_PITCH;
    if (rows > 0 && pitch > INT64_MAX / (int64_t)sizeof(T) / rows) return WK_ERROR_SIZE;
    const int64_t span = rows && cols ? (rows - 1) * pitch + cols : 0;
    for (int k = 0; k < Op::N; k++) {
        WK_TRY(wk_check_array(in.p[k], span));
        if (wk_overlap(in.p[k], span * (int64_t)sizeof(T), out, rows * (int64_t)sizeof *out))
            return WK_ERROR_OVERLAP;
    }
    WK_TRY(wk_check_workspace(workspace, 0));
    if (rows == 0) return WK_SUCCESS;

    // Arrays that share no 16-byte boundary are read element by element. They share one
    // in every row or in none, because they have one pitch.
    constexpr int W = wk_pack<T>::width;
    bool one_phase = true;
    for (int k = 1; k < Op::N; k++) one_phase &= ((uintptr_t)in.p[k] - (uintptr_t)in.p[0]) % 16 == 0;
    const bool rows_aligned = one_phase && wk_aligned16(in.p[0]) && pitch % W == 0;
    const reduce_plan plan = reduce_divide<Op>(rows, cols, rows_aligned ? W : 1);
    if (plan.group)
        return wk_launch_kernel(rows_aligned ? wk_reduce_rows_kernel<Op, W> : wk_reduce_rows_kernel<Op, 1>,
                                plan.grid, REDUCE_THREADS, 0, stream, in, rows, cols, pitch, plan.group, out);
    // A single array always has a boundary of its own: the element kernel is not even compiled.
    constexpr int FALLBACK = Op::N == 1 ? W : 1;
    // Short kernels overlap. A long one fills the device evenly only if it starts on an empty one: where the
    // blocks of two kernels mix, some multiprocessors get more than their share.
    const int overlap = workspace->overlap && plan.grid <= REDUCE_OVERLAP_GRID;
    unsigned long long capture = 0;
    cudaGraphNode_t before = NULL;
    const bool captured = overlap && wk_capture_end(stream, &capture, &before);
    int ahead = captured && wk_is_last_reduction(workspace, capture, before);
    for (int k = 0; k < Op::N && ahead; k++)
        ahead = !wk_overlap(in.p[k], span * (int64_t)sizeof(T), workspace->out, workspace->out_bytes);
    WK_TRY(wk_launch_overlapped(overlap, one_phase ? wk_reduce_kernel<Op, W> : wk_reduce_kernel<Op, FALLBACK>,
                                plan.grid, REDUCE_THREADS, stream, in, rows, cols, pitch, plan.parts, ahead,
                                workspace->slots, out));
    if (captured) wk_note_reduction(workspace, stream, out, rows * (int64_t)sizeof *out);
    return WK_SUCCESS;
}

// The two calls of an operation over one array.
#define WK_DEFINE_REDUCE(OP, TYPE, OPERATION)                                                                \
    extern "C" wk_status wk_##OP##_##TYPE(const OPERATION::T *x, int64_t n, OPERATION::Out *out,             \
                                          wk_workspace *workspace, cudaStream_t stream) {                    \
        return reduce_rows<OPERATION>({{x}}, 1, n, n, out, workspace, stream);                               \
    }                                                                                                        \
    extern "C" wk_status wk_##OP##_rows_##TYPE(const OPERATION::T *x, int64_t rows, int64_t cols,            \
                                               int64_t pitch, OPERATION::Out *out, wk_workspace *workspace,  \
                                               cudaStream_t stream) {                                        \
        return reduce_rows<OPERATION>({{x}}, rows, cols, pitch, out, workspace, stream);                     \
    }

// Those of an operation by an order, for each type that has one.
#define WK_DEFINE_ORDERED(OP, OPERATION, ORDER)                                                              \
    WK_DEFINE_REDUCE(OP, f32, OPERATION<ORDER<float>>)                                                       \
    WK_DEFINE_REDUCE(OP, f64, OPERATION<ORDER<double>>)                                                      \
    WK_DEFINE_REDUCE(OP, i32, OPERATION<ORDER<int32_t>>)                                                     \
    WK_DEFINE_REDUCE(OP, i64, OPERATION<ORDER<int64_t>>)

#endif
