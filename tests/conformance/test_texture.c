/* The textures of texture_cases.h, read by nvcc's code for sm_80 and sm_90 on the simulated machine, against what an H200 read
 * (texture_h200.txt): exact but for what docs/conformance.md names. */
#include "engine/harness.h"

#include <stdio.h>

#include "engine/texture.h"
#include "cube_h200.h"
#include "seam_h200.h"
#include "texture_cases.h"

enum { BLOCKS = 32, POINTS = TEXTURE_POINTS / BLOCKS };
static float points[TEXTURE_POINTS][4], result[TEXTURE_POINTS][4];

static uint64_t make_texture(machine *m, const texture_case *c, eng_texture *t) {
    *t = (eng_texture){.kind = c->levels ? ENG_TEX_ARRAY : ENG_TEX_LINEAR, .dims = (uint8_t)(c->height ? c->depth && !c->layered && !c->cube ? 3 : 2 : 1),
                       .layered = c->layered, .cube = c->cube, .layers = c->layered ? (uint32_t)c->depth : 1, .n_levels = (uint8_t)(c->levels ? c->levels : 1),
                       .format = (uint8_t)c->format, .components = (uint8_t)c->components, .bits = (uint8_t)c->bits,
                       .normalised_float = c->normalised_float, .normalised_coords = c->normalised_coords, .linear = c->linear,
                       .linear_levels = c->linear, .srgb = c->srgb, .level_bias = c->bias, .level_min = c->level_min, .seamless = c->seamless, .border = {0.25f, -0.5f, 0.75f, 1.0f}, .level_max = (float)(c->levels > 1 ? c->levels - 1 : 0)};
    int planes = c->cube ? 6 * (c->depth ? c->depth : 1) : c->depth;
    for (int d = 0; d < 3; d++) t->address[d] = (uint8_t)c->address;
    for (int l = 0; l < t->n_levels; l++) {
        eng_tex_level *v = &t->levels[l];
        static uint8_t bytes[1 << 17];
        int w = c->width >> l, h = c->height >> l, d = planes >> l;
        v->width = w ? (uint32_t)w : 1, v->height = h ? (uint32_t)h : 1, v->depth = c->layered || c->cube || !d ? 1 : (uint32_t)d;
        v->pitch = (uint64_t)v->width * eng_texel_bytes(t), v->slice = v->pitch * v->height;
        uint64_t n = v->slice * (c->layered || c->cube ? (uint64_t)planes : v->depth);
        assert_true(n <= sizeof bytes);
        texture_fill(c, l, bytes, n);
        v->address = machine_alloc(m, bytes, n);
    }
    return eng_texture_add(m->device, t);
}

static void read_case(machine *m, const texture_case *c, uint64_t at, uint64_t out) {
    eng_texture t;
    uint64_t handle = make_texture(m, c, &t);
    assert_true(handle);
    texture_points(c, points);
    if (eng_memory_copy(eng_device_memory(m->device), at, (uint64_t)(uintptr_t)points, sizeof points, ENG_HOST_TO_DEVICE, &m->err) != WG_OK) fail();
    struct { uint64_t t, out, at; int n; } p = {handle, out, at, TEXTURE_POINTS};
    machine_run(m, c->kernel, TEXTURE_POINTS / 256, 1, 256, 1, &p);
    machine_read(m, result, out, sizeof result);
    /* the same through handles in memory */
    static const char *const twins[][2] = {{"f_2d", "m_2d"}, {"f_gather0", "m_gather"}, {"f_2d_grad", "m_grad"}, {"f_index", "m_index"}};
    for (size_t k = 0; k < sizeof twins / sizeof *twins; k++) {
        static float again[TEXTURE_POINTS][4];
        if (strcmp(c->kernel, twins[k][0])) continue;
        p.t = machine_alloc(m, (uint64_t[]){handle, handle}, 16);
        machine_run(m, twins[k][1], TEXTURE_POINTS / 256, 1, 256, 1, &p);
        machine_read(m, again, out, sizeof again);
        assert_memory_equal(again, result, sizeof result);
    }
    assert_true(eng_texture_remove(m->device, handle));
}

