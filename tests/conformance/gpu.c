/* Runs the words on this machine's GPU (sm_90) and writes what they did.   gpu probe.sm_90.cubin words.txt h200.txt [raw]
 * h200.txt: what test_conformance.c reads, and the lines of words that the GPU refused ("illegal") or that it had no time for.
 * raw: for each word the columns that changed: u32 number of the word, u32 mask of columns, then the columns.
 * Both are written word by word, so that what ends the run loses nothing.
 * It needs the driver only: cc -O2 -I. gpu.c -ldl */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

typedef int CUresult;
typedef unsigned long long CUdeviceptr;
static CUresult (*cuInit)(unsigned), (*cuDeviceGet)(int *, int), (*cuCtxCreate)(void **, unsigned, int),
    (*cuMemAlloc)(CUdeviceptr *, size_t), (*cuMemcpyHtoD)(CUdeviceptr, const void *, size_t), (*cuMemcpyDtoH)(void *, CUdeviceptr, size_t),
    (*cuModuleLoadData)(void **, const void *), (*cuModuleUnload)(void *), (*cuModuleGetFunction)(void **, void *, const char *),
    (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **),
    (*cuStreamQuery)(void *);

static void need(CUresult r, const char *what) {
    if (r) fprintf(stderr, "%s: error %d\n", what, r), exit(1);
}
static void *load(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) fprintf(stderr, "%s cannot be read\n", path), exit(1);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *p = malloc(*size + 1);
    if (fread(p, 1, *size, f) != *size) exit(1);
    fclose(f);
    return p;
}

static void *context;
static CUdeviceptr in_[PROBE_KINDS], uni_[PROBE_KINDS], out_, scratch_;
static uint32_t constants[PROBE_KINDS][PROBE_CONSTANTS];
static void begin(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) fprintf(stderr, "%s\n", dlerror()), exit(1);
#define GET(name, symbol) *(void **)&name = dlsym(driver, symbol)
    GET(cuInit, "cuInit"); GET(cuDeviceGet, "cuDeviceGet"); GET(cuCtxCreate, "cuCtxCreate_v2");
    GET(cuMemAlloc, "cuMemAlloc_v2"); GET(cuMemcpyHtoD, "cuMemcpyHtoD_v2"); GET(cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    GET(cuModuleLoadData, "cuModuleLoadData"); GET(cuModuleUnload, "cuModuleUnload"); GET(cuModuleGetFunction, "cuModuleGetFunction");
    GET(cuLaunchKernel, "cuLaunchKernel"); GET(cuStreamQuery, "cuStreamQuery");
    need(cuInit(0), "cuInit");
    static uint32_t in[PROBE_IN * PROBE_THREADS], uni[PROBE_UNI * PROBE_WARPS];
    need(cuCtxCreate(&context, 0, 0), "cuCtxCreate");
    for (int k = 0; k < PROBE_KINDS; k++) {
        probe_inputs((probe_kind)k, in, uni, constants[k]);
        need(cuMemAlloc(&in_[k], sizeof in), "cuMemAlloc");
        need(cuMemAlloc(&uni_[k], sizeof uni), "cuMemAlloc");
        need(cuMemcpyHtoD(in_[k], in, sizeof in), "cuMemcpyHtoD");
        need(cuMemcpyHtoD(uni_[k], uni, sizeof uni), "cuMemcpyHtoD");
    }
    need(cuMemAlloc(&out_, PROBE_OUT * PROBE_THREADS * 4), "cuMemAlloc");
    need(cuMemAlloc(&scratch_, 16 * PROBE_THREADS), "cuMemAlloc");
}

static CUresult wait_for_it(void) {
    enum { NOT_READY = 600 };
    struct timespec pause = {0, 20000};
    for (int n = 0; n < 50000; n++) {
        CUresult r = cuStreamQuery(NULL);
        if (r != NOT_READY) return r;
        if (n > 20) nanosleep(&pause, NULL);
    }
    fprintf(stderr, "a word does not end\n");
    return -1;
}

static CUresult run(const char *cubin, int kind, uint32_t *out) {
    void *module, *function;
    CUresult r = cuModuleLoadData(&module, cubin);
    if (r) return r;
    need(cuModuleGetFunction(&function, module, "probe"), "cuModuleGetFunction");
    probe_params p = {in_[kind], uni_[kind], out_, scratch_, 0, {0}};
    memcpy(p.constants, constants[kind], sizeof p.constants);
    void *params[] = {&p.in, &p.uni, &p.out, &p.scratch, &p.spare, p.constants};
    r = cuLaunchKernel(function, PROBE_THREADS / PROBE_BLOCK, 1, 1, PROBE_BLOCK, 1, 1, 0, NULL, params, NULL);
    if (!r) r = wait_for_it();
    if (!r) r = cuMemcpyDtoH(out, out_, PROBE_OUT * PROBE_THREADS * 4);
    if (!r) r = cuModuleUnload(module);
    return r;
}

/* --- words, and what came of them: shared by the processes ------------------------------------------------- */

