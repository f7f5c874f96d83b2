/* The loads from shared memory in a run of native code. They are checked and counted before the run's arithmetic, in one go
 * and for all lanes: every base register is looked at once, and nothing has an effect before everything is known to be in
 * order. The arithmetic then reads memory in place; only long contiguous elements are copied first, a slot for each of their
 * words. (Global memory was tried: counting what was read takes the time there, whoever does it.) */
#ifndef WG_ENGINE_LOADS_H
#define WG_ENGINE_LOADS_H

#include "engine/machine.h"

enum { ENG_LOADS_MOST = 64, ENG_LOAD_BASES = 12, ENG_LOAD_WORDS = 32 /* that may have to be copied */ };

typedef enum eng_load_shape { ENG_LOAD_OTHER, ENG_LOAD_CONTIGUOUS, ENG_LOAD_UNIFORM } eng_load_shape;

typedef struct eng_load_base { /* a register that loads of one width start from */
    uint32_t slot, add;        /* add: slot of a uniform register */
    uint8_t width;
    uint8_t shape;             /* eng_load_shape that its lanes must have, as they had when the code was made */
    bool known;                /* that it is uniform, whatever runs */
    bool keeps;                /* the last one of the run with this register: leaves its shape (access.h) */
    int32_t least, most;       /* of the offsets; most: with the width of a lane */
    uint32_t counter;          /* of runs that did its loads */
} eng_load_base;

typedef struct eng_one_load {
    const eng_ins *ins;
    uint8_t base;              /* index in bases */
    uint8_t words;             /* first of its words in the frame's, if it has to be copied */
} eng_one_load;

typedef struct eng_loads {
    struct eng_loads *next;    /* of the plan */
    unsigned n, n_bases;
    eng_load_base bases[ENG_LOAD_BASES];
    eng_one_load loads[ENG_LOADS_MOST];
} eng_loads;

static inline bool eng_load_copied(const eng_load_base *base) { return base->shape == ENG_LOAD_CONTIGUOUS && base->width > 4; }

/* The shape in which a load counts as plain (event.h). */
static inline unsigned eng_load_plain(const eng_load_base *base, const eng_ins *i, uint32_t address) {
    if (base->shape == ENG_LOAD_UNIFORM) return ENG_PLAIN_UNIFORM;
    return (address + (uint32_t)i->imm) & (ENG_PLAIN_SECTOR - 1) ? ENG_PLAIN_SHIFTED : ENG_PLAIN_ALIGNED;
}

/* Where native code finds things. One a worker. */
typedef struct eng_load_frame {
    _Alignas(64) uint8_t words[ENG_LOAD_WORDS][ENG_SLOT];
    const uint8_t *at[ENG_LOAD_BASES]; /* offset 0 of lane 0 */
} eng_load_frame;

/* Does them for a warp of which all lanes are active. NULL, without any effect: handlers must do the run. */
typedef eng_load_frame *(*eng_loads_fn)(const eng_loads *loads, eng_warp *w, uint8_t *R);

#endif
