/* The options of `warpgrind run`. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "watch/finding.h"
#include "watch/trace.h"

enum {
    KEY_GPU = 256, KEY_GPUS, KEY_CHECK, KEY_KERNEL, KEY_SKIP, KEY_COUNT, KEY_JSON, KEY_CSV, KEY_LOG, KEY_TIMEOUT, KEY_CHILDREN, KEY_ERROR,
    KEY_SEED, KEY_CHUNK, KEY_GROUP, KEY_COLOUR, KEY_LINES, KEY_MAX_INSTRUCTIONS, KEY_NO_CHECK,
    KEY_SUPPRESSIONS, KEY_GEN, KEY_STOP, KEY_BUDGET, KEY_WRITE_BUDGET, KEY_SARIF, KEY_JUNIT, KEY_GITHUB, KEY_ROOT, KEY_TRACE, KEY_BY, KEY_HTML, KEY_SCHEDULES, KEY_KILL
};

static const struct argp_option options[] = {
    {"gpu", KEY_GPU, "GPU", 0, "simulated device (`warpgrind gpus` lists them); the default fits the program's code", 1},
    {"gpus", KEY_GPUS, "N", 0, "how many such devices the program sees, each with memory of its own (default: 1)", 1},
    {"jobs", 'j', "N", 0, "workers; the results and counts are the same for every N; default: one a processor", 1},
    {"check", KEY_CHECK, "KINDS", 0, "what to look for: all (default), none, or kinds of docs/checks.md, comma-separated; faults that end a kernel are always found", 1},
    {"no-check", KEY_NO_CHECK, "KINDS", 0, "do not look for these kinds", 1},
    {"stop-on-error", KEY_STOP, 0, 0, "end the program after the first launch with an error", 1},
    {"seed", KEY_SEED, "N", 0, "another schedule of blocks and warps, the same one for the same N", 1},
    {"schedules", KEY_SCHEDULES, "K", 0, "run the program under K schedules, that of --seed and those after it, and compare what it copies to the host, prints, and ends with", 1},
    {"max-instructions", KEY_MAX_INSTRUCTIONS, "N", 0, "end a kernel after N warp instructions", 1},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "end the program after this time; the report is still written", 1},
    {"trace-children", KEY_CHILDREN, "yes|no", 0, "follow child processes (default: yes)", 1},
    {"kernel", KEY_KERNEL, "PATTERN", 0, "report only kernels whose name contains PATTERN, or matches it when it holds * or ?", 2},
    {"launch-skip", KEY_SKIP, "N", 0, "report none of the first N launches of those kernels", 2},
    {"launch-count", KEY_COUNT, "N", 0, "report only N launches of those kernels", 2},
    {"kill", KEY_KILL, "yes|no", 0, "end the program after the last of these N launches (default: no)", 2},
    {"trace", KEY_TRACE, "WHAT", 0, "show one warp step by step (docs/trace.md): 'KERNEL[block 0, warp 0]', and in the brackets also lanes 0-7, registers R5 R7, launch 0, steps 2000", 2},
    {"by", KEY_BY, "line|instruction", 0, "a row of the trace is a source line (default, where lines are known) or an instruction", 2},
    {"chunk", KEY_CHUNK, "BYTES", 0, "count transactions under a model of your own too: chunks of BYTES bytes ...", 2},
    {"group", KEY_GROUP, "THREADS", 0, "... touched by groups of THREADS neighbouring threads (default: 32 and 32)", 2},
    {"json", KEY_JSON, "FILE", 0, "write the whole run as JSON (docs/json.md); - is standard output, %p the process id", 3},
    {"html", KEY_HTML, "FILE", 0, "write a page for a browser: costs, source, pictures of accesses, and the trace if there is one", 3},
    {"csv", KEY_CSV, "FILE", 0, "write one row a launch", 3},
    {"log-file", KEY_LOG, "FILE", 0, "write the report to FILE instead of standard error", 3},
    {"lines", KEY_LINES, "N", 0, "source lines shown of each kernel (default: 12)", 3},
    {"colour", KEY_COLOUR, "auto|always|never", 0, "colours in the report (default: on a terminal)", 3},
    {"color", KEY_COLOUR, 0, OPTION_ALIAS, 0, 3},
    {"quiet", 'q', 0, 0, "report only findings and kernels that did not run", 3},
    {"error-exitcode", KEY_ERROR, "N", 0, "exit with N if there are findings above a note", 3},
    {"budget", KEY_BUDGET, "FILE", 0, "check the run against the rules in FILE (docs/ci.md) and exit with 1 if one is broken; may be given more than once", 3},
    {"write-budget", KEY_WRITE_BUDGET, "FILE", 0, "write rules that this run just keeps", 3},
    {"sarif", KEY_SARIF, "FILE", 0, "write findings, broken rules and kernels that did not run as SARIF 2.1.0", 3},
    {"junit", KEY_JUNIT, "FILE", 0, "write them as JUnit's XML: a test case a kernel and a rule", 3},
    {"github", KEY_GITHUB, 0, 0, "write them as GitHub's workflow annotations to standard error", 3},
    {"source-root", KEY_ROOT, "DIR", 0, "what paths in these three are relative to (default: the working directory)", 3},
    {"suppressions", KEY_SUPPRESSIONS, "FILE", 0, "leave out the findings that FILE names (docs/checks.md); may be given more than once", 3},
    {"gen-suppressions", KEY_GEN, "FILE", 0, "write an entry for each finding to FILE; - is standard output", 3},
    {0}};

static const char doc[] =
    "Runs a CUDA program that nvcc built, on a machine with no GPU, and reports what its kernels cost."
    "\vOther subcommands: `warpgrind sass` disassembles, `warpgrind launch` computes a launch configuration, `warpgrind gpus` "
    "lists the simulated devices, `warpgrind diff` compares two runs, `warpgrind annotate` prints source with counts, `warpgrind suite` runs a "
    "list of programs; each has its own --help. A program of such a name needs `warpgrind run NAME`.\n\n"
    "Exit status: the program's own (128 + N if signal N killed it); 2 for an error of warpgrind's own; 3 if the program "
    "ended with 0 but a kernel did not run; 1 if it ended with 0 but a rule of --budget is broken; what --error-exitcode says if there are findings.";

/* Appends kinds to those asked for before, each with a minus when they are taken away. */
static void add_checks(struct argp_state *state, cli_run_options *o, const char *text, bool away) {
    wg_text list = {0};
    uint32_t set;
    const char *bad = NULL;
    if (!watch_checks_read(text, &set, &bad))
        argp_error(state, "--%scheck: '%s' is no kind of finding (all, none, or kinds as docs/checks.md lists them)", away ? "no-" : "", bad);
    wg_text_add(&list, away ? o->session.checks : "none");
    while (*text) {
        size_t n = strcspn(text, ",");
        wg_text_add(&list, away ? ",-" : ",");
        wg_text_add_n(&list, text, n);
        text += n + (text[n] == ',');
    }
    if (list.failed || !list.at) argp_failure(state, CLI_ERROR, ENOMEM, "the options");
    o->session.checks = list.at; /* lives as long as the command */
}

