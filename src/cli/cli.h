/* The command: one file a subcommand. Only this folder decides exit statuses. */
#ifndef WG_CLI_CLI_H
#define WG_CLI_CLI_H

#include <stdbool.h>

#include "base/error.h"
#include "report/budget.h"
#include "session/session.h"

enum { CLI_OK = 0, CLI_BROKEN = 1 /* a budget */, CLI_ERROR = 2 /* an error of warpgrind's own */, CLI_NOT_RUN = 3 };

typedef struct cli_run_options {
    ses_options session;
    const char *json, *csv, *log; /* file names, "-" = standard output, %p = process id; NULL: none / standard error */
    const char **suppressions, *gen_suppressions; /* files, NULL-terminated; NULL: none */
    rep_budget budget;
    const char *write_budget, *sarif, *junit, *html; /* files, as json */
    bool github;
    const char *source_root; /* what paths for other tools are relative to; NULL: the working directory */
    bool quiet, trace_children;
    bool by_instruction; /* rows of the trace */
    enum { CLI_COLOUR_AUTO, CLI_COLOUR_ALWAYS, CLI_COLOUR_NEVER } colour;
    double timeout;      /* seconds; 0 = none */
    unsigned schedules;  /* so many are compared; 0, 1: none */
    const char *capture; /* file for the program's standard output, which then reads and complains to nowhere; NULL: they are ours */
    int error_exitcode;  /* 0 = none */
    unsigned lines;      /* source lines shown of a kernel; 0 = the report's default */
    char **program;      /* NULL-terminated */
} cli_run_options;

/* Subcommands; argv[0] is what argp calls the program in its messages. They return the exit status. */
int cli_run(int argc, char **argv);
int cli_sass(int argc, char **argv);
int cli_launch(int argc, char **argv);
int cli_gpus(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_annotate(int argc, char **argv);
int cli_suite(int argc, char **argv);

/* numbers.c: a number that an option takes, `what` being its name; ends the command on a wrong one. */
struct argp_state;
unsigned long long cli_number(struct argp_state *state, const char *what, const char *text, unsigned long long least, unsigned long long most);
double cli_seconds(struct argp_state *state, const char *what, const char *text, bool may_be_none);

/* run_options.c: parses up to PROGRAM; exits with CLI_ERROR on a wrong option. */
void cli_run_parse(int argc, char **argv, cli_run_options *out);

/* target.c: finds the program (PATH included) and looks whether it can be run at all: UNSUPPORTED says what
 * it is and what to do. *path is malloc'd. */
wg_status cli_target(const char *program, char **path, wg_error *err);

/* libraries.c: the preloaded libraries, beside this executable or where it was installed, as LD_PRELOAD takes them; malloc'd,
 * NULL: none. */
char *cli_library(wg_error *err);

/* supervise.c: runs the program and waits for it. */
typedef struct cli_outcome {
    int exit_status; /* -1: it was killed */
    int signal;      /* 0: none */
    bool timeout;
} cli_outcome;
wg_status cli_supervise(const cli_run_options *options, const char *path, const char *library, const char *record,
                        cli_outcome *out, wg_error *err);

/* schedules.c: runs the program again under other schedules and compares what it gives: a record of the first that differs, or
 * of why none can be compared; NULL: all gave the same, or *err says what failed. */
json_t *cli_schedules(const cli_run_options *options, const char *path, const char *library, const char *record, wg_error *err);

/* frames.c: adds function, file and line to the host stacks of a document, from the objects' debug information. */
void cli_resolve_frames(json_t *document);

/* deliver.c: writes what was asked for; the exit status of the whole run. */
int cli_deliver(const cli_run_options *options, json_t *records, const char *path, const cli_outcome *outcome);

/* documents.c: a run document from a file; - is standard input. The caller owns it; NULL with *err. */
json_t *cli_document(const char *path, wg_error *err);

void cli_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* "warpgrind: ..." on standard error */

#endif
