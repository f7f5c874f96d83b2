/* Warp-group MMA against what an H200 made of the same matrices, bit for bit: wgmma_h200.txt, names of cases (wgmma_cases.h) and hashes of the
 * accumulators, which gpu_wgmma.cu wrote. */
#include "engine/harness.h"

#include "wgmma_cases.h"

static void sums_are_the_hardwares(void **state) {
    (void)state;
    static wgmma_case t;
    static uint32_t out[WGMMA_ACCUMULATORS];
    machine *m = machine_open(WG_CONFORMANCE "/wgmma.sm_90.cubin");
    uint64_t a = machine_alloc(m, NULL, sizeof t.a), image = machine_alloc(m, NULL, sizeof t.image), c = machine_alloc(m, NULL, sizeof t.c), d = machine_alloc(m, NULL, sizeof out);
    FILE *f = fopen(WG_CONFORMANCE "/wgmma_h200.txt", "r");
    char name[120];
    unsigned long long hash;
    int cases = 0, wrong = 0;
    assert_non_null(f);
    while (fscanf(f, "%119s %llx", name, &hash) == 2) {
        if (!wgmma_prepare(name, &t)) fail_msg("no such case: %s", name);
        const struct { const void *from; uint64_t to; size_t n; } given[] = {{t.a, a, sizeof t.a}, {t.image, image, sizeof t.image}, {t.c, c, sizeof t.c}};
        for (int k = 0; k < 3; k++)
            if (eng_memory_copy(eng_device_memory(m->device), given[k].to, (uint64_t)(uintptr_t)given[k].from, given[k].n, ENG_HOST_TO_DEVICE, &m->err) != WG_OK) fail();
        struct { uint64_t a, image, c, da, db; uint32_t aoff, boff; int scale, variant; uint64_t out; } p = {a, image, c, t.da, t.db, t.aoff, t.boff, t.scale, t.variant, d};
        const img_function *fn = img_find_function(m->module, t.kernel);
        if (!fn) fail_msg("no kernel %s", t.kernel);
        eng_launch l = {.function = fn, .grid = {1, 1, 1}, .block = {128, 1, 1}, .params = &p, .jobs = 1, .shared_dynamic = WGMMA_IMAGE + 1024 + 16384, .finding = machine_finding, .ctx = m};
        eng_result_free(&m->result);
        m->n_findings = 0;
        if (eng_run(m->code, &l, &m->result, &m->err) != WG_OK) fail_msg("%s: %s", name, m->err.text);
        machine_read(m, out, d, (size_t)t.regs * 512);
        if (fnv_bytes(out, (size_t)t.regs * 512) != hash) wrong++, print_error("%s: not the H200's bits\n", name);
        cases++;
    }
    fclose(f);
    machine_close(m);
    assert_int_equal(wrong, 0);
    assert_true(cases > 500);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(sums_are_the_hardwares)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
