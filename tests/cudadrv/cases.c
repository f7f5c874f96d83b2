/* usage: cudadrv_cases NAME: one case in one process. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "cudadrv/api.h"
#include "cudart/check.h"

#undef OK
#define OK(call) SAME(call, CUDA_SUCCESS)

static CUcontext context;

static void begin(void) {
    OK(cuInit(0));
    OK(cuCtxCreate_v4(&context, NULL, 0, 0));
}

static CUmodule kernels(void) {
    CUmodule m = NULL;
    OK(cuModuleLoad(&m, KERNELS));
    return m;
}

static CUfunction kernel(const char *name) {
    static CUmodule m;
    if (!m) m = kernels();
    CUfunction f = NULL;
    OK(cuModuleGetFunction(&f, m, name));
    return f;
}

static CUdeviceptr ints(int n, int first) {
    CUdeviceptr p = 0;
    OK(cuMemAlloc_v2(&p, sizeof(int) * (size_t)n));
    for (int i = 0; i < n; i++) OK(cuMemsetD32_v2(p + 4 * (size_t)i, (unsigned)(first + i), 1));
    return p;
}

static int int_at(CUdeviceptr p, int i) {
    int value = 0;
    OK(cuMemcpyDtoH_v2(&value, p + 4 * (size_t)i, 4));
    return value;
}

/* --- before there is a context --------------------------------------------------------------------------- */

