/* Names of leaves, for readers. */
#ifndef WG_EVIDENCE_NAMES_H
#define WG_EVIDENCE_NAMES_H

#include "evidence/flow.h"

struct ev_names ev_names_of(const ev_flow *flow);
char *ev_text_of(ev_flow *flow, ev_id id); /* in the flow's arena; NULL: no memory */

#endif
