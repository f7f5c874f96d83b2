/* Between expr.c and ops.c. */
#ifndef WG_EVIDENCE_OPS_H
#define WG_EVIDENCE_OPS_H

#include "evidence/expr.h"

/* The node as it stands, with ev_op_args(op) arguments. */
ev_id ev_intern_op(ev_graph *g, ev_op op, uint32_t imm, const ev_id *args);

#endif
