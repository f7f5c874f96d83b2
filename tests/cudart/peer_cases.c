/* usage: cudart_peer_cases NAME, with a machine of several devices (WARPGRIND_OPTIONS): one case in one process. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "cudadrv/api.h"
#include "cudart/program.h"

static const dim3 one = {1, 1, 1};
enum { N = 64 };

static int *device_ints(void) {
    int *p = NULL;
    OK(cudaMalloc((void **)&p, N * sizeof *p));
    return p;
}

static void fill(int *p, int value) {
    int host[N];
    for (int i = 0; i < N; i++) host[i] = value;
    OK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
}

static int first(const int *p) {
    int value = 0;
    OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void launch_scale(int *p, int by, cudaStream_t stream) {
    int n = N;
    launch(scale, one, (dim3){N, 1, 1}, 0, stream, (void *[]){&p, &n, &by});
}

/* --- which device ------------------------------------------------------------------------------------- */

static void devices(void) {
    int n = 0, device = -1;
    char id[16];
    OK(cudaGetDeviceCount(&n));
    SAME(n, 3);
    OK(cudaGetDevice(&device));
    SAME(device, 0);
    OK(cudaSetDevice(2));
    OK(cudaGetDevice(&device));
    SAME(device, 2);
    FAILS(cudaSetDevice(3), cudaErrorInvalidDevice);
    OK(cudaGetDevice(&device));
    SAME(device, 2);
    struct cudaDeviceProp a, b;
    OK(cudaGetDeviceProperties(&a, 0));
    OK(cudaGetDeviceProperties(&b, 2));
    CHECK(!strcmp(a.name, b.name) && a.pciBusID != b.pciBusID && memcmp(&a.uuid, &b.uuid, sizeof a.uuid));
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 1));
    OK(cudaDeviceGetByPCIBusId(&device, id));
    SAME(device, 1);
    /* Memory is counted by device. */
    size_t before, after, other, total;
    OK(cudaMemGetInfo(&before, &total));
    int *p = device_ints();
    OK(cudaMemGetInfo(&after, &total));
    SAME(before - after, 256);
    OK(cudaSetDevice(0));
    OK(cudaMemGetInfo(&other, &total));
    SAME(other, total);
    struct cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, p));
    SAME(attributes.device, 2);
    OK(cudaFree(p)); /* from anywhere */
}

/* Each device has variables of its own; managed ones are everybody's. */
static void variables(void) {
    int value = 0;
    void *at[2];
    for (int d = 0; d < 2; d++) {
        OK(cudaSetDevice(d));
        OK(cudaGetSymbolAddress(&at[d], offset));
        value = 10 + d;
        OK(cudaMemcpyToSymbol(offset, &value, sizeof value, 0, cudaMemcpyHostToDevice));
        OK(cudaMemcpyToSymbol(bias, &value, sizeof value, 0, cudaMemcpyHostToDevice));
    }
    CHECK(at[0] != at[1]);
    for (int d = 0; d < 2; d++) {
        OK(cudaSetDevice(d));
        int *p = device_ints();
        fill(p, 1);
        launch_scale(p, 5, NULL);
        SAME(first(p), 5 + 2 * (10 + d));
    }
    for (int d = 0; d < 3; d++) {
        OK(cudaSetDevice(d));
        launch(count_up, one, one, 0, NULL, NULL);
        OK(cudaDeviceSynchronize());
        SAME(*shared_with_host(), 8 + d);
    }
    FAILS(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 24), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    struct cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, reverse));
    SAME(attributes.maxDynamicSharedSizeBytes, 60000);
    OK(cudaSetDevice(0)); /* attributes are by device */
    OK(cudaFuncGetAttributes(&attributes, reverse));
    CHECK(attributes.maxDynamicSharedSizeBytes != 60000);
}

/* --- memory of another device -------------------------------------------------------------------------- */

static void copies(void) {
    int *a = device_ints(), *b;
    fill(a, 3);
    OK(cudaSetDevice(1));
    b = device_ints();
    OK(cudaMemcpyPeer(b, 1, a, 0, N * sizeof *a));
    SAME(first(b), 3);
    FAILS(cudaMemcpyPeer(b, 1, a, 3, 4), cudaErrorInvalidDevice);
    fill(a, 4); /* copies reach everywhere, whatever device is current */
    OK(cudaMemcpy(b, a, N * sizeof *a, cudaMemcpyDefault));
    SAME(first(b), 4);
}

