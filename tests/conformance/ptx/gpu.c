/* Runs the cases on this machine's GPU.   gpu ptx.sm_90.cubin cases.txt h200.txt raw
 * h200.txt: the list of cases, each with its hashes and the first word of thread 7, before its name; raw: all results, kernel by kernel.
 * A kernel that fails leaves a process unable to use the GPU again: the next process goes on behind it.
 * It needs the driver only: cc -O2 gpu.c -ldl */
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

typedef int CUresult;
typedef unsigned long long CUdeviceptr;
static CUresult (*cuInit)(unsigned), (*cuCtxCreate)(void **, unsigned, int), (*cuMemAlloc)(CUdeviceptr *, size_t),
    (*cuMemcpyHtoD)(CUdeviceptr, const void *, size_t), (*cuMemcpyDtoH)(void *, CUdeviceptr, size_t), (*cuMemsetD8)(CUdeviceptr, unsigned char, size_t),
    (*cuModuleLoadData)(void **, const void *), (*cuModuleGetFunction)(void **, void *, const char *), (*cuCtxSynchronize)(void),
    (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static void need(CUresult r, const char *what) {
    if (r) fprintf(stderr, "%s: error %d\n", what, r), exit(1);
}
static void *load(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) fprintf(stderr, "%s cannot be read\n", path), exit(1);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *p = calloc(1, size + 1);
    if (fread(p, 1, size, f) != size) exit(1);
    fclose(f);
    return p;
}
static void begin(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
    if (!driver) fprintf(stderr, "%s\n", dlerror()), exit(1);
#define GET(name, symbol) *(void **)&name = dlsym(driver, symbol)
    GET(cuInit, "cuInit"); GET(cuCtxCreate, "cuCtxCreate_v2"); GET(cuMemAlloc, "cuMemAlloc_v2"); GET(cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    GET(cuMemcpyDtoH, "cuMemcpyDtoH_v2"); GET(cuMemsetD8, "cuMemsetD8_v2"); GET(cuModuleLoadData, "cuModuleLoadData");
    GET(cuModuleGetFunction, "cuModuleGetFunction"); GET(cuCtxSynchronize, "cuCtxSynchronize"); GET(cuLaunchKernel, "cuLaunchKernel");
    need(cuInit(0), "cuInit");
    need(cuCtxCreate(&context, 0, 0), "cuCtxCreate");
}

static CUdeviceptr in, out, scratch;
static uint32_t operands[PTX_OPERANDS][PTX_THREADS];
static void run(void *module, const ptx_kernel *k, uint32_t *results) {
    void *function;
    ptx_operands(k->kind, operands);
    need(cuModuleGetFunction(&function, module, k->name), k->name);
    need(cuMemcpyHtoD(in, operands, sizeof operands), "cuMemcpyHtoD");
    need(cuMemsetD8(out, 0, k->columns * PTX_THREADS * 4), "cuMemsetD8");
    need(cuMemsetD8(scratch, 0, PTX_SCRATCH), "cuMemsetD8");
    for (unsigned n = 0; n < (k->uniform ? PTX_LAUNCHES : 1); n++) {
        ptx_params p = {.in = in, .out = out, .scratch = scratch};
        ptx_parameters(k, operands, n, &p);
        need(cuLaunchKernel(function, k->uniform ? 1 : PTX_THREADS / PTX_BLOCK, 1, 1, k->uniform ? 32 : PTX_BLOCK, 1, 1, PTX_DYNAMIC, NULL, (void *[]){&p}, NULL), k->name);
    }
    need(cuCtxSynchronize(), k->name);
    need(cuMemcpyDtoH(results, out, k->columns * PTX_THREADS * 4), "cuMemcpyDtoH");
}

/* All kernels from number `from` on; *at: the one that is being run. */
static void run_from(const char *cubin, char *list, const char *hashes_path, const char *raw_path, unsigned from, unsigned *at) {
    enum { MOST = 64 << 20 };
    void *module;
    FILE *hashes = fopen(hashes_path, from ? "a" : "w"), *raw = fopen(raw_path, from ? "ab" : "wb");
    uint32_t *results = malloc(MOST);
    if (!hashes || !raw || !results) fprintf(stderr, "bad files\n"), exit(1);
    begin();
    need(cuModuleLoadData(&module, cubin), "cuModuleLoadData");
    need(cuMemAlloc(&in, sizeof operands), "cuMemAlloc");
    need(cuMemAlloc(&out, MOST), "cuMemAlloc");
    need(cuMemAlloc(&scratch, PTX_SCRATCH), "cuMemAlloc");
    unsigned cases = 0, kernels = 0;
    ptx_kernel k;
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        ptx_case c;
        if (ptx_read_kernel(line, &k)) {
            *at = kernels++;
            if (*at < from) continue;
            run(module, &k, results);
            fwrite(results, 4, k.columns * PTX_THREADS, raw);
            fprintf(hashes, "%s\n", line);
        } else if (kernels > from && ptx_read_case(line, &c)) {
            fprintf(hashes, "%u %u %d ", c.column, c.words, c.sm);
            for (unsigned part = 0; part < PTX_PARTS; part++) fprintf(hashes, "%08x", ptx_hash(results, &c, part));
            fprintf(hashes, " %x %s\n", results[c.column * PTX_THREADS + 7], c.name);
            cases++;
        }
        fflush(hashes);
        fflush(raw);
    }
    *at = kernels;
    printf("%u kernels, %u cases\n", kernels, cases);
    exit(0);
}

int main(int argc, char **argv) {
    if (argc < 5) return fprintf(stderr, "usage: gpu CUBIN CASES HASHES RAW\n"), 2;
    char *cubin = load(argv[1]), *list = load(argv[2]);
    unsigned *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return 1;
    int status, failed = 0;
    for (unsigned from = 0;; from = *at + 1, failed++) {
        fflush(NULL);
        if (!fork()) run_from(cubin, list, argv[3], argv[4], from, at);
        wait(&status);
        if (!status || failed > 100) break;
        printf("kernel %u fails\n", *at);
    }
    return failed != 0;
}
