/* warpgrind annotate FILE.json */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/annotate.h"

enum { KEY_KERNEL = 256, KEY_ROOT, KEY_CONTEXT };

typedef struct arguments {
    rep_annotation how;
    const char *file;
} arguments;

static const struct argp_option options[] = {
    {"kernel", KEY_KERNEL, "PATTERN", 0, "of the kernels that PATTERN names alone", 0},
    {"source-root", KEY_ROOT, "DIR", 0, "where to look for sources that are not where they were compiled", 0},
    {"context", KEY_CONTEXT, "N|all", 0, "lines shown around each line with counts (default: 8)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
    arguments *a = state->input;
    switch (key) {
    case KEY_KERNEL: a->how.kernels = arg; break;
    case KEY_ROOT: a->how.source_root = arg; break;
    case KEY_CONTEXT:
        a->how.context = strcmp(arg, "all") ? (unsigned)cli_number(state, "--context, unless it is all,", arg, 0, 1000000) : UINT_MAX;
        break;
    case ARGP_KEY_ARG:
        if (a->file) argp_error(state, "one document is annotated, '%s' is one too many", arg);
        a->file = arg;
        break;
    case ARGP_KEY_END:
        if (!a->file) argp_error(state, "which document? Say warpgrind annotate RUN.json");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

int cli_annotate(int argc, char **argv) {
    static const struct argp argp = {.options = options, .parser = parse, .args_doc = "RUN.json",
                                     .doc = "Prints the source with the counts of a run in the margin."};
    arguments a = {.how.context = 8};
    wg_error err = {0};
    wg_text text = {0};
    argp_err_exit_status = CLI_ERROR;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    json_t *document = cli_document(a.file, &err);
    int status = CLI_ERROR;
    if (!document) cli_complain("%s", err.text);
    else if (!rep_annotate(document, &a.how, &text) || fputs(text.at ? text.at : "", stdout) < 0 || fflush(stdout) != 0)
        cli_complain("the source cannot be written");
    else status = CLI_OK;
    wg_text_free(&text);
    json_decref(document);
    return status;
}
