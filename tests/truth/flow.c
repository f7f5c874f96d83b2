/* flow CUBIN: launches the kernels of flow.cu, one warp each, on whatever stands behind the driver's interface: a GPU under Nsight
 * Compute, or the machine here. It needs the driver only: cc flow.c -ldl */
#include <stdint.h>

#include "driver.h"

enum { WORDS = 1024, OUT_BYTES = 1 << 16 };
#define COUNT(list) (sizeof(list) / sizeof *(list))
static const unsigned ALL = ~0u;
static void *module;
static CUdeviceptr in, out;

static void launch(const char *kernel, unsigned mask, int n) {
    void *parameters[] = {&out, &in, &mask, &n};
    launch_warp(module, kernel, 0, parameters);
}
static void tell(const unsigned lanes[32]) {
    unsigned words[WORDS];
    for (unsigned l = 0; l < WORDS; l++) words[l] = l < 32 ? lanes[l] : l * 7 & 15;
    need(cuMemcpyHtoD(in, words, sizeof words), "cuMemcpyHtoD");
}
static uint32_t random32(void) {
    static uint32_t x = 77;
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return x;
}

/* Which way each lane goes: all one way, halves, every other, groups of 1, 2, 4 and 25, all ways in turn and side by side, one alone, at
 * random, the most first. */
static unsigned way(unsigned pattern, unsigned l) {
    switch (pattern) {
    case 0: return 2;
    case 1: return l < 16;
    case 2: return l & 1;
    case 3: return l < 1 ? 0 : l < 3 ? 1 : l < 7 ? 2 : 3;
    case 4: return l & 7;
    case 5: return l / 4;
    case 6: return l == 31 ? 5 : 4;
    case 7: return random32() & 7;
    default: return l < 28 ? 3 : l < 31 ? 2 : 1;
    }
}
enum { WAYS = 9 };

static void branches(void) {
    static const struct { const char *name; int n; } kernels[] = {{"call_one", 0}, {"call_two", 0}, {"call_loop", 6}, {"switch_one", 0}, {"switch_loop", 6},
        {"break_one", 9}, {"break_two", 4}, {"end_in_loop", 9}, {"sleep_some", 0}, {"sleep_both", 0}, {"both_predicates", 9}};
    static const unsigned masks[] = {0xffff, 0x55, 1};
    for (unsigned p = 0; p < WAYS; p++) {
        unsigned lanes[32];
        for (unsigned l = 0; l < 32; l++) lanes[l] = way(p, l);
        tell(lanes);
        for (size_t k = 0; k < COUNT(kernels); k++) launch(kernels[k].name, ALL, kernels[k].n);
        for (size_t m = 0; p == 4 && m < COUNT(masks); m++)
            for (size_t k = 0; k < 5; k++) launch(kernels[k].name, masks[m], kernels[k].n);
    }
}

static void places(void) {
    static const unsigned masks[] = {0, ALL, 0xffff, 0x55555555};
    static const char *const generic[] = {"generic_store", "generic_load", "generic_reduce"}, *const stray[] = {"stray_load", "stray_store", "stray_reduce"};
    for (size_t m = 0; m < COUNT(masks); m++)
        for (size_t k = 0; k < COUNT(generic); k++) launch(generic[k], masks[m], 0);
    for (size_t k = 0; k < COUNT(stray); k++) launch(stray[k], ALL, 0);
}

static void at_random(const char *kernel, unsigned bins, unsigned step, unsigned mask) {
    unsigned lanes[32];
    for (unsigned l = 0; l < 32; l++) lanes[l] = random32() % bins * step;
    tell(lanes);
    launch(kernel, mask, 0);
}
static void atomics(void) {
    static const unsigned bins[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256, 1024};
    static const char *const kernels[] = {"reduce_at", "reduce_at_8", "exchange_at", "compare_at"};
    for (size_t k = 0; k < COUNT(kernels); k++)
        for (size_t b = 0; b < COUNT(bins); b += k ? 2 : 1) {
            at_random(kernels[k], bins[b], 1, ALL);
            if (k) continue;
            at_random(kernels[k], bins[b], 1, ALL);
            at_random(kernels[k], bins[b], 1, 0x0f0f3355);
            if (bins[b] <= 64) at_random(kernels[k], bins[b], 8, ALL), at_random(kernels[k], bins[b], 32, ALL);
        }
}

static void spins(void) {
    static const unsigned steps[2][5] = {{0, 1, 2, 32, 33}, {0, 1, 2, 16, 17}};
    for (unsigned k = 0; k < 2; k++)
        for (unsigned s = 0; s < 5; s++) {
            unsigned lanes[32];
            for (unsigned l = 0; l < 32; l++) lanes[l] = l * steps[k][s];
            tell(lanes);
            launch(k ? "shared_double_at" : "shared_float_at", ALL, 0);
        }
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: flow CUBIN\n"), 2;
    module = loaded(argv[1]);
    in = filled(WORDS * 4, 0);
    out = filled(OUT_BYTES, 0);
    branches();
    places();
    atomics();
    spins();
    puts("done");
    return 0;
}