static void textures_read_as_an_h200_reads_them(void **state) {
    (void)state;
    for (int sm = 80; sm <= 90; sm += 10) {
        char path[300];
        snprintf(path, sizeof path, WG_CONFORMANCE "/texture.sm_%d.cubin", sm);
        machine *m = machine_open(path);
        uint64_t at = machine_alloc(m, NULL, sizeof points), out = machine_alloc(m, NULL, sizeof result);
        FILE *golden = fopen(WG_CONFORMANCE "/texture_h200.txt", "r");
        assert_non_null(golden);
        unsigned exact = 0;
        for (int k = 0; k < TEXTURE_CASES; k++) {
            unsigned want, hash, equal = 0;
            read_case(m, &texture_cases[k], at, out);
            assert_int_equal(fscanf(golden, "%u", &want), 1);
            for (int b = 0; b < BLOCKS; b++) {
                assert_int_equal(fscanf(golden, "%x", &hash), 1);
                equal += hash == (uint32_t)texture_hash(result + b * POINTS, POINTS * 4);
            }
            if (equal != want) fail_msg("sm_%d, case %d (%s): %u of %d blocks are an H200's, %u expected", sm, k, texture_cases[k].kernel, equal, BLOCKS, want);
            exact += equal == BLOCKS;
        }
        fclose(golden);
        print_message("sm_%d: %u of %d textures exact\n", sm, exact, (int)TEXTURE_CASES);
        machine_close(m);
    }
}

static void filters_of_seamless_cubes_reach_over_edges(void **state) {
    (void)state;
    enum { N = 5, SEAMS = sizeof seams / sizeof *seams };
    machine *m = machine_open(WG_CONFORMANCE "/texture.sm_90.cubin");
    static float texels[6][N][N][4], at[SEAMS][4], read[SEAMS][4];
    for (int f = 0; f < 6; f++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                float *v = texels[f][y][x];
                v[0] = (float)(1 << f), v[1] = (float)(x + 1), v[2] = (float)(y + 1), v[3] = 0;
            }
    for (int k = 0; k < SEAMS; k++) memcpy(at[k], seams[k].at, sizeof seams[k].at);
    eng_texture t = {.kind = ENG_TEX_ARRAY, .dims = 2, .cube = true, .layers = 1, .n_levels = 1, .format = ENG_TEX_FLOAT, .components = 4, .bits = 32,
                     .normalised_coords = true, .linear = true, .seamless = true};
    t.levels[0] = (eng_tex_level){.address = machine_alloc(m, texels, sizeof texels), .width = N, .height = N, .depth = 1, .pitch = N * 16, .slice = N * N * 16};
    struct { uint64_t t, out, at; int n; } p = {eng_texture_add(m->device, &t), machine_alloc(m, NULL, sizeof read), machine_alloc(m, at, sizeof at), SEAMS};
    machine_run(m, "f_cube", 1, 1, 64, 1, &p);
    machine_read(m, read, p.out, sizeof read);
    for (int k = 0; k < SEAMS; k++) assert_memory_equal(read[k], seams[k].value, sizeof seams[k].value);
    machine_close(m);
}

/* Lanes that help the others of their quad with the level of detail lose nothing. */
static void others_keep_what_they_have(machine *m, const void *params, int n, float (*at)[3][4], float (*whole)[4]) {
    static float some[256][4];
    const uint64_t out = ((const uint64_t *)params)[1];
    assert_true(n <= 256);
    machine_run(m, "c_some_grad", (unsigned)(n + 63) / 64, 1, 64, 1, params);
    machine_read(m, some, out, (size_t)n * sizeof *some);
    for (int i = 0; i < n; i++) {
        const float other[4] = {(float)i, at[i][0][0], at[i][0][1], at[i][0][2]};
        assert_memory_equal(some[i], (uint32_t)i * 2654435761u >> 13 & 1 ? whole[i] : other, sizeof other);
    }
}
/* Exact, or a 256th or two off, which is so for the number of them that is named. */
static void gradients_choose_levels_of_cubes(void **state) {
    (void)state;
    enum { N = 64, LEVELS = 7, CUBES = 2, POINTS_OF_CUBE = sizeof cube_gradients / sizeof *cube_gradients };
    static float texels[CUBES * 6][N * N][4], at[POINTS_OF_CUBE][3][4], read[POINTS_OF_CUBE][4];
    for (int k = 0; k < POINTS_OF_CUBE; k++)
        for (int d = 0; d < 3; d++) at[k][0][d] = cube_gradients[k].at[d], at[k][1][d] = cube_gradients[k].dx[d], at[k][2][d] = cube_gradients[k].dy[d];
    for (int test = 0; test < 4; test++) {
        const bool layered = test & 1;
        char path[300];
        snprintf(path, sizeof path, WG_CONFORMANCE "/texture.sm_%d.cubin", test < 2 ? 80 : 90);
        machine *m = machine_open(path);
        eng_texture t = {.kind = ENG_TEX_ARRAY, .dims = 2, .cube = true, .layered = layered, .layers = layered ? CUBES : 1, .n_levels = LEVELS, .format = ENG_TEX_FLOAT,
                         .components = 4, .bits = 32, .normalised_coords = true, .linear_levels = true, .level_max = LEVELS - 1, .address = {1, 1, 1}};
        for (int l = 0; l < LEVELS; l++) {
            const unsigned n = N >> l, slice = n * n * 16;
            for (int f = 0; f < CUBES * 6; f++)
                for (unsigned k = 0; k < n * n; k++) memcpy((float *)texels + ((unsigned)f * n * n + k) * 4, (float[]){(float)l, (float)f, 0, 1}, 16);
            t.levels[l] = (eng_tex_level){.address = machine_alloc(m, texels, slice * CUBES * 6), .width = n, .height = n, .depth = 1, .pitch = n * 16, .slice = slice};
        }
        struct { uint64_t t, out, at; int n; } p = {eng_texture_add(m->device, &t), machine_alloc(m, NULL, sizeof read), machine_alloc(m, at, sizeof at), POINTS_OF_CUBE};
        machine_run(m, layered ? "c_layer_grad" : "c_grad", (POINTS_OF_CUBE + 63) / 64, 1, 64, 1, &p);
        machine_read(m, read, p.out, sizeof read);
        int off = 0;
        for (int k = 0; k < POINTS_OF_CUBE; k++) {
            assert_true(fabsf(read[k][0] - cube_gradients[k].level) <= 2.0f / 256);
            assert_true(read[k][1] == (float)(cube_gradients[k].face + (layered ? 6 * (k & 1) : 0)));
            off += read[k][0] != cube_gradients[k].level;
        }
        assert_int_equal(off, test < 2 ? 11 : 12);
        if (!layered) others_keep_what_they_have(m, &p, POINTS_OF_CUBE, at, read);
        machine_close(m);
    }
}

