// A table that only one kernel fills; for all that follow it is made read-only, which the program tells by NVTX.
// expect out-of-bounds error
// needs nvtx3/nvToolsExtMemCudaRt.h
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtMemCudaRt.h>

#include "check.h"

static void permit(nvtxDomainHandle_t domain, const void *at, uint32_t flags) {
    nvtxMemPermissionsAssignRegionDesc_t region = {};
    region.flags = flags;
    region.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    region.region.pointer = at;
    nvtxMemPermissionsAssignBatch_t all = {};
    all.extCompatID = NVTX_EXT_COMPATID_MEM;
    all.structSize = sizeof all;
    all.permissions = nvtxMemCudaGetProcessWidePermissions(domain);
    all.regionCount = 1;
    all.regionElementSize = sizeof region;
    all.regionElements = &region;
    nvtxMemPermissionsAssign(domain, &all);
}

__global__ void make_table(int *table) { table[threadIdx.x] = threadIdx.x * threadIdx.x % 64; }

__global__ void count(int *bins, int *table, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bin = table[in[i]];
#ifdef RIGHT
    atomicAdd(&bins[bin], 1);
#else
    atomicAdd(&table[bin], 1); // <-
#endif
}

int main() {
    const int n = 4096;
    int host[n], *in, *table, *bins;
    for (int i = 0; i < n; i++) host[i] = i * 7 % 64;
    nvtxDomainHandle_t domain = nvtxDomainCreateA("bins");
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&table, 64 * sizeof *table));
    CHECK(cudaMalloc(&bins, 64 * sizeof *bins));
    CHECK(cudaMemset(bins, 0, 64 * sizeof *bins));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    make_table<<<1, 64>>>(table);
    permit(domain, table, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
    permit(domain, bins, NVTX_MEM_PERMISSIONS_REGION_FLAGS_ATOMIC);
    count<<<n / 256, 256>>>(bins, table, in, n);
    CHECK(cudaMemcpy(host, bins, 64 * sizeof *bins, cudaMemcpyDeviceToHost));
    printf("%d\n", host[0]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(table));
    CHECK(cudaFree(bins));
    return 0;
}
