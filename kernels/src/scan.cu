// Prefix sums in one pass, with the same bits in every run.
//
// A block scans one tile and needs the sum of all tiles before it. It looks back (Merrill and
// Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016), but over two levels whose
// order of additions is fixed: floating-point sums must not depend on how far the others have got.
//   - Tiles are in groups of 32. The sum of the tiles before one in its group is a warp scan
//     of the group's aggregates, wherever it is computed.
//   - The sum of the groups before one is a left fold: inclusive(g) = inclusive(g - 1) + sum(g).
//     A fold that starts from any published inclusive(h) gives the same bits.
#include <warpkernels/scan.h>

#include "internal.cuh"
#include "sums.cuh"

enum {
    SCAN_THREADS = 256,
    SCAN_WARPS = SCAN_THREADS / 32,
    GROUP = 32, // tiles of a group, one for each lane that looks
};

// What a slot holds: the sum of its tile or group alone, or of everything up to its end.
enum { EMPTY = 0, AGGREGATE = 1, INCLUSIVE = 2 };

// Sums above a warp are kept in a wider state for floating point.
template <class E> struct scan_state {
    typedef E type;
    static __device__ __forceinline__ E of(E x) { return x; }
    static __device__ __forceinline__ E add(E a, E b) { return a + b; }
    static __device__ __forceinline__ E value(E a) { return a; }
};
template <> struct scan_state<float> : sum_state<float> {};
template <> struct scan_state<double> : sum_state<double> {};

// What blocks tell each other, in the workspace.
struct scan_board {
    unsigned *ticket;
    wk_slot *tiles;  // AGGREGATE, for all but the last tile of a group
    wk_slot *groups; // AGGREGATE, later INCLUSIVE
};

// --- words between lanes ----------------------------------------------------------

template <class A> static __device__ __forceinline__ A shuffle_up(const A &a, int delta) {
    union {
        A value;
        unsigned word[sizeof(A) / 4];
    } from, to;
    from.value = a;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(A) / 4); i++)
        to.word[i] = __shfl_up_sync(0xffffffffu, from.word[i], delta);
    return to.value;
}

template <class A> static __device__ __forceinline__ A shuffle_from(const A &a, int lane) {
    union {
        A value;
        unsigned word[sizeof(A) / 4];
    } from, to;
    from.value = a;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(A) / 4); i++) to.word[i] = __shfl_sync(0xffffffffu, from.word[i], lane);
    return to.value;
}

// --- look-back: all lanes of one warp ----------------------------------------------

// Sum of the tiles of the group before `tile`.
template <class S>
static __device__ __forceinline__ typename S::type sum_in_group(const scan_board &board, int64_t tile,
                                                                int lane) {
    typedef typename S::type A;
    const int position = (int)(tile % GROUP);
    A sum = S::of(0);
    if (lane < position) {
        const wk_slot *other = board.tiles + (tile - position + lane) * slots_of<A>::count;
        while (slots_get(other, &sum) == EMPTY) {
        }
    }
    __syncwarp();
#pragma unroll
    for (int delta = 1; delta < 32; delta *= 2) {
        const A before = shuffle_up(sum, delta);
        if (lane >= delta) sum = S::add(before, sum);
    }
    sum = shuffle_from(sum, position > 0 ? position - 1 : 0);
    return position > 0 ? sum : S::of(0);
}

// Sum of the groups before `group`: lane l watches group - 1 - l; what lies before the first
// group counts as an inclusive sum of zero.
template <class S>
static __device__ __forceinline__ typename S::type sum_of_groups(const scan_board &board, int64_t group,
                                                                 int lane) {
    typedef typename S::type A;
    const int64_t other = group - 1 - lane;
    A sum = S::of(0);
    unsigned inclusive, known;
    do {
        const unsigned tag =
            other < 0 ? INCLUSIVE : slots_get(board.groups + other * slots_of<A>::count, &sum);
        inclusive = __ballot_sync(0xffffffffu, tag == INCLUSIVE);
        known = __ballot_sync(0xffffffffu, tag != EMPTY);
        // Wait for an inclusive sum with aggregates all the way from it to here.
    } while (inclusive == 0 || (~known & ((inclusive & -inclusive) - 1)) != 0);
    const int start = __ffs((int)inclusive) - 1;
    A total = shuffle_from(sum, start);
    for (int l = start - 1; l >= 0; l--) total = S::add(total, shuffle_from(sum, l));
    return total;
}

