/* The few calls of the driver's interface that single launches need: a GPU answers them under Nsight Compute, or the machine here. */
#ifndef WG_TRUTH_DRIVER_H
#define WG_TRUTH_DRIVER_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int CUresult;
typedef unsigned long long CUdeviceptr;
static CUresult (*cuInit)(unsigned), (*cuCtxCreate)(void **, unsigned, int),
    (*cuMemAlloc)(CUdeviceptr *, size_t), (*cuMemsetD32)(CUdeviceptr, unsigned, size_t), (*cuMemcpyHtoD)(CUdeviceptr, const void *, size_t),
    (*cuCtxSynchronize)(void), (*cuModuleLoad)(void **, const char *), (*cuModuleGetFunction)(void **, void *, const char *),
    (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static void need(CUresult r, const char *what) {
    if (r) fprintf(stderr, "%s: error %d\n", what, r), exit(1);
}

static CUdeviceptr filled(size_t bytes, unsigned word) {
    CUdeviceptr at;
    need(cuMemAlloc(&at, bytes), "cuMemAlloc");
    need(cuMemsetD32(at, word, bytes / 4), "cuMemsetD32");
    return at;
}

/* The module of a cubin, on the first device. */
static void *loaded(const char *cubin) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context, *module;
    if (!driver) fprintf(stderr, "%s\n", dlerror()), exit(1);
#define GET(name, symbol) *(void **)&name = dlsym(driver, symbol)
    GET(cuInit, "cuInit"), GET(cuCtxCreate, "cuCtxCreate_v2"), GET(cuMemAlloc, "cuMemAlloc_v2");
    GET(cuMemsetD32, "cuMemsetD32_v2"), GET(cuMemcpyHtoD, "cuMemcpyHtoD_v2"), GET(cuCtxSynchronize, "cuCtxSynchronize");
    GET(cuModuleLoad, "cuModuleLoad"), GET(cuModuleGetFunction, "cuModuleGetFunction"), GET(cuLaunchKernel, "cuLaunchKernel");
#undef GET
    need(cuInit(0), "cuInit");
    need(cuCtxCreate(&context, 0, 0), "cuCtxCreate");
    need(cuModuleLoad(&module, cubin), cubin);
    return module;
}

/* One warp. */
static void launch_warp(void *module, const char *kernel, unsigned shared, void **parameters) {
    void *function;
    need(cuModuleGetFunction(&function, module, kernel), kernel);
    need(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, shared, NULL, parameters, NULL), kernel);
    need(cuCtxSynchronize(), kernel);
}

#endif
