/* usage: cudart_cases NAME: one case in one process, since errors that stay end a process's use of CUDA. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "cudart/program.h"

static const dim3 one = {1, 1, 1};

static int *device_ints(int n) {
    int *p = NULL;
    OK(cudaMalloc((void **)&p, sizeof(int) * (size_t)n));
    CHECK(p);
    return p;
}

/* --- the device -------------------------------------------------------------------------------------- */

static void device(void) {
    int n = 0, value = 0;
    OK(cudaGetDeviceCount(&n));
    SAME(n, 1);
    struct cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(!strcmp(p.name, "NVIDIA A100-SXM4-80GB")); /* the code is sm_80's */
    SAME(p.major, 8);
    SAME(p.minor, 0);
    SAME(p.multiProcessorCount, 108);
    SAME(p.sharedMemPerBlockOptin, 163 * 1024);
    SAME(p.maxThreadsDim[2], 64);
    OK(cudaDeviceGetAttribute(&value, 16, 0));
    SAME(value, 108);
    OK(cudaDeviceGetAttribute(&value, 97, 0));
    SAME(value, 163 * 1024);
    FAILS(cudaDeviceGetAttribute(&value, 44, 0), cudaErrorInvalidValue); /* a number that was never given out */
    FAILS(cudaGetDeviceProperties(&p, 1), cudaErrorInvalidDevice);
    FAILS(cudaSetDevice(3), cudaErrorInvalidDevice);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&n));
    SAME(n, 0);
    OK(cudaRuntimeGetVersion(&value));
    SAME(value, 13000);
    OK(cudaDriverGetVersion(&value));
    SAME(value, 13000);
    size_t limit = 0;
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 25));
    OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    SAME(limit, 1 << 25);
    OK(cudaDeviceCanAccessPeer(&value, 0, 0));
    SAME(value, 0);
}

