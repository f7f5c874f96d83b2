// Values that were never written. Each kernel that is wrong stands before its twin, which is not. The directives are explained in
// test_uninitialised.c: out holds zeros, in[i] is i, none was never written.
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
extern "C" {

// --- global memory: where it decides -----------------------------------------------------------------

// run 1 32 uninitialised error
__global__ void branch(int *out, const int *in, int *none, int n) {
    if (none[threadIdx.x] > 3) out[threadIdx.x] = __float_as_int(sinf(in[threadIdx.x])); // <-
}
// run 1 32 silent
__global__ void branch_right(int *out, const int *in, int *none, int n) {
    if (in[threadIdx.x] > 3) out[threadIdx.x] = __float_as_int(sinf(in[threadIdx.x]));
}

// run 1 32 uninitialised error
__global__ void loop_bound(int *out, const int *in, int *none, int n) {
    int sum = 0;
    for (int k = 0; k < (none[threadIdx.x] & 15); k++) sum += in[k]; // <-
    out[threadIdx.x] = sum;                                          // <-
}
// run 1 32 silent
__global__ void loop_bound_right(int *out, const int *in, int *none, int n) {
    int sum = 0;
    for (int k = 0; k < (in[threadIdx.x] & 15); k++) sum += in[k];
    out[threadIdx.x] = sum;
}

// run 1 32 uninitialised error
__global__ void load_address(int *out, const int *in, int *none, int n) {
    out[threadIdx.x] = in[none[threadIdx.x] & 1023]; // <-
}
// run 1 32 silent
__global__ void load_address_right(int *out, const int *in, int *none, int n) { out[threadIdx.x] = in[in[threadIdx.x] & 1023]; }

// run 1 32 uninitialised error
__global__ void store_address(int *out, const int *in, int *none, int n) {
    out[(none[threadIdx.x] & 31) * 32 + threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void store_address_right(int *out, const int *in, int *none, int n) { out[(in[threadIdx.x] & 31) * 32 + threadIdx.x] = 1; }

// run 1 32 uninitialised error
__global__ void guarded_store(int *out, const int *in, int *none, int n) {
    if (none[threadIdx.x] == 7) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void guarded_store_right(int *out, const int *in, int *none, int n) {
    if (in[threadIdx.x] == 7) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void count_only(int *out, const int *in, int *none, int n) {
    atomicAdd(&none[threadIdx.x & 3], 1); // <-
}
// run 1 32 silent
// then fill none 0 16
__global__ void count_only_right(int *out, const int *in, int *none, int n) { atomicAdd(&none[threadIdx.x & 3], 1); }

// run 1 32 uninitialised error
__global__ void atomic_operand(int *out, const int *in, int *none, int n) {
    atomicAdd(&out[threadIdx.x], none[threadIdx.x]); // <-
}
// run 1 32 silent
__global__ void atomic_operand_right(int *out, const int *in, int *none, int n) { atomicAdd(&out[threadIdx.x], in[threadIdx.x]); }

// run 1 32 uninitialised error
__global__ void highest(int *out, const int *in, int *none, int n) {
    atomicMax(&none[0], in[threadIdx.x]); // <-
}
// run 1 32 silent
__global__ void highest_right(int *out, const int *in, int *none, int n) {
    atomicExch(&none[threadIdx.x], in[threadIdx.x]); // an exchange does not look at what it replaces
}

// run 1 32 uninitialised error
__global__ void lock_word(int *out, const int *in, int *none, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&none[0], 0x7ffbadba, 1) == 1) {} // <-
        out[0] = 1;
    }
}
// run 1 32 silent
__global__ void lock_word_right(int *out, const int *in, int *none, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&out[1], 0, 1) == 1) {}
        out[0] = 1;
    }
}

