/* Writes tma_h200.txt (kept as .zst) anew: reads the parameters of the maps in it and says what a GPU makes of the same cases.
 * nvcc -O3 -arch=sm_90 gpu_tma.cu && ./a.out 0 <tma_h200.txt >new
 * A case that is refused ends the process: it says how many maps it has seen, and with that number as its argument it goes on behind them. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#include "noise.h"
#include "tma.cu"

enum { ROOM = 1 << 18, BEHIND = 2048 };
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); exit(2); } } while (0)
typedef CUresult (*encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                              CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult (*encode_pixels_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t,
                                     const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static const int size_of[13] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static uint8_t host[ROOM], *memory, *in, *out;
static CUtensorMap *device_map;
static int seen; /* maps */

static void answer(const char *name, const uint8_t *from, size_t n) {
    static uint8_t bytes[ROOM];
    cudaError_t e = cudaDeviceSynchronize();
    if (e == cudaErrorIllegalInstruction) {
        printf("%s refused\n", name);
        fprintf(stderr, "%d\n", seen);
        exit(3);
    }
    CHECK(e);
    CHECK(cudaMemcpy(bytes, from, n, cudaMemcpyDeviceToHost));
    printf("%s %016llx\n", name, (unsigned long long)fnv_bytes(bytes, n));
}

struct Case {
    char name[100];
    int type, rank, interleave, swizzle, promotion, fill;
    cuuint64_t at, dim[5], stride[5];
    cuuint32_t box[5], step[5], soff;
    Coordinates c;
    bool im2col;
    int low[3], high[3];
    cuuint32_t channels, pixels;
};
static void numbers(const char *line, const char *word, long long *to, int n) {
    char key[40];
    snprintf(key, sizeof key, " %s ", word);
    const char *p = strstr(line, key);
    if (!p) {
        fprintf(stderr, "no %s: %s", word, line);
        exit(4);
    }
    char *next = (char *)p + strlen(key) - 1;
    for (int k = 0; k < n; k++) to[k] = strtoll(next, &next, 10);
}
static Case parse(const char *line) {
    Case k = {};
    long long v[5];
    sscanf(line, "map %99s", k.name);
    numbers(line, "type", v, 1), k.type = (int)v[0];
    numbers(line, "rank", v, 1), k.rank = (int)v[0];
    numbers(line, "at", v, 1), k.at = v[0];
    numbers(line, "dim", v, k.rank);
    for (int d = 0; d < k.rank; d++) k.dim[d] = v[d];
    numbers(line, "stride", v, k.rank - 1);
    for (int d = 0; d + 1 < k.rank; d++) k.stride[d] = v[d];
    k.im2col = strstr(line, " pixels ") != NULL;
    if (k.im2col) {
        numbers(line, "low", v, k.rank - 2);
        for (int d = 0; d < k.rank - 2; d++) k.low[d] = (int)v[d];
        numbers(line, "high", v, k.rank - 2);
        for (int d = 0; d < k.rank - 2; d++) k.high[d] = (int)v[d];
        numbers(line, "channels", v, 1), k.channels = (cuuint32_t)v[0];
        numbers(line, "pixels", v, 1), k.pixels = (cuuint32_t)v[0];
        numbers(line, "off", v, 3);
        for (int d = 0; d < 3; d++) k.c.off[d] = (uint16_t)v[d];
    } else {
        numbers(line, "box", v, k.rank);
        for (int d = 0; d < k.rank; d++) k.box[d] = (cuuint32_t)v[d];
    }
    numbers(line, "es", v, k.rank);
    for (int d = 0; d < k.rank; d++) k.step[d] = (cuuint32_t)v[d];
    numbers(line, "inter", v, 1), k.interleave = (int)v[0];
    numbers(line, "swz", v, 1), k.swizzle = (int)v[0];
    numbers(line, "prom", v, 1), k.promotion = (int)v[0];
    numbers(line, "fill", v, 1), k.fill = (int)v[0];
    numbers(line, "c", v, k.rank);
    for (int d = 0; d < k.rank; d++) k.c.c[d] = (int)v[d];
    numbers(line, "soff", v, 1), k.soff = (cuuint32_t)v[0];
    return k;
}

/* What comes to the barrier; of interleaved maps a slice of each pixel. */
static uint32_t box_bytes(const Case &k) {
    const uint32_t slice = 16u * k.interleave;
    if (k.im2col) return k.pixels * (slice ? slice : k.channels * size_of[k.type]);
    uint32_t n = slice ? slice : k.box[0] * size_of[k.type];
    for (int d = slice ? 0 : 1; d < k.rank; d++)
        if (!slice || d != k.rank - 2) n *= (k.box[d] + k.step[d] - 1) / k.step[d];
    return n;
}

