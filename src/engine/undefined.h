/* Undefined values, followed bit by bit through registers, as Memcheck does.
 *
 * Nearly all code runs with everything defined, so a plan's stream of instructions only looks at the bits of what it loads.
 * When a load brings undefined bytes (or a kernel reads a register before it writes it), the warp changes to a second
 * stream of the same instructions, the slow one, in which a step stands before each of them (undefined_step.c) that
 * works on shadow slots: a bit for each bit of a register, 1: undefined. When no register of the warp holds an undefined bit
 * any more, which is looked at where basic blocks begin, it changes back.
 *
 *   plan    undefined_flow.c   registers that are read before they are written; those still read where a block begins
 *           undefined_plan.c   the slow stream, made when a warp first needs it
 *   run     undefined.c        changing streams, what loads and stores bring and take, origins, reports
 *           undefined_step.c   what each instruction does to the shadows; undefined_store.c: stores
 *
 * All of it exists only in launches that somebody listens to with ENG_EV_UNDEFINED. */
#ifndef WG_ENGINE_UNDEFINED_H
#define WG_ENGINE_UNDEFINED_H

#include "engine/machine.h"
#include "engine/origin.h"
#include "engine/plan.h"

struct eng_view;

/* In numbers of origins: the value is not the loaded one any more, something was computed from it. */
#define ENG_COMPUTED 0x80000000u

enum { ENG_SHADOWED = 576 /* slots that can be undefined: registers, uniform registers, what lies between */ };

/* A warp's, in its context. Slots of shadows lie at R + plan->shadow, and are all zero while slow is false. */
struct eng_undefined {
    bool slow;     /* the warp runs in the slow stream */
    bool pending;  /* a load in the fast stream has brought something: eng_undefined_enter is to follow */
    bool preds;    /* some bit of P */
    uint64_t dirty[ENG_SHADOWED / 64]; /* slots whose shadows may not be zero */
    uint32_t P[ENG_PREDS];             /* lanes whose predicate is undefined */
    uint32_t slot_origin[ENG_SHADOWED], pred_origin[ENG_PREDS]; /* numbers of origins of the worker */
    uint32_t local_origin;             /* of what was last stored to local memory */
    uint32_t put_back;                 /* lanes whose swap only puts back what is undefined (undefined_step.c: rule_atomic) */
};

typedef enum undef_rule {
    UNDEF_ANY,     /* any undefined bit of a source makes all of the result undefined */
    UNDEF_COPY, UNDEF_SELECT, UNDEF_LEFT /* bits above the lowest undefined one */, UNDEF_LEA, UNDEF_IMAD, UNDEF_WIDE, UNDEF_LOP3,
    UNDEF_PLOP3, UNDEF_MOVED /* the instruction itself, done to the shadows */, UNDEF_COMPARE, UNDEF_COMPARE_INT, UNDEF_P2R,
    UNDEF_R2P, UNDEF_R2UR, UNDEF_VOTE, UNDEF_SHFL, UNDEF_REDUX, UNDEF_TENSOR, UNDEF_HALVES, UNDEF_PART, UNDEF_LOAD, UNDEF_STORE,
    UNDEF_ATOMIC, UNDEF_BRANCH, UNDEF_JUMP, UNDEF_BARRIER, UNDEF_NOTHING
} undef_rule;

typedef struct undef_operand {
    uint8_t kind;  /* SASS_NONE: not there; SASS_REG: a slot, register, uniform register or what equals it; SASS_IMM, SASS_CONST */
    uint8_t words, bank;
    uint32_t slot;
    uint32_t value; /* immediate; offset in the bank */
} undef_operand;

typedef struct undef_op { /* what the step before an instruction knows of it */
    const sass_instr *in;
    uint8_t rule, words, d2_words, n_addresses;
    bool computes; /* more than moving, choosing or masking */
    uint8_t pd[2], ps[3];
    uint32_t d, d2;
    undef_operand source[4];  /* a, b, c, extra */
    undef_operand address[4]; /* bases and indices */
    eng_ins real;             /* the instruction */
    eng_ins shadow[2];        /* the instruction alone: on the shadows for UNDEF_MOVED, as it is for comparisons */
} undef_op;

