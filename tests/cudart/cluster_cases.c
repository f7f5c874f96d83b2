/* Thread block clusters by the runtime's calls, with the kernels of tests/engine/cluster.cu: launches, what is refused, occupancy. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "cudadrv/api.h"
#include "cudart/api.h"

static cudaKernel_t kernel(const char *name) {
    static cudaLibrary_t library;
    cudaKernel_t k = NULL;
    if (!library) OK(cudaLibraryLoadFromFile(&library, CLUSTERS, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&k, library, name));
    return k;
}

static cudaError_t launch(cudaKernel_t k, dim3 grid, unsigned threads, const dim3 *cluster, void *out) {
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};
    if (cluster) attribute.val.clusterDim.x = cluster->x, attribute.val.clusterDim.y = cluster->y, attribute.val.clusterDim.z = cluster->z;
    cudaLaunchConfig_t config = {.gridDim = grid, .blockDim = {threads, 1, 1}, .attrs = &attribute, .numAttrs = cluster != NULL};
    return cudaLaunchKernelExC(&config, (const void *)k, (void *[]){&out});
}

static void launches(void) {
    enum { WORDS = 26, BLOCKS = 32 };
    static unsigned got[BLOCKS * WORDS];
    unsigned *out = NULL;
    OK(cudaMalloc((void **)&out, sizeof got));
    OK(launch(kernel("where"), (dim3){8, 4, 1}, 32, &(dim3){4, 2, 1}, out));
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    SAME(got[WORDS * (8 + 3)], 4 + 3); /* block (3, 1) */
    SAME(got[WORDS * (8 + 3) + 1], 8);
    OK(launch(kernel("ring"), (dim3){4, 1, 1}, 64, NULL, out)); /* compiled for clusters of 4 */
    OK(cudaDeviceSynchronize());
    OK(launch(kernel("ring"), (dim3){4, 1, 1}, 64, &(dim3){4, 1, 1}, out));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(out));
}

