/* Watches on made-up events: their counters are the models' results summed, whatever shortcut an event takes, and the
 * same for one worker and for several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "watch/banks.h"
#include "watch/sectors.h"
#include "watch/watch.h"

enum { INSTRUCTIONS = 8, WORKERS = 3, BATCHES = 40 };

static uint64_t seed = 7;
static uint32_t random32(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

/* What an instruction does is fixed; how its addresses lie varies from one execution to the next. */
static const struct { eng_space space; uint8_t access, width; } code[INSTRUCTIONS] = {
    {ENG_GLOBAL, ENG_READ, 4},  {ENG_GLOBAL, ENG_WRITE, 8}, {ENG_GLOBAL, ENG_READ | ENG_WRITE | ENG_ATOMIC | ENG_REDUCTION, 4},
    {ENG_SHARED, ENG_READ, 4},  {ENG_SHARED, ENG_WRITE, 16}, {ENG_LOCAL, ENG_READ, 4},
    {ENG_GLOBAL, ENG_READ, 16}, {ENG_SHARED, ENG_READ, 8}};

static eng_event some_event(eng_batch *batch, unsigned instr) {
    static const int strides[] = {0, 1, 2, 8, 33, -1, 32};
    unsigned width = code[instr].width;
    eng_event ev = {.kind = ENG_EV_ACCESS, .instr = instr, .space = (uint8_t)code[instr].space, .access = code[instr].access,
                    .width = (uint8_t)width, .cls = (uint8_t)(random32() % 5), .mask = random32() % 3 ? UINT32_MAX : random32(),
                    .address = 0x10000 + random32() % 512 * width, .stride = strides[random32() % 7] * (int)width};
    if (ev.cls == ENG_ROWS) ev.more = (random32() % 2 ? 16 : 18) | width << 8, ev.stride = (int)(random32() % 40 * width);
    if (ev.cls == ENG_GENERAL) {
        if (batch->n_general == ENG_BATCH_GENERAL) ev.cls = ENG_UNIFORM;
        else {
            ev.general = (uint16_t)batch->n_general;
            for (int l = 0; l < 32; l++) batch->lanes[batch->n_general][l] = 0x20000 + random32() % 1024 * width;
            batch->n_general++;
        }
    }
    return ev;
}

typedef struct sums { /* by definition: each event through its model */
    uint64_t requests[INSTRUCTIONS], sectors[INSTRUCTIONS], bytes[INSTRUCTIONS], used[INSTRUCTIONS];
    uint64_t wavefronts[INSTRUCTIONS], ideal[INSTRUCTIONS], degree[INSTRUCTIONS], chunks;
} sums;

/* Atomics: the n-th turn serves, of the lanes at each address, the n-th. */
static unsigned sectors_of_atomics(const eng_batch *batch, const eng_event *ev) {
    unsigned sectors = 0;
    for (unsigned turn = 0; turn < 32; turn++) {
        uint64_t met[32];
        unsigned n = 0;
        for (unsigned l = 0; l < 32; l++) {
            unsigned before = 0, k = 0;
            for (unsigned o = 0; o < l; o++)
                before += (ev->mask >> o & 1) && eng_lane_address(batch, ev, o) == eng_lane_address(batch, ev, l);
            if (!(ev->mask >> l & 1) || before != turn) continue;
            const uint64_t sector = eng_lane_address(batch, ev, l) / WATCH_SECTOR;
            while (k < n && met[k] != sector) k++;
            if (k == n) met[n++] = sector;
        }
        sectors += n;
    }
    return sectors;
}

static void add(sums *s, const eng_batch *batch, const eng_event *ev) {
    unsigned i = ev->instr;
    if (!ev->mask) return;
    s->requests[i] += ev->space == ENG_LOCAL && ev->width > 4 ? ev->width / 4u : 1u;
    if (ev->space == ENG_SHARED) {
        watch_wavefronts w = watch_banks_event(batch, ev, ev->access & ENG_ATOMIC ? WATCH_BANKS_ATOMIC : ev->access & ENG_READ ? WATCH_BANKS_LOAD : WATCH_BANKS_STORE);
        s->wavefronts[i] += w.wavefronts;
        s->ideal[i] += w.ideal;
        if (w.degree > s->degree[i]) s->degree[i] = w.degree;
        return;
    }
    watch_touch touch = watch_touch_event(batch, ev);
    s->sectors[i] += ev->access & ENG_ATOMIC ? sectors_of_atomics(batch, ev) : touch.sectors;
    s->used[i] += touch.bytes;
    s->bytes[i] += (uint64_t)__builtin_popcount(ev->mask) * ev->width;
    if (ev->space == ENG_GLOBAL && ev->access == ENG_READ) s->chunks += watch_chunks_event(batch, ev, 16, 4);
}

