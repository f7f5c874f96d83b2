/* A program of the driver's interface as its users write it: NVRTC makes the code, for the device it finds; the driver loads
 * and launches it. usage: toolkit [ptx|cubin] */
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, size_t n) {\n"
                             "    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) y[i] = a * x[i] + y[i];\n"
                             "}\n"
                             "template <typename T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }\n";

static void ok(CUresult r, const char *call) {
    const char *name = NULL;
    if (r == CUDA_SUCCESS) return;
    cuGetErrorName(r, &name);
    printf("%s: %s\n", call, name);
    exit(1);
}
#define OK(call) ok(call, #call)
static void rtc(nvrtcResult r, const char *call) {
    if (r == NVRTC_SUCCESS) return;
    printf("%s: %s\n", call, nvrtcGetErrorString(r));
    exit(1);
}
#define RTC(call) rtc(call, #call)

int main(int argc, char **argv) {
    int cubin = argc > 1 && !strcmp(argv[1], "cubin"), major, minor;
    CUdevice device;
    CUcontext context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate(&context, NULL, 0, device));
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));

    nvrtcProgram program;
    char arch[40], *code;
    size_t size;
    const char *lowered;
    snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d%d", cubin ? "sm" : "compute", major, minor);
    const char *options[] = {arch, "-lineinfo"};
    RTC(nvrtcCreateProgram(&program, source, "saxpy.cu", 0, NULL, NULL));
    RTC(nvrtcAddNameExpression(program, "fill<int>"));
    RTC(nvrtcCompileProgram(program, 2, options));
    RTC(cubin ? nvrtcGetCUBINSize(program, &size) : nvrtcGetPTXSize(program, &size));
    code = malloc(size);
    RTC(cubin ? nvrtcGetCUBIN(program, code) : nvrtcGetPTX(program, code));
    RTC(nvrtcGetLoweredName(program, "fill<int>", &lowered));

    CUmodule module;
    CUfunction saxpy, fill;
    OK(cuModuleLoadData(&module, code));
    OK(cuModuleGetFunction(&saxpy, module, "saxpy"));
    OK(cuModuleGetFunction(&fill, module, lowered));
    enum { N = 1000 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1;
    CUdeviceptr dx, dy;
    size_t n = N;
    float a = 2;
    OK(cuMemAlloc(&dx, sizeof x));
    OK(cuMemAlloc(&dy, sizeof y));
    OK(cuMemcpyHtoD(dx, x, sizeof x));
    OK(cuMemcpyHtoD(dy, y, sizeof y));
    void *params[] = {&a, &dx, &dy, &n};
    OK(cuLaunchKernel(saxpy, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH(y, dy, sizeof y));
    printf("%g %g %g\n", y[0], y[1], y[N - 1]);
    int seven = 7, got[32];
    void *of_fill[] = {&dx, &seven};
    OK(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, NULL, of_fill, NULL));
    OK(cuMemcpyDtoH(got, dx, sizeof got));
    printf("%d %d\n", got[0], got[31]);
    OK(cuMemFree(dx));
    OK(cuMemFree(dy));
    OK(cuModuleUnload(module));
    OK(cuCtxDestroy(context));
    RTC(nvrtcDestroyProgram(&program));
    free(code);
    return 0;
}
