/* How blocks come to workers: each block to one, in ascending order, as it was asked for; and nothing of a launch's outcome
 * depends on it. */
#include <stdio.h>

#include "harness.h"

#include "engine/deal.h"
#include "engine/texture.h"

static const eng_dealing ways[] = {{.kind = ENG_DEAL_AS_THEY_COME}, {.kind = ENG_DEAL_EACH}, {.kind = ENG_DEAL_PARTS}, {.kind = ENG_DEAL_BACK},
                                   {.kind = ENG_DEAL_RANDOM, .seed = 1}, {.kind = ENG_DEAL_RANDOM, .seed = 2}};
enum { WAYS = sizeof ways / sizeof *ways };

static void each_block_once(void **state) {
    enum { MOST = 1000 };
    (void)state;
    for (unsigned way = 0; way < WAYS; way++)
        for (uint64_t n_blocks = 1; n_blocks < MOST; n_blocks = n_blocks * 3 / 2 + 1)
            for (unsigned n = 2; n <= 5; n++) {
                eng_deal deal = {.how = ways[way], .n_blocks = n_blocks, .n_workers = n};
                uint8_t met[MOST] = {0};
                for (unsigned k = 0; k < n; k++) {
                    uint64_t first, end = 0, last = 0;
                    while (eng_deal_next(&deal, k, &first, &end)) {
                        assert_true(first >= last && end > first && end <= n_blocks);
                        for (uint64_t b = first; b < end; b++) assert_int_equal(met[b]++, 0);
                        last = end;
                    }
                }
                for (uint64_t b = 0; b < n_blocks; b++) assert_int_equal(met[b], 1);
            }
}

static void as_asked(void **state) {
    uint64_t first, end = 0;
    (void)state;
    eng_deal each = {.how = eng_dealing_read("each"), .n_blocks = 10, .n_workers = 4}, parts = each, back = each;
    parts.how = eng_dealing_read("parts"), back.how = eng_dealing_read("back");
    assert_true(eng_deal_next(&each, 2, &first, &end) && first == 2 && end == 3);
    assert_true(eng_deal_next(&each, 2, &first, &end) && first == 6 && end == 7);
    assert_false(eng_deal_next(&each, 2, &first, &end));
    end = 0;
    assert_true(eng_deal_next(&parts, 0, &first, &end) && first == 0 && end == 3);
    end = 0;
    assert_true(eng_deal_next(&back, 0, &first, &end) && first == 9 && end == 10);
    assert_int_equal(eng_dealing_read("17").kind, ENG_DEAL_RANDOM);
    assert_int_equal(eng_dealing_read("17").seed, 17);
    assert_int_equal(eng_dealing_read("").kind, ENG_DEAL_AS_THEY_COME);
    assert_int_equal(eng_dealing_read("17x").kind, ENG_DEAL_AS_THEY_COME);
    assert_int_equal(eng_dealing_read(NULL).kind, ENG_DEAL_AS_THEY_COME);
}

/* --- launches --------------------------------------------------------------------------------- */

enum { BLOCKS = 12, THREADS = 32, BYTES = BLOCKS * THREADS * 4 };

/* One launch on a machine of its own; gives the number of workers that it ended with. */
static unsigned run(const char *cubin, const char *kernel, unsigned jobs, eng_dealing way, int out[BLOCKS * THREADS]) {
    machine *m = machine_open(cubin);
    memset(out, 0, BYTES);
    struct { uint64_t v, t; } p = {machine_alloc(m, out, BYTES), 0};
    bool elsewhere = !strcmp(kernel, "texels_elsewhere");
    eng_texture t = {.kind = ENG_TEX_LINEAR, .dims = 1, .layers = 1, .n_levels = 1, .format = ENG_TEX_SIGNED, .components = 1, .bits = 32};
    t.levels[0] = (eng_tex_level){.address = elsewhere ? machine_alloc(m, out, BYTES) : p.v, .width = BLOCKS * THREADS, .height = 1, .depth = 1,
                                  .pitch = BYTES, .slice = BYTES};
    p.t = eng_texture_add(m->device, &t);
    const img_function *f = img_find_function(m->module, kernel);
    assert_non_null(f);
    eng_launch l = {.function = f, .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .params = &p, .shared_dynamic = 256, .jobs = jobs, .dealing = way,
                    .finding = machine_finding, .ctx = m};
    if (eng_run(m->code, &l, &m->result, &m->err) != WG_OK) fail_msg("%s: %s", kernel, m->err.text);
    unsigned workers = m->result.workers;
    machine_read(m, out, p.v, BYTES);
    machine_close(m);
    return workers;
}

static void one_outcome(void **state) {
    static const struct { const char *name; unsigned from_sm; bool together; } kernels[] = {
        {"own", 80, true}, {"below", 90, true}, {"texels", 80, false}, {"texels_elsewhere", 80, true}};
    static int one[BLOCKS * THREADS], several[BLOCKS * THREADS];
    char cubin[512];
    (void)state;
    for (unsigned sm = 80; sm <= 90; sm += 10)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            if (sm < kernels[k].from_sm) continue;
            snprintf(cubin, sizeof cubin, "%s/../engine/deal.sm_%u.cubin", WG_TEST_DATA, sm);
            run(cubin, kernels[k].name, 1, ways[0], one);
            for (unsigned way = 0; way < WAYS; way++)
                for (unsigned jobs = 2; jobs <= 4; jobs += 2) {
                    unsigned workers = run(cubin, kernels[k].name, jobs, ways[way], several);
                    if (memcmp(one, several, sizeof one)) fail_msg("sm_%u, %s: another outcome with %u workers, way %u", sm, kernels[k].name, jobs, way);
                    if (way && workers != (kernels[k].together ? jobs : 1)) fail_msg("sm_%u, %s: ended with %u workers of %u", sm, kernels[k].name, workers, jobs);
                }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_block_once), cmocka_unit_test(as_asked), cmocka_unit_test(one_outcome)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
