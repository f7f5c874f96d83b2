// Values that were never written, in shared memory that copies fill and empty. As uninitialised.cu; code for sm_90.
#include "async.h"
extern "C" {
enum { BYTES = 256, WORDS = BYTES / 4 };

// --- what copies bring

// run 1 64 uninitialised error
__global__ void brought(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, none, BYTES, &bar);
    await(&bar, 0);
    if (s[threadIdx.x] > 3) out[threadIdx.x] = __float_as_int(sinf(in[threadIdx.x])); // <-
}
// run 1 64 silent
__global__ void brought_right(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, in, BYTES, &bar);
    await(&bar, 0);
    if (s[threadIdx.x] > 3) out[threadIdx.x] = __float_as_int(sinf(in[threadIdx.x]));
}

// One element less than is read.
// run 1 64 uninitialised error
__global__ void too_little(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES - 16), load(s, in, BYTES - 16, &bar);
    await(&bar, 0);
    if (s[threadIdx.x] > 3) out[threadIdx.x] = __float_as_int(sinf(in[threadIdx.x])); // <-
}

// Beside copies, what threads fill is looked at as ever.
// run 1 64 uninitialised error
__global__ void beside(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS], own[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    if (threadIdx.x < 63) own[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, in, BYTES, &bar);
    await(&bar, 0);
    if (own[threadIdx.x] + s[threadIdx.x] > 3) out[threadIdx.x] = __float_as_int(sinf(in[threadIdx.x])); // <-
}
// run 1 64 silent
__global__ void beside_right(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS], own[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    own[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, in, BYTES, &bar);
    await(&bar, 0);
    if (own[threadIdx.x] + s[threadIdx.x] > 3) out[threadIdx.x] = __float_as_int(sinf(in[threadIdx.x]));
}

// --- what copies take along

// run 1 64 uninitialised warning
__global__ void taken_along(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS];
    if (threadIdx.x < 32) s[threadIdx.x] = in[threadIdx.x];
    publish();
    __syncthreads();
    if (!threadIdx.x) store(out, s, BYTES), commit(), wait_group<0>(); // <-
}
// run 1 64 silent
__global__ void taken_along_right(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = in[threadIdx.x];
    publish();
    __syncthreads();
    if (!threadIdx.x) store(out, s, BYTES), commit(), wait_group<0>();
}

// Added to what is there.
// run 1 64 uninitialised error
__global__ void added(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS];
    if (threadIdx.x < 32) s[threadIdx.x] = in[threadIdx.x];
    publish();
    __syncthreads();
    if (!threadIdx.x) add(out, s, BYTES), commit(), wait_group<0>(); // <-
}
// run 1 64 uninitialised error
__global__ void added_to_nothing(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = in[threadIdx.x];
    publish();
    __syncthreads();
    if (!threadIdx.x) add(none, s, BYTES), commit(), wait_group<0>(); // <-
}
// run 1 64 silent
__global__ void added_right(int *out, const int *in, int *none, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = in[threadIdx.x];
    publish();
    __syncthreads();
    if (!threadIdx.x) add(out, s, BYTES), commit(), wait_group<0>();
}
}