static const img_function function = {.name = "k", .demangled = "k", .is_kernel = true, .code_size = INSTRUCTIONS * 16};
static const img_module module = {.functions = (img_function *)&function, .n_functions = 1};

/* Feeds all watches that hear events; the record is what they write. */
static void observe(unsigned workers, watch_record *record, sums *s) {
    eng_launch launch = {.function = &function, .grid = {BATCHES, 1, 1}, .block = {64, 1, 1}};
    watch_run run;
    watch_context ctx = {.module = &module, .function = &function, .launch = &launch, .gpu = eng_gpu_find("h200"),
                         .chunk_bytes = 16, .group_threads = 4};
    assert_true(watch_run_start(&run, &ctx, workers));
    seed = 7;
    for (unsigned b = 0; b < BATCHES; b++) {
        eng_batch *batch = calloc(1, sizeof *batch);
        batch->block = b;
        while (batch->count < ENG_BATCH_EVENTS - 1) {
            batch->events[batch->count] = some_event(batch, random32() % INSTRUCTIONS);
            if (s) add(s, batch, &batch->events[batch->count]);
            batch->count++;
        }
        batch->events[batch->count++] = (eng_event){.kind = ENG_EV_EXIT, .mask = 0xff, .more = b % 2};
        for (size_t k = 0; k < run.n_sinks; k++) {
            eng_sink *sink = &run.sinks[b % workers * run.n_sinks + k];
            eng_batch_index(batch);
            sink->events(sink->state, batch);
        }
        free(batch);
    }
    eng_result result = {.idle_threads = 8 * BATCHES / 2};
    assert_true(watch_record_init(record, &module));
    watch_run_finish(&run, &result, record);
    watch_run_stop(&run);
}

static uint64_t at(const watch_record *record, watch_counter counter, unsigned instr) {
    uint64_t value = UINT64_MAX;
    assert_true(watch_get_at(record, counter, 0, instr, &value));
    return value;
}

static void counters_are_the_models_summed(void **state) {
    (void)state;
    sums s = {0};
    watch_record r;
    observe(1, &r, &s);
    for (unsigned i = 0; i < INSTRUCTIONS; i += 6) { /* the two loads from global memory */
        assert_int_equal(at(&r, WATCH_GLOBAL_LD_REQUESTS, i), s.requests[i]);
        assert_int_equal(at(&r, WATCH_GLOBAL_LD_SECTORS, i), s.sectors[i]);
        assert_int_equal(at(&r, WATCH_GLOBAL_LD_BYTES, i), s.bytes[i]);
        assert_int_equal(at(&r, WATCH_GLOBAL_LD_USED, i), s.used[i]);
    }
    assert_int_equal(at(&r, WATCH_GLOBAL_ST_SECTORS, 1), s.sectors[1]);
    assert_int_equal(at(&r, WATCH_GLOBAL_RED_REQUESTS, 2), s.requests[2]);
    assert_int_equal(at(&r, WATCH_GLOBAL_RED_SECTORS, 2), s.sectors[2]);
    assert_int_equal(at(&r, WATCH_LOCAL_LD_REQUESTS, 5), s.requests[5]);
    assert_int_equal(at(&r, WATCH_LOCAL_LD_SECTORS, 5), s.sectors[5]);
    assert_int_equal(at(&r, WATCH_LOCAL_BYTES, 5), s.bytes[5]);
    for (unsigned i = 3; i < INSTRUCTIONS; i += 4) { /* the two loads from shared memory */
        assert_int_equal(at(&r, WATCH_SHARED_LD_WAVEFRONTS, i), s.wavefronts[i]);
        assert_int_equal(at(&r, WATCH_SHARED_LD_IDEAL, i), s.ideal[i]);
        assert_int_equal(at(&r, WATCH_SHARED_LD_CONFLICTS, i), s.wavefronts[i] - s.ideal[i]);
        assert_int_equal(at(&r, WATCH_SHARED_DEGREE, i), s.degree[i]);
    }
    assert_int_equal(at(&r, WATCH_SHARED_ST_WAVEFRONTS, 4), s.wavefronts[4]);
    assert_int_equal(r.launch[WATCH_GLOBAL_LD_SECTORS].count, s.sectors[0] + s.sectors[6]);
    assert_int_equal(r.launch[WATCH_SHARED_LD_WAVEFRONTS].count, s.wavefronts[3] + s.wavefronts[7]);
    assert_int_equal(r.launch[WATCH_CHUNKS_LD].count, s.chunks);
    assert_int_equal(r.launch[WATCH_GLOBAL_ATOM_REQUESTS].kind, WATCH_COUNT); /* a countable zero */
    assert_int_equal(r.launch[WATCH_GLOBAL_ATOM_REQUESTS].count, 0);
    assert_int_equal(r.launch[WATCH_THREADS_IDLE].count, 8 * BATCHES / 2);
    assert_int_equal(r.launch[WATCH_THREADS_IDLE_LAST].count, 8);
    assert_false(r.failed);
    watch_record_free(&r);
}

