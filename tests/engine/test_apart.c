/* Blocks that are apart (apart.c): said of kernels of which it is true, and never of others; and either way the same
 * result for every number of workers. */
#include <stdio.h>

#include "harness.h"

#include "engine/affine.h"

enum { N = 1 << 14, BYTES = (N + 2048) * 4 };

typedef struct kernel {
    const char *name;
    uint32_t grid[2], block[2];
    uint64_t params[4];   /* 0: the first array, 1: the second, as below */
    unsigned n_pointers;
    int n[2];
    bool apart;
    int out; /* where the first array begins, in elements: into the second when there are two */
} kernel;

#define LINE {N / 256, 1}, {256, 1}
static const kernel kernels[] = {
    {"scale", LINE, .n_pointers = 2, .n = {N}, .apart = true},
    {"scale", LINE, .n_pointers = 2, .n = {N - 100}, .apart = true},
    {"scale", LINE, .n_pointers = 2, .n = {N}, .apart = false, .out = 1},    /* out is in + 1 */
    {"scale", LINE, .n_pointers = 2, .n = {N}, .apart = false, .out = -300},
    {"in_place", LINE, .n_pointers = 1, .n = {N}, .apart = true},
    {"wide_index", LINE, .n_pointers = 1, .n = {N}, .apart = true},
    {"pairs", {N / 512, 1}, {256, 1}, .n_pointers = 1, .n = {N}, .apart = true},
    {"vectors", {N / 1024, 1}, {256, 1}, .n_pointers = 1, .n = {N}, .apart = true},
    {"bytes", LINE, .n_pointers = 1, .n = {N}, .apart = true},
    {"plane", {4, 16}, {32, 8}, .n_pointers = 1, .n = {128, 128}, .apart = true},
    {"plane", {4, 16}, {32, 8}, .n_pointers = 1, .n = {100, 128}, .apart = false}, /* as far as the strides say */
    {"columns", {4, 16}, {32, 8}, .n_pointers = 1, .n = {128, 128}, .apart = true},
    {"backwards", LINE, .n_pointers = 1, .n = {N}, .apart = true},
    {"neighbours", LINE, .n_pointers = 2, .n = {N}, .apart = true},
    {"one_a_block", LINE, .n_pointers = 2, .apart = true},
    {"shifted", LINE, .n_pointers = 1, .n = {N}},
    {"far_shifted", LINE, .n_pointers = 1, .n = {N}},
    {"overlapping", LINE, .n_pointers = 1, .n = {N}},
    {"same_place", LINE, .n_pointers = 1, .n = {N}},
    {"by_value", LINE, .n_pointers = 2, .n = {N}},
    {"wrapping", LINE, .n_pointers = 1, .n = {N}},
    {"half_index", LINE, .n_pointers = 1, .n = {N}},
    {"strided", {16, 1}, {256, 1}, .n_pointers = 1, .n = {N}},
    {"chosen", LINE, .n_pointers = 1, .n = {N}},
    {"in_place", {1024, 1}, {256, 1}, .n_pointers = 1, .n = {1 << 18}}, /* far over the end: more findings than are kept */
    {"trapping", LINE, .n_pointers = 1, .n = {N}},
    {"carried", LINE, .n_pointers = 1, .n = {N}},
    {"added_and_bounded", LINE, .n_pointers = 1, .n = {N}},
    {"counted_down", LINE, .n_pointers = 1, .n = {N}},
};

typedef struct outcome {
    uint8_t memory[2][BYTES];
    wg_status status;
    uint64_t thread_instructions;
    size_t n_findings;
    eng_read_summary reads[2];
} outcome;

/* One launch on a machine of its own. Only the first of the two arrays is written to before: the other holds small numbers too. */
static bool run(const char *cubin, const kernel *k, unsigned jobs, int dealing, outcome *o) {
    machine *m = machine_open(cubin);
    static uint32_t values[BYTES / 4];
    uint64_t at[2], params[4] = {0};
    for (unsigned a = 0; a < 2; a++) {
        for (uint32_t i = 0; i < BYTES / 4; i++) values[i] = a ? (i * 2654435761u >> 8) % N : 0x3f800000u + (i * 977 % 4096) * 2048;
        at[a] = machine_alloc(m, values, BYTES);
    }
    uint64_t first = k->out ? at[1] + (uint64_t)(int64_t)(1024 + k->out) * 4 : at[0];
    params[0] = first, params[1] = k->out ? at[1] + 4096 : at[1];
    memcpy(&params[k->n_pointers], k->n, sizeof k->n);
    const img_function *f = img_find_function(m->module, k->name);
    assert_non_null(f);
    eng_launch l = {.function = f, .grid = {k->grid[0], k->grid[1], 1}, .block = {k->block[0], k->block[1], 1}, .params = params,
                    .jobs = jobs, .dealing = {.kind = dealing, .seed = 1}, .finding = machine_finding, .ctx = m, .count_reads = true};
    memset(o, 0, sizeof *o);
    o->status = eng_run(m->code, &l, &m->result, &m->err);
    bool apart = m->result.apart;
    o->thread_instructions = m->result.thread_instructions;
    o->n_findings = m->n_findings;
    for (unsigned a = 0; a < 2; a++) {
        machine_read(m, o->memory[a], at[a], BYTES);
        eng_memory_read_summary(eng_device_memory(m->device), eng_memory_find(eng_device_memory(m->device), at[a], NULL), 4, &o->reads[a]);
    }
    machine_close(m);
    return apart;
}

