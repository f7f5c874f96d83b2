/* The race watch against its definition written out plainly: random launches of a few accesses, every pair of which is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/image.h"
#include "watch/watch.h"

enum { WARPS = 2, BLOCKS = 3, MOST = 40, LAUNCHES = 60000 };
extern const watch watch_race;

static uint64_t seed;
static uint32_t random32(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}
static unsigned below(unsigned n) { return random32() % n; }

typedef struct thing { /* an access of the plain definition */
    unsigned block, warp, epoch, synced[32]; /* barriers of the block before it; meetings of each lane's warp */
    uint32_t mask;
    uint64_t lanes[32];
    unsigned width, space, access;
} thing;

static thing things[MOST];
static unsigned n_things;

static bool overlap(const thing *a, unsigned i, const thing *b, unsigned j) {
    return a->lanes[i] < b->lanes[j] + b->width && b->lanes[j] < a->lanes[i] + a->width;
}

/* Has the lane itself had the result of an atomic there, between an atomic of somebody else and its plain access? */
static bool seen(const thing *a, const thing *b, unsigned j) {
    if (!(a->access & ENG_ATOMIC) || b->access & ENG_ATOMIC || b->width < 4) return false;
    for (const thing *own = a + 1; own < b; own++)
        if (own->access & ENG_ATOMIC && own->space == b->space && own->block == b->block && own->warp == b->warp && own->width == b->width &&
            own->mask >> j & 1 && own->lanes[j] == b->lanes[j])
            return true;
    return false;
}

/* b comes after a. sure: what a later atomic has seen is left out, which the watch may report where it has no room to remember that atomic. */
static bool races(const thing *a, const thing *b, bool same, bool sure) {
    if (a->space != b->space || (a->space == ENG_SHARED && a->block != b->block)) return false;
    if (!((a->access | b->access) & ENG_WRITE) || (a->access & b->access & ENG_ATOMIC)) return false;
    if (a->block == b->block && a->epoch != b->epoch) return false;
    for (unsigned i = 0; i < 32; i++)
        for (unsigned j = same ? i + 1 : 0; j < 32; j++) {
            if (!(a->mask >> i & 1) || !(b->mask >> j & 1) || !overlap(a, i, b, j) || (sure && seen(a, b, j))) continue;
            if (a->block != b->block || a->warp != b->warp) return true;
            if (i != j && a->synced[i] == b->synced[j]) return true;
        }
    return false;
}

static uint32_t some_mask(void) {
    switch (below(4)) {
    case 0: return UINT32_C(1) << below(32);
    case 1: return (random32() << 1 ^ random32()) | 1;
    default: return UINT32_MAX;
    }
}

/* One more access into the batch; false: there is no room for what it needs. */
static void some_access(eng_batch *batch, unsigned instr, thing *t) {
    static const uint8_t classes[] = {ENG_UNIFORM, ENG_CONTIGUOUS, ENG_CONTIGUOUS, ENG_CONTIGUOUS, ENG_GENERAL, ENG_STRIDED, ENG_ROWS};
    unsigned width = below(4) ? 4 : 1u << below(5), space = below(2) ? ENG_SHARED : ENG_GLOBAL;
    eng_event ev = {.kind = ENG_EV_ACCESS, .instr = instr, .warp = (uint16_t)t->warp, .mask = some_mask(), .cls = classes[below(sizeof classes)],
                    .space = (uint8_t)space, .width = (uint8_t)width, .access = below(5) < 4 ? ENG_READ : ENG_WRITE};
    if (!below(8)) ev.access = ENG_READ | ENG_WRITE | ENG_ATOMIC;
    uint64_t base = space == ENG_SHARED ? 0 : UINT64_C(0x300000000000);
    ev.address = base + (below(2) ? below(3) * 128 : below(64) * width);
    ev.stride = (int32_t)(width * (2 + below(3)));
    if (ev.cls == ENG_ROWS) {
        ev.more = 8 | width << 8;
        ev.stride = (int32_t)(width * (8 + below(2) * 8));
    }
    if (ev.cls == ENG_GENERAL) {
        ev.general = (uint16_t)batch->n_general;
        for (unsigned l = 0; l < 32; l++) batch->lanes[batch->n_general][l] = base + below(below(2) ? 64 : 256) * width;
        batch->n_general++;
    }
    for (unsigned l = 0; l < 32; l++) t->lanes[l] = eng_lane_address(batch, &ev, l);
    t->mask = ev.mask;
    t->width = width;
    t->space = space;
    t->access = ev.access;
    batch->events[batch->count++] = ev;
}

