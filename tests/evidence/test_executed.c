/* Every address that the analysis states, against the addresses that the engine executes: the kernels of truth.cu, of
 * patterns.cu and of the examples run, and each access event is compared with the expression, evaluated for its block and
 * warp. Expressions that a launch settles must give the executed addresses; where all lanes share something that only a
 * run tells (a loop's counter is tried, other things are not), the distances between the lanes must be the executed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/engine.h"
#include "evidence/cubins.h"
#include "evidence/evidence.h"

/* --- launches ------------------------------------------------------------------------------------------ */

/* Arguments: a b c: buffers; n: the number; q: a buffer of indices; '.': a structure's padding is not needed. */
typedef struct launch_row {
    const char *symbol;
    uint32_t grid[3], block[3];
    const char *args;
    uint32_t number[4];
} launch_row;
#define LINE_GRID {40, 1, 1}, {256, 1, 1}
static const launch_row truth_rows[] = {
    {"_Z7soa_sumPfPKfS1_i", LINE_GRID, "cabn", {10000}},
    {"_Z7aos_sumPfPK4Bondi", LINE_GRID, "can", {10000}},
    {"_Z5aos12PfPK5Odd12i", LINE_GRID, "can", {10000}},
    {"_Z7stridedILi1EEvPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z7stridedILi2EEvPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z7stridedILi3EEvPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z7stridedILi8EEvPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z7stridedILi32EEvPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z6offsetILi1EEvPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z6offsetILi7EEvPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z6offsetILi8EEvPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z4vec2P6float2PKS_i", LINE_GRID, "can", {10000}},
    {"_Z4vec4P6float4PKS_i", LINE_GRID, "can", {10000}},
    {"_Z6bytes_PhPKhi", LINE_GRID, "can", {10000}},
    {"_Z8doubles_PdPKdi", LINE_GRID, "can", {10000}},
    {"_Z7gather_PfPKfPKii", LINE_GRID, "caqn", {10000}},
    {"_Z8scatter_PfPKfPKii", LINE_GRID, "caqn", {10000}},
    {"_Z10broadcast_PfPKfi", LINE_GRID, "can", {10000}},
    {"_Z9half_warpPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z9sh_strideILi1EEvPfPKf", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"_Z9sh_strideILi2EEvPfPKf", {4, 1, 1}, {96, 1, 1}, "ca", {0}},
    {"_Z9sh_strideILi4EEvPfPKf", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"_Z9sh_strideILi32EEvPfPKf", {4, 1, 1}, {64, 1, 1}, "ca", {0}},
    {"_Z9sh_strideILi33EEvPfPKf", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"_Z9sh_strideILi0EEvPfPKf", {4, 1, 1}, {160, 1, 1}, "ca", {0}},
    {"_Z9transposeILi0EEvPfPKfi", {4, 4, 1}, {32, 8, 1}, "can", {128}},
    {"_Z9transposeILi1EEvPfPKfi", {4, 4, 1}, {32, 8, 1}, "can", {129}},
    {"_Z7sh_vec4P6float4PKS_", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"_Z8sh_vec4sILi2EEvP6float4PKS0_", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"_Z8sh_vec4sILi4EEvP6float4PKS0_", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"_Z6sh_f64PdPKd", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"_Z7sh_bytePhPKh", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"_Z10conv_naivePKfiiS0_iiPfii", {7, 7, 1}, {16, 16, 1}, "annbnncnn", {0}}, /* numbers below */
    {"_Z10conv_tiledPKfiiS0_Pfii", {6, 6, 1}, {18, 18, 1}, "annbcnn", {0}},
    {"_Z11reduce_treePKfPfi", LINE_GRID, "acn", {10000}},
    {"_Z18reduce_interleavedPKfPfi", LINE_GRID, "acn", {10000}},
    {"_Z11reduce_shflPKfPfi", LINE_GRID, "acn", {10000}},
    {"_Z5histoPKjPji", LINE_GRID, "qcn", {10000}},
    {"_Z9divergentPfPKfi", LINE_GRID, "can", {10000}},
    {"_Z9local_arrPfPKii", LINE_GRID, "cqn", {10000}},
    {"_Z11grid_stridePfPKfi", {5, 1, 1}, {96, 1, 1}, "can", {9970}},
    {"_Z6matmulPKfS0_Pfi", {3, 3, 1}, {32, 32, 1}, "abcn", {96}},
};
static const launch_row pattern_rows[] = {
    {"masked", {1, 1, 1}, {1024, 1, 1}, "ca", {0}},
    {"divided", LINE_GRID, "can", {10000}},
    {"remainder_of", LINE_GRID, "can", {10000}},
    {"lanes_of_warps", LINE_GRID, "ca", {0}},
    {"tile_from_line", {5, 5, 1}, {256, 1, 1}, "can", {83}},
    {"doubling", {1, 1, 1}, {512, 1, 1}, "can", {512}},
    {"chosen", {1, 1, 1}, {96, 1, 1}, "cabn", {1}},
    {"backwards", LINE_GRID, "can", {10000}},
    {"pixels", LINE_GRID, "can", {10000}},
    {"wide_index", LINE_GRID, "caN", {10000}},
    {"in_structure", {1, 1, 1}, {64, 4, 1}, "cs", {0}},
    {"staged", {4, 1, 1}, {256, 1, 1}, "ca", {0}},
    {"rows_of_a_narrow_block", {8, 8, 1}, {8, 24, 1}, "can", {77}},
    {"grid_stride4", {5, 1, 1}, {96, 1, 1}, "can", {3000}},
    {"indirect", {4, 1, 1}, {64, 1, 1}, "crq", {0}},
    {"histogram", LINE_GRID, "qcn", {10000}},
};
static const launch_row example_rows[] = {
    {"_ZN12bond_layouts14total_rate_soaEPfNS_5BondsEi", {4, 1, 1}, {256, 1, 1}, "cPn", {1000}},
    {"_ZN12bond_layouts14total_rate_aosEPfPKNS_4BondEi", {4, 1, 1}, {256, 1, 1}, "can", {1000}},
    {"_ZN11conv_naive_10conv_naiveEPKfS1_Pfii", {3, 3, 1}, {16, 16, 1}, "abcnn", {40, 3}},
    {"_ZN12conv_padded_11conv_framedEPKfS1_Pfi", {3, 3, 1}, {16, 16, 1}, "abcn", {40}},
    {"_ZN11conv_tiled_10conv_tiledEPKfS1_Pfi", {20, 20, 1}, {4, 4, 1}, "abcn", {40}},
    {"_ZN13early_return_12sum_identityEPKfPfi", {1, 1, 1}, {8, 1, 1}, "acn", {4}},
    {"_ZN13early_return_16sum_early_returnEPKfPfi", {1, 1, 1}, {8, 1, 1}, "acn", {4}},
    {"_ZN21launch_configuration_5twiceEPfPKfi", {79, 1, 1}, {128, 1, 1}, "can", {10000}},
    {"_ZN13warp_shuffle_9sum_eightEPKfPfS2_", {1, 1, 1}, {8, 1, 1}, "acb", {0}},
    {"_ZN13warp_shuffle_7sum_allEPKfPfi", {4, 1, 1}, {256, 1, 1}, "acn", {1000}},
    {"_ZN14sass_evidence_17rates_from_arraysEPfPKfS2_i", {4, 1, 1}, {256, 1, 1}, "cabn", {1000}},
    {"_ZN14sass_evidence_18rates_from_recordsEPKNS_4BondEPfi", {4, 1, 1}, {256, 1, 1}, "acn", {1000}},
};

