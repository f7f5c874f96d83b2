/* Devices: which one, their properties, attributes, limits and flags, who reaches whom. All are of one model. */
#include "cudart/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cudart/api.h"
#include "cudart/array.h"
#include "cudart/memory.h"
#include "cudart/stream.h"

static const char PCI_BUS_ID[] = "0000:%02x:00.0"; /* a device a bus, from 1 */

/* Texture and surface limits that all devices of compute capability 7.5 and later share (programming
 * guide, technical specifications per compute capability). */
static void describe_textures(struct cudaDeviceProp *p) {
    static const struct cudaDeviceProp limits = {
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .surfaceAlignment = 512,
        .maxTexture1D = 131072,
        .maxTexture1DMipmap = 32768,
        .maxTexture2D = {131072, 65536},
        .maxTexture2DMipmap = {32768, 32768},
        .maxTexture2DLinear = {131072, 65000, 2097120},
        .maxTexture2DGather = {32768, 32768},
        .maxTexture3D = {16384, 16384, 16384},
        .maxTexture3DAlt = {8192, 8192, 32768},
        .maxTextureCubemap = 32768,
        .maxTexture1DLayered = {32768, 2048},
        .maxTexture2DLayered = {32768, 32768, 2048},
        .maxTextureCubemapLayered = {32768, 2046},
        .maxSurface1D = 32768,
        .maxSurface2D = {131072, 65536},
        .maxSurface3D = {16384, 16384, 16384},
        .maxSurface1DLayered = {32768, 2048},
        .maxSurface2DLayered = {32768, 32768, 2048},
        .maxSurfaceCubemap = 32768,
        .maxSurfaceCubemapLayered = {32768, 2046},
    };
    *p = limits;
}

enum { STACKED_BITS = 4096 }; /* memory with so wide a bus is HBM, which always corrects errors */

/* A pure function of the row in gpus.def. */
static void describe(const eng_gpu *gpu, unsigned device, struct cudaDeviceProp *p) {
    describe_textures(p);
    snprintf(p->name, sizeof p->name, "%s", gpu->name);
    snprintf(p->uuid.bytes, sizeof p->uuid.bytes, "warpgrind");
    p->uuid.bytes[sizeof p->uuid.bytes - 1] = (char)device;
    p->totalGlobalMem = gpu->memory;
    p->sharedMemPerBlock = gpu->shared_per_block;
    p->regsPerBlock = (int)gpu->registers_per_block;
    p->warpSize = 32;
    p->memPitch = 2147483647;
    p->maxThreadsPerBlock = (int)gpu->max_threads_per_block;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024, p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647, p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->totalConstMem = 65536;
    p->major = gpu->major, p->minor = gpu->minor;
    p->multiProcessorCount = (int)gpu->sms;
    p->canMapHostMemory = 1;
    p->concurrentKernels = 1;
    p->pciBusID = (int)device + 1;
    p->asyncEngineCount = 3;
    p->unifiedAddressing = 1;
    p->memoryBusWidth = (int)gpu->bus_bits;
    p->l2CacheSize = (int)gpu->l2;
    p->maxThreadsPerMultiProcessor = (int)gpu->max_threads_per_sm;
    p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = p->localL1CacheSupported = 1;
    p->sharedMemPerMultiprocessor = gpu->shared_per_sm;
    p->regsPerMultiprocessor = (int)gpu->registers_per_sm;
    p->managedMemory = 1;
    /* Managed and registered memory is the host's own; pageable memory is not visible to kernels. */
    p->concurrentManagedAccess = 1;
    p->computePreemptionSupported = 1;
    p->canUseHostPointerForRegisteredMem = 1;
    p->cooperativeLaunch = 1;
    p->sharedMemPerBlockOptin = gpu->shared_per_block_optin;
    p->maxBlocksPerMultiProcessor = (int)gpu->max_blocks_per_sm;
    p->reservedSharedMemPerBlock = gpu->shared_reserved;
    p->hostRegisterSupported = 1;
    p->memoryPoolsSupported = 1;
    p->ipcEventSupported = 1;
    p->clusterLaunch = gpu->major >= 9;
    p->ECCEnabled = gpu->bus_bits >= STACKED_BITS;
    if (gpu->major >= 8) { /* hints for a part of L2 are taken, and change nothing (programming guide: up to three quarters) */
        p->persistingL2CacheMaxSize = p->l2CacheSize / 4 * 3;
        p->accessPolicyMaxWindowSize = 128 << 20;
    }
    p->deviceNumaId = p->hostNumaId = -1;
    /* Left at 0, since warpgrind has none of it: host atomics, RDMA, arrays that are
     * sparse or mapped late, memory handles for other processes. */
}