static void a_launch(const watch_context *ctx, unsigned round) {
    void *state = watch_race.start(ctx);
    unsigned epoch = 0, synced[WARPS] = {0}, instr = 0;
    bool expected = false, possible = false;
    assert_non_null(state);
    n_things = 0;
    for (unsigned b = 0; b < BLOCKS; b++) {
        eng_batch *batch = calloc(1, sizeof *batch);
        batch->block = b;
        epoch = 0;
        memset(synced, 0, sizeof synced);
        for (unsigned k = below(10); k-- > 0;) {
            unsigned warp = below(WARPS), what = below(12);
            if (what == 0) {
                epoch++;
                batch->events[batch->count++] = (eng_event){.kind = ENG_EV_RELEASE, .address = (1u << WARPS) - 1};
            } else if (what == 1) {
                synced[warp]++;
                batch->events[batch->count++] = (eng_event){.kind = ENG_EV_SYNCWARP, .warp = (uint16_t)warp, .mask = UINT32_MAX, .access = ENG_MEETS};
            } else {
                thing *t = &things[n_things++];
                *t = (thing){.block = b, .warp = warp, .epoch = epoch};
                for (unsigned l = 0; l < 32; l++) t->synced[l] = synced[warp];
                some_access(batch, instr++ % 8, t);
            }
        }
        batch->events[batch->count++] = (eng_event){.kind = ENG_EV_BLOCK_END};
        eng_batch_index(batch);
        watch_race.events(state, batch);
        free(batch);
    }
    for (unsigned i = 0; i < n_things; i++)
        for (unsigned j = i; j < n_things; j++) {
            expected |= races(&things[i], &things[j], i == j, true);
            possible |= races(&things[i], &things[j], i == j, false);
        }
    watch_record record;
    assert_true(watch_record_init(&record, ctx->module));
    watch_race.finish(state, ctx, NULL, &record);
    bool found = record.findings.list.count != 0;
    if (found ? !possible : expected) fail_msg("launch %u: %s", round, expected ? "its race is missed" : "no race, but one is reported");
    watch_record_free(&record);
    watch_race.stop(state);
}

/* --- a long launch ------------------------------------------------------------------------------------ */

static void put(void *state, eng_batch *batch, eng_event ev) {
    batch->events[batch->count++] = ev;
    if (batch->count < ENG_BATCH_EVENTS && ev.kind != ENG_EV_BLOCK_END) return;
    eng_batch_index(batch);
    watch_race.events(state, batch);
    batch->count = batch->n_general = 0;
}

/* What is remembered is renumbered many times meanwhile; the first write must still be told apart from what came before it and after. */
static void a_long_launch(const watch_context *ctx) {
    const uint64_t base = UINT64_C(0x300000000000);
    eng_event write = {.kind = ENG_EV_ACCESS, .cls = ENG_CONTIGUOUS, .space = ENG_GLOBAL, .width = 4, .mask = UINT32_MAX, .access = ENG_WRITE, .address = base};
    eng_event in_shared = write, read = write;
    void *state = watch_race.start(ctx);
    eng_batch *batch = calloc(1, sizeof *batch);
    watch_record record;
    assert_non_null(state);
    in_shared.space = ENG_SHARED;
    read.access = ENG_READ;
    for (unsigned block = 0; block < 2; block++) {
        batch->block = block;
        write.instr = 1 + block;
        write.address = base + block * 128;
        put(state, batch, write);
        for (unsigned k = 0; k < 100000; k++) {
            in_shared.instr = 3 + k % 2;
            in_shared.warp = k % 2;
            in_shared.address = k % 7 * 128;
            put(state, batch, in_shared);
            put(state, batch, (eng_event){.kind = ENG_EV_RELEASE, .address = (1u << WARPS) - 1});
        }
        read.warp = 1; /* after a barrier: silent in its own block, a race in the second one */
        read.instr = 5;
        read.address = base;
        put(state, batch, read);
        eng_event last = in_shared; /* and after the last barrier a race within the block */
        last.instr = 6;
        last.warp = 0;
        last.address = 2048;
        if (block) put(state, batch, last);
        in_shared.warp = 0;
        in_shared.address = 0;
        for (unsigned k = 0; k < 20000; k++) { /* renumbered since that barrier too */
            put(state, batch, (eng_event){.kind = ENG_EV_SYNCWARP, .mask = UINT32_MAX, .access = ENG_MEETS});
            put(state, batch, in_shared);
        }
        last.instr = 7;
        last.warp = 1;
        if (block) put(state, batch, last);
        put(state, batch, (eng_event){.kind = ENG_EV_BLOCK_END});
    }
    assert_true(watch_record_init(&record, ctx->module));
    watch_race.finish(state, ctx, NULL, &record);
    assert_int_equal(record.findings.list.count, 2);
    assert_int_equal(record.findings.list.at[1].at.instr, 7);
    assert_int_equal(record.findings.list.at[1].other.instr, 6);
    assert_int_equal(record.findings.list.at[0].at.instr, 5);
    assert_int_equal(record.findings.list.at[0].at.block, 1);
    assert_int_equal(record.findings.list.at[0].other.instr, 1);
    assert_int_equal(record.findings.list.at[0].other.block, 0);
    watch_record_free(&record);
    watch_race.stop(state);
    free(batch);
}

static void finds_what_the_definition_says(void **unused) {
    (void)unused;
    wg_error err;
    img_file *file;
    img_module *module;
    eng_device *device;
    eng_code *code;
    assert_int_equal(img_open(WG_CUBIN, &file, &err), WG_OK);
    assert_int_equal(img_module_read(file->entries[0].data, file->entries[0].size, &module, &err), WG_OK);
    assert_int_equal(eng_device_new(eng_gpu_for_sm(module->sm), &device, &err), WG_OK);
    assert_int_equal(eng_load(device, module, &code, &err), WG_OK);
    const img_function *f = img_find_function(module, "saxpy");
    eng_launch launch = {.function = f, .grid = {BLOCKS, 1, 1}, .block = {WARPS * 32, 1, 1}};
    watch_scratch *scratch = watch_scratch_new();
    watch_context ctx = {.code = code, .module = module, .function = f, .launch = &launch, .gpu = eng_device_gpu(device),
                         .memory = eng_device_memory(device), .checks = UINT32_MAX, .scratch = scratch};
    for (unsigned round = 0; round < LAUNCHES; round++) {
        seed = round;
        a_launch(&ctx, round);
    }
    a_long_launch(&ctx);
    watch_scratch_free(scratch);
    eng_unload(code);
    eng_device_free(device);
    img_module_free(module);
    img_close(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_the_definition_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