static void errors(void) {
    CHECK(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered"));
    CHECK(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
    CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));
    /* "Not ready" is no error; others are kept by thread until they are read. */
    FAILS(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
    SAME(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
    OK(cudaDeviceSynchronize()); /* a success does not reset it */
    SAME(cudaGetLastError(), cudaErrorInvalidValue);
}

/* Made of api.def: a call that is not implemented says so. */
cudaError_t cudaImportExternalMemory(void);
static void stubs(void) { FAILS(cudaImportExternalMemory(), cudaErrorNotSupported); }

/* --- memory --------------------------------------------------------------------------------------------- */

static void memory(void) {
    int in[1000], out[1000] = {0};
    for (int i = 0; i < 1000; i++) in[i] = 3 * i;
    int *d = device_ints(1000), *e = device_ints(1000);
    SAME((uintptr_t)d % 256, 0);
    OK(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(e, d, sizeof in, cudaMemcpyDeviceToDevice));
    OK(cudaMemset(d, 0xff, 8));
    OK(cudaMemcpy(out, e, sizeof out, cudaMemcpyDefault));
    CHECK(!memcmp(in, out, sizeof in));
    OK(cudaMemcpy(out, d, 16, cudaMemcpyDeviceToHost));
    SAME(out[1], -1);
    SAME(out[2], 6);

    FAILS(cudaMemcpy(d, in, 4001, cudaMemcpyHostToDevice), cudaErrorInvalidValue);           /* past the end */
    FAILS(cudaMemcpy(out, in, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);           /* no device pointer */
    FAILS(cudaMemcpy(out, d, 16, (enum cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemset(out, 0, 16), cudaErrorInvalidValue);
    OK(cudaMemcpy(d, in, 0, cudaMemcpyHostToDevice));

    size_t before, after, total;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaFree(e));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(after >= before + 4000 && after <= total);
    FAILS(cudaFree(e), cudaErrorInvalidValue);   /* twice */
    FAILS(cudaFree(d + 1), cudaErrorInvalidValue); /* not where it starts */
    FAILS(cudaFree(in), cudaErrorInvalidValue);
    FAILS(cudaFreeHost(d), cudaErrorInvalidValue); /* the other call */
    OK(cudaFree(NULL));
    OK(cudaFree(d));
    void *none = &none;
    OK(cudaMalloc(&none, 0));
    CHECK(!none);
    FAILS(cudaMalloc(&none, (size_t)1 << 46), cudaErrorMemoryAllocation);
    FAILS(cudaMalloc(&none, SIZE_MAX), cudaErrorMemoryAllocation);
}

static void host_memory(void) {
    int *pinned = NULL, *managed = NULL, *device = NULL, plain[64];
    OK(cudaMallocHost((void **)&pinned, 256));
    OK(cudaMallocManaged((void **)&managed, 256, cudaMemAttachGlobal));
    memset(pinned, 1, 256); /* the host's own memory */
    memset(managed, 2, 256);
    OK(cudaHostGetDevicePointer((void **)&device, pinned, 0));
    CHECK(device == pinned);
    struct cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, pinned + 3));
    SAME(a.type, cudaMemoryTypeHost);
    OK(cudaPointerGetAttributes(&a, managed));
    SAME(a.type, cudaMemoryTypeManaged);
    CHECK(a.hostPointer == managed && a.devicePointer == managed);
    OK(cudaPointerGetAttributes(&a, plain));
    SAME(a.type, cudaMemoryTypeUnregistered);
    device = device_ints(64);
    OK(cudaPointerGetAttributes(&a, device));
    SAME(a.type, cudaMemoryTypeDevice);
    CHECK(!a.hostPointer && a.device == 0);
    OK(cudaMemcpy(device, managed, 256, cudaMemcpyDefault));
    OK(cudaMemcpy(pinned, device, 256, cudaMemcpyDeviceToHost));
    SAME(pinned[63], 0x02020202);

    unsigned flags = 0;
    int *mapped = NULL;
    OK(cudaHostAlloc((void **)&mapped, 64, cudaHostAllocMapped | cudaHostAllocPortable));
    OK(cudaHostGetFlags(&flags, mapped));
    SAME(flags, cudaHostAllocMapped | cudaHostAllocPortable);
    FAILS(cudaHostAlloc((void **)&mapped, 64, 64), cudaErrorInvalidValue);
    FAILS(cudaMallocManaged((void **)&managed, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);

    OK(cudaHostRegister(plain, sizeof plain, cudaHostRegisterMapped));
    FAILS(cudaHostRegister(plain, sizeof plain, 0), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaPointerGetAttributes(&a, plain));
    SAME(a.type, cudaMemoryTypeHost);
    OK(cudaHostUnregister(plain));
    FAILS(cudaHostUnregister(plain), cudaErrorHostMemoryNotRegistered);
    FAILS(cudaHostGetDevicePointer((void **)&device, plain, 0), cudaErrorInvalidValue);
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, away = {cudaMemLocationTypeDevice, 2};
    OK(cudaMemPrefetchAsync(managed, 256, here, 0, NULL));
    OK(cudaMemAdvise(managed, 256, cudaMemAdviseSetReadMostly, here));
    FAILS(cudaMemPrefetchAsync(managed, 256, away, 0, NULL), cudaErrorInvalidDevice);
    FAILS(cudaMemPrefetchAsync(device_ints(4), 16, here, 0, NULL), cudaErrorInvalidValue);
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
}

/* What is said of a range of managed memory is asked back: by whole pages, and only where it holds for all of the range. */
static int asked(const void *at, size_t size, enum cudaMemRangeAttribute attribute) {
    int value = -9;
    OK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, at, size));
    return value;
}

static void advice(void) {
    enum { PAGE = 4096 };
    char *m = NULL, *next = NULL;
    const struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 5}, node = {cudaMemLocationTypeHostNuma, 0};
    OK(cudaMallocManaged((void **)&m, 8 * PAGE, cudaMemAttachGlobal));
    OK(cudaMallocManaged((void **)&next, PAGE, cudaMemAttachGlobal));
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributeReadMostly), 0);
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributeLastPrefetchLocation), cudaInvalidDeviceId);
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributePreferredLocationType), cudaMemLocationTypeNone);

    OK(cudaMemAdvise(m, 8 * PAGE, cudaMemAdviseSetReadMostly, device));
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributeReadMostly), 1);
    SAME(asked(next, PAGE, cudaMemRangeAttributeReadMostly), 0);
    char *third = (char *)(((uintptr_t)m + 3 * PAGE) & ~(uintptr_t)(PAGE - 1)); /* one byte stands for its page */
    OK(cudaMemAdvise(third + 17, 1, cudaMemAdviseUnsetReadMostly, device));
    SAME(asked(third, PAGE, cudaMemRangeAttributeReadMostly), 0);
    SAME(asked(third - 1, 1, cudaMemRangeAttributeReadMostly), 1);
    SAME(asked(third + PAGE, PAGE, cudaMemRangeAttributeReadMostly), 1);
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributeReadMostly), 0);

    OK(cudaMemAdvise(m, 8 * PAGE, cudaMemAdviseSetPreferredLocation, device));
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributePreferredLocation), 0);
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributePreferredLocationType), cudaMemLocationTypeDevice);
    OK(cudaMemAdvise(third, PAGE, cudaMemAdviseSetPreferredLocation, host));
    SAME(asked(third, PAGE, cudaMemRangeAttributePreferredLocation), cudaCpuDeviceId);
    SAME(asked(third, PAGE, cudaMemRangeAttributePreferredLocationType), cudaMemLocationTypeHost);
    SAME(asked(m, 8 * PAGE, cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
    OK(cudaMemAdvise(m, 8 * PAGE, cudaMemAdviseUnsetPreferredLocation, node));
    SAME(asked(third, PAGE, cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);

    OK(cudaMemAdvise(m, 8 * PAGE, cudaMemAdviseSetAccessedBy, device));
    OK(cudaMemAdvise(m, 8 * PAGE, cudaMemAdviseSetAccessedBy, host));
    FAILS(cudaMemAdvise(m, 8 * PAGE, cudaMemAdviseSetAccessedBy, node), cudaErrorInvalidValue);
    int by[3], prefetched = 0, kind = 0;
    OK(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, m, 8 * PAGE));
    CHECK(by[0] == 0 && by[1] == cudaCpuDeviceId && by[2] == cudaInvalidDeviceId);
    OK(cudaMemAdvise(m, PAGE, cudaMemAdviseUnsetAccessedBy, device));
    OK(cudaMemPrefetchAsync(m, 8 * PAGE, node, 0, NULL));
    void *out[] = {by, &prefetched, &kind};
    size_t sizes[] = {8, 4, 4};
    enum cudaMemRangeAttribute which[] = {cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation,
                                          cudaMemRangeAttributeLastPrefetchLocationType};
    OK(cudaMemRangeGetAttributes(out, sizes, which, 3, m, 8 * PAGE));
    CHECK(by[0] == cudaCpuDeviceId && by[1] == cudaInvalidDeviceId);
    SAME(prefetched, cudaCpuDeviceId);
    SAME(kind, cudaMemLocationTypeHostNuma);

    FAILS(cudaMemRangeGetAttribute(by, 8, cudaMemRangeAttributeReadMostly, m, PAGE), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(by, 6, cudaMemRangeAttributeAccessedBy, m, PAGE), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(by, 4, (enum cudaMemRangeAttribute)9, m, PAGE), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(by, 4, cudaMemRangeAttributeReadMostly, m, 8 * PAGE + 1), cudaErrorInvalidValue);
    FAILS(cudaMemRangeGetAttribute(by, 4, cudaMemRangeAttributeReadMostly, device_ints(4), 16), cudaErrorInvalidValue);
    OK(cudaFree(m));
    OK(cudaFree(next));
}

static void batches(void) {
    int in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {0}, *d = device_ints(8);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    struct cudaMemcpyAttributes how[2] = {{.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall},
                                          {.srcAccessOrder = cudaMemcpySrcAccessOrderStream, .flags = cudaMemcpyFlagPreferOverlapWithCompute}};
    void *to[3] = {d, d + 2, d + 5};
    const void *from[3] = {in + 6, in, in + 2};
    size_t sizes[3] = {8, 12, 12}, first[2] = {0, 2};
    OK(cudaMemcpyBatchAsync(to, from, sizes, 3, how, first, 2, s));
    OK(cudaMemcpyBatchAsync((void *[]){out, out + 2}, (const void *[]){d, d + 2}, (size_t[]){8, 24}, 2, how + 1, first, 1, s));
    OK(cudaStreamSynchronize(s));
    CHECK(!memcmp(out, (int[]){7, 8, 1, 2, 3, 3, 4, 5}, sizeof out));
    FAILS(cudaMemcpyBatchAsync(to, from, sizes, 3, how, first, 2, NULL), cudaErrorInvalidValue);
    FAILS(cudaMemcpyBatchAsync(to, from, sizes, 3, how, (size_t[]){1, 2}, 2, s), cudaErrorInvalidValue);
    FAILS(cudaMemcpyBatchAsync(to, from, sizes, 3, how, (size_t[]){0, 3}, 2, s), cudaErrorInvalidValue);
    FAILS(cudaMemcpyBatchAsync(to, from, sizes, 3, how, (size_t[]){0, 0}, 2, s), cudaErrorInvalidValue);
    FAILS(cudaMemcpyBatchAsync(to, from, sizes, 3, &(struct cudaMemcpyAttributes){0}, first, 1, s), cudaErrorInvalidValue);
    OK(cudaMemcpyBatchAsync_ptsz(to, from, sizes, 3, how, first, 2, NULL)); /* the thread's own stream */
    sizes[1] = 28; /* past the end of its memory */
    FAILS(cudaMemcpyBatchAsync(to, from, sizes, 3, how, first, 2, s), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(s));
}

static void rectangles(void) {
    enum { W = 100, H = 7 };
    unsigned char in[H][W], out[H][W + 20], *d = NULL;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) in[y][x] = (unsigned char)(y * 31 + x);
    size_t pitch = 0;
    OK(cudaMallocPitch((void **)&d, &pitch, W, H));
    SAME(pitch, 512);
    memset(out, 9, sizeof out);
    OK(cudaMemset2D(d, pitch, 5, pitch, H));
    OK(cudaMemcpy2D(d, pitch, in, W, W, H, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(d + 10, pitch, 77, 2, H));
    OK(cudaMemcpy2DAsync(out, W + 20, d, pitch, W + 1, H, cudaMemcpyDeviceToHost, NULL));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W + 20; x++) {
            int want = x == 10 || x == 11 ? 77 : x < W ? in[y][x] : x == W ? 5 : 9;
            SAME(out[y][x], want);
        }
    FAILS(cudaMemcpy2D(d, 50, in, W, W, H, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    FAILS(cudaMemset2D(d, 50, 0, W, H), cudaErrorInvalidPitchValue);
    FAILS(cudaMemcpy2D(d, pitch, in, W, W, H + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);

    /* A box out of a box: 4 x 3 x 2 bytes at (1, 1, 1) of 8 x 5 x 4. */
    struct cudaPitchedPtr box;
    unsigned char whole[4][5][8], part[2][3][4];
    for (int i = 0; i < 160; i++) (&whole[0][0][0])[i] = (unsigned char)i;
    OK(cudaMalloc3D(&box, (struct cudaExtent){8, 5, 4}));
    struct cudaMemcpy3DParms to = {.srcPtr = {whole, 8, 8, 5}, .dstPtr = box, .extent = {8, 5, 4}, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&to));
    struct cudaMemcpy3DParms from = {.srcPtr = box, .srcPos = {1, 1, 1}, .dstPtr = {part, 4, 4, 3}, .extent = {4, 3, 2},
                                     .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&from));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++) SAME(part[z][y][x], whole[z + 1][y + 1][x + 1]);
}

