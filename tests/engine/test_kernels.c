/* Whole kernels (bench/kernels.cu) against the same work on the host, bit by bit. */
#include "engine/harness.h"

#include <math.h>

#define CUBIN WG_TEST_DATA "/../../bench/kernels.sm_90.cubin"

static uint32_t state_ = 1;
static float random_float(void) {
    state_ = state_ * 1664525u + 1013904223u;
    return (float)(state_ >> 8) / 16777216.0f - 0.5f;
}
static float *random_floats(size_t n) {
    float *v = malloc(n * sizeof *v);
    assert_non_null(v);
    for (size_t k = 0; k < n; k++) v[k] = random_float();
    return v;
}
static void assert_same(const float *a, const float *b, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], 4)) fail_msg("element %zu: %.9g, expected %.9g", k, (double)a[k], (double)b[k]);
}

static void saxpy(void **state) {
    (void)state;
    machine *m = machine_open(CUBIN);
    enum { N = 1000 };
    float *x = random_floats(N), *y = random_floats(N), r[N];
    struct { int n; float a; uint64_t x, y; } p = {N, 1.25f, machine_alloc(m, x, N * 4), machine_alloc(m, y, N * 4)};
    machine_run(m, "saxpy", 4, 1, 256, 1, &p);
    machine_read(m, r, p.y, sizeof r);
    for (int i = 0; i < N; i++) y[i] = fmaf(1.25f, x[i], y[i]);
    assert_same(r, y, N);
    assert_int_equal(m->result.blocks_run, 4);
    assert_true(m->result.complete);
    assert_int_equal(m->result.idle_threads, 24);
    machine_close(m);
    free(x), free(y);
}

static void conv3x3(void **state) {
    (void)state;
    machine *m = machine_open(CUBIN);
    enum { W = 70, H = 21 };
    float *in = random_floats(W * H), *weight = random_floats(9), r[W * H], *zero = calloc(W * H, 4);
    struct { uint64_t in, weight, out; int w, h; } p = {machine_alloc(m, in, W * H * 4), machine_alloc(m, weight, 36),
                                                        machine_alloc(m, zero, W * H * 4), W, H};
    machine_run(m, "conv3x3", 3, 3, 32, 8, &p);
    machine_read(m, r, p.out, sizeof r);
    for (int y = 0; y < H - 2; y++)
        for (int x = 0; x < W - 2; x++) {
            float sum = 0;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++) sum = fmaf(weight[j * 3 + i], in[(y + j) * W + x + i], sum);
            zero[y * W + x] = sum;
        }
    assert_same(r, zero, W * H);
    machine_close(m);
    free(in), free(weight), free(zero);
}

static void matmul(void **state) {
    (void)state;
    machine *m = machine_open(CUBIN);
    enum { N = 96 };
    float *a = random_floats(N * N), *b = random_floats(N * N), *want = calloc(N * N, 4), *r = malloc(N * N * 4);
    struct { uint64_t a, b, c; int n; } p = {machine_alloc(m, a, N * N * 4), machine_alloc(m, b, N * N * 4),
                                             machine_alloc(m, NULL, N * N * 4), N};
    machine_run(m, "matmul", 3, 3, 32, 32, &p);
    machine_read(m, r, p.c, N * N * 4);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            for (int k = 0; k < N; k++) want[y * N + x] = fmaf(a[y * N + k], b[k * N + x], want[y * N + x]);
    assert_same(r, want, N * N);
    machine_close(m);
    free(a), free(b), free(want), free(r);
}

static float tree(float *v) {
    for (int d = 16; d; d >>= 1)
        for (int l = 0; l < 32; l++) v[l] += l + d < 32 ? v[l + d] : v[l]; /* ascending: v[l + d] is still the old value */
    return v[0];
}
static void reduce(void **state) {
    (void)state;
    machine *m = machine_open(CUBIN);
    enum { N = 5000, BLOCKS = 3, THREADS = 160 };
    float *in = random_floats(N), r[BLOCKS], want[BLOCKS];
    struct { uint64_t in, out; int n; } p = {machine_alloc(m, in, N * 4), machine_alloc(m, NULL, BLOCKS * 4), N};
    machine_run(m, "reduce", BLOCKS, 1, THREADS, 1, &p);
    machine_read(m, r, p.out, sizeof r);
    for (int b = 0; b < BLOCKS; b++) {
        float warps[32] = {0};
        for (int w = 0; w < THREADS / 32; w++) {
            float v[32];
            for (int l = 0; l < 32; l++) {
                v[l] = 0;
                for (int i = b * THREADS + w * 32 + l; i < N; i += BLOCKS * THREADS) v[l] += in[i];
            }
            warps[w] = tree(v);
        }
        want[b] = tree(warps);
    }
    assert_same(r, want, BLOCKS);
    machine_close(m);
    free(in);
}

static void mandelbrot(void **state) {
    (void)state;
    machine *m = machine_open(CUBIN);
    enum { W = 64, H = 48, LIMIT = 100 };
    int *r = malloc(W * H * 4), wrong = 0;
    struct { uint64_t out; int w, h, limit; } p = {machine_alloc(m, NULL, W * H * 4), W, H, LIMIT};
    machine_run(m, "mandelbrot", 2, 6, 32, 8, &p);
    machine_read(m, r, p.out, W * H * 4);
    for (int py = 0; py < H; py++)
        for (int px = 0; px < W; px++) { /* in double: the orbit of few points depends on the last bits */
            double cx = -2.0 + 3.0 * px / W, cy = -1.5 + 3.0 * py / H, x = 0, y = 0;
            int n = 0;
            while (n < LIMIT && x * x + y * y < 4.0) {
                double t = x * x - y * y + cx;
                y = 2 * x * y + cy, x = t, n++;
            }
            wrong += n != r[py * W + px];
        }
    assert_true(wrong < W * H / 50);
    machine_close(m);
    free(r);
}