static void start(void) {
    CUdeviceptr p;
    CUcontext c = (CUcontext)1;
    int n = 0;
    const char *text = NULL;
    SAME(cuMemAlloc_v2(&p, 4), CUDA_ERROR_NOT_INITIALIZED);
    SAME(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    SAME(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&n));
    SAME(n, 1);
    SAME(cuMemAlloc_v2(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxGetCurrent(&c));
    CHECK(!c);
    OK(cuDriverGetVersion(&n));
    SAME(n, 13000);
    OK(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(!strcmp(text, "CUDA_ERROR_INVALID_CONTEXT"));
    OK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    CHECK(!strcmp(text, "an illegal memory access was encountered"));
    SAME(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    CHECK(!text);
}

static void contexts(void) {
    OK(cuInit(0));
    CUcontext a = NULL, b = NULL, top = NULL, first = NULL;
    CUdevice device = 7;
    unsigned long long id_a = 0, id_b = 0;
    OK(cuCtxCreate_v4(&a, NULL, 0, 0));
    OK(cuCtxCreate_v2(&b, 8, 0));
    CHECK(a != b);
    OK(cuCtxGetId(a, &id_a));
    OK(cuCtxGetId(b, &id_b));
    CHECK(id_a != id_b);
    OK(cuCtxGetCurrent(&top));
    CHECK(top == b);
    OK(cuCtxGetDevice(&device));
    SAME(device, 0);
    unsigned flags = 0;
    OK(cuCtxGetFlags(&flags));
    SAME(flags, 8);
    OK(cuCtxPopCurrent_v2(&top));
    CHECK(top == b);
    OK(cuCtxGetCurrent(&top));
    CHECK(top == a);
    /* All contexts see the device's memory. */
    CUdeviceptr p = ints(4, 5);
    OK(cuCtxPushCurrent_v2(b));
    SAME(int_at(p, 3), 8);
    OK(cuCtxDestroy_v2(b));
    OK(cuCtxGetCurrent(&top));
    CHECK(top == a);
    SAME(cuCtxPushCurrent_v2(b), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&first, 0));
    OK(cuCtxSetCurrent(first));
    int active = 0;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    SAME(active, 1);
    SAME(cuCtxDestroy_v2(first), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRelease_v2(0));
    SAME(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuCtxCreate_v2(&b, 0, 1), CUDA_ERROR_INVALID_DEVICE);
    OK(cuMemFree_v2(p));
    OK(cuCtxSetCurrent(NULL));
    SAME(cuMemFree_v2(p), CUDA_ERROR_INVALID_CONTEXT);
}

static void devices(void) {
    OK(cuInit(0));
    CUdevice d = 9;
    char name[64], bus[16];
    int value = 0, minor = 0;
    size_t bytes = 0;
    OK(cuDeviceGet(&d, 0));
    SAME(d, 0);
    SAME(cuDeviceGet(&d, 1), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(!strcmp(name, "NVIDIA A100-SXM4-80GB"));
    OK(cuDeviceGetName(name, 7, 0));
    CHECK(!strcmp(name, "NVIDIA"));
    OK(cuDeviceGetAttribute(&value, 16, 0));
    SAME(value, 108);
    OK(cuDeviceGetAttribute(&value, 102, 0)); /* that the runtime does not name */
    SAME(value, 1);
    OK(cuDeviceGetAttribute(&value, 96, 0));
    SAME(value, 0);
    SAME(cuDeviceGetAttribute(&value, 9999, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceComputeCapability(&value, &minor, 0));
    SAME(value * 10 + minor, 80);
    OK(cuDeviceTotalMem_v2(&bytes, 0));
    CHECK(bytes > (size_t)70 << 30);
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(cuDeviceGetByPCIBusId(&d, bus));
    SAME(d, 0);
    SAME(cuDeviceGetAttribute(&value, 16, 1), CUDA_ERROR_INVALID_DEVICE);
}

/* --- code ------------------------------------------------------------------------------------------------ */

static void modules(void) {
    begin();
    CUmodule m = kernels(), again = NULL;
    CUfunction f = NULL;
    CUdeviceptr p = 0;
    size_t size = 0;
    unsigned n = 0;
    SAME(cuModuleGetFunction(&f, m, "no such kernel"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetGlobal_v2(&p, &size, m, "offset"));
    SAME(size, 16);
    SAME(int_at(p, 2), 300);
    OK(cuModuleGetGlobal_v2(&p, NULL, m, "bias"));
    SAME(cuModuleGetGlobal_v2(&p, NULL, m, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunctionCount(&n, m));
    CHECK(n >= 7);
    CUfunction all[3];
    OK(cuModuleEnumerateFunctions(all, 3, m));
    const char *name = NULL;
    OK(cuFuncGetName(&name, all[2]));
    OK(cuModuleGetFunction(&f, m, name));
    CHECK(f == all[2]);
    OK(cuFuncGetModule(&again, f));
    CHECK(again == m);
    /* The same from memory, whose size nobody tells. */
    static char bytes[1 << 20];
    FILE *file = fopen(KERNELS, "rb");
    CHECK(file && fread(bytes, 1, sizeof bytes, file) > 0);
    fclose(file);
    OK(cuModuleLoadData(&again, bytes));
    memset(bytes, 0, sizeof bytes);
    OK(cuModuleGetFunction(&f, again, "reverse"));
    OK(cuModuleUnload(again));
    SAME(cuModuleGetFunction(&f, again, "reverse"), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuFuncGetName(&name, f), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuModuleLoad(&again, "/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
    /* What cannot be read is told in the log that the program gave. */
    char log[200] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    SAME(cuModuleLoadDataEx(&again, "no code at all", 2, options, values), CUDA_ERROR_INVALID_IMAGE);
    CHECK(strstr(log, "PTX"));
    SAME((size_t)(uintptr_t)values[1], strlen(log));
    /* As a library. */
    CUlibrary lib = NULL;
    CUkernel k = NULL;
    OK(cuLibraryLoadFromFile(&lib, KERNELS, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&k, lib, "count_up"));
    OK(cuKernelGetFunction(&f, k));
    OK(cuLibraryGetManaged(&p, &size, lib, "shared_with_host"));
    SAME(size, 4);
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuCtxSynchronize());
    SAME(*(int *)(uintptr_t)p, 8);
    OK(cuLibraryUnload(lib));
}

static void launches(void) {
    begin();
    CUfunction scale = kernel("scale");
    CUdeviceptr p = ints(64, 0);
    int n = 64, by = 3;
    void *params[] = {&p, &n, &by};
    OK(cuLaunchKernel(scale, 2, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    SAME(int_at(p, 63), 63 * 3 + 400);
    /* The same parameters in one buffer. */
    struct { CUdeviceptr p; int n, by; } packed = {p, 1, 0};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    SAME(int_at(p, 0), 100);
    size = 12;
    SAME(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, params, extra), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLaunchKernel(scale, 0, 1, 1, 32, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_HANDLE);
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    CUlaunchConfig c = {2, 1, 1, 32, 1, 1, 0, NULL, &cooperative, 1};
    OK(cuLaunchKernelEx(&c, scale, params, NULL));
    OK(cuLaunchCooperativeKernel(scale, 2, 1, 1, 32, 1, 1, 0, NULL, params));
    int value = 0;
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel("bounded")));
    SAME(value, 64);
    OK(cuFuncSetAttribute(kernel("reverse"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel("reverse")));
    SAME(value, 100000);
    size_t offset = 0, bytes = 0;
    OK(cuFuncGetParamInfo(scale, 2, &offset, &bytes));
    SAME(offset, 12);
    SAME(bytes, 4);
    SAME(cuFuncGetParamInfo(scale, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
}

static void occupancy(void) {
    begin();
    int blocks = 0, threads = 0;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("scale"), 1024, 0));
    SAME(blocks, 2);
    OK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel("scale"), NULL, 0, 0));
    SAME(threads, 1024);
    SAME(blocks, 2 * 108);
    OK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel("scale"), NULL, 0, 100));
    CHECK(threads <= 100);
    size_t dynamic = 0;
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&dynamic, kernel("scale"), 1, 256));
    CHECK(dynamic > 100000);
}

static void links(void) {
    begin();
    CUlinkState s = NULL;
    OK(cuLinkCreate_v2(0, NULL, NULL, &s));
    OK(cuLinkAddFile_v2(s, CU_JIT_INPUT_CUBIN, KERNELS, 0, NULL, NULL));
    void *cubin = NULL;
    size_t size = 0;
    OK(cuLinkComplete(s, &cubin, &size));
    CHECK(cubin && size > 1000);
    CUmodule m = NULL;
    CUfunction f = NULL;
    OK(cuModuleLoadData(&m, cubin));
    OK(cuLinkDestroy(s));
    OK(cuModuleGetFunction(&f, m, "scale"));
    SAME(cuLinkDestroy(s), CUDA_ERROR_INVALID_HANDLE);
    char log[300] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    OK(cuLinkCreate_v2(2, options, values, &s));
    SAME(cuLinkComplete(s, &cubin, &size), CUDA_ERROR_INVALID_VALUE);
    OK(cuLinkAddFile_v2(s, CU_JIT_INPUT_CUBIN, KERNELS, 0, NULL, NULL));
    SAME(cuLinkAddFile_v2(s, CU_JIT_INPUT_CUBIN, KERNELS, 0, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(strstr(log, "second"));
    OK(cuLinkDestroy(s));
}

/* --- memory ---------------------------------------------------------------------------------------------- */

static void memory(void) {
    begin();
    CUdeviceptr p = 0, base = 0;
    size_t size = 0, pitch = 0, free_before = 0, free_after = 0, total = 0;
    SAME(cuMemAlloc_v2(&p, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetInfo_v2(&free_before, &total));
    OK(cuMemAlloc_v2(&p, 1000));
    OK(cuMemGetInfo_v2(&free_after, &total));
    CHECK(free_after < free_before && free_before <= total);
    OK(cuMemGetAddressRange_v2(&base, &size, p + 999));
    CHECK(base == p);
    SAME(size, 1000);
    SAME(cuMemGetAddressRange_v2(&base, &size, 64), CUDA_ERROR_NOT_FOUND);
    OK(cuMemFree_v2(p));
    SAME(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocPitch_v2(&p, &pitch, 100, 3, 4));
    SAME(pitch, 512);
    SAME(cuMemAllocPitch_v2(&p, &pitch, 100, 3, 5), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocManaged(&p, 64, 1));
    *(int *)(uintptr_t)p = 9;
    SAME(int_at(p, 0), 9);
    int mostly = 7;
    OK(cuMemAdvise(p, 64, cudaMemAdviseSetReadMostly, 0));
    OK(cuMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, p, 64));
    SAME(mostly, 1);
    void *host = NULL;
    OK(cuMemHostAlloc(&host, 64, 2));
    CUdeviceptr same = 0;
    OK(cuMemHostGetDevicePointer_v2(&same, host, 0));
    CHECK(same == (uintptr_t)host);
    OK(cuMemFreeHost(host));
    OK(cuMemAllocAsync(&p, 64, NULL));
    OK(cuMemFreeAsync(p, NULL));
    SAME(cuMemAlloc_v2(&p, (size_t)1 << 45), CUDA_ERROR_OUT_OF_MEMORY);
    CUstream s = NULL; /* brings its context along; the default stream does not */
    CUevent e = NULL;
    CUcontext mine = NULL;
    OK(cuStreamCreate(&s, 1));
    OK(cuEventCreate(&e, 0));
    OK(cuCtxPopCurrent_v2(&mine));
    OK(cuMemAllocAsync(&p, 64, s));
    OK(cuEventRecord(e, s));
    OK(cuEventSynchronize(e));
    OK(cuMemFreeAsync(p, s));
    OK(cuStreamSynchronize(s));
    SAME(cuMemAllocAsync(&p, 64, NULL), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuMemAllocAsync(&p, 64, cudaStreamPerThread), CUDA_ERROR_INVALID_CONTEXT);
    SAME(cuStreamSynchronize(NULL), CUDA_ERROR_INVALID_CONTEXT);
    CUcontext its = NULL;
    OK(cuStreamGetCtx(s, &its));
    CHECK(its == mine);
    OK(cuCtxPushCurrent_v2(mine));
}

static void mapped(void) {
    begin();
    CUmemAllocationProp prop = {.type = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}};
    struct cudaMemAccessDesc access = {prop.location, cudaMemAccessFlagsProtReadWrite};
    size_t step = 0;
    OK(cuMemGetAllocationGranularity(&step, &prop, 0));
    CHECK(step >= 65536);
    CUdeviceptr p = 0, q = 0;
    CUmemGenericAllocationHandle a = 0, b = 0, again = 0;
    SAME(cuMemAddressReserve(&p, step + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressReserve(&p, 2 * step, 0, 0, 0));
    OK(cuMemAddressReserve(&q, step, 0, 0, 0));
    OK(cuMemCreate(&a, step, &prop, 0));
    OK(cuMemCreate(&b, step, &prop, 0));
    OK(cuMemMap(p, step, 0, a, 0));
    SAME(cuMemMap(p, step, 0, b, 0), CUDA_ERROR_INVALID_VALUE); /* taken */
    SAME(cuMemSetAccess(p, 2 * step, &access, 1), CUDA_ERROR_INVALID_VALUE); /* half of it is not mapped */
    OK(cuMemMap(p + step, step, 0, b, 0));
    OK(cuMemSetAccess(p, 2 * step, &access, 1));
    /* One run of addresses over two pieces of memory. */
    OK(cuMemsetD32_v2(p + step - 64, 3, 32));
    int n = 32, by = 2;
    CUdeviceptr at = p + step - 64;
    void *params[] = {&at, &n, &by};
    OK(cuLaunchKernel(kernel("scale"), 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    SAME(int_at(at, 0), 106);
    SAME(int_at(at, 31), 406);
    OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(p + step + 5)));
    CHECK(again == b);
    OK(cuMemRelease(again));
    SAME(cuMemMap(q, step, 0, b, 0), CUDA_ERROR_NOT_SUPPORTED); /* at two addresses at once */
    SAME(cuMemAddressFree(p, 2 * step), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(p, 2 * step));
    /* The bytes go with the memory. */
    OK(cuMemMap(q, step, 0, b, 0));
    OK(cuMemSetAccess(q, step, &access, 1));
    SAME(int_at(q, 15), 406);
    OK(cuMemRelease(a));
    SAME(cuMemRelease(a), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(b));
    OK(cuMemUnmap(q, step));
    OK(cuMemAddressFree(p, 2 * step));
    OK(cuMemAddressFree(q, step));
}

static void pointers(void) {
    begin();
    CUdeviceptr p = 0, start_address = 0;
    OK(cuMemAlloc_v2(&p, 100));
    unsigned type = 0, managed = 1;
    size_t size = 0;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 8));
    SAME(type, CU_MEMORYTYPE_DEVICE);
    CUcontext owner = NULL;
    OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    CHECK(owner == context);
    int local = 0, ordinal = 0;
    SAME(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)&local), CUDA_ERROR_INVALID_VALUE);
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *data[] = {&start_address, &size, &managed, &ordinal};
    OK(cuPointerGetAttributes(4, attributes, data, p + 50));
    CHECK(start_address == p);
    SAME(size, 100);
    SAME(managed, 0);
    SAME(ordinal, 0);
    OK(cuPointerGetAttributes(4, attributes, data, (uintptr_t)&local));
    CHECK(!start_address && !size);
    SAME(ordinal, cudaInvalidDeviceId);
}

