/* access CUBIN [GROUP]: launches the kernels of access.cu, one warp each, on whatever stands behind the driver's interface: a
 * GPU under Nsight Compute, or the machine here. GROUP: only one of three. It needs the driver only: cc access.c -ldl */
#include <string.h>

#include "access.h"
#include "driver.h"

enum { BYTES = 1 << 20, SHARED_BYTES = 32768, GLOBAL = 1, SHARED = 2, MEETING = 4 };
static const unsigned ALL = ~0u;
static void *module;
static CUdeviceptr global, out;

static void launch(const char *kernel, access_place p) {
    CUdeviceptr middle = global + BYTES / 2;
    void *parameters[] = {&middle, &out, &p};
    launch_warp(module, kernel, SHARED_BYTES, parameters);
}

/* Steps and offsets in elements. */
static const struct pattern {
    int step, offset, flip;
    unsigned mask;
} in_global[] = {{1, 0, 0, ~0u},  {2, 0, 0, ~0u}, {3, 0, 0, ~0u},      {4, 0, 0, ~0u},         {5, 0, 0, ~0u},  {8, 0, 0, ~0u},
                 {16, 0, 0, ~0u}, {32, 0, 0, ~0u}, {33, 0, 0, ~0u},    {0, 0, 0, ~0u},         {-1, 0, 0, ~0u}, {1, 1, 0, ~0u},
                 {1, 7, 0, ~0u},  {1, 31, 0, ~0u}, {1, 0, 0, 0xffff},  {1, 0, 0, 1},           {1, 0, 0, 0x55555555},
                 {32, 0, 0, 0xff}, {128, 0, 0, ~0u}, {256, 0, 0, ~0u}, {1, 8, 0, ~0u},         {1, 0, 5, ~0u},  {1, 0, 0, 0xff00ff00}},
  in_shared[] = {{1, 0, 0, ~0u},   {2, 0, 0, ~0u},  {3, 0, 0, ~0u},     {4, 0, 0, ~0u},         {8, 0, 0, ~0u},  {16, 0, 0, ~0u},
                 {32, 0, 0, ~0u},  {33, 0, 0, ~0u}, {0, 0, 0, ~0u},     {1, 0, 5, ~0u},         {1, 1, 0, ~0u},  {2, 1, 0, ~0u},
                 {1, 0, 0, 0xffff}, {1, 0, 0, 0x55555555}, {4, 0, 0, 0xff}, {32, 0, 0, 0xf},    {4, 0, 0, 0xff00ff}, {4, 0, 0, 0x0f0f0f0f},
                 {2, 0, 0, 0x0f0f0f0f}, {2, 0, 16, 0xff0000ff}, {1, 0, 0, 0x80000001}};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static access_place at(const struct pattern *k, int width) {
    return (access_place){.stride = k->step * width, .offset = k->offset * width, .flip = k->flip, .mask = k->mask, .to_stride = width};
}
static void each(const char *kernel, int width, const struct pattern *k, size_t n, size_t step) {
    for (size_t i = 0; i < n; i += step) launch(kernel, at(&k[i], width));
    launch(kernel, (access_place){.mask = ALL, .spread = width, .to_stride = width});
}

static void global_memory(void) {
    each("ld_4", 4, in_global, COUNT(in_global), 1), each("ld_8", 8, in_global, COUNT(in_global), 1), each("ld_16", 16, in_global, COUNT(in_global), 1);
    each("st_4", 4, in_global, COUNT(in_global), 1), each("st_8", 8, in_global, COUNT(in_global), 1), each("st_16", 16, in_global, COUNT(in_global), 1);
    each("ld_1", 1, in_global, COUNT(in_global), 2), each("ld_2", 2, in_global, COUNT(in_global), 3);
    each("st_1", 1, in_global, COUNT(in_global), 2), each("st_2", 2, in_global, COUNT(in_global), 3);
    each("red_4", 4, in_global, COUNT(in_global), 1), each("red_8", 8, in_global, COUNT(in_global), 2);
    each("atom_4", 4, in_global, COUNT(in_global), 1), each("atom_8", 8, in_global, COUNT(in_global), 2);
    each("copy_4", 4, in_global, COUNT(in_global), 2), each("copy_8", 8, in_global, COUNT(in_global), 3), each("copy_16", 16, in_global, COUNT(in_global), 2);
    static const int to[] = {4, 8, 32, 128, 132}, to16[] = {16, 32, 128, 144, 256};
    for (size_t k = 0; k < COUNT(to); k++) {
        launch("copy_4", (access_place){.stride = 4, .mask = ALL, .to_stride = to[k]});
        launch("copy_16", (access_place){.stride = 16, .mask = ALL, .to_stride = to16[k]});
    }
}

