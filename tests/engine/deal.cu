// Blocks whose outcome shows which others ran before them on the same worker, where something does not see to it that it does not. deal.sm_N.cubin:
//   nvcc -cubin -arch=sm_N deal.cu -o deal.sm_N.cubin
#define KERNEL extern "C" __global__ void

KERNEL own(int *v) { v[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }

// What lies below a block's shared memory is the driver's; nobody is told of a store there.
KERNEL below(int *v) {
    extern __shared__ int s[];
    v[blockIdx.x * blockDim.x + threadIdx.x] = s[(int)threadIdx.x - 64];
    s[(int)threadIdx.x - 64] = blockIdx.x + 1;
}

// v is read as a texture, and written: each block goes on from the one before.
KERNEL texels(int *v, cudaTextureObject_t t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = blockIdx.x ? tex1Dfetch<int>(t, i - (int)blockDim.x) + 1 : 1;
}
KERNEL texels_elsewhere(int *v, cudaTextureObject_t t) { v[blockIdx.x * blockDim.x + threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x); }
