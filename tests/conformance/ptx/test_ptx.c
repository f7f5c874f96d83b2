/* The cases of generate.py, assembled for five architectures, give here what the code for sm_90 gave on an H200 (h200.txt.zst).
 * What differs is in differs.txt, with the reason; what is there and does not differ is a mistake too.
 * WG_PTX_RAW=FOLDER: the results are written to FOLDER/SM.raw as well, laid out as gpu.c does. */
#include <fnmatch.h>
#include <string.h>

#include "cases.h"
#include "cubin.h"
#include "engine/engine.h"
#include "engine/small_float.h"
#include "image/image.h"

enum { SHOWN = 40, MAX_RULES = 256, MAX_KERNELS = 256 };

/* --- what is known to differ: `SM,SM,.. KERNEL-PATTERN CASE-PATTERN | KIND: REASON` --------------------------------- */

typedef enum why { WHY_MODEL, WHY_CODE, WHY_MISSING, WHY_COUNT } why;
static const char *const why_words[] = {"model:", "code:", "not executed:"}; /* how a reason begins */
typedef struct rule {
    char sms[32], kernel[64], name[160];
    why why;
    unsigned used;
} rule;
static rule rules[MAX_RULES];
static unsigned n_rules;

static void read_rules(void) {
    FILE *f = fopen(WG_PTX "/differs.txt", "r");
    assert_non_null(f);
    char line[600];
    while (fgets(line, sizeof line, f)) {
        rule *r = &rules[n_rules];
        if (*line == '#' || *line == '\n') continue;
        assert_true(n_rules < MAX_RULES);
        *r = (rule){0};
        if (sscanf(line, "%31s %63s %159[^|]", r->sms, r->kernel, r->name) != 3 || !strchr(line, '|')) fail_msg("differs.txt: %s", line);
        const char *reason = strchr(line, '|') + 2;
        while (r->why < WHY_COUNT && strncmp(reason, why_words[r->why], strlen(why_words[r->why]))) r->why++;
        if (r->why == WHY_COUNT) fail_msg("differs.txt: this reason is of no kind: %s", reason);
        for (size_t n = strlen(r->name); n && r->name[n - 1] == ' '; n--) r->name[n - 1] = 0;
        n_rules++;
    }
    fclose(f);
}
static rule *rule_for(int sm, const ptx_kernel *k, const ptx_case *c) {
    char text[8];
    snprintf(text, sizeof text, "%d", sm);
    for (unsigned n = 0; n < n_rules; n++)
        if (strstr(rules[n].sms, text) && !fnmatch(rules[n].kernel, k->name, 0) && !fnmatch(rules[n].name, c->name, 0)) return &rules[n];
    return NULL;
}

/* --- one target ----------------------------------------------------------------------------------------------- */

typedef struct target {
    int sm;
    uint8_t *cubin;
    size_t size;
    img_module *module;
    eng_device *device;
    eng_code *code;
    uint64_t in, out, scratch;
    uint32_t *results;
    FILE *raw;
    wg_error err;
    char finding[500]; /* why a kernel ended before its time */
    unsigned equal, known[WHY_COUNT], missing, wrong;
} target;

static uint64_t allocate(target *t, size_t size) {
    const eng_allocation *a;
    if (eng_memory_alloc(eng_device_memory(t->device), size, ENG_ALLOC_DEVICE, &a, &t->err) != WG_OK) fail_msg("%s", t->err.text);
    return a->address;
}
static void open_target(target *t) {
    enum { MOST = 32 << 20 };
    t->cubin = ptx_cubin(WG_PTX, t->sm, &t->size);
    if (img_module_read(t->cubin, t->size, &t->module, &t->err) != WG_OK || eng_device_new(eng_gpu_for_sm(t->sm), &t->device, &t->err) != WG_OK ||
        eng_load(t->device, t->module, &t->code, &t->err) != WG_OK)
        fail_msg("sm_%d: %s", t->sm, t->err.text);
    t->in = allocate(t, PTX_OPERANDS * PTX_THREADS * 4);
    t->out = allocate(t, MOST);
    t->scratch = allocate(t, PTX_SCRATCH);
    t->results = malloc(MOST);
    assert_non_null(t->results);
    const char *folder = getenv("WG_PTX_RAW");
    if (folder) {
        char path[300];
        snprintf(path, sizeof path, "%s/%d.raw", folder, t->sm);
        t->raw = fopen(path, "wb");
    }
}
static void close_target(target *t) {
    if (t->raw) fclose(t->raw);
    eng_unload(t->code);
    eng_device_free(t->device);
    img_module_free(t->module);
    free(t->cubin);
    free(t->results);
}