static void pools(void) {
    cudaMemPool_t pool = NULL, mine = NULL;
    uint64_t value = 0;
    void *p = NULL, *q = NULL;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    value = UINT64_MAX;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    OK(cudaMallocAsync(&p, 1000, NULL));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    SAME(value, 1000);
    OK(cudaMemsetAsync(p, 0, 1000, NULL));
    OK(cudaFreeAsync(p, NULL));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    SAME(value, 0);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
    SAME(value, 1000);
    FAILS(cudaFreeAsync(p, NULL), cudaErrorInvalidValue);
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}};
    OK(cudaMemPoolCreate(&mine, &props));
    OK(cudaMallocFromPoolAsync(&q, 64, mine, NULL));
    OK(cudaFree(q)); /* the plain call frees a pool's memory too */
    OK(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &value));
    SAME(value, 0);
    OK(cudaMemPoolDestroy(mine));
    FAILS(cudaMemPoolDestroy(mine), cudaErrorInvalidValue);
    FAILS(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
    OK(cudaMemPoolCreate(&mine, &props)); /* by place, as CUDA 13 asks */
    struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    cudaMemPool_t got = NULL;
    OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, mine));
    OK(cudaMemGetMemPool(&got, &device, cudaMemAllocationTypePinned));
    SAME(got, mine);
    OK(cudaMemGetDefaultMemPool(&got, &device, cudaMemAllocationTypePinned));
    SAME(got, pool);
    OK(cudaMemPoolDestroy(mine));
    FAILS(cudaMemGetDefaultMemPool(&got, &host, cudaMemAllocationTypePinned), cudaErrorNotSupported);
    FAILS(cudaMemGetDefaultMemPool(&got, &device, cudaMemAllocationTypeInvalid), cudaErrorInvalidValue);
}