static void access_(void) {
    int can = 0;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    SAME(can, 1);
    OK(cudaDeviceCanAccessPeer(&can, 1, 1));
    SAME(can, 0);
    OK(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
    SAME(can, 1);
    FAILS(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 1, 1), cudaErrorInvalidDevice);
    FAILS(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    int *p = device_ints();
    fill(p, 1);
    OK(cudaSetDevice(1));
    OK(cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
    launch_scale(p, 2, NULL);
    OK(cudaDeviceSynchronize());
    SAME(first(p), 102);
    OK(cudaDeviceDisablePeerAccess(0));
    launch_scale(p, 2, NULL); /* a finding; nothing is read or written */
    OK(cudaDeviceSynchronize());
    SAME(first(p), 102);
    /* Pools open their memory by themselves. */
    OK(cudaSetDevice(0));
    cudaMemPool_t pool;
    enum cudaMemAccessFlags flags;
    struct cudaMemAccessDesc desc = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync((void **)&p, N * sizeof *p, NULL));
    OK(cudaMemPoolSetAccess(pool, &desc, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, &desc.location));
    SAME(flags, cudaMemAccessFlagsProtReadWrite);
    fill(p, 1);
    OK(cudaSetDevice(1));
    launch_scale(p, 2, NULL);
    OK(cudaDeviceSynchronize());
    SAME(first(p), 102);
}

/* --- streams, events, errors ---------------------------------------------------------------------------- */

static void streams(void) {
    cudaStream_t s;
    cudaEvent_t e, other;
    int device = -1;
    OK(cudaSetDevice(1));
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&e));
    int *p = device_ints();
    fill(p, 1);
    launch_scale(p, 2, s);
    OK(cudaEventRecord(e, s));
    OK(cudaStreamGetDevice(s, &device));
    SAME(device, 1);
    OK(cudaSetDevice(0));
    launch_scale(p, 2, s); /* a stream of another device */
    SAME(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    OK(cudaEventCreate(&other));
    FAILS(cudaEventRecord(other, s), cudaErrorInvalidResourceHandle);
    OK(cudaStreamWaitEvent(NULL, e, 0)); /* waiting and copying may cross */
    OK(cudaMemcpyAsync(p, p + 1, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaStreamSynchronize(s));
}

/* A kernel's failure is its device's. */
static void sticky(void) {
    int *p = device_ints(), *none = NULL;
    long at = 0;
    OK(cudaSetDevice(1));
    launch(store, one, one, 0, NULL, (void *[]){&none, &at});
    SAME(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    SAME(cudaMemset(p, 0, 4), cudaErrorIllegalAddress);
    OK(cudaSetDevice(0));
    OK(cudaMemset(p, 0, 4));
    SAME(first(p), 0);
    SAME(cudaSetDevice(1), cudaErrorIllegalAddress);
}

static void reset(void) {
    int *a = device_ints(), *b;
    OK(cudaSetDevice(1));
    b = device_ints();
    OK(cudaDeviceReset());
    struct cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, b));
    SAME(attributes.type, cudaMemoryTypeUnregistered);
    OK(cudaPointerGetAttributes(&attributes, a));
    SAME(attributes.type, cudaMemoryTypeDevice);
}

/* --- the driver's contexts -------------------------------------------------------------------------------- */

static void contexts(void) {
    CUcontext c[2], now;
    CUdevice device = -1;
    int n = 0;
    SAME(cuInit(0), CUDA_SUCCESS);
    SAME(cuDeviceGetCount(&n), CUDA_SUCCESS);
    SAME(n, 3);
    for (int d = 0; d < 2; d++) SAME(cuCtxCreate_v2(&c[d], 0, d), CUDA_SUCCESS);
    SAME(cuCtxGetDevice(&device), CUDA_SUCCESS);
    SAME(device, 1);
    OK(cudaGetDevice(&n)); /* the runtime follows */
    SAME(n, 1);
    int *p = device_ints();
    SAME(cuCtxPopCurrent_v2(&now), CUDA_SUCCESS);
    CHECK(now == c[1]);
    SAME(cuCtxGetDevice(&device), CUDA_SUCCESS);
    SAME(device, 0);
    CUcontext first_device;
    SAME(cuDevicePrimaryCtxRetain(&first_device, 2), CUDA_SUCCESS);
    SAME(cuCtxSetCurrent(first_device), CUDA_SUCCESS);
    SAME(cuCtxGetDevice(&device), CUDA_SUCCESS);
    SAME(device, 2);
    OK(cudaSetDevice(1)); /* and the driver follows the runtime */
    SAME(cuCtxGetDevice(&device), CUDA_SUCCESS);
    SAME(device, 1);
    SAME(cuCtxEnablePeerAccess(c[0], 0), CUDA_SUCCESS);
    SAME(cuCtxEnablePeerAccess(c[0], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    SAME(cuCtxDisablePeerAccess(c[0]), CUDA_SUCCESS);
    SAME(cuCtxDisablePeerAccess(c[0]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(cudaFree(p));
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*run)(void); } cases[] = {
        {"devices", devices}, {"variables", variables}, {"copies", copies}, {"access", access_}, {"streams", streams},
        {"sticky", sticky}, {"reset", reset}, {"contexts", contexts},
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[1], cases[i].name)) return cases[i].run(), 0;
    return fprintf(stderr, "usage: cudart_peer_cases CASE\n"), 2;
}
