// With linked_b.cu: relocatable device code, where calls and variables cross translation units.
#include <cstdio>

extern __device__ int fetch(int);
extern __device__ int given[4];
extern __constant__ int fixed[4];
__device__ int own = 5;
typedef int (*function)(int);

__global__ void calls(int *out, int i)
{
    extern __shared__ int words[];
    words[threadIdx.x] = given[i];
    __syncthreads();
    out[i] = fetch(out[i]) + words[i ^ 1] + fixed[i & 3] + own;
    function pointer = fetch;
    if (i == 77) printf("%p\n", pointer);
}