/* --- symbols ---------------------------------------------------------------------------------------------- */

static void symbols(void) {
    int got[4] = {0}, put[4] = {5, 6, 7, 8}, *at = NULL;
    size_t size = 0;
    OK(cudaMemcpyFromSymbol(got, offset, sizeof got, 0, cudaMemcpyDeviceToHost));
    SAME(got[0], 100); /* its first value */
    SAME(got[3], 400);
    OK(cudaMemcpyToSymbol(offset, put, 8, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(got, offset, sizeof got, 0, cudaMemcpyDefault));
    SAME(got[0], 100);
    SAME(got[1], 5);
    SAME(got[2], 6);
    OK(cudaGetSymbolAddress((void **)&at, offset));
    OK(cudaMemcpy(got, at, 16, cudaMemcpyDeviceToHost));
    SAME(got[2], 6);
    OK(cudaGetSymbolSize(&size, bias));
    SAME(size, 16);
    OK(cudaMemcpyToSymbol(bias, put, 16, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(got, bias, 4, 12, cudaMemcpyDeviceToHost));
    SAME(got[0], 8);
    OK(cudaMemcpyToSymbol(bias, at, 16, 0, cudaMemcpyDeviceToDevice)); /* constants from device memory */
    OK(cudaMemcpyFromSymbol(got, bias, 16, 0, cudaMemcpyDeviceToHost));
    SAME(got[0], 100);
    SAME(got[1], 5);
    OK(cudaGetSymbolAddress((void **)&at, bias)); /* constants have an address too */
    OK(cudaMemcpy(at + 2, put, 8, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(got, bias, 16, 0, cudaMemcpyDeviceToHost));
    SAME(got[1], 5);
    SAME(got[3], 6);
    int data[4] = {0}, n = 4, by = 1, *d = device_ints(4); /* and a kernel sees what was put there */
    OK(cudaMemset(d, 0, 16));
    launch(scale, one, (dim3){4, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    OK(cudaMemcpy(data, d, 16, cudaMemcpyDeviceToHost));
    SAME(data[2], 6 + 5);
    SAME(data[3], 400 + 6);
    FAILS(cudaMemcpyToSymbol(offset, put, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpyToSymbol(&not_a_symbol, put, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
    FAILS(cudaMemcpyToSymbol(offset, put, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaGetSymbolAddress((void **)&at, &not_a_symbol), cudaErrorInvalidSymbol);
}

static void managed(void) {
    int *p = shared_with_host();
    CHECK(p);
    SAME(*p, 7);
    *p = 10;
    launch(count_up, one, one, 0, NULL, NULL);
    OK(cudaDeviceSynchronize());
    SAME(*p, 11);
}

/* --- launches --------------------------------------------------------------------------------------------- */

static void launches(void) {
    enum { N = 1000 };
    int data[N], n = N, by = 3, put[4] = {1, 2, 3, 4};
    for (int i = 0; i < N; i++) data[i] = i;
    int *d = device_ints(N);
    OK(cudaMemcpy(d, data, sizeof data, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(bias, put, 16, 0, cudaMemcpyHostToDevice));
    launch(scale, (dim3){8, 1, 1}, (dim3){128, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    OK(cudaGetLastError());
    OK(cudaMemcpy(data, d, sizeof data, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) SAME(data[i], 3 * i + 100 * (i % 4 + 1) + i % 4 + 1);
    /* The other two ways to launch; in order on one stream. */
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    by = 0;
    OK(cudaLaunchKernel(scale, (dim3){8, 1, 1}, (dim3){128, 1, 1}, (void *[]){&d, &n, &by}, 0, s));
    cudaLaunchConfig_t config = {.gridDim = {8, 1, 1}, .blockDim = {128, 1, 1}, .stream = s};
    by = 2;
    OK(cudaLaunchKernelExC(&config, scale, (void *[]){&d, &n, &by}));
    OK(cudaMemcpyAsync(data, d, sizeof data, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    for (int i = 0; i < N; i++) SAME(data[i], 3 * (100 * (i % 4 + 1) + i % 4 + 1));
    OK(cudaStreamDestroy(s));
}

static void parameters(void) {
    struct { char c; double d; short s; } a = {1, 2.5, 3};
    char b = 4;
    int list[2] = {0, 50}, *dl = device_ints(2);
    double *d = (double *)device_ints(2), got = 0;
    OK(cudaMemcpy(dl, list, 8, cudaMemcpyHostToDevice));
    launch(take, one, one, 0, NULL, (void *[]){&d, &a, &b, &dl});
    OK(cudaMemcpy(&got, d, 8, cudaMemcpyDeviceToHost));
    CHECK(got == 60.5);
}

static void shared_memory(void) {
    enum { N = 1024 };
    int data[N], *d = device_ints(N);
    for (int i = 0; i < N; i++) data[i] = i;
    OK(cudaMemcpy(d, data, sizeof data, cudaMemcpyHostToDevice));
    launch(reverse, one, (dim3){N, 1, 1}, sizeof data, NULL, (void *[]){&d});
    OK(cudaMemcpy(data, d, sizeof data, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) SAME(data[i], N - 1 - i);
    const size_t large = 100 * 1024;
    FAILS(cudaLaunchKernel(reverse, one, one, (void *[]){&d}, large, NULL), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)large));
    OK(cudaLaunchKernel(reverse, one, one, (void *[]){&d}, large, NULL));
    FAILS(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024),
          cudaErrorInvalidValue);
}

static void refuse(const char *kernel, dim3 grid, dim3 block, cudaError_t error) {
    int *d = NULL, n = 0;
    launch(kernel, grid, block, 0, NULL, (void *[]){&d, &n, &n});
    SAME(cudaPeekAtLastError(), error); /* the launch's own return value is dropped by nvcc's code */
    SAME(cudaGetLastError(), error);
    OK(cudaDeviceSynchronize());
}

static void configurations(void) { /* as an H200 with CUDA 13.0 answers */
    refuse(scale, (dim3){0, 1, 1}, one, cudaErrorInvalidValue);
    refuse(scale, one, (dim3){0, 1, 1}, cudaErrorInvalidValue);
    refuse(scale, one, (dim3){1025, 1, 1}, cudaErrorInvalidValue);
    refuse(scale, one, (dim3){32, 33, 1}, cudaErrorInvalidValue);
    refuse(scale, one, (dim3){1, 1, 65}, cudaErrorInvalidValue);
    refuse(scale, (dim3){1, 65536, 1}, one, cudaErrorInvalidValue);
    refuse(bounded, one, (dim3){65, 1, 1}, cudaErrorInvalidValue);
    refuse(unregistered, one, one, cudaErrorInvalidDeviceFunction);
    FAILS(cudaLaunchKernel(trap, one, one, NULL, 0, (cudaStream_t)(uintptr_t)0x1234), cudaErrorInvalidResourceHandle);
    dim3 g, b;
    size_t shared;
    cudaStream_t s;
    FAILS(__cudaPopCallConfiguration(&g, &b, &shared, &s), cudaErrorMissingConfiguration);
    int *d = device_ints(64);
    FAILS(cudaLaunchCooperativeKernel(bounded, (dim3){1000000, 1, 1}, one, (void *[]){&d}, 0, NULL),
          cudaErrorCooperativeLaunchTooLarge);
}

static void functions(void) {
    struct cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, bounded));
    SAME(a.maxThreadsPerBlock, 64);
    SAME(a.binaryVersion, 80);
    SAME(a.ptxVersion, 80);
    CHECK(a.numRegs > 0 && a.numRegs < 256);
    OK(cudaFuncGetAttributes(&a, reverse));
    SAME(a.maxThreadsPerBlock, 1024);
    SAME(a.maxDynamicSharedSizeBytes, 48 * 1024);
    FAILS(cudaFuncGetAttributes(&a, unregistered), cudaErrorInvalidDeviceFunction);
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, 0));
    SAME(blocks, 8); /* 2048 threads an SM */
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, 40 * 1024));
    SAME(blocks, 4); /* 164 KiB an SM, 1 KiB of each block the system's */
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
    SAME(blocks, 0);
    size_t dynamic = 0;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, reverse, 4, 256));
    SAME(dynamic, 40 * 1024);
    const char *name = NULL;
    OK(cudaFuncGetName(&name, take));
    CHECK(!strcmp(name, "take"));
    size_t at = 0, size = 0;
    OK(cudaFuncGetParamInfo(take, 1, &at, &size));
    SAME(at, 8);
    SAME(size, 24);
}

/* --- streams and events --------------------------------------------------------------------------------- */

static float elapsed(cudaEvent_t a, cudaEvent_t b) {
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, a, b));
    return ms;
}

static void events(void) {
    cudaEvent_t a, b, c, untimed;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreate(&c));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    enum { N = 1 << 22 };
    int *d = device_ints(N);
    float ms;
    FAILS(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle); /* not recorded */
    OK(cudaEventRecord(a, NULL));
    OK(cudaMemsetAsync(d, 0, N, NULL));
    OK(cudaEventRecord(b, NULL));
    OK(cudaMemsetAsync(d, 0, 4 * N, NULL));
    OK(cudaEventRecord(c, NULL));
    OK(cudaEventSynchronize(c));
    OK(cudaEventQuery(c));
    CHECK(elapsed(a, b) > 0);
    CHECK(elapsed(b, c) > elapsed(a, b)); /* more bytes take longer */
    CHECK(elapsed(c, a) < 0);
    CHECK(elapsed(a, a) == 0);
    OK(cudaEventRecord(untimed, NULL));
    FAILS(cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(a));
    FAILS(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
    FAILS(cudaEventRecord(a, NULL), cudaErrorInvalidResourceHandle);
}

static void streams(void) {
    cudaStream_t s, t;
    cudaEvent_t begin, s_end, t_end, joined;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, -100));
    int priority, least, greatest;
    unsigned flags;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OK(cudaStreamGetPriority(t, &priority));
    SAME(priority, greatest);
    OK(cudaStreamGetFlags(s, &flags));
    SAME(flags, cudaStreamNonBlocking);
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&s_end));
    OK(cudaEventCreate(&t_end));
    OK(cudaEventCreate(&joined));
    enum { N = 1 << 24 };
    int *d = device_ints(N);
    OK(cudaEventRecord(begin, s));
    OK(cudaMemsetAsync(d, 0, N, s)); /* short */
    OK(cudaEventRecord(s_end, s));
    OK(cudaMemsetAsync(d, 0, 4 * (size_t)N, t)); /* long, beside it */
    OK(cudaEventRecord(t_end, t));
    OK(cudaStreamWaitEvent(s, t_end, 0));
    OK(cudaEventRecord(joined, s));
    CHECK(elapsed(begin, s_end) < elapsed(begin, t_end));
    CHECK(elapsed(t_end, joined) >= 0); /* s waited for t */
    OK(cudaStreamQuery(s));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaStreamSynchronize(cudaStreamLegacy));
    OK(cudaStreamDestroy(s));
    FAILS(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    FAILS(cudaStreamCreateWithFlags(&s, 8), cudaErrorInvalidValue);
}

