// Matrices of a warp group (wgmma): their operands in shared memory are read until the group has been waited for. Code for sm_90a.
#include "async.h"

// Eight tiles through two stages: warp 4 copies, the warp group multiplies. As CUTLASS does it, one thread of the warp group gives a stage back.
enum { TILES = 8, STAGES = 2 };
struct Ring {
    int x[STAGES][A_BYTES / 4], y[STAGES][B_BYTES / 4];
    uint64_t full[STAGES], empty[STAGES];
};
__device__ static void begin_ring(Ring &r, unsigned givers) {
    if (!threadIdx.x)
        for (int k = 0; k < STAGES; k++) begin(&r.full[k], 1), begin(&r.empty[k], givers);
    __syncthreads();
}
#define FILL(r, a)                                                                             \
    if (threadIdx.x == 128)                                                                    \
        for (int i = 0; i < TILES; i++) {                                                      \
            int k = i % STAGES;                                                                \
            if (i >= STAGES) await(&r.empty[k], (i / STAGES - 1) & 1);                         \
            expect(&r.full[k], A_BYTES + B_BYTES);                                             \
            load(r.x[k], a + i * (A_BYTES + B_BYTES) / 4, A_BYTES, &r.full[k]);                \
            load(r.y[k], a + i * (A_BYTES + B_BYTES) / 4 + A_BYTES / 4, B_BYTES, &r.full[k]);  \
        }

// run 2 160 silent
__global__ void given_back_in_time(int *a, int *b, int n) {
    __shared__ alignas(128) Ring r;
    float d[4] = {};
    begin_ring(r, 1);
    if (threadIdx.x >= 128) {
        FILL(r, a)
        return;
    }
    for (int i = 0; i < TILES; i++) {
        await(&r.full[i % STAGES], i / STAGES & 1);
        begin_matrices(), multiply(d, r.x[i % STAGES], r.y[i % STAGES]);
        end_matrices();
        if (!threadIdx.x) arrive(&r.empty[i % STAGES]);
    }
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}
// One group may go on: the stage before is given back.
// run 2 160 silent
__global__ void one_group_goes_on(int *a, int *b, int n) {
    __shared__ alignas(128) Ring r;
    float d[4] = {};
    begin_ring(r, 1);
    if (threadIdx.x >= 128) {
        FILL(r, a)
        return;
    }
    for (int i = 0; i < TILES; i++) {
        await(&r.full[i % STAGES], i / STAGES & 1);
        begin_matrices(), multiply(d, r.x[i % STAGES], r.y[i % STAGES]), close_matrices();
        wait_matrices<1>();
        if (i && threadIdx.x == 64) arrive(&r.empty[(i - 1) % STAGES]);
    }
    wait_matrices<0>();
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}
// The stage that is multiplied is given back.
// run 2 160 race error says=wgmma.wait
__global__ void given_back_too_soon(int *a, int *b, int n) {
    __shared__ alignas(128) Ring r;
    float d[4] = {};
    begin_ring(r, 1);
    if (threadIdx.x >= 128) {
        FILL(r, a) // <-
        return;
    }
    for (int i = 0; i < TILES; i++) {
        await(&r.full[i % STAGES], i / STAGES & 1);
        begin_matrices(), multiply(d, r.x[i % STAGES], r.y[i % STAGES]), close_matrices(); // <-
        wait_matrices<1>();
        if (threadIdx.x == 64) arrive(&r.empty[i % STAGES]);
    }
    wait_matrices<0>();
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}

// Operands that threads store.
// run 2 128 silent
__global__ void stored_after_the_wait(int *a, int *b, int n) {
    __shared__ alignas(128) int x[A_BYTES / 4], y[B_BYTES / 4];
    float d[4] = {};
    for (int i = 0; i < 4; i++) {
        for (int k = threadIdx.x; k < A_BYTES / 4; k += 128) x[k] = a[k + i];
        if (threadIdx.x < B_BYTES / 4) y[threadIdx.x] = a[threadIdx.x + i];
        publish();
        __syncthreads();
        begin_matrices(), multiply(d, x, y), end_matrices();
        __syncthreads();
    }
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]);
}
// run 2 128 race error says=wgmma.wait
__global__ void stored_before_the_wait(int *a, int *b, int n) {
    __shared__ alignas(128) int x[A_BYTES / 4], y[B_BYTES / 4];
    float d[4] = {};
    for (int i = 0; i < 4; i++) {
        for (int k = threadIdx.x; k < A_BYTES / 4; k += 128) x[k] = a[k + i]; // <-
        if (threadIdx.x < B_BYTES / 4) y[threadIdx.x] = a[threadIdx.x + i]; // <-
        publish();
        __syncthreads();
        begin_matrices(), multiply(d, x, y), close_matrices(); // <-
        __syncthreads(); // does not wait for wgmma
    }
    wait_matrices<0>();
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]); // <-
}
// The warp group waits, and no barrier follows.
// run 2 128 race error says=barrier
__global__ void stored_without_a_barrier(int *a, int *b, int n) {
    __shared__ alignas(128) int x[A_BYTES / 4], y[B_BYTES / 4];
    float d[4] = {};
    for (int k = threadIdx.x; k < A_BYTES / 4; k += 128) x[k] = a[k]; // <-
    if (threadIdx.x < B_BYTES / 4) y[threadIdx.x] = a[threadIdx.x]; // <-
    publish();
    begin_matrices(), multiply(d, x, y), end_matrices(); // <-
    b[blockIdx.x * 128 + threadIdx.x] = (int)(d[0] + d[1] + d[2] + d[3]); // <-
}
