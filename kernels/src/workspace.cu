#include <stdlib.h>

#include "internal.cuh"

// Parts in this order, each one a multiple of 16 bytes: the memory is aligned to more than that.
static const size_t TICKET_BYTES = 16;
static const size_t SLOT_BYTES = WK_WORKSPACE_SLOTS * sizeof(wk_slot);

extern "C" wk_status wk_workspace_create(size_t scratch_bytes, wk_workspace **out) {
    if (!out) return WK_ERROR_NULL;
    *out = NULL;
    if (scratch_bytes > SIZE_MAX - TICKET_BYTES - SLOT_BYTES) return WK_ERROR_SIZE;

    int device = 0, major = 0;
    void *memory = NULL;
    WK_CUDA(cudaGetDevice(&device));
    WK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    wk_workspace *w = (wk_workspace *)malloc(sizeof *w);
    if (!w) return WK_ERROR_MEMORY;
    cudaError_t e = cudaMalloc(&memory, TICKET_BYTES + SLOT_BYTES + scratch_bytes);
    if (e == cudaSuccess) e = cudaMemset(memory, 0, TICKET_BYTES + SLOT_BYTES);
    if (e == cudaSuccess) e = cudaStreamSynchronize(0);
    if (e != cudaSuccess) {
        cudaFree(memory);
        free(w);
        return wk_from_cuda(e);
    }
    w->device = device;
    w->overlap = major >= 9;
    w->ticket = (unsigned *)memory;
    w->slots = (wk_slot *)((char *)memory + TICKET_BYTES);
    w->scratch = w->slots + WK_WORKSPACE_SLOTS;
    w->scratch_bytes = scratch_bytes;
    *out = w;
    return WK_SUCCESS;
}

extern "C" wk_status wk_workspace_destroy(wk_workspace *workspace) {
    if (!workspace) return WK_SUCCESS;
    cudaError_t e = cudaFree(workspace->ticket);
    free(workspace);
    return wk_from_cuda(e);
}

wk_status wk_check_workspace(const wk_workspace *workspace, size_t scratch_bytes) {
    if (!workspace) return WK_ERROR_NULL;
    int device = 0;
    WK_CUDA(cudaGetDevice(&device));
    if (workspace->device != device || workspace->scratch_bytes < scratch_bytes) return WK_ERROR_WORKSPACE;
    return WK_SUCCESS;
}
