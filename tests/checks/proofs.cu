/* Kernels whose accesses are apart, or not, by the numbers that they are launched with: what is shown before a launch must be
 * right for all of them (test_proofs.c). a and b: 65536 words. */
struct numbers { int n[8]; };
#define THREAD (int)(blockIdx.x * blockDim.x + threadIdx.x)

__global__ void line(int *a, int *b, numbers p) {
    int i = THREAD;
    if (i >= p.n[0]) return;
    a[p.n[1] + p.n[2] * i] = i;
    b[p.n[3] + p.n[4] * i] = a[p.n[5] + p.n[6] * i];
}
__global__ void plane(int *a, int *b, numbers p) {
    int x = threadIdx.x % 8, y = THREAD;
    a[p.n[1] + p.n[2] * (int)threadIdx.x + p.n[3] * (int)blockIdx.x] = y;
    b[p.n[4] + p.n[5] * (int)threadIdx.x + p.n[6] * (int)blockIdx.x] = x;
}
__global__ void widths(int *a, int *b, numbers p) { /* a byte, two, eight of them; pointers that overlap */
    int i = THREAD;
    char *bytes = (char *)a + p.n[0];
    bytes[p.n[2] * i] = (char)i;
    short *pairs = (short *)a + p.n[1];
    b[i] = pairs[p.n[4] * i];
    ((longlong2 *)b)[2000 + p.n[3] + p.n[6] * i] = make_longlong2(i, i);
}
__global__ void alias(int *a, int *b, numbers p) { /* both pointers may be into one array */
    int i = THREAD;
    const int *in = p.n[7] & 1 ? a : b;
    a[1000 + p.n[1] + i] = in[1000 + p.n[2] + i] + 1;
}
__global__ void gathered(int *a, int *b, numbers p) { /* where it reads is not known before */
    int i = THREAD;
    int at = b[i] + (p.n[7] & 1 ? 1000 + p.n[1] + p.n[2] * i : 30000 + i);
    int v = a[at];
    a[1000 + p.n[3] + p.n[4] * i] = v;
}
__global__ void gathered_by_all(int *a, int *b, numbers p) {
    int at = b[0] + (p.n[7] & 1 ? 1000 + p.n[1] : 30000);
    int v = a[at] + a[at + (int)threadIdx.x];
    a[1000 + p.n[3] + p.n[4] * THREAD] = v;
}
__global__ void scattered(int *a, int *b, numbers p) { /* where it stores is not known before */
    int i = THREAD;
    a[(unsigned)(i * p.n[2] + b[i]) % 4096] = i;
    b[1000 + i] = a[p.n[1] + i];
}
__global__ void predicated(int *a, int *b, numbers p) {
    int i = THREAD;
    if ((i & p.n[7]) == 0) a[1000 + p.n[1] + p.n[2] * i] = i;
    if ((i & p.n[7]) == p.n[7]) b[i] = a[1000 + p.n[3] + p.n[4] * i];
}
__global__ void one_a_block(int *a, int *b, numbers p) {
    if (threadIdx.x % 32 == (unsigned)p.n[7] % 32) a[1000 + p.n[2] * (int)blockIdx.x] = 1;
    b[THREAD] = a[1000 + p.n[4] * (int)blockIdx.x + p.n[1]];
}
__global__ void loops(int *a, int *b, numbers p) {
    int sum = 0;
    for (int k = THREAD; k < 1000; k += p.n[0]) sum += b[k + p.n[1]];
    b[3000 - p.n[3] * 100 + p.n[4] * THREAD] = sum;
    for (int k = 0; k < 3; k++) a[1000 + p.n[2] * THREAD + p.n[1] * k] = sum;
}
__global__ void atomics(int *a, int *b, numbers p) {
    int i = THREAD;
    atomicAdd(&a[1000 + p.n[1]], i);
    if (p.n[7] & 1) b[i] = a[1000 + p.n[2] * i];
    else a[1000 + p.n[3] + p.n[4] * i] = i;
}
__global__ void generic(int *a, int *b, numbers p) { /* memory of the thread's own, of the block's or of everybody */
    __shared__ int s[512];
    int own[4] = {1, 2, 3, 4};
    int i = THREAD;
    int *to = p.n[7] == 0 ? &own[i & 3] : p.n[7] == 1 ? &s[(p.n[2] * threadIdx.x) & 511] : &a[1000 + p.n[1] + p.n[2] * i];
    *(volatile int **)&to = to;
    *to = i;
    b[i] = own[1] + s[threadIdx.x & 511] + a[1000 + i];
}

/* --- shared memory --- */

__global__ void tile(int *a, int *b, numbers p) {
    __shared__ int s[8192];
    int t = threadIdx.x;
    s[(unsigned)(200 + p.n[1] + p.n[2] * t)] = a[t];
    if (p.n[7] & 1) __syncthreads();
    b[THREAD] = s[(unsigned)(200 + p.n[3] + p.n[4] * t)];
}
__global__ void tiles(int *a, int *b, numbers p) { /* in turns */
    __shared__ int s[8192];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 3; k++) {
        s[200 + p.n[1] + p.n[2] * t] = a[t + k];
        if (p.n[7] & 1) __syncthreads();
        for (int j = 0; j < 4; j++) sum += s[200 + t + p.n[3] * j];
        if (p.n[7] & 2) __syncthreads();
    }
    b[THREAD] = sum;
}
__global__ void two_barriers(int *a, int *b, numbers p) { /* that are met by different instructions: they go on out of step */
    __shared__ int s[512];
    int t = threadIdx.x, v = 0;
    if (t < 32 * (p.n[7] & 3)) {
        s[t] = a[t];
        __syncthreads();
        v = s[(t + p.n[1]) & 127];
        __syncthreads();
        v += 1;
    } else {
        __syncthreads();
        s[(t + p.n[2]) & 127] = 2;
        __syncthreads();
    }
    b[THREAD] = v + s[(t + p.n[3]) & 127];
}
__global__ void ends_early(int *a, int *b, numbers p) {
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = a[t];
    if (t >= p.n[0]) {
        if (p.n[7] & 1) b[THREAD] = s[0];
        return;
    }
    __syncthreads();
    b[THREAD] = s[(t + p.n[1]) & 31];
    if (p.n[7] & 2) s[t + p.n[1]] = 1;
}
__global__ void narrow_tile(int *a, int *b, numbers p) {
    __shared__ char s[16384];
    int t = threadIdx.x;
    s[100 + p.n[1] + p.n[2] * t] = (char)t;
    if (p.n[7] & 1) __syncthreads();
    b[THREAD] = ((short *)s)[100 + p.n[3] + p.n[4] * t];
}
__global__ void warp_tile(int *a, int *b, numbers p) { /* each warp its own, in order by __syncwarp only */
    __shared__ int s[512];
    int t = threadIdx.x, base = t / 32 * 32;
    s[t] = a[t];
    if (p.n[7] & 1) __syncwarp();
    b[THREAD] = s[base + ((t + p.n[1]) & 31)];
    s[t + p.n[3]] = t;
}