static void kernel_time(void) {
    cudaEvent_t a, b;
    int n = 1 << 16, by = 1, *d = device_ints(n);
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    float ms[2];
    for (int k = 0; k < 2; k++) { /* the same work takes the same modelled time, whatever the machine does */
        OK(cudaEventRecord(a, NULL));
        launch(scale, (dim3){256, 1, 1}, (dim3){256, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
        OK(cudaEventRecord(b, NULL));
        OK(cudaEventSynchronize(b));
        ms[k] = elapsed(a, b);
    }
    CHECK(ms[0] > 0 && ms[0] < 10 && ms[0] == ms[1]);
}

static void on_host(void *data) { ++*(int *)data; }
static void on_stream(cudaStream_t stream, cudaError_t status, void *data) {
    (void)stream;
    if (status == cudaSuccess) ++*(int *)data;
}
static void callbacks(void) {
    int calls = 0;
    OK(cudaLaunchHostFunc(NULL, on_host, &calls));
    OK(cudaStreamAddCallback(NULL, on_stream, &calls, 0));
    SAME(calls, 2);
    FAILS(cudaStreamAddCallback(NULL, on_stream, &calls, 1), cudaErrorInvalidValue);
}

static void *worker(void *failures) {
    enum { N = 256 };
    int in[N], out[N], *d = NULL;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < N; i++) in[i] = i * round;
        if (cudaMalloc((void **)&d, sizeof in) || cudaMemcpy_ptds(d, in, sizeof in, cudaMemcpyHostToDevice) ||
            cudaMemcpyAsync_ptsz(out, d, sizeof in, cudaMemcpyDeviceToHost, NULL) || cudaStreamSynchronize_ptsz(NULL) ||
            cudaFree(d) || memcmp(in, out, sizeof in))
            ++*(int *)failures;
    }
    /* Errors are a thread's own. */
    if (cudaGetLastError() != cudaSuccess || cudaFree(in) != cudaErrorInvalidValue || cudaGetLastError() != cudaErrorInvalidValue)
        ++*(int *)failures;
    return NULL;
}

