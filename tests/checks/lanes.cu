/* Barriers, shuffles and masks. As in race.cu: `run GRID BLOCK KIND SEVERITY` or `silent`, and <- marks the line. */

// run 1 64 barrier-divergence error
__global__ void bad_barrier_in_branch(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x < 32) {
        __syncthreads(); // <-
        b[threadIdx.x] = s[threadIdx.x] + 1;
    } else {
        b[threadIdx.x] = s[threadIdx.x] + 2;
        __syncthreads(); // <-
        b[threadIdx.x + 64] = 5;
    }
}
// run 1 64 silent
__global__ void good_barrier_in_branch(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) b[threadIdx.x] = s[threadIdx.x] + 1;
    else b[threadIdx.x] = s[threadIdx.x] + 2;
}
// run 1 64 barrier-divergence error
__global__ void bad_early_return(int *a, int *b, int n) {
    __shared__ int s[64];
    if (threadIdx.x >= 40) return; // <-
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads(); // <-
    b[threadIdx.x] = s[39 - threadIdx.x];
}
// run 1 64 silent
__global__ void good_early_return(int *a, int *b, int n) {
    __shared__ int s[64];
    if (threadIdx.x < 40) s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 40) b[threadIdx.x] = s[39 - threadIdx.x];
}
// run 1 64 silent
__global__ void good_return_after_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 40) return;
    b[threadIdx.x] = s[39 - threadIdx.x];
}
// run 1 64 barrier-divergence error
__global__ void bad_half_warp_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x % 2) {
        __syncthreads(); // <-
        b[threadIdx.x] = s[threadIdx.x];
    }
    b[threadIdx.x + 64] = 1;
} // <-
// run 1 96 barrier-divergence error
__global__ void bad_loop_barrier(int *a, int *b, int n) {
    __shared__ int s[96];
    for (unsigned k = 0; k <= threadIdx.x / 32; k++) {
        s[threadIdx.x] = a[threadIdx.x] + k;
        __syncthreads(); // <-
    }
    b[threadIdx.x] = s[threadIdx.x];
} // <-
// run 1 96 silent
__global__ void good_loop_barrier(int *a, int *b, int n) {
    __shared__ int s[96];
    for (unsigned k = 0; k <= 3; k++) {
        s[threadIdx.x] = a[threadIdx.x] + k;
        __syncthreads();
    }
    b[threadIdx.x] = s[threadIdx.x];
}
// run 1 128 barrier-divergence error
__global__ void bad_named_counts(int *a, int *b, int n) {
    b[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x < 32) asm volatile("bar.arrive 1, 64;" ::: "memory"); // <-
    else if (threadIdx.x < 64) asm volatile("bar.sync 1, 96;" ::: "memory"); // <-
    else if (threadIdx.x < 96) asm volatile("bar.sync 1, 96;" ::: "memory"); // <-
}
// run 1 128 silent
__global__ void good_named_counts(int *a, int *b, int n) {
    b[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x < 32) asm volatile("bar.arrive 1, 64;" ::: "memory");
    else if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
}
// run 2 64 silent
__global__ void good_uniform_branch(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    if (blockIdx.x == 0) {
        __syncthreads();
        b[threadIdx.x] = s[63 - threadIdx.x];
    } else {
        b[threadIdx.x + 64] = s[threadIdx.x];
        __syncthreads();
    }
}
// run 1 32 shuffle-lane error
__global__ void bad_return_before_shuffle(int *a, int *b, int n) {
    if (threadIdx.x >= 20) return;
    int v = a[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d); // <-
    b[threadIdx.x] = v;
}
// run 1 32 silent
__global__ void good_return_before_shuffle(int *a, int *b, int n) {
    int v = threadIdx.x < 20 ? a[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    b[threadIdx.x] = v;
}
// run 1 32 shuffle-lane error
__global__ void bad_ballot_reduce(int *a, int *b, int n) {
    unsigned m = __ballot_sync(0xffffffffu, threadIdx.x < 20);
    if (threadIdx.x < 20) {
        int v = a[threadIdx.x];
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(m, v, d); // <-
        b[threadIdx.x] = v;
    }
}
// run 1 32 silent
__global__ void good_half_reduce(int *a, int *b, int n) {
    if (threadIdx.x < 16) {
        int v = a[threadIdx.x];
        for (int d = 8; d; d /= 2) v += __shfl_down_sync(0x0000ffffu, v, d, 16);
        if (threadIdx.x == 0) b[0] = v;
    }
}
// run 1 20 shuffle-lane error
__global__ void bad_short_block(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d); // <-
    if (threadIdx.x == 0) b[0] = v;
}
// run 1 16 silent
__global__ void good_short_block(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    for (int d = 8; d; d /= 2) v += __shfl_down_sync(0x0000ffffu, v, d, 16);
    if (threadIdx.x == 0) b[0] = v;
}
// run 1 32 shuffle-lane error
__global__ void bad_broadcast(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    if (threadIdx.x == 0) return;
    b[threadIdx.x] = __shfl_sync(0xffffffffu, v, 0); // <-
}
// run 1 32 silent
__global__ void good_broadcast(int *a, int *b, int n) {
    int v = __shfl_sync(0xffffffffu, a[threadIdx.x], 0);
    if (threadIdx.x == 0) return;
    b[threadIdx.x] = v;
}
// run 1 32 mask error
__global__ void bad_not_named(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    if (threadIdx.x < 16) v = __shfl_xor_sync(0x000000ffu, v, 1); // <-
    b[threadIdx.x] = v;
}
// run 1 32 silent
__global__ void good_named(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    if (threadIdx.x < 16) v = __shfl_xor_sync(0x0000ffffu, v, 1);
    b[threadIdx.x] = v;
}
// run 1 32 mask error
__global__ void bad_never_comes(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    if (v + threadIdx.x < 16) v = __shfl_xor_sync(0xffffffffu, v, 1); // <-
    b[threadIdx.x] = v;
} // <- where the others have ended
// run 1 32 mask error
__global__ void bad_masks_differ(int *a, int *b, int n) {
    unsigned m = threadIdx.x < 8 ? 0x0000ffffu : 0x0001ffffu;
    int v = a[threadIdx.x];
    if (threadIdx.x < 17) v = __shfl_xor_sync(m, v, 1); // <-
    b[threadIdx.x] = v;
}
// run 1 32 silent
__global__ void good_two_tiles(int *a, int *b, int n) {
    unsigned m = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
    int v = a[threadIdx.x];
    v = __shfl_xor_sync(m, v, 1);
    b[threadIdx.x] = v;
}
// run 1 32 mask warning
__global__ void bad_activemask(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    if (v + threadIdx.x < 12) {
        unsigned m = __activemask(); // <-
        v = __shfl_sync(m, v, 3);
    }
    b[threadIdx.x] = v;
}
// run 1 32 silent
__global__ void good_ballot(int *a, int *b, int n) {
    int v = a[threadIdx.x];
    unsigned m = __ballot_sync(0xffffffffu, v + threadIdx.x < 12);
    if (v + threadIdx.x < 12) v = __shfl_sync(m, v, 3);
    b[threadIdx.x] = v;
}
// run 1 32 mask error
__global__ void bad_syncwarp_mask(int *a, int *b, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    unsigned m = a[0] ? 0xfu : 0x0000fff0u;
    if (threadIdx.x < 16) __syncwarp(m); // <-
    b[threadIdx.x] = s[threadIdx.x];
}
// run 1 40 silent
__global__ void good_partial_warp(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    b[threadIdx.x] = s[threadIdx.x ^ 1];
}
// run 2 32 silent
__global__ void good_vote(int *a, int *b, int n) {
    int any = __any_sync(0xffffffffu, a[threadIdx.x] > 3);
    unsigned same = __match_any_sync(0xffffffffu, a[threadIdx.x]);
    b[blockIdx.x * 32 + threadIdx.x] = any + same;
}
// run 1 32 silent
__global__ void good_meeting_underway(int *a, int *b, int n) {
    int v = 7;
    if ((threadIdx.x & 3) != 1) v = __ballot_sync(0xddddddddu, a[threadIdx.x] > 3);
    __syncwarp();
    b[threadIdx.x] = v;
}
