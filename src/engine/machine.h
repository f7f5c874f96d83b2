/* The machine's inner layout, shared by plan.c, the exec_*.c families and run.c. Not for other folders.
 *
 * A register is a slot: 128 bytes, 32 lanes of 32 bits. All slots a warp's code may name lie in one
 * block R, so that a planned instruction holds byte offsets only:
 *
 *   R + 0 ...                      registers R0 .. R(n-1)
 *   zero  (4 slots)                RZ as a source (a vector of RZ reads zeros)
 *   sink  (4 slots)                RZ as a destination
 *   UR0 .. UR62                    uniform registers: every lane holds the same value, so a uniform
 *                                  register, a constant and an immediate are operands like any other
 *   constants and immediates       broadcast once for each launch and warp context
 *
 * Predicates are masks: P[0..6], P[7] = all ones (PT), P[8..14] uniform (0 or all ones), P[15] all ones,
 * P[16] takes what is written to PT.
 *
 * A handler executes one instruction for the active lanes and continues with the next by a tail call
 * (or returns it to the loop, in builds without tail calls). Every family is compiled once per
 * instruction set (WG_ISA: portable, AVX2, AVX-512) and the tables are chosen at run time. */
#ifndef WG_ENGINE_MACHINE_H
#define WG_ENGINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

enum { ENG_SLOT = 128, ENG_PT = 7, ENG_UP = 8, ENG_UPT = 15, ENG_PSINK = 16, ENG_PINV = 0x80 };

typedef struct eng_ins eng_ins;
typedef struct eng_warp eng_warp;
typedef struct eng_worker eng_worker;
typedef struct eng_blk eng_blk;

/* mask: the active lanes of the running group (before the guard). */
typedef const eng_ins *(*eng_fn)(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask);

struct eng_ins { /* one cache line */
    eng_fn fn;
    uint32_t d, a, b, c;   /* byte offsets of slots from R */
    uint8_t pd[2], ps[3];  /* indices into P; sources and guard may carry ENG_PINV */
    uint8_t guard;         /* ENG_PT when unguarded */
    uint8_t width, access; /* memory: bytes a lane; ENG_READ | ... */
    uint32_t id;           /* index of the instruction in its function */
    uint32_t x;            /* handler's own: rounding, sub-function, lut, ... */
    union {
        int64_t imm;           /* address offset, ... */
        const eng_ins *target; /* branches */
        void *ptr;
    };
    uint64_t y;            /* handler's own */
};
_Static_assert(sizeof(struct eng_ins) <= 64, "an instruction is one cache line");

struct eng_warp {
    uint8_t *R;
    uint32_t P[17];
    uint32_t exited;    /* lanes that ended or never were (partial last warp) */
    uint32_t index;     /* in its block */
    const eng_ins *pc;  /* where the running group goes on */
    uint32_t mask;      /* its lanes */
    eng_worker *worker;
    eng_blk *block;
    uint8_t *shared;    /* the block's shared memory, as address 0 of the shared space */
    uint32_t shared_size;
    uint8_t *local;     /* local memory: word w of lane l at local + w * 128 + l * 4 */
    uint32_t local_size;/* bytes a lane */
    int64_t budget;     /* instructions until the group must yield; counted down at backward branches */
    /* owner of the core extends: groups, convergence barriers, ... */
};

struct eng_worker {
    eng_device *device;
    eng_memory *memory;
    eng_batch *batch;          /* events being written; NULL when nobody listens */
    eng_event *ev, *ev_end;
    /* owner of the core extends */
};

/* Hands the batch to the sinks and empties it. */
void eng_flush(eng_worker *worker);

/* Continue with the next instruction. */
#if defined(WG_TAIL_CALLS)
#define ENG_NEXT        return (i + 1)->fn(i + 1, w, R, mask)
#else
#define ENG_NEXT        return i + 1
#endif

/* A family's binder looks at one decoded instruction and picks handler and operands; it returns false when
 * it does not do this form (the instruction is then reported as unsupported, by name and place). */
typedef struct eng_plan eng_plan;
typedef bool (*eng_bind)(eng_plan *plan, const sass_instr *in, eng_ins *out);

/* Offsets of operands (plan.c): registers, uniform registers, constants and immediates alike. */
uint32_t eng_slot_src(eng_plan *plan, const sass_operand *op);   /* 32-bit source, modifiers not applied */
uint32_t eng_slot_src64(eng_plan *plan, const sass_operand *op); /* pair: two consecutive slots */
uint32_t eng_slot_dst(eng_plan *plan, const sass_operand *op);   /* sink for RZ */
uint8_t eng_pred_src(const sass_pred *pred);                     /* index, ENG_PINV when inverted */
uint8_t eng_pred_dst(const sass_pred *pred);                     /* ENG_PSINK for PT or absent */

#endif
