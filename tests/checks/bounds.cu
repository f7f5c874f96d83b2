/* Accesses that leave what they may touch. As in race.cu: `run GRID BLOCK KIND SEVERITY` or `silent`, and <- marks the line. `shared=N`
 * gives N bytes of dynamic shared memory. a and b hold 65536 zeros each, n is the number of threads. */
#include <assert.h>
#include <cuda_pipeline.h>
#define WORDS 65536

// run 2 64 out-of-bounds error
__global__ void bad_read_past_end(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[WORDS - n + 1 + i]; // <-
}
// run 2 64 silent
__global__ void good_read_to_end(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[WORDS - n + i];
}
// run 2 64 out-of-bounds error
__global__ void bad_write_past_end(int *a, int *b, int n) {
    b[WORDS + blockIdx.x * blockDim.x + threadIdx.x] = 1; // <-
}
// run 2 64 silent
__global__ void good_write_to_end(int *a, int *b, int n) {
    b[WORDS - n + blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
// run 1 64 out-of-bounds error
__global__ void bad_read_before_start(int *a, int *b, int n) {
    int i = threadIdx.x;
    b[i] = a[i] - a[i - 1]; // <-
}
// run 1 64 silent
__global__ void good_read_before(int *a, int *b, int n) {
    int i = threadIdx.x;
    b[i] = a[i] - (i ? a[i - 1] : 0);
}
// run 1 64 out-of-bounds error
__global__ void bad_write_before_start(int *a, int *b, int n) {
    a[(int)threadIdx.x - 32] = 1; // <-
}
// run 1 64 silent
__global__ void good_write_from_start(int *a, int *b, int n) {
    if (threadIdx.x >= 32) a[(int)threadIdx.x - 32] = 1;
}
// run 1 32 out-of-bounds error
__global__ void bad_wide_past_end(int *a, int *b, int n) {
    ((int4 *)b)[threadIdx.x] = ((int4 *)a)[WORDS / 4 - 16 + threadIdx.x]; // <-
}
// run 1 32 silent
__global__ void good_wide_to_end(int *a, int *b, int n) {
    ((int4 *)b)[threadIdx.x] = ((int4 *)a)[WORDS / 4 - 32 + threadIdx.x];
}
// run 1 32 out-of-bounds error
__global__ void bad_short_past_end(int *a, int *b, int n) {
    ((short *)b)[threadIdx.x] = ((short *)a)[2 * WORDS - 31 + threadIdx.x]; // <-
}
// run 1 32 silent
__global__ void good_short_to_end(int *a, int *b, int n) {
    ((short *)b)[threadIdx.x] = ((short *)a)[2 * WORDS - 32 + threadIdx.x];
}
// run 1 32 out-of-bounds error
__global__ void bad_atomic_past_end(int *a, int *b, int n) {
    atomicAdd(&a[WORDS + threadIdx.x % 2], 1); // <-
}
// run 1 32 silent
__global__ void good_atomic_at_end(int *a, int *b, int n) {
    atomicAdd(&a[WORDS - 2 + threadIdx.x % 2], 1);
}
// run 1 32 out-of-bounds error
__global__ void bad_exchange_past_end(int *a, int *b, int n) {
    b[threadIdx.x] = atomicExch(&a[WORDS + threadIdx.x], 1); // <-
}
// run 1 32 silent
__global__ void good_exchange_at_end(int *a, int *b, int n) {
    b[threadIdx.x] = atomicExch(&a[WORDS - 32 + threadIdx.x], 1);
}
// run 1 32 out-of-bounds error
__global__ void bad_between(int *a, int *b, int n) {
    b[threadIdx.x] = a[WORDS + 20000 + threadIdx.x]; // <-
}
// run 1 32 out-of-bounds error
__global__ void bad_null(int *a, int *b, int n) {
    int *p = ((int **)a)[threadIdx.x];
    b[threadIdx.x] = *p; // <-
}
// run 1 32 silent
__global__ void good_not_null(int *a, int *b, int n) {
    int *p = ((int **)a)[threadIdx.x];
    b[threadIdx.x] = p ? *p : 0;
}
// run 1 32 out-of-bounds error
__global__ void bad_field_of_null(int *a, int *b, int n) {
    struct node { int pad[100], value; } *p = ((node **)a)[threadIdx.x];
    p->value = 1; // <-
}
// run 1 32 out-of-bounds error
__global__ void bad_wild(int *a, int *b, int n) {
    ((int *)0x123456789000)[threadIdx.x] = 1; // <-
}
// run 1 32 misaligned error
__global__ void bad_misaligned_read(int *a, int *b, int n) {
    int2 v = *(int2 *)(a + 2 * threadIdx.x + 1); // <-
    b[threadIdx.x] = v.x + v.y;
}
// run 1 32 silent
__global__ void good_aligned_read(int *a, int *b, int n) {
    int2 v = *(int2 *)(a + 2 * threadIdx.x + 2);
    b[threadIdx.x] = v.x + v.y;
}
// run 1 32 misaligned error
__global__ void bad_misaligned_write(int *a, int *b, int n) {
    *(int *)((char *)b + 5 * threadIdx.x) = 1; // <-
}
// run 1 32 misaligned error
__global__ void bad_misaligned_atomic(int *a, int *b, int n) {
    atomicAdd((unsigned long long *)(a + 1 + 2 * threadIdx.x), 1ull); // <-
}
// run 1 32 silent
__global__ void good_aligned_atomic(int *a, int *b, int n) {
    atomicAdd((unsigned long long *)(a + 2 * threadIdx.x), 1ull);
}
// run 1 32 misaligned error
__global__ void bad_misaligned_shared(int *a, int *b, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = *(int *)((char *)s + threadIdx.x); // <-
}
// run 1 64 out-of-bounds error
__global__ void bad_shared_past_end(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x + a[0]] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x + n]; // <-
}
// run 1 64 silent
__global__ void good_shared_to_end(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x + a[0]] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[n - 1 - threadIdx.x];
}
// run 1 64 out-of-bounds error
__global__ void bad_shared_write_past_end(int *a, int *b, int n) {
    __shared__ int s[64];
    s[2 * threadIdx.x] = a[threadIdx.x]; // <-
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x & ~1];
}
// run 1 64 out-of-bounds error
__global__ void bad_shared_before_start(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[(int)threadIdx.x - 2000 + a[1]]; // <-
}
// run 1 64 out-of-bounds error shared=128
__global__ void bad_dynamic_past_end(int *a, int *b, int n) {
    extern __shared__ int s[];
    s[threadIdx.x] = a[threadIdx.x]; // <-
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 silent shared=256
__global__ void good_dynamic(int *a, int *b, int n) {
    extern __shared__ int s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x];
}
// run 1 64 out-of-bounds error
__global__ void bad_dynamic_forgotten(int *a, int *b, int n) {
    extern __shared__ int s[];
    s[threadIdx.x] = a[threadIdx.x]; // <-
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 out-of-bounds error
__global__ void bad_shared_atomic_past_end(int *a, int *b, int n) {
    __shared__ int s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[threadIdx.x + a[0]], 1); // <-
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x % 32];
}
// run 1 64 silent
__global__ void good_shared_atomic(int *a, int *b, int n) {
    __shared__ int s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[(threadIdx.x + a[0]) % 32], 1);
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x % 32];
}
// run 1 32 out-of-bounds error
__device__ __noinline__ int pick(const int *p, int k) {
    return p[k]; // <-
}
__global__ void bad_generic_shared(int *a, int *b, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = pick(a[0] ? a : s, threadIdx.x + n); // <-
} // <-
// run 1 32 out-of-bounds error
__global__ void bad_local(int *a, int *b, int n) {
    int t[400];
    for (int k = 0; k < 400; k++) t[k] = a[k + threadIdx.x];
    b[threadIdx.x] = t[(n << 16) + a[threadIdx.x]]; // <-
}
// run 1 32 silent
__global__ void good_local(int *a, int *b, int n) {
    int t[400];
    for (int k = 0; k < 400; k++) t[k] = a[k + threadIdx.x];
    b[threadIdx.x] = t[(n + a[threadIdx.x]) % 400];
}
__constant__ int table[16];
// run 1 32 out-of-bounds error
__global__ void bad_constant(int *a, int *b, int n) {
    b[threadIdx.x] = table[threadIdx.x + a[0]]; // <-
}
// run 1 32 silent
__global__ void good_constant(int *a, int *b, int n) {
    b[threadIdx.x] = table[(threadIdx.x + a[0]) % 16];
}
__device__ int state[32];
// run 2 32 out-of-bounds error
__global__ void bad_variable(int *a, int *b, int n) {
    state[blockIdx.x * blockDim.x + threadIdx.x] = 1; // <-
}
// run 1 32 silent
__global__ void good_variable(int *a, int *b, int n) {
    state[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
// run 1 32 out-of-bounds error
__global__ void bad_async_copy(int *a, int *b, int n) {
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[WORDS - 16 + threadIdx.x], 4); // <-
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    b[threadIdx.x] = s[31 - threadIdx.x];
}
// run 1 32 silent
__global__ void good_async_copy(int *a, int *b, int n) {
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[WORDS - 32 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    b[threadIdx.x] = s[31 - threadIdx.x];
}
// run 1 32 double-free error
__global__ void bad_device_free(int *a, int *b, int n) {
    int *p = (int *)malloc(16);
    if (!p) return;
    p[0] = a[threadIdx.x];
    b[threadIdx.x] = p[0];
    free(p);
    if (threadIdx.x == 5) free(p); // <-
}
// run 1 32 silent
__global__ void good_device_free(int *a, int *b, int n) {
    int *p = (int *)malloc(16);
    if (!p) return;
    p[0] = a[threadIdx.x];
    b[threadIdx.x] = p[0];
    free(p);
}
// run 1 32 assert error
__global__ void bad_assertion(int *a, int *b, int n) {
    assert(threadIdx.x < n - 1); // <-
    b[threadIdx.x] = 1;
}
// run 1 32 silent
__global__ void good_assertion(int *a, int *b, int n) {
    assert(threadIdx.x < n);
    b[threadIdx.x] = 1;
}
// run 1 32 out-of-bounds error also=write
__global__ void bad_reads_and_writes(int *a, int *b, int n) {
    b[65520 + threadIdx.x] += 1; // <-
}
// run 1 32 silent
__global__ void good_reads_and_writes(int *a, int *b, int n) {
    b[65504 + threadIdx.x] += 1;
}
// run 1 32 out-of-bounds error also=none
__global__ void bad_only_writes(int *a, int *b, int n) {
    b[65520 + threadIdx.x] = a[threadIdx.x]; // <-
}
// run 1 32 silent
__global__ void good_only_writes(int *a, int *b, int n) {
    b[65504 + threadIdx.x] = a[threadIdx.x];
}
