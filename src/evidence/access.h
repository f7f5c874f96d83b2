/* Between access.c, verdict.c and kernel.c. */
#ifndef WG_EVIDENCE_ACCESS_H
#define WG_EVIDENCE_ACCESS_H

#include "evidence/evidence.h"
#include "evidence/flow.h"

/* access.c */
bool ev_find_accesses(ev_flow *flow, ev_kernel *kernel);
void ev_each_leaf(ev_flow *flow, ev_id id, void (*fn)(ev_flow *flow, ev_id leaf, void *ctx), void *ctx);
/* A leaf that differs between lanes and that only a run tells, loads first; 0: none. */
ev_id ev_data_leaf(ev_flow *flow, ev_id address);

/* verdict.c: the words. data: there is such a leaf; same: the lanes lie alike in every case. False: no memory. */
bool ev_judge(ev_flow *flow, ev_access *access, bool data, bool same);

#endif
