/* Runs every kernel of a source whose comments say what must be found in it:
 *
 *     // run GRID BLOCK KIND SEVERITY      or      // run GRID BLOCK silent
 *     ... never written: BUFFER N           and the report counts so many elements of the buffer that nobody wrote
 *     // then ACTION ...                   what the host does around it, in the order of the lines (below)
 *     __global__ void name(int *out, const int *in, int *none, int n) ...      a finding may name lines marked // <-
 *
 * out holds zeros, in the numbers from 0 on, none was never written; 65536 ints each; n: threads. Actions:
 *     fill BUFFER FROM TO      before: bytes FROM to TO - 1 of a buffer are set to 1
 *     copy BUFFER BUFFER N     before: N bytes from the second buffer to the first
 *     look BUFFER FROM TO      after: copied to the host. Without any, the n first ints of out are.
 *
 * usage: test_uninitialised SOURCE CUBIN [KERNEL]: with a kernel's name, its findings are shown. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "warpgrind/warpgrind.h"

enum { ELEMENTS = 65536, BYTES = ELEMENTS * 4, MARKS = 16, ACTIONS = 8 };
typedef struct action {
    char verb[8], to[8], from[8];
    unsigned first, last;
} action;
typedef struct expected {
    char name[80], kind[40], severity[16]; /* kind "": silent */
    unsigned grid, block, marks[MARKS], n_marks, n_actions;
    action actions[ACTIONS];
    char unwritten_of[8]; /* buffer; "": not asked for */
    unsigned unwritten;
} expected;
typedef struct buffers { wg_address out, in, none; } buffers;

/* The line itself, or one of the call that put it there. */
static bool marked(const expected *e, const json_t *side) {
    json_int_t line = json_integer_value(json_object_get(side, "line"));
    size_t i;
    json_t *call;
    for (unsigned k = 0; k < e->n_marks; k++) {
        if (e->marks[k] == line) return true;
        json_array_foreach(json_object_get(side, "inlined"), i, call) if (e->marks[k] == json_integer_value(json_object_get(call, "line"))) return true;
    }
    return !line && !e->n_marks; /* what only leaves has no line, if nobody stored it */
}

static const char *word(const json_t *f, const char *name) {
    const char *text = json_string_value(json_object_get(f, name));
    return text ? text : "";
}

static bool complain(const expected *e, const json_t *f, const char *what) {
    printf("%s: %s", e->name, what);
    if (f) printf(": %s %s, line %d: %s", word(f, "severity"), word(f, "kind"), (int)json_integer_value(json_object_get(f, "line")), word(f, "message"));
    printf("\n");
    return false;
}

static bool judge(const expected *e, const json_t *findings) {
    bool found = false, ok = true;
    size_t i;
    json_t *f;
    json_array_foreach((json_t *)findings, i, f) {
        if (strcmp(word(f, "severity"), "note") == 0) continue;
        if (!e->kind[0]) ok = complain(e, f, "should be silent");
        else if (strcmp(word(f, "kind"), e->kind)) ok = complain(e, f, "not what is wrong in it");
        else if (!marked(e, f)) ok = complain(e, f, "at a wrong line");
        else found |= strcmp(word(f, "severity"), e->severity) == 0;
    }
    if (e->kind[0] && !found) ok = complain(e, NULL, "not found");
    return ok;
}

static wg_address buffer(const buffers *b, const char *name) {
    return strcmp(name, "out") == 0 ? b->out : strcmp(name, "in") == 0 ? b->in : b->none;
}

static wg_status act(wg_device *dev, const expected *e, const buffers *b, bool after, wg_error *err) {
    static char host[BYTES];
    wg_status status = WG_OK;
    bool looked = false;
    for (unsigned k = 0; k < e->n_actions && !status; k++) {
        const action *a = &e->actions[k];
        wg_address to = buffer(b, a->to);
        if (strcmp(a->verb, "look") == 0) {
            looked = true;
            if (after) status = wg_copy_out(dev, host, to + a->first, a->last - a->first, err);
        } else if (after) {
            continue;
        } else if (strcmp(a->verb, "fill") == 0) {
            status = wg_fill(dev, to + a->first, 1, a->last - a->first, err);
        } else {
            status = wg_copy(dev, to, buffer(b, a->from), a->first, err);
        }
    }
    if (after && !looked && !status) status = wg_copy_out(dev, host, b->out, (size_t)e->grid * e->block * 4, err);
    return status;
}

static bool judge_unwritten(const expected *e, const buffers *b, const json_t *allocations) {
    wg_address address = buffer(b, e->unwritten_of);
    size_t i;
    json_t *a;
    if (!e->unwritten_of[0]) return true;
    json_array_foreach((json_t *)allocations, i, a) {
        if (strtoull(word(a, "address"), NULL, 16) != address) continue;
        json_int_t n = json_integer_value(json_object_get(a, "unwritten"));
        if (json_object_get(a, "unwritten") && n == (json_int_t)e->unwritten) return true;
        printf("%s: %d elements of %s were never written, not %u\n", e->name, (int)n, e->unwritten_of, e->unwritten);
        return false;
    }
    return complain(e, NULL, "no such allocation in the report");
}