/* --- plan ------------------------------------------------------------------------------------------- */
/* undefined_flow.c: fills plan->undefined_in and the predicates beside. False: no memory. */
bool eng_undefined_entry(eng_plan *plan);
/* Bits of registers (0.., uniform ones from 256) that are still read where a block of the unit begins: live[block] by
 * instruction index of its leader, else NULL; NULL where nothing is known. */
bool eng_undefined_live(eng_plan *plan, eng_unit *unit);
/* undefined_plan.c: makes the slow stream, once. False: it cannot be made. */
bool eng_undefined_plan(eng_plan *plan);
static inline bool eng_undefined_wanted(const eng_plan *plan) { return plan->wants & 1u << ENG_EV_UNDEFINED; }

/* --- run ---------------------------------------------------------------------------------------------- */
void eng_undefined_begin(eng_warp *w); /* with the context; leaves the warp's start in groups[0] */
/* After a load in the fast stream with t->pending: where the slow stream goes on behind i. */
const eng_ins *eng_undefined_enter(eng_warp *w, const eng_ins *i);
/* The place in the slow stream where the unit's instruction stands. */
const eng_ins *eng_undefined_at(const eng_plan *plan, const eng_unit *unit, unsigned index);
/* Before the instruction that follows i; where a block begins (NULL: go on behind i); after a store. */
void eng_undefined_step(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask);
const eng_ins *eng_undefined_block(const eng_ins *i, eng_warp *w);
void eng_undefined_after(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask);

/* The lanes have loaded undefined bytes; addresses as the access has them (local and shared: offsets). */
void eng_undefined_loaded(eng_warp *w, const eng_ins *i, const uint64_t *A, uint32_t lanes, eng_space space);
/* The same for the registers of LDSM: masks of 32 bits a register and lane. */
void eng_undefined_loaded_matrix(eng_warp *w, const eng_ins *i, uint32_t undefined[4][32], unsigned count, uint32_t on, uint64_t address);
/* Atomics on bytes that nobody wrote. */
void eng_undefined_atomic(eng_warp *w, const eng_ins *i, const uint64_t *A, uint32_t lanes, eng_space space);
/* Bytes that cp.async copied for a lane and that are undefined at their source (a bit a byte). */
void eng_undefined_copied(eng_warp *w, uint64_t shared, uint32_t bytes);
/* Bytes of shared memory, n <= 16, that are undefined: a bit a byte; and where they come from, as an access by this instruction and lane. */
uint32_t eng_undefined_in_shared(const eng_warp *w, uint64_t address, unsigned n);
uint32_t eng_undefined_origin_in_shared(eng_warp *w, const eng_ins *i, uint64_t address, unsigned lane);
/* A lane has stored undefined bytes (a bit each) to global memory. */
void eng_undefined_stored(eng_warp *w, const eng_ins *i, unsigned lane, unsigned width, uint64_t address, uint32_t bytes, uint32_t origin);
/* A register that was written by other means: the driver's results. */
void eng_undefined_clear(eng_warp *w, uint32_t slot, uint32_t lanes);
/* Barriers: shared memory that is defined from its start on. */
void eng_undefined_advance(eng_blk *block);

/* That of an undefined value in shared memory, as far as it is remembered: the latest stores, by 32 bytes. */
void eng_undefined_shared_origin(eng_warp *w, uint64_t address, uint32_t origin);
void eng_undefined_origin_of(const eng_warp *w, uint32_t number, eng_origin *out);
void eng_undefined_report(eng_warp *w, const eng_ins *i, eng_undefined_use use, uint32_t lanes, uint32_t origin, eng_space space, uint64_t address);

/* Which of the n <= 16 bytes are undefined for this worker: a bit a byte. */
uint32_t mem_undefined_bytes(const struct eng_view *v, uint64_t address, unsigned n);
/* The bytes become undefined; what the host sees stays defined. False: it cannot be done (several workers). */
bool mem_undefine_bytes(struct eng_view *v, uint64_t address, uint32_t bytes, const eng_undefined_store *store);

/* A block that device-side malloc gives out: what an earlier owner wrote is no value. */
void mem_undefine_range(struct eng_view *v, uint64_t address, uint64_t n);

#endif