static void note_finding(void *ctx, const eng_finding *f) {
    target *t = ctx;
    if (!*t->finding) snprintf(t->finding, sizeof t->finding, "fault %d at 0x%x, address 0x%llx %s", (int)f->kind, f->instr * 16, (unsigned long long)f->address, f->text);
}

static wg_status run_kernel(target *t, const ptx_kernel *k) {
    static uint32_t operands[PTX_OPERANDS][PTX_THREADS];
    static const uint8_t zeros[PTX_SCRATCH];
    eng_memory *m = eng_device_memory(t->device);
    size_t bytes = (size_t)k->columns * PTX_THREADS * 4;
    const img_function *f = img_find_function(t->module, k->name);
    if (!f) return wg_fail(&t->err, WG_ERR_NOT_FOUND, "no kernel %s", k->name);
    ptx_operands(k->kind, operands);
    memset(t->results, 0, bytes);
    wg_status st = eng_memory_copy(m, t->in, (uint64_t)(uintptr_t)operands, sizeof operands, ENG_HOST_TO_DEVICE, &t->err);
    if (st == WG_OK) st = eng_memory_copy(m, t->out, (uint64_t)(uintptr_t)t->results, bytes, ENG_HOST_TO_DEVICE, &t->err);
    if (st == WG_OK) st = eng_memory_copy(m, t->scratch, (uint64_t)(uintptr_t)zeros, sizeof zeros, ENG_HOST_TO_DEVICE, &t->err);
    for (unsigned n = 0; st == WG_OK && n < (k->uniform ? PTX_LAUNCHES : 1); n++) {
        ptx_params p = {.in = t->in, .out = t->out, .scratch = t->scratch};
        ptx_parameters(k, operands, n, &p);
        eng_result result = {0};
        eng_launch l = {.function = f, .grid = {k->uniform ? 1 : PTX_THREADS / PTX_BLOCK, 1, 1}, .block = {k->uniform ? 32 : PTX_BLOCK, 1, 1},
                        .cluster = {f->cluster[0], f->cluster[1], f->cluster[2]}, .shared_dynamic = PTX_DYNAMIC, .params = &p, .jobs = 1,
                        .max_instructions = 100000000, .finding = note_finding, .ctx = t};
        t->finding[0] = 0;
        st = eng_run(t->code, &l, &result, &t->err);
        eng_result_free(&result);
    }
    if (st == WG_OK) st = eng_memory_copy(m, (uint64_t)(uintptr_t)t->results, t->out, bytes, ENG_DEVICE_TO_HOST, &t->err);
    if (t->raw) fwrite(t->results, 1, bytes, t->raw);
    return st;
}

/* --- results of a model: near those of sm_90, which are an H200's ---------------------------------------------- */

static uint32_t *references[MAX_KERNELS]; /* what the code for sm_90 gave, kernel by kernel */

static double value_of(const uint32_t *words, unsigned n, bool halves) {
    float f;
    if (halves) return small_decode((uint16_t)(words[n / 2] >> n % 2 * 16), false);
    memcpy(&f, words + n, 4);
    return f;
}
/* Sums that differ by how they are rounded underway differ by little of the largest one; one may be infinite underway. */
static bool is_near(const target *t, const uint32_t *reference, const ptx_case *c) {
    const bool halves = strstr(c->name, ".f16.f16.f16.f16") != NULL;
    const unsigned at = c->column * PTX_THREADS, n = c->words * PTX_THREADS * (halves ? 2 : 1);
    double most = 0;
    for (unsigned k = 0; k < n; k++) {
        double v = fabs(value_of(reference + at, k, halves));
        if (isfinite(v) && v > most) most = v;
    }
    for (unsigned k = 0; k < n; k++) {
        double a = value_of(reference + at, k, halves), b = value_of(t->results + at, k, halves);
        if (isfinite(a) && isfinite(b) && fabs(a - b) > most * (halves ? 0x1p-8 : 0x1p-18)) return false;
    }
    return true;
}

