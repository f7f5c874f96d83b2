/* Expressions over 32-bit words: what a register holds, in terms of what the code cannot know before it runs.
 *
 * A directed graph whose equal nodes are one node, so that comparing ids compares expressions. Sums are kept as
 * constant + coefficient * node, products of sums are multiplied out, everything modulo 2^32: the low word of an address
 * decides every stride, offset and bank, and modulo 2^32 it needs nothing from the high word. Every other operation that
 * an instruction does on integers is a node of its own. All of them can be evaluated for given leaves (ev_evaluate), so
 * that a lane pattern is exact even where no formula describes it. */
#ifndef WG_EVIDENCE_EXPR_H
#define WG_EVIDENCE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"

typedef uint32_t ev_id; /* a node; arguments of a node have smaller ids */

typedef enum ev_kind { EV_CONST, EV_LEAF, EV_SUM, EV_PRODUCT, EV_OP } ev_kind;

typedef enum ev_leaf {
    EV_TID,     /* a: dimension */
    EV_CTAID,   /* a: dimension */
    EV_NTID,    /* a: dimension */
    EV_NCTAID,  /* a: dimension */
    EV_LANE,
    EV_PARAM,   /* a: byte offset from the parameter base, b: bytes | signed << 8 */
    EV_CBANK,   /* a: byte offset, b: bank | bytes << 8 | signed << 16: a constant that the code alone does not tell */
    EV_STACK,   /* the stack pointer at the start */
    EV_SPECIAL, /* a: number of a special register */
    EV_LOOP,    /* a: block that heads the loop: how often it was gone through */
    EV_LOAD,    /* a: instruction, b: word: what memory held */
    EV_VALUE,   /* a: instruction, b: word: a result that is not followed (floating point, shuffles, ...) */
    EV_PHI,     /* a: block, b: slot: one of several values, by the way control came */
    EV_SAME,    /* a: block, b: slot: what such values differ by, the same in all lanes that came one way */
    EV_UNDEF    /* never written */
} ev_leaf;

/* Words of EV_VALUE: below 16 the result's registers, then operands that are not followed, from 32 on predicates, from
 * 64 on what a call leaves in a slot. Slots from EV_TRUTH_SLOTS on hold predicates: 0 or 1. */
enum { EV_WORD_OPERAND = 16, EV_WORD_PRED = 32, EV_WORD_SLOT = 64, EV_TRUTH_SLOTS = 512 };
static inline bool ev_word_is_truth(uint32_t word) {
    return (word >= EV_WORD_PRED && word < EV_WORD_SLOT) || word >= EV_WORD_SLOT + EV_TRUTH_SLOTS;
}

typedef enum ev_op {
    EV_PLUS,   /* a + b, where the sum has too many terms to be kept as one */
    EV_LUT,    /* a, b, c; imm: table of LOP3 */
    EV_SHL,    /* a << b, 0 when b > 31 */
    EV_SHR,    /* a >> b, unsigned, 0 when b > 31 */
    EV_SAR,    /* a >> b, signed, sign when b > 31 */
    EV_FUNNEL, /* low word of (c:a) >> b, b taken as up to 63; imm 1: c's sign fills */
    EV_MULHI,  /* high word of a * b + (d:c); imm 1: signed product */
    EV_CARRY,  /* of a + b + c + imm + d, where the sum is taken with 64 bits: 1 when it does not fit */
    EV_CARRY_WIDE, /* of a * b + (d:c) over 64 bits; imm 1: signed */
    EV_UDIV,   /* a / imm, unsigned */
    EV_SDIV,   /* a / imm, signed, towards zero */
    EV_UMIN, EV_UMAX, EV_SMIN, EV_SMAX,
    EV_ABS,
    EV_PRMT,   /* a, selector b, c; imm: mode */
    EV_BFE,    /* low b bits of a; imm 1: sign-extended */
    EV_BMSK,   /* b ones from bit a on */
    EV_POPC, EV_FLO /* imm: 1 signed, 2 counted from the top */, EV_BREV,
    EV_LESS,   /* a < b, signed; 0 or 1 */
    EV_BELOW,  /* a < b, unsigned */
    EV_EQUAL,
    EV_SELECT, /* a (0 or 1) ? b : c */
    EV_FIRST,  /* the value in the first active lane */
    EV_OPS
} ev_op;

