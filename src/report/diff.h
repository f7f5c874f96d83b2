/* Two runs compared, kernel by kernel and line by line. */
#ifndef WG_REPORT_DIFF_H
#define WG_REPORT_DIFF_H

#include "report/report.h"

/* The difference as a JSON document (docs/ci.md): what rose, fell, is new, is gone. The caller owns it; NULL: no memory. */
json_t *rep_diff(const json_t *before, const json_t *after);
/* Something costs more than before, or there are findings or kernels that did not run that were not there. */
bool rep_diff_is_worse(const json_t *diff);
bool rep_diff_text(const json_t *diff, wg_text *out);
bool rep_diff_markdown(const json_t *diff, wg_text *out); /* for a pull request */

/* diff_lines.c: pairs lines of the same kernel in two versions of its source. Lines are the same when their numbers may
 * have moved but their code has not; what is left between such lines is paired in order. */
typedef struct rep_code_line {
    const char *file;
    json_int_t line;
    char *code;      /* opcodes of its instructions, in order */
    json_t *counters;
    size_t partner;  /* index in the other list, or SIZE_MAX */
} rep_code_line;
typedef struct rep_code_lines {
    size_t count;
    rep_code_line *at; /* by file and line */
} rep_code_lines;
struct rep_kernel;
bool rep_code_lines_of(const struct rep_kernel *kernel, rep_code_lines *out);
bool rep_code_lines_pair(rep_code_lines *a, rep_code_lines *b);
void rep_code_lines_free(rep_code_lines *lines);

#endif
