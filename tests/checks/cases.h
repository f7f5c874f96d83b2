/* A program of many cases: its argument names the one that it is; without one it lists them, and what must be found. */
#ifndef WG_TEST_CHECKS_CASES_H
#define WG_TEST_CHECKS_CASES_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct checked_case {
    const char *name;
    void (*run)(void);
    const char *found; /* "KIND SEVERITY", or "silent" */
} checked_case;

/* The exit status; 2: there is no such case. */
static int run_case(const checked_case *cases, size_t n, int argc, char **argv) {
    for (size_t i = 0; i < n; i++) {
        if (argc < 2) printf("%s: %s\n", cases[i].name, cases[i].found);
        else if (strcmp(argv[1], cases[i].name) == 0) return cases[i].run(), 0;
    }
    return argc < 2 ? 0 : 2;
}

#endif
