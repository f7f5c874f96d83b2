/* Between sass.c (options, disassembly) and evidence.c (what the code says of its memory accesses). */
#ifndef WG_CLI_SASS_H
#define WG_CLI_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"

enum { CLI_MAX_EXPECT = 64 };

typedef struct cli_sass_options {
    bool list, json, explain, diff;
    int binary, arch; /* sm; 0 = not given */
    const char *function;
    const char *files[2];
    uint32_t block[3];
    const char *expect[CLI_MAX_EXPECT];
    unsigned n_expect;
} cli_sass_options;

/* Name, demangled name, demangled name without its arguments, or a pattern with * or ?. NULL: all. */
bool cli_sass_matches(const img_function *function, const char *pattern);
/* The exit status. */
int cli_evidence(const cli_sass_options *options);

#endif