static void run(const Case &k, const CUtensorMap &m) {
    const int number = atoi(k.name + strcspn(k.name, "0123456789"));
    const char *name = k.name;
    const uint32_t shared = N + BEHIND;
    uint32_t bytes = box_bytes(k);
    if (!strncmp(name, "load", 4)) {
        const bool elsewhere = number % 16 == 5;
        if (elsewhere) copy_map<<<1, 32>>>(m, device_map);
        tile<<<1, 32, shared>>>(m, k.rank, k.c, bytes, k.soff, out, elsewhere ? device_map : NULL, number % 8 == 3);
        answer(name, out, N + 16);
    } else if (strstr(name, "store")) {
        CHECK(cudaMemcpy(memory, in, ROOM / 8, cudaMemcpyDeviceToDevice));
        const uint8_t *from = in + 65536 + atoi(strstr(name, "store") + strlen("store")) % 8 * 16;
        const int op = atoi(strchr(name, '.') + 1);
        if (k.im2col) pixels_store<<<1, 32, shared>>>(m, k.rank, k.c, k.soff, from, op);
        else tile_store<<<1, 32, shared>>>(m, k.rank, k.c, k.soff, from, op);
        answer(name, memory, ROOM / 8);
        CHECK(cudaMemcpy(memory, in, ROOM / 8, cudaMemcpyDeviceToDevice));
    } else if (k.im2col) {
        pixels<<<1, 32, shared>>>(m, k.rank, k.c, bytes, k.soff, out);
        answer(name, out, N + 16);
    } else if (!strncmp(name, "inter", 5)) {
        tile<<<1, 32, shared>>>(m, k.rank, k.c, bytes, k.soff, out, NULL, 0);
        answer(name, out, N + 16);
    } else if (!strncmp(name, "along", 5)) {
        if (number >= 8) bytes = bytes / k.box[0] * ((k.box[0] + k.step[0] - 1) / k.step[0]);
        tile<<<1, 32, shared>>>(m, k.rank, k.c, bytes, k.soff, out, NULL, 0);
        answer(name, out, N + 16);
    } else if (!strcmp(name, "constant")) {
        CHECK(cudaMemcpyToSymbol(constant_map, &m, sizeof m));
        tile_constant<<<1, 32, shared>>>(bytes, out, k.c.c[0], k.c.c[1]);
        answer(name, out, N);
        tile_to_many<<<4, 32, shared>>>(m, bytes, out, k.c.c[0], k.c.c[1], 15);
        answer("multicast", out, 4 * N + 16);
        tile_to_many<<<4, 32, shared>>>(m, bytes, out, k.c.c[0], k.c.c[1], 10);
        answer("multicast.some", out, 4 * N + 16);
    } /* of others the map is what is asked for */
}

int main(int argc, char **argv) {
    const int skip = argc > 1 ? atoi(argv[1]) : 0;
    static char line[4000];
    encode_fn encode;
    encode_pixels_fn encode_pixels;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode_pixels, 12000, cudaEnableDefault, &found));
    CHECK(cudaMalloc(&memory, ROOM));
    CHECK(cudaMalloc(&in, ROOM));
    CHECK(cudaMalloc(&out, ROOM));
    CHECK(cudaMalloc(&device_map, sizeof *device_map));
    noise_fill(host, ROOM, 7);
    CHECK(cudaMemcpy(memory, host, ROOM, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(in, host, ROOM, cudaMemcpyHostToDevice));
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "map ", 4) || seen++ < skip) continue;
        Case k = parse(line);
        CUtensorMap m;
        const CUtensorMapDataType type = (CUtensorMapDataType)k.type;
        const CUtensorMapInterleave interleave = (CUtensorMapInterleave)k.interleave;
        const CUtensorMapSwizzle swizzle = (CUtensorMapSwizzle)k.swizzle;
        const CUtensorMapL2promotion promotion = (CUtensorMapL2promotion)k.promotion;
        const CUtensorMapFloatOOBfill fill = (CUtensorMapFloatOOBfill)k.fill;
        CUresult r = k.im2col ? encode_pixels(&m, type, k.rank, memory + k.at, k.dim, k.stride, k.low, k.high, k.channels, k.pixels, k.step, interleave, swizzle, promotion, fill)
                              : encode(&m, type, k.rank, memory + k.at, k.dim, k.stride, k.box, k.step, interleave, swizzle, promotion, fill);
        printf("%.*s -> %d", (int)(strstr(line, " -> ") - line), line, (int)r);
        for (int w = 0; w < 16 && !r; w++) printf(" %016llx", ((unsigned long long *)&m)[w]);
        printf(r ? "\n" : " memory %llx\n", (unsigned long long)(uintptr_t)memory);
        if (!r) run(k, m);
    }
    return 0;
}
