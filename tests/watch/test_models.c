/* Models of sectors, banks and occupancy: against their definitions written out plainly, over many accesses,
 * and against the chapter's numbers and an H200's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "watch/banks.h"
#include "watch/occupancy.h"
#include "watch/sectors.h"

static uint64_t seed = 1;
static uint32_t random32(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}
static const uint32_t masks[] = {UINT32_MAX, 1, 0x80000000, 0xffff, 0xffff0000, 0x55555555, 0x0ff0, 0x7fffffff, 0};
static uint32_t some_mask(unsigned i) { return i % 3 ? masks[i % (sizeof masks / sizeof *masks)] : random32() * 2 + 1; }

/* --- definitions, one byte at a time ---------------------------------------------------- */
static unsigned distinct(uint64_t *v, unsigned n) {
    unsigned d = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned k = 0;
        while (k < i && v[k] != v[i]) k++;
        d += k == i;
    }
    return d;
}

static watch_touch plain_touch(const uint64_t lanes[32], uint32_t mask, unsigned width) {
    uint64_t line[512], sector[512], byte[512];
    unsigned n = 0;
    for (unsigned l = 0; l < 32; l++)
        for (unsigned b = 0; (mask >> l & 1) && b < width; b++, n++)
            line[n] = (lanes[l] + b) / 128, sector[n] = (lanes[l] + b) / 32, byte[n] = lanes[l] + b;
    return (watch_touch){.sectors = distinct(sector, n), .lines = distinct(line, n), .bytes = distinct(byte, n)};
}

/* Of the lanes in part: the most words that one bank gives, or the most lanes that are at one. */
static unsigned plain_depth(const uint64_t lanes[32], uint32_t part, unsigned width, bool shares) {
    unsigned deepest = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint64_t words[512];
        unsigned n = 0, at_bank = 0;
        for (unsigned l = 0; l < 32; l++) {
            unsigned before = n;
            for (unsigned b = 0; (part >> l & 1) && b < width; b++)
                if ((lanes[l] + b) / 4 % 32 == bank) words[n++] = (lanes[l] + b) / 4;
            at_bank += n != before;
        }
        unsigned d = shares ? distinct(words, n) : at_bank;
        if (d > deepest) deepest = d;
    }
    return deepest;
}

static bool in_pairs(const uint64_t lanes[32], uint32_t mask, unsigned apart) {
    for (unsigned l = 0; l < 32; l++)
        if ((mask >> l & 1) && (mask >> (l ^ apart) & 1) && lanes[l] != lanes[l ^ apart]) return false;
    return true;
}

static watch_wavefronts plain_wavefronts(const uint64_t lanes[32], uint32_t mask, unsigned width, watch_banks_kind kind) {
    watch_wavefronts w = {0};
    unsigned group = width <= 4 ? 32 : 128 / width;
    if (width > 4 && kind == WATCH_BANKS_LOAD && (in_pairs(lanes, mask, 1) || in_pairs(lanes, mask, 2))) group *= 2;
    for (unsigned first = 0; first < 32; first += group) {
        uint32_t part = mask & UINT32_MAX >> (32 - group) << first;
        unsigned d = plain_depth(lanes, part, width, kind != WATCH_BANKS_ATOMIC);
        w.wavefronts += d;
        w.ideal += part != 0;
        if (d > w.degree) w.degree = d;
    }
    return w;
}

/* An event of each class that means the same lanes. */
static eng_event event_of(eng_batch *batch, int cls, uint64_t base, int32_t stride, uint32_t mask, unsigned width,
                          uint64_t lanes[32]) {
    eng_event ev = {.kind = ENG_EV_ACCESS, .cls = (uint8_t)cls, .mask = mask, .width = (uint8_t)width, .address = base,
                    .stride = stride, .space = ENG_GLOBAL};
    if (cls == ENG_ROWS) ev.more = (1 + random32() % 31) | (random32() % 3 == 0 ? random32() % 3 : 1) * width << 8;
    for (unsigned l = 0; l < 32; l++) {
        if (cls == ENG_GENERAL) batch->lanes[0][l] = base + (uint64_t)(random32() % 4096 / width * width);
        lanes[l] = eng_lane_address(batch, &ev, l);
    }
    return ev;
}

