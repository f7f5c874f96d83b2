/* peak LIMIT_MIB COMMAND...: runs the command and fails when it, with all that it starts, ever takes more memory than that.
 * Each process counts with the most that it had, looked at every few milliseconds: the sum is no less than the peak. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };
typedef struct seen {
    pid_t pid;
    unsigned long kib;
} seen;

static seen processes[MOST];
static unsigned n_processes;

static void note(pid_t pid, unsigned long kib) {
    unsigned k = 0;
    while (k < n_processes && processes[k].pid != pid) k++;
    if (k == MOST) return;
    if (k == n_processes) processes[n_processes++] = (seen){.pid = pid};
    if (kib > processes[k].kib) processes[k].kib = kib;
}

static void look(pid_t pid) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    unsigned long kib;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lu", &kib) == 1) note(pid, kib);
    if (f) fclose(f);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    f = fopen(path, "r");
    int child;
    while (f && fscanf(f, "%d", &child) == 1) look(child);
    if (f) fclose(f);
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: peak LIMIT_MIB COMMAND...\n"), 2;
    unsigned long limit = strtoul(argv[1], NULL, 10), sum = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execv(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        look(pid);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    for (unsigned k = 0; k < n_processes; k++) sum += processes[k].kib;
    printf("%lu MiB in %u processes, %lu are allowed\n", sum / 1024, n_processes, limit);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) return fprintf(stderr, "the command failed\n"), 1;
    return sum / 1024 > limit || n_processes < 2;
}
