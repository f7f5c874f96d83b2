/* Runs the cases of warp-group MMA that standard input names (the first words of wgmma_h200.txt) on this machine's GPU.
 * nvcc gpu_wgmma.cu -lcuda && ./a.out wgmma.sm_90.cubin <names >wgmma_h200.txt */
#include <cuda.h>

#include "wgmma_cases.h"

struct Arg { CUdeviceptr a, image, c; uint64_t da, db; uint32_t aoff, boff; int scale, variant; CUdeviceptr out; };

static void need(CUresult r, const char *what) {
    if (r) fprintf(stderr, "%s: error %d\n", what, (int)r), exit(1);
}

int main(int argc, char **argv) {
    static wgmma_case t;
    static uint32_t out[WGMMA_ACCUMULATORS];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    Arg g = {};
    char line[300], name[120];
    if (argc < 2) return 2;
    need(cuInit(0), "cuInit"), need(cuDeviceGet(&device, 0), "device"), need(cuDevicePrimaryCtxRetain(&context, device), "context"), need(cuCtxSetCurrent(context), "context");
    need(cuModuleLoad(&module, argv[1]), argv[1]);
    need(cuMemAlloc(&g.a, sizeof t.a), "memory"), need(cuMemAlloc(&g.image, sizeof t.image), "memory"), need(cuMemAlloc(&g.c, sizeof t.c), "memory"), need(cuMemAlloc(&g.out, sizeof out), "memory");
    while (fgets(line, sizeof line, stdin)) {
        CUfunction f;
        if (sscanf(line, "%119s", name) != 1 || !wgmma_prepare(name, &t)) continue;
        need(cuModuleGetFunction(&f, module, t.kernel), t.kernel);
        need(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, WGMMA_IMAGE + 1024 + 16384), "shared memory");
        need(cuMemcpyHtoD(g.a, t.a, sizeof t.a), "copy"), need(cuMemcpyHtoD(g.image, t.image, sizeof t.image), "copy"), need(cuMemcpyHtoD(g.c, t.c, sizeof t.c), "copy");
        g.da = t.da, g.db = t.db, g.aoff = t.aoff, g.boff = t.boff, g.scale = t.scale, g.variant = t.variant;
        void *args[] = {&g};
        need(cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, WGMMA_IMAGE + 1024 + 16384, NULL, args, NULL), name);
        need(cuMemcpyDtoH(out, g.out, (size_t)t.regs * 512), name);
        printf("%s %016llx\n", name, (unsigned long long)fnv_bytes(out, (size_t)t.regs * 512));
    }
    return 0;
}
