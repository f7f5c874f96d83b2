/* setmaxnreg: nvcc -cubin -gencode arch=compute_90a,code=sm_90a. The first warp group takes what the others give, or ask in vain. */
#define KERNEL extern "C" __global__ void __launch_bounds__(512, 1)
#define TAKE(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 " #n ";" ::: "memory")
#define GIVE(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 " #n ";" ::: "memory")

/* 128 registers a thread: 3 * (128 - 88) give more than 232 - 128 */
KERNEL given(unsigned *out) {
    if (threadIdx.x >= 128) {
        for (int n = 0; n < 20; n++) __nanosleep(1000);
        GIVE(88);
        out[threadIdx.x] = 2;
    } else {
        TAKE(232);
        out[threadIdx.x] = 1;
    }
}
/* What they give is not enough, and they end: an H200 waits for ever. */
KERNEL not_given(unsigned *out) {
    if (threadIdx.x >= 128) {
        GIVE(104);
    } else {
        TAKE(232);
    }
    out[threadIdx.x] = 1;
}
