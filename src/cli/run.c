/* warpgrind [run] [OPTIONS] [--] PROGRAM [ARGS...] */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* A file for the records that only we and the program see; malloc'd path, NULL: none. */
static char *make_record_file(wg_error *err) {
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/warpgrind-XXXXXX", folder && *folder == '/' ? folder : "/tmp") < 0) return NULL;
    int fd = mkstemp(path);
    if (fd < 0) {
        wg_fail(err, WG_ERR_IO, "%s cannot be made (set TMPDIR to a folder that can be written): %s", path, strerror(errno));
        free(path);
        return NULL;
    }
    close(fd);
    return path;
}

/* As if the program's first process had recorded it. */
static void add_to(json_t *records, json_t *more) {
    json_object_set(more, "process", json_object_get(json_array_get(records, 0), "process"));
    json_array_append_new(records, more);
}

static int run(const cli_run_options *options, const char *path, const char *library, const char *record, wg_error *err) {
    cli_outcome outcome;
    if (cli_supervise(options, path, library, record, &outcome, err) != WG_OK) return -1;
    json_t *records = ses_read_records(record, err), *differs = NULL;
    if (!records) return -1;
    if (options->schedules > 1 && json_array_size(records)) {
        differs = cli_schedules(options, path, library, record, err);
        if (differs) add_to(records, differs);
        else if (err->text[0]) return json_decref(records), -1;
    }
    int status = cli_deliver(options, records, options->program[0], &outcome);
    json_decref(records);
    return status;
}

int cli_run(int argc, char **argv) {
    cli_run_options options;
    wg_error err = {0};
    int status = -1;
    char *path = NULL, *library = NULL, *record = NULL;
    cli_run_parse(argc, argv, &options);
    options.session.progress = !options.quiet && isatty(STDERR_FILENO);
    if (cli_target(options.program[0], &path, &err) == WG_OK && (library = cli_library(&err)) && (record = make_record_file(&err)))
        status = run(&options, path, library, record, &err);
    if (record) unlink(record);
    free(path);
    free(library);
    free(record);
    if (status >= 0) return status;
    cli_complain("%s", err.text);
    return CLI_ERROR;
}
