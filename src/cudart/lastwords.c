#include "cudart/lastwords.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cudart/context.h"
#include "cudart/shared.h"

/* A child of vfork shares this memory: the words of its parent are not its to speak. */
static bool ours(void) {
    return rt.session && !rt.closed && rt.owner == getpid();
}

static void speak(const char *how, bool in_signal) {
    if (!ours()) return;
    rt.closed = true;
    ses_close(rt.session, how, in_signal);
}

/* What can be said only when nothing more will come. A program that ends with an error reacted to it. */
static void end_findings(int status) {
    /* After a sticky error nothing can be freed; who did not even try to, and was content, had not meant to. Who gave up because
     * a call failed leaves it to the system. The memory is the parent's. */
    bool gave_up = status && rt.failed;
    if (!rt.forked && !gave_up && (!rt_any_sticky() || (!status && !rt_here()->used_since))) ses_leaks_write(rt.session);
    if (!status) rt_unseen_write();
}

/* --- exit, _exit, quick_exit --------------------------------------------------------------------------- */

static void at_exit(int status, void *unused) {
    (void)unused;
    if (!ours()) return;
    /* The program's handler of a signal may exit while its own thread is in a call. */
    bool within = pthread_mutex_lock(&rt.lock) != 0;
    char how[32];
    snprintf(how, sizeof how, "exit %d", status & 0xff);
    if (!within) rt_print_flush(), end_findings(status);
    speak(how, within);
    if (!within) pthread_mutex_unlock(&rt.lock);
}

static int quick_status;
static void at_quick(void) {
    at_exit(quick_status, NULL);
}

void rt_lastwords_start(void) {
    on_exit(at_exit, NULL);
    at_quick_exit(at_quick);
}

/* The C library's function of this name. It is looked up late: these calls are the last of a process. */
typedef void (*ending)(int status) __attribute__((noreturn));
static ending real(const char *name) {
    union {
        void *at;
        ending call;
    } found = {dlsym(RTLD_NEXT, name)};
    return found.call;
}

RT_API void _exit(int status) {
    at_exit(status, NULL);
    real("_exit")(status);
}

RT_API void _Exit(int status) {
    at_exit(status, NULL);
    real("_Exit")(status);
}

RT_API void quick_exit(int status) {
    quick_status = status;
    real("quick_exit")(status);
}

/* --- signals ------------------------------------------------------------------------------------------- */

static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE,  SIGABRT, SIGTRAP, SIGSYS,   /* faults */
                            SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGPIPE}; /* asked to end */
enum { N_FATAL = sizeof fatal / sizeof *fatal, N_FAULTS = 7 };
static struct sigaction before[N_FATAL]; /* the program's own, or the default */

static int index_of(int sig) {
    for (int i = 0; i < N_FATAL; i++)
        if (fatal[i] == sig) return i;
    return 0;
}

/* The host touched an address that belongs to the device: who, and what lies there. */
static void host_access(const siginfo_t *info) {
    uint64_t at = (uintptr_t)info->si_addr;
    const eng_memory *mem = rt_memory();
    if (!eng_memory_contains(mem, at)) return;
    const eng_allocation *near = NULL, *a = eng_memory_find(mem, at, &near);
    void *frames[RT_STACK_FRAMES];
    unsigned n = rt_stack(frames);
    if (a)
        ses_finding(rt.session, "host-access", "error", frames, n,
                    "the host dereferences device memory: address %#llx is byte %llu of %s%sallocation %u "
                    "(%llu bytes)%s",
                    (unsigned long long)at, (unsigned long long)(at - a->address), a->name ? a->name : "",
                    a->name ? ", " : "", a->id, (unsigned long long)a->size,
                    a->freed ? ", which was freed" : "");
    else
        ses_finding(rt.session, "host-access", "error", frames, n,
                    "the host dereferences a device address, %#llx, that no allocation holds",
                    (unsigned long long)at);
}

