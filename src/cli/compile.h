/* Source files as input: compiled with the user's nvcc. */
#ifndef WG_CLI_COMPILE_H
#define WG_CLI_COMPILE_H

#include "base/arena.h"
#include "base/error.h"

/* A cubin of source for sm, with lines, in a temporary file whose name *path gets; the caller unlinks it. What nvcc says
 * goes to standard error. */
wg_status cli_compile(const char *source, int sm, wg_arena *arena, const char **path, wg_error *err);

#endif
