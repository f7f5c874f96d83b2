/* Runs every kernel of a source whose comments say what must be found in it:
 *
 *     // run GRID BLOCK KIND SEVERITY      or      // run GRID BLOCK silent         and behind it: shared=BYTES, cooperative,
 *                                                      also=ACCESS or also=none: what the same finding tells of besides;
 *                                                      says=WORDS, joined by _: which its message or details hold; once: it is the only one
 *     __global__ void name(int *a, int *b, int n) ...      lines marked // <- are those that a finding may name
 *
 * usage: test_checks [--together] SOURCE CUBIN [KERNEL]: with a kernel's name, its findings are shown; --together: all in one run. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "warpgrind/warpgrind.h"

enum { ELEMENTS = 65536, MARKS = 16 };
typedef struct expected {
    char name[80], kind[40], severity[16], also[8], says[40]; /* kind "": silent; also "": whatever it is */
    unsigned grid, block, shared, marks[MARKS], n_marks;
    bool cooperative, once;
} expected;

static const char *source; /* name of the file, without folders */

static bool marked_at(const expected *e, const json_t *place) {
    const char *file = json_string_value(json_object_get(place, "file"));
    json_int_t line = json_integer_value(json_object_get(place, "line"));
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!file || strcmp(slash ? slash + 1 : file, source) != 0) return false;
    for (unsigned k = 0; k < e->n_marks; k++)
        if (e->marks[k] == line) return true;
    return false;
}
/* The line itself, or the one of the call that put it there. */
static bool marked(const expected *e, const json_t *side) {
    bool found = marked_at(e, side);
    size_t i;
    json_t *call;
    json_array_foreach(json_object_get(side, "inlined"), i, call) found |= marked_at(e, call);
    return found;
}

static const char *word(const json_t *f, const char *name) {
    const char *text = json_string_value(json_object_get(f, name));
    return text ? text : "";
}

/* A finding that tells of another thread, and names one thread twice. */
static bool same_thread_twice(const json_t *f, const json_t *other) {
    bool of_another = strstr(word(f, "message"), "another lane") || strstr(word(f, "message"), "another thread");
    return of_another && json_equal(json_object_get(f, "block"), json_object_get(other, "block")) &&
           json_equal(json_object_get(f, "thread"), json_object_get(other, "thread"));
}

static bool complain(const expected *e, const json_t *f, const char *what) {
    printf("%s: %s", e->name, what);
    if (f) printf(": %s %s, line %d, other %d: %s", word(f, "severity"), word(f, "kind"), (int)json_integer_value(json_object_get(f, "line")),
                  (int)json_integer_value(json_object_get(json_object_get(f, "other"), "line")), word(f, "message"));
    printf("\n");
    return false;
}

static bool tells_also(const expected *e, const json_t *f) {
    const json_t *also = json_object_get(f, "also");
    bool none = strcmp(e->also, "none") == 0, found = none;
    size_t i;
    json_t *way;
    json_array_foreach((json_t *)also, i, way) found = none ? false : found || strcmp(word(way, "access"), e->also) == 0;
    return !e->also[0] || found;
}

static bool judge(const expected *e, const json_t *findings) {
    bool found = false, ok = true;
    unsigned told = 0;
    size_t i;
    json_t *f;
    json_array_foreach((json_t *)findings, i, f) {
        const json_t *other = json_object_get(f, "other");
        if (same_thread_twice(f, other)) ok = complain(e, f, "names one thread twice");
        if (!e->kind[0]) {
            if (strcmp(word(f, "severity"), "note")) ok = complain(e, f, "should be silent");
            continue;
        }
        if (strcmp(word(f, "kind"), e->kind)) {
            /* a kernel that cannot end also fails as a deadlock */
            if (strcmp(word(f, "severity"), "note") && strcmp(word(f, "kind"), "deadlock")) ok = complain(e, f, "not what is wrong in it");
            continue;
        }
        told += strcmp(word(f, "severity"), "note") != 0;
        if (!strstr(word(f, "message"), e->says) && !strstr(word(f, "detail"), e->says)) ok = complain(e, f, "says something else");
        if (strcmp(e->severity, "note") == 0 && strcmp(word(f, "severity"), "note")) ok = complain(e, f, "more than a note");
        else if (!marked(e, f) || (other && !marked(e, other))) ok = complain(e, f, "at a wrong line");
        else found |= strcmp(word(f, "severity"), e->severity) == 0 && tells_also(e, f);
    }
    if (e->once && told > 1) ok = complain(e, NULL, "more than one finding");
    if (e->kind[0] && !found) ok = complain(e, NULL, "not found");
    return ok;
}