static void judge(target *t, const ptx_kernel *k, const uint32_t *reference, const ptx_case *c, bool ran, const uint32_t hash[PTX_PARTS], uint32_t value) {
    bool same = ran && t->results[c->column * PTX_THREADS + 7] == value;
    for (unsigned part = 0; part < PTX_PARTS; part++) same &= ran && ptx_hash(t->results, c, part) == hash[part];
    rule *r = rule_for(t->sm, k, c);
    if (same) {
        t->equal++;
    } else if (r && (r->why != WHY_MODEL || is_near(t, reference, c))) {
        t->known[r->why]++;
        r->used++;
    } else if (t->wrong++ < SHOWN) {
        print_error("sm_%d %s: %s: %s\n", t->sm, k->name, c->name, r ? "not near" : ran ? "other results" : t->err.text);
    }
}

/* docs/conformance.md has this line of its table. */
static void check_doc(target *t) {
    static char doc[1 << 16];
    char line[200];
    FILE *f = fopen(WG_PTX "/../../../docs/conformance.md", "r");
    assert_non_null(f);
    doc[fread(doc, 1, sizeof doc - 1, f)] = 0;
    fclose(f);
    snprintf(line, sizeof line, "| sm_%d | %u | %u | %u | %u | %u |", t->sm, t->equal, t->known[WHY_MODEL], t->known[WHY_CODE], t->known[WHY_MISSING], t->missing);
    print_message("%s%s\n", line, t->wrong ? " and some wrong" : "");
    if (!strstr(doc, line) && ++t->wrong) print_error("docs/conformance.md has another line than that\n");
}

static void keep_reference(const target *t, const ptx_kernel *k, int number) {
    size_t bytes = (size_t)k->columns * PTX_THREADS * 4;
    references[number] = malloc(bytes);
    assert_non_null(references[number]);
    memcpy(references[number], t->results, bytes);
}

static void run_target(int sm, unsigned *wrong) {
    target t = {.sm = sm};
    open_target(&t);
    zst_lines lines = zst_open(WG_PTX "/h200.txt.zst");
    ptx_kernel k = {0};
    bool ran = false;
    int number = -1;
    for (char *line; (line = zst_line(&lines));) {
        ptx_case c;
        uint32_t hash[PTX_PARTS], value;
        if (ptx_read_kernel(line, &k)) {
            assert_true(++number < MAX_KERNELS);
            ran = k.sm <= sm && run_kernel(&t, &k) == WG_OK;
            if (sm == 90) keep_reference(&t, &k, number);
            if (k.sm <= sm && !ran) print_message("sm_%d: %s does not run: %s %s\n", sm, k.name, t.err.text, t.finding);
            continue;
        }
        if (sscanf(line, "%u %u %d %8x%8x%8x%8x %x %159[^\n]", &c.column, &c.words, &c.sm, &hash[0], &hash[1], &hash[2], &hash[3], &value, c.name) != 9)
            fail_msg("h200.txt: %s", line);
        if (c.sm > sm) t.missing++;
        else judge(&t, &k, references[number], &c, ran, hash, value);
    }
    free(lines.text);
    close_target(&t);
    check_doc(&t);
    *wrong += t.wrong;
}

static void five_architectures_give_what_an_h200_gave(void **state) {
    (void)state;
    unsigned wrong = 0;
    read_rules();
    for (size_t n = PTX_TARGETS; n-- > 0;) run_target(ptx_targets[n], &wrong); /* sm_90 first */
    for (unsigned n = 0; n < MAX_KERNELS; n++) free(references[n]);
    for (unsigned n = 0; n < n_rules; n++)
        if (!rules[n].used && ++wrong) print_error("differs.txt: nothing differs by %s %s %s\n", rules[n].sms, rules[n].kernel, rules[n].name);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(five_architectures_give_what_an_h200_gave)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
