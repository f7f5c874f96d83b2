/* The machine's inner layout, shared by the planner, the exec_*.c families and the scheduler. Not for other folders.
 *
 * A register is a slot: 128 bytes, 32 lanes of 32 bits, 64-byte aligned. All slots that a warp's code may name
 * lie in one block R, so that a planned instruction holds byte offsets only:
 *
 *   R0 .. R(n-1)                   registers
 *   zero  (ENG_RZ_SLOTS)           RZ as a source: a vector of RZ reads zeros
 *   sink  (as many)                RZ as a destination
 *   UR0 .. UR(m-1)                 uniform registers: every lane holds the same value, so a uniform register, a
 *                                  constant and an immediate are operands like any other
 *   B0 .. B(k-1)                   convergence barriers: each lane holds the mask of lanes it waits for
 *   constants, immediates, specials  filled once for each launch and warp context (block indices: for each block)
 *
 * A 64-bit value is two consecutive slots, low words first. A uniform instruction is the vector instruction
 * executed for all 32 lanes, whatever lanes are active.
 *
 * Predicates are masks: P[0..6], P[7] = all ones (PT), P[8..14] uniform (0 or all ones), P[15] all ones,
 * P[16] takes what is written to PT.
 *
 * A handler executes one instruction for the active lanes and continues with the next by a tail call
 * (or returns it to the loop, in builds without tail calls). Every family is compiled once per
 * instruction set (isa.h) and the tables are chosen at run time. */
#ifndef WG_ENGINE_MACHINE_H
#define WG_ENGINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

enum { ENG_RZ_SLOTS = 16 /* the longest fragment of a matrix */ };
enum { ENG_SLOT = 128, ENG_PT = 7, ENG_UP = 8, ENG_UPT = 15, ENG_PSINK = 16, ENG_PREDS = 17, ENG_PINV = 0x80 };
#define ENG_ALL 0xffffffffu

typedef struct eng_ins eng_ins;
typedef struct eng_warp eng_warp;
typedef struct eng_worker eng_worker;
typedef struct eng_blk eng_blk;
typedef struct eng_cluster eng_cluster;
typedef struct eng_group eng_group;
typedef struct eng_grid eng_grid;
typedef struct eng_plan eng_plan;

/* mask: the active lanes of the running group (before the guard); always equal to w->mask. */
typedef const eng_ins *(*eng_fn)(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask);

struct eng_ins { /* one cache line */
    eng_fn fn;
    uint32_t d, a, b, c;   /* byte offsets of slots from R */
    uint8_t pd[2], ps[3];  /* indices into P; sources may carry ENG_PINV */
    uint8_t guard;         /* index into P, without ENG_PINV; ENG_PT when unguarded */
    uint8_t width, access; /* memory: bytes a lane; ENG_READ | ... */
    uint32_t ginv;         /* all ones when the guard is inverted */
    uint32_t uni;          /* all ones for uniform instructions, which do not look at the active lanes */
    uint32_t id;           /* index of the instruction in its function */
    uint16_t function;     /* index in img_module.functions */
    uint16_t z;            /* handler's own */
    union {
        int64_t imm;           /* address offset, ... */
        const eng_ins *target; /* branches */
        void *ptr;
    };
    uint32_t x, y;         /* handler's own: rounding, sub-function, lut, ... */
};
_Static_assert(sizeof(struct eng_ins) == 64, "an instruction is one cache line");

/* Beside the kinds of events: everybody who wants accesses takes sums of the plain ones (event.h). */
#define ENG_WANTS_SUMS (1u << 31)
/* Behind the counters of an instruction's plain accesses: which of them are events all the same, in this launch. */
enum { ENG_PLAIN_HEARD = ENG_PLAIN_SHAPES, ENG_PLAIN_COUNTERS };
enum { ENG_HEARD_STORED = 1 /* those in allocations that the launch stores to */, ENG_HEARD_ALL = 2 };
_Static_assert(ENG_EV_KINDS < 31, "a bit is free");

typedef struct eng_bank { /* a constant bank: reads beyond size give ENG_FAULT_CONSTANT */
    const uint8_t *bytes;
    uint32_t size;
} eng_bank;
enum { ENG_BANKS = 8 };

