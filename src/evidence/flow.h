/* What every register holds at every place of a function: the analysis before anything is said about memory. */
#ifndef WG_EVIDENCE_FLOW_H
#define WG_EVIDENCE_FLOW_H

#include "base/arena.h"
#include "base/error.h"
#include "evidence/expr.h"
#include "image/image.h"
#include "sass/sass.h"

/* Slots of a state: registers, uniform registers, predicates (0 or 1), uniform predicates. */
enum { EV_R = 0, EV_UR = 256, EV_P = EV_TRUTH_SLOTS, EV_UP = 520, EV_SLOTS = 528 };
/* Who wrote a slot: index of the instruction + 1, or one of these. */
#define EV_NO_DEF    0u
#define EV_MANY_DEFS UINT32_MAX

typedef struct ev_state {
    ev_id value[EV_SLOTS];
    uint32_t def[EV_SLOTS]; /* which instruction wrote it */
} ev_state;

typedef struct ev_block {
    wg_vec(uint32_t) preds, succs;
    ev_state *in, *out;    /* NULL: never reached */
    ev_state *after;       /* what is left when the call at its end comes back; NULL: no call */
    uint32_t loop;         /* innermost loop that it is in; UINT32_MAX none */
    uint32_t dominator;    /* immediate; UINT32_MAX: the entry, or not reached */
    uint32_t postdominator; /* immediate; UINT32_MAX: the end of the function */
    bool divergent_join;   /* lanes of one warp can have come different ways */
} ev_block;

typedef struct ev_loop {
    uint32_t header, parent; /* parent: loop around it, UINT32_MAX none */
    uint8_t *has;            /* a byte a block */
    bool divergent_exit;     /* lanes of one warp can leave it at different times */
    uint32_t first, last;    /* instructions that it spans */
} ev_loop;

typedef struct ev_fact { /* of one instruction */
    ev_id address, address2; /* low word, offset included; address2: the shared side of LDGSTS */
    ev_id guard;             /* 0 or 1 */
    ev_id value;             /* what dst's first register gets, before the guard */
    ev_id branch;            /* the whole condition of a branch or exit */
    uint32_t deps, n_deps;   /* in ev_flow.deps: what the result depends on, where it is a leaf */
    uint32_t sources[5];     /* defining instructions of the registers read, + 1 (EV_NO_DEF, EV_MANY_DEFS) */
    bool reached, mixes;     /* mixes: its result may differ between lanes whatever it depends on */
} ev_fact;

/* A value that a loop changes in another way than by adding: value = step(value), beginning with entry. */
struct ev_step {
    ev_id phi, entry, step;
    uint32_t header;
};

typedef struct ev_flow {
    const img_module *module;
    const img_function *function;
    wg_arena *arena;
    const sass_instr *code;
    uint32_t n;
    const sass_cfg *cfg;
    ev_graph g;
    ev_block *blocks; /* cfg->n_blocks */
    uint32_t *order;  /* reached blocks in reverse postorder */
    uint32_t n_order;
    ev_loop *loops;
    uint32_t n_loops;
    ev_fact *facts; /* n */
    wg_vec(ev_id) deps;
    uint32_t *reloc_at; /* instruction -> index of a relocation of its immediate + 1; 0: none */
    wg_vec(uint8_t) varies;  /* a byte a node: differs between the lanes of a warp */
    wg_vec(struct ev_step) steps;
} ev_flow;

/* flow.c: decodes and analyses; the flow lives in *arena. */
wg_status ev_flow_run(const img_module *module, const img_function *function, wg_arena *arena, ev_flow **out, wg_error *err);
void ev_flow_free(ev_flow *flow); /* what does not live in the arena */

/* shape.c: predecessors, order, dominators, loops. */
bool ev_shape(ev_flow *flow);
/* What the blocks reached from `from` are, without going through `stop` (NONE: none); mark has a byte a block. */
void ev_reach(const ev_flow *flow, uint32_t from, uint32_t stop, uint8_t *mark, uint32_t *stack);
bool ev_dominates(const ev_flow *flow, uint32_t a, uint32_t b);
bool ev_in_loop(const ev_flow *flow, uint32_t loop, uint32_t block);

/* transfer.c: one block's instructions over *state; facts of each instruction are filled. */
void ev_transfer_block(ev_flow *flow, uint32_t block, ev_state *state);

/* The value that comes into a block from one of those before it. */
ev_id ev_incoming(const ev_flow *flow, uint32_t from, uint32_t to, unsigned slot);

/* vary.c: which values differ between the lanes of a warp, where its lanes part, which loops they leave apart. */
bool ev_flow_vary(ev_flow *flow);
/* Of any node, after it: also of nodes made since. */
bool ev_varies(ev_flow *flow, ev_id id);

/* resolve.c: what several ways brought together, as one expression where there is one. */
bool ev_flow_resolve(ev_flow *flow);

#endif