// Publishes the tile's sum; the sum of all tiles before it.
template <class S>
static __device__ __forceinline__ typename S::type look_back(const scan_board &board, int64_t tile,
                                                             const typename S::type &mine, int lane) {
    typedef typename S::type A;
    const int64_t group = tile / GROUP;
    const bool closes = tile % GROUP == GROUP - 1;
    wk_slot *tile_slot = board.tiles + tile * slots_of<A>::count;
    wk_slot *group_slot = board.groups + group * slots_of<A>::count;
    if (lane == 0 && !closes) slots_put(tile_slot, mine, AGGREGATE);
    const A in_group = sum_in_group<S>(board, tile, lane);
    const A group_sum = S::add(in_group, mine);
    if (lane == 0 && closes) slots_put(group_slot, group_sum, AGGREGATE);
    const A before = sum_of_groups<S>(board, group, lane);
    if (lane == 0 && closes) slots_put(group_slot, S::add(before, group_sum), INCLUSIVE);
    return S::add(before, in_group);
}

// --- the kernel ----------------------------------------------------------------------

// W neighbours a lane and access, U accesses a thread; a warp's part of the tile is contiguous.
template <class E, int W, int U, bool INCLUDE>
__global__ void __launch_bounds__(SCAN_THREADS)
    wk_scan_kernel(const E *x, E *out, int64_t n, scan_board board) {
    typedef scan_state<E> S;
    typedef typename S::type A;
    constexpr int TILE = SCAN_THREADS * W * U;
    __shared__ unsigned ticket;
    __shared__ __align__(16) unsigned char storage[(SCAN_WARPS + 1) * sizeof(A)];
    A *warp_sums = (A *)storage, *tile_before = warp_sums + SCAN_WARPS;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    // Tiles are taken in the order in which blocks start: whoever is waited for is running.
    // The ticket wraps to zero for the next call.
    if (threadIdx.x == 0) ticket = atomicInc(board.ticket, gridDim.x - 1);
    __syncthreads();
    const int64_t tile = ticket;
    const int64_t first = tile * TILE + warp * (32 * W * U) + lane * W;
    const bool whole = tile * TILE + TILE <= n;

    // Inclusive sums of each lane's neighbours; zeros behind the end.
    E v[U][W];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int64_t i = first + u * (32 * W);
        if (W > 1 && (whole || i + W <= n)) {
            const wk_pack<E> pack = wk_load16<E>(x + i);
#pragma unroll
            for (int w = 0; w < W; w++) v[u][w] = pack.v[w % wk_pack<E>::width];
        } else {
#pragma unroll
            for (int w = 0; w < W; w++) v[u][w] = i + w < n ? x[i + w] : E(0);
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
        for (int w = 1; w < W; w++) v[u][w] = v[u][w - 1] + v[u][w];

    // Sums of the warp before each lane's neighbours.
    E in_warp[U];
    A warp_sum = S::of(0);
#pragma unroll
    for (int u = 0; u < U; u++) {
        E sum = v[u][W - 1];
#pragma unroll
        for (int delta = 1; delta < 32; delta *= 2) {
            const E before = __shfl_up_sync(0xffffffffu, sum, delta);
            if (lane >= delta) sum = before + sum;
        }
        const E before = __shfl_up_sync(0xffffffffu, sum, 1);
        in_warp[u] = (E)S::value(S::add(warp_sum, S::of(lane > 0 ? before : E(0))));
        warp_sum = S::add(warp_sum, S::of(__shfl_sync(0xffffffffu, sum, 31)));
    }
    if (lane == 0) warp_sums[warp] = warp_sum;
    __syncthreads();

    A warp_before = S::of(0);
    if (warp == 0) {
        A sum = warp_sums[0];
#pragma unroll
        for (int w = 1; w < SCAN_WARPS; w++) sum = S::add(sum, warp_sums[w]);
        const A before = look_back<S>(board, tile, sum, lane);
        if (lane == 0) *tile_before = before;
    } else {
        for (int w = 0; w < warp; w++) warp_before = S::add(warp_before, warp_sums[w]);
    }
    __syncthreads();
    warp_before = S::add(*tile_before, warp_before);

#pragma unroll
    for (int u = 0; u < U; u++) {
        const int64_t i = first + u * (32 * W);
        const E before = (E)S::value(S::add(warp_before, S::of(in_warp[u])));
        E y[W];
#pragma unroll
        for (int w = 0; w < W; w++)
            y[w] = INCLUDE ? before + v[u][w] : w > 0 ? before + v[u][w > 0 ? w - 1 : 0] : before;
        if (W > 1 && (whole || i + W <= n)) {
            wk_pack<E> pack;
#pragma unroll
            for (int w = 0; w < W; w++) pack.v[w % wk_pack<E>::width] = y[w];
            wk_store16<E>(out + i, pack);
        } else {
#pragma unroll
            for (int w = 0; w < W; w++)
                if (i + w < n) out[i + w] = y[w];
        }
    }
}

// --- launch ----------------------------------------------------------------------------

static constexpr int SCAN_UNROLL = 6;
static constexpr int64_t SCAN_TILE_BYTES = SCAN_THREADS * 16 * SCAN_UNROLL;

static int64_t scan_tiles(int64_t n, int64_t element_bytes) {
    const int64_t tile = SCAN_TILE_BYTES / element_bytes;
    return n / tile + (n % tile != 0);
}

template <class A> static size_t scan_board_bytes(int64_t tiles) {
    return (size_t)(tiles + tiles / GROUP + 1) * slots_of<A>::count * sizeof(wk_slot);
}

extern "C" size_t wk_scan_workspace_bytes(int64_t n) {
    // Double has the smallest tiles and the largest state.
    const int64_t tiles = n > 0 ? scan_tiles(n, sizeof(double)) : 0;
    return scan_board_bytes<double_double>(tiles);
}

template <class E, bool INCLUDE>
static wk_status scan(const E *x, E *out, int64_t n, wk_workspace *workspace, cudaStream_t stream) {
    typedef typename scan_state<E>::type A;
    WK_TRY(wk_check_array(x, n));
    WK_TRY(wk_check_array(out, n));
    WK_TRY(wk_check_no_shift(x, out, n * (int64_t)sizeof(E)));
    const int64_t tiles = scan_tiles(n, sizeof(E));
    const size_t bytes = scan_board_bytes<A>(tiles);
    WK_TRY(wk_check_workspace(workspace, bytes));
    if (n == 0) return WK_SUCCESS;
    if (tiles > WK_MAX_GRID_X) return WK_ERROR_SIZE;

    wk_slot *slots = (wk_slot *)workspace->scratch;
    const scan_board board = {workspace->ticket, slots, slots + tiles * slots_of<A>::count};
    WK_CUDA(cudaMemsetAsync(slots, 0, bytes, stream));
    constexpr int W = wk_pack<E>::width;
    auto kernel = wk_aligned16(x) && wk_aligned16(out) ? wk_scan_kernel<E, W, SCAN_UNROLL, INCLUDE>
                                                       : wk_scan_kernel<E, 1, SCAN_UNROLL * W, INCLUDE>;
    return wk_launch_kernel(kernel, (unsigned)tiles, SCAN_THREADS, 0, stream, x, out, n, board);
}

// Integers are added as unsigned: wrapping is defined there.
#define WK_DEFINE_SCAN(TYPE, T, E)                                                                           \
    extern "C" wk_status wk_inclusive_sum_##TYPE(const T *x, T *out, int64_t n, wk_workspace *workspace,     \
                                                 cudaStream_t stream) {                                      \
        return scan<E, true>((const E *)x, (E *)out, n, workspace, stream);                                  \
    }                                                                                                        \
    extern "C" wk_status wk_exclusive_sum_##TYPE(const T *x, T *out, int64_t n, wk_workspace *workspace,     \
                                                 cudaStream_t stream) {                                      \
        return scan<E, false>((const E *)x, (E *)out, n, workspace, stream);                                 \
    }

WK_DEFINE_SCAN(f32, float, float)
WK_DEFINE_SCAN(f64, double, double)
WK_DEFINE_SCAN(i32, int32_t, uint32_t)
WK_DEFINE_SCAN(i64, int64_t, uint64_t)
