/* Plans: a kernel and the functions it may call, pre-decoded into one stream of eng_ins.
 *
 * The stream holds the instructions in order and, before each basic block, a pseudo-instruction that counts the
 * block's executions and lanes; before each guarded instruction that is no branch, one that counts the lanes whose
 * guard is true. Plans of traced launches have one more before each instruction. Counts of instructions are derived from these when the launch ends (counts.c). */
#ifndef WG_ENGINE_PLAN_H
#define WG_ENGINE_PLAN_H

#include "base/arena.h"
#include "base/vec.h"
#include "engine/code.h"
#include "engine/machine.h"

#define ENG_NO_INDEX UINT32_MAX

typedef struct eng_native eng_native;

typedef enum eng_fill_kind { ENG_FILL_VALUE, ENG_FILL_CONST, ENG_FILL_SPECIAL } eng_fill_kind;
typedef enum eng_varies { ENG_NEVER, ENG_BY_BLOCK, ENG_BY_WARP } eng_varies;
/* A slot that is filled when a context is made, or, where it varies, when a warp begins. */
typedef struct eng_fill {
    uint8_t kind, bank, width; /* width of a constant: 1, 2, 4 bytes */
    bool sign;
    uint8_t varies;            /* eng_varies */
    uint32_t value;            /* value; offset in the bank; number of the special register */
    uint32_t slot;             /* bytes from R */
} eng_fill;

/* Counters of a plan lie in one array of uint64_t, the same layout for every worker. */
enum { ENG_COUNT_WARPS, ENG_COUNT_LANES, ENG_BLOCK_COUNTERS };                      /* of a basic block */
enum { /* of a branch */
    ENG_COUNT_ON,        /* lanes that go */
    ENG_COUNT_BARRED,    /* lanes whose guard is true less those, modulo 2^64 */
    ENG_COUNT_DIVERGENT, /* times lanes parted */
    ENG_COUNT_FURTHER,   /* groups beyond two */
    ENG_BRANCH_COUNTERS
};

typedef struct eng_planned { /* where an instruction went */
    uint32_t ins;    /* index in the stream: its block's counter when it leads one, else itself or its guard counter */
    uint32_t self;   /* itself */
    uint32_t block;  /* index of its block's counters */
    uint32_t guard;  /* index of its guard counter; ENG_NO_INDEX: none */
    uint32_t branch; /* index of its branch counters; ENG_NO_INDEX: none */
    uint32_t requests; /* index of the count of its requests to a texture; ENG_NO_INDEX: none */
    uint32_t plain;  /* index of the counters of its plain accesses, ENG_PLAIN_SHAPES of them, and of ENG_PLAIN_HEARD behind them;
                        ENG_NO_INDEX: none */
    eng_space space; /* of those */
} eng_planned;

/* Does a basic block begin here? UNKNOWN: at a place that a register may hold. */
typedef enum eng_leader { ENG_LEADER_NO, ENG_LEADER, ENG_LEADER_UNKNOWN } eng_leader;

typedef struct eng_unit { /* a function of the plan */
    unsigned function;   /* index in img_module.functions */
    const sass_instr *instrs;
    unsigned n;
    eng_planned *planned;
    uint8_t *leader;     /* eng_leader, by instruction */
    uint8_t *elided;     /* constants.c; NULL: nothing is */
    uint32_t **flow_in;
    struct eng_slow { uint32_t at, self; } *slow; /* places in the slow stream: where the instruction begins, and it itself */
    uint32_t slow_stop;
    uint64_t **live;     /* undefined_flow.c */
} eng_unit;

/* Registers that an instruction reads, as vectors: place is the number of a register, uniform ones from 256 on. */
typedef struct eng_reads {
    unsigned n;
    struct { uint16_t place, words; } run[12];
} eng_reads;
eng_reads eng_reads_of(const sass_instr *in);

