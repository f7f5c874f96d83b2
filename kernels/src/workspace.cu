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
    w->node = NULL;
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

bool wk_capture_end(cudaStream_t stream, unsigned long long *capture, cudaGraphNode_t *node) {
#if CUDART_VERSION >= 13000
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t *ends = NULL;
    const cudaGraphEdgeData *edges = NULL; // not asking for them is an error where there are some
    size_t n = 0;
    if (cudaStreamGetCaptureInfo(stream, &status, capture, NULL, &ends, &edges, &n) != cudaSuccess ||
        status != cudaStreamCaptureStatusActive)
        return false;
    *node = n == 1 ? ends[0] : NULL;
    return true;
#else
    (void)stream, (void)capture, (void)node;
    return false;
#endif
}
