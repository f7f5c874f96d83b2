/* Every word that h200.txt holds, executed here, gives what an H200 gave: 2048 threads, chosen and random operands, compared
 * in four blocks by hashes of all that the word can change, and by one value of thread 7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/file.h"
#include "engine.h"
#include "sass/sass.h"

enum { BLOCKS = 4, SHOWN = 20 };
typedef struct expected {
    unsigned hash[BLOCKS], column, value;
    unsigned long long hi, lo;
    int kind, own_time;
    bool model; /* a line that begins with ~: known to differ in last bits (docs/fidelity.md) */
    char text[200];
} expected;

static bool parse(const char *line, expected *e) {
    e->model = *line == '~';
    return sscanf(line + e->model, "%8x%8x%8x%8x %u=%x %llx %llx %d %d %199[^\n]", &e->hash[0], &e->hash[1], &e->hash[2], &e->hash[3], &e->column,
                  &e->value, &e->hi, &e->lo, &e->kind, &e->own_time, e->text) == 11 && e->column < PROBE_OUT && e->kind < PROBE_KINDS;
}

static bool agrees(const expected *e, const uint32_t *out) {
    bool same = out[e->column * PROBE_THREADS + 7] == e->value;
    for (unsigned k = 0; k < BLOCKS; k++)
        same &= (uint32_t)probe_hash(out, k * PROBE_THREADS / BLOCKS, (k + 1) * PROBE_THREADS / BLOCKS) == e->hash[k];
    return same;
}

static void words_do_what_an_h200_did(void **state) {
    (void)state;
    static probe_machine m;
    static uint32_t out[PROBE_OUT * PROBE_THREADS];
    static uint8_t cubin[1 << 16];
    FILE *f = fopen(WG_CONFORMANCE "/probe.sm_90.cubin", "rb"), *lines = fopen(WG_CONFORMANCE "/h200.txt", "r");
    assert_non_null(f);
    assert_non_null(lines);
    size_t size = fread(cubin, 1, sizeof cubin, f);
    fclose(f);
    if (!probe_open(&m, cubin, size)) fail_msg("%s", m.err.text);
    char line[400];
    unsigned exact = 0, model = 0, wrong = 0;
    while (fgets(line, sizeof line, lines)) {
        expected e;
        if (*line == '#') continue;
        if (!parse(line, &e)) fail_msg("h200.txt: %s", line);
        wg_status st = probe_run(&m, (probe_word){e.lo, e.hi}, (probe_kind)e.kind, out);
        bool same = st == WG_OK && agrees(&e, out);
        exact += same;
        model += !same && e.model;
        if (same == !e.model) continue;
        if (wrong++ < SHOWN)
            print_error("%s (%llx %llx): %s\n", e.text, e.hi, e.lo, st != WG_OK ? m.err.text : same ? "is exact now: take the ~ away" : "other results");
    }
    fclose(lines);
    probe_close(&m);
    print_message("%u words exact, %u known to differ\n", exact, model);
    assert_int_equal(wrong, 0);
    assert_true(exact > 2300);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(words_do_what_an_h200_did)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
