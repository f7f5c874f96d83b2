/* What is told of a launch must not depend on which worker ran which block: kernels whose blocks do different things, so that
 * what one worker sees of an instruction is not what another one sees. As test_checks.c says; a and b: 65536 words of 0. */

// What a and b are made of: the bytes that block 0 reads are a's, and nobody else reads bytes of it.
// run 8 64 silent
__global__ void of_bytes_or_words(int *a, const int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const char *p = blockIdx.x == 0 ? (const char *)a : (const char *)b;
    a[4096 + i] = p[i] + b[i];
}

// The first access has no lanes, and is that of block 0.
// run 8 64 silent
__global__ void of_no_lanes_first(int *a, const int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    const char *p = blockIdx.x & 1 ? (const char *)a : (const char *)b;
#pragma unroll 1
    for (int k = 0; k < 2; k++)
        if (k == 1 && blockIdx.x) sum += p[i];
    a[4096 + i] = sum;
}

// b's own pointer is run off until it meets a, where blocks come and go as their number says.
// run 16 32 out-of-bounds error
__global__ void strays_now_and_then(int *a, int *b, int n) {
    long away = a - b;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("" : "+l"(away));
    for (int k = 0; k < 4; k++) b[i + n * k + (blockIdx.x % 3 == 1 && k % 2 ? away : 0)] = 1; // <-
}

// More findings than are kept.
// run 96 1024 out-of-bounds error
__global__ void far_out(int *a, int *b, int n) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1; // <-
}

// Words are read more often than 16 bits count, by every worker.
// run 12 64 silent
__global__ void chases(int *a, const int *b, int n) {
    int at = 0;
#pragma unroll 1
    for (int k = 0; k < 1500; k++) at = b[at + (k & 1)] + b[at + 100 + threadIdx.x % 3];
    a[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
