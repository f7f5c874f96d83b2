/* What is shown of a launch's accesses (threads_apart.c): how many are apart, apart from what is stored, or may meet. That what is
 * shown is right is test_proofs' matter; here it must be shown at all, and no more where a number is off by one. */
#include <stdio.h>

#include "harness.h"

enum { N = 1 << 14 };

typedef struct expected {
    const char *cubin, *kernel;
    uint32_t grid[2], block[2];
    int numbers[8]; /* of proofs.cu */
    unsigned of[3]; /* accesses, by eng_apart_kind */
} expected;

#define PROOFS "/../checks/proofs.sm_90.cubin"
#define BENCH "/../../bench/kernels.sm_90.cubin"
static const expected all[] = {
    {PROOFS, "line", {3, 1}, {96, 1}, {288, 1000, 1, 0, 1, 2000, 1}, {0, 0, 3}},
    {PROOFS, "line", {3, 1}, {96, 1}, {288, 1000, 1, 0, 1, 1000, 1}, {0, 0, 3}},  /* each its own */
    {PROOFS, "line", {3, 1}, {96, 1}, {288, 1000, 1, 0, 1, 1001, 1}, {1, 1, 1}},  /* the next one's */
    {PROOFS, "line", {3, 1}, {96, 1}, {288, 1000, 1, 0, 1, 1287, 1}, {1, 1, 1}},  /* the last one's */
    {PROOFS, "line", {3, 1}, {96, 1}, {288, 1000, 1, 0, 1, 1312, 1}, {0, 0, 3}},
    {PROOFS, "line", {3, 1}, {96, 1}, {288, 1000, 1, 0, 0, 2000, 1}, {1, 0, 2}},  /* all to one place */
    {PROOFS, "line", {3, 1}, {96, 1}, {288, 1000, 2, 0, 1, 1001, 2}, {0, 0, 3}},  /* in between */
    {PROOFS, "line", {3, 1}, {96, 1}, {288, 1000, -1, 0, 1, 2000, 3}, {0, 0, 3}},
    {PROOFS, "plane", {3, 1}, {96, 1}, {0, 1000, 1, 96, 1000, 3, 1}, {0, 0, 2}},
    {PROOFS, "plane", {3, 1}, {96, 1}, {0, 1000, 1, 95, 1000, 3, 1}, {1, 0, 1}},  /* rows one too short */
    {PROOFS, "gathered", {3, 1}, {96, 1}, {0, 0, 1, 0, 1}, {1, 1, 1}},
    {PROOFS, "scattered", {3, 1}, {96, 1}, {0, 0, 1, 0, 1}, {4, 0, 0}},
    {PROOFS, "tile", {1, 1}, {96, 1}, {0, 0, 1, 0, 1, 0, 0, 0}, {0, 0, 4}},
    {PROOFS, "tile", {1, 1}, {96, 1}, {0, 0, 1, 1, 1, 0, 0, 0}, {2, 0, 2}},
    {BENCH, "saxpy", {64, 1}, {256, 1}, {0}, {0, 0, 3}},
    {BENCH, "matmul", {4, 4}, {32, 32}, {0}, {1, 2, 42}},
    {BENCH, "reduce", {4, 1}, {256, 1}, {0}, {2, 1, 1}},
    {BENCH, "conv3x3", {4, 16}, {32, 8}, {128}, {0, 0, 19}},
    {BENCH, "conv3x3", {4, 16}, {32, 8}, {100}, {1, 0, 18}}, /* rows narrower than the grid: the guard is not looked at */
    {BENCH, "gather", {64, 1}, {256, 1}, {0}, {1, 1, 1}},
};

typedef struct heard {
    const machine *m;
    const img_function *f;
    unsigned of[3], told;
} heard;

static void on_apart(void *state, const eng_apart *apart) {
    heard *h = state;
    const sass_instr *code = eng_instructions(h->m->code, h->f);
    h->told++;
    memset(h->of, 0, sizeof h->of);
    for (uint32_t n = 0; n < h->f->code_size / 16; n++)
        switch (sass_class_of((sass_op)code[n].op)) {
        case SASS_CLASS_GLOBAL_LD: case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_SHARED_LD: case SASS_CLASS_SHARED_ST:
            h->of[apart ? apart->of[n] : ENG_MAY_MEET]++;
            break;
        default: break;
        }
}
static void on_events(void *state, const eng_batch *batch) { (void)state, (void)batch; }
static void on_plain(void *state, const eng_plain *sums) { (void)state, (void)sums; }

