__device__ int given[4] = {1, 2, 3, 4};
__constant__ int fixed[4] = {5, 6, 7, 8};
__device__ int zeros[100];

__device__ __noinline__ int fetch(int x)
{
    __shared__ int tile[16];
    tile[threadIdx.x & 15] = x + given[x & 3];
    __syncthreads();
    return tile[3] * zeros[x];
}