struct __attribute__((aligned(64))) eng_warp { /* what every instruction needs lies in the first two cache lines */
    uint8_t *R;
    const eng_ins *pc;  /* where the group goes on, when it is whole and waits at a block barrier; else NULL */
    uint32_t mask;      /* lanes of the running group */
    uint32_t exited;    /* lanes that ended or never were (partial last warp) */
    uint32_t worked;    /* lanes that did a load, store, atomic, shuffle or barrier: their handlers or the lanes in */
    uint32_t index;     /* in its block */
    uint64_t *counts;   /* the worker's, see plan.h */
    uint64_t executed;  /* warp instructions up to the end of the running basic block: the clock */
    int64_t budget;     /* goes down with each basic block; below zero, the group yields at a backward branch */
    eng_worker *worker;
    uint32_t P[ENG_PREDS];
    uint8_t state;      /* eng_warp_state */
    bool spinning;      /* did a strong access, an atomic with a result or a sleep since it last yielded */
    uint16_t n_groups;  /* the groups that are not running */
    uint8_t *shared;    /* the block's shared memory, as address 0 of the shared space */
    uint32_t shared_size; /* bytes addressable from 0: reserve + static + dynamic */
    uint32_t local_size;/* bytes a lane */
    uint8_t *local;     /* local memory: word w of lane l at local + w * 128 + l * 4 */
    eng_blk *block;
    struct eng_context *context; /* what holds R and local, while the warp has begun and not ended */
    eng_group *groups;
    const eng_ins *stop; /* ends a run of handlers */
    uint32_t barrier_b; /* slot offset of B0 */
    uint32_t spins;     /* quanta in a row that ended spinning */
    uint32_t b2r;       /* result of the last BAR.RED, for B2R */
    eng_cluster *cluster; /* cluster.h; NULL: nobody asks */
    uint32_t shared_base; /* what addresses of the block's shared memory say beside the offset: its rank in the cluster */
    uint32_t cluster_arrived; /* lanes that have arrived at the cluster's barrier, which has not completed */
    uint32_t arrived[16]; /* lanes that have arrived at each block barrier, but for whole warps that wait (pc) */
    const eng_ins *parted; /* the BRA.DIV or .CONV that sent lanes to a WARPSYNC, until they come there */
    bool strayed;       /* a shuffle read a lane that was not active */
    uint32_t met;       /* lanes of the last shuffle or vote, when no event of the warp has followed the one that told of it */
    uint32_t shared_plain;  /* bytes of shared memory from 0 that are defined: all, where nobody listens to undefined values */
    uint8_t *shared_bits;   /* a bit a byte of it, 1: defined; NULL: nobody listens */
    uint32_t *local_undefined; /* as local: undefined bits; NULL: nobody listens */
    struct eng_undefined *undefined; /* undefined.h; NULL: nobody listens */
    uint32_t registers;   /* of a thread, where setmaxnreg has changed them; else 0 (exec_maxreg.c) */
    uint32_t clock_reads; /* in a row, with hardly anything between them: it waits for a time */
    uint64_t clock_seen;  /* executed, at the last of them */
    uint64_t clock_ahead; /* what its clock has jumped since */
    uint32_t matrices;    /* groups of wgmma that it has closed */
    uint32_t awaited;     /* the asynchronous barrier whose phase it last asked for in vain: its address in shared memory + 1; 0: none */
    uint64_t awaited_at;  /* executed, then */
};