static void threads(void) {
    enum { N = 4 };
    pthread_t thread[N];
    int failures[N] = {0};
    for (int i = 0; i < N; i++) SAME(pthread_create(&thread[i], NULL, worker, &failures[i]), 0);
    for (int i = 0; i < N; i++) {
        pthread_join(thread[i], NULL);
        SAME(failures[i], 0);
    }
    OK(cudaGetLastError());
}

/* --- errors that stay ------------------------------------------------------------------------------------- */

/* The launch itself succeeds, as on a GPU, and all that comes later fails. */
static void stays(cudaError_t error) {
    int *d = NULL;
    OK(cudaGetLastError());
    SAME(cudaDeviceSynchronize(), error);
    SAME(cudaGetLastError(), error);
    SAME(cudaGetLastError(), error); /* reading does not reset it */
    SAME(cudaMalloc((void **)&d, 4), error);
    launch(trap, one, one, 0, NULL, NULL);
    SAME(cudaPeekAtLastError(), error);
    SAME(cudaDeviceReset(), error);
}

static void sticky_null(void) {
    int *d = NULL;
    long at = 0;
    launch(store, one, one, 0, NULL, (void *[]){&d, &at});
    stays(cudaErrorIllegalAddress);
}

static void sticky_misaligned(void) {
    int *d = device_ints(4);
    long at = 2;
    launch(store, one, one, 0, NULL, (void *[]){&d, &at});
    stays(cudaErrorMisalignedAddress);
}