static void add_suppressions(struct argp_state *state, cli_run_options *o, const char *file) {
    size_t n = 0;
    while (o->suppressions && o->suppressions[n]) n++;
    const char **list = realloc(o->suppressions, (n + 2) * sizeof *list);
    if (!list) argp_failure(state, CLI_ERROR, ENOMEM, "the options");
    list[n] = file;
    list[n + 1] = NULL;
    o->suppressions = list;
}

static void add_budget(struct argp_state *state, cli_run_options *o, const char *file) {
    wg_error err = {0};
    if (rep_budget_read(file, &o->budget, &err) != WG_OK) argp_failure(state, CLI_ERROR, 0, "%s", err.text);
}

static void check_trace(struct argp_state *state, cli_run_options *o, const char *text) {
    watch_trace_spec spec;
    wg_error err = {0};
    if (watch_trace_read(text, &spec, &err) != WG_OK) argp_error(state, "%s", err.text);
    o->session.trace = text;
}

static bool yes(struct argp_state *state, const char *arg, const char *option) {
    if (strcmp(arg, "yes") && strcmp(arg, "no")) argp_error(state, "--%s takes yes or no, not '%s'", option, arg);
    return arg[0] == 'y';
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    enum { MANY = 1 << 30 };
    cli_run_options *o = state->input;
    switch (key) {
    case KEY_GPU:
        if (!eng_gpu_find(arg)) argp_error(state, "there is no device '%s'; `warpgrind gpus` lists them", arg);
        o->session.gpu = arg;
        break;
    case KEY_GPUS: o->session.gpus = (unsigned)cli_number(state, "--gpus", arg, 1, SES_MOST_GPUS); break;
    case 'j': o->session.jobs = (unsigned)cli_number(state, "--jobs", arg, 1, 1024); break;
    case KEY_CHECK: add_checks(state, o, arg, false); break;
    case KEY_NO_CHECK: add_checks(state, o, arg, true); break;
    case KEY_STOP: o->session.stop_on_error = true; break;
    case KEY_SUPPRESSIONS: add_suppressions(state, o, arg); break;
    case KEY_BUDGET: add_budget(state, o, arg); break;
    case KEY_WRITE_BUDGET: o->write_budget = arg; break;
    case KEY_SARIF: o->sarif = arg; break;
    case KEY_JUNIT: o->junit = arg; break;
    case KEY_GITHUB: o->github = true; break;
    case KEY_ROOT: o->source_root = arg; break;
    case KEY_GEN: o->gen_suppressions = arg; break;
    case KEY_SEED: o->session.seed = cli_number(state, "--seed", arg, 0, INT64_MAX); break;
    case KEY_SCHEDULES: o->schedules = (unsigned)cli_number(state, "--schedules", arg, 1, 1000000); break;
    case KEY_MAX_INSTRUCTIONS: o->session.max_instructions = cli_number(state, "--max-instructions", arg, 1, INT64_MAX); break;
    case KEY_TIMEOUT: o->timeout = cli_seconds(state, "--timeout", arg, false); break;
    case KEY_CHILDREN: o->trace_children = yes(state, arg, "trace-children"); break;
    case KEY_KILL: o->session.kill = yes(state, arg, "kill"); break;
    case KEY_KERNEL: o->session.kernels = arg; break;
    case KEY_SKIP: o->session.launch_skip = cli_number(state, "--launch-skip", arg, 0, INT64_MAX); break;
    case KEY_COUNT: o->session.launch_count = cli_number(state, "--launch-count", arg, 1, INT64_MAX); break;
    case KEY_CHUNK: o->session.chunk_bytes = (unsigned)cli_number(state, "--chunk", arg, 1, MANY); break;
    case KEY_GROUP: o->session.group_threads = (unsigned)cli_number(state, "--group", arg, 1, 32); break;
    case KEY_TRACE: check_trace(state, o, arg); break;
    case KEY_BY:
        if (strcmp(arg, "line") && strcmp(arg, "instruction")) argp_error(state, "--by takes line or instruction, not '%s'", arg);
        o->by_instruction = arg[0] == 'i';
        break;
    case KEY_JSON: o->json = arg; break;
    case KEY_HTML:
        o->html = arg;
        o->session.want_samples = true;
        break;
    case KEY_CSV: o->csv = arg; break;
    case KEY_LOG: o->log = arg; break;
    case KEY_LINES: o->lines = (unsigned)cli_number(state, "--lines", arg, 1, MANY); break;
    case KEY_COLOUR:
        if (strcmp(arg, "auto") == 0) o->colour = CLI_COLOUR_AUTO;
        else if (strcmp(arg, "always") == 0) o->colour = CLI_COLOUR_ALWAYS;
        else if (strcmp(arg, "never") == 0) o->colour = CLI_COLOUR_NEVER;
        else argp_error(state, "--colour takes auto, always or never, not '%s'", arg);
        break;
    case 'q': o->quiet = true; break;
    case KEY_ERROR: o->error_exitcode = (int)cli_number(state, "--error-exitcode", arg, 1, 255); break;
    case ARGP_KEY_ARG: /* PROGRAM ends the options */
        o->program = &state->argv[state->next - 1];
        state->next = state->argc;
        break;
    case ARGP_KEY_END:
        if (!o->program) argp_error(state, "which program? Say warpgrind PROGRAM [ARGS...]");
        if (o->session.group_threads && !o->session.chunk_bytes) o->session.chunk_bytes = 32;
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void cli_run_parse(int argc, char **argv, cli_run_options *out) {
    static const struct argp argp = {.options = options, .parser = parse, .args_doc = "[--] PROGRAM [ARGS...]", .doc = doc};
    *out = (cli_run_options){.trace_children = true, .session.checks = "all"};
    argp_err_exit_status = CLI_ERROR;
    argp_program_version = "warpgrind " WG_VERSION;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, out);
    out->session.want_instructions = out->json != NULL || rep_budget_has_places(&out->budget);
}
