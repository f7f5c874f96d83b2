/* The traces of a document (docs/trace.md) as a table: a row a source line or instruction, a column a lane. */
#ifndef WG_REPORT_TRACE_H
#define WG_REPORT_TRACE_H

#include "report/report.h"

/* False: no memory. Writes nothing when the document holds no trace. */
bool rep_trace(const json_t *document, bool by_instruction, wg_text *out);
bool rep_has_trace(const json_t *document);

#endif
