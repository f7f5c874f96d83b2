/* Cases: values for all leaves, so that expressions become the numbers of 32 lanes. */
#ifndef WG_EVIDENCE_SAMPLE_H
#define WG_EVIDENCE_SAMPLE_H

#include "evidence/flow.h"

typedef struct ev_case {
    uint32_t block[3], grid[3], ctaid[3], warp;
    unsigned iteration;    /* how often every loop was gone through */
    unsigned seed;         /* of what nothing is known of */
    unsigned first;        /* first active lane */
    const uint8_t *params; /* NULL: by seed */
    uint32_t stack;
    const uint8_t *base;   /* a byte a node: parameters that are pointers (seeded cases); may be NULL */
} ev_case;

enum { EV_SEEDS = 4, EV_CASES = 20 };
/* The k-th of EV_CASES cases that stand for all launches with such blocks. dims: how many dimensions of tid matter. */
ev_case ev_case_at(const img_function *function, const uint32_t block[3], unsigned dims, unsigned k);

/* Fills values for all that mark[] says, and for what that is made of. False: no memory. */
bool ev_case_run(ev_flow *flow, const ev_case *c, uint8_t *mark, ev_lanes *values);

#endif
