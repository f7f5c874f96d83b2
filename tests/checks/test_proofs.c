/* What is shown to be apart before a launch is not watched: the findings must be the same as when everything is, and so they must be
 * for every number of workers. The kernels of proofs.cu, launched with random numbers, with proofs and without.
 *
 * usage: test_proofs CUBIN */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpgrind/warpgrind.h"

enum { ELEMENTS = 65536, LAUNCHES = 80, NUMBERS = 8 };

static uint64_t seed = 1;
static unsigned below(unsigned n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

typedef struct launch {
    unsigned grid, block;
    int n[NUMBERS];
} launch;

static launch some_launch(void) {
    static const int strides[] = {1, 1, 1, 1, -1, 0, 2, 3, 4, 32, 33, 64};
    launch l = {.grid = 1 + below(6), .block = below(2) ? 32 * (1 + below(3)) : 1 + below(96)};
    l.n[0] = (int)(below(2) ? l.grid * l.block : 1 + below(96));
    for (unsigned k = 1; k < NUMBERS - 1; k++)
        l.n[k] = k % 2 == 0 ? strides[below(sizeof strides / sizeof *strides)] : below(2) ? (int)below(8) : (int)below(4) * 32;
    if (below(2)) l.n[4] = l.n[2]; /* the same stride at some distance */
    l.n[NUMBERS - 1] = (int)below(4);
    return l;
}

/* All findings of a kernel's launches; NULL with a word about what went wrong. */
static json_t *findings_of(const char *cubin, const char *kernel, const launch *launches, const char *proofs, unsigned jobs) {
    const wg_options options = {.checks = "race", .jobs = jobs};
    wg_error err = {0};
    wg_device *dev = NULL;
    wg_address a, b;
    setenv("WARPGRIND_PROOFS", proofs, 1);
    bool ok = wg_open(cubin, &options, &dev, &err) == WG_OK && wg_alloc(dev, ELEMENTS * 4, &a, &err) == WG_OK &&
              wg_alloc(dev, ELEMENTS * 4, &b, &err) == WG_OK;
    for (unsigned k = 0; ok && k < LAUNCHES; k++) {
        const launch *l = &launches[k];
        wg_arg args[] = {wg_arg_address(a), wg_arg_address(b), wg_arg_bytes(l->n, sizeof l->n)};
        ok = wg_fill(dev, a, 0, ELEMENTS * 4, &err) == WG_OK && wg_fill(dev, b, 0, ELEMENTS * 4, &err) == WG_OK;
        ok = ok && wg_launch(dev, wg_kernel(dev, kernel, &err), wg_dim3(l->grid, 1, 1), wg_dim3(l->block, 1, 1), 0, args, 3, NULL, &err) == WG_OK;
    }
    char *text = ok ? wg_report_json(dev) : NULL;
    json_t *document = text ? json_loads(text, 0, NULL) : NULL, *findings = json_incref(json_object_get(document, "findings"));
    if (!findings) printf("%s: %s\n", kernel, err.text);
    json_decref(document);
    free(text);
    wg_close(dev);
    return findings;
}

static size_t races_in(const json_t *findings) {
    size_t i, n = 0;
    json_t *f;
    json_array_foreach((json_t *)findings, i, f) {
        const char *kind = json_string_value(json_object_get(f, "kind"));
        n += kind && !strcmp(kind, "race");
    }
    return n;
}

static bool test(const char *cubin, const char *kernel) {
    launch launches[LAUNCHES];
    for (unsigned k = 0; k < LAUNCHES; k++) launches[k] = some_launch();
    json_t *without = findings_of(cubin, kernel, launches, "off", 1);
    size_t n = races_in(without);
    bool ok = without && n;
    static const char *const dealt[] = {"", "each", "back"};
    for (unsigned jobs = 1; ok && jobs <= 3; jobs++) {
        setenv("WARPGRIND_DEAL", dealt[jobs - 1], 1);
        json_t *with = findings_of(cubin, kernel, launches, "on", jobs);
        ok = with && json_equal(with, without);
        if (!ok && with) {
            printf("with proofs, %u workers:\n", jobs);
            json_dumpf(with, stdout, JSON_INDENT(1));
            printf("\nwithout:\n");
            json_dumpf(without, stdout, JSON_INDENT(1));
        }
        json_decref(with);
    }
    printf("%-24s %zu races, %s\n", kernel, n, ok ? "found by all" : "WRONG");
    json_decref(without);
    return ok;
}

int main(int argc, char **argv) {
    static const char *const kernels[] = {"line", "plane", "widths", "alias", "gathered", "gathered_by_all", "scattered", "predicated",
                                          "one_a_block", "loops", "atomics", "generic", "tile", "tiles", "two_barriers", "ends_early",
                                          "narrow_tile", "warp_tile"};
    bool ok = argc > 1;
    for (size_t k = 0; ok && k < sizeof kernels / sizeof *kernels; k++) {
        if (argc > 2 && strcmp(argv[2], kernels[k])) continue;
        ok &= test(argv[1], kernels[k]);
    }
    return !ok;
}