static const wg_options usual; /* one worker a processor */

/* NULL: what was never written is not as it should be. */
static json_t *report_of(const expected *e, const char *cubin, const wg_options *options, wg_status *result, wg_error *err) {
    wg_device *dev = NULL;
    buffers b = {0};
    static int numbers[ELEMENTS];
    wg_options patient = *options;
    patient.max_instructions = 10000000;
    for (int k = 0; k < ELEMENTS; k++) numbers[k] = k;
    wg_status status = wg_open(cubin, &patient, &dev, err);
    if (!status) status = wg_alloc(dev, BYTES, &b.out, err);
    if (!status) status = wg_alloc(dev, BYTES, &b.in, err);
    if (!status) status = wg_alloc(dev, BYTES, &b.none, err);
    if (!status) status = wg_fill(dev, b.out, 0, BYTES, err);
    if (!status) status = wg_copy_in(dev, b.in, numbers, BYTES, err);
    if (!status) status = act(dev, e, &b, false, err);
    wg_arg args[] = {wg_arg_address(b.out), wg_arg_address(b.in), wg_arg_address(b.none), wg_arg_i32((int)(e->grid * e->block))};
    if (!status)
        status = wg_launch(dev, wg_kernel(dev, e->name, err), wg_dim3(e->grid, 1, 1), wg_dim3(e->block, 1, 1), 0, args, 4, NULL, err);
    if (!status) status = act(dev, e, &b, true, err);
    char *text = dev ? wg_report_json(dev) : NULL;
    json_t *document = text ? json_loads(text, 0, NULL) : NULL;
    if (!judge_unwritten(e, &b, json_object_get(document, "allocations"))) json_decref(document), document = NULL;
    free(text);
    wg_close(dev);
    *result = status;
    return document;
}

static json_t *report_with(const void *kernel, const char *cubin, const wg_options *options) {
    wg_status status;
    wg_error err;
    return report_of(kernel, cubin, options, &status, &err);
}
static bool same_for_all_jobs(const expected *e, const char *cubin) {
    char text[100];
    return e->grid == 1 || same_when_dealt(report_with, e, cubin, text) || complain(e, NULL, text);
}

static bool run(const expected *e, const char *cubin, bool show) {
    wg_error err;
    wg_status status;
    json_t *report = report_of(e, cubin, &usual, &status, &err);
    const json_t *findings = json_object_get(report, "findings");
    bool ok = findings && judge(e, findings);
    if (status) {
        printf("%s: %s\n", e->name, err.text);
        ok = false;
    }
    ok &= same_for_all_jobs(e, cubin);
    if (show) json_dumpf(findings, stdout, JSON_INDENT(1));
    json_decref(report);
    return ok;
}

static void read_action(expected *e, const char *line) {
    action a = {0};
    if (e->n_actions == ACTIONS) return;
    if (sscanf(line, "// then copy %7s %7s %u", a.to, a.from, &a.first) == 3) strcpy(a.verb, "copy");
    else if (sscanf(line, "// then %7s %7s %u %u", a.verb, a.to, &a.first, &a.last) != 4) return;
    e->actions[e->n_actions++] = a;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    FILE *f = fopen(argv[1], "r");
    char line[400];
    expected e = {0};
    unsigned number = 0, kernels = 0, wrong = 0, faults = 0;
    bool more = f != NULL;
    while (more) {
        more = fgets(line, sizeof line, f) != NULL;
        number++;
        if ((!more || strncmp(line, "// run ", 7) == 0) && e.name[0] && (argc < 4 || strcmp(argv[3], e.name) == 0)) {
            kernels++;
            faults += e.kind[0] != 0;
            wrong += !run(&e, argv[2], argc > 3);
        }
        if (!more) break;
        if (strncmp(line, "// run ", 7) == 0) {
            e = (expected){0};
            if (sscanf(line, "// run %u %u %39s %15s", &e.grid, &e.block, e.kind, e.severity) == 3) e.kind[0] = '\0';
            const char *unwritten = strstr(line, "never written: ");
            if (unwritten) sscanf(unwritten, "never written: %7s %u", e.unwritten_of, &e.unwritten);
        } else if (strncmp(line, "// then ", 8) == 0) read_action(&e, line);
        else if (strncmp(line, "__global__ void ", 16) == 0) sscanf(line, "__global__ void %79[a-z_0-9]", e.name);
        else if (strstr(line, "// <-") && e.n_marks < MARKS) e.marks[e.n_marks++] = number;
    }
    if (f) fclose(f);
    printf("%u kernels, %u of them wrong in themselves; %u judged wrong\n", kernels, faults, wrong);
    return !kernels || wrong;
}