/* --- which device --------------------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count) return rt_note(cudaErrorInvalidValue);
    *count = (int)rt_device_count();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    rt_set_current((unsigned)device);
    cudaError_t e = rt_enter(); /* since CUDA 12 this makes the context */
    return e ? e : rt_leave(cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    (void)device_flags;
    if (flags > 1) return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    cudaError_t e = rt_enter(); /* the current device stays what it is */
    return e ? e : rt_leave(cudaSuccess);
}

cudaError_t cudaGetDevice(int *device) {
    if (!device) return rt_note(cudaErrorInvalidValue);
    *device = (int)rt_current();
    return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int n) {
    if (n < 0 || (n && !devices)) return rt_note(cudaErrorInvalidValue);
    for (int i = 0; i < n; i++)
        if (!rt_is_device(devices[i])) return rt_note(cudaErrorInvalidDevice);
    return cudaSuccess;
}

/* They are all alike. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted) {
    if (!device || !wanted) return rt_note(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

static void bus_id(char text[sizeof PCI_BUS_ID], unsigned device) {
    snprintf(text, sizeof PCI_BUS_ID, PCI_BUS_ID, (device + 1) & 0xff);
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
    char id[sizeof PCI_BUS_ID];
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    bus_id(id, (unsigned)device);
    if (!text || size <= (int)strlen(id)) return rt_note(cudaErrorInvalidValue);
    strcpy(text, id);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
    if (!device || !text) return rt_note(cudaErrorInvalidValue);
    for (unsigned d = 0; d < rt_device_count(); d++) {
        char id[sizeof PCI_BUS_ID];
        bus_id(id, d);
        /* domain:bus:device.function, the domain and the function may be left out */
        if (strcasecmp(text, id) && strcasecmp(text, id + 5) && strncasecmp(text, id + 5, 5)) continue;
        if (strlen(text) == 5 || strlen(text) >= 7) return *device = (int)d, cudaSuccess;
    }
    return rt_note(cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int *version) {
    if (!version) return rt_note(cudaErrorInvalidValue);
    *version = RT_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    return cudaDriverGetVersion(version);
}

/* --- properties ------------------------------------------------------------------------------------------
 */

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    if (!properties) return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    cudaError_t e = rt_enter();
    if (e) return e;
    describe(rt_gpu(), (unsigned)device, properties);
    return rt_leave(cudaSuccess);
}

static cudaError_t attribute(const eng_gpu *gpu, unsigned device, int which, int *value) {
    struct cudaDeviceProp props, *p = &props;
    describe(gpu, device, p);
    switch (which) {
#define ATTR(number, name, expression)                                                                       \
    case number:                                                                                             \
        *value = (int)(expression);                                                                          \
        return cudaSuccess;
#include "cudart/attributes.def"
#undef ATTR
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, int which, int device) {
    if (!value) return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(device)) return rt_note(cudaErrorInvalidDevice);
    cudaError_t e = rt_enter();
    if (e) return e;
    return rt_leave(attribute(rt_gpu(), (unsigned)device, which, value));
}

/* --- peers: every device can reach every other one, as over NVLink ------------------------------------------ */

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr which, int from, int to) {
    if (!value) return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(from) || !rt_is_device(to) || from == to) return rt_note(cudaErrorInvalidDevice);
    if (which < cudaDevP2PAttrPerformanceRank || which > cudaDevP2PAttrCudaArrayAccessSupported) return rt_note(cudaErrorInvalidValue);
    *value = which != cudaDevP2PAttrPerformanceRank; /* 0: the fastest */
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (!can) return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(device) || !rt_is_device(peer)) return rt_note(cudaErrorInvalidDevice);
    *can = device != peer;
    return cudaSuccess;
}

/* What the bit of a peer becomes for kernels of the current device. */
static cudaError_t set_peer(int peer, bool on) {
    if (!rt_is_device(peer) || (unsigned)peer == rt_current()) return rt_note(cudaErrorInvalidDevice);
    cudaError_t e = rt_enter();
    if (e) return e;
    uint64_t bit = UINT64_C(1) << peer, *peers = &rt_here()->peers;
    if (!!(*peers & bit) == on) return rt_leave(on ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled);
    *peers ^= bit;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return flags ? rt_note(cudaErrorInvalidValue) : set_peer(peer, true);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return set_peer(peer, false);
}

