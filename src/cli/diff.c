/* warpgrind diff A.json B.json */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/diff.h"

enum { KEY_FORMAT = 256, KEY_FAIL };
typedef enum format { TEXT, JSON, MARKDOWN } format;

typedef struct arguments {
    const char *files[2];
    unsigned n;
    format format;
    bool fail_on_increase;
} arguments;

static const struct argp_option options[] = {
    {"format", KEY_FORMAT, "text|json|markdown", 0, "form of the output (default: text)", 0},
    {"fail-on-increase", KEY_FAIL, 0, 0, "exit with 1 if something costs more, or there are new findings, or a kernel did not run", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
    arguments *a = state->input;
    switch (key) {
    case KEY_FORMAT:
        if (strcmp(arg, "text") == 0) a->format = TEXT;
        else if (strcmp(arg, "json") == 0) a->format = JSON;
        else if (strcmp(arg, "markdown") == 0) a->format = MARKDOWN;
        else argp_error(state, "--format takes text, json or markdown, not '%s'", arg);
        break;
    case KEY_FAIL: a->fail_on_increase = true; break;
    case ARGP_KEY_ARG:
        if (a->n == 2) argp_error(state, "two documents are compared, '%s' is one too many", arg);
        a->files[a->n++] = arg;
        break;
    case ARGP_KEY_END:
        if (a->n < 2) argp_error(state, "which documents? Say warpgrind diff BEFORE.json AFTER.json");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static bool print(const json_t *diff, format format) {
    wg_text text = {0};
    char *json = format == JSON ? json_dumps(diff, JSON_INDENT(1)) : NULL;
    bool ok = format == JSON ? json != NULL : format == TEXT ? rep_diff_text(diff, &text) : rep_diff_markdown(diff, &text);
    if (ok) ok = fputs(json ? json : text.at, stdout) >= 0 && (!json || putchar('\n') != EOF) && fflush(stdout) == 0;
    free(json);
    wg_text_free(&text);
    return ok;
}

int cli_diff(int argc, char **argv) {
    static const struct argp argp = {.options = options, .parser = parse, .args_doc = "BEFORE.json AFTER.json",
                                     .doc = "Compares two runs: per kernel and source line what rose, fell, is new, is gone."};
    arguments a = {0};
    wg_error err = {0};
    argp_err_exit_status = CLI_ERROR;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    json_t *before = cli_document(a.files[0], &err), *after = before ? cli_document(a.files[1], &err) : NULL;
    json_t *diff = after ? rep_diff(before, after) : NULL;
    int status = CLI_ERROR;
    if (!after) cli_complain("%s", err.text);
    else if (!diff || !print(diff, a.format)) cli_complain("the difference cannot be written");
    else status = a.fail_on_increase && rep_diff_is_worse(diff) ? CLI_BROKEN : CLI_OK;
    json_decref(before);
    json_decref(after);
    json_decref(diff);
    return status;
}