typedef struct ev_node {
    uint8_t kind, op;   /* op: ev_leaf or ev_op */
    uint16_t n;         /* words in the pool: arguments; sums: pairs of coefficient and node; leaves: a and b */
    uint32_t imm;       /* constant, constant part of a sum, imm of an op */
    uint32_t at;        /* first word in the pool */
    uint32_t zeros;     /* bits that are known to be 0 */
    uint32_t most;      /* the value is at most this */
} ev_node;

typedef struct ev_graph {
    wg_vec(ev_node) nodes;
    wg_vec(uint32_t) pool;
    uint32_t *table; /* ids, 0 = free (node 0 is the constant 0 and needs no slot) */
    size_t room;
    bool failed; /* no memory: every result is the constant 0 from then on */
} ev_graph;

bool ev_graph_start(ev_graph *g);
void ev_graph_free(ev_graph *g);

/* --- making (expr.c, ops.c) ------------------------------------------------------------------- */
ev_id ev_const(ev_graph *g, uint32_t v);
ev_id ev_leaf_of(ev_graph *g, ev_leaf leaf, uint32_t a, uint32_t b);
ev_id ev_add(ev_graph *g, ev_id a, ev_id b);
ev_id ev_scale(ev_graph *g, ev_id a, uint32_t factor);
ev_id ev_mul(ev_graph *g, ev_id a, ev_id b);
ev_id ev_make(ev_graph *g, ev_op op, uint32_t imm, ev_id a, ev_id b, ev_id c, ev_id d); /* those it does not have: 0 */
ev_id ev_not(ev_graph *g, ev_id a); /* bitwise */
ev_id ev_and(ev_graph *g, ev_id a, ev_id b);
/* 0-or-1 values */
ev_id ev_flip(ev_graph *g, ev_id a);

/* --- looking ------------------------------------------------------------------------------------ */
static inline const ev_node *ev_at(const ev_graph *g, ev_id id) { return &g->nodes.at[id]; }
static inline bool ev_is_const(const ev_graph *g, ev_id id, uint32_t *v) {
    if (g->nodes.at[id].kind != EV_CONST) return false;
    if (v) *v = g->nodes.at[id].imm;
    return true;
}
static inline bool ev_is_leaf(const ev_graph *g, ev_id id, ev_leaf leaf) {
    return g->nodes.at[id].kind == EV_LEAF && g->nodes.at[id].op == leaf;
}
static inline uint32_t ev_word(const ev_graph *g, ev_id id, unsigned k) { return g->pool.at[g->nodes.at[id].at + k]; }
/* Arguments of any node, in terms of ids; leaves and constants have none. */
unsigned ev_args(const ev_graph *g, ev_id id);
ev_id ev_arg(const ev_graph *g, ev_id id, unsigned k);
unsigned ev_op_args(ev_op op);

/* mark[] has a byte a node: marks what the marked nodes are made of. */
void ev_mark_down(const ev_graph *g, uint8_t *mark);
/* Makes id's node again with each argument replaced by map[argument]; a leaf becomes map[leaf] as it stands. */
ev_id ev_remake(ev_graph *g, ev_id id, const ev_id *map);

/* --- calculating (ops.c, eval.c) ------------------------------------------------------------------ */
uint32_t ev_apply(ev_op op, uint32_t imm, const uint32_t v[4]);

typedef struct ev_lanes {
    uint32_t lane[32];
} ev_lanes;
/* leaf: fills the values of a leaf; values: one a node, filled for the marked ones. first: lane that EV_FIRST takes. */
void ev_evaluate(const ev_graph *g, const uint8_t *mark, unsigned first,
                 void (*leaf)(void *ctx, ev_id id, const ev_node *node, ev_lanes *out), void *ctx, ev_lanes *values);

/* --- showing (show.c) -------------------------------------------------------------------------------- */
struct ev_names {
    void *ctx; /* writes a leaf's name */
    void (*leaf)(void *ctx, const ev_graph *g, ev_id id, wg_text *out);
    size_t limit; /* of the text, set by ev_show: what is longer ends in dots */
};
void ev_show(const ev_graph *g, ev_id id, const struct ev_names *names, wg_text *out);

#endif