/* --- waiting and ending ----------------------------------------------------------------------------------
 */

cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t e = rt_enter_to_wait();
    if (e) return e;
    return rt_leave(rt_stream_wait_call(NULL));
}

/* Frees what the program allocated, so that what it allocates next starts on a fresh device. Modules stay
 * loaded: their variables keep their addresses and get their first values again only in a new process. */
cudaError_t cudaDeviceReset(void) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream_wait(NULL);
    if (!rt_any_sticky() && rt_device_count() == 1) ses_leaks_write(rt.session); /* of several: at the end */
    rt_textures_reset();
    rt_arrays_reset();
    rt_memory_reset();
    return rt_leave(cudaSuccess);
}

/* --- limits, flags, preferences --------------------------------------------------------------------------
 */

enum { MAX_STACK = (512 << 10) - 576 }; /* bytes: of a thread's 512 KiB of local memory (programming guide) what an H200 lets be had */

static size_t at_least(size_t value, size_t least) { return value < least ? least : value; }
static size_t multiple(size_t value, size_t of) { return value > SIZE_MAX - of ? value : (value + of - 1) / of * of; }
void rt_device_take_stack(rt_own *device, size_t frame) {
    device->limits[cudaLimitStackSize] = at_least(device->limits[cudaLimitStackSize], multiple(frame, 16));
}
/* What a limit becomes that is set, as an H200 has it. */
static cudaError_t round_limit(enum cudaLimit limit, size_t *value) {
    struct cudaDeviceProp p;
    switch (limit) {
    case cudaLimitStackSize:
        *value = multiple(*value, 16);
        return *value > MAX_STACK ? cudaErrorInvalidValue : cudaSuccess;
    case cudaLimitPrintfFifoSize:
        *value = at_least(*value, 512 << 10);
        if (*value > (size_t)2 << 30) *value = (size_t)2 << 30;
        return cudaSuccess;
    case cudaLimitMallocHeapSize: *value = at_least(*value, 4 << 20); return cudaSuccess;
    case cudaLimitDevRuntimePendingLaunchCount: *value = at_least(*value, 32); return cudaSuccess;
    case cudaLimitMaxL2FetchGranularity: return *value > 128 ? cudaErrorInvalidValue : cudaSuccess;
    case cudaLimitPersistingL2CacheSize:
        describe(rt_gpu(), rt_current(), &p);
        if (!p.persistingL2CacheMaxSize) return cudaErrorUnsupportedLimit;
        if (*value > (size_t)p.persistingL2CacheMaxSize) return cudaErrorInvalidValue;
        *value = multiple(*value, (size_t)p.l2CacheSize / 16);
        return cudaSuccess;
    default: return cudaSuccess;
    }
}
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    if ((unsigned)limit > cudaLimitPersistingL2CacheSize) return rt_note(cudaErrorInvalidValue);
    if (limit == cudaLimitDevRuntimeSyncDepth) return rt_note(cudaErrorUnsupportedLimit); /* of the old dynamic parallelism */
    cudaError_t e = rt_enter();
    if (e) return e;
    if ((e = round_limit(limit, &value))) return rt_leave(e);
    rt_here()->limits[limit] = value;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    if (!value || (unsigned)limit > cudaLimitPersistingL2CacheSize) return rt_note(cudaErrorInvalidValue);
    if (limit == cudaLimitDevRuntimeSyncDepth) return rt_note(cudaErrorUnsupportedLimit);
    cudaError_t e = rt_enter();
    if (e) return e;
    *value = rt_here()->limits[limit];
    return rt_leave(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    if ((flags & ~(unsigned)cudaDeviceMask) || (flags & cudaDeviceScheduleMask) == 3)
        return rt_note(cudaErrorInvalidValue);
    pthread_mutex_lock(&rt.lock);
    rt_here()->flags = flags;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    if (!flags) return rt_note(cudaErrorInvalidValue);
    pthread_mutex_lock(&rt.lock);
    *flags = rt_here()->flags | cudaDeviceMapHost; /* mapping is always on */
    return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    if (!config) return rt_note(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    return rt_note((unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue : cudaSuccess);
}

/* Banks have been four bytes wide on every device since compute capability 5.0. */
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    if (!config) return rt_note(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    return rt_note((unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    return cudaSuccess;
}
cudaError_t cudaProfilerStart(void) {
    return cudaSuccess;
}
cudaError_t cudaProfilerStop(void) {
    return cudaSuccess;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
