/* Source with counts in the margin. */
#ifndef WG_REPORT_ANNOTATE_H
#define WG_REPORT_ANNOTATE_H

#include "report/report.h"

typedef struct rep_annotation {
    const char *kernels;     /* pattern; NULL: all */
    const char *source_root; /* where sources are looked for that are not where they were compiled; NULL: nowhere else */
    unsigned context;        /* lines shown around each line with counts; UINT_MAX: the whole file */
} rep_annotation;

/* False: no memory. A source that cannot be read is told in the text; its lines are listed without it. */
bool rep_annotate(const json_t *document, const rep_annotation *how, wg_text *out);

#endif
