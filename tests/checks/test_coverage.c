/* usage: test_coverage SOURCE CUBIN: each launch leaves elements out or does not; what is then done with them decides
 * what must be found. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "warpgrind/warpgrind.h"

enum { THREADS = 128, BLOCKS = 10000 / THREADS, N = 10000 };
typedef enum after { COPIED, READ, NOTHING, FILLED_COPIED, PART_COPIED, FINISHED_COPIED } after;

static const struct {
    const char *name, *kernel;
    unsigned grid, block, elements, width; /* of out */
    after then;
    const char *severity;  /* NULL: silent */
    unsigned first, last;
} cases[] = {
    {"floor, copied", "twice", BLOCKS, THREADS, N, 4, COPIED, "warning", 9984, 9999},
    {"floor, read by a kernel", "twice", BLOCKS, THREADS, N, 4, READ, "warning", 9984, 9999},
    {"floor, nobody looks", "twice", BLOCKS, THREADS, N, 4, NOTHING, "note", 9984, 9999},
    {"rounded up, copied", "twice", BLOCKS + 1, THREADS, N, 4, COPIED, NULL, 0, 0},
    {"rounded up, read", "twice", BLOCKS + 1, THREADS, N, 4, READ, NULL, 0, 0},
    {"the rest is filled", "twice", BLOCKS, THREADS, N, 4, FILLED_COPIED, NULL, 0, 0},
    {"a second launch writes the rest", "twice", BLOCKS, THREADS, N, 4, FINISHED_COPIED, NULL, 0, 0},
    {"the rest is not copied", "twice", BLOCKS, THREADS, N, 4, PART_COPIED, "note", 9984, 9999},
    {"one block for all", "twice", 1, 256, 1000, 4, COPIED, "warning", 256, 999},
    {"a large buffer, nobody looks", "twice", 1, 256, 5000, 4, NOTHING, NULL, 0, 0},
    {"no bounds check", "unbounded", BLOCKS, THREADS, N, 4, COPIED, "warning", 9984, 9999},
    {"no bounds check, fits", "unbounded", 78, THREADS, 9984, 4, COPIED, NULL, 0, 0},
    {"records", "field", 7, 32, 250, 16, COPIED, "warning", 224, 249},
    {"records, all", "field", 8, 32, 250, 16, COPIED, NULL, 0, 0},
    {"vectors of four", "vectors", 19, THREADS, 2500, 16, COPIED, "warning", 2432, 2499},
    {"vectors of four, all", "vectors", 20, THREADS, 2500, 16, COPIED, NULL, 0, 0},
    {"from the second element on", "shifted", BLOCKS, THREADS, N, 4, COPIED, "warning", 9985, 9999},
    {"from the second element on, all", "shifted", BLOCKS + 1, THREADS, N, 4, COPIED, NULL, 0, 0},
    {"bytes", "bytes", BLOCKS, THREADS, N, 1, COPIED, "warning", 9984, 9999},
    {"bytes, all", "bytes", BLOCKS + 1, THREADS, N, 1, COPIED, NULL, 0, 0},
    {"blocks of 33 threads", "twice", 303, 33, N, 4, COPIED, "warning", 9999, 9999},
    {"blocks of 33 threads, all", "twice", 304, 33, N, 4, COPIED, NULL, 0, 0},
    {"the last thread alone", "last_alone", 8, THREADS, 1100, 4, COPIED, "warning", 1024, 1099},
    {"the last thread alone, all", "last_alone", 8, THREADS, 1024, 4, COPIED, NULL, 0, 0},
    {"a loop over the grid", "grid_stride", 4, THREADS, N, 4, COPIED, NULL, 0, 0},
    {"a value a block", "block_sums", 8, THREADS, 64, 4, COPIED, NULL, 0, 0},
    {"scattered", "scattered", 4, THREADS, N, 4, COPIED, NULL, 0, 0},
};

static unsigned marked_line(const char *source, const char *kernel) {
    char line[400], mark[80];
    unsigned number = 0, found = 0;
    FILE *f = fopen(source, "r");
    snprintf(mark, sizeof mark, "// <- %s\n", kernel);
    while (f && fgets(line, sizeof line, f)) {
        number++;
        if (strstr(line, mark)) found = number;
    }
    if (f) fclose(f);
    return found;
}

static json_int_t number(const json_t *f, const char *name) { return json_integer_value(json_object_get(f, name)); }
static const char *word(const json_t *f, const char *name) {
    const char *text = json_string_value(json_object_get(f, name));
    return text ? text : "";
}

