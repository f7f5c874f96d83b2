/* warpgrind suite FILE: options, and the summary. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/suite.h"
#include "report/fold.h"

enum { KEY_OUTPUT = 256, KEY_JSON, KEY_WAIT };

typedef struct arguments {
    const char *file, *output, *json;
    unsigned jobs;
    double wait; /* seconds for other ranks */
} arguments;

static const struct argp_option options[] = {
    {"jobs", 'j', "N", 0, "programs at once, of each rank (default: one a processor that it may use)", 0},
    {"output", KEY_OUTPUT, "DIR", 0, "folder for NAME.json, NAME.log and NAME.out of each program (default: FILE with .results)", 0},
    {"json", KEY_JSON, "FILE", 0, "write the summary as JSON", 0},
    {"wait", KEY_WAIT, "SECONDS", 0, "how long rank 0 waits for another rank after its own share (default: 3600)", 0},
    {0}};

static const char doc[] =
    "Runs the programs of a list, in parallel, and sums up.\vA line of the list is NAME [OPTIONS...] -- PROGRAM [ARGS...], with options of "
    "`warpgrind run` (--budget, --timeout, --gpu, ...); # begins a comment. Paths are relative to the list. A program fails when it ends with "
    "another status than 0, launched no kernel, has findings above a note, or broke its budget.\n\nUnder mpirun or srun every rank runs its share "
    "of the list, and rank 0 sums up: mpirun -n 4 warpgrind suite FILE. All ranks must see the output folder.\n\n"
    "Exit status: 0 if all passed, 1 if some failed, 2 for an error of warpgrind's own.";