/* Surfaces: what the boundary modes read and where they write, and a trap. */
static void surfaces(void **state) {
    (void)state;
    enum { W = 40, H = 7 };
    for (int sm = 80; sm <= 90; sm += 10) {
        char path[300];
        snprintf(path, sizeof path, WG_CONFORMANCE "/texture.sm_%d.cubin", sm);
        machine *m = machine_open(path);
        static uint32_t from[H][W], to[H][W];
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) from[y][x] = (uint32_t)(y * 0x01010101 + x * 0x00030507);
        eng_texture t = {.surface = true, .kind = ENG_TEX_ARRAY, .dims = 2, .layers = 1, .n_levels = 1, .format = ENG_TEX_UNSIGNED, .components = 1, .bits = 32};
        t.levels[0] = (eng_tex_level){.address = machine_alloc(m, from, sizeof from), .width = W, .height = H, .depth = 1, .pitch = W * 4, .slice = sizeof from};
        eng_texture u = t;
        u.levels[0].address = machine_alloc(m, to, sizeof to);
        struct { uint64_t from, to; int w, h; } p = {eng_texture_add(m->device, &t), eng_texture_add(m->device, &u), W, H};
        machine_run(m, "s_copy", 2, H, 32, 1, &p);
        machine_read(m, to, u.levels[0].address, sizeof to);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                uint32_t clamped = from[y + 1 < H ? y + 1 : y][x < 2 ? 0 : x - 2];
                int byte = x + W * 4 - 8;
                uint32_t beyond = byte < W * 4 ? ((const uint8_t *)from[y])[byte] : 0;
                assert_int_equal(to[y][x], clamped + beyond);
            }
        struct { uint64_t all; int w, h; } q = {machine_alloc(m, (uint64_t[]){p.from, p.to}, 16), W, H};
        machine_run(m, "s_memory", 2, H, 32, 1, &q);
        machine_read(m, to, u.levels[0].address, sizeof to);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) assert_int_equal(to[y][x], from[y][x] ^ 0x5a5a);
        q.w = W + 1;
        assert_int_equal(machine_launch(m, "s_memory", 2, H, 32, 1, &q), WG_ERR_FAULT);
        assert_int_equal(m->findings[0].kind, ENG_FAULT_OUT_OF_BOUNDS);
        eng_texture_remove(m->device, p.to);
        q.w = W;
        assert_int_equal(machine_launch(m, "s_memory", 2, H, 32, 1, &q), WG_ERR_FAULT);
        assert_int_equal(m->findings[0].kind, ENG_FAULT_WILD);
        machine_close(m);
    }
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(textures_read_as_an_h200_reads_them), cmocka_unit_test(filters_of_seamless_cubes_reach_over_edges),
                                     cmocka_unit_test(gradients_choose_levels_of_cubes), cmocka_unit_test(surfaces)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
