/* Evidence from the machine code alone: how each memory instruction of a kernel steps from lane to lane, what it moves,
 * and what the kernel is made of. Nothing runs. docs/evidence.md says how it is found and what is assumed. */
#ifndef WG_EVIDENCE_EVIDENCE_H
#define WG_EVIDENCE_EVIDENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "engine/event.h"
#include "image/image.h"
#include "sass/sass.h"

struct ev_flow;

typedef enum ev_verdict {
    EV_COALESCED,     /* neighbouring lanes, neighbouring places */
    EV_STRIDED,       /* a constant step that leaves bytes unused */
    EV_BROADCAST,     /* one place for all lanes */
    EV_SCATTERED,     /* known, but no constant step, and more sectors than the bytes need */
    EV_DEPENDS,       /* the step depends on something that all lanes share: a parameter, a loop's counter */
    EV_DATA,          /* depends on data */
    EV_CONFLICT_FREE, /* shared memory */
    EV_CONFLICTS,
    EV_SPILL,         /* local memory at a fixed place */
    EV_LOCAL_ARRAY    /* local memory, indexed */
} ev_verdict;

typedef struct ev_range {
    unsigned least, most;
} ev_range;

typedef struct ev_access {
    uint32_t instr;       /* index in the function */
    const char *file;     /* NULL: the code has no lines */
    uint32_t line;
    eng_space space;      /* generic accesses: ENG_GLOBAL, and generic is set */
    bool generic, load, store, atomic, async;
    bool second;          /* LDGSTS: this row is its shared side */
    uint8_t width;        /* bytes a lane */
    uint32_t address;     /* ev_id of the low word */
    const char *text;     /* the address, readable */
    bool has_stride;      /* lane l is at lane 0 + l * stride, in every case that was tried */
    int32_t stride;
    bool converged;       /* that holds among lanes that came the same way; lanes of a warp may have parted before */
    ev_range sectors;     /* of a full warp: global, local */
    ev_range used;        /* distinct bytes */
    ev_range wavefronts, ways, ideal; /* shared */
    ev_verdict verdict;
    const char *words;    /* the verdict in words */
} ev_access;

typedef struct ev_loop_line {
    uint32_t first, last; /* instructions */
    uint32_t line;
    const char *file;
    unsigned depth;       /* 0: in no other loop */
} ev_loop_line;

typedef struct ev_mix {
    const char *name;
    unsigned n;
} ev_mix;
enum { EV_MIX_KINDS = 12 };

typedef struct ev_kernel {
    const img_module *module;
    const img_function *function;
    struct ev_flow *flow;
    ev_access *accesses;
    size_t n_accesses;
    ev_loop_line *loops;
    size_t n_loops;
    ev_mix mix[EV_MIX_KINDS];
    unsigned instructions; /* without the padding behind the last one that can be reached */
    unsigned barriers;     /* BAR instructions */
    unsigned spill_loads, spill_stores, array_loads, array_stores; /* local memory: at fixed places, and indexed */
    unsigned tensor, async;
    uint32_t block[3];     /* what was assumed of the block; 0: a multiple of 32 along x */
} ev_kernel;

typedef struct ev_options {
    uint32_t block[3]; /* threads of a block; {0}: REQNTID where the code has it, else any multiple of 32 along x */
} ev_options;

/* The result lives in *arena; ev_kernel_free gives back what does not. ERR_MEMORY, ERR_FORMAT (no code). */
wg_status ev_analyse(const img_module *module, const img_function *function, const ev_options *options, wg_arena *arena,
                     ev_kernel **out, wg_error *err);
void ev_kernel_free(ev_kernel *kernel);

const char *ev_verdict_name(ev_verdict verdict); /* "coalesced", "strided", ... */
const char *ev_space_name(const ev_access *access);

/* What a launch is, for checks against what was executed. Leaves that it does not say are 0 in *known. */
typedef struct ev_launch {
    uint32_t grid[3], block[3], ctaid[3];
    const uint8_t *params;
    uint32_t warp;
    uint32_t stack; /* value of the stack pointer at the start */
} ev_launch;
typedef enum ev_known { EV_KNOWN, EV_KNOWN_STEPS /* all but what all lanes share */, EV_UNKNOWN } ev_known;
/* The addresses of the 32 lanes, low words. iteration: how often each loop was gone through. */
ev_known ev_addresses(const ev_kernel *kernel, const ev_access *access, const ev_launch *launch, unsigned iteration, unsigned first_lane,
                      uint32_t lanes[32]);

/* --- output -------------------------------------------------------------------------------------- */
void ev_text(const ev_kernel *kernel, bool explain, wg_text *out);
json_t *ev_json(const ev_kernel *kernel, bool explain); /* NULL: no memory */
/* What changed; returns the number of differences. */
unsigned ev_diff(const ev_kernel *a, const ev_kernel *b, wg_text *out);

/* --- promises: 'FILE:LINE width=16 stride=4 ...' --------------------------------------------------- */
typedef struct ev_promise {
    char *file;
    uint32_t line;
    int width;                  /* 0: any */
    bool has_stride, all;       /* all: every access of the line, not just one */
    int32_t stride;
    const char *verdict, *space, *kind; /* NULL: any; point into text */
    char *text;
} ev_promise;
wg_status ev_promise_parse(const char *text, ev_promise *out, wg_error *err);
void ev_promise_free(ev_promise *promise);
/* met: accesses of the line that keep it; n: accesses of the line. */
void ev_promise_count(const ev_promise *promise, const ev_kernel *kernel, unsigned *met, unsigned *n);

#endif
