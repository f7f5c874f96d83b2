/* One page for a browser: no network, no other file. */
#ifndef WG_REPORT_HTML_H
#define WG_REPORT_HTML_H

#include "report/report.h"

/* False: no memory. */
bool rep_html(const json_t *document, wg_text *out);

#endif
