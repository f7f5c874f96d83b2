__global__ void hist(int *bins, const int *in, int n) {
    __shared__ int local[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) local[in[i] & 63]++;
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
