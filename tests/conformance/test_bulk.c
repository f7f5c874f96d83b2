/* Bulk copies (TMA), with and without a tensor map, against what an H200 made of the same cases: bulk_h200.txt and
 * tma_h200.txt.zst, which gpu_bulk.cu and gpu_tma.cu wrote. A line holds a name and a hash of all bytes that may have changed; of tensors, a line
 * before it says the parameters of the map, what the driver's encoder answered, and the 128 bytes that it made. */
#include "engine/harness.h"

#include <stdio.h>

#include "bulk_cases.h"
#include "conformance/zst.h"
#include "engine/tensor_map.h"

enum { REFUSED = 0 /* in place of a hash: the H200 traps, "illegal instruction" */ };
enum { BULK = 8192, TILE = 16384, ROOM = 1 << 18, SMALL = 65536, BEHIND = 2048 };

/* --- launches ----------------------------------------------------------------------------------- */

typedef struct bench {
    machine *m;
    uint64_t in, out, memory, map; /* device memory */
    uint8_t held[ROOM];
    bool refused; /* the last launch, for what it asked of a tensor map */
    int wrong;
} bench;
static bench B;

static void launch(const char *kernel, uint32_t blocks, uint32_t threads, uint32_t shared, const void *const *args, unsigned n) {
    machine *m = B.m;
    const img_function *f = img_find_function(m->module, kernel);
    uint8_t params[400] = {0};
    if (!f) fail_msg("no kernel %s", kernel);
    assert_int_equal(f->n_params, n);
    for (unsigned k = 0; k < n; k++) memcpy(params + f->params[k].offset, args[k], f->params[k].size);
    eng_launch l = {.function = f, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = params, .jobs = 1, .shared_dynamic = shared, .finding = machine_finding, .ctx = m};
    memcpy(l.cluster, f->cluster, sizeof l.cluster);
    m->n_findings = 0;
    eng_result_free(&m->result);
    wg_status status = eng_run(m->code, &l, &m->result, &m->err);
    B.refused = m->n_findings && m->findings[0].kind == ENG_FAULT_TENSOR_MAP;
    if (B.refused) return;
    if (status != WG_OK) fail_msg("%s: %s", kernel, m->err.text);
    assert_int_equal(m->n_findings, 0);
}
#define LAUNCH(kernel, blocks, threads, shared, ...)                                     \
    do {                                                                                 \
        const void *args_[] = {__VA_ARGS__};                                             \
        launch(kernel, blocks, threads, shared, args_, sizeof args_ / sizeof *args_);    \
    } while (0)

static void to_device(uint64_t to, const void *from, size_t n) {
    if (eng_memory_copy(eng_device_memory(B.m->device), to, (uint64_t)(uintptr_t)from, n, ENG_HOST_TO_DEVICE, &B.m->err) != WG_OK) fail_msg("%s", B.m->err.text);
}
static void on_device(uint64_t to, uint64_t from, size_t n) {
    if (eng_memory_copy(eng_device_memory(B.m->device), to, from, n, ENG_DEVICE_TO_DEVICE, &B.m->err) != WG_OK) fail_msg("%s", B.m->err.text);
}
static void preset(uint64_t to, uint8_t value, size_t n) {
    if (eng_memory_fill(eng_device_memory(B.m->device), to, &value, 1, n, &B.m->err) != WG_OK) fail_msg("%s", B.m->err.text);
}
static void judge(const char *name, uint64_t at, size_t n, uint64_t hash) {
    machine_read(B.m, B.held, at, n);
    if (B.refused ? hash == REFUSED : fnv_bytes(B.held, n) == hash) return;
    print_error("%s: not what the H200 made\n", name);
    B.wrong++;
}

static void begin(const char *cubin) {
    char path[300];
    snprintf(path, sizeof path, WG_CONFORMANCE "/%s.sm_90.cubin", cubin);
    B.m = machine_open(path);
    B.wrong = 0;
    B.in = machine_alloc(B.m, NULL, ROOM), B.out = machine_alloc(B.m, NULL, ROOM), B.memory = machine_alloc(B.m, NULL, ROOM), B.map = machine_alloc(B.m, NULL, 128);
}
static void end(int cases, int least) {
    machine_close(B.m);
    assert_int_equal(B.wrong, 0);
    assert_true(cases >= least);
}

