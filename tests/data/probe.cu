// One of everything that a cubin carries: what the tests of the image reader look for.
#include <cstdio>

__constant__ float scale[8];                  // zeros: filled by the host
__constant__ int steps[4] = {1, 2, 3, 4};     // with initial values
__device__ int counter;                       // .nv.global
__device__ float table[16] = {1.5f, 2.5f};    // .nv.global.init
__device__ int *where = &counter;             // a relocation in initial values
__managed__ int shared_with_host = 7;

__device__ __noinline__ float helper(float x) { return x * scale[3] + table[(int)x & 15]; }
__device__ inline float square(float x) { return x * x; }
__device__ inline float cube(float x) { return square(x) * x; }

template <int N> __global__ void __launch_bounds__(128) blend(float *p, int n, char c)
{
    __shared__ float tile[N];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = p[i];
    __syncthreads();
    __syncwarp();
    p[i] = cube(tile[threadIdx.x ^ 1]) + helper(p[i] * c) / p[i + 1];
    if (i == n) atomicAdd(&counter, steps[n & 3]);
}
template __global__ void blend<128>(float *, int, char);

extern "C" __global__ void plain(int *out, double d, short s)
{
    extern __shared__ int words[];
    words[threadIdx.x] = shared_with_host;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x ^ 1] + *where + (int)d + s;
    if (out[0] == 12345) printf("seen %d\n", out[1]);
}

namespace ns {
__global__ void choose(int *out, int k) // a jump table
{
    switch (k) {
    case 0: out[0] = 1 + out[5]; break;
    case 1: out[1] = 4 * out[2]; break;
    case 2: out[2] = out[0] / 3; break;
    case 3: out[3] = out[3] ^ 7; break;
    case 4: out[4] = __popc(out[1]); break;
    case 5: out[5] = out[1] % 5; break;
    case 6: out[1] = out[8] | 1; break;
    default: out[9] = 0;
    }
}
} // namespace ns

struct large { char bytes[5000]; };
__global__ void takes_large(large value, int *out, int i) { out[0] = value.bytes[i]; }