struct eng_plan {
    struct eng_plan *next;
    eng_code *code;
    const img_function *kernel;
    uint32_t wants;
    bool clustered; /* for launches with clusters of several blocks */
    bool takes_parameters; /* code takes their address */
    uint64_t parameters; /* device address of the copy that code reads which takes a parameter's address (bank0.c); 0: none */
    bool traced; /* a trace pseudo-instruction before every instruction (trace.c) */
    wg_arena *arena;
    wg_vec(eng_unit) units;
    wg_vec(eng_ins) ins;
    wg_vec(eng_fill) fills, starts; /* starts: copies of those that vary */
    wg_vec(uint32_t) fixups;   /* instructions whose imm is a place in the module's code, to become target */
    wg_vec(uint32_t) live_in;  /* slots that the code may read before it writes them: zero when a block starts */
    const eng_ins *start;
    const eng_ins *stop;       /* ends a run of handlers */
    eng_native *native;        /* native.c; NULL: none */
    /* undefined.h: the slow stream, made when first needed; slots and predicates without a value at the start */
    wg_vec(eng_ins) slow;
    wg_vec(uint32_t) undefined_in;
    uint32_t undefined_preds;  /* bits: indices into P */
    uint32_t shadow;           /* distance from a slot to its shadow, bytes; the slots' room */
    bool slowing, slow_failed; /* while it is made; it cannot be made */
    bool writes_shared;        /* other blocks of a cluster write to it: shared memory counts as defined */
    /* constants.c: the slot that a register equals, R first, then UR; else ENG_NO_INDEX. state: at the place that is being
     * planned; constants: as the instruction that is being planned may use it. */
    uint32_t state[512], constants[512];
    uint32_t n_counters;
    uint32_t n_regs, n_uregs, n_barriers;
    uint32_t zero, sink, uregs, barriers, end; /* byte offsets in R */
    /* properties that decide about running blocks side by side */
    bool result_atomics, float_atomics, strong_access, clocks;
    uint32_t reduction;           /* what its reductions of global memory do, plus 1; 0: there are none */
    bool ordered_reductions;      /* several that do not commute, or such as order only the threads of a block */
    bool allocates;      /* moves the stack pointer by what its frame does not say: alloca */
    bool indirect_calls; /* of places in registers, or of the driver: both take arguments in registers */
    bool calls, local;
    bool cluster_barrier; /* there is one */
    struct eng_apart_kept *apart; /* threads_apart.c: of the last launch; NULL: none yet */
    uint32_t in_order, conflicts; /* launches that are to be run by one worker, because several met; how often they did */
    /* while planning */
    unsigned current;          /* unit */
    const sass_instr *instr;   /* instruction */
    bool refused;
    char why[160];
};

/* plan.c: what undefined_plan.c shares with it. */
wg_status eng_plan_bind(eng_plan *plan, eng_unit *unit, unsigned n, eng_ins *out, wg_error *err);

/* OK, or UNSUPPORTED with kernel, instruction and place. Plans are kept by the code and freed with it. */
wg_status eng_plan_get(eng_code *code, const img_function *kernel, uint32_t wants, bool traced, bool clustered, eng_plan **out, wg_error *err);
void eng_plan_free(eng_plan *plan);

/* layout.c: number of slots from the registers that the units name; then places for the rest. */
void eng_layout_scan(eng_plan *plan);
uint32_t eng_slot_const(eng_plan *plan, unsigned bank, uint32_t offset, unsigned width, bool sign);
uint32_t eng_slot_const_run(eng_plan *plan, unsigned bank, uint32_t offset, unsigned words); /* consecutive slots */
/* constants.c: finds where registers hold constants. Then, in order, for each instruction: before it is planned (true:
 * it is counted but not executed), and after. */
void eng_find_constants(eng_plan *plan);
bool eng_constants_before(eng_plan *plan, const eng_unit *unit, unsigned n);
void eng_constants_after(eng_plan *plan, const eng_unit *unit, unsigned n);
/* Special registers whose value a slot holds from a warp's beginning on; for S2UR: the same in all lanes. */
bool eng_special_fixed(const sass_instr *in);
/* Is this -RZ * RZ + constant, by which compilers load constants where other pipes are busy? */
bool eng_half_constant(const sass_instr *in);

/* For control instructions: out continues at a place in the module's code (bytes), once it is planned. */
void eng_branch_to(eng_plan *plan, eng_ins *out, uint32_t place);
uint32_t eng_place(const eng_plan *plan, uint32_t offset); /* of an offset in the function being planned */
uint32_t eng_branch_counter(eng_plan *plan); /* index of counters for the instruction being planned */
/* The stream at a place in the code; NULL when no instruction of the plan is there. */
const eng_ins *eng_plan_at(const eng_plan *plan, uint64_t place, const eng_unit **unit, unsigned *index);
const eng_unit *eng_plan_unit(const eng_plan *plan, unsigned function);

#endif
