/* Between expr.c and ops.c. */
#ifndef WG_EVIDENCE_OPS_H
#define WG_EVIDENCE_OPS_H

#include "evidence/expr.h"

/* The node as it stands, with ev_op_args(op) arguments. */
ev_id ev_intern_op(ev_graph *g, ev_op op, uint32_t imm, const ev_id *args);

/* x / d, where (h >> shift) + sign(h) is that; 0: it is not. */
ev_id ev_signed_quotient(ev_graph *g, ev_id h, uint32_t shift);
static inline bool ev_is_op(const ev_graph *g, ev_id id, ev_op op) { return ev_at(g, id)->kind == EV_OP && ev_at(g, id)->op == op; }

#endif
