/* What a run leaves: report, JSON, CSV, exit status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "report/formats.h"
#include "report/html.h"
#include "report/report.h"
#include "report/suppress.h"
#include "report/trace.h"

/* The name with %p replaced by the process id; malloc'd. */
static char *name_of(const char *name, long process) {
    wg_text text = {0};
    for (; *name; name++) {
        if (name[0] == '%' && name[1] == 'p') {
            wg_text_printf(&text, "%ld", process);
            name++;
        } else {
            wg_text_add_n(&text, name, 1);
        }
    }
    return text.at;
}

static bool put(const char *name, long process, FILE *standard, const wg_text *text) {
    if (!name || strcmp(name, "-") == 0) return fwrite(text->at ? text->at : "", 1, text->count, standard) == text->count && fflush(standard) == 0;
    wg_error err = {0};
    char *path = name_of(name, process);
    bool device = path && (strncmp(path, "/dev/", 5) == 0); /* not to be replaced by a file */
    bool ok = false;
    if (device) {
        FILE *f = fopen(path, "w");
        ok = f && fwrite(text->at ? text->at : "", 1, text->count, f) == text->count;
        ok = f && fclose(f) == 0 && ok;
        if (!ok) cli_complain("%s cannot be written", path);
    } else if (path) {
        ok = wg_file_write(path, text->at ? text->at : "", text->count, &err) == WG_OK;
        if (!ok) cli_complain("%s", err.text);
    }
    free(path);
    return ok;
}

typedef struct form {
    const char *file;                                                    /* NULL: not asked for */
    bool (*make)(const json_t *document, wg_text *out);
    bool (*make_for)(const json_t *document, const char *root, wg_text *out); /* paths relative to root */
} form;

/* What --source-root says, absolute as the paths of line tables are; malloc'd. */
static char *source_root(const cli_run_options *o) { return realpath(o->source_root ? o->source_root : ".", NULL); }

static bool write_form(const form *f, const json_t *document, const char *root, long process) {
    wg_text text = {0};
    bool ok = (f->make ? f->make(document, &text) : f->make_for(document, root, &text)) && put(f->file, process, stdout, &text);
    wg_text_free(&text);
    return ok;
}

static bool annotate(const json_t *document, const char *root) {
    wg_text text = {0};
    bool ok = rep_github(document, root, &text) && put(NULL, 0, stderr, &text);
    wg_text_free(&text);
    return ok;
}

static bool deliver(const cli_run_options *o, json_t *document, long process) {
    const form forms[] = {{o->json, rep_json, NULL}, {o->csv, rep_csv, NULL}, {o->gen_suppressions, rep_gen_suppressions, NULL},
                          {o->write_budget, rep_budget_write, NULL}, {o->sarif, NULL, rep_sarif}, {o->junit, NULL, rep_junit}, {o->html, rep_html, NULL}};
    wg_text text = {0};
    bool to_terminal = !o->log && isatty(STDERR_FILENO);
    rep_style style = {.quiet = o->quiet, .lines = o->lines,
                       .colour = o->colour == CLI_COLOUR_ALWAYS || (o->colour == CLI_COLOUR_AUTO && to_terminal)};
    char *root = source_root(o);
    bool ok = rep_text(document, &style, &text) && rep_trace(document, o->by_instruction, &text) && put(o->log, process, o->log ? stdout : stderr, &text);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].file) ok &= write_form(&forms[i], document, root, process);
    if (o->github) ok &= annotate(document, root);
    wg_text_free(&text);
    free(root);
    return ok;
}

static bool has_place(const char *name) { return name && strstr(name, "%p"); }

/* The processes that used CUDA, in order. */
static json_t *processes_of(json_t *records) {
    json_t *list = json_array(), *record, *known;
    size_t i, k;
    json_array_foreach(records, i, record) {
        json_t *process = json_object_get(record, "process");
        bool met = false;
        json_array_foreach(list, k, known) met |= json_equal(known, process);
        if (!met) json_array_append(list, process);
    }
    return list;
}

static int status_of(const cli_run_options *o, const json_t *document, const cli_outcome *outcome) {
    rep_verdict v = rep_verdict_of(document);
    if (o->error_exitcode && v.errors + v.warnings) return o->error_exitcode;
    if (outcome->signal) return 128 + outcome->signal;
    if (outcome->exit_status == 0 && v.not_run) return CLI_NOT_RUN;
    if (outcome->exit_status == 0 && rep_budget_broken(document)) return CLI_BROKEN;
    return outcome->exit_status;
}

/* Names the frames of the host stacks, and leaves out what the suppressions name. */
static bool prepare(const cli_run_options *o, json_t *document) {
    wg_error err = {0};
    cli_resolve_frames(document);
    for (size_t i = 0; o->suppressions && o->suppressions[i]; i++)
        if (rep_suppress(document, o->suppressions[i], &err) != WG_OK) {
            cli_complain("%s", err.text);
            return false;
        }
    return true;
}

/* A budget is for the whole run, however many processes it had. */
static bool check_budget(const cli_run_options *o, json_t *document) {
    if (!o->budget.rules.count || rep_budget_apply(&o->budget, document) >= 0) return true;
    cli_complain("no memory for the budget");
    return false;
}

static bool show_budget(const json_t *document) {
    wg_text text = {0};
    rep_write_budget(document, &(rep_style){0}, &text);
    bool ok = put(NULL, 0, stderr, &text) && !text.failed;
    wg_text_free(&text);
    return ok;
}

int cli_deliver(const cli_run_options *o, json_t *records, const char *path, const cli_outcome *outcome) {
    ses_program program = {.path = path, .argv = o->program, .exit_status = outcome->exit_status, .signal = outcome->signal,
                           .timeout = outcome->timeout};
    json_t *document = ses_assemble(records, &program, 0);
    if (!document) {
        cli_complain("no memory for the report");
        return CLI_ERROR;
    }
    bool ok = prepare(o, document) && check_budget(o, document);
    int status = status_of(o, document, outcome);
    if (o->session.trace && json_array_size(records) && !rep_has_trace(document))
        cli_complain("--trace %s: nothing was traced; was the kernel launched (that often), and with such a block and warp?", o->session.trace);
    json_t *processes = processes_of(records), *process;
    if (!json_array_size(records)) {
        if (!o->quiet) cli_complain("%s made no CUDA call", path);
        if (o->json || o->sarif || o->junit || o->budget.rules.count) {
            cli_run_options quiet = *o;
            quiet.quiet = true;
            ok &= deliver(&quiet, document, getpid());
        }
    } else if (has_place(o->log) || has_place(o->json) || has_place(o->csv)) {
        size_t i;
        json_array_foreach(processes, i, process) {
            json_t *part = ses_assemble(records, &program, (long)json_integer_value(process));
            ok &= part && prepare(o, part) && deliver(o, part, (long)json_integer_value(process));
            json_decref(part);
        }
        ok &= show_budget(document);
    } else {
        ok &= deliver(o, document, getpid());
    }
    json_decref(processes);
    json_decref(document);
    return ok ? status : CLI_ERROR;
}
