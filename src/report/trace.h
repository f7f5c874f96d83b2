/* The traces of a document (docs/trace.md) as a table: a row a source line or instruction, a column a lane. */
#ifndef WG_REPORT_TRACE_H
#define WG_REPORT_TRACE_H

#include "report/report.h"

/* False: no memory. Writes nothing when the document holds no trace. */
bool rep_trace(const json_t *document, bool by_instruction, wg_text *out);
bool rep_has_trace(const json_t *document);

/* One register of one lane, or, of 64-bit types, two of them, as text. */
typedef struct rep_cell { char at[28]; } rep_cell;
rep_cell rep_lane_value(const char *type, uint32_t low, uint32_t high);

#endif
