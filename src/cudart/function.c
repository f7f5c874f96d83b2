/* Attributes of kernels, and occupancy. */
#include "cudart/function.h"

#include <string.h>

#include "cudart/api.h"
#include "watch/occupancy.h"

unsigned rt_function_bound(const img_function *image) {
    const uint32_t *m = image->max_threads;
    return m[0] * (m[1] ? m[1] : 1) * (m[2] ? m[2] : 1);
}

static watch_occupancy occupancy(const rt_function *fn, unsigned threads, size_t dynamic) {
    watch_footprint block = {threads, fn->image->registers, fn->image->shared_static, (unsigned)dynamic};
    return watch_occupancy_of(rt_gpu(), &block, 1);
}

unsigned rt_function_max_threads(const rt_function *fn) {
    unsigned most = rt_gpu()->max_threads_per_block, bound = rt_function_bound(fn->image);
    if (bound && bound < most) most = bound;
    /* Registers alone decide here: shared memory has an error of its own. */
    for (unsigned threads = most; threads > 32; threads = (threads - 1) / 32 * 32)
        if (occupancy(fn, threads, 0).limit_registers > 0) return threads;
    return most < 32 ? most : 32;
}

static size_t optin_dynamic(const rt_function *fn) {
    size_t most = rt_gpu()->shared_per_block_optin;
    return most > fn->image->shared_static ? most - fn->image->shared_static : 0;
}

size_t rt_function_max_dynamic(const rt_function *fn) {
    if (fn->dynamic_limit >= 0) return (size_t)fn->dynamic_limit;
    size_t most = rt_gpu()->shared_per_block;
    return most > fn->image->shared_static ? most - fn->image->shared_static : 0;
}

unsigned rt_function_per_sm(const rt_function *fn, unsigned threads, size_t dynamic) {
    if (threads == 0 || threads > rt_function_max_threads(fn) || dynamic > optin_dynamic(fn)) return 0;
    return occupancy(fn, threads, dynamic).blocks;
}

uint64_t rt_function_resident(const rt_function *fn, unsigned threads, size_t dynamic) {
    return (uint64_t)rt_function_per_sm(fn, threads, dynamic) * rt_gpu()->sms;
}

unsigned rt_function_max_cluster(const rt_function *fn) {
    if (rt_gpu()->major < 9) return 1;
    return fn->nonportable_cluster ? 16 : 8;
}

/* What calls asked for, where the code was compiled for none (__cluster_dims__). */
static dim3 required_cluster(const rt_function *fn) {
    const uint32_t *own = fn->image->cluster;
    const int *set = fn->required_cluster;
    return own[0] ? (dim3){own[0], own[1], own[2]} : (dim3){(unsigned)set[0], (unsigned)set[1], (unsigned)set[2]};
}
bool rt_function_cluster(const rt_function *fn, dim3 asked, dim3 *c) {
    const dim3 own = required_cluster(fn);
    *c = asked.x || asked.y || asked.z ? asked : own;
    if (!c->x && !c->y && !c->z) return true;
    return c->x && c->y && c->z && (!own.x || c->x == own.x) && (!own.y || c->y == own.y) && (!own.z || c->z == own.z);
}

/* --- attributes --------------------------------------------------------------------------------------- */

static void fill(struct cudaFuncAttributes *out, const rt_function *fn) {
    const img_function *image = fn->image;
    const img_module *module = eng_code_module(fn->code);
    const dim3 cluster = required_cluster(fn);
    *out = (struct cudaFuncAttributes){
        .sharedSizeBytes = image->shared_static,
        .constSizeBytes = module->const3_size,
        .localSizeBytes = image->local_bytes,
        .maxThreadsPerBlock = (int)rt_function_max_threads(fn),
        .numRegs = (int)image->registers,
        .ptxVersion = module->ptx_sm,
        .binaryVersion = module->sm,
        .maxDynamicSharedSizeBytes = (int)rt_function_max_dynamic(fn),
        .preferredShmemCarveout = fn->carveout,
        .clusterDimMustBeSet = image->cluster[0] != 0,
        .requiredClusterWidth = (int)cluster.x,
        .requiredClusterHeight = (int)cluster.y,
        .requiredClusterDepth = (int)cluster.z,
        .clusterSchedulingPolicyPreference = fn->cluster_policy,
        .nonPortableClusterSizeAllowed = fn->nonportable_cluster,
    };
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    if (!attributes) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_function *fn = NULL;
    if (!(e = rt_function_of(function, &fn))) fill(attributes, fn);
    return rt_leave(e);
}

/* One dimension of the required cluster: of code that was compiled for one, none but that. */
static cudaError_t require_cluster(rt_function *fn, unsigned dimension, int value) {
    const uint32_t *own = fn->image->cluster;
    if (value < 0 || (own[0] && (uint32_t)value != own[dimension])) return cudaErrorInvalidValue;
    fn->required_cluster[dimension] = value;
    return cudaSuccess;
}
static cudaError_t set_attribute(rt_function *fn, enum cudaFuncAttribute attribute, int value) {
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (size_t)value > optin_dynamic(fn)) return cudaErrorInvalidValue;
        fn->dynamic_limit = value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        fn->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        fn->nonportable_cluster = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth: return require_cluster(fn, 0, value);
    case cudaFuncAttributeRequiredClusterHeight: return require_cluster(fn, 1, value);
    case cudaFuncAttributeRequiredClusterDepth: return require_cluster(fn, 2, value);
    case cudaFuncAttributeClusterSchedulingPolicyPreference: /* default, spread, load balancing: a hint */
        if (value < 0 || value > 2) return cudaErrorInvalidValue;
        fn->cluster_policy = value;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_function *fn = NULL;
    if (!(e = rt_function_of(function, &fn))) e = set_attribute(fn, attribute, value);
    return rt_leave(e);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device) {
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    unsigned was = rt_current();
    rt_set_current((unsigned)device);
    cudaError_t e = cudaFuncSetAttribute(kernel, attribute, value);
    rt_set_current(was);
    return e;
}

