/* Thread block clusters: where blocks are, their barrier, each other's shared memory, and what goes wrong with it. */
#include "harness.h"

static machine *open_machine(void) { return machine_open(WG_TEST_DATA "/../engine/cluster.sm_90.cubin"); }

static wg_status run(machine *m, const char *kernel, const uint32_t grid[3], uint32_t threads, const uint32_t cluster[3], uint32_t shared, const void *params) {
    const img_function *f = img_find_function(m->module, kernel);
    if (!f) fail_msg("no kernel %s", kernel);
    eng_launch l = {.function = f, .grid = {grid[0], grid[1], grid[2]}, .block = {threads, 1, 1}, .params = params, .jobs = m->jobs, .shared_dynamic = shared,
                    .finding = machine_finding, .ctx = m, .seed = m->seed};
    memcpy(l.cluster, cluster ? cluster : f->cluster, sizeof l.cluster);
    m->n_findings = 0;
    eng_result_free(&m->result);
    return eng_run(m->code, &l, &m->result, &m->err);
}
static void run_well(machine *m, const char *kernel, const uint32_t grid[3], uint32_t threads, const uint32_t cluster[3], uint32_t shared, const void *params) {
    if (run(m, kernel, grid, threads, cluster, shared, params) != WG_OK) fail_msg("%s: %s", kernel, m->err.text);
    assert_true(m->result.complete);
    assert_int_equal(m->n_findings, 0);
}

/* --- where ------------------------------------------------------------------------------------------- */

static void check_where(const uint32_t g[3], const uint32_t *cluster) {
    enum { WORDS = 26 };
    const uint32_t ones[3] = {1, 1, 1}, *c = cluster ? cluster : ones, threads = 64;
    machine *m = open_machine();
    uint32_t blocks = g[0] * g[1] * g[2], size = c[0] * c[1] * c[2], *got = calloc(blocks, WORDS * 4);
    uint64_t out = machine_alloc(m, got, blocks * WORDS * 4);
    run_well(m, "where", g, threads, cluster ? cluster : (const uint32_t[3]){0}, 0, &out);
    machine_read(m, got, out, blocks * WORDS * 4);
    for (uint32_t z = 0; z < g[2]; z++)
        for (uint32_t y = 0; y < g[1]; y++)
            for (uint32_t x = 0; x < g[0]; x++) {
                const uint32_t *o = got + WORDS * (x + g[0] * (y + g[1] * z)), in[3] = {x % c[0], y % c[1], z % c[2]};
                uint32_t rank = in[0] + c[0] * (in[1] + c[1] * in[2]);
                const uint32_t want[WORDS] = {rank, size, rank * threads + 1, size * threads, in[0], in[1], in[2], c[0], c[1], c[2], x / c[0], y / c[1], z / c[2],
                                              g[0] / c[0], g[1] / c[1], g[2] / c[2], in[0], in[1], in[2], c[0], c[1], c[2], rank, size, cluster != NULL, x};
                assert_memory_equal(o, want, sizeof want);
            }
    free(got);
    machine_close(m);
}

static void test_where(void **state) {
    (void)state;
    check_where((const uint32_t[3]){5, 2, 3}, NULL);
    check_where((const uint32_t[3]){4, 1, 1}, (const uint32_t[3]){1, 1, 1});
    check_where((const uint32_t[3]){6, 4, 2}, (const uint32_t[3]){3, 2, 1});
    check_where((const uint32_t[3]){2, 6, 4}, (const uint32_t[3]){1, 3, 4});
    check_where((const uint32_t[3]){2100, 1, 1}, (const uint32_t[3]){7, 1, 1}); /* by reciprocals that no float holds */
    check_where((const uint32_t[3]){32, 1, 1}, (const uint32_t[3]){16, 1, 1});
}

/* --- memory of the others ------------------------------------------------------------------------------ */

static void check_histogram(unsigned jobs, uint64_t seed) {
    enum { N = 20000, A_BLOCK = 100, SIZE = 4, BINS = A_BLOCK * SIZE };
    static int in[N], want[BINS], got[BINS];
    uint32_t state = 7;
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    for (int i = 0; i < N; i++) {
        state = state * 1664525 + 1013904223;
        want[in[i] = (int)((state >> 8) % BINS)]++;
    }
    machine *m = open_machine();
    m->jobs = jobs;
    m->seed = seed;
    struct {
        uint64_t bins, in;
        int32_t n, a_block;
    } params = {machine_alloc(m, got, sizeof got), machine_alloc(m, in, sizeof in), N, A_BLOCK};
    run_well(m, "histogram", (const uint32_t[3]){SIZE * 6, 1, 1}, 96, (const uint32_t[3]){SIZE, 1, 1}, A_BLOCK * 4, &params);
    machine_read(m, got, params.bins, sizeof got);
    assert_memory_equal(got, want, sizeof want);
    machine_close(m);
}

static void test_histogram(void **state) {
    (void)state;
    check_histogram(1, 0);
    check_histogram(3, 0);
    for (uint64_t seed = 1; seed < 4; seed++) check_histogram(1, seed);
}

