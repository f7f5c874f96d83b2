#include <cuda_pipeline.h>
/* Races. Above each kernel: what it is run with, and what must be found: `run GRID BLOCK KIND SEVERITY` or `silent`. The lines marked
 * with <- are the two sides; the finding must name one of them and its other side another (or the same).
 * All kernels take: a, 65536 zeros; b, 65536 zeros; n = threads of the launch. */

// run 1 64 race error
__global__ void bad_missing_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x]; // <-
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 silent
__global__ void good_missing_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x];
}
// run 2 128 race error
__global__ void bad_second_barrier(int *a, int *b, int n) {
    __shared__ int s[128];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        s[threadIdx.x] = a[k * 128 + threadIdx.x]; // <-
        __syncthreads();
        sum += s[(threadIdx.x + 40) % 128]; // <-
    }
    b[blockIdx.x * 128 + threadIdx.x] = sum;
}
// run 2 128 silent
__global__ void good_second_barrier(int *a, int *b, int n) {
    __shared__ int s[128];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        s[threadIdx.x] = a[k * 128 + threadIdx.x];
        __syncthreads();
        sum += s[(threadIdx.x + 40) % 128];
        __syncthreads();
    }
    b[blockIdx.x * 128 + threadIdx.x] = sum;
}
// run 1 32 race error
__global__ void bad_within_warp(int *a, int *b, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x]; // <-
    b[threadIdx.x] = s[threadIdx.x ^ 1]; // <-
}
// run 1 32 silent
__global__ void good_within_warp(int *a, int *b, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    b[threadIdx.x] = s[threadIdx.x ^ 1];
}
// run 1 64 race error
__global__ void bad_volatile_tail(int *a, int *b, int n) {
    __shared__ volatile int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] += s[threadIdx.x + 32]; // <-
        s[threadIdx.x] += s[threadIdx.x + 16]; // <-
        s[threadIdx.x] += s[threadIdx.x + 8]; // <-
    }
    if (threadIdx.x == 0) b[0] = s[0];
}
// run 1 64 silent
__global__ void good_volatile_tail(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t < 32) {
        int v = s[t] + s[t + 32];
        s[t] = v;
        __syncwarp();
        for (int d = 16; d; d /= 2) {
            if (t < d) v = s[t] + s[t + d];
            __syncwarp();
            if (t < d) s[t] = v;
            __syncwarp();
        }
        if (t == 0) b[0] = s[0];
    }
}
// run 1 64 silent
__global__ void good_own_slot(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    s[threadIdx.x] += 3;
    b[threadIdx.x] = s[threadIdx.x];
}
// run 1 64 race error
__global__ void bad_same_place(int *a, int *b, int n) {
    __shared__ int s[2];
    s[0] = a[threadIdx.x] + threadIdx.x; // <-
    __syncthreads();
    b[threadIdx.x] = s[0];
}
// run 1 32 race note
__global__ void note_same_value(int *a, int *b, int n) {
    __shared__ int s[2];
    s[0] = n; // <-
    __syncthreads();
    b[threadIdx.x] = s[0];
}
// The lanes of a row store one value to the row's place, or values of their own.
// run 1 32 race error
__global__ void bad_row_values(int *a, int *b, int n) {
    int row = threadIdx.x % 5;
    b[row * 4] = row + threadIdx.x / 30; // <-
}
// run 1 32 race note
__global__ void note_row_values(int *a, int *b, int n) {
    int row = threadIdx.x % 5;
    b[row * 4] = row + threadIdx.x / 32; // <-
}
// run 1 32 race error
__global__ void bad_row_values_wide(int *a, int *b, int n) {
    int row = threadIdx.x / 8;
    reinterpret_cast<int4 *>(b)[row * row] = make_int4(row, 1, 2, threadIdx.x == 30); // <-
}
// run 1 32 race note
__global__ void note_row_values_wide(int *a, int *b, int n) {
    int row = threadIdx.x / 8;
    reinterpret_cast<int4 *>(b)[row * row] = make_int4(row, 1, 2, threadIdx.x == 32); // <-
}
// Rows of lanes that lie 260 bytes apart: 4 more than a multiple of 256. The second warp's places are its own, or the neighbour's.
// run 1 64 race error
__global__ void bad_wide_rows(int *a, int *b, int n) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    b[lane % 8 * 65 + lane / 8 * 1000 + warp * 65] = threadIdx.x; // <-
}
// run 1 64 silent
__global__ void good_wide_rows(int *a, int *b, int n) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    b[lane % 8 * 65 + lane / 8 * 1000 + warp] = threadIdx.x;
}
// run 1 64 silent
__global__ void good_one_writer(int *a, int *b, int n) {
    __shared__ int s[2];
    if (threadIdx.x == 0) s[0] = a[threadIdx.x] + 7;
    __syncthreads();
    b[threadIdx.x] = s[0];
}
// run 1 64 race error
__global__ void bad_counter(int *a, int *b, int n) {
    __shared__ int s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = 0;
    __syncthreads();
    s[a[threadIdx.x] & 7] += 1; // <-
    __syncthreads();
    if (threadIdx.x < 8) b[threadIdx.x] = s[threadIdx.x];
}
// run 1 64 silent
__global__ void good_counter(int *a, int *b, int n) {
    __shared__ int s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[a[threadIdx.x] & 7], 1);
    __syncthreads();
    if (threadIdx.x < 8) b[threadIdx.x] = s[threadIdx.x];
}
// run 1 64 race error
__global__ void bad_unset_counter(int *a, int *b, int n) {
    __shared__ int s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = 0; // <-
    atomicAdd(&s[(a[threadIdx.x] + threadIdx.x) & 7], 1); // <-
    __syncthreads();
    if (threadIdx.x < 8) b[threadIdx.x] = s[threadIdx.x];
}
// run 1 64 race error
__global__ void bad_read_of_counter(int *a, int *b, int n) {
    __shared__ int s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[a[threadIdx.x] & 7], 1); // <-
    b[threadIdx.x] = s[0]; // <-
}
// run 1 64 silent
__global__ void good_float_counter(int *a, int *b, int n) {
    __shared__ float s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[a[threadIdx.x] & 7], 1.5f);
    __syncthreads();
    if (threadIdx.x < 8) b[threadIdx.x] = (int)s[threadIdx.x];
}
// run 1 64 silent
__global__ void good_bytes(int *a, int *b, int n) {
    __shared__ unsigned char s[64];
    s[threadIdx.x] = (unsigned char)a[threadIdx.x];
    b[threadIdx.x] = s[threadIdx.x];
}
// run 1 64 silent
__global__ void good_bytes_far(int *a, int *b, int n) {
    unsigned char *c = (unsigned char *)b;
    c[threadIdx.x * 3 + 1] = (unsigned char)a[threadIdx.x];
}
// run 1 64 race error
__global__ void bad_bytes(int *a, int *b, int n) {
    __shared__ unsigned char s[64];
    s[threadIdx.x] = (unsigned char)a[threadIdx.x]; // <-
    b[threadIdx.x] = s[threadIdx.x ^ 32]; // <-
}
// run 1 64 silent
__global__ void good_halves(int *a, int *b, int n) {
    __shared__ short s[128];
    s[2 * threadIdx.x] = (short)a[threadIdx.x];
    s[2 * threadIdx.x + 1] = (short)a[threadIdx.x];
    b[threadIdx.x] = s[2 * threadIdx.x] + s[2 * threadIdx.x + 1];
}
// run 1 32 race warning
__global__ void warning_only_a_shuffle(int *a, int *b, int n) {
    __shared__ volatile int s[32];
    s[threadIdx.x] = a[threadIdx.x]; // <-
    int v = __shfl_xor_sync(0xffffffffu, s[threadIdx.x], 1);
    b[threadIdx.x] = s[threadIdx.x ^ 1 ^ (v & 1)]; // <-
}
// run 1 32 race error
__global__ void bad_half_syncwarp(int *a, int *b, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x]; // <-
    if (threadIdx.x < 16) __syncwarp(0x0000ffffu);
    else __syncwarp(0xffff0000u);
    b[threadIdx.x] = s[threadIdx.x ^ 16]; // <-
}
// run 1 32 silent
__global__ void good_half_syncwarp(int *a, int *b, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x < 16) __syncwarp(0x0000ffffu);
    else __syncwarp(0xffff0000u);
    b[threadIdx.x] = s[threadIdx.x ^ 8];
}
// run 1 128 race error
__global__ void bad_named_barrier(int *a, int *b, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = a[threadIdx.x]; // <-
    if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 2, 64;" ::: "memory");
    b[threadIdx.x] = s[threadIdx.x ^ 64]; // <-
}
// run 1 128 silent
__global__ void good_named_barrier(int *a, int *b, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 2, 64;" ::: "memory");
    b[threadIdx.x] = s[threadIdx.x ^ 32];
}
// run 1 256 silent
__global__ void good_tile(int *a, int *b, int n) {
    __shared__ int x[16][16], y[16][17];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, sum = 0;
    for (int k = 0; k < 3; k++) {
        x[ty][tx] = a[k * 256 + threadIdx.x];
        y[tx][ty] = a[k * 256 + threadIdx.x + 5];
        __syncthreads();
        for (int m = 0; m < 16; m++) sum += x[ty][m] * y[m][tx];
        __syncthreads();
    }
    b[threadIdx.x] = sum;
}
// run 1 256 race error
__global__ void bad_tile(int *a, int *b, int n) {
    __shared__ int x[16][16], y[16][17];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, sum = 0;
    for (int k = 0; k < 3; k++) {
        x[ty][tx] = a[k * 256 + threadIdx.x]; // <-
        y[tx][ty] = a[k * 256 + threadIdx.x + 5]; // <-
        __syncthreads();
        for (int m = 0; m < 16; m++) sum += x[ty][m] * y[m][tx]; // <-
    }
    b[threadIdx.x] = sum;
}
// run 1 64 race error
__global__ void bad_stencil_in_place(int *a, int *b, int n) {
    int t = threadIdx.x;
    int v = t > 0 && t < 63 ? b[t - 1] + b[t + 1] : 0; // <-
    b[t] = v; // <-
}
// run 1 64 silent
__global__ void good_stencil_in_place(int *a, int *b, int n) {
    int t = threadIdx.x;
    int v = t > 0 && t < 63 ? b[t - 1] + b[t + 1] : 0;
    __syncthreads();
    b[t] = v;
}
// run 4 64 race error
__global__ void bad_between_blocks(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = b[(i + 64) % n]; // <-
    __syncthreads();
    b[i] = v + 1; // <-
}
// run 4 64 silent
__global__ void good_between_blocks(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[(i + 64) % n] + 1;
}
// run 4 64 race error
__global__ void bad_block_sum(int *a, int *b, int n) {
    if (threadIdx.x == 0) b[0] += a[blockIdx.x]; // <-
}
// run 4 64 silent
__global__ void good_block_sum(int *a, int *b, int n) {
    if (threadIdx.x == 0) atomicAdd(&b[0], a[blockIdx.x]);
}
// run 4 8 silent
__global__ void good_small_blocks(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = b[i] * 2 + a[i];
}
// run 8 32 race error
__global__ void bad_scatter(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[(i * 37) % 128] = i; // <-
}
// run 8 32 silent
__global__ void good_scatter(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[(i * 37) % 256] = i;
}
// run 4 64 race error
__global__ void bad_scope(int *a, int *b, int n) {
    if (threadIdx.x == 0) atomicAdd_block(&b[0], 1); // <-
}
// run 4 64 silent
__global__ void good_scope(int *a, int *b, int n) {
    if (threadIdx.x == 0) atomicAdd_block(&b[blockIdx.x], 1);
}
// run 8 64 race error
__global__ void bad_last_block(int *a, int *b, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        b[blockIdx.x] = a[blockIdx.x] + 1; // <-
        last = atomicInc((unsigned *)&a[1000], gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) b[100 + threadIdx.x] = b[threadIdx.x]; // <-
}
// run 8 64 silent
__global__ void good_last_block(int *a, int *b, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        b[blockIdx.x] = a[blockIdx.x] + 1;
        __threadfence();
        last = atomicInc((unsigned *)&a[1000], gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) b[100 + threadIdx.x] = b[threadIdx.x];
}
// run 8 64 silent
__global__ void good_last_block_all_write(int *a, int *b, int n) {
    __shared__ bool last;
    b[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x] + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&a[1000], 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last)
        for (unsigned k = 0; k < gridDim.x; k++) b[1024 + k * 64 + threadIdx.x] = b[k * 64 + threadIdx.x];
}
// run 2 32 silent
__global__ void good_flag(int *a, int *b, int n) {
    volatile int *flag = a + 2000;
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        b[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        b[1] = b[0];
    }
}
// run 2 32 race error
__global__ void bad_flag_no_fence(int *a, int *b, int n) {
    volatile int *flag = a + 2000;
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        b[0] = 42; // <-
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        b[1] = b[0]; // <-
    }
}
// run 2 32 race error
__global__ void bad_flag_plain(int *a, int *b, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        b[0] = 42; // <-
        __threadfence();
        a[2000] = 1; // <-
    } else {
        __threadfence();
        if (a[2000]) b[1] = b[0]; // <-
    }
}
// run 2 32 race error
__global__ void bad_flag_block_fence(int *a, int *b, int n) {
    volatile int *flag = a + 2000;
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        b[0] = 42; // <-
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        b[1] = b[0]; // <-
    }
}
// run 8 32 silent
__global__ void good_look_back(int *a, int *b, int n) {
    volatile int *state = a + 4096;
    int *sums = b + 1024;
    if (threadIdx.x != 0) return;
    int own = a[blockIdx.x] + 1, before = 0;
    if (blockIdx.x > 0) {
        while (state[blockIdx.x - 1] == 0) {}
        __threadfence();
        before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + own;
    __threadfence();
    state[blockIdx.x] = 1;
    b[blockIdx.x] = before;
}
// run 4 64 silent
__global__ void good_grid_barrier(int *a, int *b, int n) {
    volatile int *count = a + 3000;
    b[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd((int *)count, 1);
        while (*count < (int)gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    b[1024 + blockIdx.x * 64 + threadIdx.x] = b[(blockIdx.x * 64 + threadIdx.x + 64) % n];
}
// run 4 64 race error
__global__ void bad_grid_barrier(int *a, int *b, int n) {
    volatile int *count = a + 3000;
    b[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; // <-
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd((int *)count, 1);
        while (*count < (int)gridDim.x) {}
    }
    __syncthreads();
    b[1024 + blockIdx.x * 64 + threadIdx.x] = b[(blockIdx.x * 64 + threadIdx.x + 64) % n]; // <-
}
// run 4 32 silent
__global__ void good_lock(int *a, int *b, int n) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&a[500], 0, 1) != 0) {}
    __threadfence();
    b[0] = b[0] + 1;
    __threadfence();
    atomicExch(&a[500], 0);
}
// run 4 32 race error
__global__ void bad_lock(int *a, int *b, int n) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&a[500], 0, 1) != 0) {}
    b[0] = b[0] + 1; // <-
    atomicExch(&a[500], 0);
}
// run 4 64 silent
__global__ void good_cas_loop(int *a, int *b, int n) {
    unsigned *at = (unsigned *)b;
    unsigned old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, seen > threadIdx.x ? seen : threadIdx.x);
    } while (old != seen);
}
// run 4 64 race error
__global__ void bad_plain_beside_atomic(int *a, int *b, int n) {
    atomicAdd(&b[0], 1); // <-
    if (threadIdx.x == 5) b[64 + blockIdx.x] = b[0]; // <-
}
// run 4 64 silent
__global__ void good_volatile_beside_atomic(int *a, int *b, int n) {
    atomicAdd(&b[0], 1);
    if (threadIdx.x == 5) b[64 + blockIdx.x] = *(volatile int *)&b[0];
}
// run 1 64 silent
__global__ void good_async_copy(int *a, int *b, int n) {
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x];
}
// run 1 64 race error
__global__ void bad_async_copy_no_wait(int *a, int *b, int n) {
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4); // <-
    __pipeline_commit();
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
    __pipeline_wait_prior(0);
}
// run 1 64 race error
__global__ void bad_async_copy_no_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4); // <-
    __pipeline_commit();
    __pipeline_wait_prior(0);
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 2 64 race note
__global__ void note_own_value_read(int *a, int *b, int n) { /* all write one value, and each reads after its own write */
    __shared__ int s;
    s = n; // <-
    b[blockIdx.x * 64 + threadIdx.x] = *(volatile int *)&s; // <-
}
// run 2 64 race error
__global__ void bad_own_value_read(int *a, int *b, int n) { /* the warps write different ones */
    __shared__ int s;
    s = n + threadIdx.x / 32; // <-
    b[blockIdx.x * 64 + threadIdx.x] = *(volatile int *)&s; // <-
}
// run 1 64 race error
__global__ void bad_same_value_but_not_own(int *a, int *b, int n) { /* who reads has not written */
    __shared__ int s;
    if (threadIdx.x < 32) s = n; // <-
    else b[threadIdx.x] = *(volatile int *)&s; // <-
}
// run 8 64 race error
__global__ void bad_counter_put_back(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&a[1000], 1); // <-
        if (mine % 4 == 3) a[1000] = 0; // <-
        b[blockIdx.x] = mine;
    }
}
// run 8 64 silent
__global__ void good_counter_put_back(int *a, int *b, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        b[blockIdx.x] = a[blockIdx.x] + 1;
        __threadfence();
        last = atomicInc((unsigned *)&a[1000], gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        for (unsigned k = 0; k < gridDim.x; k++) b[100] += b[k];
        a[1000] = 0;
    }
}
// run 4 32 race error
__global__ void bad_own_block_of_heap(int *a, int *b, int n) {
    __shared__ int *one;
    if (threadIdx.x == 0) one = (int *)malloc(26 * sizeof(int));
    __syncthreads();
    for (int k = 0; k < 26; k++) one[k] = a[k] + threadIdx.x; // <-
    __syncthreads();
    b[blockIdx.x * 32 + threadIdx.x] = one[threadIdx.x % 26];
    __syncthreads();
    if (threadIdx.x == 0) free(one);
}
// run 4 32 silent
__global__ void good_own_block_of_heap(int *a, int *b, int n) {
    int *own = (int *)malloc(26 * sizeof(int)), sum = 0;
    for (int k = 0; k < 26; k++) own[k] = a[k] + threadIdx.x;
    for (int k = 0; k < 40; k++) own[(k * k + threadIdx.x) % 26]++;
    for (int k = 0; k < 26; k++) sum += own[k];
    b[blockIdx.x * 32 + threadIdx.x] = sum;
    free(own);
}
// run 1 64 race note
__global__ void note_warps_store_one_row(int *a, int *b, int n) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    s[lane] = lane * 3; // <-
    __syncthreads();
    b[threadIdx.x] = s[31 - lane];
}
// run 1 64 race error
__global__ void bad_warps_store_one_row(int *a, int *b, int n) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    s[lane] = lane * 3 + threadIdx.x / 32; // <-
    __syncthreads();
    b[threadIdx.x] = s[31 - lane];
}
// run 2 32 race note
__global__ void note_blocks_store_one_row(int *a, int *b, int n) {
    b[threadIdx.x] = threadIdx.x * 3; // <-
}
// run 2 32 race error
__global__ void bad_blocks_store_one_row(int *a, int *b, int n) {
    b[threadIdx.x] = threadIdx.x * 3 + (threadIdx.x == 9 ? blockIdx.x : 0); // <-
}
// run 1 64 race note
__global__ void note_warps_store_vectors(int *a, int *b, int n) {
    int lane = threadIdx.x % 32;
    ((int4 *)b)[lane] = make_int4(lane, lane + 1, 7, lane ^ 5); // <-
}
// run 1 64 race error
__global__ void bad_warps_store_vectors(int *a, int *b, int n) {
    int lane = threadIdx.x % 32;
    ((int4 *)b)[lane] = make_int4(lane, lane + 1, 7, lane ^ 5 ^ (lane == 30 ? threadIdx.x / 32 : 0)); // <-
}
// run 1 64 race note
__global__ void note_some_lanes_store_one_value(int *a, int *b, int n) {
    int lane = threadIdx.x % 32;
    if (lane < 10 + 10 * (threadIdx.x / 32)) ((char *)b)[lane] = 1; // <-
}
// run 1 64 race error
__global__ void bad_some_lanes_store_one_value(int *a, int *b, int n) {
    int lane = threadIdx.x % 32;
    if (lane < 10 + 10 * (threadIdx.x / 32)) ((char *)b)[lane] = 1 + threadIdx.x / 32; // <-
}
// run 1 64 race note
__global__ void note_other_lanes_store_it(int *a, int *b, int n) {
    int lane = threadIdx.x < 32 ? threadIdx.x : 63 - threadIdx.x;
    b[lane * 7 % 32] = lane; // <-
}
// run 1 64 race error
__global__ void bad_other_lanes_store_it(int *a, int *b, int n) {
    int lane = threadIdx.x < 32 ? threadIdx.x : 63 - threadIdx.x;
    b[lane * 7 % 32] = threadIdx.x % 32; // <-
}
// run 1 64 race error
__global__ void bad_swapped_places(int *a, int *b, int n) {
    int lane = threadIdx.x % 32;
    b[lane ^ (threadIdx.x / 32)] = lane; // <-
}
// run 1 64 race error
__global__ void bad_first_equal_then_not(int *a, int *b, int n) {
    volatile int *one = a;
    b[threadIdx.x % 32] = 1; // <-
    if (threadIdx.x < 32 && *one == 0) b[threadIdx.x] = 2 + *one; // <-
}
// run 1 64 race note
__global__ void note_reads_what_it_stored(int *a, int *b, int n) {
    __shared__ volatile int s[32];
    int *plain = (int *)s, lane = threadIdx.x % 32;
    plain[lane] = lane * 5; // <-
    asm volatile("" ::: "memory");
    b[threadIdx.x] = plain[lane]; // <-
}
// run 1 64 race error
__global__ void bad_reads_what_it_stored(int *a, int *b, int n) {
    __shared__ volatile int s[32];
    int *plain = (int *)s, lane = threadIdx.x % 32;
    plain[lane] = lane * 5 + threadIdx.x / 32; // <-
    asm volatile("" ::: "memory");
    b[threadIdx.x] = plain[lane]; // <-
}
// run 1 64 race error also=write
__global__ void bad_counts_up(int *a, int *b, int n) {
    b[threadIdx.x % 4] += threadIdx.x; // <-
}
// run 1 64 silent
__global__ void good_counts_up(int *a, int *b, int n) {
    atomicAdd(&b[threadIdx.x % 4], threadIdx.x);
}
// run 1 32 silent
__global__ void good_few_lanes_in_rows(int *a, int *b, int n) {
    __shared__ int s[64];
    unsigned i = threadIdx.x, at = 2 * i - (i & 3); // rows of four; the lanes that store fit rows of eight, of which the first would begin below 0
    s[at] = a[i];
    __syncthreads();
    int v = s[at];
    if (0xc00c0000u >> i & 1) s[at] = v + 1;
    __syncthreads();
    b[i] = s[at];
}
// run 1 32 race error
__global__ void bad_few_lanes_in_rows(int *a, int *b, int n) {
    __shared__ int s[64];
    unsigned i = threadIdx.x, at = 2 * i - (i & 3);
    s[at] = a[i];
    __syncthreads();
    int v = s[at]; // <-
    if (0xc00c0000u >> i & 1) s[at + 1] = v + 1; // <-
    __syncthreads();
    b[i] = s[at];
}
// run 1 32 race error
__global__ void bad_all_read_before_one_writes(int *a, int *b, int n) {
    __shared__ int s;
    if (threadIdx.x == 0) s = a[0];
    __syncthreads();
    int v = *(volatile int *)&s; // <-
    if (threadIdx.x == 0) *(volatile int *)&s = v + 1; // <-
    b[threadIdx.x] = v;
}
// run 1 32 race error
__global__ void bad_one_writes_before_all_read(int *a, int *b, int n) {
    __shared__ int s;
    if (threadIdx.x == 0) *(volatile int *)&s = a[0]; // <-
    b[threadIdx.x] = *(volatile int *)&s; // <-
}