static void shared_memory(void) {
    static const struct { const char *name; int width; } plain[] = {{"lds_4", 4}, {"lds_8", 8}, {"lds_16", 16}, {"lds_1", 1}, {"lds_2", 2},
                                                                    {"sts_4", 4}, {"sts_8", 8}, {"sts_16", 16}, {"sts_1", 1}, {"sts_2", 2}},
      atomic[] = {{"atoms_add", 4}, {"atoms_add_back", 4}, {"atoms_cas", 4}, {"atoms_exch", 4}, {"atoms_cas_8", 8}, {"atoms_exch_8", 8}};
    for (size_t k = 0; k < COUNT(plain); k++) each(plain[k].name, plain[k].width, in_shared, COUNT(in_shared), 1);
    for (size_t k = 0; k < COUNT(atomic); k++) each(atomic[k].name, atomic[k].width, in_shared, COUNT(in_shared), 1);
    each("atoms_one", 4, in_shared, COUNT(in_shared), 3), each("atoms_max", 4, in_shared, COUNT(in_shared), 3);
    static const char *const rows[] = {"ldsm_1", "ldsm_2", "ldsm_4", "ldsm_1t", "ldsm_4t", "stsm_1", "stsm_2", "stsm_4"};
    static const int strides[] = {16, 32, 48, 64, 80, 128, 144, 256, 0};
    for (size_t k = 0; k < COUNT(rows); k++)
        for (size_t s = 0; s < COUNT(strides); s++) launch(rows[k], (access_place){.stride = strides[s], .mask = ALL});
}

/* Lanes that meet: at one address in pairs, fours, halves; and masks that leave lanes alone. */
static void meeting(void) {
    static const unsigned drops[] = {0x101, 0x202, 0x404, 0x808, 0x1010, 0x303, 0x505, 0x1111, 0x1f1f, 0x001, 0x100, 0x102, 0x200},
                          masks[] = {0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x5555aaaa, 0x11111111, 0x55553333, 0x0000ffff, 0xffff5555},
                          few[] = {0x101, 0x303, 0x1010, 0x1f1f};
    static const struct { const char *name; int width; } wide[] = {{"lds_8", 8}, {"lds_16", 16}, {"sts_8", 8}, {"sts_16", 16}};
    for (size_t k = 0; k < COUNT(wide); k++) {
        const int w = wide[k].width;
        for (size_t d = 0; d < COUNT(drops); d++) {
            launch(wide[k].name, (access_place){.stride = w, .mask = ALL, .drop = drops[d]});
            if (k < 2) launch(wide[k].name, (access_place){.stride = 4 * w, .mask = ALL, .drop = drops[d]});
        }
        for (size_t m = 0; m < COUNT(masks); m++) launch(wide[k].name, (access_place){.stride = w, .mask = masks[m]});
    }
    static const struct { const char *name; int width; } atomic[] = {{"atoms_add", 4}, {"atoms_one", 4}, {"atoms_cas", 4}, {"atoms_exch_8", 8},
        {"red_4", 4}, {"red_max", 4}, {"atom_4", 4}, {"atom_add", 4}, {"atom_cas", 4}, {"atom_8", 8}};
    for (size_t k = 0; k < COUNT(atomic); k++)
        for (size_t d = 0; d < COUNT(few); d++) {
            launch(atomic[k].name, (access_place){.stride = atomic[k].width, .mask = ALL, .drop = few[d]});
            if (k >= 4) launch(atomic[k].name, (access_place){.stride = 8 * atomic[k].width, .mask = ALL, .drop = few[d]});
        }
    static const int steps[][2] = {{32, 16}, {16, 48}, {64, 16}, {16, 64}, {80, 16}, {48, 48}};
    for (size_t k = 0; k < COUNT(steps); k++) {
        launch("copy_16", (access_place){.stride = steps[k][0], .mask = ALL, .to_stride = steps[k][1]});
        launch("copy_16", (access_place){.stride = steps[k][0], .offset = 16, .flip = 1, .mask = 0x00ffff00, .to_stride = steps[k][1]});
    }
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: access CUBIN [global|shared|meeting]\n"), 2;
    int groups = argc < 3 ? GLOBAL | SHARED | MEETING : strcmp(argv[2], "global") == 0 ? GLOBAL : strcmp(argv[2], "shared") == 0 ? SHARED : MEETING;
    module = loaded(argv[1]);
    global = filled(BYTES, 1);
    out = filled(4096, 0);
    if (groups & GLOBAL) global_memory();
    if (groups & SHARED) shared_memory();
    if (groups & MEETING) meeting();
    puts("done");
    return 0;
}