static void copies(void) {
    begin();
    int from[6][5], to[6][5] = {{0}};
    for (int i = 0; i < 30; i++) from[i / 5][i % 5] = i;
    CUdeviceptr p = ints(30, 0), q = ints(30, 1000);
    OK(cuMemcpyHtoD_v2(p, from, sizeof from));
    OK(cuMemcpyDtoD_v2(q, p, sizeof from));
    OK(cuMemcpy((uintptr_t)to, q, sizeof to));
    CHECK(!memcmp(from, to, sizeof to));
    /* The inner 2x3 of rows of 5, from the second row and column on. */
    CUDA_MEMCPY2D c = {.srcXInBytes = 4, .srcY = 1, .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = p, .srcPitch = 20,
                       .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .dstPitch = 20, .WidthInBytes = 12, .Height = 2};
    memset(to, 0, sizeof to);
    OK(cuMemcpy2D_v2(&c));
    SAME(to[0][0], 6);
    SAME(to[1][2], 13);
    SAME(to[0][3], 0);
    c.srcPitch = 8;
    SAME(cuMemcpy2D_v2(&c), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMCPY3D box = {.srcZ = 1, .srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = p, .srcPitch = 20, .srcHeight = 3,
                         .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .dstPitch = 20, .dstHeight = 3,
                         .WidthInBytes = 20, .Height = 1, .Depth = 1};
    OK(cuMemcpy3D_v2(&box));
    SAME(to[0][4], 19);
    SAME(cuMemcpyDtoH_v2(to, 64, 4), CUDA_ERROR_INVALID_VALUE);
    /* A batch; the form of 12.8 says which copy failed. */
    CUstream stream = NULL;
    CUdeviceptr batch = 0;
    int numbers[4] = {11, 12, 13, 14};
    struct cudaMemcpyAttributes how = {.srcAccessOrder = cudaMemcpySrcAccessOrderAny};
    size_t zero = 0, failed = 9;
    OK(cuStreamCreate(&stream, 1));
    OK(cuMemAlloc_v2(&batch, 16));
    CUdeviceptr sources[2] = {(uintptr_t)numbers, (uintptr_t)(numbers + 1)};
    OK(cuMemcpyBatchAsync_v2((CUdeviceptr[]){batch + 8, batch}, sources, (size_t[]){4, 8}, 2, &how, &zero, 1, stream));
    CHECK(int_at(batch, 0) == 12 && int_at(batch, 1) == 13 && int_at(batch, 2) == 11);
    SAME(cuMemcpyBatchAsync((CUdeviceptr[]){batch, batch}, sources, (size_t[]){4, 20}, 2, &how, &zero, 1, &failed, stream), CUDA_ERROR_INVALID_VALUE);
    SAME(failed, 1);
    SAME(cuMemcpyBatchAsync((CUdeviceptr[]){batch}, sources, (size_t[]){4}, 1, &how, &zero, 0, &failed, stream), CUDA_ERROR_INVALID_VALUE);
    CHECK(failed == SIZE_MAX);
}

static void fills(void) {
    begin();
    CUdeviceptr p = ints(16, 0);
    OK(cuMemsetD8_v2(p, 0x11, 4));
    OK(cuMemsetD16_v2(p + 4, 0x2233, 2));
    OK(cuMemsetD32_v2(p + 8, 0x44556677, 1));
    SAME(int_at(p, 0), 0x11111111);
    SAME(int_at(p, 1), 0x22332233);
    SAME(int_at(p, 2), 0x44556677);
    SAME(int_at(p, 3), 3);
    OK(cuMemsetD2D32_v2(p, 16, 7, 2, 3));
    SAME(int_at(p, 1), 7);
    SAME(int_at(p, 3), 3);
    SAME(int_at(p, 9), 7);
    SAME(int_at(p, 10), 10);
    SAME(cuMemsetD32_v2(p + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    SAME(cuMemsetD8_v2(64, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

static void arrays(void) {
    begin();
    CUarray a = NULL;
    CUDA_ARRAY3D_DESCRIPTOR d = {8, 4, 0, CU_AD_FORMAT_UNSIGNED_INT16, 2, 0}, got;
    OK(cuArray3DCreate_v2(&a, &d));
    OK(cuArray3DGetDescriptor_v2(&got, a));
    CHECK(got.Width == 8 && got.Height == 4 && got.Depth == 0 && got.Format == d.Format && got.NumChannels == 2 && got.Flags == 0);
    unsigned from[4][8], to[4][8] = {{0}};
    for (unsigned i = 0; i < 32; i++) from[i / 8][i % 8] = i * 3;
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from, .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = a,
                        .WidthInBytes = 32, .Height = 4};
    OK(cuMemcpy2D_v2(&in));
    /* Three texels of four bytes, from the third texel of the second row on. */
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = a, .srcXInBytes = 8, .srcY = 1,
                         .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .dstPitch = 32, .WidthInBytes = 12, .Height = 2};
    OK(cuMemcpy2D_v2(&out));
    SAME(to[0][0], 10 * 3);
    SAME(to[1][2], 20 * 3);
    SAME(to[0][3], 0);
    out.srcXInBytes = 6; /* between two texels */
    SAME(cuMemcpy2D_v2(&out), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyAtoH_v2(to, a, 4, 8));
    SAME(to[0][1], 6);
    cudaTextureObject_t texture = 0;
    CUDA_RESOURCE_DESC resource = {.resType = cudaResourceTypeArray, .res.array.hArray = a};
    CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER};
    OK(cuTexObjectCreate(&texture, &resource, &how, NULL));
    CHECK(texture);
    OK(cuTexObjectDestroy(texture));
    OK(cuArrayDestroy(a));
    SAME(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    d.NumChannels = 3;
    SAME(cuArray3DCreate_v2(&a, &d), CUDA_ERROR_INVALID_VALUE);
}

/* --- the rest -------------------------------------------------------------------------------------------- */

static void called(void *data) {
    ++*(int *)data;
}

static void streams(void) {
    begin();
    CUstream s = NULL;
    CUevent a = NULL, b = NULL;
    float ms = -1;
    int calls = 0, priority = 1;
    OK(cuStreamCreate(&s, 1));
    OK(cuEventCreate(&a, 0));
    OK(cuEventCreate(&b, 0));
    SAME(cuEventElapsedTime_v2(&ms, a, b), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventRecord(a, s));
    CUdeviceptr p = ints(32, 0);
    int n = 32, by = 2;
    void *params[] = {&p, &n, &by};
    OK(cuLaunchKernel(kernel("scale"), 1, 1, 1, 32, 1, 1, 0, s, params, NULL));
    OK(cuEventRecord(b, s));
    OK(cuLaunchHostFunc(s, called, &calls));
    OK(cuStreamSynchronize(s));
    SAME(calls, 1);
    OK(cuEventElapsedTime_v2(&ms, a, b));
    CHECK(ms > 0);
    OK(cuStreamGetPriority(s, &priority));
    SAME(priority, 0);
    CUcontext c = NULL;
    OK(cuStreamGetCtx(s, &c));
    CHECK(c == context);
    OK(cuStreamWaitEvent(s, a, 0));
    OK(cuMemcpyDtoHAsync_v2_ptsz(&n, p, 4, NULL));
    OK(cuStreamDestroy_v2(s));
    SAME(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
}

static void graphs(void) {
    begin();
    int calls = 0, n = 32, by = 2;
    CUdeviceptr p = ints(32, 0);
    cudaGraph_t g = NULL;
    cudaGraphNode_t set = NULL, run = NULL, call = NULL;
    cudaGraphExec_t x = NULL;
    struct cudaMemsetParams fill = {.dst = (void *)(uintptr_t)p, .value = 5, .elementSize = 4, .width = 32, .height = 1};
    void *params[] = {&p, &n, &by};
    CUDA_KERNEL_NODE_PARAMS k = {.func = kernel("scale"), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1,
                                 .blockDimZ = 1, .kernelParams = params};
    struct cudaHostNodeParams host = {called, &calls};
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddMemsetNode(&set, g, NULL, 0, &fill, context));
    OK(cuGraphAddKernelNode_v2(&run, g, &set, 1, &k));
    OK(cuGraphAddHostNode(&call, g, &run, 1, &host));
    OK(cuGraphInstantiateWithFlags(&x, g, 0));
    OK(cuGraphLaunch(x, NULL));
    OK(cuGraphLaunch(x, NULL));
    OK(cuCtxSynchronize());
    SAME(calls, 2);
    SAME(int_at(p, 1), 5 * 2 + 200);
    by = 3;
    OK(cuGraphExecKernelNodeSetParams_v2(x, run, &k));
    OK(cuGraphLaunch(x, NULL));
    SAME(int_at(p, 1), 5 * 3 + 200);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    /* The same by capture: nothing runs until the graph does. */
    CUstream s = NULL;
    OK(cuStreamCreate(&s, 1));
    OK(cuStreamBeginCapture_v2(s, cudaStreamCaptureModeGlobal));
    OK(cuMemsetD32Async(p, 7, 32, s));
    OK(cuLaunchKernel(kernel("scale"), 1, 1, 1, 32, 1, 1, 0, s, params, NULL));
    enum cudaStreamCaptureStatus status;
    OK(cuStreamIsCapturing(s, &status));
    SAME(status, cudaStreamCaptureStatusActive);
    OK(cuStreamEndCapture(s, &g));
    SAME(int_at(p, 1), 5 * 3 + 200);
    size_t nodes = 0;
    OK(cuGraphGetNodes(g, NULL, &nodes));
    SAME(nodes, 2);
    OK(cuGraphInstantiateWithFlags(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    SAME(int_at(p, 1), 7 * 3 + 200);
}

static void addresses(void) {
    void *f = NULL, *g = NULL;
    CUdriverProcAddressQueryResult found;
    OK(cuGetProcAddress_v2("cuMemAlloc", &f, 13000, 0, &found));
    CHECK(f == (void *)(uintptr_t)cuMemAlloc_v2 && found == CU_GET_PROC_ADDRESS_SUCCESS);
    OK(cuGetProcAddress_v2("cuCtxCreate", &f, 12000, 0, &found));
    CHECK(f == (void *)(uintptr_t)cuCtxCreate_v3);
    OK(cuGetProcAddress_v2("cuCtxCreate", &f, 13000, 0, &found));
    CHECK(f == (void *)(uintptr_t)cuCtxCreate_v4);
    OK(cuGetProcAddress_v2("cuLaunchKernel", &f, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &found));
    OK(cuGetProcAddress_v2("cuLaunchKernel", &g, 13000, 0, &found));
    CHECK(f && g && f != g);
    OK(cuGetProcAddress_v2("cuLibraryLoadData", &f, 11000, 0, &found));
    CHECK(!f && found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    OK(cuGetProcAddress_v2("cuNothing", &f, 13000, 0, &found));
    CHECK(!f && found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    SAME(cuGetProcAddress_v2("cuNothing", &f, 13000, 0, NULL), CUDA_ERROR_NOT_FOUND);
    enum cudaDriverEntryPointQueryResult status;
    SAME(cudaGetDriverEntryPointByVersion("cuMemFree", &f, 13000, 0, &status), cudaSuccess);
    CHECK(f == (void *)(uintptr_t)cuMemFree_v2 && status == cudaDriverEntryPointSuccess);
    const void *table = &f;
    CUuuid id = {{0}};
    SAME(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
    CHECK(!table);
}

/* Both faces in one program: one device, one memory, handles of each in calls of the other. */
static void mixed(void) {
    int *p = NULL;
    SAME(cudaMalloc((void **)&p, 256), cudaSuccess);
    CUcontext c = NULL;
    OK(cuCtxGetCurrent(&c));
    CHECK(c);
    OK(cuMemsetD32_v2((uintptr_t)p, 5, 64));
    int value = 0, n = 64, by = 2;
    SAME(cudaMemcpy(&value, p + 63, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    SAME(value, 5);
    cudaStream_t s = NULL;
    SAME(cudaStreamCreate(&s), cudaSuccess);
    CUdeviceptr q = (uintptr_t)p;
    void *params[] = {&q, &n, &by};
    OK(cuLaunchKernel(kernel("scale"), 1, 1, 1, 64, 1, 1, 0, s, params, NULL));
    SAME(cudaLaunchKernel((const void *)kernel("scale"), (dim3){1, 1, 1}, (dim3){64, 1, 1}, params, 0, s), cudaSuccess);
    OK(cuStreamSynchronize(s));
    SAME(int_at(q, 0), (5 * 2 + 100) * 2 + 100);
    /* The driver's errors are none of the runtime's. */
    SAME(cuMemFree_v2(64), CUDA_ERROR_INVALID_VALUE);
    SAME(cudaPeekAtLastError(), cudaSuccess);
    cudaLibrary_t lib = NULL;
    cudaKernel_t k = NULL;
    SAME(cudaLibraryLoadFromFile(&lib, KERNELS, NULL, NULL, 0, NULL, NULL, 0), cudaSuccess);
    SAME(cudaLibraryGetKernel(&k, lib, "scale"), cudaSuccess);
    SAME(cudaLibraryGetKernel(&k, lib, "nothing"), cudaErrorSymbolNotFound);
    SAME(cudaGetLastError(), cudaErrorSymbolNotFound);
    SAME(cudaFree(p), cudaSuccess);
}

#define DONE(symbol, name, version)
#define STUB(symbol, name, version) CUresult symbol(void);
#include "cudadrv/api.def"
#undef STUB

/* A call that is not implemented says so. */
static void stubs(void) {
    begin();
#define STUB(symbol, name, version) SAME(symbol(), CUDA_ERROR_NOT_SUPPORTED);
#include "cudadrv/api.def"
#undef STUB
    SAME(cudaPeekAtLastError(), cudaSuccess);
}

static void faults(void) {
    begin();
    CUdeviceptr wild = 0;
    long at = 16;
    void *params[] = {&wild, &at};
    OK(cuLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    SAME(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    SAME(cuMemAlloc_v2(&wild, 4), CUDA_ERROR_ILLEGAL_ADDRESS); /* it stays */
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*run)(void); } cases[] = {
        {"start", start}, {"contexts", contexts}, {"devices", devices}, {"modules", modules}, {"launches", launches},
        {"memory", memory}, {"mapped", mapped}, {"pointers", pointers}, {"copies", copies}, {"fills", fills}, {"streams", streams},
        {"occupancy", occupancy}, {"links", links}, {"arrays", arrays}, {"graphs", graphs}, {"addresses", addresses}, {"mixed", mixed}, {"stubs", stubs}, {"faults", faults},
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(cases[i].name, argv[1])) return cases[i].run(), 0;
    fprintf(stderr, "usage: cudadrv_cases NAME\n");
    return 2;
}
