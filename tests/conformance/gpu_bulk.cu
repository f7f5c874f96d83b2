/* Writes bulk_h200.txt: what a GPU makes of the cases of test_bulk.c. nvcc -O3 -arch=sm_90 gpu_bulk.cu && ./a.out >bulk_h200.txt */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bulk.cu"

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); exit(2); } } while (0)
static uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
static void fill(uint8_t *p, size_t n, uint32_t seed) {
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)(mix((uint32_t)i / 4 + seed * 0x9e3779b9u) >> 8 * (i & 3));
}
static void put(const char *name, const uint8_t *p, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
    printf("%s %016llx\n", name, (unsigned long long)h);
}
static const char *const op_name[] = {"add.u32", "add.s32", "add.u64", "add.noftz.f16", "add.noftz.bf16", "add.f32", "add.f64", "inc.u32", "dec.u32", "min.u32", "max.u32", "min.s32", "max.s32", "min.u64", "max.u64", "min.s64", "max.s64", "min.f16", "max.f16", "min.bf16", "max.bf16", "and.b32", "or.b32", "xor.b32", "and.b64", "or.b64", "xor.b64"};
int main() {
    uint8_t *h = (uint8_t *)malloc(65536), *o = (uint8_t *)malloc(65536), *in, *out;
    CHECK(cudaMalloc(&in, 65536)); CHECK(cudaMalloc(&out, 65536));
    fill(h, 65536, 1);
    CHECK(cudaMemcpy(in, h, 65536, cudaMemcpyHostToDevice));
    char name[200];
#define RUN(n, ...) do { CHECK(cudaMemset(out, 0x3c, 65536)); __VA_ARGS__; cudaError_t e = cudaDeviceSynchronize(); if (e != cudaSuccess) { printf("# %s: %s\n", name, cudaGetErrorString(e)); exit(3); } CHECK(cudaMemcpy(o, out, 65536, cudaMemcpyDeviceToHost)); put(name, o, n); } while (0)
    static const uint32_t sizes[] = {16, 32, 48, 128, 1008, 2048};
    for (unsigned k = 0; k < 6; k++)
        for (unsigned c = 1; c <= 3; c += 2) {
            sprintf(name, "g2s.%u.%u", sizes[k], c);
            RUN(N + 32, (g2s<<<1, 64>>>(in, out, sizes[k], 16 * k, 32 * k + 16, c)));
        }
    sprintf(name, "g2s.few"); /* zero copies' bytes: the barrier's phase ends at once */
    RUN(N + 32, (g2s<<<1, 64>>>(in, out, 64, 0, 0, 0)));
    sprintf(name, "g2s_hint"); RUN(N, (g2s_hint<<<1, 64>>>(in, out, 2048)));
    for (unsigned k = 0; k < 6; k++)
        for (unsigned c = 1; c <= 3; c += 2)
            for (int hint = 0; hint < 2; hint++) { sprintf(name, "s2g.%u.%u.%d", sizes[k], c, hint); RUN(N * 2, (s2g<<<1, 64>>>(in, out, sizes[k], 16 * k, 32 * k + 16, c, hint))); }
    for (int r = 0; r <= 12; r++) { sprintf(name, "s2s.%d", r); RUN(2 * N + 8, (s2s<<<2, 64>>>(in, out, 1024, r))); }
    for (int hint = 0; hint < 2; hint++) {
        sprintf(name, "mcast2.%d", hint); RUN(2 * N + 8, (mcast2<<<2, 64>>>(in, out, 512, 3, 512, hint)));
        sprintf(name, "mcast4.%d", hint); RUN(4 * N + 16, (mcast4<<<4, 64>>>(in, out, 512, 15, 512, hint)));
    }
    sprintf(name, "mcast4.some"); RUN(4 * N + 16, (mcast4<<<4, 64>>>(in, out, 512, 5, 512, 0)));
    for (unsigned op = 0; op < sizeof op_name / sizeof *op_name; op++)
        for (int hint = 0; hint < 2; hint++) {
            sprintf(name, "reduce.%s.%d", op_name[op], hint);
            RUN(4096, CHECK(cudaMemcpy(out, in + 16384, 16384, cudaMemcpyDeviceToDevice)); (reduce<<<1, 64>>>(in, out, 2048 + 16, op, hint)));
        }
    /* floats near each other, so that sums round and lose their denormals */
    static const int fl[] = {3, 4, 5, 6, 17, 18, 19, 20};
    for (unsigned k = 0; k < 8; k++) {
        unsigned wide = fl[k] == 5 ? 4 : fl[k] == 6 ? 8 : 2;
        bool b = fl[k] == 4 || fl[k] >= 19;
        uint8_t *a = (uint8_t *)malloc(16384);
        for (unsigned i = 0; i < 16384 / wide; i++) {
            uint64_t bits = (uint64_t)mix(i * 3 + k) << 32 | mix(i * 7 + 99 + k), v;
            unsigned e = mix(i % 1024 + 5) % 12; /* exponents of both addends lie together */
            if (wide == 8) v = (bits & 0x800fffffffffffffull) | (uint64_t)(e < 3 ? e : 1000 + e + bits % 3) << 52;
            else if (wide == 4) v = (bits & 0x807fffff) | (uint64_t)(e < 3 ? e : 120 + e + bits % 3) << 23;
            else if (b) v = (bits & 0x807f) | (uint64_t)(e < 3 ? e : 120 + e + bits % 3) << 7;
            else v = (bits & 0x83ff) | (uint64_t)(e < 3 ? e : 10 + e + bits % 3) << 10;
            memcpy(a + i * wide, &v, wide);
        }
        CHECK(cudaMemcpy(in + 32768, a, 16384, cudaMemcpyHostToDevice));
        sprintf(name, "reduce_near.%s", op_name[fl[k]]);
        RUN(8192, CHECK(cudaMemcpy(out, in + 32768 + 8192, 8192, cudaMemcpyDeviceToDevice)); (reduce<<<1, 64>>>(in + 32768, out, 8192, fl[k], 0)));
        free(a);
    }
    static const uint32_t masks[16] = {0xffffffff, 0xfffffffe, 0x80000000, 0xff00, 0xaaaaaaaa, 0x10, 0xf0f0f0f0, 1, 3, 0xc0000000, 0x7fffffff, 0x12345678, 0x80000001, 0x00010000, 0x0ff00000, 0x5555};
    CHECK(cudaMemcpy(in + 60000, masks, 64, cudaMemcpyHostToDevice));
    sprintf(name, "elect"); RUN(256, (elect<<<1, 32>>>((uint32_t *)out, (uint32_t *)(in + 60000))));
    return 0;
}