static void workers_make_no_difference(void **state) {
    (void)state;
    watch_record one, many;
    observe(1, &one, NULL);
    observe(WORKERS, &many, NULL);
    for (int c = 0; c < WATCH_COUNTERS; c++) {
        assert_int_equal(one.launch[c].kind, many.launch[c].kind);
        assert_memory_equal(&one.launch[c].count, &many.launch[c].count, sizeof one.launch[c].count);
        for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
            uint64_t a = 0, b = 0;
            assert_int_equal(watch_get_at(&one, c, 0, i, &a), watch_get_at(&many, c, 0, i, &b));
            assert_int_equal(a, b);
        }
    }
    watch_record_free(&one);
    watch_record_free(&many);
}

static void every_counter_is_described(void **state) {
    (void)state;
    for (int c = 0; c < WATCH_COUNTERS; c++) {
        const watch_counter_info *i = &watch_counter_table[c];
        assert_int_equal(watch_counter_find(i->name), c); /* and no two have one name */
        assert_true(i->unit[0] && i->meaning[0] && i->source[0]);
    }
    assert_int_equal(watch_counter_find("no such counter"), -1);
}

/* Findings that differ in one thing each come in one order, whoever found which of them first. */
static void findings_have_one_order(void **state) {
    enum { N = 5 };
    watch_finding all[N];
    (void)state;
    for (int k = 0; k < N; k++)
        all[k] = (watch_finding){.kind = WATCH_KIND_UNINITIALISED, .severity = WATCH_ERROR, .at = {.known = true, .instr = 9}, .other = {.known = true, .instr = 3}};
    all[1].origin = (watch_side){.known = true, .instr = 2};
    all[2].origin = (watch_side){.known = true, .instr = 1, .function = 1};
    all[3].severity = WATCH_NOTE;
    all[4].other.function = 1;
    for (int round = 0; round < 100; round++) {
        watch_findings workers[2] = {0}, told = {0};
        for (int n = 0; n < 3 * N; n++) watch_findings_add(&workers[random32() % 2], &all[random32() % N]);
        for (int n = 0; n < N; n++) watch_findings_add(&workers[n % 2], &all[n]);
        for (unsigned w = 0; w < 2; w++) watch_findings_merge(&told, &workers[w ^ (round & 1)]);
        watch_findings_sort(&told);
        assert_int_equal(told.list.count, N);
        static const int order[N] = {0, 2, 1, 3, 4};
        for (int n = 0; n < N; n++) {
            assert_int_equal(told.list.at[n].severity, all[order[n]].severity);
            assert_int_equal(told.list.at[n].origin.instr, all[order[n]].origin.instr);
            assert_int_equal(told.list.at[n].other.function, all[order[n]].other.function);
        }
        for (unsigned w = 0; w < 2; w++) watch_findings_free(&workers[w]);
        watch_findings_free(&told);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(findings_have_one_order), cmocka_unit_test(counters_are_the_models_summed), cmocka_unit_test(workers_make_no_difference),
                                       cmocka_unit_test(every_counter_is_described)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