static void sticky_trap(void) {
    launch(trap, one, one, 0, NULL, NULL);
    stays(cudaErrorLaunchFailure);
}

/* How deep calls may go is cudaLimitStackSize: descend() of kernels.cu takes 160 bytes a call. */
static void stack(void) {
    static const int weight[4] = {2, 5, 11, 23};
    int *d = device_ints(32), *w = device_ints(4), n = 150, want = weight[2], got[32];
    size_t limit = 0;
    for (int k = 1; k <= n; k++) want += weight[(k + weight[1]) % 4] + k;
    OK(cudaMemcpy(w, weight, sizeof weight, cudaMemcpyHostToDevice));
    OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    SAME(limit, 1024);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 523712));
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 160 * 151));
    FAILS(cudaDeviceSetLimit(cudaLimitStackSize, 523713), cudaErrorInvalidValue);
    OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    SAME(limit, 160 * 151);
    launch(deep, one, (dim3){32, 1, 1}, 0, NULL, (void *[]){&d, &n, &w});
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int l = 0; l < 32; l++) SAME(got[l], want);
    n++;
    launch(deep, one, (dim3){32, 1, 1}, 0, NULL, (void *[]){&d, &n, &w});
    stays(cudaErrorIllegalAddress);
}

/* Within the device's range but outside its allocation: a finding, and the kernel goes on. */
static void out_of_bounds(void) {
    int *d = device_ints(4), got[4] = {0};
    long at = 16;
    OK(cudaMemset(d, 1, 16));
    launch(store, one, one, 0, NULL, (void *[]){&d, &at});
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(got, d, 16, cudaMemcpyDeviceToHost));
    SAME(got[3], 0x01010101);
}

