#include <stdlib.h>

#include "internal.cuh"

extern "C" wk_status wk_workspace_create(size_t bytes, wk_workspace **out) {
    if (!out) return WK_ERROR_NULL;
    *out = NULL;
    if (bytes < WK_WORKSPACE_DEFAULT) bytes = WK_WORKSPACE_DEFAULT;
    const size_t counter_bytes = WK_WORKSPACE_COUNTERS * sizeof(unsigned);
    if (bytes > SIZE_MAX - counter_bytes) return WK_ERROR_SIZE;

    int device = 0;
    void *memory = NULL;
    WK_CUDA(cudaGetDevice(&device));
    wk_workspace *w = (wk_workspace *)malloc(sizeof *w);
    if (!w) return WK_ERROR_MEMORY;
    cudaError_t e = cudaMalloc(&memory, counter_bytes + bytes);
    if (e == cudaSuccess) e = cudaMemset(memory, 0, counter_bytes + bytes);
    if (e == cudaSuccess) e = cudaStreamSynchronize(0);
    if (e != cudaSuccess) {
        cudaFree(memory);
        free(w);
        return wk_from_cuda(e);
    }
    w->device = device;
    w->scratch_bytes = bytes;
    w->counters = (unsigned *)memory;
    w->scratch = (char *)memory + counter_bytes;
    *out = w;
    return WK_SUCCESS;
}

extern "C" wk_status wk_workspace_destroy(wk_workspace *workspace) {
    if (!workspace) return WK_SUCCESS;
    cudaError_t e = cudaFree(workspace->counters);
    free(workspace);
    return wk_from_cuda(e);
}

wk_status wk_check_workspace(const wk_workspace *workspace, size_t bytes) {
    if (!workspace) return WK_ERROR_NULL;
    int device = 0;
    WK_CUDA(cudaGetDevice(&device));
    if (workspace->device != device || workspace->scratch_bytes < bytes) return WK_ERROR_WORKSPACE;
    return WK_SUCCESS;
}
