// A pool of its own that hands out blocks of one cudaMalloc, and tells so by NVTX: frames are blurred into blocks of the pool.
// expect out-of-bounds error
// needs nvtx3/nvToolsExtMem.h
#include <nvtx3/nvToolsExtMem.h>

#include "check.h"

struct pool {
    char *base;
    size_t size, used;
    nvtxDomainHandle_t domain;
    nvtxMemHeapHandle_t heap;
};

static pool make_pool(size_t size) {
    pool p = {nullptr, size, 0, nvtxDomainCreateA("frames"), nullptr};
    CHECK(cudaMalloc(&p.base, size));
    nvtxMemVirtualRangeDesc_t range = {size, p.base};
    nvtxMemHeapDesc_t heap = {};
    heap.extCompatID = NVTX_EXT_COMPATID_MEM;
    heap.structSize = sizeof heap;
    heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
    heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    heap.typeSpecificDescSize = sizeof range;
    heap.typeSpecificDesc = &range;
    heap.messageType = NVTX_MESSAGE_TYPE_ASCII;
    heap.message.ascii = "frames";
    p.heap = nvtxMemHeapRegister(p.domain, &heap);
    return p;
}

template <typename T>
static T *take(pool &p, size_t n) {
    nvtxMemVirtualRangeDesc_t range = {n * sizeof(T), p.base + p.used};
    nvtxMemRegionsRegisterBatch_t regions = {};
    regions.extCompatID = NVTX_EXT_COMPATID_MEM;
    regions.structSize = sizeof regions;
    regions.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    regions.heap = p.heap;
    regions.regionCount = 1;
    regions.regionDescElementSize = sizeof range;
    regions.regionDescElements = &range;
    nvtxMemRegionsRegister(p.domain, &regions);
    p.used += (range.size + 255) / 256 * 256;
    return (T *)range.ptr;
}

__global__ void fill(float *row, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) row[i] = i % 17;
}

__global__ void blur(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef RIGHT
    float left = i ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
#else
    float left = i ? in[i - 1] : 0, right = in[i + 1]; // <-
#endif
    out[i] = (left + in[i] + right) / 3;
}

int main() {
    const int n = 1000;
    float sum[n];
    pool p = make_pool(1 << 16);
    float *in = take<float>(p, n), *out = take<float>(p, n);
    fill<<<(n + 255) / 256, 256>>>(in, n);
    blur<<<(n + 255) / 256, 256>>>(out, in, n);
    CHECK(cudaMemcpy(sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    printf("%g\n", sum[500]);
    nvtxMemHeapUnregister(p.domain, p.heap);
    CHECK(cudaFree(p.base));
    return 0;
}
