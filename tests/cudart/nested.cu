// Launches from device code: who runs after whom, parameters, errors. Its output is the same on every device that runs it.
#include <cstdio>

struct wide { char c; double d[3]; short s; };

__global__ void add(int *p, int k) { p[blockIdx.x * blockDim.x + threadIdx.x] += k; }
__global__ void times(int *p, int k) { p[threadIdx.x] *= k; }
__global__ void packed(double *out, char a, wide w, float f) { *out = a + w.c + w.d[0] + w.d[2] + w.s + f; }
__global__ void shared_sum(const int *p, int *out) {
    extern __shared__ int s[];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (!threadIdx.x) *out = s[0];
}

// Grids of one stream run one after the other: (1 + 5) * 3 + 7.
__global__ void in_order(int *p) {
    if (threadIdx.x) return;
    add<<<1, 32>>>(p, 5);
    times<<<1, 32>>>(p, 3);
    add<<<1, 32>>>(p, 7);
}

// The tail stream waits for the grid and its children, wherever it was asked for: (1 + 5) * 3.
__global__ void in_tail(int *p) {
    if (threadIdx.x) return;
    times<<<1, 32, 0, cudaStreamTailLaunch>>>(p, 3);
    add<<<1, 32, 0, cudaStreamFireAndForget>>>(p, 5);
}

// A grid ends when its children have ended, and theirs: each level adds its depth, then the next stream operation doubles.
__global__ void deeper(int *p, int depth) {
    p[threadIdx.x] += depth;
    if (threadIdx.x || depth == 0) return;
    deeper<<<1, 32>>>(p, depth - 1);
}
__global__ void recursion(int *p) {
    if (threadIdx.x) return;
    deeper<<<1, 32>>>(p, 6);
    times<<<1, 32>>>(p, 2);
}

__global__ void parameters(double *out, const int *p, int *sum) {
    wide w = {1, {2, 1000, 4}, 8};
    packed<<<1, 1>>>(out, 16, w, 0.5f);
    shared_sum<<<1, 32, 32 * sizeof(int)>>>(p, sum);
}

__global__ void streams_and_errors(int *p, int *seen) {
    cudaStream_t s;
    cudaEvent_t e;
    seen[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    add<<<2, 32, 0, s>>>(p, 0);
    seen[1] = cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    seen[2] = cudaEventRecord(e, s);
    times<<<1, 32, 0, s>>>(p, 10);
    seen[3] = cudaStreamDestroy(s);
    seen[4] = cudaGetLastError();
    add<<<0, 32>>>(p, 1);
    seen[5] = cudaPeekAtLastError();
    seen[6] = cudaGetLastError();
    seen[7] = cudaGetLastError();
    int device = -1, value = 0;
    seen[8] = cudaGetDevice(&device);
    seen[9] = device;
    cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device);
    seen[10] = value;
}

__global__ void devices(int *count) { cudaGetDeviceCount(count); }

static int *ints(int n, int value) {
    int *p;
    cudaMallocManaged(&p, n * sizeof *p);
    for (int i = 0; i < n; i++) p[i] = value;
    return p;
}

int main() {
    struct { const char *name; void (*kernel)(int *); } tests[] = {{"in order", in_order}, {"in the tail", in_tail}, {"recursion", recursion}};
    for (auto &t : tests) {
        int *p = ints(32, 1);
        t.kernel<<<1, 32>>>(p);
        cudaError_t e = cudaDeviceSynchronize();
        printf("%s: %d %d (%s)\n", t.name, p[0], p[31], cudaGetErrorName(e));
        cudaFree(p);
    }
    double *out;
    int *p = ints(64, 3), *sum = ints(1, 0), *seen = ints(11, -1);
    cudaMallocManaged(&out, sizeof *out);
    parameters<<<1, 1>>>(out, p, sum);
    printf("parameters: %s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf(" %g %d\n", *out, *sum);
    streams_and_errors<<<1, 1>>>(p, seen);
    printf("streams and errors: %s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 11; i++) printf(" %d", seen[i]);
    printf(", %d\n", p[5]);
    devices<<<1, 1>>>(sum);
    cudaDeviceSynchronize();
    printf("devices: %d\n", *sum);
    for (void *q : {(void *)p, (void *)sum, (void *)seen, (void *)out}) cudaFree(q);
}