static void sectors_by_definition(void **state) {
    (void)state;
    eng_batch *batch = calloc(1, sizeof *batch);
    static const int widths[] = {1, 2, 4, 8, 16}, strides[] = {0, 1, 2, 3, 5, 8, 12, 33, -1, -2, -40, 1000, 16};
    for (unsigned i = 0; i < 60000; i++) {
        unsigned width = (unsigned)widths[i % 5];
        int cls = (int)(random32() % 5);
        uint64_t base = 0x7f0000000000 + (uint64_t)(random32() % 64) * width, lanes[32];
        int32_t stride = strides[random32() % 13] * (int)width;
        eng_event ev = event_of(batch, cls, base, stride, some_mask(i), width, lanes);
        if (cls == ENG_GENERAL && i % 2) /* a rising gather */
            for (unsigned l = 0; l < 32; l++) batch->lanes[0][l] = lanes[l] = base + l * 2 * width;
        watch_touch want = plain_touch(lanes, ev.mask, width), got = watch_touch_event(batch, &ev);
        if (got.sectors != want.sectors || got.lines != want.lines || got.bytes != want.bytes)
            fail_msg("class %d width %u stride %d mask %08x: %u sectors, %u lines, %u bytes instead of %u, %u, %u", cls, width, stride,
                     ev.mask, got.sectors, got.lines, got.bytes, want.sectors, want.lines, want.bytes);
    }
    free(batch);
}

static void local_frames_are_interleaved(void **state) {
    (void)state;
    eng_batch *batch = calloc(1, sizeof *batch);
    for (unsigned i = 0; i < 20000; i++) {
        unsigned width = 1u << i % 5;
        uint64_t lanes[32];
        eng_event ev = event_of(batch, i % 2 ? ENG_GENERAL : ENG_UNIFORM, random32() % 16 * width, 0, some_mask(i), width, lanes);
        ev.space = ENG_LOCAL;
        uint64_t line[512], sector[512], byte[512];
        unsigned n = 0;
        for (unsigned l = 0; l < 32; l++)
            for (unsigned b = 0; (ev.mask >> l & 1) && b < width; b++, n++) {
                uint64_t at = lanes[l] + b;
                byte[n] = at / 4 * 128 + l * 4 + at % 4;
                sector[n] = byte[n] / 32;
                line[n] = byte[n] / 128;
            }
        watch_touch got = watch_touch_event(batch, &ev);
        assert_int_equal(got.sectors, distinct(sector, n));
        assert_int_equal(got.lines, distinct(line, n));
        assert_int_equal(got.bytes, n);
    }
    free(batch);
}

static void banks_by_definition(void **state) {
    (void)state;
    eng_batch *batch = calloc(1, sizeof *batch);
    static const int strides[] = {0, 1, 2, 3, 4, 8, 16, 31, 32, 33, 64, -1, -3, -32, 9};
    for (unsigned i = 0; i < 30000; i++) {
        unsigned width = 1u << i % 5;
        uint64_t lanes[32];
        eng_event ev = event_of(batch, (int)(random32() % 5), 0x10000 + random32() % 256 * width,
                                strides[random32() % 15] * (int)width, some_mask(i), width, lanes);
        const watch_banks_kind kind = random32() % 5;
        if (kind == WATCH_BANKS_ATOMIC && width < 4) continue;
        watch_wavefronts got = watch_banks_event(batch, &ev, kind), want = plain_wavefronts(lanes, ev.mask, width, kind);
        watch_wavefronts slow = watch_banks_lanes(lanes, ev.mask, width, kind);
        if (got.wavefronts != want.wavefronts || got.ideal != want.ideal || got.degree != want.degree)
            fail_msg("kind %d class %d width %u stride %d mask %08x: %u wavefronts of %u, %u-way, instead of %u of %u, %u-way", (int)kind, ev.cls,
                     width, ev.stride, ev.mask, got.wavefronts, got.ideal, got.degree, want.wavefronts, want.ideal, want.degree);
        assert_int_equal(slow.wavefronts, want.wavefronts);
        assert_int_equal(slow.ideal, want.ideal);
        assert_int_equal(slow.degree, want.degree);
    }
    free(batch);
}