static size_t params_of(const expected *e, uint8_t *params, const uint64_t array[3]) {
    struct { int n; float a; uint64_t x, y; } saxpy = {N, 2, array[0], array[1]};
    struct { uint64_t a, b, c; int n; } three = {array[0], array[1], array[2], !strcmp(e->kernel, "matmul") ? 128 : N};
    struct { uint64_t a, b; int n; } two = {array[0], array[1], N};
    struct { uint64_t in, weight, out; int width, height; } conv3x3 = {array[0], array[1], array[2], e->numbers[0], 128};
    struct { uint64_t a, b; int n[8]; } proofs = {array[0], array[1], {0}};
    memcpy(proofs.n, e->numbers, sizeof proofs.n);
#define TAKE(p) return memcpy(params, &p, sizeof p), sizeof p
    if (!strcmp(e->cubin, PROOFS)) TAKE(proofs);
    if (!strcmp(e->kernel, "saxpy")) TAKE(saxpy);
    if (!strcmp(e->kernel, "conv3x3")) TAKE(conv3x3);
    if (!strcmp(e->kernel, "reduce")) TAKE(two);
    TAKE(three);
}

static void shown(void **state) {
    static const uint32_t zeros[N];
    (void)state;
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++) {
        const expected *e = &all[n];
        char cubin[512], name[80];
        snprintf(cubin, sizeof cubin, "%s%s", WG_TEST_DATA, e->cubin);
        machine *m = machine_open(cubin);
        uint64_t array[3];
        uint8_t params[80] = {0};
        for (unsigned k = 0; k < 3; k++) array[k] = machine_alloc(m, zeros, sizeof zeros);
        params_of(e, params, array);
        snprintf(name, sizeof name, "_Z%zu%sPiS_7numbers", strlen(e->kernel), e->kernel);
        heard h = {.m = m, .f = img_find_function(m->module, !strcmp(e->cubin, PROOFS) ? name : e->kernel)};
        assert_non_null(h.f);
        eng_sink sink = {.wants = 1u << ENG_EV_ACCESS, .events = on_events, .plain = on_plain, .apart = on_apart, .state = &h};
        eng_launch l = {.function = h.f, .grid = {e->grid[0], e->grid[1], 1}, .block = {e->block[0], e->block[1], 1}, .params = params,
                        .jobs = 1, .sinks = &sink, .n_sinks = 1};
        for (unsigned twice = 0; twice < 2; twice++) { /* what is kept of the first launch is the same */
            if (eng_run(m->code, &l, &m->result, &m->err) != WG_OK) fail_msg("%s: %s", e->kernel, m->err.text);
            eng_result_free(&m->result);
            if (memcmp(h.of, e->of, sizeof h.of))
                fail_msg("%s (entry %u): %u may meet, %u apart from what is stored, %u apart", e->kernel, n, h.of[0], h.of[1], h.of[2]);
        }
        assert_int_equal(h.told, 2);
        machine_close(m);
    }
}

/* --- several workers ---------------------------------------------------------------------------- */

typedef struct listener {
    bool wants_again;
    unsigned restarts;
} listener;
static bool asks_again(void *state) { return ((listener *)state)->wants_again; }
static void restarts(void *state) { ((listener *)state)->restarts++; }
static void no_apart(void *state, const eng_apart *apart) { (void)state, (void)apart; }

/* Who asks to hear a launch again hears it from one worker, and what the first run changed is as it was. */
static void again(void **state) {
    static uint32_t ones[N], zeros[N], out[N];
    (void)state;
    for (unsigned k = 0; k < N; k++) ones[k] = 0x3f800000; /* 1.0f */
    for (unsigned wanted = 0; wanted < 2; wanted++) {
        machine *m = machine_open(WG_TEST_DATA BENCH);
        struct { uint64_t in, index, out; int n; } params = {machine_alloc(m, ones, sizeof ones), machine_alloc(m, zeros, sizeof zeros),
                                                             machine_alloc(m, zeros, sizeof zeros), N};
        listener of[2] = {{.wants_again = wanted}, {0}};
        eng_sink sinks[2];
        for (unsigned k = 0; k < 2; k++)
            sinks[k] = (eng_sink){.wants = 1u << ENG_EV_EXIT | 1u << ENG_EV_ACCESS, .events = on_events, .plain = on_plain, .restart = restarts, .again = asks_again,
                                  .apart = no_apart, .state = &of[k]};
        eng_launch l = {.function = img_find_function(m->module, "gather"), .grid = {N / 256, 1, 1}, .block = {256, 1, 1}, .params = &params,
                        .jobs = 2, .sinks = sinks, .n_sinks = 1};
        if (eng_run(m->code, &l, &m->result, &m->err) != WG_OK) fail_msg("%s", m->err.text);
        assert_int_equal(m->result.workers, wanted ? 1 : 2);
        assert_int_equal(of[0].restarts, wanted);
        machine_read(m, out, params.out, sizeof out);
        assert_memory_equal(out, ones, sizeof out);
        machine_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shown), cmocka_unit_test(again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