static void said_of_the_right_ones(void **state) {
    static outcome one, several;
    static const int sms[] = {75, 80, 90};
    (void)state;
    for (unsigned s = 0; s < sizeof sms / sizeof *sms; s++)
        for (unsigned n = 0; n < sizeof kernels / sizeof *kernels; n++) {
            const kernel *k = &kernels[n];
            char cubin[512];
            snprintf(cubin, sizeof cubin, "%s/../engine/apart.sm_%d.cubin", WG_TEST_DATA, sms[s]);
            assert_false(run(cubin, k, 1, ENG_DEAL_AS_THEY_COME, &one));
            for (unsigned way = 0; way < 2 * (ENG_DEAL_RANDOM + 1); way++) {
                unsigned jobs = 2 + way % 2;
                bool apart = run(cubin, k, jobs, (int)way / 2, &several);
                if (apart != k->apart) fail_msg("sm_%d, %s (entry %u): %s", sms[s], k->name, n, apart ? "said to be apart" : "not found to be apart");
                if (memcmp(&one, &several, sizeof one)) fail_msg("sm_%d, %s (entry %u): another result with %u workers, dealing %u", sms[s], k->name, n, jobs, way / 2);
            }
        }
}

/* What one launch has left of its counting is no beginning for the next. */
static void every_launch_counts(void **state) {
    static uint32_t values[BYTES / 4];
    char cubin[512];
    (void)state;
    snprintf(cubin, sizeof cubin, "%s/../engine/apart.sm_80.cubin", WG_TEST_DATA);
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        machine *m = machine_open(cubin);
        uint64_t out = machine_alloc(m, values, BYTES), in = machine_alloc(m, values, BYTES), params[3] = {out, in, N};
        const img_function *f = img_find_function(m->module, "scale");
        assert_non_null(f);
        eng_launch l = {.function = f, .grid = {N / 256, 1, 1}, .block = {256, 1, 1}, .params = params, .jobs = jobs, .finding = machine_finding,
                        .ctx = m, .count_reads = true};
        for (unsigned launches = 1; launches <= 3; launches++) {
            eng_read_summary reads;
            eng_result_free(&m->result);
            assert_int_equal(eng_run(m->code, &l, &m->result, &m->err), WG_OK);
            eng_memory_read_summary(eng_device_memory(m->device), eng_memory_find(eng_device_memory(m->device), in, NULL), 4, &reads);
            assert_int_equal(reads.reads, launches * N);
            assert_int_equal(reads.most, launches);
        }
        machine_close(m);
    }
}

/* --- the arithmetic -------------------------------------------------------------------------- */

/* What aff_apart (all: aff_all_apart) says, by looking at every thread. */
static bool really_apart(const affine *a, const uint32_t count[AFF_TERMS], unsigned n, bool all) {
    enum { SPAN = 1 << 14 };
    static uint32_t owner[SPAN];
    memset(owner, 0, sizeof owner);
    uint64_t threads = 1;
    for (unsigned t = 0; t < AFF_TERMS; t++) threads *= count[t];
    for (uint64_t i = 0; i < threads; i++) {
        uint64_t left = i;
        int64_t at = a->c + SPAN / 2;
        uint32_t block = 0;
        for (unsigned t = 0; t < AFF_TERMS; t++) {
            at += a->k[t] * (int64_t)(left % count[t]);
            if (all || t >= AFF_CTAID) block = block * count[t] + (uint32_t)(left % count[t]);
            left /= count[t];
        }
        for (unsigned b = 0; b < n; b++) {
            assert_true(at + b >= 0 && at + b < SPAN);
            if (owner[at + b] && owner[at + b] != block + 1) return false;
            owner[at + b] = block + 1;
        }
    }
    return true;
}

static uint32_t state_ = 7;
static uint32_t rng(void) { return state_ = state_ * 1664525u + 1013904223u, state_ >> 12; }

static void strides(void **state) {
    (void)state;
    unsigned said = 0, true_ones = 0;
    for (int round = 0; round < 20000; round++) {
        affine a = {0};
        uint32_t count[AFF_TERMS];
        int64_t unit = 1 + rng() % 4;
        for (unsigned t = 0; t < AFF_TERMS; t++) {
            count[t] = rng() % 3 ? 1 + rng() % 4 : 1;
            a.k[t] = (int64_t)(rng() % 2 ? rng() % 40 : unit) * (rng() % 5 ? 1 : -1);
            if (rng() % 3) unit *= count[t];
        }
        unsigned n = 1 + rng() % 4;
        bool all = round % 2, says = all ? aff_all_apart(&a, count, n) : aff_apart(&a, count, n), is = really_apart(&a, count, n, all);
        if (says && !is) fail_msg("round %d: said to be apart", round);
        said += says, true_ones += is;
    }
    if (said < 1000 || said * 10 < true_ones * 5) fail_msg("%u of %u found", said, true_ones);
}

static void ranges(void **state) {
    (void)state;
    const uint32_t count[AFF_TERMS] = {32, 8, 1, 1000, 1u << 31, 65535};
    int64_t least, most;
    affine a = {.c = 10, .k = {4, -3, 7, 128, 0, 0}};
    assert_true(aff_range(&a, count, &least, &most));
    assert_int_equal(least, 10 - 21);
    assert_int_equal(most, 10 + 4 * 31 + 128 * 999);
    a.k[4] = INT64_C(1) << 40; /* far beyond 64 bits */
    assert_false(aff_range(&a, count, &least, &most));
    assert_false(aff_apart(&(affine){.k = {4, 0, 0, 4, 0, 0}}, count, 4)); /* blocks that differ in y do the same */
    assert_true(aff_equal_word(&(affine){.c = -1}, &(affine){.c = 0xffffffff}));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(said_of_the_right_ones), cmocka_unit_test(every_launch_counts), cmocka_unit_test(strides), cmocka_unit_test(ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