static void refused(void) {
    void *out = NULL;
    OK(cudaMalloc(&out, 1 << 16));
    FAILS(launch(kernel("where"), (dim3){8, 1, 1}, 32, &(dim3){3, 1, 1}, out), cudaErrorInvalidClusterSize);
    FAILS(launch(kernel("where"), (dim3){8, 1, 1}, 32, &(dim3){2, 2, 1}, out), cudaErrorInvalidClusterSize);
    FAILS(launch(kernel("where"), (dim3){16, 1, 1}, 32, &(dim3){16, 1, 1}, out), cudaErrorInvalidClusterSize);
    FAILS(launch(kernel("where"), (dim3){8, 1, 1}, 32, &(dim3){0, 1, 1}, out), cudaErrorInvalidClusterSize);
    FAILS(launch(kernel("ring"), (dim3){6, 1, 1}, 64, NULL, out), cudaErrorInvalidClusterSize);
    FAILS(launch(kernel("ring"), (dim3){4, 1, 1}, 64, &(dim3){2, 1, 1}, out), cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute((const void *)kernel("where"), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(launch(kernel("where"), (dim3){16, 1, 1}, 32, &(dim3){16, 1, 1}, out));
    FAILS(launch(kernel("where"), (dim3){32, 1, 1}, 32, &(dim3){32, 1, 1}, out), cudaErrorInvalidClusterSize);
    OK(cudaDeviceSynchronize());
    FAILS(launch(kernel("too_late"), (dim3){2, 1, 1}, 64, NULL, out), cudaSuccess);
    SAME(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

static int attribute_of(const void *function, enum cudaFuncAttribute attribute) {
    struct cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, function));
    switch (attribute) {
    case cudaFuncAttributeRequiredClusterWidth: return a.requiredClusterWidth;
    case cudaFuncAttributeRequiredClusterDepth: return a.requiredClusterDepth;
    case cudaFuncAttributeClusterSchedulingPolicyPreference: return a.clusterSchedulingPolicyPreference;
    case cudaFuncAttributeClusterDimMustBeSet: return a.clusterDimMustBeSet;
    default: return a.nonPortableClusterSizeAllowed;
    }
}
static void require(cudaKernel_t k, int x, int y, int z) {
    OK(cudaFuncSetAttribute((const void *)k, cudaFuncAttributeRequiredClusterWidth, x));
    OK(cudaFuncSetAttribute((const void *)k, cudaFuncAttributeRequiredClusterHeight, y));
    OK(cudaFuncSetAttribute((const void *)k, cudaFuncAttributeRequiredClusterDepth, z));
}
/* A cluster that calls require of a function: what an H200 answered. */
static void required(void) {
    enum { WORDS = 26 };
    static unsigned got[8 * WORDS];
    cudaKernel_t where = kernel("where"), ring = kernel("ring");
    unsigned *out = NULL;
    const dim3 eight = {8, 1, 1};
    OK(cudaMalloc((void **)&out, sizeof got));
    OK(cudaFuncSetAttribute((const void *)where, cudaFuncAttributeRequiredClusterWidth, 2));
    SAME(attribute_of((const void *)where, cudaFuncAttributeRequiredClusterWidth), 2);
    SAME(attribute_of((const void *)where, cudaFuncAttributeRequiredClusterDepth), 0);
    SAME(attribute_of((const void *)where, cudaFuncAttributeClusterDimMustBeSet), 0);
    FAILS(launch(where, eight, 32, NULL, out), cudaErrorInvalidClusterSize); /* its other dimensions are not known */
    OK(launch(where, eight, 32, &(dim3){2, 1, 1}, out));
    FAILS(launch(where, eight, 32, &(dim3){4, 1, 1}, out), cudaErrorInvalidClusterSize);
    require(where, 2, 1, 1);
    OK(cudaMemset(out, 0, sizeof got));
    OK(launch(where, eight, 32, NULL, out));
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    SAME(got[3 * WORDS + 1], 2); /* blocks of its cluster */
    FAILS(launch(where, (dim3){7, 1, 1}, 32, NULL, out), cudaErrorInvalidClusterSize);
    FAILS(launch(where, eight, 32, &(dim3){4, 1, 1}, out), cudaErrorInvalidClusterSize);
    require(where, 0, 1, 1);
    FAILS(launch(where, eight, 32, NULL, out), cudaErrorInvalidClusterSize);
    require(where, 0, 0, 0);
    OK(launch(where, eight, 32, NULL, out));
    FAILS(cudaFuncSetAttribute((const void *)where, cudaFuncAttributeRequiredClusterWidth, -1), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute((const void *)ring, cudaFuncAttributeRequiredClusterWidth, 4)); /* as it was compiled */
    FAILS(cudaFuncSetAttribute((const void *)ring, cudaFuncAttributeRequiredClusterWidth, 2), cudaErrorInvalidValue);
    SAME(attribute_of((const void *)ring, cudaFuncAttributeClusterDimMustBeSet), 1);
    OK(cudaFuncSetAttribute((const void *)where, cudaFuncAttributeClusterSchedulingPolicyPreference, 2));
    FAILS(cudaFuncSetAttribute((const void *)where, cudaFuncAttributeClusterSchedulingPolicyPreference, 3), cudaErrorInvalidValue);
    SAME(attribute_of((const void *)where, cudaFuncAttributeClusterSchedulingPolicyPreference), 2);
    OK(cudaFuncSetAttribute((const void *)where, cudaFuncAttributeNonPortableClusterSizeAllowed, 2));
    SAME(attribute_of((const void *)where, cudaFuncAttributeNonPortableClusterSizeAllowed), 2);
    OK(cudaDeviceSynchronize());
}

/* A launch of a function whose frame is larger than the limit of stacks raises it. */
static void frames(void) {
    struct cudaFuncAttributes a;
    size_t limit;
    OK(cudaFuncGetAttributes(&a, (const void *)kernel("framed")));
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 16));
    void *out = NULL;
    OK(cudaMalloc(&out, 1024));
    OK(launch(kernel("where"), (dim3){8, 1, 1}, 32, NULL, out));
    OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    SAME(limit, 16);
    OK(launch(kernel("framed"), (dim3){1, 1, 1}, 32, NULL, out));
    OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    SAME(limit, (a.localSizeBytes + 15) / 16 * 16);
    CHECK(limit >= 4000);
}

