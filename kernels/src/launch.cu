// The choice of a block size by occupancy: the only part of the launch arithmetic that
// needs a device. The rest is plain C in host/launch.c.
#include "internal.cuh"

extern "C" wk_status wk_launch_occupancy(const void *kernel, size_t dynamic_shared, int64_t size,
                                         int grid_stride, wk_launch *out) {
    if (!kernel || !out) return WK_ERROR_NULL;
    if (size < 0) return WK_ERROR_SIZE;

    int device = 0, sms = 0;
    cudaFuncAttributes attributes;
    WK_CUDA(cudaGetDevice(&device));
    WK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    WK_CUDA(cudaFuncGetAttributes(&attributes, kernel));

    // Whole warps only, from small to large: a later size must be strictly better.
    int best_threads = 0, best_resident = 0, best_blocks = 0;
    for (int threads = 64; threads <= attributes.maxThreadsPerBlock; threads += 32) {
        int blocks = 0;
        WK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic_shared));
        if (blocks * threads > best_resident) {
            best_threads = threads;
            best_resident = blocks * threads;
            best_blocks = blocks;
        }
    }
    if (best_threads == 0) return WK_ERROR_LAUNCH;
    if (grid_stride) return wk_launch_grid_stride(size, best_threads, (int64_t)sms * best_blocks, out);
    return wk_launch_config(size, best_threads, out);
}
