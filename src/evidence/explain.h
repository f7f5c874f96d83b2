/* How an address came about: the instructions that made it, each with what it computes. */
#ifndef WG_EVIDENCE_EXPLAIN_H
#define WG_EVIDENCE_EXPLAIN_H

#include "evidence/evidence.h"

void ev_explain_text(const ev_kernel *kernel, const ev_access *access, wg_text *out);
json_t *ev_explain_json(const ev_kernel *kernel, const ev_access *access); /* NULL: no memory */

#endif