/* Two processes: the first allocates, the second opens it, writes with a kernel and with a copy. */
static void ipc(void) {
    int to_child[2], n = 4, by = 10, status = 1;
    CHECK(!pipe(to_child));
    pid_t child = fork(); /* before either uses CUDA */
    cudaIpcMemHandle_t handle;
    if (child == 0) {
        int *p = NULL, seven = 7;
        struct cudaPointerAttributes a;
        CHECK(read(to_child[0], &handle, sizeof handle) == sizeof handle);
        OK(cudaIpcOpenMemHandle((void **)&p, handle, 1));
        OK(cudaPointerGetAttributes(&a, p));
        SAME(a.type, cudaMemoryTypeDevice);
        launch(scale, one, (dim3){4, 1, 1}, 0, NULL, (void *[]){&p, &n, &by});
        OK(cudaMemcpy(p + 5, &seven, sizeof seven, cudaMemcpyHostToDevice));
        OK(cudaIpcCloseMemHandle(p));
        FAILS(cudaIpcCloseMemHandle(p), cudaErrorInvalidValue);
        _exit(0);
    }
    int *d = device_ints(8), got[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    OK(cudaMemcpy(d, got, 4 * sizeof(int), cudaMemcpyHostToDevice)); /* half of it is undefined */
    FAILS(cudaIpcGetMemHandle(&handle, d + 1), cudaErrorInvalidValue);
    OK(cudaIpcGetMemHandle(&handle, d));
    void *own;
    FAILS(cudaIpcOpenMemHandle(&own, handle, 1), cudaErrorDeviceUninitialized);
    CHECK(write(to_child[1], &handle, sizeof handle) == sizeof handle);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    SAME(got[1], 220);
    SAME(got[5], 7);
    cudaEvent_t plain, shared, opened;
    cudaIpcEventHandle_t event;
    OK(cudaEventCreate(&plain));
    OK(cudaEventCreateWithFlags(&shared, cudaEventDisableTiming | cudaEventInterprocess));
    FAILS(cudaIpcGetEventHandle(&event, plain), cudaErrorInvalidValue);
    OK(cudaIpcGetEventHandle(&event, shared));
    OK(cudaIpcOpenEventHandle(&opened, event));
    OK(cudaStreamWaitEvent(NULL, opened, 0));
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    {"device", device}, {"errors", errors}, {"stubs", stubs}, {"memory", memory}, {"host_memory", host_memory},
    {"advice", advice}, {"batches", batches}, {"rectangles", rectangles}, {"pools", pools}, {"symbols", symbols}, {"managed", managed}, {"launches", launches},
    {"parameters", parameters}, {"shared_memory", shared_memory}, {"configurations", configurations},
    {"functions", functions}, {"events", events}, {"streams", streams}, {"kernel_time", kernel_time},
    {"callbacks", callbacks}, {"threads", threads}, {"sticky_null", sticky_null}, {"sticky_misaligned", sticky_misaligned},
    {"sticky_trap", sticky_trap}, {"stack", stack}, {"out_of_bounds", out_of_bounds}, {"ipc", ipc},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc == 1) puts(cases[i].name);
        else if (!strcmp(argv[1], cases[i].name)) return cases[i].run(), 0;
    }
    return argc > 1 ? 2 : 0;
}
