// The kernels of the runtime's tests. kernels_sm80.cubin is made of it:
//   nvcc -cubin -arch=sm_80 -lineinfo kernels.cu -o kernels_sm80.cubin
__device__ int offset[4] = {100, 200, 300, 400};
__constant__ int bias[4];
__managed__ int shared_with_host = 7;

extern "C" __global__ void scale(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] * by + offset[i & 3] + bias[i & 3];
}

struct pair { char c; double d; short s; };
extern "C" __global__ void take(double *out, pair a, char b, const int *list) { out[0] = a.c + a.d + a.s + b + list[1]; }

extern "C" __global__ void reverse(int *p) // dynamic shared memory
{
    extern __shared__ int words[];
    words[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(64) bounded(int *p) { p[threadIdx.x] = 1; }
extern "C" __global__ void count_up() { shared_with_host++; }
extern "C" __global__ void store(int *p, long at) { *(int *)((char *)p + at) = 1; }
extern "C" __global__ void trap() { asm volatile("trap;"); }
/* It counts, so that it is never where it was before: a wait that nothing changes would be found to be a deadlock. */
extern "C" __global__ void spin(volatile int *p) { for (int n = 0; !*p; n++) p[1] = n; }
/* Data, and a flag that says to the host that they are there. */
extern "C" __global__ void publish(int *data, int n, volatile int *flag)
{
    for (int i = 0; i < n; i++) data[i] = 5;
    __threadfence_system();
    *flag = 1;
}
extern "C" __global__ void tally(int *p) { atomicAdd(p, 1); }
/* Calls itself n times, each with a frame of 128 bytes and a little more. */
__device__ __noinline__ int descend(int n, const int *weight)
{
    int frame[32];
    for (int k = 0; k < 32; k++) frame[k] = weight[k & 3] + n;
    if (n == 0) return frame[weight[0] & 31];
    return descend(n - 1, weight) + frame[(n + weight[1]) & 31];
}
extern "C" __global__ void deep(int *out, int n, const int *weight) { out[threadIdx.x] = descend(n, weight); }
