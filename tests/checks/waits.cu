/* Waits: barriers that not all reach, and what never comes. As in race.cu. `cooperative` launches as such. */
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

// run 1 64 deadlock error
__global__ void bad_flag_never_set(int *a, int *b, int n) {
    if (threadIdx.x == 0)
        while (*(volatile int *)a == 0) {} // <-
    b[threadIdx.x] = 1;
}
// run 2 32 silent
__global__ void good_flag(int *a, int *b, int n) {
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        __threadfence();
        atomicExch(a, 1);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        while (atomicAdd(a, 0) == 0) {}
    b[blockIdx.x * 32 + threadIdx.x] = 1;
}
// run 1 32 deadlock error
__global__ void bad_lock_kept(int *a, int *b, int n) {
    if (threadIdx.x % 8) return;
    while (atomicCAS(a, 0, 1)) {} // <-
    __threadfence();
    b[0] += 1;
    __threadfence();
    if (threadIdx.x != 8) atomicExch(a, 0);
}
// run 1 32 silent
__global__ void good_lock(int *a, int *b, int n) {
    if (threadIdx.x % 8) return;
    while (atomicCAS(a, 0, 1)) {}
    __threadfence();
    b[0] += 1;
    __threadfence();
    atomicExch(a, 0);
}
// run 2 32 deadlock error
__global__ void bad_two_locks(int *a, int *b, int n) {
    if (threadIdx.x) return;
    int *first = blockIdx.x ? a + 1 : a, *second = blockIdx.x ? a : a + 1;
    while (atomicCAS(first, 0, 1)) {} // <-
    atomicAdd(a + 2, 1);
    while (atomicAdd(a + 2, 0) < 2) {} // <-
    while (atomicCAS(second, 0, 1)) {} // <-
    atomicExch(second, 0);
    atomicExch(first, 0);
}
// run 3 32 deadlock error cooperative
__global__ void bad_grid_barrier_left_out(int *a, int *b, int n) {
    cg::grid_group grid = cg::this_grid();
    if (blockIdx.x == 2) return;
    grid.sync(); // <-
    b[threadIdx.x] = a[threadIdx.x];
}
// run 3 32 silent cooperative
__global__ void good_grid_barrier(int *a, int *b, int n) {
    cg::grid_group grid = cg::this_grid();
    if (blockIdx.x == 2) a[threadIdx.x] = 3;
    grid.sync();
    if (blockIdx.x == 0) b[threadIdx.x] = a[threadIdx.x];
}
// run 1 96 barrier-divergence error
__global__ void bad_barriers_by_warp(int *a, int *b, int n) {
    __shared__ int s[96];
    s[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x / 32 == 1) {
        __syncthreads(); // <-
        b[0] = s[95];
    } else if (threadIdx.x / 32 == 2) {
        b[1] = s[threadIdx.x];
        __syncthreads(); // <-
        b[2] = s[65];
    } else {
        __syncthreads(); // <-
        b[3] = s[0];
    }
}
// run 1 128 deadlock error
__global__ void bad_named_too_few(int *a, int *b, int n) {
    if (threadIdx.x < 64) asm volatile("bar.sync 1, 96;"); // <-
    b[threadIdx.x] = 1;
}
// run 1 128 silent
__global__ void good_named(int *a, int *b, int n) {
    if (threadIdx.x < 96) asm volatile("bar.sync 1, 96;");
    b[threadIdx.x] = 1;
}
// run 1 64 deadlock error
__global__ void bad_loop_of_different_length(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    for (int k = threadIdx.x; k < 100; k += 64) { // <-
        s[threadIdx.x] += a[k];
        __syncthreads(); // <-
    }
    b[threadIdx.x] = s[threadIdx.x];
} // <-
// run 1 64 silent
__global__ void good_loop_of_same_length(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    for (int k = threadIdx.x; k < 128; k += 64) {
        s[threadIdx.x] += a[k];
        __syncthreads();
    }
    b[threadIdx.x] = s[threadIdx.x];
}
// run 1 64 barrier-divergence error
__global__ void bad_break_before_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    for (int k = 0; k < 8; k++) {
        if (s[threadIdx.x] + threadIdx.x > 40) break; // <-
        s[threadIdx.x]++;
        __syncthreads(); // <-
    }
    b[threadIdx.x] = s[threadIdx.x];
} // <-
// run 1 20 shuffle-lane error
__global__ void bad_sum_without_identity(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0x000fffffu, v, d); // <-
    if (threadIdx.x == 0) b[0] = v;
}
// run 1 32 silent
__global__ void good_sum_with_identity(int *a, int *b, int n) {
    int v = threadIdx.x < 20 ? a[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) b[0] = v;
}
// run 1 48 shuffle-lane error
__global__ void bad_xor_of_half_a_warp(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d); // <-
    b[threadIdx.x] = v;
}
// run 1 48 silent
__global__ void good_xor_by_width(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    unsigned lanes = threadIdx.x < 32 ? 0xffffffffu : 0xffffu;
    for (int d = 8; d; d /= 2) v += __shfl_xor_sync(lanes, v, d, 16);
    b[threadIdx.x] = v;
}
// run 1 64 shuffle-lane error
__global__ void bad_full_mask_in_branch(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        v += __shfl_down_sync(0xffffffffu, v, 8); // <-
        b[threadIdx.x] = v * 3;
    } else {
        b[threadIdx.x] = v - 1;
        b[threadIdx.x + 64] = v;
    }
}
// run 1 64 silent
__global__ void good_mask_of_branch(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        v += __shfl_down_sync(0x0000ffffu, v, 8, 16);
        b[threadIdx.x] = v * 3;
    } else {
        b[threadIdx.x] = v - 1;
        b[threadIdx.x + 64] = v;
    }
}
// run 1 64 mask warning
__global__ void bad_activemask_reduce(int *a, int *b, int n) {
    int v = a[threadIdx.x] + threadIdx.x;
    if (v % 3 == 0) {
        unsigned lanes = __activemask(); // <-
        for (int d = 16; d; d /= 2) v += __shfl_xor_sync(lanes, v, 0); // <-
        b[threadIdx.x] = v;
    } else b[threadIdx.x + 64] = v;
    __syncthreads();
    a[threadIdx.x] = b[63 - threadIdx.x];
}
// run 1 64 mask warning
__global__ void bad_activemask_in_loop(int *a, int *b, int n) {
    int best = 0;
    for (int i = threadIdx.x; i < 960; i += 32) {
        int k = (a[i] + i) * 7 % 13 - 4;
        if (k > 0) {
            unsigned lanes = __activemask(); // <-
            best = max(best, k - __shfl_sync(lanes, k, __ffs(lanes) - 1) + __popc(lanes));
        }
        __syncwarp();
    }
    atomicMax(b, best);
}
// run 1 64 silent
__global__ void good_ballot_in_loop(int *a, int *b, int n) {
    int best = 0;
    for (int i = threadIdx.x; i < 960; i += 32) {
        int k = (a[i] + i) * 7 % 13 - 4;
        unsigned lanes = __ballot_sync(0xffffffffu, k > 0);
        if (k > 0) best = max(best, k - __shfl_sync(lanes, k, __ffs(lanes) - 1) + __popc(lanes));
        __syncwarp();
    }
    atomicMax(b, best);
}
// run 4 64 silent
__global__ void good_atomic_of_some_lanes(int *a, int *b, int n) {
    __shared__ int least;
    if (threadIdx.x == 0) least = 1 << 30;
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < 1000; i += n) atomicMin(&least, a[i] + i); // the compiler makes one atomic of those there
    __syncthreads();
    if (threadIdx.x == 0) b[blockIdx.x] = least;
}
// run 1 64 deadlock error
__global__ void bad_phase_of_one_too_many(int *a, int *b, int n) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 65);
    __syncthreads();
    b[threadIdx.x] = a[threadIdx.x];
    bar.arrive_and_wait(); // <-
    b[threadIdx.x] += 1;
}
// run 1 64 silent
__global__ void good_phase_of_all(int *a, int *b, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    b[threadIdx.x] = a[threadIdx.x];
    bar.arrive_and_wait();
    b[threadIdx.x] += 1;
}
// run 2 32 deadlock error
__global__ void bad_flag_never_set_slept_for(int *a, int *b, int n) {
    long long began = clock64();
    if (threadIdx.x == 0)
        while (*(volatile int *)a == 0) __nanosleep(clock64() - began > 1000 ? 1000 : 10); // <-
    b[blockIdx.x * 32 + threadIdx.x] = 1;
}
// run 2 32 silent
__global__ void good_flag_waited_for_some_time(int *a, int *b, int n) {
    long long began = clock64();
    if (threadIdx.x == 0)
        while (*(volatile int *)a == 0 && clock64() - began < 2000000000) __nanosleep(100);
    b[blockIdx.x * 32 + threadIdx.x] = 1;
}
// run 4 64 silent
__global__ void good_coalesced_threads(int *a, int *b, int n) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int v = a[threadIdx.x] + threadIdx.x;
    if (v & 1) {
        auto some = cg::coalesced_threads();
        int least = some.shfl(v, 0), sum = v;
        for (unsigned d = some.size() / 2; d; d /= 2) sum += some.shfl_down(sum, d);
        if (some.thread_rank() == 0) atomicMax(b, sum - least);
    }
    auto alike = cg::labeled_partition(warp, v % 3);
    atomicAdd(b + 1, (int)alike.size());
}