static wg_status launch(wg_device *dev, const expected *e, wg_address a, wg_address b, wg_error *err) {
    wg_arg args[] = {wg_arg_address(a), wg_arg_address(b), wg_arg_i32((int)(e->grid * e->block))};
    return (e->cooperative ? wg_launch_cooperative : wg_launch)(dev, wg_kernel(dev, e->name, err), wg_dim3(e->grid, 1, 1), wg_dim3(e->block, 1, 1),
                                                                e->shared, args, 3, NULL, err);
}

static json_t *report_told(wg_device *dev) {
    char *text = wg_report_json(dev);
    json_t *document = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return document;
}

static const wg_options usual; /* one worker a processor */

/* Launches it; NULL: it could not be. */
static json_t *report_of(const expected *e, const char *cubin, const wg_options *options, wg_status *status, wg_error *err) {
    wg_device *dev = NULL;
    wg_address a, b;
    wg_options patient = *options;
    patient.max_instructions = 10000000;
    if (wg_open(cubin, &patient, &dev, err) || wg_alloc(dev, ELEMENTS * 4, &a, err) || wg_alloc(dev, ELEMENTS * 4, &b, err) ||
        wg_fill(dev, a, 0, ELEMENTS * 4, err) || wg_fill(dev, b, 0, ELEMENTS * 4, err)) {
        printf("%s: %s\n", e->name, err->text);
        wg_close(dev);
        return NULL;
    }
    *status = launch(dev, e, a, b, err);
    json_t *report = report_told(dev);
    wg_close(dev);
    return report;
}

/* What is shown before the launch, and then not watched, changes nothing about what is found. */
static bool same_without_proofs(const expected *e, const char *cubin, const json_t *findings) {
    wg_status status;
    wg_error err = {0};
    setenv("WARPGRIND_PROOFS", "off", 1);
    json_t *others = report_of(e, cubin, &usual, &status, &err);
    unsetenv("WARPGRIND_PROOFS");
    bool same = others && json_equal((json_t *)findings, json_object_get(others, "findings"));
    json_decref(others);
    return same || complain(e, NULL, "other findings where everything is watched");
}

static json_t *report_with(const void *kernel, const char *cubin, const wg_options *options) {
    wg_status status;
    wg_error err = {0};
    return report_of(kernel, cubin, options, &status, &err);
}
static bool same_for_all_jobs(const expected *e, const char *cubin) {
    char text[100];
    return e->grid == 1 || same_when_dealt(report_with, e, cubin, text) || complain(e, NULL, text);
}

/* What is right is silent in whichever order its warps run. */
static bool silent_in_other_orders(const expected *e, const char *cubin) {
    enum { ORDERS = 3 };
    bool ok = true;
    for (unsigned seed = 1; !e->kind[0] && seed <= ORDERS; seed++) {
        const wg_options other = {.seed = seed};
        json_t *report = report_with(e, cubin, &other);
        ok &= report && judge(e, json_object_get(report, "findings"));
        json_decref(report);
    }
    return ok || complain(e, NULL, "in another order");
}

static bool run(const expected *e, const char *cubin, bool show) {
    wg_error err = {0};
    wg_status status;
    json_t *report = report_of(e, cubin, &usual, &status, &err);
    const json_t *findings = json_object_get(report, "findings");
    if (!findings) return false;
    bool ok = judge(e, findings);
    if (status && ((status != WG_ERR_DEADLOCK && status != WG_ERR_FAULT) || !e->kind[0])) {
        printf("%s: %s\n", e->name, err.text);
        ok = false;
    }
    ok &= same_without_proofs(e, cubin, findings);
    ok &= same_for_all_jobs(e, cubin);
    ok &= silent_in_other_orders(e, cubin);
    if (show) json_dumpf(findings, stdout, JSON_INDENT(1));
    json_decref(report);
    return ok;
}

