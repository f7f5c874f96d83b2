/* Schedules: a seed gives an order of blocks, warps and divergent groups, always the same one; a race shows it, and what
 * has no race computes and counts the same under all of them. */
#include "engine/harness.h"

#include "engine/order.h"

#define RACY WG_TEST_DATA "/../engine/isa_far.sm_90.cubin"
#define SOUND WG_TEST_DATA "/../../bench/kernels.sm_90.cubin"
#define WAITS WG_TEST_DATA "/../engine/probe.sm_90.cubin"
enum { SEEDS = 12, BLOCKS = 9, WARPS = 5 };

typedef struct race { uint32_t last, warp_of[BLOCKS], half_of[BLOCKS * WARPS]; } race;

static race run_race(uint64_t seed, unsigned jobs) {
    machine *m = machine_open(RACY);
    static const race none;
    race r;
    uint64_t at = machine_alloc(m, &none, sizeof none);
    struct { uint64_t last, warp_of, half_of; } p = {at, at + offsetof(race, warp_of), at + offsetof(race, half_of)};
    m->seed = seed;
    m->jobs = jobs;
    machine_run(m, "s_race", BLOCKS, 1, WARPS * 32, 1, &p);
    machine_read(m, &r, at, sizeof r);
    machine_close(m);
    return r;
}

static void a_race_ends_another_way(void **state) {
    (void)state;
    race first = run_race(0, 1);
    assert_int_equal(first.last, BLOCKS - 1);
    bool last = false, warp = false, half = false;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        race r = run_race(seed, 1), again = run_race(seed, 1), three = run_race(seed, 3);
        assert_memory_equal(&r, &again, sizeof r);
        assert_memory_equal(&r, &three, sizeof r);
        last |= r.last != first.last;
        warp |= memcmp(r.warp_of, first.warp_of, sizeof r.warp_of) != 0;
        half |= memcmp(r.half_of, first.half_of, sizeof r.half_of) != 0;
    }
    assert_true(last);
    assert_true(warp);
    assert_true(half);
}

static void what_has_no_race_stays(void **state) {
    (void)state;
    enum { N = 5000, GRID = 7, THREADS = 160 };
    static float in[N];
    for (int k = 0; k < N; k++) in[k] = (float)(k * 37 % 101) / 7;
    float want[GRID], r[GRID];
    machine *m = machine_open(SOUND);
    struct { uint64_t in, out; int n; } p = {machine_alloc(m, in, sizeof in), machine_alloc(m, NULL, sizeof r), N};
    machine_run(m, "reduce", GRID, 1, THREADS, 1, &p);
    machine_read(m, want, p.out, sizeof want);
    const img_function *f = img_find_function(m->module, "reduce");
    size_t which = (size_t)(f - m->module->functions), size = f->code_size / 16 * sizeof(eng_instr_count);
    eng_instr_count *counts = malloc(size);
    assert_non_null(counts);
    memcpy(counts, m->result.counts[which], size);
    for (m->seed = 1; m->seed <= SEEDS; m->seed++) {
        machine_run(m, "reduce", GRID, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        assert_memory_equal(r, want, sizeof r);
        assert_memory_equal(m->result.counts[which], counts, size);
    }
    free(counts);
    machine_close(m);
}

static void locks_and_waiting_blocks_get_on(void **state) {
    (void)state;
    static const uint32_t zeros[64];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        machine *m = machine_open(WAITS);
        uint32_t r[640];
        struct { uint64_t lock, out; } p = {machine_alloc(m, zeros, 256), machine_alloc(m, zeros, 256)};
        m->max_instructions = 100000000;
        m->seed = seed;
        machine_run(m, "d_lock", 2, 1, 64, 1, &p);
        machine_run(m, "d_spin", 2, 1, 64, 1, &p);
        machine_read(m, r, p.out, 4);
        assert_int_equal(r[0], 256);
        struct { uint64_t count, out; } q = {machine_alloc(m, zeros, 4), machine_alloc(m, NULL, sizeof r)};
        machine_run(m, "d_blocks", 10, 1, 64, 1, &q);
        machine_read(m, r, q.out, sizeof r);
        for (int k = 0; k < 640; k++) assert_int_equal(r[k], 10);
        machine_close(m);
    }
}

static void orders_are_permutations(void **state) {
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 7, 8, 31, 64, 1000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            bool seen[1000] = {false};
            for (uint64_t n = 0; n < counts[c]; n++) {
                uint64_t block = eng_order_block(seed, n, counts[c]);
                assert_true(block < counts[c]);
                assert_false(seen[block]);
                seen[block] = true;
            }
        }
    for (unsigned n = 1; n <= 32; n++) {
        uint8_t order[32];
        uint64_t seen = 0;
        eng_order_warps(5, n, order, n);
        for (unsigned k = 0; k < n; k++) seen |= UINT64_C(1) << order[k];
        assert_int_equal(seen, (UINT64_C(1) << n) - 1);
    }
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_race_ends_another_way), cmocka_unit_test(what_has_no_race_stays),
        cmocka_unit_test(locks_and_waiting_blocks_get_on), cmocka_unit_test(orders_are_permutations),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
