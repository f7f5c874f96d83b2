/* Runs words on surfaces on this machine's GPU (sm_90).   gpu_surface probe.sm_90.cubin words.txt surface_h200.txt SECONDS [raw]
 * words.txt: lines as test_surface.c reads them, without the hash. Lines that the GPU refused begin with its error.
 * raw: u32 number of the line, error, 0, 0; then registers, predicates, and the surface afterwards.
 * cc -O2 -I. -I/usr/local/cuda/include gpu_surface.c -ldl */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "surface_cases.h"

#define CALLS(X)                                                                                                                        \
    X(cuInit, "cuInit") X(cuMemAlloc, "cuMemAlloc_v2") X(cuMemcpyHtoD, "cuMemcpyHtoD_v2") X(cuMemcpyDtoH, "cuMemcpyDtoH_v2")            \
    X(cuModuleLoadData, "cuModuleLoadData") X(cuModuleUnload, "cuModuleUnload") X(cuModuleGetFunction, "cuModuleGetFunction")           \
    X(cuLaunchKernel, "cuLaunchKernel") X(cuStreamQuery, "cuStreamQuery") X(cuArray3DCreate, "cuArray3DCreate_v2")                      \
    X(cuMemcpy3D, "cuMemcpy3D_v2") X(cuSurfObjectCreate, "cuSurfObjectCreate") X(cuTexObjectCreate, "cuTexObjectCreate")                \
    X(cuMipmappedArrayCreate, "cuMipmappedArrayCreate") X(cuMipmappedArrayGetLevel, "cuMipmappedArrayGetLevel")
#define DECLARE(name, symbol) static __typeof__(&name) p_##name;
CALLS(DECLARE)

static void need(int r, const char *what) {
    if (r) fprintf(stderr, "%s: error %d\n", what, r), exit(1);
}

static CUarray arrays[SURFACE_CASES];
static CUsurfObject surfaces[SURFACE_CASES];
static CUtexObject textures[SURFACE_CASES];
static CUdeviceptr in_, uni_, out_, scratch_;