static void occupancy(void) {
    int n = 0;
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};
    cudaLaunchConfig_t config = {.gridDim = {5040, 1, 1}, .blockDim = {1024, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    const void *where = (const void *)kernel("where");
    OK(cudaOccupancyMaxPotentialClusterSize(&n, where, &config));
    SAME(n, 8);
    config.numAttrs = 0;
    OK(cudaOccupancyMaxActiveClusters(&n, where, &config)); /* no cluster, none active */
    SAME(n, 0);
    config.numAttrs = 1;
    static const struct { unsigned size, threads; int active; } seen[] = { /* by an H200 */
        {1, 1024, 264}, {2, 1024, 132}, {3, 1024, 79}, {4, 1024, 62}, {5, 1024, 47}, {6, 1024, 39}, {7, 1024, 32}, {8, 1024, 30}, {1, 512, 528}, {3, 512, 163},
        {5, 512, 94}, {7, 512, 69}, {8, 512, 62}, {1, 256, 1056}, {3, 256, 327}, {5, 256, 193}, {7, 256, 139}, {8, 256, 124}, {1, 32, 1056}, {7, 32, 139}};
    for (unsigned k = 0; k < sizeof seen / sizeof *seen; k++) {
        attribute.val.clusterDim.x = seen[k].size, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.blockDim.x = seen[k].threads;
        OK(cudaOccupancyMaxActiveClusters(&n, where, &config));
        SAME(n, seen[k].active);
    }
    config.blockDim.x = 1024;
    config.gridDim.x = 5041;
    attribute.val.clusterDim.x = 2;
    FAILS(cudaOccupancyMaxActiveClusters(&n, where, &config), cudaErrorInvalidClusterSize);
    FAILS(cudaOccupancyMaxActiveClusters(&n, (const void *)kernel("ring"), &config), cudaErrorInvalidClusterSize);
    config.gridDim.x = 5040;
    attribute.val.clusterDim.x = 4;
    OK(cudaOccupancyMaxActiveClusters(&n, (const void *)kernel("ring"), &config));
    attribute.val.clusterDim.x = 16;
    FAILS(cudaOccupancyMaxActiveClusters(&n, where, &config), cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute(where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaOccupancyMaxActiveClusters(&n, where, &config));
    SAME(n, 14);
    static const int more[][2] = {{9, 23}, {10, 21}, {12, 16}, {14, 14}, {15, 14}};
    for (unsigned k = 0; k < 5; k++) {
        attribute.val.clusterDim.x = (unsigned)more[k][0];
        OK(cudaOccupancyMaxActiveClusters(&n, where, &config));
        SAME(n, more[k][1]);
    }
    OK(cudaOccupancyMaxPotentialClusterSize(&n, where, &config));
    SAME(n, 16);
    int can = 0;
    OK(cudaDeviceGetAttribute(&can, 120 /* cudaDevAttrClusterLaunch */, 0));
    SAME(can, 1);
    CUlaunchConfig plain = {.gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 64, .blockDimY = 1, .blockDimZ = 1};
    SAME(cuOccupancyMaxPotentialClusterSize(&n, (CUfunction)(uintptr_t)where, &plain), CUDA_SUCCESS);
    SAME(n, 16);
}

/* What an H200 says of itself. */
static void properties(void) {
    struct cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    SAME(p.totalGlobalMem, UINT64_C(150109880320));
    SAME(p.memoryBusWidth, 6016);
    SAME(p.ECCEnabled, 1);
    SAME(p.clusterLaunch, 1);
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*run)(void); } cases[] = {{"launches", launches}, {"refused", refused}, {"occupancy", occupancy}, {"required", required}, {"frames", frames},
                                                                           {"properties", properties}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name)) return cases[i].run(), 0;
    return 2;
}
