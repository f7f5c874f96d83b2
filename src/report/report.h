/* Reports: made of the run document alone (docs/json.md), never of the run itself, so that a report can
 * be made again from a JSON file. */
#ifndef WG_REPORT_REPORT_H
#define WG_REPORT_REPORT_H

#include <jansson.h>

#include "base/error.h"
#include "base/text.h"

typedef struct rep_style {
    bool colour;       /* a terminal */
    bool quiet;        /* findings and kernels that did not run, nothing else */
    unsigned lines;    /* source lines shown of a kernel; 0 = 12 */
    unsigned kernels;  /* kernels shown in full; 0 = 20 */
} rep_style;

/* The report for people. False: no memory. */
bool rep_text(const json_t *document, const rep_style *style, wg_text *out);
/* The document as it is, one line a member where that helps to read and to diff. */
bool rep_json(const json_t *document, wg_text *out);
/* One row a launch, one column a counter. */
bool rep_csv(const json_t *document, wg_text *out);

/* What decides an exit status. */
typedef struct rep_verdict {
    size_t errors, warnings, notes; /* findings */
    size_t not_run;                 /* kernels that did not run or did not end */
    size_t launches;
} rep_verdict;
rep_verdict rep_verdict_of(const json_t *document);

#endif