static void test_ring(void **state) {
    (void)state;
    enum { BLOCKS = 8, THREADS = 64 };
    static uint32_t got[BLOCKS * THREADS * 5];
    machine *m = open_machine();
    uint64_t out = machine_alloc(m, got, sizeof got);
    run_well(m, "ring", (const uint32_t[3]){BLOCKS, 1, 1}, THREADS, NULL, 0, &out);
    machine_read(m, got, out, sizeof got);
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t t = 0; t < THREADS; t++) {
            uint32_t next = (b + 1) % 4, last = (b + 3) % 4;
            const uint32_t want[5] = {63 - t + 100 * next, next, 7 * t + last, 64 * 1000 + 63, t & 1 ? 1 : 3};
            assert_memory_equal(got + 5 * (b * THREADS + t), want, sizeof want);
        }
    machine_close(m);
}

static void test_mailbox(void **state) {
    (void)state;
    int got[128] = {0};
    machine *m = open_machine();
    uint64_t out = machine_alloc(m, got, sizeof got);
    run_well(m, "mailbox", (const uint32_t[3]){2, 1, 1}, 32, NULL, 0, &out);
    machine_read(m, got, out, sizeof got);
    for (int k = 0; k < 128; k++) assert_int_equal(got[k], (31 - k % 32) * 3 + k / 32 % 2 + 1000 * (k / 64));
    machine_close(m);
}

static void test_barrier(void **state) {
    (void)state;
    int got[256] = {0};
    machine *m = open_machine();
    uint64_t out = machine_alloc(m, got, sizeof got);
    for (uint32_t asked = 0; asked < 2; asked++) { /* the code takes the block's barrier where no clusters were asked for */
        run_well(m, "alone", (const uint32_t[3]){1, 1, 1}, 256, (const uint32_t[3]){asked, asked, asked}, 0, &out);
        machine_read(m, got, out, sizeof got);
        for (int k = 0; k < 256; k++) assert_int_equal(got[k], 255 - k);
    }
    run_well(m, "own_counts", (const uint32_t[3]){8, 1, 1}, 64, NULL, 0, &out);
    machine_read(m, got, out, sizeof got);
    for (int k = 0; k < 32; k++) assert_int_equal(got[k], 16 * (1 + k / 4 % 4));
    run_well(m, "early", (const uint32_t[3]){4, 1, 1}, 128, NULL, 0, &out);
    machine_read(m, got, out, sizeof got);
    for (int k = 0; k < 4; k++) assert_int_equal(got[k], 6 - k % 2);
    machine_close(m);
}

/* What an H200 left in the other block's memory. */
static void test_told(void **state) {
    (void)state;
    static const uint32_t want[] = {0xabcd0001, 0x101, 2, 3, 4, 5, 6, 7, 0x89abcdef, 0x1234567, 0x10a, 0x10b, 0x11, 0, 0x22, 0, 0x115, 0x10a, 3, 0xfffffffd, 0xffff0000,
                                    0x115, 0x117, 0x50, 0x18, 0xff19, 0xfee5, 0x11b, 0x11b, 0x11d};
    uint32_t got[66];
    machine *m = open_machine();
    uint64_t out = machine_alloc(m, NULL, sizeof got);
    run_well(m, "told", (const uint32_t[3]){2, 1, 1}, 64, NULL, 0, &out);
    machine_read(m, got, out, sizeof got);
    for (unsigned k = 0; k < 64; k++) assert_int_equal(got[k], k < sizeof want / sizeof *want ? want[k] : 0x100 + k);
    assert_int_equal(got[64], 1); /* all the bytes came */
    assert_int_equal(got[65], 0);
    machine_close(m);
}

/* --- what goes wrong ------------------------------------------------------------------------------------ */

static void fails(machine *m, const char *kernel, uint64_t out, wg_status status, eng_finding_kind kind, uint32_t lanes, const char *says) {
    assert_int_equal(run(m, kernel, (const uint32_t[3]){2, 1, 1}, 64, NULL, 0, &out), status);
    assert_int_equal(m->n_findings, 1);
    assert_int_equal(m->findings[0].kind, kind);
    if (lanes) assert_int_equal(m->findings[0].lanes, lanes);
    if (!strstr(m->findings[0].text, says)) fail_msg("%s: %s", kernel, m->findings[0].text);
}

static void test_faults(void **state) {
    (void)state;
    machine *m = open_machine();
    uint64_t out = machine_alloc(m, NULL, 1024);
    fails(m, "too_late", out, WG_ERR_FAULT, ENG_FAULT_ENDED, UINT32_MAX, "of rank 1 in the cluster, has ended");
    fails(m, "no_such_block", out, WG_ERR_FAULT, ENG_FAULT_CLUSTER, 8, "rank 2 of a cluster of 2 blocks");
    fails(m, "beyond", out, WG_ERR_FAULT, ENG_FAULT_CLUSTER, UINT32_MAX, "shared memory has 1056 bytes");
    fails(m, "one_waits", out, WG_ERR_DEADLOCK, ENG_FAULT_DEADLOCK, 0, "BAR 1");
    const uint32_t grid[3] = {5, 1, 1}, two[3] = {2, 1, 1}, many[3] = {17, 1, 1}, seventeen[3] = {17, 1, 1};
    assert_int_equal(run(m, "where", grid, 32, two, 0, &out), WG_ERR_ARGUMENT);
    assert_int_equal(run(m, "where", seventeen, 32, many, 0, &out), WG_ERR_ARGUMENT);
    machine_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_where), cmocka_unit_test(test_histogram), cmocka_unit_test(test_ring), cmocka_unit_test(test_told),
                                       cmocka_unit_test(test_mailbox), cmocka_unit_test(test_barrier), cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