struct eng_blk { /* a block that is running */
    uint64_t linear;       /* x + y * gridDim.x + z * ... */
    uint64_t turn;         /* eng_batch.turn */
    uint32_t index[3];
    uint32_t n_warps, live_warps, live_lanes;
    eng_warp *warps;
    uint8_t *shared;
    eng_worker *worker;
    uint8_t *memory;       /* what holds shared */
    eng_group *groups;     /* of all warps */
    uint8_t *shared_bits;  /* of all warps */
    struct { uint32_t place, origin; } shared_origins[64]; /* of undefined values stored to shared memory (undefined.c) */
    uint32_t rank;         /* in its cluster */
    uint32_t barriers_used; /* bits: block barriers at which lanes have arrived */
    uint32_t ready;        /* bits: warps that can run */
    uint32_t whole[16];    /* bits: warps of which all lanes wait at a barrier as one group */
    uint8_t order[32];     /* warps, as their turns come */
    bool running;          /* holds a block that has not ended */
    bool registers_moved;  /* setmaxnreg was executed */
    bool fresh;            /* one of a cluster, which has not had a turn */
    bool astray;           /* its last barrier was met by different instructions: of shared memory nothing is known to be apart */
    struct eng_barrier {   /* BAR */
        uint32_t lanes;    /* that have arrived, a warp of which all lanes have counting as 32 */
        uint32_t expected; /* threads; 0: all that live */
        uint32_t popc;     /* of the reduction's predicate */
        bool all, any, used;
        bool groups;       /* lanes arrived in another way than as whole warps */
        uint8_t red;       /* 0 POPC, 1 AND, 2 OR */
        bool mixed;        /* lanes came with different instructions */
        const eng_ins *at; /* the first that came */
    } barriers[16];
};

enum { ENG_QUAD_REGISTERS = 48 };
struct eng_worker {
    eng_device *device;
    eng_memory *memory;
    eng_grid *grid;
    unsigned index;
    eng_batch *batch;          /* events being written; NULL when nobody listens */
    eng_event *ev, *ev_end;    /* next free event, end of batch->events */
    uint32_t wants;            /* 1 << eng_event_kind, or-ed over all sinks; ENG_WANTS_SUMS */
    eng_sink *sinks;
    size_t n_sinks;
    bool stop;                 /* the launch ends: set by eng_fault when fatal */
    bool shuffled;             /* the launch has a seed: order.h */
    uint64_t *counts;          /* executions of basic blocks, branches, guards: see plan.h */
    void *memory_state;        /* the worker's view of memory: eng_memory_view, between eng_memory_begin and _end (view.h) */
    uint64_t executed;         /* warp instructions of the quanta that ended */
    uint64_t time_stands;      /* what clocks show while only time can pass (livelock.h); 0: they go */
    uint64_t time_passed;      /* what they show beside what was executed */
    uint64_t idle_threads, blocks_run;
    uint64_t externs_called;   /* as in eng_result */
    struct eng_load_frame *load_frame; /* loads.h; NULL: native code does no loads */
    struct eng_context *contexts; /* free ones, the last used first: its slots are still in the cache */
    wg_status status;          /* why it stopped */
    wg_error err;
    struct eng_findings *findings; /* run.c */
    struct eng_origins *origins;   /* undefined.c; NULL: none yet */
    struct {                       /* while lanes help their quads (exec_control.c): what they had before */
        uint32_t lanes, worked, words[ENG_QUAD_REGISTERS][32];
    } helpers;
};

/* One launch, the same for all workers. */
struct eng_grid {
    eng_code *code;
    eng_plan *plan;
    const img_function *function;
    const eng_launch *launch;
    uint32_t grid[3], block[3];
    uint64_t n_blocks;
    uint32_t threads, warps;   /* of a block */
    uint32_t cluster[3], cluster_size; /* blocks of a cluster; 1: no clusters */
    eng_bank banks[ENG_BANKS];
    uint32_t shared_size, local_size; /* bytes of a block; bytes of a lane */
    uint32_t stack_size;              /* of these, for calls whose depth the code does not state */
    uint32_t *by_warp;                /* slots that differ by warp, see context.c */
    const eng_apart *apart;           /* NULL: nobody asks, or nothing is known */
};

/* Generic addresses: the windows of 2^24 bytes at these places are shared and local memory, the rest is global. Neither
 * is an address that a host process can have, so a pointer is never taken for the wrong space. */
#define ENG_SHARED_WINDOW UINT64_C(0x0100000000000000)
#define ENG_LOCAL_WINDOW  UINT64_C(0x0200000000000000)
#define ENG_WINDOW_SIZE   (UINT64_C(1) << 24)

/* --- handlers -------------------------------------------------------------------------- */