/* Byte offsets of the lanes. */
static int offset_of(unsigned pattern, int l, int width) {
    switch (pattern) {
    case 0: return l * 16;
    case 1: return l * 32;
    case 2: return (l & 15) * 16;
    case 3: return (l >> 1) * 16;
    case 4: return l * 16 + (l < 16 ? 0 : 896);
    case 5: return l & 1 ? -1 : l * 16;
    case 6: return l < 8 || l > 23 ? l * 16 : -1;
    case 7: return l % 8 * 16 + l / 8 * 512;
    case 8: return (31 - l) * 16;
    case 9: return l * 48 & 4095;
    case 10: return l == 3 ? 0 : -1;
    case 11: return l == 3 || l == 19 ? l * 16 : -1;
    case 12: return l * 5 % 32 * 16;
    case 13: return (l & 3) * 16 + (l >> 2) * 144;
    case 14: return l % 2 * 512 + l / 2 * 16;
    case 15: return (l & 1) * 16;
    case 16: return l * 8 / width * width;
    case 17: return (l ^ 1) * 16;
    case 18: return l * 272;
    case 19: return l % 4 * 128 + l / 4 * 16;
    case 20: return l * 24 / width * width;
    case 21: return l % 16 * 8 / width * width + l / 16 * 256;
    case 22: return l % 16 * 8 / width * width + l / 16 * 64;
    case 23: return l * l * 16 & 8191;
    case 24: return l * l * l * 16 & 8191;
    default: return -1;
    }
}

typedef struct measured {
    int wavefronts, conflicts;
} measured;

/* What an H200 counted for one warp; -1: the lane is off. */
static void banks_as_measured(void **state) {
    (void)state;
    static const measured want[][2][2] = { /* of 8 bytes a lane: load, store; of 16 */
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{8, 6}, {8, 6}}, {{8, 4}, {8, 4}}},
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{2, 1}, {2, 0}}, {{2, 0}, {4, 0}}},
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{4, 3}, {4, 2}}, {{4, 2}, {4, 0}}},
        {{{2, 0}, {2, 0}}, {{2, 0}, {2, 0}}},
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{1, 0}, {1, 0}}, {{1, 0}, {1, 0}}},
        {{{2, 1}, {2, 0}}, {{2, 0}, {2, 0}}},
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{8, 6}, {8, 6}}, {{8, 4}, {8, 4}}},
        {{{4, 2}, {4, 2}}, {{8, 4}, {8, 4}}},
        {{{1, 0}, {2, 0}}, {{2, 0}, {4, 0}}},
        {{{2, 0}, {2, 0}}, {{2, 0}, {4, 0}}},
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{4, 2}, {4, 2}}, {{4, 0}, {4, 0}}},
        {{{8, 6}, {8, 6}}, {{16, 12}, {16, 12}}},
        {{{2, 0}, {2, 0}}, {{8, 4}, {8, 4}}},
        {{{-1, -1}, {-1, -1}}, {{2, 0}, {4, 0}}},
        {{{-1, -1}, {-1, -1}}, {{2, 0}, {4, 0}}},
        {{{-1, -1}, {-1, -1}}, {{16, 12}, {16, 12}}},
        {{{-1, -1}, {-1, -1}}, {{16, 12}, {16, 12}}},
    };
    for (unsigned k = 0; k < sizeof want / sizeof *want; k++)
        for (unsigned wide = 0; wide < 2; wide++)
            for (unsigned store = 0; store < 2; store++) {
                const measured *w = &want[k][wide][store];
                const unsigned width = wide ? 16 : 8;
                uint64_t lanes[32] = {0};
                uint32_t mask = 0;
                if (w->wavefronts < 0) continue; /* not measured */
                for (int l = 0; l < 32; l++) {
                    const int at = offset_of(k, l, (int)width);
                    if (at >= 0) lanes[l] = 1024 + (uint64_t)at, mask |= 1u << l;
                }
                watch_wavefronts got = watch_banks_lanes(lanes, mask, width, store ? WATCH_BANKS_STORE : WATCH_BANKS_LOAD);
                if ((int)got.wavefronts != w->wavefronts || (int)(got.wavefronts - got.ideal) != w->conflicts)
                    fail_msg("pattern %u, width %u, store %u: %u wavefronts, ideal %u", k, width, store, got.wavefronts, got.ideal);
            }
}

/* What the chapter counts by hand: one field of four bonds, 16-byte chunks, 4 threads. */
static void chapter_transactions(void **state) {
    (void)state;
    eng_batch *batch = calloc(1, sizeof *batch);
    eng_event soa = {.cls = ENG_CONTIGUOUS, .width = 4, .mask = 0xf, .address = 0x1000};
    eng_event aos = {.cls = ENG_STRIDED, .stride = 32, .width = 4, .mask = 0xf, .address = 0x1008};
    assert_int_equal(watch_chunks_event(batch, &soa, 16, 4), 1);
    assert_int_equal(watch_chunks_event(batch, &aos, 16, 4), 4);
    soa.mask = aos.mask = UINT32_MAX; /* chunks of 32 and groups of 32 are the sectors */
    assert_int_equal(watch_chunks_event(batch, &soa, 32, 32), watch_touch_event(batch, &soa).sectors);
    assert_int_equal(watch_chunks_event(batch, &aos, 32, 32), watch_touch_event(batch, &aos).sectors);
    assert_int_equal(watch_touch_event(batch, &aos).sectors, 32);
    free(batch);
}

