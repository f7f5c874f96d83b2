/* Asynchronous barriers (mbarrier objects): what libcu++ and PTX make of them for sm_80 and sm_90. */
#include "engine/harness.h"

#include <stdio.h>

enum { N = 256 };
static int in[4 * N], out[4 * N];

static void barriers_hold_back_and_let_go(void **state) {
    (void)state;
    for (int k = 0; k < 4 * N; k++) in[k] = k * 7 + 1;
    for (int sm = 80; sm <= 90; sm += 10) {
        char path[300];
        snprintf(path, sizeof path, WG_CONFORMANCE "/barrier.sm_%d.cubin", sm);
        machine *m = machine_open(path);
        struct { uint64_t in, out; } p = {machine_alloc(m, in, sizeof in), machine_alloc(m, NULL, sizeof out)};
        for (m->seed = 0; m->seed < 4; m->seed++) {
            machine_run(m, "b_rounds", 2, 1, N, 1, &p.out);
            machine_read(m, out, p.out, 2 * N * sizeof *out);
            for (int k = 0; k < 2 * N; k++) assert_int_equal(out[k], (k % N + 37) % N * 6);
            machine_run(m, "b_drop", 1, 1, N, 1, &p.out);
            machine_read(m, out, p.out, N * sizeof *out);
            for (int k = 0; k < N; k++) assert_int_equal(out[k], k >= 128 ? (k ^ 64) * 3 : (k ^ 65) * 3 + 1);
            machine_run(m, "b_copies", 1, 1, N, 1, &p);
            machine_read(m, out, p.out, N * sizeof *out);
            for (int k = 0; k < N; k++) assert_int_equal(out[k], in[k ^ 9]);
            machine_run(m, "b_pipeline", 1, 1, N, 1, &p);
            machine_read(m, out, p.out, sizeof out);
            for (int k = 0; k < 4 * N; k++) assert_int_equal(out[k], in[k ^ 3]);
            if (sm < 90) continue;
            machine_run(m, "b_bytes", 1, 1, N, 1, &p.out);
            machine_read(m, out, p.out, N * sizeof *out);
            for (int k = 0; k < N; k++) assert_int_equal(out[k], 1);
        }
        machine_close(m);
    }
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(barriers_hold_back_and_let_go)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
