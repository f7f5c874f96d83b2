/* warpgrind [SUBCOMMAND] ...: finds the subcommand; without one, the rest is a program to run. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"run", cli_run}, {"sass", cli_sass}, {"launch", cli_launch}, {"gpus", cli_gpus}, {"diff", cli_diff}, {"annotate", cli_annotate}, {"suite", cli_suite}};

void cli_complain(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fputs("warpgrind: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) continue;
        char name[32]; /* argp speaks of "warpgrind sass" in its messages */
        snprintf(name, sizeof name, "warpgrind %s", commands[i].name);
        argv[1] = name;
        return commands[i].run(argc - 1, argv + 1);
    }
    return cli_run(argc, argv);
}
