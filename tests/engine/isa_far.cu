/* Calls by address, as separate compilation makes them (nvcc -rdc=true -dc, then nvlink), and a race for the schedules. */
typedef unsigned u32;
typedef u32 (*step)(u32);
__device__ __noinline__ u32 twice(u32 x) { return x * 2; }
__device__ __noinline__ u32 flip(u32 x) { return ~x; }
extern "C" __global__ void t_take(step *f) { f[0] = twice, f[1] = flip; }
extern "C" __global__ void t_far(step *f, u32 *out) { out[threadIdx.x] = f[threadIdx.x % 3 == 1](threadIdx.x); }
/* Who comes last says who it was: of the blocks, of the warps of each block, of the two halves of each warp. */
extern "C" __global__ void s_race(volatile u32 *last, volatile u32 *warp_of, volatile u32 *half_of) {
    u32 warp = threadIdx.x / 32, at = blockIdx.x * (blockDim.x / 32) + warp;
    if (threadIdx.x & 1)
        for (u32 k = 0; k < gridDim.x; k++) half_of[at] = 1;
    else
        for (u32 k = 0; k < gridDim.x; k++) half_of[at] = 2;
    warp_of[blockIdx.x] = warp;
    *last = blockIdx.x;
}