/* Continue with the next instruction; with another one, whose lanes are w->mask. */
#if defined(WG_TAIL_CALLS)
#define ENG_NEXT    return (i + 1)->fn(i + 1, w, R, mask)
#define ENG_GOTO(n) do { const eng_ins *n_ = (n); return n_->fn(n_, w, R, w->mask); } while (0)
#else
#define ENG_NEXT    return (void)mask, (void)R, i + 1
#define ENG_GOTO(n) return (n)
#endif
/* Of a handler whose frame a call at its end would keep, since it holds an array: back to the loop that runs the warp.
 * Thousands of such instructions in a row would use up the stack. */
#define ENG_NEXT_UNWOUND return (void)mask, (void)R, i + 1
/* Which of its arguments a handler reads depends on how it goes on: by a tail call, or back to the loop. */
#define ENG_UNUSED        __attribute__((unused))
#define ENG_HANDLER(name)                                                                                    \
    static const eng_ins *name(const eng_ins *i ENG_UNUSED, eng_warp *w ENG_UNUSED, uint8_t *R ENG_UNUSED,   \
                               uint32_t mask ENG_UNUSED)

/* Lanes for which the instruction takes effect. */
static inline uint32_t eng_on(const eng_ins *i, const eng_warp *w, uint32_t mask) {
    return (mask | i->uni) & (w->P[i->guard] ^ i->ginv);
}
/* A predicate source, with its inversion. */
static inline uint32_t eng_pred(const eng_warp *w, uint8_t ps) {
    return w->P[ps & 0x1f] ^ (uint32_t)((int8_t)ps >> 7);
}
/* A predicate destination, for the lanes in on. Of two that are the same predicate, the first keeps its value: it is set last. */
static inline void eng_set_pred(eng_warp *w, uint8_t pd, uint32_t value, uint32_t on) {
    w->P[pd] = (w->P[pd] & ~on) | (value & on);
}

/* Handlers leave the upper parts of vector registers as they are. Code that knows nothing of these parts keeps them with each
 * of its own vector instructions and so waits for whoever wrote them last: an event put down behind a run of loads took longer
 * than the loads. Said where handlers go on to such code and it is done often. */
static inline void eng_leave_vectors(void) {
#if defined(__AVX__)
    __builtin_ia32_vzeroupper();
#endif
}

/* Hands the batch to the sinks and empties it. */
void eng_flush(eng_worker *worker);
/* The next free event, kind, instruction, warp and mask filled; call only when worker->wants has the kind.
 * The caller fills the rest and then calls eng_event_done. General address vectors: eng_event_lanes gives a
 * place for 32 addresses (and sets ev->general), flushing first when the batch has none left. */
static inline eng_event *eng_event_new(eng_warp *w) {
    eng_worker *k = w->worker;
    if (__builtin_expect(k->ev == k->ev_end, 0)) {
        eng_leave_vectors();
        eng_flush(k);
    }
    w->met = 0;
    return k->ev;
}
static inline void eng_event_done(eng_warp *w) { w->worker->ev++; }
static inline uint64_t *eng_event_lanes(eng_warp *w, eng_event **ev) {
    eng_worker *k = w->worker;
    if (__builtin_expect(k->batch->n_general == ENG_BATCH_GENERAL, 0)) {
        eng_leave_vectors();
        eng_flush(k);
        *ev = k->ev;
    }
    (*ev)->general = (uint16_t)k->batch->n_general;
    return k->batch->lanes[k->batch->n_general++];
}

/* trace.c: the traced warp is about to execute i. */
void eng_trace_step(eng_warp *w, const eng_ins *i);

/* Records what went wrong with the instruction; the caller fills kind, lanes, space, address, width, access, allocation,
 * text, fatal; the rest (function, instr, block, warp, lane) is filled here. Fatal: the handler must then leave
 * with ENG_GOTO(eng_end(w, i)); the launch ends. Not fatal: it goes on. */
void eng_fault(eng_warp *w, const eng_ins *i, eng_finding *finding);
/* The same for what is to be told at another place. */
void eng_fault_from(eng_warp *w, const eng_ins *i, eng_finding *finding, const eng_ins *told);
/* The running warp stops for good at i (after a fatal fault): returns the instruction to go to. */
const eng_ins *eng_end(eng_warp *w, const eng_ins *i);

