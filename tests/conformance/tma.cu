/* Bulk copies with a tensor map (TMA): what gpu_tma.cu runs on a GPU and test_bulk.c here. */
#include <cuda.h>

#include "async.cuh"

enum { N = 16384 };
struct Coordinates { int c[5]; uint16_t off[3]; };

__device__ static uint8_t *aligned(uint8_t *room) { return room + (1024 - (window(room) & 1023)) % 1024; }
#define C1 "r"(c.c[0])
#define C2 C1, "r"(c.c[1])
#define C3 C2, "r"(c.c[2])
#define C4 C3, "r"(c.c[3])
#define C5 C4, "r"(c.c[4])

KERNEL tile(const __grid_constant__ CUtensorMap map, int rank, Coordinates c, uint32_t bytes, uint32_t soff, uint8_t *out, const CUtensorMap *elsewhere, int hint) {
    extern __shared__ __align__(16) uint8_t room[];
    uint8_t *s = aligned(room);
    __shared__ uint64_t bar, seen[2];
    const CUtensorMap *m = elsewhere ? elsewhere : &map;
    preset(s, N, 0xa5a5a5a5u);
    if (!threadIdx.x) bar_init(&bar, 1);
    proxy();
    __syncthreads();
    if (!threadIdx.x) {
        expect(&bar, bytes);
        asm volatile("prefetch.tensormap [%0];" ::"l"(m) : "memory");
#define LOAD(n, list, co, h)                                                                                                                          \
    case n:                                                                                                                                        \
        if (hint) {                                                                                                                                \
            asm volatile("cp.async.bulk.prefetch.tensor." #n "d.L2.global.tile [%0, " list "];" ::"l"(m), "r"(0), "r"(0), co : "memory");               \
            asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%1], [%0, " list "], [%2], %" h ";" \
                         ::"l"(m), "r"(window(s) + soff), "r"(window(&bar)), co, "l"(policy()) : "memory");                                         \
        } else {                                                                                                                                   \
            asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%1], [%0, " list "], [%2];"           \
                         ::"l"(m), "r"(window(s) + soff), "r"(window(&bar)), co : "memory");                                                        \
        }                                                                                                                                          \
        break;
        switch (rank) {
        LOAD(1, "{%3}", C1, "4") LOAD(2, "{%3,%4}", C2, "5") LOAD(3, "{%3,%4,%5}", C3, "6") LOAD(4, "{%3,%4,%5,%6}", C4, "7") LOAD(5, "{%3,%4,%5,%6,%7}", C5, "8")
        }
    }
    uint32_t ok = await(&bar, 0);
    if (!threadIdx.x) seen[0] = 0, seen[1] = ok;
    __syncthreads();
    copy(out, s, N);
    copy(out + N, (uint8_t *)seen, 16);
}
__device__ __constant__ CUtensorMap constant_map;
KERNEL tile_constant(uint32_t bytes, uint8_t *out, int x, int y) {
    extern __shared__ __align__(16) uint8_t room[];
    uint8_t *s = aligned(room);
    __shared__ uint64_t bar;
    preset(s, N, 0xa5a5a5a5u);
    if (!threadIdx.x) {
        bar_init(&bar, 1);
        expect(&bar, bytes);
    }
    proxy();
    __syncthreads();
    if (!threadIdx.x) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%1], [%0, {%3, %4}], [%2];" ::"l"(&constant_map), "r"(window(s)), "r"(window(&bar)), "r"(x), "r"(y) : "memory");
    await(&bar, 0);
    __syncthreads();
    copy(out, s, N);
}
KERNEL __cluster_dims__(4, 1, 1) tile_to_many(const __grid_constant__ CUtensorMap m, uint32_t bytes, uint8_t *out, int x, int y, uint32_t mask) {
    extern __shared__ __align__(16) uint8_t room[];
    uint8_t *s = aligned(room);
    __shared__ uint64_t bar;
    unsigned rank = my_rank();
    preset(s, N, 0xa5a5a5a5u);
    if (!threadIdx.x) {
        bar_init(&bar, 1);
        expect(&bar, bytes);
    }
    proxy();
    cluster_sync();
    if (!threadIdx.x && rank == 2) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%1], [%0, {%3, %4}], [%2], %5;" ::"l"(&m), "r"(window(s)), "r"(window(&bar)), "r"(x), "r"(y), "h"((uint16_t)mask) : "memory");
    uint32_t ok = await(&bar, 0);
    cluster_sync();
    copy(out + rank * N, s, N);
    if (!threadIdx.x) ((uint32_t *)(out + 4 * N))[rank] = ok;
}
KERNEL pixels(const __grid_constant__ CUtensorMap m, int rank, Coordinates c, uint32_t bytes, uint32_t soff, uint8_t *out) {
    extern __shared__ __align__(16) uint8_t room[];
    uint8_t *s = aligned(room);
    __shared__ uint64_t bar, seen[2];
    preset(s, N, 0xa5a5a5a5u);
    if (!threadIdx.x) bar_init(&bar, 1);
    proxy();
    __syncthreads();
    if (!threadIdx.x) {
        expect(&bar, bytes);
#define PIXELS(n, list, co, offsets, ...)                                                                                                            \
    case n: asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%1], [%0, " list "], [%2], " offsets ";" \
                         ::"l"(&m), "r"(window(s) + soff), "r"(window(&bar)), co, __VA_ARGS__ : "memory"); break;
        switch (rank) {
        PIXELS(3, "{%3,%4,%5}", C3, "{%6}", "h"(c.off[0]))
        PIXELS(4, "{%3,%4,%5,%6}", C4, "{%7,%8}", "h"(c.off[0]), "h"(c.off[1]))
        PIXELS(5, "{%3,%4,%5,%6,%7}", C5, "{%8,%9,%10}", "h"(c.off[0]), "h"(c.off[1]), "h"(c.off[2]))
        }
    }
    uint32_t ok = await(&bar, 0);
    if (!threadIdx.x) seen[0] = 0, seen[1] = ok;
    __syncthreads();
    copy(out, s, N);
    copy(out + N, (uint8_t *)seen, 16);
}
/* to some blocks of the cluster, with a hint */
KERNEL __cluster_dims__(4, 1, 1) pixels_to_many(const __grid_constant__ CUtensorMap m, Coordinates c, uint32_t bytes, uint8_t *out, uint32_t mask) {
    extern __shared__ __align__(16) uint8_t room[];
    uint8_t *s = aligned(room);
    __shared__ uint64_t bar;
    const unsigned rank = my_rank();
    preset(s, N, 0xa5a5a5a5u);
    if (!threadIdx.x) {
        bar_init(&bar, 1);
        expect(&bar, bytes);
    }
    proxy();
    cluster_sync();
    if (!threadIdx.x && rank == 2) asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%1], [%0, {%3,%4,%5,%6}], [%2], {%7,%8}, %9, %10;"
                                            ::"l"(&m), "r"(window(s)), "r"(window(&bar)), C4, "h"(c.off[0]), "h"(c.off[1]), "h"((uint16_t)mask), "l"(policy()) : "memory");
    uint32_t ok = await(&bar, 0);
    cluster_sync();
    copy(out + rank * N, s, N);
    if (!threadIdx.x) ((uint32_t *)(out + 4 * N))[rank] = ok;
}
#define STORE(n, list, mode, ...)                                                                                                                         \
    case n:                                                                                                                                        \
        switch (op) {                                                                                                                              \
        case 0: asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta." mode ".bulk_group [%0, " list "], [%1];" ::"l"(&m), "r"(window(s) + soff), __VA_ARGS__ : "memory"); break; \
        REDUCE(1, n, "add", list, mode, __VA_ARGS__) REDUCE(2, n, "min", list, mode, __VA_ARGS__) REDUCE(3, n, "max", list, mode, __VA_ARGS__) REDUCE(4, n, "inc", list, mode, __VA_ARGS__) \
        REDUCE(5, n, "dec", list, mode, __VA_ARGS__) REDUCE(6, n, "and", list, mode, __VA_ARGS__) REDUCE(7, n, "or", list, mode, __VA_ARGS__) REDUCE(8, n, "xor", list, mode, __VA_ARGS__)  \
        }                                                                                                                                          \
        break;
#define REDUCE(k, n, o, list, mode, ...) \
    case k: asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." o "." mode ".bulk_group [%0, " list "], [%1];" ::"l"(&m), "r"(window(s) + soff), __VA_ARGS__ : "memory"); break;
KERNEL tile_store(const __grid_constant__ CUtensorMap m, int rank, Coordinates c, uint32_t soff, const uint8_t *in, int op) {
    extern __shared__ __align__(16) uint8_t room[];
    uint8_t *s = aligned(room);
    copy(s, in, N);
    proxy();
    __syncthreads();
    if (threadIdx.x) return;
    switch (rank) {
    STORE(1, "{%2}", "tile", C1) STORE(2, "{%2,%3}", "tile", C2) STORE(3, "{%2,%3,%4}", "tile", C3) STORE(4, "{%2,%3,%4,%5}", "tile", C4)
    STORE(5, "{%2,%3,%4,%5,%6}", "tile", C5)
    }
    commit();
    wait_all();
}
KERNEL pixels_store(const __grid_constant__ CUtensorMap m, int rank, Coordinates c, uint32_t soff, const uint8_t *in, int op) {
    extern __shared__ __align__(16) uint8_t room[];
    uint8_t *s = aligned(room);
    copy(s, in, N);
    proxy();
    __syncthreads();
    if (threadIdx.x) return;
    switch (rank) {
    STORE(3, "{%2,%3,%4}", "im2col_no_offs", C3) STORE(4, "{%2,%3,%4,%5}", "im2col_no_offs", C4) STORE(5, "{%2,%3,%4,%5,%6}", "im2col_no_offs", C5)
    }
    commit();
    wait_all();
}
/* the map made by a thread of another launch */
KERNEL copy_map(const __grid_constant__ CUtensorMap m, CUtensorMap *to) {
    if (threadIdx.x < 32) ((uint32_t *)to)[threadIdx.x] = ((const uint32_t *)&m)[threadIdx.x];
}
