/* Writes bulk_h200.txt: what a GPU makes of the cases of test_bulk.c. nvcc -O3 -arch=sm_90 gpu_bulk.cu && ./a.out >bulk_h200.txt */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bulk.cu"
#include "bulk_cases.h"

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); exit(2); } } while (0)
static void put(const char *name, const uint8_t *p, size_t n) {
    printf("%s %016llx\n", name, (unsigned long long)fnv_bytes(p, n));
}
int main() {
    uint8_t *h = (uint8_t *)malloc(65536), *o = (uint8_t *)malloc(65536), *in, *out;
    CHECK(cudaMalloc(&in, 65536)); CHECK(cudaMalloc(&out, 65536));
    noise_fill(h, 65536, 1);
    CHECK(cudaMemcpy(in, h, 65536, cudaMemcpyHostToDevice));
    char name[200];
#define RUN(n, ...) do { CHECK(cudaMemset(out, 0x3c, 65536)); __VA_ARGS__; cudaError_t e = cudaDeviceSynchronize(); if (e != cudaSuccess) { printf("# %s: %s\n", name, cudaGetErrorString(e)); exit(3); } CHECK(cudaMemcpy(o, out, 65536, cudaMemcpyDeviceToHost)); put(name, o, n); } while (0)
    for (unsigned k = 0; k < BULK_SIZES; k++)
        for (unsigned c = 1; c <= 3; c += 2) {
            sprintf(name, "g2s.%u.%u", bulk_sizes[k], c);
            RUN(N + 32, (g2s<<<1, 64>>>(in, out, bulk_sizes[k], 16 * k, 32 * k + 16, c)));
        }
    sprintf(name, "g2s.few"); /* zero copies' bytes: the barrier's phase ends at once */
    RUN(N + 32, (g2s<<<1, 64>>>(in, out, 64, 0, 0, 0)));
    sprintf(name, "g2s_hint"); RUN(N, (g2s_hint<<<1, 64>>>(in, out, 2048)));
    for (unsigned k = 0; k < BULK_SIZES; k++)
        for (unsigned c = 1; c <= 3; c += 2)
            for (int hint = 0; hint < 2; hint++) { sprintf(name, "s2g.%u.%u.%d", bulk_sizes[k], c, hint); RUN(N * 2, (s2g<<<1, 64>>>(in, out, bulk_sizes[k], 16 * k, 32 * k + 16, c, hint))); }
    for (int r = 0; r <= 12; r++) { sprintf(name, "s2s.%d", r); RUN(2 * N + 8, (s2s<<<2, 64>>>(in, out, 1024, r))); }
    for (int hint = 0; hint < 2; hint++) {
        sprintf(name, "mcast2.%d", hint); RUN(2 * N + 8, (mcast2<<<2, 64>>>(in, out, 512, 3, 512, hint)));
        sprintf(name, "mcast4.%d", hint); RUN(4 * N + 16, (mcast4<<<4, 64>>>(in, out, 512, 15, 512, hint)));
    }
    sprintf(name, "mcast4.some"); RUN(4 * N + 16, (mcast4<<<4, 64>>>(in, out, 512, 5, 512, 0)));
    for (unsigned op = 0; op < BULK_OPERATIONS; op++)
        for (int hint = 0; hint < 2; hint++) {
            sprintf(name, "reduce.%s.%d", bulk_operations[op], hint);
            RUN(4096, CHECK(cudaMemcpy(out, in + 16384, 16384, cudaMemcpyDeviceToDevice)); (reduce<<<1, 64>>>(in, out, 2048 + 16, op, hint)));
        }
    for (unsigned k = 0; k < BULK_FLOAT_OPERATIONS; k++) {
        static uint8_t a[16384];
        const int op = bulk_float_operations[k];
        bulk_near_floats(a, sizeof a, op);
        CHECK(cudaMemcpy(in + 32768, a, 16384, cudaMemcpyHostToDevice));
        sprintf(name, "reduce_near.%s", bulk_operations[op]);
        RUN(8192, CHECK(cudaMemcpy(out, in + 32768 + 8192, 8192, cudaMemcpyDeviceToDevice)); (reduce<<<1, 64>>>(in + 32768, out, 8192, op, 0)));
    }
    CHECK(cudaMemcpy(in + 60000, bulk_elect_masks, 64, cudaMemcpyHostToDevice));
    sprintf(name, "elect"); RUN(256, (elect<<<1, 32>>>((uint32_t *)out, (uint32_t *)(in + 60000))));
    return 0;
}