static cudaError_t known(const void *function) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_function *fn = NULL;
    return rt_leave(rt_function_of(function, &fn));
}

/* Preferences that this device takes note of and does not need. */
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    if ((unsigned)config > cudaFuncCachePreferEqual) return rt_note(cudaErrorInvalidValue);
    return known(function);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
    if ((unsigned)config > cudaSharedMemBankSizeEightByte) return rt_note(cudaErrorInvalidValue);
    return known(function);
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
    if (!name) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_function *fn = NULL;
    if (!(e = rt_function_of(function, &fn))) *name = fn->name;
    return rt_leave(e);
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
    if (!offset) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_function *fn = NULL;
    if (!(e = rt_function_of(function, &fn)) && index >= fn->image->n_params) e = cudaErrorInvalidValue;
    if (!e) {
        *offset = fn->image->params[index].offset;
        if (size) *size = fn->image->params[index].size;
    }
    return rt_leave(e);
}

/* --- occupancy ----------------------------------------------------------------------------------------- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int threads, size_t dynamic,
                                                                   unsigned flags) {
    if (!blocks || threads <= 0 || flags > cudaOccupancyDisableCachingOverride)
        return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_function *fn = NULL;
    if (!(e = rt_function_of(function, &fn)))
        *blocks = (int)rt_function_per_sm(fn, (unsigned)threads, dynamic);
    return rt_leave(e);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t dynamic) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic,
                                                                  cudaOccupancyDefault);
}

/* The most dynamic shared memory a block can have while an SM still holds so many blocks. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, const void *function, int blocks,
                                                      int threads) {
    if (!dynamic || blocks <= 0 || threads <= 0) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_function *fn = NULL;
    if ((e = rt_function_of(function, &fn))) return rt_leave(e);
    if (rt_function_per_sm(fn, (unsigned)threads, 0) < (unsigned)blocks)
        return rt_leave(cudaErrorInvalidValue);
    size_t low = 0, high = optin_dynamic(fn); /* low always fits */
    while (low < high) {
        size_t mid = low + (high - low + 1) / 2;
        if (rt_function_per_sm(fn, (unsigned)threads, mid) >= (unsigned)blocks)
            low = mid;
        else
            high = mid - 1;
    }
    *dynamic = low;
    return rt_leave(cudaSuccess);
}

/* The cluster that a configuration asks for; 0, 0, 0: none. */
static dim3 asked_cluster(const cudaLaunchConfig_t *config) {
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            return (dim3){config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y, config->attrs[i].val.clusterDim.z};
    return (dim3){0, 0, 0};
}

/* The blocks of a cluster lie in one GPC, no more of one size than it has SMs, eight at most on an SM. How the SMs of a device are spread over GPCs
 * differs from one sold to the next; this is one H200's, as its answers say: two GPCs with all 18, five with 16, one with 8, and 8 SMs in
 * pairs (TPCs) of their own. Devices with fewer SMs lack them from the end. */
static unsigned active_clusters(unsigned per_sm, unsigned size) {
    enum { BLOCKS_A_SM = 8 };
    static const uint8_t gpcs[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
    unsigned left = rt_gpu()->sms, clusters = 0;
    if (per_sm > BLOCKS_A_SM) per_sm = BLOCKS_A_SM;
    for (unsigned g = 0; left; g = g + 1 < sizeof gpcs ? g + 1 : 2) {
        unsigned sms = gpcs[g] < left ? gpcs[g] : left;
        if (size <= sms) clusters += sms * per_sm / size;
        left -= sms;
    }
    return clusters;
}

static cudaError_t about_clusters(int *out, const void *function, const cudaLaunchConfig_t *config, bool largest) {
    if (!out || !config || (config->numAttrs && !config->attrs)) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_function *fn = NULL;
    if ((e = rt_function_of(function, &fn))) return rt_leave(e);
    const dim3 *b = &config->blockDim;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;
    unsigned per_sm = threads <= UINT32_MAX ? rt_function_per_sm(fn, (unsigned)threads, config->dynamicSmemBytes) : 0, most = rt_function_max_cluster(fn);
    if (rt_gpu()->major < 9) return rt_leave(cudaErrorNotSupported);
    const dim3 *g = &config->gridDim;
    const dim3 own = required_cluster(fn);
    dim3 c;
    bool can = rt_function_cluster(fn, asked_cluster(config), &c), none = !c.x && !c.y && !c.z;
    if (!none && (!largest || own.x || own.y || own.z) && (!can || g->x % c.x || g->y % c.y || g->z % c.z)) return rt_leave(cudaErrorInvalidClusterSize);
    if (largest) {
        while (most > 1 && !active_clusters(per_sm, most)) most /= 2;
        *out = per_sm ? (int)most : 0;
        return rt_leave(cudaSuccess);
    }
    uint64_t size = (uint64_t)c.x * c.y * c.z;
    if (size > most && !fn->nonportable_cluster) return rt_leave(cudaErrorInvalidClusterSize);
    *out = none ? 0 : (int)active_clusters(per_sm, (unsigned)size);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config) {
    return about_clusters(size, function, config, true);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config) {
    return about_clusters(clusters, function, config, false);
}
