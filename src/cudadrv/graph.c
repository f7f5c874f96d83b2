/* Graphs and stream capture: the runtime's own, but for the forms of a kernel's and of a copy's parameters. */
#include "cudadrv/driver.h"

/* --- capture --------------------------------------------------------------------------------------------- */

CUresult cuStreamBeginCapture_v2(CUstream stream, enum cudaStreamCaptureMode mode) {
    DRV_CALL(cudaStreamBeginCapture(stream, mode));
}
CUresult cuStreamEndCapture(CUstream stream, cudaGraph_t *graph) {
    DRV_CALL(cudaStreamEndCapture(stream, graph));
}
CUresult cuStreamIsCapturing(CUstream stream, enum cudaStreamCaptureStatus *status) {
    DRV_CALL(cudaStreamIsCapturing(stream, status));
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                   const cudaGraphNode_t **needs, const cudaGraphEdgeData **data, size_t *n) {
    DRV_CALL(cudaStreamGetCaptureInfo(stream, status, id, graph, needs, data, n));
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                   const cudaGraphNode_t **needs, size_t *n) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, needs, NULL, n);
}
CUresult cuThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    DRV_CALL(cudaThreadExchangeStreamCaptureMode(mode));
}

/* --- graphs ---------------------------------------------------------------------------------------------- */

CUresult cuGraphCreate(cudaGraph_t *graph, unsigned flags) {
    DRV_CALL(cudaGraphCreate(graph, flags));
}
CUresult cuGraphDestroy(cudaGraph_t graph) {
    DRV_CALL(cudaGraphDestroy(graph));
}
CUresult cuGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    DRV_CALL(cudaGraphClone(clone, graph));
}
CUresult cuGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    DRV_CALL(cudaGraphNodeGetType(node, type));
}
CUresult cuGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    DRV_CALL(cudaGraphGetNodes(graph, nodes, n));
}
CUresult cuGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    DRV_CALL(cudaGraphGetRootNodes(graph, nodes, n));
}
CUresult cuGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n) {
    DRV_CALL(cudaGraphGetEdges(graph, from, to, data, n));
}
CUresult cuGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                   const cudaGraphEdgeData *data, size_t n) {
    DRV_CALL(cudaGraphAddDependencies(graph, from, to, data, n));
}
CUresult cuGraphDestroyNode(cudaGraphNode_t node) {
    DRV_CALL(cudaGraphDestroyNode(node));
}
CUresult cuGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    DRV_CALL(cudaGraphInstantiateWithFlags(exec, graph, flags));
}
CUresult cuGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params) {
    DRV_CALL(cudaGraphInstantiateWithParams(exec, graph, params));
}
CUresult cuGraphExecUpdate_v2(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    DRV_CALL(cudaGraphExecUpdate(exec, graph, info));
}
CUresult cuGraphLaunch(cudaGraphExec_t exec, CUstream stream) {
    DRV_CALL(cudaGraphLaunch(exec, stream));
}
CUresult cuGraphUpload(cudaGraphExec_t exec, CUstream stream) {
    DRV_CALL(cudaGraphUpload(exec, stream));
}
CUresult cuGraphExecDestroy(cudaGraphExec_t exec) {
    DRV_CALL(cudaGraphExecDestroy(exec));
}

/* --- nodes ----------------------------------------------------------------------------------------------- */

static struct cudaKernelNodeParams kernel_of(const CUDA_KERNEL_NODE_PARAMS *p) {
    return (struct cudaKernelNodeParams){.func = p->func ? p->func : p->kern,
                                         .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                         .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
}

CUresult cuGraphAddKernelNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
                                 const CUDA_KERNEL_NODE_PARAMS *params) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    struct cudaKernelNodeParams k = kernel_of(params);
    DRV_CALL(cudaGraphAddKernelNode(node, graph, needs, n, &k));
}
CUresult cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *params) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    struct cudaKernelNodeParams k = kernel_of(params);
    DRV_CALL(cudaGraphKernelNodeSetParams(node, &k));
}
CUresult cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t exec, cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *params) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    struct cudaKernelNodeParams k = kernel_of(params);
    DRV_CALL(cudaGraphExecKernelNodeSetParams(exec, node, &k));
}
CUresult cuGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
                              const CUDA_MEMCPY3D *params, CUcontext context) {
    if (!params || !drv_context_lives(context)) return params ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    struct cudaMemcpy3DParms p;
    if ((r = drv_copy_of(params, &p))) return rt_quiet(false), r;
    return drv_result(cudaGraphAddMemcpyNode(node, graph, needs, n, &p));
}
CUresult cuGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
                              const struct cudaMemsetParams *params, CUcontext context) {
    if (!drv_context_lives(context)) return CUDA_ERROR_INVALID_CONTEXT;
    DRV_CALL(cudaGraphAddMemsetNode(node, graph, needs, n, params));
}
CUresult cuGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params) {
    DRV_CALL(cudaGraphMemsetNodeGetParams(node, params));
}
CUresult cuGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params) {
    DRV_CALL(cudaGraphMemsetNodeSetParams(node, params));
}
CUresult cuGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
                            const struct cudaHostNodeParams *params) {
    DRV_CALL(cudaGraphAddHostNode(node, graph, needs, n, params));
}
CUresult cuGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, cudaGraph_t child) {
    DRV_CALL(cudaGraphAddChildGraphNode(node, graph, needs, n, child));
}
CUresult cuGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n) {
    DRV_CALL(cudaGraphAddEmptyNode(node, graph, needs, n));
}
CUresult cuGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, CUevent event) {
    DRV_CALL(cudaGraphAddEventRecordNode(node, graph, needs, n, event));
}
CUresult cuGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, CUevent event) {
    DRV_CALL(cudaGraphAddEventWaitNode(node, graph, needs, n, event));
}