/* All in one run: what is found of each must be the same as if it had run alone. */
static unsigned run_together(const expected *all, unsigned n, const char *cubin) {
    wg_device *dev = NULL;
    wg_address a, b;
    wg_error err = {0};
    const wg_options options = {.max_instructions = 10000000};
    unsigned wrong = 0;
    if (wg_open(cubin, &options, &dev, &err) || wg_alloc(dev, ELEMENTS * 4, &a, &err) || wg_alloc(dev, ELEMENTS * 4, &b, &err) ||
        wg_fill(dev, a, 0, ELEMENTS * 4, &err) || wg_fill(dev, b, 0, ELEMENTS * 4, &err))
        return printf("%s\n", err.text), wg_close(dev), n;
    for (unsigned k = 0; k < n; k++)
        if (launch(dev, &all[k], a, b, &err) && err.status != WG_ERR_FAULT && err.status != WG_ERR_DEADLOCK) wrong++, printf("%s: %s\n", all[k].name, err.text);
    json_t *report = report_told(dev);
    for (unsigned k = 0; k < n; k++) {
        json_t *own = json_array(), *f;
        size_t i, length = strlen(all[k].name);
        json_array_foreach(json_object_get(report, "findings"), i, f)
            if (strncmp(word(f, "kernel"), all[k].name, length) == 0 && word(f, "kernel")[length] == '(') json_array_append(own, f);
        wrong += !judge(&all[k], own);
        json_decref(own);
    }
    json_decref(report);
    wg_close(dev);
    return wrong;
}

enum { TOGETHER = 16 };
int main(int argc, char **argv) {
    bool together = argc > 1 && strcmp(argv[1], "--together") == 0;
    expected all[TOGETHER];
    argc -= together, argv += together;
    if (argc < 3) return 2;
    source = strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1];
    FILE *f = fopen(argv[1], "r");
    char line[400];
    expected e = {0};
    unsigned number = 0, kernels = 0, wrong = 0, written = 0;
    bool more = f != NULL;
    while (more) {
        more = fgets(line, sizeof line, f) != NULL;
        number++;
        if ((!more || strncmp(line, "// run ", 7) == 0) && e.name[0] && (argc < 4 || strcmp(argv[3], e.name) == 0)) {
            kernels++;
            if (!together) wrong += !run(&e, argv[2], argc > 3);
            else if (kernels <= TOGETHER) all[kernels - 1] = e;
        }
        if (!more) break;
        written += strncmp(line, "__global__ ", 11) == 0;
        if (strncmp(line, "// run ", 7) == 0) {
            e = (expected){0};
            if (sscanf(line, "// run %u %u %39s %15s", &e.grid, &e.block, e.kind, e.severity) == 3) e.kind[0] = '\0';
            const char *shared = strstr(line, "shared=");
            if (shared) sscanf(shared, "shared=%u", &e.shared);
            const char *also = strstr(line, "also=");
            if (also) sscanf(also, "also=%7s", e.also);
            const char *says = strstr(line, "says=");
            if (says) sscanf(says, "says=%39s", e.says);
            for (char *blank; (blank = strchr(e.says, '_'));) *blank = ' ';
            e.once = strstr(line, " once") != NULL;
            e.cooperative = strstr(line, "cooperative") != NULL;
            if (strncmp(e.kind, "silent", 6) == 0) e.kind[0] = '\0';
        } else if (strncmp(line, "__global__ void ", 16) == 0 && sscanf(line, "__global__ void __cluster_dims__(%*[^)]) %79[a-z_0-9]", e.name) != 1)
            sscanf(line, "__global__ void %79[a-z_0-9]", e.name);
        else if (strstr(line, "// <-") && e.n_marks < MARKS) e.marks[e.n_marks++] = number;
    }
    if (f) fclose(f);
    if (together) wrong = kernels <= TOGETHER ? run_together(all, kernels, argv[2]) : kernels;
    printf("%u kernels, %u wrong\n", kernels, wrong);
    if (argc < 4 && kernels != written) return printf("but there are %u\n", written), 1; /* a kernel that nothing is said of is not run */
    return !kernels || wrong;
}
