/* What a GPU's MUFU makes of every mantissa, for mufu_fit.py, and whether src/engine/mufu.h makes the same of all 2^32 words.
 *   nvcc -arch=sm_90 -cubin -DPROBE -o mufu.cubin mufu_dump.cu; nvcc -O2 -arch=sm_90 -I../../src -o mufu_dump mufu_dump.cu -lcuda
 *   mufu_dump mufu.cubin DIR     writes DIR/NAME_START, words of results, each of 2^23 arguments or more from START on
 *   mufu_dump mufu.cubin         compares
 * The kernel has MUFU.RCP and nothing else around it; the function is put into its word. */
#ifdef PROBE
extern "C" __global__ void mufu(unsigned start, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float r;
    asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(__uint_as_float(start + i)));
    out[i] = __float_as_uint(r);
}
#else
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define MUFU_FN __host__ __device__ static inline
#ifdef __CUDA_ARCH__
#define MUFU_LEADING(v) (63 - __clzll(v))
#else
#define MUFU_LEADING(v) (63 - __builtin_clzll(v))
#endif
#define MUFU_ROWS __device__ const
#include "engine/mufu.h"

enum function { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH, FUNCTIONS };
static const char *const names[FUNCTIONS] = {"cos", "sin", "ex2", "lg2", "rcp", "rsq", "rcp64h", "rsq64h", "sqrt", "tanh"};

__device__ static uint32_t here(int function, uint32_t x) {
    switch (function) {
#define CASE(number, name) case number: return mufu_##name##_of(x, mufu_value(mufu_##name##_at(x)));
    CASE(COS, cos) CASE(SIN, sin) CASE(EX2, ex2) CASE(LG2, lg2) CASE(RCP, rcp) CASE(RSQ, rsq) CASE(SQRT, sqrt) CASE(TANH, tanh)
    case RCP64H: return mufu_rcp64h(x);
    default: return mufu_rsq64h(x);
    }
}
__global__ void compare(int function, uint32_t start, const uint32_t *out, unsigned long long *different) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (here(function, start + i) != out[i]) atomicAdd(different, 1ull);
}

static void need(int status, const char *what) {
    if (status) fprintf(stderr, "%s: error %d\n", what, status), exit(1);
}
static CUfunction kernel(std::vector<char> &cubin, int function) {
    CUmodule module;
    CUfunction f;
    for (size_t at = 0; at + 16 <= cubin.size(); at += 8) { /* the word of MUFU */
        uint64_t *word = (uint64_t *)(void *)&cubin[at];
        if ((word[0] & 0xfff) != 0x308 || (word[1] & 0xffff03ff) != 0) continue;
        word[1] = (word[1] & ~(63ull << 10)) | (uint64_t)function << 10;
        need(cuModuleLoadData(&module, cubin.data()), "cuModuleLoadData");
        need(cuModuleGetFunction(&f, module, "mufu"), "cuModuleGetFunction");
        return f;
    }
    fprintf(stderr, "there is no MUFU in the cubin\n");
    exit(1);
}
static void run(CUfunction f, uint32_t start, uint32_t n, uint32_t *out) {
    void *args[] = {&start, &out};
    need(cuLaunchKernel(f, n / 256, 1, 1, 256, 1, 1, 0, 0, args, 0), "cuLaunchKernel");
}

int main(int argc, char **argv) {
    std::vector<char> cubin(1 << 16);
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: mufu_dump CUBIN [DIR]\n"), 2;
    cubin.resize(fread(cubin.data(), 1, cubin.size(), file));
    fclose(file);
    const uint32_t most = 1u << 28;
    uint32_t *out;
    unsigned long long *different, total = 0;
    need(cudaMalloc(&out, most * 4ull), "cudaMalloc");
    need(cudaMalloc(&different, 8), "cudaMalloc");
    if (argc > 2) {
        struct { int function; uint32_t start, count; } ranges[] = { /* what mufu_fit.py reads */
            {RCP, 0x3f800000, 1}, {RSQ, 0x3f800000, 2}, {SQRT, 0x3f800000, 2}, {EX2, 0x3f800000, 1}, {LG2, 0x3f800000, 1},
            {COS, 0x3e800000, 1}, {TANH, 0x3b800000, 11}};
        for (auto &r : ranges) {
            uint32_t n = r.count << 23;
            std::vector<uint32_t> host(n);
            run(kernel(cubin, r.function), r.start, n, out);
            need(cudaMemcpy(host.data(), out, n * 4ull, cudaMemcpyDeviceToHost), names[r.function]);
            char path[1000];
            snprintf(path, sizeof path, "%s/%s_%08x", argv[2], names[r.function], r.start);
            FILE *to = fopen(path, "wb");
            if (!to || fwrite(host.data(), 4, n, to) != n || fclose(to)) return fprintf(stderr, "%s cannot be written\n", path), 1;
        }
        return 0;
    }
    for (int f = 0; f < FUNCTIONS; f++) {
        CUfunction word = kernel(cubin, f);
        unsigned long long count = 0;
        need(cudaMemset(different, 0, 8), "cudaMemset");
        for (uint64_t start = 0; start < UINT64_C(1) << 32; start += most) {
            run(word, (uint32_t)start, most, out);
            compare<<<most / 256, 256>>>(f, (uint32_t)start, out, different);
        }
        need(cudaMemcpy(&count, different, 8, cudaMemcpyDeviceToHost), names[f]);
        printf("MUFU.%s: %llu of 2^32 differ\n", names[f], count);
        total += count;
    }
    return total != 0;
}
#endif