/* --- without a map --------------------------------------------------------------------------------- */

static int operation_of(const char *name) {
    for (int k = 0; k < BULK_OPERATIONS; k++)
        if (!strncmp(bulk_operations[k], name, strlen(bulk_operations[k]))) return k;
    fail_msg("no operation %s", name);
    return 0;
}

static void copy_case(const char *name, const char *kind, const char *rest, uint64_t hash) {
    uint32_t bytes = 0, number = 0, hint = 0, place = 0, goes = 0;
    preset(B.out, 0x3c, SMALL);
    sscanf(rest, "%u.%u.%u", &bytes, &number, &hint);
    while (place < BULK_SIZES && bulk_sizes[place] != bytes) place++;
    uint32_t soff = 16 * place, goff = 32 * place + 16;
    if (!strcmp(kind, "g2s")) {
        if (!strcmp(rest, "few")) bytes = 64, number = soff = goff = 0;
        LAUNCH("g2s", 1, 64, 0, &B.in, &B.out, &bytes, &soff, &goff, &number);
        goes = BULK + 32;
    } else if (!strcmp(kind, "s2g")) {
        LAUNCH("s2g", 1, 64, 0, &B.in, &B.out, &bytes, &soff, &goff, &number, &hint);
        goes = BULK * 2;
    } else if (!strcmp(kind, "s2s")) {
        uint32_t n = 1024;
        LAUNCH("s2s", 2, 64, 0, &B.in, &B.out, &n, &bytes); /* which reduction */
        goes = 2 * BULK + 8;
    } else if (!strncmp(kind, "mcast", 5)) {
        uint32_t blocks = (uint32_t)(kind[5] - '0'), n = 512, mask = !strcmp(rest, "some") ? 5 : (1u << blocks) - 1;
        LAUNCH(kind, blocks, 64, 0, &B.in, &B.out, &n, &mask, &n, &bytes); /* a hint */
        goes = blocks * BULK + 4 * blocks;
    } else if (!strcmp(kind, "reduce")) {
        int op = operation_of(rest);
        bytes = 2048 + 16;
        hint = rest[strlen(rest) - 1] == '1';
        on_device(B.out, B.in + 16384, 16384);
        LAUNCH("reduce", 1, 64, 0, &B.in, &B.out, &bytes, &op, &hint);
        goes = 4096;
    } else if (!strcmp(kind, "reduce_near")) {
        static uint8_t floats[16384];
        int op = operation_of(rest);
        bulk_near_floats(floats, sizeof floats, op);
        uint64_t from = B.in + 32768;
        bytes = 8192;
        to_device(from, floats, sizeof floats);
        on_device(B.out, from + 8192, 8192);
        LAUNCH("reduce", 1, 64, 0, &from, &B.out, &bytes, &op, &hint);
        goes = 8192;
    } else if (!strcmp(kind, "elect")) {
        uint64_t at = B.in + 60000;
        to_device(at, bulk_elect_masks, sizeof bulk_elect_masks);
        LAUNCH("elect", 1, 32, 0, &B.out, &at);
        goes = 256;
    } else if (!strcmp(kind, "g2s_hint")) {
        bytes = 2048;
        LAUNCH("g2s_hint", 1, 64, 0, &B.in, &B.out, &bytes);
        goes = BULK;
    } else {
        fail_msg("no such case: %s", name);
    }
    judge(name, B.out, goes, hash);
}