// run 1 64 uninitialised error
// then fill none 0 128
__global__ void half_filled(int *out, const int *in, int *none, int n) {
    if (none[threadIdx.x] != 0) out[threadIdx.x] = 1; // <-
}
// run 1 64 silent
// then fill none 0 256
__global__ void half_filled_right(int *out, const int *in, int *none, int n) {
    if (none[threadIdx.x] != 0) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
// then fill none 0 125
__global__ void three_bytes_short(int *out, const int *in, int *none, int n) {
    if (none[threadIdx.x] < 100) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
// then fill none 0 125
__global__ void three_bytes_short_right(int *out, const int *in, int *none, int n) {
    if (reinterpret_cast<unsigned char *>(none)[4 * threadIdx.x] < 100) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
// then copy none out 64
__global__ void after_copy(int *out, const int *in, int *none, int n) {
    if (none[threadIdx.x] == 0) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
// then copy none out 128
__global__ void after_copy_right(int *out, const int *in, int *none, int n) {
    if (none[threadIdx.x] == 0) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
// then copy out none 128
__global__ void copied_undefined(int *out, const int *in, int *none, int n) {
    if (out[threadIdx.x] == 0) out[threadIdx.x + 32] = 1; // <-
    out[threadIdx.x] = 0;
}
// run 1 32 silent
// then copy out in 128
__global__ void copied_undefined_right(int *out, const int *in, int *none, int n) {
    if (out[threadIdx.x] == 0) out[threadIdx.x + 32] = 1;
    out[threadIdx.x] = 0;
}

// run 1 32 uninitialised error
__global__ void double_compare(int *out, const int *in, int *none, int n) {
    if (reinterpret_cast<double *>(none)[threadIdx.x] > 1.0) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void double_compare_right(int *out, const int *in, int *none, int n) {
    if (reinterpret_cast<const double *>(in)[threadIdx.x] > 1.0) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void pointer_in_memory(int *out, const int *in, int *none, int n) {
    int *p = reinterpret_cast<int **>(none)[threadIdx.x];
    if (p) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void pointer_in_memory_right(int *out, const int *in, int *none, int n) {
    reinterpret_cast<int **>(none)[threadIdx.x] = out;
    int *p = reinterpret_cast<int *volatile *>(none)[threadIdx.x];
    if (p) out[threadIdx.x] = 1;
}

// --- what only leaves -----------------------------------------------------------------------------------

// run 1 32 uninitialised warning never written: out 0
__global__ void stored(int *out, const int *in, int *none, int n) {
    out[threadIdx.x] = none[threadIdx.x] * 3 + 1; // <-
}
// run 1 32 silent
__global__ void stored_right(int *out, const int *in, int *none, int n) { out[threadIdx.x] = in[threadIdx.x] * 3 + 1; }

// run 1 32 uninitialised warning
// then look none 0 128
__global__ void never_stored(int *out, const int *in, int *none, int n) { out[threadIdx.x] = 1; }
// run 1 32 silent
// then look none 0 128
__global__ void never_stored_right(int *out, const int *in, int *none, int n) { none[threadIdx.x] = 1; }

// run 1 32 uninitialised warning never written: none 65504
// then look none 0 256
__global__ void every_second(int *out, const int *in, int *none, int n) { none[2 * threadIdx.x] = 1; }
// run 1 32 silent
// then look none 0 256
__global__ void every_second_right(int *out, const int *in, int *none, int n) {
    none[2 * threadIdx.x] = 1;
    none[2 * threadIdx.x + 1] = 2;
}

struct padded { char tag; int value; short more; };
// run 1 32 silent
// then look none 0 384
__global__ void padding_right(int *out, const int *in, int *none, int n) {
    padded *p = reinterpret_cast<padded *>(none) + threadIdx.x;
    p->tag = 1, p->value = threadIdx.x, p->more = 3;
}
// run 1 32 uninitialised warning
// then look none 0 384
__global__ void padding_and_more(int *out, const int *in, int *none, int n) {
    padded *p = reinterpret_cast<padded *>(none) + threadIdx.x;
    p->tag = 1;
    if (threadIdx.x != 9) p->value = threadIdx.x;
    p->more = 3;
}

struct point { double x; float weight; };
// run 1 32 silent
// then look none 0 512
__global__ void copied_struct_right(int *out, const int *in, int *none, int n) {
    point p = {1.0, 2.0f};
    reinterpret_cast<point *>(none)[threadIdx.x] = p;
}
// run 1 32 uninitialised warning
// then look none 0 512
__global__ void copied_struct(int *out, const int *in, int *none, int n) {
    if (threadIdx.x < 31) reinterpret_cast<point *>(none)[threadIdx.x] = point{1.0, 2.0f};
}

// run 2 32 uninitialised warning
// then look none 0 256
__global__ void hole_in_the_middle(int *out, const int *in, int *none, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i != 17) none[i] = i;
}
// run 2 32 silent
// then look none 0 256
__global__ void hole_in_the_middle_right(int *out, const int *in, int *none, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    none[i] = i;
}

// run 1 32 uninitialised warning
__global__ void sum_with_garbage(int *out, const int *in, int *none, int n) {
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += reinterpret_cast<float *>(none)[k * 32 + threadIdx.x];
    reinterpret_cast<float *>(out)[threadIdx.x] = sum; // <-
}
// run 1 32 silent
// then fill none 0 1024
__global__ void sum_with_garbage_right(int *out, const int *in, int *none, int n) {
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += reinterpret_cast<float *>(none)[k * 32 + threadIdx.x];
    reinterpret_cast<float *>(out)[threadIdx.x] = sum;
}

// run 1 32 uninitialised warning
__global__ void accumulates(int *out, const int *in, int *none, int n) {
    none[threadIdx.x] += in[threadIdx.x]; // <-
    out[threadIdx.x] = none[threadIdx.x]; // <-
}
// run 1 32 silent
// then fill none 0 128
__global__ void accumulates_right(int *out, const int *in, int *none, int n) {
    none[threadIdx.x] += in[threadIdx.x];
    out[threadIdx.x] = none[threadIdx.x];
}

// run 1 32 uninitialised warning
// then fill none 0 32
__global__ void computed_only(int *out, const int *in, int *none, int n) {
    none[threadIdx.x] += in[threadIdx.x]; // <- nobody looks at it
}
// run 1 32 silent
// then fill none 0 128
__global__ void computed_only_right(int *out, const int *in, int *none, int n) { none[threadIdx.x] += in[threadIdx.x]; }

// run 1 32 uninitialised warning
// then fill none 0 127
__global__ void one_byte_short(int *out, const int *in, int *none, int n) {
    none[threadIdx.x + 64] = none[threadIdx.x] * 2; // <-
}
// run 1 32 silent
// then fill none 0 100
__global__ void one_byte_short_right(int *out, const int *in, int *none, int n) {
    struct record { short a; int b; };
    reinterpret_cast<int2 *>(none)[threadIdx.x + 64] = reinterpret_cast<int2 *>(none)[threadIdx.x]; // moved, not computed
}

// --- shared memory ----------------------------------------------------------------------------------------

// run 1 64 uninitialised error
__global__ void tile_partly(int *out, const int *in, int *none, int n) {
    __shared__ int s[64];
    if (threadIdx.x < 48) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (s[63 - threadIdx.x] > 5) out[threadIdx.x] = 1; // <-
}
// run 1 64 silent
__global__ void tile_partly_right(int *out, const int *in, int *none, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x < 48 ? in[threadIdx.x] : 0;
    __syncthreads();
    if (s[63 - threadIdx.x] > 5) out[threadIdx.x] = 1;
}

// run 1 64 uninitialised error
__global__ void shared_counter(int *out, const int *in, int *none, int n) {
    __shared__ int count;
    __syncthreads();
    atomicAdd(&count, 1); // <-
    __syncthreads();
    if (threadIdx.x == 0) out[0] = count;
}
// run 1 64 silent
__global__ void shared_counter_right(int *out, const int *in, int *none, int n) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = count;
}

// run 1 128 uninitialised warning
__global__ void warp_sums(int *out, const int *in, int *none, int n) {
    __shared__ int s[32];
    int v = in[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = s[threadIdx.x]; // four warps: 28 of these were never written
        for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
        if (threadIdx.x == 0) out[0] = v; // <-
    }
}
// run 1 128 silent
__global__ void warp_sums_right(int *out, const int *in, int *none, int n) {
    __shared__ int s[32];
    int v = in[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < 4 ? s[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
        if (threadIdx.x == 0) out[0] = v;
    }
}

// run 1 64 uninitialised error
__global__ void halo(int *out, const int *in, int *none, int n) {
    __shared__ int s[66];
    s[threadIdx.x + 1] = in[threadIdx.x]; // nobody fills s[0] and s[65]
    __syncthreads();
    int sum = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
    if (sum > 10) out[threadIdx.x] = 1; // <-
}
// run 1 64 silent
__global__ void halo_right(int *out, const int *in, int *none, int n) {
    __shared__ int s[66];
    s[threadIdx.x + 1] = in[threadIdx.x];
    if (threadIdx.x < 2) s[65 * threadIdx.x] = 0;
    __syncthreads();
    int sum = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
    if (sum > 10) out[threadIdx.x] = 1;
}

// run 1 64 uninitialised error
__global__ void shared_index(int *out, const int *in, int *none, int n) {
    __shared__ int s[64];
    if (threadIdx.x % 2) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[s[threadIdx.x ^ 1] & 1023] = 1; // <-
}
// run 1 64 silent
__global__ void shared_index_right(int *out, const int *in, int *none, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[s[threadIdx.x ^ 1] & 1023] = 1;
}

// run 1 32 uninitialised error
__global__ void padded_tile(int *out, const int *in, int *none, int n) {
    __shared__ int s[32][33];
    for (int r = 0; r < 31; r++) s[r][threadIdx.x] = in[r * 32 + threadIdx.x]; // not the last row
    __syncthreads();
    int sum = 0;
    for (int c = 0; c < 32; c++) sum += s[threadIdx.x][c];
    if (sum & 1) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void padded_tile_right(int *out, const int *in, int *none, int n) {
    __shared__ int s[32][33];
    for (int r = 0; r < 32; r++) s[r][threadIdx.x] = in[r * 32 + threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (int c = 0; c < 32; c++) sum += s[threadIdx.x][c];
    if (sum & 1) out[threadIdx.x] = 1;
}

// run 2 32 uninitialised error
__global__ void next_block(int *out, const int *in, int *none, int n) {
    __shared__ int s[32]; // what the block before left is not there
    if (blockIdx.x == 0) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (s[31 - threadIdx.x] > 3) out[blockIdx.x * 32 + threadIdx.x] = 1; // <-
}
// run 2 32 silent
__global__ void next_block_right(int *out, const int *in, int *none, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (s[31 - threadIdx.x] > 3) out[blockIdx.x * 32 + threadIdx.x] = 1;
}

// run 1 64 uninitialised error
__global__ void shared_bytes(int *out, const int *in, int *none, int n) {
    __shared__ unsigned char s[256];
    s[threadIdx.x] = 1; // 64 of 256
    __syncthreads();
    if (reinterpret_cast<int *>(s)[threadIdx.x / 2] == 0x01010101) out[threadIdx.x] = 1; // <-
}
// run 1 64 silent
__global__ void shared_bytes_right(int *out, const int *in, int *none, int n) {
    __shared__ unsigned char s[256];
    s[threadIdx.x] = 1;
    __syncthreads();
    if (reinterpret_cast<int *>(s)[threadIdx.x / 4] == 0x01010101) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void copied_to_shared(int *out, const int *in, int *none, int n) {
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &none[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (s[31 - threadIdx.x] > 3) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void copied_to_shared_right(int *out, const int *in, int *none, int n) {
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (s[31 - threadIdx.x] > 3) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void through_shared(int *out, const int *in, int *none, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x < 16 ? in[threadIdx.x] : none[threadIdx.x];
    __syncthreads();
    if (s[31 - threadIdx.x] > 3) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void through_shared_right(int *out, const int *in, int *none, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x < 16 ? in[threadIdx.x] : none[threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 16 && s[31 - threadIdx.x] > 3) out[threadIdx.x] = 1;
}

extern __shared__ int dynamic[];

// --- local memory and registers ---------------------------------------------------------------------------------

// run 1 32 uninitialised error
__global__ void local_array(int *out, const int *in, int *none, int n) {
    int x[16];
    for (int k = 0; k < (n & 7); k++) x[in[k] & 15] = k; // n is 32: none
    if (x[in[threadIdx.x] & 15] == 3) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void local_array_right(int *out, const int *in, int *none, int n) {
    int x[16];
    for (int k = 0; k < 16; k++) x[in[k] & 15] = k;
    if (x[in[threadIdx.x] & 15] == 3) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void local_index(int *out, const int *in, int *none, int n) {
    int x[8];
    for (int k = 0; k < n; k++) x[in[2 * k] & 7] = in[k]; // even ones only
    out[x[in[threadIdx.x] & 7] & 1023] = 1;              // <-
}
// run 1 32 silent
__global__ void local_index_right(int *out, const int *in, int *none, int n) {
    int x[8];
    for (int k = 0; k < n; k++) x[in[k] & 7] = in[k] + threadIdx.x;
    out[(x[in[threadIdx.x] & 7] & 1023) + 32 * threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void local_bytes(int *out, const int *in, int *none, int n) {
    char text[32];
    for (int k = 0; k < 31; k++) text[in[k] & 31] = (char)k; // no end
    int length = 0;
    while (text[in[length & 31]] != 100 && length < 40) length++; // <-
    out[threadIdx.x] = length;
}
// run 1 32 silent
__global__ void local_bytes_right(int *out, const int *in, int *none, int n) {
    char text[32];
    for (int k = 0; k < 32; k++) text[in[k] & 31] = (char)k;
    int length = 0;
    while (text[in[length & 31]] != 31 && length < 40) length++;
    out[threadIdx.x] = length;
}

// run 1 32 uninitialised warning
__global__ void local_sum(int *out, const int *in, int *none, int n) {
    int bins[8];
    for (int k = 0; k < n; k++) bins[in[k] & 7] += 1;
    out[threadIdx.x] = bins[in[threadIdx.x] & 7]; // <-
}
// run 1 32 silent
__global__ void local_sum_right(int *out, const int *in, int *none, int n) {
    int bins[8] = {0};
    for (int k = 0; k < n; k++) bins[in[k] & 7] += 1;
    out[threadIdx.x] = bins[in[threadIdx.x] & 7];
}

// run 1 32 uninitialised error
__global__ void no_case(int *out, const int *in, int *none, int n) {
    int x;
    switch (in[threadIdx.x]) {
    case 1: x = in[40]; break;
    case 2: x = in[41] * 3; break;
    case 7: x = in[9] + 1; break;
    }
    out[in[x] * 0 + threadIdx.x] = in[x]; // <-
}
// run 1 32 silent
__global__ void no_case_right(int *out, const int *in, int *none, int n) {
    int x;
    switch (in[threadIdx.x]) {
    case 1: x = in[40]; break;
    case 2: x = in[41] * 3; break;
    case 7: x = in[9] + 1; break;
    default: x = 5;
    }
    out[in[x] * 0 + threadIdx.x] = in[x];
}

// run 1 32 uninitialised error
__global__ void no_value(int *out, const int *in, int *none, int n) {
    int x;
    asm volatile("" : "+r"(x));
    if (x > 3) out[threadIdx.x] = in[5]; // <-
}
// run 1 32 silent
__global__ void no_value_right(int *out, const int *in, int *none, int n) {
    int x = n;
    asm volatile("" : "+r"(x));
    if (x > 3) out[threadIdx.x] = in[5];
}

// --- across lanes --------------------------------------------------------------------------------------------------

// run 1 32 uninitialised error
__global__ void shuffled(int *out, const int *in, int *none, int n) {
    int v = threadIdx.x < 16 ? in[threadIdx.x] : none[threadIdx.x];
    v = __shfl_xor_sync(0xffffffff, v, 16);
    if (threadIdx.x < 16 && v > 3) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void shuffled_right(int *out, const int *in, int *none, int n) {
    int v = threadIdx.x < 16 ? in[threadIdx.x] : none[threadIdx.x];
    v = __shfl_xor_sync(0xffffffff, v, 16);
    if (threadIdx.x >= 16 && v > 3) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised warning
__global__ void reduced(int *out, const int *in, int *none, int n) {
    int v = none[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) out[0] = v; // <-
}
// run 1 32 silent
// then fill none 0 128
__global__ void reduced_right(int *out, const int *in, int *none, int n) {
    int v = none[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) out[0] = v;
}

// run 1 32 silent
// then fill none 0 80
__global__ void first_twenty_right(int *out, const int *in, int *none, int n) {
    int v = none[threadIdx.x]; // 20 are valid; what comes from the others is not taken
    for (int d = 16; d; d /= 2) {
        int other = __shfl_down_sync(0xffffffff, v, d);
        if (threadIdx.x + d < 20) v += other;
    }
    if (threadIdx.x == 0) out[0] = v;
}
// run 1 32 uninitialised warning
// then fill none 0 80
__global__ void first_twenty(int *out, const int *in, int *none, int n) {
    int v = none[threadIdx.x];
    for (int d = 16; d; d /= 2) {
        int other = __shfl_down_sync(0xffffffff, v, d);
        if (threadIdx.x + d < 21) v += other;
    }
    if (threadIdx.x == 0) out[0] = v; // <-
}

// run 1 32 uninitialised error
__global__ void voted(int *out, const int *in, int *none, int n) {
    if (__any_sync(0xffffffff, none[threadIdx.x] > 3)) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void voted_right(int *out, const int *in, int *none, int n) {
    if (__any_sync(0xffffffff, in[threadIdx.x] > 3)) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void balloted(int *out, const int *in, int *none, int n) {
    out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, none[threadIdx.x] > 3)); // <-
}
// run 1 32 silent
__global__ void balloted_right(int *out, const int *in, int *none, int n) {
    out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, threadIdx.x < 8 && in[threadIdx.x] > 3));
}

// run 1 32 uninitialised error
__global__ void warp_maximum(int *out, const int *in, int *none, int n) {
    int most = __reduce_max_sync(0xffffffff, none[threadIdx.x]);
    if (most > 10) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void warp_maximum_right(int *out, const int *in, int *none, int n) {
    int most = __reduce_max_sync(0xffffffff, in[threadIdx.x]);
    if (most > 10) out[threadIdx.x] = 1;
}

// run 1 64 uninitialised error
__global__ void counted(int *out, const int *in, int *none, int n) {
    int c = __syncthreads_count(none[threadIdx.x] > 3); // <-
    out[threadIdx.x] = c;
}
// run 1 64 silent
__global__ void counted_right(int *out, const int *in, int *none, int n) {
    int c = __syncthreads_count(in[threadIdx.x] > 3);
    out[threadIdx.x] = c;
}

// --- parts, masks, vectors ---------------------------------------------------------------------------------------------

struct record { float x; char flag; char pad[3]; };
// run 1 32 uninitialised error
__global__ void wrong_member(int *out, const int *in, int *none, int n) {
    record *r = reinterpret_cast<record *>(none) + threadIdx.x;
    r->x = 1.0f;
    if (*(volatile char *)&r->flag) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void wrong_member_right(int *out, const int *in, int *none, int n) {
    record *r = reinterpret_cast<record *>(none) + threadIdx.x;
    r->x = 1.0f;
    r->flag = 1;
    record copy = *r;
    if (copy.flag) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void vector_rest(int *out, const int *in, int *none, int n) {
    none[4 * threadIdx.x] = 1, none[4 * threadIdx.x + 1] = 2;
    int4 v = reinterpret_cast<volatile int4 *>(none)[threadIdx.x].x ? *reinterpret_cast<int4 *>(none + 4 * threadIdx.x) : int4();
    if (v.z == 2) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void vector_rest_right(int *out, const int *in, int *none, int n) {
    none[4 * threadIdx.x] = 1, none[4 * threadIdx.x + 1] = 2;
    __threadfence_block();
    int4 v = *reinterpret_cast<int4 *>(none + 4 * threadIdx.x); // two of four were written, two are used
    if (v.y == 2) out[threadIdx.x] = v.x;
}

// run 1 32 uninitialised error
// then fill none 0 64
__global__ void high_byte(int *out, const int *in, int *none, int n) {
    none[16 + threadIdx.x] = none[threadIdx.x & 15] & 0xff; // defined
    reinterpret_cast<unsigned char *>(none)[400 + 4 * threadIdx.x] = 1;
    int v = *(volatile int *)(none + 100 + threadIdx.x);
    if (v >> 24 == 1) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void high_byte_right(int *out, const int *in, int *none, int n) {
    reinterpret_cast<unsigned char *>(none)[400 + 4 * threadIdx.x] = 1;
    int v = *(volatile int *)(none + 100 + threadIdx.x); // one byte of four was written, and is used
    if ((v & 0xff) == 1) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void bits(int *out, const int *in, int *none, int n) {
    unsigned flags = (none[threadIdx.x] & ~0xf0) | 0x30;
    if (flags & 0x100) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void bits_right(int *out, const int *in, int *none, int n) {
    unsigned flags = (none[threadIdx.x] & ~0xf0) | 0x30; // four bits are defined
    if (flags & 0x20) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void shifted(int *out, const int *in, int *none, int n) {
    unsigned v = none[threadIdx.x];
    if ((v << 8 | 3) > in[threadIdx.x]) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void shifted_right(int *out, const int *in, int *none, int n) {
    unsigned v = none[threadIdx.x];
    if (((v << 8) & 0xff) == in[0]) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void one_half(int *out, const int *in, int *none, int n) {
    reinterpret_cast<__half *>(none)[2 * threadIdx.x] = __float2half(1.0f);
    __half2 v = *reinterpret_cast<volatile int *>(none + threadIdx.x) ? *reinterpret_cast<__half2 *>(none + threadIdx.x) : __half2(); // <-
    if (__high2float(v) > 1.0f) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void one_half_right(int *out, const int *in, int *none, int n) {
    reinterpret_cast<__half *>(none)[2 * threadIdx.x] = __float2half(1.0f);
    __threadfence_block();
    __half2 v = *reinterpret_cast<__half2 *>(none + threadIdx.x);
    v = __hadd2(v, v);
    if (__low2float(v) > 1.0f) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void low_bits_of_sum(int *out, const int *in, int *none, int n) {
    int v = none[threadIdx.x] * 256 + in[threadIdx.x];
    if (v >> 8 & 1) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void low_bits_of_sum_right(int *out, const int *in, int *none, int n) {
    int v = none[threadIdx.x] * 256 + in[threadIdx.x]; // the low eight bits are defined
    if (v & 1) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void or_else(int *out, const int *in, int *none, int n) {
    if (in[threadIdx.x] > 100 || none[threadIdx.x] > 3) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void or_else_right(int *out, const int *in, int *none, int n) {
    if (in[threadIdx.x] > 100 && none[threadIdx.x] > 3) out[threadIdx.x] = 1;
}

// A comparison joined with a predicate that is undefined: the comparison may decide alone, whichever of the two it is.
// run 1 32 uninitialised error
__global__ void joined_later(int *out, const int *in, int *none, int n) {
    int both, either;
    asm("{.reg .pred p, q; setp.gt.s32 p, %1, 3; setp.lt.and.s32 q, %2, 100, !p; selp.s32 %0, 1, 0, q;}"
        : "=r"(both) : "r"(none[threadIdx.x]), "r"(in[threadIdx.x]));
    asm("{.reg .pred p, q; setp.gt.s32 p, %1, 3; setp.gt.or.s32 q, %2, 100, p; selp.s32 %0, 1, 0, q;}"
        : "=r"(either) : "r"(none[threadIdx.x + 32]), "r"(in[threadIdx.x]));
    if (both) out[threadIdx.x] = 1;        // <-
    if (either) out[threadIdx.x + 32] = 1; // <-
}
// run 1 32 silent
__global__ void joined_later_right(int *out, const int *in, int *none, int n) {
    int both, either;
    asm("{.reg .pred p, q; setp.gt.s32 p, %1, 3; setp.gt.and.s32 q, %2, 100, !p; selp.s32 %0, 1, 0, q;}"
        : "=r"(both) : "r"(none[threadIdx.x]), "r"(in[threadIdx.x]));
    asm("{.reg .pred p, q; setp.gt.s32 p, %1, 3; setp.lt.or.s32 q, %2, 100, p; selp.s32 %0, 1, 0, q;}"
        : "=r"(either) : "r"(none[threadIdx.x + 32]), "r"(in[threadIdx.x]));
    if (both) out[threadIdx.x] = 1;
    if (either) out[threadIdx.x + 32] = 1;
}

// run 1 32 uninitialised error
__global__ void joined_later_float(int *out, const int *in, int *none, int n) {
    int both;
    asm("{.reg .pred p, q; setp.gt.s32 p, %1, 3; setp.lt.and.f32 q, %2, 0f42C80000, !p; selp.s32 %0, 1, 0, q;}"
        : "=r"(both) : "r"(none[threadIdx.x]), "f"((float)in[threadIdx.x]));
    if (both) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void joined_later_float_right(int *out, const int *in, int *none, int n) {
    int both;
    asm("{.reg .pred p, q; setp.gt.s32 p, %1, 3; setp.gt.and.f32 q, %2, 0f42C80000, !p; selp.s32 %0, 1, 0, q;}"
        : "=r"(both) : "r"(none[threadIdx.x]), "f"((float)in[threadIdx.x]));
    if (both) out[threadIdx.x] = 1;
}

// A defined factor with trailing zeros moves undefined bits up, here from bit 20 to 31 and out of the word; in the wide product to 35.
// run 1 32 uninitialised error
__global__ void multiplied(int *out, const int *in, int *none, int n) {
    unsigned v = (none[threadIdx.x] & 0xfff00000u) | (in[threadIdx.x] & 0xfffff);
    if (v * (unsigned)in[2048] > 77) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void multiplied_right(int *out, const int *in, int *none, int n) {
    unsigned v = (none[threadIdx.x] & 0xfff00000u) | (in[threadIdx.x] & 0xfffff);
    if (v * (unsigned)in[32768] > 77) out[threadIdx.x] = 1;
}
// run 1 32 uninitialised error
__global__ void multiplied_wide(int *out, const int *in, int *none, int n) {
    unsigned v = (none[threadIdx.x] & 0xfff00000u) | (in[threadIdx.x] & 0xfffff);
    unsigned long long w = (unsigned long long)v * (unsigned)in[32768];
    if ((unsigned)w + (unsigned)(w >> 32) > 77) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void multiplied_wide_right(int *out, const int *in, int *none, int n) {
    unsigned v = (none[threadIdx.x] & 0xfff00000u) | (in[threadIdx.x] & 0xfffff);
    unsigned long long w = (unsigned long long)v * (unsigned)in[32768];
    if ((unsigned)w + (unsigned)(w >> 32 & 7) > 77) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void chosen(int *out, const int *in, int *none, int n) {
    int v = in[threadIdx.x] & 1 ? in[threadIdx.x] : none[threadIdx.x];
    if (v == 4) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void chosen_right(int *out, const int *in, int *none, int n) {
    int v = in[threadIdx.x] < 1000 ? in[threadIdx.x] : none[threadIdx.x];
    if (v == 4) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
// then fill none 0 4
__global__ void wide_compare(int *out, const int *in, int *none, int n) {
    long long v = reinterpret_cast<long long *>(none)[0]; // the high word was not written
    if (v > in[threadIdx.x]) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
// then fill none 0 8
__global__ void wide_compare_right(int *out, const int *in, int *none, int n) {
    long long v = reinterpret_cast<long long *>(none)[0];
    if (v > in[threadIdx.x]) out[threadIdx.x] = 1;
}

// --- other memory -----------------------------------------------------------------------------------------------------------

__device__ int counters[4];
__device__ int scratch[32];
__constant__ int limits[4] = {1, 2, 3, 4};
// run 1 32 silent
__global__ void symbols_right(int *out, const int *in, int *none, int n) { // __device__ variables begin as zeros
    if (counters[threadIdx.x & 3] == 0) out[threadIdx.x] = limits[threadIdx.x & 3];
}
// run 1 32 uninitialised error
__global__ void symbols(int *out, const int *in, int *none, int n) {
    scratch[threadIdx.x] = none[threadIdx.x];
    __syncthreads();
    if (scratch[31 - threadIdx.x] == limits[0]) out[threadIdx.x] = 1; // <-
}

// run 1 32 uninitialised error
__global__ void heap(int *out, const int *in, int *none, int n) {
    int *p = static_cast<int *>(malloc(16));
    if (p[1] == 3) out[threadIdx.x] = 1; // <-
    free(p);
}
// run 1 32 silent
__global__ void heap_right(int *out, const int *in, int *none, int n) {
    int *p = static_cast<int *>(malloc(16));
    p[1] = in[threadIdx.x];
    __threadfence();
    if (*(volatile int *)&p[1] == 3) out[threadIdx.x] = 1;
    free(p);
}

// run 1 32 uninitialised error
__global__ void heap_again(int *out, const int *in, int *none, int n) {
    if (threadIdx.x) return;
    int *p = static_cast<int *>(malloc(16));
    *(volatile int *)p = 3;
    free(p);
    p = static_cast<int *>(malloc(16)); // the same block: what was in it is gone
    if (*(volatile int *)p == 3) out[threadIdx.x] = 1; // <-
    free(p);
}
// run 1 32 silent
__global__ void heap_again_right(int *out, const int *in, int *none, int n) {
    if (threadIdx.x) return;
    int *p = static_cast<int *>(malloc(16));
    *(volatile int *)p = 3;
    if (*(volatile int *)p == 3) out[threadIdx.x] = 1;
    free(p);
}

// run 2 32 uninitialised error
__global__ void from_another_block(int *out, const int *in, int *none, int n) {
    if (blockIdx.x == 0) atomicExch(&none[threadIdx.x], none[threadIdx.x + 64]); // <-
    if (blockIdx.x == 1 && atomicAdd(&none[threadIdx.x], 0) == 3) out[threadIdx.x] = 1;
}
// run 2 32 silent
// then fill none 0 512
__global__ void from_another_block_right(int *out, const int *in, int *none, int n) {
    if (blockIdx.x == 0) atomicExch(&none[threadIdx.x], atomicAdd(&none[threadIdx.x + 64], 0));
    if (blockIdx.x == 1 && atomicAdd(&none[threadIdx.x], 0) == 3) out[threadIdx.x] = 1;
}

__device__ __noinline__ int callee(int a, const int *p) { return p[threadIdx.x & 7] + a; }
// run 1 32 uninitialised error
__global__ void called(int *out, const int *in, int *none, int n) {
    if (callee(none[threadIdx.x], in) > 4) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void called_right(int *out, const int *in, int *none, int n) {
    if (callee(in[threadIdx.x], in) > 4) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void divided(int *out, const int *in, int *none, int n) {
    if (in[threadIdx.x] / (none[threadIdx.x] | 1) == 2) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void divided_right(int *out, const int *in, int *none, int n) {
    if (in[threadIdx.x] / (in[threadIdx.x] | 1) == 2) out[threadIdx.x] = 1;
}

// run 1 32 uninitialised error
__global__ void converted(int *out, const int *in, int *none, int n) {
    float f = none[threadIdx.x] * 0.5f;
    if (f > 4.0f) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void converted_right(int *out, const int *in, int *none, int n) {
    float f = in[threadIdx.x] * 0.5f;
    if (f > 4.0f) out[threadIdx.x] = 1;
}

// --- matrices (stmatrix, of sm_90) ------------------------------------------------------------------

// Two matrices of 8 by 8: lane l has elements 2 (l % 4) and the next of row l / 4 of each, or of the transposed ones.
__device__ void store_matrices(short *tile, int a, int b, bool transposed) {
#if __CUDA_ARCH__ >= 900
    unsigned row = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x % 16 * 8);
    if (transposed) asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(a), "r"(b) : "memory");
    else asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(a), "r"(b) : "memory");
#else
    int at = transposed ? threadIdx.x % 4 * 16 + threadIdx.x / 4 : threadIdx.x * 2, next = transposed ? 8 : 1;
    tile[at] = a, tile[at + next] = a >> 16, tile[64 + at] = b, tile[64 + at + next] = b >> 16;
#endif
    __syncwarp();
}
// run 1 32 uninitialised error
__global__ void matrix(int *out, const int *in, int *none, int n) {
    __shared__ __align__(16) short tile[128];
    store_matrices(tile, in[threadIdx.x], none[threadIdx.x], false);
    if (tile[64 + threadIdx.x] > 3) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void matrix_right(int *out, const int *in, int *none, int n) {
    __shared__ __align__(16) short tile[128];
    store_matrices(tile, in[threadIdx.x], none[threadIdx.x], false);
    if (tile[threadIdx.x] > 3) out[threadIdx.x] = 1;
}
// run 1 32 uninitialised error
__global__ void matrix_columns(int *out, const int *in, int *none, int n) {
    __shared__ __align__(16) short tile[128];
    int v = (in[threadIdx.x] & 0xffff) | none[threadIdx.x] << 16;
    store_matrices(tile, v, v, false);
    if (tile[2 * threadIdx.x + 1] > 3) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void matrix_columns_right(int *out, const int *in, int *none, int n) {
    __shared__ __align__(16) short tile[128];
    int v = (in[threadIdx.x] & 0xffff) | none[threadIdx.x] << 16;
    store_matrices(tile, v, v, false);
    if (tile[2 * threadIdx.x] > 3) out[threadIdx.x] = 1;
}
// run 1 32 uninitialised error
__global__ void matrix_transposed(int *out, const int *in, int *none, int n) {
    __shared__ __align__(16) short tile[128];
    int v = (in[threadIdx.x] & 0xffff) | none[threadIdx.x] << 16;
    store_matrices(tile, v, v, true);
    if (tile[8 + threadIdx.x % 8] > 3) out[threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void matrix_transposed_right(int *out, const int *in, int *none, int n) {
    __shared__ __align__(16) short tile[128];
    int v = (in[threadIdx.x] & 0xffff) | none[threadIdx.x] << 16;
    store_matrices(tile, v, v, true);
    if (tile[16 + threadIdx.x % 8] > 3) out[threadIdx.x] = 1;
}
// run 1 32 silent
__global__ void matrix_over_undefined(int *out, const int *in, int *none, int n) {
    __shared__ __align__(16) short tile[128];
    store_matrices(tile, none[threadIdx.x], none[threadIdx.x + 32], false);
    __syncwarp();
    store_matrices(tile, in[threadIdx.x], in[threadIdx.x], false);
    if (tile[64 + threadIdx.x] > 3) out[threadIdx.x] = 1;
}

// --- halves: an atomic on one swaps the word, with the other half as it was

// run 1 32 uninitialised error
__global__ void half_of_a_word(int *out, const int *in, int *none, int n) {
    __shared__ __half s[64];
    if (!threadIdx.x) s[0] = __float2half(1.f);
    __syncthreads();
    atomicAdd(&s[1], __float2half(2.f)); // <-
    __syncthreads();
    out[threadIdx.x] = (int)__half2float(s[1]); // <-
}
// run 1 32 silent
__global__ void half_of_a_word_right(int *out, const int *in, int *none, int n) {
    __shared__ __half s[64];
    if (!threadIdx.x) s[1] = __float2half(1.f);
    __syncthreads();
    atomicAdd(&s[1], __float2half(2.f));
    __syncthreads();
    out[threadIdx.x] = (int)__half2float(s[1]);
}
// run 1 32 silent
__global__ void swapped_half_right(int *out, const int *in, int *none, int n) {
    __shared__ unsigned short s[64];
    if (!threadIdx.x) s[1] = 1;
    __syncthreads();
    atomicCAS(&s[1], (unsigned short)1, (unsigned short)(2 + threadIdx.x));
    __syncthreads();
    out[threadIdx.x] = s[1];
}
}
