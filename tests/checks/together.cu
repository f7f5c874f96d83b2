/* Four kernels that are each wrong in one way, launched one after the other in one run: one element out of bounds, a missing barrier, a read of
 * shared memory that nobody wrote, a barrier in divergent code. As in race.cu, for test_checks --together. */

// run 2 64 out-of-bounds error
__global__ void one_too_far(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[65536 - n + 1 + i] = a[i] + 1; // <-
}
// run 1 64 race error
__global__ void no_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x]; // <-
    b[threadIdx.x] = s[63 - threadIdx.x]; // <-
}
// run 1 64 uninitialised error
__global__ void never_filled(int *a, int *b, int n) {
    __shared__ int s[64];
    if (threadIdx.x < 32) s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (s[threadIdx.x] > 0) b[threadIdx.x] = 1; // <-
}
// run 1 64 barrier-divergence error
__global__ void half_a_barrier(int *a, int *b, int n) {
    if (threadIdx.x >= 40) return; // <-
    b[threadIdx.x] = a[threadIdx.x];
    __syncthreads(); // <-
    b[threadIdx.x] += 1;
}
