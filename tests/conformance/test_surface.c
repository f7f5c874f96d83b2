/* Words on surfaces: every line of surface_h200.txt, executed here, gives what an H200 gave: registers, and the surface afterwards. A line:
 * hash, the word, the case of surface_cases.h, its inputs, bytes of an access, whether its result comes at a time of its own, text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/file.h"
#include "engine.h"
#include "engine/texture.h"
#include "surface_cases.h"

static uint8_t cubin[1 << 16], after[SURFACE_BYTES];
static uint32_t in[PROBE_IN * PROBE_THREADS], uni[PROBE_UNI * PROBE_WARPS], out[PROBE_OUT * PROBE_THREADS];
static probe_machine m;

static eng_texture make(const surface_case *c, bool texture) {
    const bool cube = c->flags & SURFACE_CUBE, layered = c->flags & SURFACE_LAYERED;
    eng_texture t = {.surface = !texture, .kind = ENG_TEX_ARRAY, .dims = (uint8_t)(!c->height ? 1 : c->depth && !layered && !cube ? 3 : 2),
                     .layered = layered, .cube = cube, .layers = !layered ? 1 : (uint32_t)(cube ? c->depth / 6 : c->depth),
                     .n_levels = (uint8_t)(c->levels ? c->levels : 1), .format = (uint8_t)c->format, .components = (uint8_t)c->components,
                     .bits = (uint8_t)c->bits};
    for (int l = 0; l < t.n_levels; l++) {
        unsigned w = (unsigned)c->width >> l, h = (unsigned)c->height >> l;
        t.levels[l] = (eng_tex_level){.width = w ? w : 1, .height = h ? h : 1, .depth = t.dims == 3 ? (uint32_t)c->depth : 1};
        t.levels[l].pitch = (uint64_t)t.levels[l].width * eng_texel_bytes(&t);
        t.levels[l].slice = t.levels[l].pitch * t.levels[l].height;
    }
    return t;
}

static wg_status run(probe_word word, int which, int data, int width) {
    const surface_case *c = &surface_cases[which % SURFACE_AS_TEXTURE];
    eng_texture t = make(c, which >= SURFACE_AS_TEXTURE);
    uint8_t before[SURFACE_BYTES];
    surface_fill(before, surface_size(c));
    t.levels[0].address = probe_memory(&m, before, surface_size(c));
    uint64_t handle = eng_texture_add(m.device, &t);
    if (!handle || !t.levels[0].address) return wg_fail(&m.err, WG_ERR_MEMORY, "no room");
    surface_inputs(c, which >= SURFACE_AS_TEXTURE, data, width, (uint32_t)handle, in, uni);
    eng_memory *mem = eng_device_memory(m.device);
    wg_status st = eng_memory_copy(mem, m.in[0], (uint64_t)(uintptr_t)in, sizeof in, ENG_HOST_TO_DEVICE, &m.err);
    if (st == WG_OK) st = eng_memory_copy(mem, m.uni[0], (uint64_t)(uintptr_t)uni, sizeof uni, ENG_HOST_TO_DEVICE, &m.err);
    m.constants[0][0] = (uint32_t)handle;
    if (st == WG_OK) st = probe_run_blocks(&m, word, (probe_kind)0, 1, out);
    if (st == WG_OK) st = eng_memory_copy(mem, (uint64_t)(uintptr_t)after, t.levels[0].address, surface_size(c), ENG_DEVICE_TO_HOST, &m.err);
    eng_texture_remove(m.device, handle);
    return st;
}

static void words_do_what_an_h200_did(void **state) {
    (void)state;
    FILE *f = fopen(WG_CONFORMANCE "/probe.sm_90.cubin", "rb"), *lines = fopen(WG_CONFORMANCE "/surface_h200.txt", "r");
    assert_non_null(f);
    assert_non_null(lines);
    size_t size = fread(cubin, 1, sizeof cubin, f);
    fclose(f);
    if (!probe_open(&m, cubin, size)) fail_msg("%s", m.err.text);
    char line[300];
    unsigned right = 0, wrong = 0;
    while (fgets(line, sizeof line, lines)) {
        unsigned hash;
        unsigned long long hi, lo;
        int which, data, width, own;
        char text[200];
        if (*line == '#') continue;
        if (sscanf(line, "%x %llx %llx %d %d %d %d %199[^\n]", &hash, &hi, &lo, &which, &data, &width, &own, text) != 8) fail_msg("%s", line);
        wg_status st = run((probe_word){lo, hi}, which, data, width);
        bool same = st == WG_OK && surface_hash(out, after, surface_size(&surface_cases[which % SURFACE_AS_TEXTURE])) == hash;
        right += same;
        if (!same && wrong++ < 20) print_error("%s (%llx %llx, case %d, data %d): %s\n", text, hi, lo, which, data, st != WG_OK ? m.err.text : "other results");
    }
    fclose(lines);
    probe_close(&m);
    print_message("%u words on surfaces\n", right);
    assert_int_equal(wrong, 0);
    assert_true(right > 200);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(words_do_what_an_h200_did)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
