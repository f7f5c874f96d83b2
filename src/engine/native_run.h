/* Making the code of one run: shared by native.c (which runs there are), native_run.c (registers, head and tail) and
 * native_ops.c (what each instruction does). */
#ifndef WG_ENGINE_NATIVE_RUN_H
#define WG_ENGINE_NATIVE_RUN_H

#include "engine/lift.h"
#include "engine/loads.h"
#include "engine/native_x86.h"
#include "engine/plan.h"

enum { NATIVE_MOST = 96 /* instructions of a run */, NATIVE_PREDS = 4 /* predicates that it writes */ };

/* Vector registers: values; scratch of putting values away; for some lanes, their mask; scratch of instructions. */
enum { NATIVE_VALUES = 11, NATIVE_SPARE = 11, NATIVE_MASK = 12, S0 = 13, S1 = 14, S2 = 15 };

/* Registers: RDI the first instruction, RSI the warp, RDX its slots (of the round), ECX the mask, as handlers get them; RAX
 * bytes of a slot that are done, R9 the warp plus the number of the round; R14 the frame of loads; R8, R10, R11 scratch. */

typedef struct native_value {
    uint32_t slot; /* ENG_NO_INDEX: free */
    bool dirty;    /* its slot must be stored */
    bool nan;      /* a NaN in it may not be the one that a result must have */
    bool uniform;  /* all lanes are stored, active or not */
} native_value;

typedef struct native_pending { /* a word that was loaded, and is neither in a register nor in its slot yet */
    uint32_t slot;
    uint8_t load, word;
} native_pending;

typedef struct native_run {
    x86 x;
    const eng_plan *plan;
    const eng_ins *first;
    unsigned n, k;               /* instructions; the one that is being made */
    const uint8_t *lifts;        /* eng_lift of each */
    eng_loads *loads;            /* that it does first; NULL: none, else the run is for all lanes only */
    eng_loads_fn do_loads;
    eng_fn otherwise;            /* what does the run where native code does not */
    native_pending pending[ENG_LOADS_MOST * 4]; /* a load has up to four words */
    unsigned n_pending, n_loaded; /* loaded: by the instructions made so far */
    bool pointed;                /* R11 holds the place of an operand of the instruction being made */
    bool some;                   /* for some lanes */
    native_value value[NATIVE_VALUES];
    uint16_t pinned;             /* registers that the instruction being made reads or writes */
    uint8_t written[NATIVE_PREDS]; /* predicates that the run has written so far: in registers until it ends */
    bool written_uniform[NATIVE_PREDS];
    unsigned n_written;
} native_run;

/* What an instruction reads and writes: first word of slots and how many. */
typedef struct native_words { uint8_t a, b, c, d; } native_words;
extern const native_words native_words_of[ENG_LIFTS_N];

bool native_guarded(const eng_ins *i);
/* Does the code below do this form of it? */
bool native_does(const eng_ins *i, eng_lift lift);

/* --- values (native_run.c) ------------------------------------------------------------------ */
/* The register that holds a slot's lanes of this round, loaded if it has to be; a NaN may be in any form. */
int native_float(native_run *r, uint32_t slot);
int native_source(native_run *r, uint32_t slot); /* with the NaN that it must have */
/* The same, or its place in memory where that will do. */
x86_rm native_float_rm(native_run *r, uint32_t slot);
x86_rm native_source_rm(native_run *r, uint32_t slot);
/* Where the instruction's result goes: call it when all sources are named, write it last. native_done puts it into its slot
 * (guarded: for the lanes whose guard is true). nan: as native_value has it. */
int native_target(native_run *r, const eng_ins *i, unsigned word);
void native_done(native_run *r, const eng_ins *i, unsigned word, bool nan);
/* The bits of a predicate, of this round, in a register; as a vector. */
void native_predicate(native_run *r, int reg, unsigned p, bool inverted);
void native_expand(native_run *r, int v, unsigned p, bool inverted);
/* The eight bits in reg become those of predicate p. */
void native_set_predicate(native_run *r, const eng_ins *i, unsigned p, int reg);
/* Do all lanes of the slot always hold the same value? Which, where it is known? */
bool native_uniform(const eng_plan *plan, uint32_t slot);
bool native_constant(const native_run *r, uint32_t slot, uint32_t *value);

/* --- loads (native_loads.c) ------------------------------------------------------------------- */
/* Takes the load that is instruction n of a run in. False: it must not be part of the run. */
bool native_take_load(eng_loads *loads, const eng_ins *first, const uint8_t *lifts, unsigned n);
/* Finds the shape of every base in a warp's slots. False: one of them is none that native code is made for. */
bool native_loads_look(const eng_plan *plan, eng_loads *loads, const uint8_t *R);
/* Adds what a base's loads were counted for together to the counters of each. */
void native_loads_spread(const eng_loads *loads, uint64_t *counts);

/* Makes the run at r->x.at, for all lanes and for some; false: no room. */
bool native_make_run(native_run *r);

/* A load: its words are to be had from now on. */
void native_load(native_run *r, const eng_ins *i, unsigned words);

/* --- instructions (native_ops.c) ---------------------------------------------------------------- */
void native_op(native_run *r, const eng_ins *i, eng_lift lift);

#endif