/* Every launch of truth.cu, as an H200's counters describe it. */
static void occupancy_of_an_h200(void **state) {
    (void)state;
    static const char *const columns[] = {"launch__occupancy_limit_blocks", "launch__occupancy_limit_registers",
                                          "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps",
                                          "launch__registers_per_thread", "launch__shared_mem_per_block_driver",
                                          "launch__shared_mem_per_block_static", "launch__waves_per_multiprocessor"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    FILE *f = fopen(WG_TRUTH, "r");
    assert_non_null(f);
    char line[4096];
    int at[COLUMNS] = {0};
    unsigned rows = 0;
    while (fgets(line, sizeof line, f)) {
        char *field[64], *rest = line;
        unsigned n = 0;
        while (n < 64 && (field[n] = strsep(&rest, "\t\n"))) n++;
        if (!rows++) {
            for (unsigned c = 0; c < COLUMNS; c++)
                for (unsigned k = 0; k < n; k++)
                    if (strcmp(field[k], columns[c]) == 0) at[c] = (int)k;
            continue;
        }
        unsigned g[3], b[3];
        assert_int_equal(sscanf(field[2], "(%u, %u, %u)", &g[0], &g[1], &g[2]), 3);
        assert_int_equal(sscanf(field[3], "(%u, %u, %u)", &b[0], &b[1], &b[2]), 3);
        watch_footprint block = {.threads = b[0] * b[1] * b[2], .registers = (unsigned)atoi(field[at[4]]),
                                 .shared_static = (unsigned)atoi(field[at[6]])};
        watch_occupancy o = watch_occupancy_of(eng_gpu_find("h200"), &block, (uint64_t)g[0] * g[1] * g[2]);
        assert_int_equal(o.limit_blocks, atoi(field[at[0]]));
        assert_int_equal(o.limit_registers, atoi(field[at[1]]));
        assert_int_equal(o.limit_shared, atoi(field[at[2]]));
        assert_int_equal(o.limit_warps, atoi(field[at[3]]));
        assert_int_equal(o.registers, atoi(field[at[4]]));
        assert_int_equal(o.shared_driver, atoi(field[at[5]]));
        char waves[32];
        snprintf(waves, sizeof waves, "%.2f", o.waves);
        assert_string_equal(waves, field[at[7]]);
    }
    fclose(f);
    assert_int_equal(rows, 43);
}

static void devices(void **state) {
    (void)state;
    static const char *const needed[] = {"t4", "a100", "rtx3090", "rtx4090", "h100", "h200", "b200"};
    for (unsigned i = 0; i < sizeof needed / sizeof *needed; i++) assert_non_null(eng_gpu_find(needed[i]));
    assert_ptr_equal(eng_gpu_find("H200"), eng_gpu_find("h200"));
    assert_null(eng_gpu_find("h300"));
    assert_string_equal(eng_gpu_for_sm(75)->id, "t4");
    assert_string_equal(eng_gpu_for_sm(80)->id, "a100");
    assert_string_equal(eng_gpu_for_sm(86)->id, "rtx3090");
    assert_string_equal(eng_gpu_for_sm(87)->id, "rtx4090"); /* an equal or higher minor version */
    assert_string_equal(eng_gpu_for_sm(89)->id, "rtx4090");
    assert_string_equal(eng_gpu_for_sm(90)->id, "h200");
    assert_null(eng_gpu_for_sm(91));
    for (unsigned i = 0; eng_gpu_at(i); i++) {
        const eng_gpu *g = eng_gpu_at(i);
        assert_true(g->max_threads_per_sm == g->max_warps_per_sm * 32);
        assert_true(g->shared_per_block_optin + g->shared_reserved <= g->shared_per_sm);
        /* bandwidth follows from clock and bus, two transfers a clock */
        double from_clock = g->memory_clock_khz * 1e3 * 2 * g->bus_bits / 8;
        assert_true(from_clock > 0.9 * g->bandwidth && from_clock < 1.1 * g->bandwidth);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_by_definition), cmocka_unit_test(local_frames_are_interleaved),
        cmocka_unit_test(banks_by_definition), cmocka_unit_test(banks_as_measured),   cmocka_unit_test(chapter_transactions),
        cmocka_unit_test(occupancy_of_an_h200),  cmocka_unit_test(devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
