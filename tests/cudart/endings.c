/* usage: cudart_endings HOW: uses the device, launches a kernel, and ends in one of many ways (check_endings). */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "cudart/program.h"

static const dim3 one = {1, 1, 1};

static int *use(void) {
    int *d = NULL, n = 32, by = 1;
    OK(cudaMalloc((void **)&d, 128));
    OK(cudaMemset(d, 0, 128));
    launch(scale, one, (dim3){32, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    OK(cudaDeviceSynchronize());
    return d;
}

static void ends_return(void) { use(); }
static void ends_exit(void) { use(), exit(7); }
static void ends_underscore_exit(void) { use(), _exit(8); }
static void ends_big_exit(void) { use(), _Exit(9); }
static void ends_quick_exit(void) { use(), quick_exit(10); }
static void ends_abort(void) { use(), abort(); }
static void ends_terminated(void) { use(), raise(SIGTERM); }
static void ends_killed(void) { use(), raise(SIGKILL); }
static void ends_null(void) { use(), *(volatile int *)(volatile long){0} = 1; }
static void ends_host_access(void) { *(volatile int *)use() = 1; }
static void ends_after_free(void) {
    int *d = use();
    OK(cudaFree(d));
    exit(*(volatile int *)d);
}

/* A program that was never told of CUDA, and one that only asks for the last error. */
static void ends_without(void) {}
static void ends_hardly(void) { OK(cudaGetLastError()); }

/* A destructor that runs after main and still calls CUDA. */
static int *left_over;
static void free_late(void) { exit(cudaFree(left_over) ? 1 : 11); }
static void ends_late_call(void) { atexit(free_late), left_over = use(); }

/* The program's own handlers keep their say. */
static sigjmp_buf back;
static void jump(int sig) { (void)sig, siglongjmp(back, 1); }
static void ends_own_fault_handler(void) {
    signal(SIGSEGV, jump);
    int *d = use();
    if (!sigsetjmp(back, 1)) *(volatile int *)d = 1;
    exit(12);
}
static void leave(int sig) { _exit(sig); }
static void ends_own_term_handler(void) { signal(SIGTERM, leave), use(), raise(SIGTERM); }

/* A request to end while a kernel runs that never would. */
static void ends_in_kernel(void) {
    int *d = use();
    OK(cudaMemset(d, 0, 4)); /* what it waits for */
    alarm(1);
    launch(spin, one, one, 0, NULL, (void *[]){&d});
    exit(13); /* not reached */
}

static int child_of(void (*what)(void)) {
    pid_t pid = fork();
    if (pid == 0) what(), exit(0);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
static void child_uses(void) {
    void *p = NULL;
    exit(cudaMalloc(&p, 4) == cudaErrorInitializationError ? 14 : 1);
}
static void ends_fork_use(void) { use(), exit(child_of(child_uses)); }         /* clear error in the child */
static void ends_fork_quiet(void) { use(), exit(child_of(ends_without)); }    /* a child without CUDA */
static void ends_fork_first(void) { exit(child_of(ends_exit)); }              /* the child alone uses it */
static void ends_vfork(void) {
    use();
    pid_t pid = vfork();
    if (pid == 0) _exit(3); /* shares this memory: must not end the parent's run */
    int status = 0;
    waitpid(pid, &status, 0);
    use();
    exit(WEXITSTATUS(status));
}

static const struct { const char *name; void (*run)(void); } endings[] = {
#define ROW(name) {#name, ends_##name}
    ROW(return), ROW(exit), ROW(underscore_exit), ROW(big_exit), ROW(quick_exit), ROW(abort), ROW(terminated), ROW(killed),
    ROW(null), ROW(host_access), ROW(after_free), ROW(without), ROW(hardly), ROW(late_call), ROW(own_fault_handler),
    ROW(own_term_handler), ROW(in_kernel), ROW(fork_use), ROW(fork_quiet), ROW(fork_first), ROW(vfork),
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (argc > 1 && !strcmp(argv[1], endings[i].name)) return endings[i].run(), 0;
    return 2;
}