static int copy(int k, void *host, int to_array) {
    const surface_case *c = &surface_cases[k];
    CUDA_MEMCPY3D m;
    memset(&m, 0, sizeof m);
    size_t pitch = (size_t)c->width * surface_texel(c), height = c->height ? (size_t)c->height : 1;
    if (to_array) m.srcMemoryType = CU_MEMORYTYPE_HOST, m.srcHost = host, m.srcPitch = pitch, m.srcHeight = height, m.dstMemoryType = CU_MEMORYTYPE_ARRAY, m.dstArray = arrays[k];
    else m.dstMemoryType = CU_MEMORYTYPE_HOST, m.dstHost = host, m.dstPitch = pitch, m.dstHeight = height, m.srcMemoryType = CU_MEMORYTYPE_ARRAY, m.srcArray = arrays[k];
    m.WidthInBytes = pitch;
    m.Height = height;
    m.Depth = c->depth ? (size_t)c->depth : 1;
    return p_cuMemcpy3D(&m);
}
static void make(int k) {
    static const CUarray_format formats[3][3] = {{CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
                                                 {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
                                                 {CU_AD_FORMAT_HALF, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT}};
    const surface_case *c = &surface_cases[k];
    unsigned flags = (c->flags & SURFACE_LAYERED ? CUDA_ARRAY3D_LAYERED : 0) | (c->flags & SURFACE_CUBE ? CUDA_ARRAY3D_CUBEMAP : 0) |
                     (c->flags & SURFACE_TEXTURE ? 0 : CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_ARRAY3D_DESCRIPTOR a = {(size_t)c->width, (size_t)c->height, (size_t)c->depth, formats[c->format][c->bits / 16], (unsigned)c->components, flags};
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    if (c->format != SURFACE_FLOAT) t.flags = CU_TRSF_READ_AS_INTEGER;
    if (c->levels) {
        r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        t.maxMipmapLevelClamp = 10;
        need(p_cuMipmappedArrayCreate(&r.res.mipmap.hMipmappedArray, &a, (unsigned)c->levels), "cuMipmappedArrayCreate");
        need(p_cuMipmappedArrayGetLevel(&arrays[k], r.res.mipmap.hMipmappedArray, 0), "cuMipmappedArrayGetLevel");
    } else {
        r.resType = CU_RESOURCE_TYPE_ARRAY;
        need(p_cuArray3DCreate(&arrays[k], &a), "cuArray3DCreate");
        r.res.array.hArray = arrays[k];
    }
    if (!(c->flags & SURFACE_TEXTURE)) need(p_cuSurfObjectCreate(&surfaces[k], &r), "cuSurfObjectCreate");
    need(p_cuTexObjectCreate(&textures[k], &r, &t, NULL), "cuTexObjectCreate");
}
static void begin(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
    if (!driver) fprintf(stderr, "%s\n", dlerror()), exit(1);
#define GET(name, symbol) *(void **)&p_##name = dlsym(driver, symbol);
    CALLS(GET)
    int (*create)(void **, unsigned, int);
    *(void **)&create = dlsym(driver, "cuCtxCreate_v2");
    need(p_cuInit(0), "cuInit");
    need(create(&context, 0, 0), "cuCtxCreate");
    need(p_cuMemAlloc(&in_, PROBE_IN * PROBE_THREADS * 4) || p_cuMemAlloc(&uni_, PROBE_UNI * PROBE_WARPS * 4) ||
         p_cuMemAlloc(&out_, PROBE_OUT * PROBE_THREADS * 4) || p_cuMemAlloc(&scratch_, 16 * PROBE_THREADS), "cuMemAlloc");
    for (int k = 0; k < SURFACE_CASES; k++) make(k);
}

typedef struct outcome { /* of a line */
    char line[300];
    unsigned long long hi, lo;
    int which, data, width, own_time, tried, error;
    uint32_t out[PROBE_OUT * PROBE_THREADS];
    uint8_t after[SURFACE_BYTES];
} outcome;
enum { LINES = 1024 };

static int run(char *cubin, outcome *o) {
    static uint32_t in[PROBE_IN * PROBE_THREADS], uni[PROBE_UNI * PROBE_WARPS];
    static uint8_t before[SURFACE_BYTES];
    int k = o->which % SURFACE_AS_TEXTURE, texture = o->which >= SURFACE_AS_TEXTURE;
    uint32_t handle = (uint32_t)(texture ? textures[k] : surfaces[k]);
    CUmodule module;
    CUfunction function;
    surface_inputs(&surface_cases[k], texture, o->data, o->width, handle, in, uni);
    surface_fill(before, sizeof before);
    need(p_cuMemcpyHtoD(in_, in, sizeof in) || p_cuMemcpyHtoD(uni_, uni, sizeof uni) || copy(k, before, 1), "copies");
    int r = p_cuModuleLoadData(&module, cubin);
    if (r) return r;
    need(p_cuModuleGetFunction(&function, module, "probe"), "cuModuleGetFunction");
    probe_params p = {in_, uni_, out_, scratch_, 0, {handle}};
    void *params[] = {&p.in, &p.uni, &p.out, &p.scratch, &p.spare, p.constants};
    struct timespec pause = {0, 20000};
    r = p_cuLaunchKernel(function, 1, 1, 1, PROBE_BLOCK, 1, 1, 0, NULL, params, NULL);
    for (int n = 0; !r && (r = p_cuStreamQuery(NULL)) == CUDA_ERROR_NOT_READY && n < 50000; n++) r = 0, nanosleep(&pause, NULL);
    if (!r) r = p_cuMemcpyDtoH(o->out, out_, PROBE_OUT * PROBE_THREADS * 4);
    if (!r) r = copy(k, o->after, 0);
    return r ? r : (int)p_cuModuleUnload(module);
}

int main(int argc, char **argv) {
    static char cubin[1 << 17];
    static probe_code code;
    FILE *f = argc > 4 ? fopen(argv[1], "rb") : NULL, *words = argc > 4 ? fopen(argv[2], "r") : NULL, *hashes = argc > 4 ? fopen(argv[3], "w") : NULL;
    FILE *raw = argc > 5 ? fopen(argv[5], "wb") : NULL;
    if (!f || !words || !hashes) return fprintf(stderr, "usage: gpu_surface CUBIN WORDS HASHES SECONDS [RAW]\n"), 2;
    size_t size = fread(cubin, 1, sizeof cubin, f), n = 0;
    char *text = NULL;
    for (size_t at = 0; at + 16 < size && !text; at += 16)
        if (*(uint64_t *)(void *)(cubin + at) == 0x00000a00ff017b82) text = cubin + at;
    time_t end = time(NULL) + atoi(argv[4]);
    outcome *all = mmap(NULL, LINES * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    while (n < LINES && fgets(all[n].line, sizeof all[n].line, words))
        if (sscanf(all[n].line, "%llx %llx %d %d %d %d", &all[n].hi, &all[n].lo, &all[n].which, &all[n].data, &all[n].width, &all[n].own_time) == 6) n++;
    for (size_t from = 0, before = 1; from < n && from != before && time(NULL) < end;) {
        before = from;
        if (!fork()) { /* until one is refused: that leaves a process unable to use the GPU again */
            begin();
            for (size_t k = from; k < n && time(NULL) < end; k++) {
                probe_assemble(&code, (probe_word){all[k].lo, all[k].hi}, all[k].own_time);
                memcpy(text, code.at, sizeof code.at);
                all[k].tried = 1;
                all[k].error = -1;
                if ((all[k].error = run(cubin, &all[k]))) break;
            }
            _exit(0);
        }
        wait(NULL);
        while (from < n && all[from].tried) from++;
    }
    unsigned done = 0, refused = 0;
    for (size_t k = 0; k < n; k++) {
        const outcome *o = &all[k];
        unsigned bytes = surface_size(&surface_cases[o->which % SURFACE_AS_TEXTURE]);
        if (!o->tried) fprintf(hashes, "untried %s", o->line);
        else if (o->error) fprintf(hashes, "error%d %s", o->error, o->line);
        else fprintf(hashes, "%08x %s", (unsigned)surface_hash(o->out, o->after, bytes), o->line);
        done += o->tried && !o->error;
        refused += o->tried && o->error;
        uint32_t head[4] = {(uint32_t)k, (uint32_t)(o->tried ? o->error : -2), 0, 0};
        if (!raw) continue;
        fwrite(head, 4, 4, raw);
        if (!o->tried || o->error) continue;
        for (unsigned c = 0; c < SURFACE_COLUMNS; c++) fwrite(o->out + c * PROBE_THREADS, 4, SURFACE_THREADS, raw);
        fwrite(o->after, 1, SURFACE_BYTES, raw);
    }
    printf("%zu words, %u done, %u refused\n", n, done, refused);
    return fclose(hashes) || (raw && fclose(raw));
}
