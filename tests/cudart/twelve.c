/* A program built for the runtime of CUDA 12: its symbols have the version libcudart.so.12, and its types are those of then. */
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "cudart/twelve.h"

/* The headers here declare the forms of CUDA 13; those of CUDA 12 get names of their own. */
#define OLD(mine, name) __asm__(".symver " #mine "," #name "@libcudart.so.12")
cudaError_t malloc_managed(void **out, size_t size, unsigned flags);
cudaError_t pointer_attributes(rt12_pointer *out, const void *address);
cudaError_t runtime_version(int *version);
cudaError_t prefetch(const void *address, size_t size, int device, cudaStream_t stream);
cudaError_t advise(const void *address, size_t size, enum cudaMemoryAdvise advice, int device);
cudaError_t last_error(void);
cudaError_t batch(void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes, size_t *first, size_t n,
    size_t *failed, cudaStream_t stream);
cudaError_t free_memory(void *address);
cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id);
cudaError_t properties(rt12_prop *out, int device);
cudaError_t thread_synchronize(void);
OLD(malloc_managed, cudaMallocManaged);
OLD(pointer_attributes, cudaPointerGetAttributes);
OLD(runtime_version, cudaRuntimeGetVersion);
OLD(prefetch, cudaMemPrefetchAsync);
OLD(advise, cudaMemAdvise);
OLD(last_error, cudaGetLastError);
OLD(batch, cudaMemcpyBatchAsync);
OLD(free_memory, cudaFree);
OLD(capture_info, cudaStreamGetCaptureInfo);
OLD(properties, cudaGetDeviceProperties_v2);
OLD(thread_synchronize, cudaThreadSynchronize);

int main(void) {
    int version = 0;
    OK(runtime_version(&version));
    SAME(version, 12090);
    void *p = NULL;
    OK(malloc_managed(&p, 4096, 1));
    struct { rt12_pointer a; unsigned char behind[64]; } got;
    memset(&got, 0x5a, sizeof got);
    OK(pointer_attributes(&got.a, p));
    SAME(got.a.type, cudaMemoryTypeManaged);
    CHECK(got.a.devicePointer == p && got.a.hostPointer == p);
    for (size_t i = 0; i < sizeof got.behind; i++) SAME(got.behind[i], 0x5a);
    OK(prefetch(p, 4096, cudaCpuDeviceId, NULL));
    OK(prefetch(p, 4096, 0, NULL));
    SAME(prefetch(p, 4096, 5, NULL), cudaErrorInvalidDevice);
    SAME(last_error(), cudaErrorInvalidDevice);
    OK(advise(p, 4096, cudaMemAdviseSetPreferredLocation, 0));
    OK(advise(p, 4096, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
    char bytes[8192] = {7, 8};
    struct cudaMemcpyAttributes how = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    size_t zero = 0, failed = 9;
    OK(batch((void *[]){p, (char *)p + 8}, (void *[]){bytes, bytes + 1}, (size_t[]){1, 1}, 2, &how, &zero, 1, &failed, cudaStreamPerThread));
    CHECK(*(char *)p == 7 && ((char *)p)[8] == 8);
    SAME(batch((void *[]){p, p}, (void *[]){bytes, bytes}, (size_t[]){1, 8192}, 2, &how, &zero, 1, &failed, cudaStreamPerThread), cudaErrorInvalidValue);
    SAME(failed, 1);
    SAME(last_error(), cudaErrorInvalidValue);
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
    unsigned long long id = 0;
    OK(capture_info(NULL, &status, &id));
    SAME(status, cudaStreamCaptureStatusNone);
    /* The sizes and offsets are those of the headers of CUDA 12.9. */
    SAME(sizeof(rt12_prop), 1032);
    SAME(offsetof(rt12_prop, clockRate), 348);
    SAME(offsetof(rt12_prop, sharedMemPerMultiprocessor), 640);
    SAME(offsetof(rt12_prop, unifiedFunctionPointers), 776);
    struct { rt12_prop p; unsigned char behind[64]; } device;
    memset(&device, 0x5a, sizeof device);
    OK(properties(&device.p, 0));
    CHECK(!strncmp(device.p.name, "NVIDIA", 6));
    SAME(device.p.warpSize, 32);
    SAME(device.p.maxGridSize[2], 65535);
    SAME(device.p.major, 9);
    SAME(device.p.maxSurfaceCubemapLayered[1], 2046);
    SAME(device.p.concurrentKernels, 1);
    SAME(device.p.maxThreadsPerMultiProcessor, 2048);
    SAME(device.p.sharedMemPerBlockOptin, 227 * 1024);
    SAME(device.p.cooperativeLaunch, 1);
    SAME(device.p.memoryPoolsSupported, 1);
    CHECK(device.p.clockRate > 1000000 && device.p.memoryClockRate > 1000000);
    for (size_t i = 0; i < sizeof device.behind; i++) SAME(device.behind[i], 0x5a);
    OK(thread_synchronize());
    OK(free_memory(p));
    return 0;
}
