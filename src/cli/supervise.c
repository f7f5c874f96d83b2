/* Starts the program with our library preloaded, passes signals on, keeps the time limit, and waits. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "watch/watch.h"

enum { GRACE_SECONDS = 5 /* between SIGTERM, at which the library closes its record, and SIGKILL */ };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What the program tells by NVTX of its memory matters to checks alone; another tool that listens already stays. */
static bool listen_to_nvtx(const ses_options *session, const char *library) {
    uint32_t checks = 0;
    if (getenv(SES_NVTX)) return true;
    if (!watch_checks_read(session->checks ? session->checks : "all", &checks, NULL) || !checks) return true;
    char *ours = strndup(library, strcspn(library, ":"));
    bool ok = ours && setenv(SES_NVTX, ours, 1) == 0;
    free(ours);
    return ok;
}

/* --- the child ------------------------------------------------------------------------------------------ */
static bool set_environment(const cli_run_options *options, const char *library, const char *record) {
    ses_options session = options->session;
    session.record = record;
    session.only_this_process = !options->trace_children;
    char *text = ses_options_write(&session), *preload = NULL;
    const char *before = getenv("LD_PRELOAD");
    bool ok = text && asprintf(&preload, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") >= 0 &&
              setenv(SES_ENVIRONMENT, text, 1) == 0 && setenv("LD_PRELOAD", preload, 1) == 0 && listen_to_nvtx(&session, library);
    free(text);
    free(preload);
    return ok;
}

static bool redirect(int to, const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC);
    bool ok = fd >= 0 && dup2(fd, to) == to;
    if (fd >= 0) close(fd);
    return ok;
}
static bool redirect_all(const char *capture) {
    return !capture || (redirect(STDIN_FILENO, "/dev/null", O_RDONLY) && redirect(STDOUT_FILENO, capture, O_WRONLY | O_TRUNC) &&
                        redirect(STDERR_FILENO, "/dev/null", O_WRONLY));
}

/* The child; reports a failed exec through the pipe. */
static _Noreturn void become(const cli_run_options *options, const char *path, const char *library, const char *record,
                             const sigset_t *mask, int failure) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    int why = ENOMEM;
    if (!redirect_all(options->capture)) {
        why = errno;
    } else if (set_environment(options, library, record)) {
        execv(path, options->program);
        why = errno;
    }
    if (write(failure, &why, sizeof why) != sizeof why) _exit(CLI_ERROR);
    _exit(CLI_ERROR);
}

/* Kills what the program left behind when it ran out of time: our adopted children. */
static void kill_leftovers(void) {
    for (int rounds = 0; rounds < 100; rounds++) {
        char path[64], list[4096];
        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        FILE *f = fopen(path, "r");
        if (!f) return;
        size_t n = fread(list, 1, sizeof list - 1, f);
        fclose(f);
        list[n] = '\0';
        if (!n) return;
        char *at = list;
        for (long pid; (pid = strtol(at, &at, 10)) > 0;) {
            kill((pid_t)pid, SIGKILL);
            waitpid((pid_t)pid, NULL, 0);
        }
    }
}

/* --- the progress line ------------------------------------------------------------------------------------- */
typedef struct progress {
    const char *record;
    off_t seen;      /* size of the record file when it last grew */
    double since;
    bool on_screen;
} progress;

static void progress_clear(progress *p) {
    if (p->on_screen) fputs("\r\033[K", stderr);
    p->on_screen = false;
}

/* The record file ends with a "start" while a kernel runs. */
static void progress_show(progress *p) {
    char tail[4096];
    int fd = open(p->record, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size != p->seen) {
        p->seen = size;
        p->since = now();
        progress_clear(p);
    }
    double running = now() - p->since;
    off_t from = size > (off_t)sizeof tail - 1 ? size - ((off_t)sizeof tail - 1) : 0;
    ssize_t n = running >= 2 ? pread(fd, tail, sizeof tail - 1, from) : 0;
    close(fd);
    if (n <= 1) return;
    tail[n - 1] = '\0';
    char *line = strrchr(tail, '\n');
    json_t *last = json_loads(line ? line + 1 : tail, 0, NULL);
    const char *kind = json_string_value(json_object_get(last, "record"));
    const char *kernel = json_string_value(json_object_get(last, "kernel"));
    if (kind && kernel && strcmp(kind, "start") == 0) {
        fprintf(stderr, "\r\033[Kwarpgrind: %.60s has been running for %.0f s", kernel, running);
        p->on_screen = true;
    }
    json_decref(last);
}

/* --- waiting -------------------------------------------------------------------------------------------------- */
typedef struct waiting {
    pid_t child;
    double deadline;  /* INFINITY: none */
    bool timeout, killed;
    progress progress;
    bool show;
} waiting;

static void on_time(waiting *w) {
    if (now() < w->deadline) return;
    kill(w->child, w->timeout ? SIGKILL : SIGTERM);
    w->deadline = w->timeout ? INFINITY : now() + GRACE_SECONDS;
    w->timeout = true;
}

/* A signal from the terminal reached the program too; one that was sent to us alone is passed on. */
static void pass_on(const waiting *w, const siginfo_t *info) {
    bool from_terminal = info->si_code == SI_KERNEL;
    if (!from_terminal && info->si_signo != SIGCHLD) kill(w->child, info->si_signo);
}

static bool reaped(const waiting *w, int *status) { return waitpid(w->child, status, WNOHANG) == w->child; }

static int wait_for(waiting *w, const sigset_t *signals) {
    int status = 0;
    while (!reaped(w, &status)) {
        double left = w->deadline - now(), step = w->show ? 1 : 60;
        if (left < step) step = left > 0 ? left : 0;
        struct timespec t = {.tv_sec = (time_t)step, .tv_nsec = (long)((step - floor(step)) * 1e9)};
        siginfo_t info;
        if (sigtimedwait(signals, &info, &t) > 0) pass_on(w, &info);
        else if (w->show) progress_show(&w->progress);
        on_time(w);
    }
    progress_clear(&w->progress);
    return status;
}

wg_status cli_supervise(const cli_run_options *options, const char *path, const char *library, const char *record,
                        cli_outcome *out, wg_error *err) {
    static const int handled[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    int failure[2], why = 0;
    if (pipe2(failure, O_CLOEXEC) != 0) return wg_fail(err, WG_ERR_IO, "no pipe: %s", strerror(errno));
    sigset_t signals, mask;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) sigaddset(&signals, handled[i]);
    sigprocmask(SIG_BLOCK, &signals, &mask);
    if (options->timeout > 0) prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return wg_fail(err, WG_ERR_IO, "%s cannot be started: %s", path, strerror(errno));
    if (child == 0) become(options, path, library, record, &mask, failure[1]);
    close(failure[1]);
    bool failed = read(failure[0], &why, sizeof why) == sizeof why;
    close(failure[0]);
    waiting w = {.child = child,
                 .deadline = options->timeout > 0 ? now() + options->timeout : INFINITY,
                 .progress = {.record = record, .since = now()},
                 .show = options->session.progress};
    int status = wait_for(&w, &signals);
    if (options->timeout > 0 && w.timeout) kill_leftovers();
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (failed) return wg_fail(err, WG_ERR_IO, "%s cannot be executed: %s", path, strerror(why));
    *out = (cli_outcome){.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                         .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                         .timeout = w.timeout};
    return WG_OK;
}
