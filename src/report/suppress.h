/* Suppressions of findings (docs/checks.md describes the file). */
#ifndef WG_REPORT_SUPPRESS_H
#define WG_REPORT_SUPPRESS_H

#include "report/report.h"

/* Takes the findings that the file names out of the document; "suppressed" then says how many by entry. */
wg_status rep_suppress(json_t *document, const char *path, wg_error *err);
/* An entry for each finding of the document. False: no memory. */
bool rep_gen_suppressions(const json_t *document, wg_text *out);

#endif