static error_t parse(int key, char *arg, struct argp_state *state) {
    arguments *a = state->input;
    switch (key) {
    case 'j': a->jobs = (unsigned)cli_number(state, "--jobs", arg, 1, 1024); break;
    case KEY_OUTPUT: a->output = arg; break;
    case KEY_JSON: a->json = arg; break;
    case KEY_WAIT: a->wait = cli_seconds(state, "--wait", arg, true); break;
    case ARGP_KEY_ARG:
        if (a->file) argp_error(state, "one list is run, '%s' is one too many", arg);
        a->file = arg;
        break;
    case ARGP_KEY_END:
        if (!a->file) argp_error(state, "which list? Say warpgrind suite FILE");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static unsigned processors(void) {
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? (unsigned)n : 1;
}

/* --- the summary ------------------------------------------------------------------------------------------- */
static int by_line(const void *a, const void *b) {
    json_int_t x = json_integer_value(json_object_get(*(json_t *const *)a, "line")), y = json_integer_value(json_object_get(*(json_t *const *)b, "line"));
    return (x > y) - (x < y);
}

/* In the order of the list, whoever ran them. */
static json_t *sorted(const json_t *results) {
    size_t n = json_array_size(results), i;
    json_t **items = calloc(n + 1, sizeof *items), *item, *out = json_array();
    json_array_foreach((json_t *)results, i, item) if (items) items[i] = item;
    if (items) qsort(items, n, sizeof *items, by_line);
    for (i = 0; items && i < n; i++) json_array_append(out, items[i]);
    free(items);
    return out;
}

static long long count(const json_t *result, const char *name) { return (long long)json_integer_value(json_object_get(result, name)); }

static void print_why(const json_t *r) {
    if (!json_object_get(r, "launches")) printf("  it left no document");
    else if (!count(r, "launches") && !count(r, "not_run")) printf("  it launched no kernel");
    if (json_is_true(json_object_get(r, "timeout"))) printf("  ended by --timeout");
    if (count(r, "errors")) printf("  errors: %lld", count(r, "errors"));
    if (count(r, "warnings")) printf("  warnings: %lld", count(r, "warnings"));
    if (count(r, "not_run")) printf("  kernels that did not run: %lld", count(r, "not_run"));
    if (count(r, "broken")) printf("  rules broken: %lld of %lld", count(r, "broken"), count(r, "rules"));
}

static size_t print_summary(const json_t *results, size_t expected, unsigned ranks) {
    size_t i, failed = 0;
    json_t *r;
    printf("%-28s %-7s %6s %9s %9s\n", "program", "", "status", "seconds", "launches");
    json_array_foreach((json_t *)results, i, r) {
        bool passed = json_is_true(json_object_get(r, "passed"));
        failed += !passed;
        printf("%-28s %-7s %6lld %9.2f %9lld", rep_word(r, "name"), passed ? "passed" : "FAILED", count(r, "status"),
               json_real_value(json_object_get(r, "seconds")), count(r, "launches"));
        if (!passed) print_why(r);
        putchar('\n');
    }
    printf("\n%zu of %zu programs passed", json_array_size(results) - failed, expected);
    if (ranks > 1) printf(", on %u ranks", ranks);
    putchar('\n');
    return failed + (expected - json_array_size(results));
}

static bool write_summary(const char *path, const json_t *results, size_t failed) {
    wg_error err = {0};
    json_t *summary = json_pack("{s:i, s:i, s:O}", "schema", 1, "failed", (int)failed, "programs", results);
    char *text = summary ? json_dumps(summary, JSON_INDENT(1)) : NULL;
    bool ok = text && wg_file_write(path, text, strlen(text), &err) == WG_OK;
    if (!ok) cli_complain("%s", text ? err.text : "no memory for the summary");
    free(text);
    json_decref(summary);
    return ok;
}

/* --- the run ------------------------------------------------------------------------------------------------- */
static int finish(const arguments *a, const suite_list *list, const suite_ranks *ranks, const char *folder, json_t *results, wg_error *err) {
    if (ranks->rank > 0) /* rank 0 has the status: mpirun ends a job when one rank ends with another than 0 */
        return suite_ranks_send(ranks, folder, results, err) == WG_OK ? CLI_OK : -1;
    if (suite_ranks_gather(ranks, folder, a->wait, results, err) != WG_OK) return -1;
    json_t *all = sorted(results);
    size_t failed = print_summary(all, list->entries.count, ranks->size);
    bool written = !a->json || write_summary(a->json, all, failed);
    json_decref(all);
    return fflush(stdout) != 0 || !written ? CLI_ERROR : failed ? CLI_BROKEN : CLI_OK;
}

static int run(const arguments *a, const suite_list *list, wg_error *err) {
    char output[PATH_MAX], folder[PATH_MAX], home[PATH_MAX], command[PATH_MAX];
    if (snprintf(output, sizeof output, a->output ? "%s" : "%s.results", a->output ? a->output : a->file) >= (int)sizeof output) output[0] = '\0';
    mkdir(output, 0777);
    ssize_t n = readlink("/proc/self/exe", command, sizeof command - 1);
    if (!realpath(output, folder) || !realpath(a->file, home) || n <= 0) {
        wg_fail(err, WG_ERR_IO, "the folder %s cannot be made: %s", output, strerror(errno));
        return -1;
    }
    command[n] = '\0';
    *strrchr(home, '/') = '\0';
    suite_ranks ranks = suite_ranks_find();
    suite_run how = {.command = command, .home = *home ? home : "/", .folder = folder, .jobs = a->jobs ? a->jobs : processors()};
    json_t *results = json_array();
    suite_ranks_begin(&ranks, folder);
    int status = suite_run_all(&how, list, &ranks, results, err) == WG_OK ? finish(a, list, &ranks, folder, results, err) : -1;
    json_decref(results);
    return status;
}

int cli_suite(int argc, char **argv) {
    static const struct argp argp = {.options = options, .parser = parse, .args_doc = "FILE", .doc = doc};
    arguments a = {.wait = 3600};
    suite_list list;
    wg_error err = {0};
    argp_err_exit_status = CLI_ERROR;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    int status = suite_list_read(a.file, &list, &err) == WG_OK ? run(&a, &list, &err) : -1;
    suite_list_free(&list);
    if (status >= 0) return status;
    cli_complain("%s", err.text);
    return CLI_ERROR;
}
