/* How many requests to a texture the lanes of a warp make: l1tex__t_requests_pipe_tex_mem_texture_op_ld and _op_tex of an H200
 * (driver 580.159.04, 2026-12-01) for the same masks. */
#include "harness.h"

#include "engine/texture.h"

enum { WIDTH = 64, HEIGHT = 4 };
static const struct {
    uint32_t lanes;
    unsigned fetch, fetch_wide, sample, sample_first; /* 0: the hardware was not asked */
} cases[] = {
    {0xffffffff, 4, 8, 8, 4}, {0x0000ffff, 2, 0, 4, 0}, {0x00000001, 1, 0, 1, 0}, {0x55555555, 4, 8, 8, 4},
    {0x11111111, 4, 0, 8, 0}, {0x0f0f0f0f, 4, 0, 4, 0}, {0x000000ff, 1, 0, 2, 0},
};

static uint64_t texture(machine *m, uint64_t at, eng_tex_kind kind, unsigned components) {
    const uint32_t texel = components * 4;
    eng_texture t = {.kind = (uint8_t)kind, .dims = kind == ENG_TEX_LINEAR ? 1 : 2, .layers = 1, .n_levels = 1, .format = ENG_TEX_FLOAT,
                     .components = (uint8_t)components, .bits = 32, .address = {ENG_TEX_CLAMP, ENG_TEX_CLAMP, ENG_TEX_CLAMP}};
    t.levels[0] = (eng_tex_level){.address = at, .width = WIDTH, .height = kind == ENG_TEX_LINEAR ? 1 : HEIGHT, .depth = 1,
                                  .pitch = WIDTH * texel, .slice = WIDTH * HEIGHT * texel};
    uint64_t handle = eng_texture_add(m->device, &t);
    assert_true(handle);
    return handle;
}

static void requests(machine *m, const char *kernel, uint64_t handle, uint64_t out, uint32_t lanes, unsigned expected) {
    struct {
        uint64_t t, out;
        uint32_t lanes;
    } params = {handle, out, lanes};
    if (!expected) return;
    if (machine_launch(m, kernel, 1, 1, 32, 1, &params) != WG_OK) fail_msg("%s", m->err.text);
    const img_function *f = img_find_function(m->module, kernel);
    uint64_t n = 0;
    for (unsigned i = 0; i < f->code_size / 16; i++) n += m->result.counts[f - m->module->functions][i].requests;
    if (n != expected) fail_msg("%s, lanes %08x: %llu requests, an H200 %u", kernel, lanes, (unsigned long long)n, expected);
}

static void as_the_hardware(const char *cubin) {
    machine *m = machine_open(cubin);
    static const float zeros[WIDTH * HEIGHT * 4];
    uint64_t at = machine_alloc(m, zeros, sizeof zeros), out = machine_alloc(m, NULL, 32 * sizeof(float));
    uint64_t plain = texture(m, at, ENG_TEX_LINEAR, 1), wide = texture(m, at, ENG_TEX_LINEAR, 4), array = texture(m, at, ENG_TEX_ARRAY, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        requests(m, "fetch", plain, out, cases[k].lanes, cases[k].fetch);
        requests(m, "fetch_wide", wide, out, cases[k].lanes, cases[k].fetch_wide);
        requests(m, "sample", array, out, cases[k].lanes, cases[k].sample);
        requests(m, "sample_first", array, out, cases[k].lanes, cases[k].sample_first);
        if (cases[k].lanes == UINT32_MAX) requests(m, "query", array, out, UINT32_MAX, 8);
    }
    machine_close(m);
}

static void test_requests(void **state) {
    (void)state;
    as_the_hardware(WG_TEST_DATA "/../engine/requests.sm_80.cubin");
    as_the_hardware(WG_TEST_DATA "/../engine/requests.sm_90.cubin");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_requests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
