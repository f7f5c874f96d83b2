/* --schedules K: the program under other schedules, and whether it gives the same.
 *
 * Compared are the copies to the host, byte for byte by their hashes, what is printed to standard output, and the exit status. The
 * runs that are compared are all alike but for the seed: they read nothing, look for no faults, and what they print is caught. A program
 * that differs from itself under one schedule (its input is the clock, it prints addresses) is not judged by what differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"

typedef struct outcome {
    cli_outcome end;
    json_t *outputs; /* the records of copies to the host, in order */
    wg_arena *text; /* of printed */
    wg_bytes printed;
} outcome;

static void drop(outcome *o) {
    json_decref(o->outputs);
    wg_arena_free(o->text);
    *o = (outcome){0};
}

static bool run_with(const cli_run_options *as, uint64_t seed, const char *path, const char *library, const char *record, outcome *out, wg_error *err) {
    cli_run_options options = *as;
    options.session.seed = seed;
    options.session.checks = "none";
    options.session.trace = NULL;
    options.session.progress = options.session.want_samples = options.session.want_instructions = false;
    options.session.want_outputs = true;
    *out = (outcome){.outputs = json_array(), .text = wg_arena_new()};
    if (truncate(record, 0) != 0) return wg_fail(err, WG_ERR_IO, "%s cannot be emptied", record), false;
    if (cli_supervise(&options, path, library, record, &out->end, err) != WG_OK || wg_file_read(options.capture, out->text, &out->printed, err) != WG_OK) return false;
    json_t *records = ses_read_records(record, err), *r;
    size_t i;
    json_array_foreach(records, i, r) {
        const char *kind = json_string_value(json_object_get(r, "record"));
        if (kind && strcmp(kind, "output") == 0) json_array_append(out->outputs, r);
    }
    json_decref(records);
    return records != NULL;
}

/* --- what differs ------------------------------------------------------------------------------------------ */

static bool same_output(const json_t *a, const json_t *b) {
    return json_equal(json_object_get(a, "bytes"), json_object_get(b, "bytes")) && json_equal(json_object_get(a, "hash"), json_object_get(b, "hash"));
}

/* The line, from 1, from which on two texts differ; 0: they are equal. */
static unsigned long line_that_differs(const wg_bytes *a, const wg_bytes *b) {
    size_t least = a->size < b->size ? a->size : b->size, at = 0;
    unsigned long line = 1;
    while (at < least && a->data[at] == b->data[at]) line += a->data[at++] == '\n';
    return at == a->size && at == b->size ? 0 : line;
}

static const char *end_of(const cli_outcome *end, char *text, size_t n) {
    if (end->timeout) snprintf(text, n, "does not end in time");
    else if (end->signal) snprintf(text, n, "is ended by signal %d", end->signal);
    else snprintf(text, n, "ends with status %d", end->exit_status);
    return text;
}

/* What the second one does otherwise, in words; the copy that tells it, if one does. False: nothing. */
static bool differ(const outcome *a, const outcome *b, char *text, size_t n, const json_t **copy) {
    size_t had = json_array_size(a->outputs), has = json_array_size(b->outputs), i = 0;
    char one[64], other[64];
    *copy = NULL;
    while (i < had && i < has && same_output(json_array_get(a->outputs, i), json_array_get(b->outputs, i))) i++;
    if (i < had && i < has) {
        *copy = json_array_get(b->outputs, i);
        snprintf(text, n, "copy %zu to the host (%lld bytes) brings other bytes", i + 1, (long long)json_integer_value(json_object_get(*copy, "bytes")));
        return true;
    }
    if (had != has) return snprintf(text, n, "there are %zu copies to the host, not %zu", has, had), true;
    unsigned long line = line_that_differs(&a->printed, &b->printed);
    if (line) return snprintf(text, n, "the program prints something else from line %lu on", line), true;
    if (strcmp(end_of(&a->end, one, sizeof one), end_of(&b->end, other, sizeof other)) == 0) return false;
    return snprintf(text, n, "the program %s, where it %s", other, one), true;
}

/* --- the record ------------------------------------------------------------------------------------------------- */

static json_t *finding(uint64_t seed, uint64_t usual, const char *what, const json_t *copy) {
    char text[400];
    snprintf(text, sizeof text, "the result depends on the order of blocks and warps: with --seed %llu, %s than with --seed %llu. `--seed %llu` shows it again",
             (unsigned long long)seed, what, (unsigned long long)usual, (unsigned long long)seed);
    json_t *out = json_pack("{s:s, s:s, s:s, s:s, s:I}", "record", "finding", "kind", "schedule", "severity", "warning", "message", text, "seed", (json_int_t)seed);
    json_t *stack = json_object_get(copy, "stack");
    if (stack) json_object_set(out, "stack", stack);
    return out;
}

static json_t *note(const char *what) {
    char text[400];
    snprintf(text, sizeof text, "schedules were not compared: from one run to the next, under the same one, %s", what);
    return json_pack("{s:s, s:s}", "record", "note", "text", text);
}

/* Runs the usual schedule once more when another one differs: does the program differ from itself? */
static json_t *judge(const cli_run_options *o, const outcome *usual, const outcome *other, uint64_t seed, const char *path, const char *library,
                     const char *record, wg_error *err) {
    char what[200], itself[200];
    const json_t *copy, *none;
    outcome again;
    json_t *out = NULL;
    if (!differ(usual, other, what, sizeof what, &copy)) return NULL;
    if (run_with(o, o->session.seed, path, library, record, &again, err))
        out = differ(usual, &again, itself, sizeof itself, &none) ? note(itself) : finding(seed, o->session.seed, what, copy);
    drop(&again);
    return out;
}

json_t *cli_schedules(const cli_run_options *options, const char *path, const char *library, const char *record, wg_error *err) {
    cli_run_options o = *options;
    char *capture = NULL;
    outcome usual = {0}, other;
    json_t *out = NULL;
    if (asprintf(&capture, "%s.printed", record) < 0) return wg_fail(err, WG_ERR_MEMORY, "no memory"), NULL;
    wg_status st = wg_file_write(capture, "", 0, err);
    o.capture = capture;
    if (st == WG_OK && run_with(&o, o.session.seed, path, library, record, &usual, err)) {
        for (unsigned k = 1; k < o.schedules && !out && !err->text[0]; k++) {
            uint64_t seed = o.session.seed + k;
            if (run_with(&o, seed, path, library, record, &other, err)) out = judge(&o, &usual, &other, seed, path, library, record, err);
            drop(&other);
        }
    }
    drop(&usual);
    unlink(capture);
    free(capture);
    return out;
}
