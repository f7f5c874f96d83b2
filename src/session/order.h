/* Operations of streams that something may still have to be ordered with, shared by order.c and host.c. */
#ifndef WG_SESSION_ORDER_H
#define WG_SESSION_ORDER_H

#include "session/inner.h"

enum { ORDER_STACK = 24 };

typedef wg_vec(uint64_t) order_clock; /* by timeline: how much of it came before */

typedef struct order_op {
    struct order_op *next;
    uint64_t timeline, tick, launch;
    uint64_t stream; /* number */
    eng_code *code; /* NULL: no kernel, or its module was unloaded */
    const img_function *function;
    char *name;     /* of the kernel, or what it is: "cudaMemcpyAsync" */
    bool kernel;
    bool shut;      /* the program's view of what it touched is shut, as far as the host would be in a race there */
    bool met;       /* the host was told, or synchronised with it through memory: what it does from now on is no race with this */
    void *stack[ORDER_STACK];
    unsigned n_stack;
    watch_extents extents;
    uint64_t life, life_end; /* or memory that it allocates or frees in the order of its stream; else 0 */
    bool frees;
} order_op;

typedef struct ses_order {
    wg_vec(order_clock) timelines;
    wg_vec(uint64_t) branches; /* timelines of graphs, from the first on: the stream's timeline */
    wg_u64map events; /* handle -> order_clock */
    order_op *ops;    /* that some timeline does not know of, the latest first */
    wg_u64map told;
    bool streams;     /* there are several: what a launch touches is asked for whole */
    bool shares;      /* there is memory that host and device share */
    bool unsettled;   /* an operation came that the host has not been kept from */
    wg_u64map shut;   /* number of a page -> what the host may do there (host.c) */
    unsigned runs;    /* of pages that were shut since all was open */
    unsigned spared;  /* accesses to shut pages that were no race, since all was open */
} ses_order;

json_t *order_side_json(session *ses, const order_op *op, unsigned access, watch_where where, uint64_t address);
const char *order_access_name(unsigned access);
bool order_knows(ses_order *order, uint64_t timeline, const order_op *op); /* the operation is its own, or it has waited for it */
/* Once for each pair of places: false when it was told before. */
bool order_tell(ses_order *order, uint64_t what);

/* --- host.c ------------------------------------------------------------------------------- */
/* All that is shut is opened to the program again. */
void order_open(session *ses);

#endif