enum { WORDS = 8192, SECONDS = 160, UNTRIED = 0, DONE, REFUSED };
typedef struct outcome {
    char line[300];
    int state, kind, own_time;
    uint64_t hi, lo;
    uint32_t changed; /* columns */
    uint32_t out[PROBE_OUT * PROBE_THREADS];
} outcome;

static void write_outcome(const outcome *all, unsigned n, FILE *hashes, FILE *raw) {
    const outcome *o = &all[n];
    if (o->state != DONE) {
        fprintf(hashes, "%s %s", o->state == REFUSED ? "illegal" : "untried", o->line);
        fflush(hashes);
        return;
    }
    unsigned column = 0;
    while (column < PROBE_OUT && !(o->changed >> column & 1)) column++;
    if (column == PROBE_OUT) column = 0;
    for (unsigned k = 0; k < 4; k++)
        fprintf(hashes, "%08x", (unsigned)probe_hash(o->out, k * PROBE_THREADS / 4, (k + 1) * PROBE_THREADS / 4));
    char text[200] = "";
    sscanf(o->line, "%*x %*x %*d %*d %199[^\n]", text);
    fprintf(hashes, " %u=%x %llx %llx %d %d %s\n", column, o->out[column * PROBE_THREADS + 7], (unsigned long long)o->hi, (unsigned long long)o->lo,
            o->kind, o->own_time, text);
    fflush(hashes);
    if (!raw) return;
    uint32_t head[2] = {n, o->changed};
    fwrite(head, 4, 2, raw);
    for (unsigned k = 0; k < PROBE_OUT; k++)
        if (o->changed >> k & 1) fwrite(o->out + k * PROBE_THREADS, 4, PROBE_THREADS, raw);
    fflush(raw);
}

/* Words [from, to) until one is refused: that leaves a process unable to use the GPU again. */
static void run_words(char *cubin, char *text, outcome *all, unsigned from, unsigned to, time_t end, FILE *hashes, FILE *raw) {
    static uint32_t plain[PROBE_KINDS][PROBE_OUT * PROBE_THREADS];
    static probe_code code;
    begin();
    for (int k = 0; k < PROBE_KINDS; k++) {
        probe_assemble(&code, (probe_word){0x7918, 0}, 0);
        memcpy(text, code.at, sizeof code.at);
        need(run(cubin, k, plain[k]), "the code around the words");
    }
    for (unsigned n = from; n < to && time(NULL) < end; n++) {
        outcome *o = &all[n];
        o->state = REFUSED;
        probe_assemble(&code, (probe_word){o->lo, o->hi}, o->own_time);
        memcpy(text, code.at, sizeof code.at);
        if (run(cubin, o->kind, o->out)) _exit(0);
        for (unsigned k = 0; k < PROBE_OUT; k++)
            if (memcmp(o->out + k * PROBE_THREADS, plain[o->kind] + k * PROBE_THREADS, PROBE_THREADS * 4)) o->changed |= 1u << k;
        o->state = DONE;
        write_outcome(all, n, hashes, raw);
    }
    _exit(0);
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: gpu CUBIN WORDS HASHES [RAW]\n"), 2;
    size_t size;
    char *cubin = load(argv[1], &size), *text = NULL;
    for (size_t at = 0; at + 16 < size && !text; at += 16) /* the code begins with LDC R1, c[0x0][0x28] */
        if (*(uint64_t *)(void *)(cubin + at) == 0x00000a00ff017b82) text = cubin + at;
    FILE *words = fopen(argv[2], "r"), *hashes = fopen(argv[3], "w"), *raw = argc > 4 ? fopen(argv[4], "wb") : NULL;
    outcome *all = mmap(NULL, WORDS * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!text || !words || !hashes || all == MAP_FAILED) return fprintf(stderr, "bad files\n"), 1;
    unsigned n = 0, done = 0, refused = 0;
    const time_t end = time(NULL) + SECONDS;
    while (n < WORDS && fgets(all[n].line, sizeof all[n].line, words)) {
        unsigned long long hi, lo;
        if (sscanf(all[n].line, "%llx %llx %d %d", &hi, &lo, &all[n].kind, &all[n].own_time) != 4) continue;
        all[n].hi = hi, all[n].lo = lo;
        n++;
    }
    /* One process after the other: those that share a GPU disturb each other when one faults. */
    for (unsigned from = 0, before = 1; from < n && from != before && time(NULL) < end;) {
        before = from;
        if (!fork()) run_words(cubin, text, all, from, n, end, hashes, raw);
        wait(NULL);
        for (; from < n && all[from].state != UNTRIED; from++)
            if (all[from].state == REFUSED) write_outcome(all, from, hashes, raw);
    }
    for (unsigned w = 0; w < n; w++) {
        if (all[w].state == UNTRIED) write_outcome(all, w, hashes, raw);
        done += all[w].state == DONE;
        refused += all[w].state == REFUSED;
    }
    fclose(hashes);
    if (raw) fclose(raw);
    printf("%u words, %u refused, %u not tried\n", n, refused, n - done - refused);
    return 0;
}