static void gather_and_several_workers(void **state) {
    (void)state;
    machine *m = machine_open(CUBIN);
    enum { N = 3000 };
    float *in = random_floats(N), r[N], want[N];
    int index[N];
    for (int k = 0; k < N; k++) index[k] = (int)(random_float() * N + N / 2), want[k] = in[index[k]];
    struct { uint64_t in, index, out; int n; } p = {machine_alloc(m, in, N * 4), machine_alloc(m, index, N * 4),
                                                    machine_alloc(m, NULL, N * 4), N};
    uint64_t first = 0;
    for (m->jobs = 1; m->jobs <= 3; m->jobs++) {
        machine_run(m, "gather", 12, 1, 256, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        assert_same(r, want, N);
        if (!first) first = m->result.thread_instructions;
        assert_int_equal(m->result.thread_instructions, first);
    }
    machine_close(m);
    free(in);
}

#if defined(__x86_64__)
/* Does some vector register hold more than its lower half? By what the processor would not save, were it asked to. */
static bool upper_halves_in_use(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low >> 2 & 1;
}
static bool processor_tells(void) {
    uint32_t a = 13, b, c = 1, d;
    if (!__builtin_cpu_supports("avx2")) return false;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (!(a >> 2 & 1)) return false;
    __asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
    bool used = upper_halves_in_use();
    __asm__ volatile("vzeroupper" ::: "xmm0");
    return used && !upper_halves_in_use();
}

static void look_at_upper_halves(void *state, const eng_batch *batch) {
    unsigned *seen = state;
    (void)batch;
    seen[upper_halves_in_use()]++;
}

/* What handlers and native code leave behind costs those who come next: an instruction of SSE that finds the upper halves
 * of vector registers in use may take a hundred nanoseconds. */
static void upper_halves_are_left_unused(void **state) {
    (void)state;
    if (!processor_tells()) skip();
    machine *m = machine_open(CUBIN);
    enum { N = 64 };
    float *x = random_floats(N * N);
    unsigned seen[2] = {0};
    struct { uint64_t a, b, c; int n; } p = {machine_alloc(m, x, N * N * 4), machine_alloc(m, x, N * N * 4), machine_alloc(m, x, N * N * 4), N};
    eng_sink sink = {.wants = 1u << ENG_EV_ACCESS, .events = look_at_upper_halves, .state = seen}; /* often full: amid the handlers */
    eng_launch l = {.function = img_find_function(m->module, "matmul"), .grid = {2, 2, 1}, .block = {32, 32, 1}, .params = &p,
                    .jobs = 1, .sinks = &sink, .n_sinks = 1};
    assert_int_equal(eng_run(m->code, &l, &m->result, &m->err), WG_OK);
    assert_true(seen[false] + seen[true] > 20);
    assert_int_equal(seen[true], 0);
    machine_close(m);
    free(x);
}
#else
static void upper_halves_are_left_unused(void **state) {
    (void)state;
    skip();
}
#endif

static void count_meetings(void *state, const eng_batch *batch) {
    for (size_t i = 0; i < batch->count; i++) *(unsigned *)state += batch->events[i].kind == ENG_EV_WARP_OP;
}
static unsigned meetings_of_reduce(uint32_t wants, uint32_t threads) {
    machine *m = machine_open(CUBIN);
    enum { N = 1024 };
    float *x = random_floats(N);
    unsigned n = 0;
    struct { uint64_t in, out; int n; } p = {machine_alloc(m, x, N * 4), machine_alloc(m, NULL, 64), N};
    eng_sink sink = {.wants = wants, .events = count_meetings, .state = &n};
    eng_launch l = {.function = img_find_function(m->module, "reduce"), .grid = {2, 1, 1}, .block = {threads, 1, 1}, .params = &p,
                    .jobs = 1, .sinks = &sink, .n_sinks = 1};
    assert_int_equal(eng_run(m->code, &l, &m->result, &m->err), WG_OK);
    machine_close(m);
    free(x);
    return n;
}

/* Each warp shuffles five times, the first one of each block five times more after its store. */
static void shuffles_in_a_row_are_told_once(void **state) {
    (void)state;
    assert_int_equal(meetings_of_reduce(1u << ENG_EV_WARP_OP, 256), 2 * 8);
    assert_int_equal(meetings_of_reduce(1u << ENG_EV_WARP_OP | 1u << ENG_EV_ACCESS, 256), 2 * (8 + 1));
    assert_int_equal(meetings_of_reduce(1u << ENG_EV_WARP_OP, 250), 2 * (7 + 5)); /* the last warp reads lanes that are not there */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saxpy), cmocka_unit_test(conv3x3), cmocka_unit_test(matmul), cmocka_unit_test(reduce),
        cmocka_unit_test(mandelbrot), cmocka_unit_test(gather_and_several_workers),
        cmocka_unit_test(upper_halves_are_left_unused), cmocka_unit_test(shuffles_in_a_row_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
