#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/suite.h"
#include "report/report.h"

typedef struct running {
    pid_t pid; /* 0: the place is free */
    const suite_entry *entry;
    double since;
} running;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static char *path_of(const suite_run *run, const suite_entry *entry, const char *ending) {
    char *path = NULL;
    return asprintf(&path, "%s/%s.%s", run->folder, entry->name, ending) < 0 ? NULL : path;
}

/* warpgrind run --json ... --log-file ... [the entry's options] -- PROGRAM; the entry's options come last and win. */
static char **arguments_of(const suite_run *run, const suite_entry *entry, char *json, char *log) {
    size_t n = 0, options = 0, words = 0;
    while (entry->options[options]) options++;
    while (entry->program[words]) words++;
    char **argv = calloc(options + words + 16, sizeof *argv);
    if (!argv) return NULL;
    char *fixed[] = {(char *)run->command, "run", "--quiet", "--json", json, "--log-file", log, "--error-exitcode", "1"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[n++] = fixed[i];
    if (run->jobs > 1) argv[n++] = "--jobs=1"; /* programs side by side are the better use of processors */
    for (size_t i = 0; i < options; i++) argv[n++] = entry->options[i];
    argv[n++] = "--";
    for (size_t i = 0; i < words; i++) argv[n++] = entry->program[i];
    return argv;
}

static _Noreturn void become(const suite_run *run, char **argv, const char *out) {
    int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int none = open("/dev/null", O_RDONLY);
    if (fd < 0 || none < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0 || dup2(none, STDIN_FILENO) < 0 ||
        chdir(run->home) != 0)
        _exit(CLI_ERROR);
    execv(run->command, argv);
    _exit(CLI_ERROR);
}

static wg_status start(const suite_run *run, const suite_entry *entry, running *place, wg_error *err) {
    char *json = path_of(run, entry, "json"), *log = path_of(run, entry, "log"), *out = path_of(run, entry, "out");
    char **argv = json && log && out ? arguments_of(run, entry, json, log) : NULL;
    pid_t pid = -1;
    if (argv) {
        unlink(json); /* of an earlier run */
        fflush(NULL);
        pid = fork();
        if (pid == 0) become(run, argv, out);
    }
    free(argv);
    free(json);
    free(log);
    free(out);
    if (pid < 0) return wg_fail(err, WG_ERR_IO, "%s cannot be started: %s", entry->name, strerror(errno));
    *place = (running){.pid = pid, .entry = entry, .since = now()};
    return WG_OK;
}

/* What the entry's own document says; an entry that left none did not come that far. */
static void add_counts(json_t *result, const json_t *document) {
    rep_verdict v = rep_verdict_of(document);
    json_object_set_new(result, "launches", json_integer((json_int_t)v.launches));
    json_object_set_new(result, "errors", json_integer((json_int_t)v.errors));
    json_object_set_new(result, "warnings", json_integer((json_int_t)v.warnings));
    json_object_set_new(result, "not_run", json_integer((json_int_t)v.not_run));
    json_object_set_new(result, "rules", json_integer((json_int_t)json_array_size(json_object_get(document, "budget"))));
    json_object_set_new(result, "broken", json_integer((json_int_t)rep_budget_broken(document)));
    json_object_set_new(result, "timeout", json_boolean(json_is_true(json_object_get(json_object_get(document, "status"), "timeout"))));
}

static json_t *result_of(const suite_run *run, const running *place, int status, const suite_ranks *ranks) {
    char *path = path_of(run, place->entry, "json");
    wg_error err = {0};
    json_t *document = path ? cli_document(path, &err) : NULL;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    json_t *result = json_pack("{s:s, s:i, s:i, s:f, s:i}", "name", place->entry->name, "line", (int)place->entry->line, "status", code, "seconds",
                               now() - place->since, "rank", (int)ranks->rank);
    if (document) add_counts(result, document);
    bool ran = document && json_array_size(json_object_get(document, "launches")) > 0;
    json_object_set_new(result, "passed", json_boolean(code == 0 && ran));
    json_decref(document);
    free(path);
    return result;
}

wg_status suite_run_all(const suite_run *run, const suite_list *list, const suite_ranks *ranks, json_t *results, wg_error *err) {
    running *places = calloc(run->jobs, sizeof *places);
    size_t next = ranks->rank, busy = 0;
    wg_status status = places ? WG_OK : wg_fail(err, WG_ERR_MEMORY, "no memory for the runs");
    while (status == WG_OK && (busy || next < list->entries.count)) {
        for (unsigned i = 0; i < run->jobs && next < list->entries.count && status == WG_OK; i++) {
            if (places[i].pid) continue;
            status = start(run, &list->entries.at[next], &places[i], err);
            if (status != WG_OK) break;
            busy++;
            next += ranks->size;
        }
        int code;
        pid_t pid = busy ? waitpid(-1, &code, 0) : -1;
        for (unsigned i = 0; i < run->jobs && pid > 0; i++) {
            if (places[i].pid != pid) continue;
            json_array_append_new(results, result_of(run, &places[i], code, ranks));
            places[i].pid = 0;
            busy--;
        }
    }
    free(places);
    return status;
}