static bool judge(size_t c, unsigned line, const json_t *findings) {
    size_t i, seen = 0;
    json_t *f;
    bool ok = true;
    json_array_foreach((json_t *)findings, i, f) {
        const json_t *missing = json_object_get(f, "missing");
        seen++;
        if (!cases[c].severity || strcmp(word(f, "kind"), "coverage") || strcmp(word(f, "severity"), cases[c].severity) ||
            number(f, "line") != line || number(missing, "first") != cases[c].first || number(missing, "last") != cases[c].last ||
            number(missing, "of") != cases[c].elements || number(missing, "element") != cases[c].width) {
            printf("%s: %s %s, line %d, elements %d to %d: %s\n", cases[c].name, word(f, "severity"), word(f, "kind"), (int)number(f, "line"),
                   (int)number(missing, "first"), (int)number(missing, "last"), word(f, "message"));
            ok = false;
        }
    }
    if (seen == (cases[c].severity ? 1 : 0)) return ok;
    printf("%s: %zu findings\n", cases[c].name, seen);
    return false;
}

static wg_status follow(wg_device *dev, size_t c, wg_address out, wg_address in, wg_error *err) {
    unsigned size = cases[c].elements * cases[c].width, written = cases[c].grid * cases[c].block * cases[c].width;
    static char host[1 << 18];
    wg_arg sum[] = {wg_arg_address(in), wg_arg_address(out), wg_arg_i32((int)cases[c].elements)};
    wg_arg rest[] = {wg_arg_address(out + written), wg_arg_address(in), wg_arg_i32((int)(size - written) / 4)};
    wg_status status = WG_OK;
    switch (cases[c].then) {
    case NOTHING: return WG_OK;
    case READ: return wg_launch(dev, wg_kernel(dev, "add_up", err), wg_dim3(N / 128 + 1, 1, 1), wg_dim3(128, 1, 1), 0, sum, 3, NULL, err);
    case PART_COPIED: return wg_copy_out(dev, host, out, written, err);
    case FILLED_COPIED: status = wg_fill(dev, out + written, 0, size - written, err); break;
    case FINISHED_COPIED:
        status = wg_launch(dev, wg_kernel(dev, "twice", err), wg_dim3(1, 1, 1), wg_dim3(128, 1, 1), 0, rest, 3, NULL, err);
        break;
    case COPIED: break;
    }
    return status ? status : wg_copy_out(dev, host, out, size, err);
}

/* kernel: the number of the case. */
static json_t *report_with(const void *kernel, const char *cubin, const wg_options *options) {
    size_t c = *(const size_t *)kernel;
    wg_error err = {0};
    wg_device *dev = NULL;
    wg_address out, in;
    size_t size = (size_t)cases[c].elements * cases[c].width;
    int n = (int)cases[c].elements * (strcmp(cases[c].kernel, "vectors") ? 1 : 4);
    wg_status status = wg_open(cubin, options, &dev, &err);
    if (!status) status = wg_alloc(dev, size, &out, &err);
    if (!status) status = wg_alloc(dev, N * 16, &in, &err);
    if (!status) status = wg_fill(dev, in, 0, N * 16, &err);
    if (!status) {
        wg_arg args[] = {wg_arg_address(out), wg_arg_address(in), wg_arg_i32(n)};
        status = wg_launch(dev, wg_kernel(dev, cases[c].kernel, &err), wg_dim3(cases[c].grid, 1, 1), wg_dim3(cases[c].block, 1, 1), 0, args, 3, NULL, &err);
    }
    if (!status) status = follow(dev, c, out, in, &err);
    char *text = status ? NULL : wg_report_json(dev);
    json_t *document = text ? json_loads(text, 0, NULL) : NULL;
    if (!document) printf("%s: %s\n", cases[c].name, err.text);
    free(text);
    wg_close(dev);
    return document;
}

static bool run(size_t c, const char *source, const char *cubin) {
    const wg_options usual = {.checks = "coverage"};
    json_t *document = report_with(&c, cubin, &usual);
    bool ok = document && judge(c, marked_line(source, cases[c].kernel), json_object_get(document, "findings"));
    char text[100];
    bool same = same_when_dealt(report_with, &c, cubin, text);
    if (!same) printf("%s: %s\n", cases[c].name, text);
    json_decref(document);
    return ok && same;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    size_t n = sizeof cases / sizeof *cases, wrong = 0;
    for (size_t c = 0; c < n; c++) wrong += !run(c, argv[1], argv[2]);
    printf("%zu launches, %zu wrong\n", n, wrong);
    return wrong != 0;
}