/* --- planning -------------------------------------------------------------------------- */

/* A binder looks at one decoded instruction and fills *out (id, function, guard, ginv are filled already, the rest
 * is zero); it returns false when it does not do this form: the instruction is then reported as unsupported, by
 * name and place. It may call eng_refuse to say more. */
typedef bool (*eng_bind)(eng_plan *plan, const sass_instr *in, eng_ins *out);

typedef struct eng_binding { /* name: column HANDLER of isa.def */
    const char *name;
    eng_bind bind;
} eng_binding;
typedef struct eng_family {
    const eng_binding *bindings;
    unsigned n;
} eng_family;
/* Ends a family's file:  ENG_FAMILY(int, {"iadd3", bind_iadd3}, {"lea", bind_lea}) */
#define ENG_FAMILY(family, ...)                                                                                   \
    static const eng_binding bindings_[] = {__VA_ARGS__};                                                         \
    extern const eng_family ENG_ISA(eng_family_##family);                                                         \
    const eng_family ENG_ISA(eng_family_##family) = {bindings_, sizeof bindings_ / sizeof *bindings_}

/* Offsets of operands: registers, uniform registers, constants and immediates alike. Modifiers (neg, abs, inv) are the
 * binder's. A form that no slot can stand for (indexed or bindless constants) marks the plan as failed. */
uint32_t eng_slot_src(eng_plan *plan, const sass_operand *op);   /* 32 bits; absent: zero */
uint32_t eng_slot_src64(eng_plan *plan, const sass_operand *op); /* pair; a 32-bit immediate is zero-extended */
uint32_t eng_slot_signed64(eng_plan *plan, const sass_operand *op); /* the same, sign-extended */
uint32_t eng_slot_double(eng_plan *plan, const sass_operand *op);/* pair; a 32-bit immediate is the high word */
uint32_t eng_slot_dst(eng_plan *plan, const sass_operand *op);   /* sink for RZ and for an absent one */
uint32_t eng_slot_reg(eng_plan *plan, unsigned reg);             /* RZ as a source when 255 */
uint32_t eng_slot_ureg(eng_plan *plan, unsigned ureg);           /* URZ likewise */
uint32_t eng_slot_value(eng_plan *plan, uint32_t value);         /* every lane holds the value */
uint32_t eng_slot_special(eng_plan *plan, unsigned sr);          /* special registers that are fixed for a block */
enum { ENG_SR_RANK = 0x88 /* SR_CgaCtaId: a block's rank in its cluster */,
       ENG_SR_TO_OWN = 0x100 /* of no hardware: added to addresses of a block's own shared memory, it makes offsets of them */ };
bool eng_plan_clustered(const eng_plan *plan);                   /* such addresses hold ranks */
uint32_t eng_slot_barrier(eng_plan *plan, unsigned b);
/* All of a plain instruction's: d, a, b, c, pd, ps. */
void eng_operands(eng_plan *plan, const sass_instr *in, eng_ins *out);
bool eng_is_zero(const sass_operand *op);                        /* absent, RZ, URZ or 0 */
uint8_t eng_pred_src(const sass_pred *pred);                     /* ENG_PT when absent */
uint8_t eng_pred_dst(const sass_pred *pred);                     /* ENG_PSINK when PT or absent */
uint32_t eng_plan_wants(const eng_plan *plan);                   /* 1 << eng_event_kind, or-ed: what sinks listen to; ENG_WANTS_SUMS */
uint32_t eng_request_counter(eng_plan *plan); /* index of the counter of the requests of the instruction being planned */
uint32_t eng_plain_counter(eng_plan *plan, eng_space space); /* index of the counters of the plain accesses of the instruction being planned */
const img_function *eng_plan_function(const eng_plan *plan);
const sass_instr *eng_plan_instrs(const eng_plan *plan, unsigned *n); /* of the function that is being planned */
unsigned eng_plan_block_start(const eng_plan *plan);   /* first instruction of the basic block of the one being planned */
bool eng_refuse(eng_plan *plan, const char *why);                /* returns false */

#endif
