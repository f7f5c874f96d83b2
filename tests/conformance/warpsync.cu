/* A mask in a constant bank: nvcc -arch=sm_80 -cubin makes WARPSYNC c[0x0][0x168] of it. */
extern "C" __global__ void sync_by_parameter(int *out, unsigned mask) {
    __shared__ int s[32];
    const unsigned l = threadIdx.x;
    if (l < 16) {
        s[l] = l * 3;
        asm volatile("bar.warp.sync %0;" :: "r"(mask) : "memory");
        out[l] = s[l ^ 1];
    } else out[l] = -1;
}