static void copies(void **state) {
    (void)state;
    static uint8_t bytes[SMALL];
    char line[2000], name[100];
    unsigned long long hash;
    int cases = 0;
    begin("bulk");
    noise_fill(bytes, sizeof bytes, 1);
    to_device(B.in, bytes, sizeof bytes);
    FILE *f = fopen(WG_CONFORMANCE "/bulk_h200.txt", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (*line == '#' || sscanf(line, "%99s %llx", name, &hash) != 2) continue;
        char *dot = strchr(name, '.'), kind[100];
        snprintf(kind, sizeof kind, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
        copy_case(name, kind, dot ? dot + 1 : "", hash);
        cases++;
    }
    fclose(f);
    end(cases, 100);
}

/* --- with a map ------------------------------------------------------------------------------------ */

typedef struct tile_case {
    char name[40];
    tensor_map map;
    struct { int c[TENSOR_DIMS]; uint16_t off[TENSOR_SPACE]; } begin;
    uint32_t soff;
    int answer;
    uint64_t words[16], memory; /* the map as the hardware's driver made it, of a tensor in memory from there on */
} tile_case;

/* Numbers behind a word; false: the word is not there. */
static bool numbers(const char *line, const char *word, uint64_t *to, unsigned n) {
    char key[20];
    snprintf(key, sizeof key, " %s ", word);
    const char *at = strstr(line, key);
    if (!at) return false;
    char *next = (char *)(uintptr_t)(at + strlen(key));
    for (unsigned k = 0; k < n; k++) to[k] = (uint64_t)strtoll(next, &next, 10);
    return true;
}
static void parse_pixels(const char *line, tile_case *t) {
    tensor_map *m = &t->map;
    uint64_t one[8] = {0};
    m->im2col = true;
    numbers(line, "channels", one, 1), m->box[0] = (uint32_t)one[0];
    numbers(line, "pixels", one, 1), m->pixels = (uint32_t)one[0];
    if (m->rank > 2) numbers(line, "low", one, m->rank - 2u);
    for (unsigned d = 0; d + 2 < m->rank; d++) m->low[d] = (int32_t)(int64_t)one[d];
    if (m->rank > 2) numbers(line, "high", one, m->rank - 2u);
    for (unsigned d = 0; d + 2 < m->rank; d++) m->high[d] = (int32_t)(int64_t)one[d];
    numbers(line, "off", one, TENSOR_SPACE);
    for (unsigned d = 0; d < TENSOR_SPACE; d++) t->begin.off[d] = (uint16_t)one[d];
}
static bool parse(const char *line, tile_case *t) {
    uint64_t one[8];
    *t = (tile_case){0};
    if (sscanf(line, "map %39s", t->name) != 1) return false;
    tensor_map *m = &t->map;
    if (!numbers(line, "type", one, 1)) return false;
    m->type = (uint8_t)one[0];
    numbers(line, "rank", one, 1), m->rank = (uint8_t)one[0];
    numbers(line, "at", &m->address, 1);
    if (m->rank > TENSOR_DIMS) return false;
    numbers(line, "dim", m->dim, m->rank);
    if (m->rank > 1) numbers(line, "stride", m->stride + 1, m->rank - 1u);
    if (numbers(line, "box", one, m->rank)) {
        for (unsigned d = 0; d < m->rank; d++) m->box[d] = (uint32_t)one[d];
    } else {
        parse_pixels(line, t);
    }
    numbers(line, "es", one, m->rank);
    for (unsigned d = 0; d < m->rank; d++) m->step[d] = (uint32_t)one[d];
    numbers(line, "inter", one, 1), m->interleave = (uint8_t)one[0];
    numbers(line, "swz", one, 1), m->swizzle = (uint8_t)one[0];
    numbers(line, "prom", one, 1), m->promotion = (uint8_t)one[0];
    numbers(line, "fill", one, 1), m->fill = (uint8_t)one[0];
    numbers(line, "c", one, m->rank);
    for (unsigned d = 0; d < m->rank; d++) t->begin.c[d] = (int)(int64_t)one[d];
    numbers(line, "soff", one, 1), t->soff = (uint32_t)one[0];
    numbers(line, "->", one, 1), t->answer = (int)one[0];
    m->stride[0] = m->type < TENSOR_MAP_TYPES ? tensor_type_bytes(m->type) : 0;
    const char *at = strstr(line, " -> ");
    if (!at || t->answer) return at != NULL;
    char *next = (char *)(uintptr_t)(at + 4);
    strtol(next, &next, 10);
    for (unsigned k = 0; k < 16; k++) t->words[k] = strtoull(next, &next, 16);
    return sscanf(next, " memory %llx", (unsigned long long *)&t->memory) == 1;
}

/* The 128 bytes are the hardware's own. */
static void compare_map(const tile_case *t) {
    uint8_t bytes[TENSOR_MAP_BYTES];
    tensor_map m = t->map, back;
    m.address += t->memory;
    if (tensor_map_valid(&m) != !t->answer) {
        print_error("%s: the H200 answers %d\n", t->name, t->answer);
        B.wrong++;
    }
    if (t->answer) return;
    tensor_map_pack(&m, bytes);
    if (memcmp(bytes, t->words, sizeof bytes)) {
        print_error("%s: not the bytes of the H200's map\n", t->name);
        for (unsigned k = 0; k < 16; k++) {
            uint64_t w;
            memcpy(&w, bytes + 8 * k, 8);
            if (w != t->words[k]) print_error("  word %u: %016llx, here %016llx\n", k, (unsigned long long)t->words[k], (unsigned long long)w);
        }
        B.wrong++;
    }
    if (!tensor_map_unpack((const uint8_t *)t->words, &back) || memcmp(&back, &m, sizeof m)) {
        print_error("%s: not understood\n", t->name);
        B.wrong++;
    }
}

static void tile_of(const tile_case *t, const char *name, uint64_t hash) {
    tensor_map m = t->map;
    uint8_t map[TENSOR_MAP_BYTES];
    const uint32_t shared = TILE + BEHIND, bytes = (uint32_t)tensor_map_box_bytes(&m), fewer = (m.box[0] + m.step[0] - 1) / m.step[0] * m.box[1] * tensor_type_bytes(m.type);
    int rank = m.rank, number = atoi(name + strcspn(name, "0123456789"));
    m.address += B.memory;
    tensor_map_pack(&m, map);
    if (strstr(name, "store")) { /* store, interstore: tiles; im2colstore, iminterstore: pixels */
        int op = atoi(strchr(name, '.') + 1);
        uint64_t from = B.in + 65536 + (unsigned)atoi(strstr(name, "store") + strlen("store")) % 8 * 16;
        on_device(B.memory, B.in, ROOM / 8);
        LAUNCH(m.im2col ? "pixels_store" : "tile_store", 1, 32, shared, map, &rank, &t->begin, &t->soff, &from, &op);
        judge(name, B.memory, ROOM / 8, hash);
        on_device(B.memory, B.in, ROOM / 8);
    } else if (m.im2col) {
        LAUNCH("pixels", 1, 32, shared, map, &rank, &t->begin, &bytes, &t->soff, &B.out);
        judge(name, B.out, TILE + 16, hash);
    } else if (!strncmp(name, "load", 4) || !strncmp(name, "inter", 5)) {
        uint64_t elsewhere = *name == 'l' && number % 16 == 5 ? B.map : 0; /* some of the maps lie in memory, some copies come with a hint */
        int hint = *name == 'l' && number % 8 == 3;
        if (elsewhere) LAUNCH("copy_map", 1, 32, 0, map, &B.map);
        LAUNCH("tile", 1, 32, shared, map, &rank, &t->begin, &bytes, &t->soff, &B.out, &elsewhere, &hint);
        judge(name, B.out, TILE + 16, hash);
    } else if (!strncmp(name, "along", 5)) { /* a step along dimension 0 */
        int plain = 0;
        uint64_t nowhere = 0;
        LAUNCH("tile", 1, 32, shared, map, &rank, &t->begin, number < 8 ? &bytes : &fewer, &t->soff, &B.out, &nowhere, &plain);
        judge(name, B.out, TILE + 16, hash);
    } else if (!strcmp(name, "constant")) {
        for (size_t v = 0; v < B.m->module->n_variables; v++)
            if (strstr(B.m->module->variables[v].name, "constant_map")) memcpy(eng_constant(B.m->code, &B.m->module->variables[v]), map, sizeof map);
        LAUNCH("tile_constant", 1, 32, shared, &bytes, &B.out, &t->begin.c[0], &t->begin.c[1]);
        judge(name, B.out, TILE, hash);
    } else if (!strncmp(name, "multicast", 9)) {
        uint32_t mask = strchr(name, '.') ? 10 : 15;
        LAUNCH("tile_to_many", 4, 32, shared, map, &bytes, &B.out, &t->begin.c[0], &t->begin.c[1], &mask);
        judge(name, B.out, 4 * TILE + 16, hash);
    } else {
        fail_msg("no such case: %s", name);
    }
}

/* Bytes that no call made: a row that is wider than its swizzle would reach beyond the place of the box. */
static void foreign_map(void **state) {
    (void)state;
    begin("tma");
    struct { int c[5]; uint16_t off[3]; } c = {{0}, {0}};
    tensor_map m = {.address = B.memory, .type = TENSOR_MAP_F32, .rank = 2, .dim = {256, 4}, .stride = {4, 1024}, .box = {32, 2}, .step = {1, 1}, .swizzle = 3};
    uint8_t map[TENSOR_MAP_BYTES];
    uint64_t nowhere = 0;
    uint32_t bytes = 256, soff = 0, shared = TILE + BEHIND;
    int rank = 2, hint = 0;
    for (unsigned k = 0; k < 2; k++) {
        tensor_map_pack(&m, map);
        LAUNCH("tile", 1, 32, shared, map, &rank, &c, &bytes, &soff, &B.out, &nowhere, &hint);
        assert_int_equal(B.refused, k == 1);
        m.box[0] = 256;
    }
    end(0, 0);
}

/* Pixels that go to two blocks of a cluster are those that one gets. */
static void pixels_of_many(void **state) {
    (void)state;
    static uint8_t bytes[ROOM], alone[TILE];
    begin("tma");
    noise_fill(bytes, sizeof bytes, 7);
    to_device(B.memory, bytes, sizeof bytes);
    const struct { int c[TENSOR_DIMS]; uint16_t off[TENSOR_SPACE]; } at = {{0, -1, 3, 1}, {2, 1}};
    const tensor_map m = {.address = B.memory, .type = TENSOR_MAP_F16, .rank = 4, .dim = {24, 9, 7, 3}, .stride = {2, 48, 432, 3024}, .box = {24}, .step = {1, 1, 2, 1},
                          .im2col = true, .pixels = 40, .low = {-1, -1}, .high = {-1, -1}};
    const uint32_t size = (uint32_t)tensor_map_box_bytes(&m), none = 0, shared = TILE + BEHIND, mask = 10;
    const int rank = 4;
    uint8_t map[TENSOR_MAP_BYTES];
    tensor_map_pack(&m, map);
    LAUNCH("pixels", 1, 32, shared, map, &rank, &at, &size, &none, &B.out);
    machine_read(B.m, alone, B.out, sizeof alone);
    LAUNCH("pixels_to_many", 4, 32, shared, map, &at, &size, &B.out, &mask);
    for (unsigned block = 0; block < 4; block++) {
        machine_read(B.m, B.held, B.out + block * TILE, TILE);
        if (mask >> block & 1) assert_memory_equal(B.held, alone, TILE);
        else assert_int_equal(B.held[0], 0xa5);
    }
    end(0, 0);
}

static void tiles(void **state) {
    (void)state;
    static uint8_t bytes[ROOM];
    zst_lines lines = zst_open(WG_CONFORMANCE "/tma_h200.txt.zst");
    char name[100], made[21];
    tile_case t = {0};
    int cases = 0;
    begin("tma");
    noise_fill(bytes, sizeof bytes, 7);
    to_device(B.in, bytes, sizeof bytes), to_device(B.memory, bytes, sizeof bytes);
    for (char *line; (line = zst_line(&lines));) {
        if (!strncmp(line, "map ", 4)) {
            if (!parse(line, &t)) fail_msg("%s", line);
            compare_map(&t);
        } else if (*line != '#' && sscanf(line, "%99s %20s", name, made) == 2) {
            tile_of(&t, name, strcmp(made, "refused") ? strtoull(made, NULL, 16) : REFUSED);
            cases++;
        }
    }
    free(lines.text);
    end(cases, 900);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(copies), cmocka_unit_test(foreign_map), cmocka_unit_test(pixels_of_many), cmocka_unit_test(tiles)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
