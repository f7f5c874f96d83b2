/* Which lanes are issued together where they meet again. The figures follow the rules of docs/fidelity.md, which come
 * from an H200: kernels of the kernel library gave them (launch 14 of wk_test_histogram has the same three groups). */
#include "harness.h"

typedef struct meeting {
    int values[32]; /* a lane adds its own when it is above 1 */
    int n;          /* lanes that look at theirs */
    uint64_t warps, lanes; /* issues of the BSYNC where all meet, and the lanes in them */
} meeting;

static const meeting meetings[] = {
    {.n = 32, .warps = 1, .lanes = 32},                      /* nobody adds: all jump there */
    {.n = 3, .values = {5, 5, 5}, .warps = 2, .lanes = 32},  /* 3 and 29 */
    {.n = 3, .values = {0, 5, 5}, .warps = 3, .lanes = 35},  /* 1, 2; then 29, with the three that wait */
    {.n = 31, .values = {0, 5, 5}, .warps = 3, .lanes = 32}, /* 1 first, so that it does not wait when the 31 come apart */
    {.n = 16, .values = {0, 5, 5}, .warps = 3, .lanes = 48}, /* of equal groups the one that stays */
};

static void meet(const meeting *t) {
    machine *m = machine_open(WG_TEST_DATA "/../engine/meet.sm_90.cubin");
    int out[33] = {0};
    struct {
        uint64_t a, out;
        int32_t n;
    } params = {machine_alloc(m, t->values, sizeof t->values), machine_alloc(m, out, sizeof out), t->n};
    if (machine_launch(m, "inner", 1, 1, 32, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
    const img_function *f = img_find_function(m->module, "inner");
    const sass_instr *code = eng_instructions(m->code, f);
    uint64_t warps = 0, lanes = 0;
    for (unsigned i = 0; i < f->code_size / 16; i++)
        if (code[i].op == SASS_BSYNC) {
            const eng_instr_count *c = &m->result.counts[f - m->module->functions][i];
            warps += c->warps, lanes += c->lanes;
        }
    assert_int_equal(warps, t->warps);
    assert_int_equal(lanes, t->lanes);
    machine_close(m);
}

static void test_meetings(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof meetings / sizeof *meetings; k++) meet(&meetings[k]);
}

/* An H200 does not hang there: it lets the shuffle go on without the lanes that are parked at the BSYNC. A lane that
 * does not take part gives what its register holds: none of its own instructions has written this one, and it is 0. */
static void lanes_at_a_bsync_do_not_hold_up_a_warpsync(void **state) {
    (void)state;
    machine *m = machine_open(WG_TEST_DATA "/../engine/meet.sm_90.cubin");
    float out[32] = {0};
    struct {
        uint64_t out;
        int32_t n;
    } params = {machine_alloc(m, out, sizeof out), 41}; /* lanes 0 to 8 go round once more */
    if (machine_launch(m, "parted", 1, 1, 32, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
    machine_read(m, out, params.out, sizeof out);
    for (int l = 0; l < 32; l++) assert_true(out[l] == (l ^ 1) + (l < 8 ? (l ^ 1) + 32 : 0));
    machine_close(m);
}

/* What llm.c's matmul_backward_bias prints at blocks of 32 threads is an H200's to the last digit only so. */
static void a_lane_that_is_elsewhere_gives_0(void **state) {
    (void)state;
    machine *m = machine_open(WG_TEST_DATA "/../engine/meet.sm_90.cubin");
    for (int n = 1; n <= 4; n++) {
        float a[32], out[64];
        for (int l = 0; l < 32; l++) a[l] = (float)(l + 1);
        struct {
            uint64_t a, out;
            int32_t n;
        } params = {machine_alloc(m, a, sizeof a), machine_alloc(m, NULL, sizeof out), n};
        if (machine_launch(m, "neighbours", 1, 1, 32, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
        machine_read(m, out, params.out, sizeof out);
        for (int l = 0; l < 32; l++) { /* the last of the four has no next one: it adds its own */
            int k = l & 3, next = k == 3 ? l + 1 : k + 1 < n ? l + 2 : 0;
            assert_true(out[l] == (k < n ? l + 1 + next : 0));
        }
    }
    machine_close(m);
}

/* ncu on an H200: 5 issues of all but the WARPSYNC, whose 4 further ones are of the lanes that are left each time. */
static void lanes_that_name_their_own_go_on_by_themselves(void **state) {
    (void)state;
    machine *m = machine_open(WG_TEST_DATA "/../engine/meet.sm_90.cubin");
    int label[32], value[32], out[32] = {0};
    for (int i = 0; i < 32; i++) label[i] = i * 7 % 5, value[i] = 1000 + i * 37 % 101;
    struct { uint64_t label, value, out; } params = {machine_alloc(m, label, sizeof label), machine_alloc(m, value, sizeof value), machine_alloc(m, out, sizeof out)};
    if (machine_launch(m, "labelled", 1, 1, 32, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
    machine_read(m, out, params.out, sizeof out);
    for (int i = 0; i < 32; i++) {
        int most = 0;
        for (int k = 0; k < 32; k++)
            if (label[k] == label[i] && value[k] > most) most = value[k];
        assert_int_equal(out[i], most);
    }
    const img_function *f = img_find_function(m->module, "labelled");
    const sass_instr *code = eng_instructions(m->code, f);
    unsigned seen = 0;
    for (unsigned i = 0; i < f->code_size / 16; i++) {
        const eng_instr_count *c = &m->result.counts[f - m->module->functions][i];
        bool exclusive = code[i].op == SASS_WARPSYNC && code[i].sub == SASS_WARPSYNC_EXCLUSIVE;
        if (!exclusive && code[i].op != SASS_REDUX) continue;
        seen++;
        assert_int_equal(c->warps, 5);
        assert_int_equal(c->lanes, exclusive ? 32 + 25 + 18 + 12 + 6 : 32);
    }
    assert_int_equal(seen, 2);
    machine_close(m);
}

/* ncu on an H200, of cuda-samples' warpAggregatedAtomicsCG: what follows a plain WARPSYNC is issued once, whatever masks the lanes name. */
static void lanes_that_are_told_go_on_as_one(void **state) {
    (void)state;
    machine *m = machine_open(WG_TEST_DATA "/../engine/meet.sm_90.cubin");
    int label[32], out[32] = {0};
    for (int i = 0; i < 32; i++) label[i] = i * 7 % 5;
    struct { uint64_t label, out; } params = {machine_alloc(m, label, sizeof label), machine_alloc(m, NULL, sizeof out)};
    if (machine_launch(m, "told", 1, 1, 32, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
    machine_read(m, out, params.out, sizeof out);
    for (int i = 0; i < 32; i++) {
        int first = 0;
        while (label[first] != label[i]) first++;
        assert_int_equal(out[i], first + label[i]);
    }
    const img_function *f = img_find_function(m->module, "told");
    const sass_instr *code = eng_instructions(m->code, f);
    bool by_register = false, stored = false;
    for (unsigned i = 0; i < f->code_size / 16; i++) {
        const eng_instr_count *c = &m->result.counts[f - m->module->functions][i];
        by_register |= code[i].op == SASS_WARPSYNC && code[i].a.kind == SASS_REG && !code[i].sub && c->warps;
        if (code[i].op != SASS_SHFL && code[i].op != SASS_STG) continue;
        stored |= code[i].op == SASS_STG && c->warps;
        if (c->warps) assert_int_equal(c->warps, 1);
    }
    assert_true(by_register && stored);
    machine_close(m);
}

/* Lanes that are together vote in groups, each with a mask of its own. */
static void lanes_vote_with_those_they_name(void **state) {
    (void)state;
    enum { N = 320 };
    int key[N];
    uint32_t got[32];
    for (int i = 0; i < N; i++) key[i] = (i * 7919 >> 3) % 5;
    machine *m = machine_open(WG_TEST_DATA "/../engine/meet.sm_90.cubin");
    struct {
        uint64_t key, out;
        int32_t n;
    } params = {machine_alloc(m, key, sizeof key), machine_alloc(m, NULL, sizeof got), N};
    if (machine_launch(m, "votes", 1, 1, 32, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
    machine_read(m, got, params.out, sizeof got);
    for (int l = 0; l < 32; l++) {
        uint32_t sum = 0;
        for (int first = 0; first < N; first += 32) {
            uint32_t third = 0, fifth = 0;
            bool all = true;
            for (int j = 0; j < 32; j++) {
                if (key[first + j] != key[first + l]) continue;
                third |= (uint32_t)((first + j) % 3 == 0) << j;
                fifth |= (uint32_t)((first + j) % 5 == 0) << j;
                all &= (first + j) % 7 != 0;
            }
            sum = sum * 31 + third;
            if (key[first + l] & 1) sum = sum * 31 + fifth + all;
        }
        assert_int_equal(got[l], sum);
    }
    machine_close(m);
}

/* An H200 ends with an illegal instruction there. */
static void a_mask_names_its_own_lane(void **state) {
    (void)state;
    machine *m = machine_open(WG_TEST_DATA "/../engine/meet.sm_90.cubin");
    int a[64];
    for (int i = 0; i < 64; i++) a[i] = i % 6;
    struct {
        uint64_t a, out;
        uint32_t mask;
        int32_t n;
    } params = {machine_alloc(m, a, sizeof a), machine_alloc(m, NULL, 128), 0x55550000u, 64};
    assert_int_equal(machine_launch(m, "unnamed", 1, 1, 32, 1, &params), WG_ERR_FAULT);
    assert_int_equal(m->findings[0].kind, ENG_FAULT_ILLEGAL);
    assert_true(m->findings[0].lanes & 0xffff);
    machine_close(m);
}

/* ACQBULK counts the lanes as on for which P0 is true, as on an H200 (docs/fidelity.md). */
static void lanes_on_of_acqbulk(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        uint64_t lanes, on;
    } cases[] = {{"acquires_by_p0", 3 * 64, 3 * 64}, {"acquires", 4 * 64, 0}};
    for (unsigned k = 0; k < 2; k++) {
        machine *m = machine_open(WG_TEST_DATA "/../engine/meet.sm_90.cubin");
        uint64_t out = machine_alloc(m, NULL, 256);
        if (machine_launch(m, cases[k].kernel, 4, 1, 64, 1, &out) != WG_OK) fail_msg("%s", m->err.text);
        const img_function *f = img_find_function(m->module, cases[k].kernel);
        const sass_instr *code = eng_instructions(m->code, f);
        for (unsigned i = 0; i < f->code_size / 16; i++) {
            const eng_instr_count *c = &m->result.counts[f - m->module->functions][i];
            if (code[i].op != SASS_ACQBULK) continue;
            assert_int_equal(c->lanes, cases[k].lanes);
            assert_int_equal(c->lanes_on, cases[k].on);
        }
        machine_close(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meetings), cmocka_unit_test(lanes_that_are_told_go_on_as_one),
        cmocka_unit_test(lanes_vote_with_those_they_name),
                                       cmocka_unit_test(a_mask_names_its_own_lane), cmocka_unit_test(lanes_at_a_bsync_do_not_hold_up_a_warpsync),
                                       cmocka_unit_test(a_lane_that_is_elsewhere_gives_0), cmocka_unit_test(lanes_on_of_acqbulk),
                                       cmocka_unit_test(lanes_that_name_their_own_go_on_by_themselves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