/* --- records of executed accesses --------------------------------------------------------------------------- */

enum { KEPT = 24, MAX_KEPT = 40000, BUFFER = 4 << 20 };
typedef struct executed {
    uint32_t instr, warp, mask;
    uint64_t block;
    eng_space space;
    uint32_t lanes[32];
} executed;
typedef struct listener {
    uint32_t seen[8192]; /* by instruction and space */
    executed *kept;
    size_t n;
    uint16_t function;
} listener;

static void hear(void *state, const eng_batch *batch) {
    listener *l = state;
    for (size_t e = 0; e < batch->count; e++) {
        const eng_event *ev = &batch->events[e];
        if (ev->kind != ENG_EV_ACCESS || !ev->mask || ev->function != l->function || ev->instr >= 4096) continue;
        const uint32_t seen = l->seen[ev->instr * 2 + (ev->space == ENG_SHARED)]++;
        /* the first ones, and then ever rarer ones */
        if ((seen >= KEPT && (seen & (seen - 1)) && seen % 331) || l->n == MAX_KEPT) continue;
        executed *x = &l->kept[l->n++];
        *x = (executed){.instr = ev->instr, .warp = ev->warp, .mask = ev->mask, .block = batch->block, .space = (eng_space)ev->space};
        for (unsigned k = 0; k < 32; k++) x->lanes[k] = x->mask >> k & 1 ? (uint32_t)eng_lane_address(batch, ev, k) : 0;
    }
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

typedef struct tally {
    unsigned full, steps, unknown, parted, wrong;
    unsigned accesses, reached; /* memory instructions; those that some record belongs to */
} tally;

static bool same(const executed *x, const uint32_t lanes[32], bool full) {
    const unsigned first = (unsigned)__builtin_ctz(x->mask);
    for (unsigned l = 0; l < 32; l++) {
        if (!(x->mask >> l & 1)) continue;
        const uint32_t is = x->lanes[l] - (full ? 0 : x->lanes[first]), said = lanes[l] - (full ? 0 : lanes[first]);
        if (is != said) return false;
    }
    return true;
}
enum { ITERATIONS = 70 };
/* Loops are tried from the first iteration on: the counter is not part of an event. */
static void compare(const ev_kernel *k, const ev_access *a, ev_launch *launch, const uint32_t grid[3], const executed *x, tally *t) {
    uint32_t lanes[32];
    bool steps = false;
    launch->ctaid[0] = (uint32_t)(x->block % grid[0]);
    launch->ctaid[1] = (uint32_t)(x->block / grid[0] % grid[1]);
    launch->ctaid[2] = (uint32_t)(x->block / grid[0] / grid[1]);
    launch->warp = x->warp;
    const bool loops = strstr(a->text, "i0") || strstr(a->text, "i1") || strstr(a->text, "i2") || strchr(a->text, '@');
    ev_known known = EV_UNKNOWN;
    for (unsigned i = 0; i < (loops ? ITERATIONS : 1); i++) {
        known = ev_addresses(k, a, launch, i, (unsigned)__builtin_ctz(x->mask), lanes);
        if (known == EV_UNKNOWN) break;
        if (same(x, lanes, true)) {
            t->full++;
            return;
        }
        steps |= same(x, lanes, false);
    }
    if (known == EV_UNKNOWN) t->unknown++;
    else if (steps && loops) t->steps++;
    else if (a->converged) t->parted++;
    else {
        t->wrong++;
        if (t->wrong < 8)
            print_error("%s 0x%04x: %s: block %llu warp %u, lanes 0x%08x: lane 0 executed 0x%x, said 0x%x; lane 1 0x%x, said 0x%x\n",
                        k->function->demangled, a->instr * 16, a->text, (unsigned long long)x->block, x->warp, x->mask, x->lanes[0], lanes[0],
                        x->lanes[1], lanes[1]);
    }
}

static uint32_t number_of(const launch_row *row, unsigned k) {
    static const uint32_t naive[] = {120, 110, 3, 3, 108, 98}, tiled[] = {90, 100, 88, 98};
    if (strstr(row->symbol, "conv_naivePKfiiS0_")) return naive[k];
    if (strstr(row->symbol, "conv_tiledPKfiiS0_")) return tiled[k];
    return row->number[k < 4 ? k : 0];
}
typedef struct buffers {
    uint64_t a, b, c, q, r;
} buffers;
static void put_params(const launch_row *row, const img_function *f, const buffers *d, uint8_t *params) {
    unsigned numbers = 0;
    for (unsigned k = 0; row->args[k]; k++) {
        uint8_t *at = params + f->params[k].offset;
        const uint64_t pointer = row->args[k] == 'a' ? d->a : row->args[k] == 'b' ? d->b : row->args[k] == 'c' ? d->c : row->args[k] == 'q' ? d->q : d->r;
        const uint32_t view[4] = {(uint32_t)d->a, (uint32_t)(d->a >> 32), 83, 5};
        switch (row->args[k]) {
        case 'n':
        case 'N': memcpy(at, &(uint64_t){number_of(row, numbers++)}, row->args[k] == 'n' ? 4 : 8); break;
        case 's': memcpy(at, view, 16); break;
        case 'P': memcpy(at, &d->a, 8), memcpy(at + 8, &d->b, 8); break;
        default: memcpy(at, &pointer, 8);
        }
    }
}

static void run_row(eng_code *code, const img_module *module, const launch_row *row, const buffers *d, tally *t) {
    const img_function *f = img_find_function(module, row->symbol);
    if (!f) print_error("no kernel %s\n", row->symbol);
    assert_non_null(f);
    wg_arena *arena = wg_arena_new();
    wg_error err = {0};
    ev_kernel *k = NULL;
    uint8_t params[256] = {0};
    assert_int_equal(ev_analyse(module, f, NULL, arena, &k, &err), WG_OK);
    put_params(row, f, d, params);

    listener *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->kept = malloc(MAX_KEPT * sizeof *l->kept);
    l->function = (uint16_t)(f - module->functions);
    eng_sink sink = {.wants = 1u << ENG_EV_ACCESS, .events = hear, .state = l};
    eng_launch launch = {.function = f, .params = params, .jobs = 1, .sinks = &sink, .n_sinks = 1, .max_instructions = 50000000};
    memcpy(launch.grid, row->grid, sizeof launch.grid);
    memcpy(launch.block, row->block, sizeof launch.block);
    eng_result result = {0};
    const wg_status status = eng_run(code, &launch, &result, &err);
    if (status != WG_OK) print_error("%s: %s\n", row->symbol, err.text);
    assert_int_equal(status, WG_OK);
    eng_result_free(&result);

    ev_launch at = {.params = params, .stack = (f->local_bytes + 15) & ~15u};
    memcpy(at.grid, row->grid, sizeof at.grid);
    memcpy(at.block, row->block, sizeof at.block);
    for (size_t i = 0; i < k->n_accesses; i++) {
        const ev_access *a = &k->accesses[i];
        bool reached = false;
        for (size_t x = 0; x < l->n; x++) {
            if (l->kept[x].instr != a->instr || l->kept[x].space != a->space) continue;
            reached = true;
            compare(k, a, &at, row->grid, &l->kept[x], t);
        }
        t->accesses++;
        t->reached += reached;
    }
    free(l->kept);
    free(l);
    ev_kernel_free(k);
    wg_arena_free(arena);
}

/* Data: small numbers that are indices, too; q: indices; r: pointers to rows. */
static buffers make_buffers(eng_device *device) {
    eng_memory *mem = eng_device_memory(device);
    buffers d = {0};
    uint64_t *const of[5] = {&d.a, &d.b, &d.c, &d.q, &d.r};
    uint32_t *words = malloc(BUFFER);
    assert_non_null(words);
    for (unsigned k = 0; k < 5; k++) {
        const eng_allocation *alloc = NULL;
        assert_int_equal(eng_memory_alloc(mem, BUFFER, ENG_ALLOC_DEVICE, &alloc, NULL), WG_OK);
        *of[k] = alloc->address;
        for (unsigned w = 0; w < BUFFER / 4; w++) {
            const float value = (float)(w % 97);
            const uint64_t row = d.a + 1000 * (uint64_t)(w / 2);
            if (k < 3) memcpy(&words[w], &value, 4);
            else if (k == 3) words[w] = (w * 2654435761u >> 7) % 10000;
            else words[w] = (uint32_t)(w % 2 ? row >> 32 : row);
        }
        assert_int_equal(eng_memory_copy(mem, *of[k], (uintptr_t)words, BUFFER, ENG_HOST_TO_DEVICE, NULL), WG_OK);
    }
    free(words);
    return d;
}

static tally run_rows(const char *cubin, int sm, const launch_row *rows, size_t n) {
    img_module *module = open_cubin(cubin, sm);
    eng_device *device = NULL;
    eng_code *code = NULL;
    tally t = {0};
    wg_error err;
    assert_non_null(module);
    assert_int_equal(eng_device_new(eng_gpu_for_sm(sm), &device, &err), WG_OK);
    assert_int_equal(eng_load(device, module, &code, &err), WG_OK);
    const buffers d = make_buffers(device);
    for (size_t k = 0; k < n; k++) run_row(code, module, &rows[k], &d, &t);
    eng_unload(code);
    eng_device_free(device);
    img_module_free(module);
    print_message("%s sm_%d: %u memory instructions, %u executed; of the compared accesses %u agree in full, %u in the distances of their "
                  "lanes, %u depend on data, %u of warps that had parted differ, %u wrong\n",
                  cubin, sm, t.accesses, t.reached, t.full, t.steps, t.unknown, t.parted, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_int_equal(t.parted, 0); /* could differ, and does not in these launches */
    assert_true(t.full > 10 * n);
    return t;
}
#define RUN(cubin, rows) run_rows(cubin, sm[k], rows, sizeof rows / sizeof *rows)
static const int sm[] = {75, 80, 86, 89, 90, 100};
enum { ARCHITECTURES = sizeof sm / sizeof *sm };

static void test_truth(void **state) {
    (void)state;
    for (unsigned k = 0; k < ARCHITECTURES; k++) RUN("truth", truth_rows);
}
static void test_patterns(void **state) {
    (void)state;
    for (unsigned k = 0; k < ARCHITECTURES; k++) RUN("patterns", pattern_rows);
}
static void test_examples(void **state) {
    (void)state;
    for (unsigned k = 0; k < ARCHITECTURES; k++) RUN("examples", example_rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth), cmocka_unit_test(test_patterns), cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