/* Dies of the signal: a fault repeats when its instruction runs again, what was sent is sent again. */
static void die_of(int sig, bool send) {
    char how[] = "signal 00";
    how[7] = (char)('0' + sig / 10), how[8] = (char)('0' + sig % 10);
    speak(how, true);
    signal(sig, SIG_DFL);
    if (send) raise(sig);
}

static void on_signal(int sig, siginfo_t *info, void *machine) {
    int i = index_of(sig);
    const struct sigaction *old = &before[i];
    if (sig == SIGSEGV && info->si_code > 0 && rt_shared_fault(info, machine)) return;
    if (sig == SIGTRAP && rt_shared_stepped(machine)) return;
    bool chained = (old->sa_flags & SA_SIGINFO) || (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN);
    if (ours() && (sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0) host_access(info);
    if (chained) {
        /* The program has an answer of its own: it may go on. Should it not, its exit comes here again. */
        if (old->sa_flags & SA_SIGINFO)
            old->sa_sigaction(sig, info, machine);
        else
            old->sa_handler(sig);
        return;
    }
    /* A request to end waits for the running kernel to stop, so that what it counted is told; a second one
     * does not. */
    if (i >= N_FAULTS && ours() && !rt.dying && ses_cancel(rt.session)) {
        rt.dying = sig;
        return;
    }
    die_of(sig, info->si_code <= 0 || i >= N_FAULTS);
}

bool rt_lastwords_hears(int sig) {
    struct sigaction now;
    return sigaction(sig, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal;
}

static _Noreturn void stop(const char *how, int status) {
    rt_print_flush();
    fflush(NULL);
    speak(how, false);
    _exit(status);
}

void rt_lastwords_due(void) {
    if (rt.dying) die_of(rt.dying, true);
    const ses_options *asked = ses_options_of(rt.session);
    if (asked->stop_on_error && ses_errors(rt.session)) stop("stopped at an error, as --stop-on-error asks", 1);
    if (asked->kill && ses_had_its_launches(rt.session)) stop("stopped after its launches, as --kill asks", 0);
}

void rt_lastwords_thread(void) {
    static _Thread_local bool done;
    if (done) return;
    done = true;
    stack_t now;
    if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE)) return; /* the program has its own */
    size_t size = 256 * 1024; /* the last words need more than a handler usually has */
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    sigaltstack(&(stack_t){.ss_sp = at, .ss_size = size}, NULL);
}

/* --- fork ---------------------------------------------------------------------------------------------- */

static bool fork_holds; /* guarded by the lock itself */
static void before_fork(void) {
    if (pthread_mutex_lock(&rt.lock) == 0) fork_holds = true;
}
static void after_fork_parent(void) {
    if (!fork_holds) return;
    fork_holds = false;
    pthread_mutex_unlock(&rt.lock);
}
static void after_fork_child(void) {
    bool session = rt.session && !rt.closed;
    if (session) {
        /* The device stays with the parent. The child may go on without CUDA; if it does not, it is told. */
        rt.forked = true;
        rt.owner = getpid();
        ses_host_end(rt.session);
        ses_forked(rt.session);
    }
    /* The lock is the parent's thread's: the child begins with a fresh one. */
    rt.lock = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    fork_holds = false;
}

void rt_lastwords_arm(void) {
    for (int i = 0; i < N_FATAL; i++) {
        struct sigaction mine = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigaction(fatal[i], NULL, &before[i]);
        bool standard = !(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_DFL;
        /* Requests to end that the program handles or ignores are its own business; faults are looked at
         * first. */
        if (standard || i < N_FAULTS) {
            if (!standard)
                mine.sa_mask = before[i].sa_mask,
                mine.sa_flags |= before[i].sa_flags & (SA_NODEFER | SA_RESTART);
            sigaction(fatal[i], &mine, NULL);
        }
    }
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}
