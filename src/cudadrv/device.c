/* Devices: the runtime's. */
#include "cudart/device.h"

#include <stdio.h>
#include <string.h>

#include "cudadrv/driver.h"

CUresult cuDeviceGetCount(int *count) {
    DRV_CALL_ANYWHERE(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    int count = 0;
    CUresult r = cuDeviceGetCount(&count);
    if (r) return r;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal < 0 || ordinal >= count) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

static CUresult properties(struct cudaDeviceProp *p, CUdevice device, const void *out) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    DRV_CALL_ANYWHERE(cudaGetDeviceProperties(p, device));
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult r = properties(&p, device, name);
    if (r) return r;
    if (size <= 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)size, "%s", p.name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult r = properties(&p, device, uuid);
    if (!r) memcpy(uuid, &p.uuid, sizeof *uuid);
    return r;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    return cuDeviceGetUuid_v2(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult r = properties(&p, device, bytes);
    if (!r) *bytes = p.totalGlobalMem;
    return r;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult r = properties(&p, device, major && minor ? major : NULL);
    if (!r) *major = p.major, *minor = p.minor;
    return r;
}

CUresult cuDeviceGetProperties(CUdevprop *out, CUdevice device) {
    struct cudaDeviceProp p;
    CUresult r = properties(&p, device, out);
    if (r) return r;
    *out = (CUdevprop){.maxThreadsPerBlock = p.maxThreadsPerBlock,
                       .sharedMemPerBlock = (int)p.sharedMemPerBlock,
                       .totalConstantMemory = (int)p.totalConstMem,
                       .SIMDWidth = p.warpSize,
                       .memPitch = (int)p.memPitch,
                       .regsPerBlock = p.regsPerBlock,
                       .textureAlign = (int)p.textureAlignment};
    memcpy(out->maxThreadsDim, p.maxThreadsDim, sizeof out->maxThreadsDim);
    memcpy(out->maxGridSize, p.maxGridSize, sizeof out->maxGridSize);
    return cuDeviceGetAttribute(&out->clockRate, 13 /* CU_DEVICE_ATTRIBUTE_CLOCK_RATE */, device);
}

/* Attributes that the runtime's interface does not name: what the simulated device has of them, 0 for the rest. */
static bool own_attribute(int *value, int attribute) {
    switch (attribute) {
    case 44:  /* CAN_TEX2D_GATHER */
    case 102: /* VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED */
    case 129: /* UNIFIED_FUNCTION_POINTERS */
        return *value = 1, true;
    case 92: case 93: case 94:    /* stream memory operations, version 1 */
    case 96:                      /* COOPERATIVE_MULTI_DEVICE_LAUNCH */
    case 103: case 104: case 105: /* handles of memory for other processes */
    case 107:                     /* GENERIC_COMPRESSION_SUPPORTED */
    case 110:                     /* GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED */
    case 122: case 123:           /* stream memory operations */
    case 124:                     /* DMA_BUF_SUPPORTED */
    case 127:                     /* TENSOR_MAP_ACCESS_SUPPORTED */
    case 128: case 132:           /* fabric handles, multicast */
    case 136: case 137:           /* decompression in hardware */
    case 141: case 145: case 146: /* the host's memory by cuMemCreate */
        return *value = 0, true;
    default:
        return false;
    }
}

/* Numbers and meanings are the runtime's. */
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    int own = 0;
    if (value && rt_is_device(device) && own_attribute(&own, attribute)) {
        CUresult r = drv_initialized();
        rt_quiet(false);
        if (!r) *value = own;
        return r;
    }
    DRV_CALL_ANYWHERE(cudaDeviceGetAttribute(value, attribute, device));
}
CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
    DRV_CALL_ANYWHERE(cudaDeviceGetPCIBusId(text, size, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
    DRV_CALL_ANYWHERE(cudaDeviceGetByPCIBusId(device, text));
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    DRV_CALL_ANYWHERE(cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, CUdevice from, CUdevice to) {
    DRV_CALL_ANYWHERE(cudaDeviceGetP2PAttribute(value, attribute, from, to));
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
    DRV_CALL_ANYWHERE(cudaDeviceGetDefaultMemPool(pool, device));
}
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
    DRV_CALL_ANYWHERE(cudaDeviceGetMemPool(pool, device));
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    DRV_CALL_ANYWHERE(cudaDeviceSetMemPool(device, pool));
}
