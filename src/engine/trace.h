/* One warp watched step by step. A launch that carries an eng_trace runs a plan with a pseudo-instruction before every
 * instruction; a launch without one pays nothing. The launch gets one worker.
 *
 * A step is one instruction issued by one group of lanes. `before` sees the registers that it will read, `after` those
 * that it wrote and the events of its accesses. */
#ifndef WG_ENGINE_TRACE_H
#define WG_ENGINE_TRACE_H

#include <stdbool.h>

#include "engine/event.h"

struct eng_warp;

typedef struct eng_step {
    uint16_t function;      /* index in img_module.functions */
    uint32_t instr;         /* index in its function */
    uint32_t mask, on;      /* active lanes; those for which the guard is true */
    const eng_batch *batch; /* after: holds the events of this step, if somebody listens to accesses; may be NULL */
    size_t n_events;
    /* for the functions below */
    const struct eng_warp *warp;
} eng_step;

typedef struct eng_trace {
    uint64_t block; /* linear index */
    unsigned warp;  /* in its block */
    void (*before)(void *ctx, const eng_step *step);
    void (*after)(void *ctx, const eng_step *step);
    void *ctx;
    bool stopped;   /* the listener sets it when it has heard enough */
    /* the engine's own */
    bool open;
    eng_step step;
} eng_trace;

/* 32 lanes of a register, uniform register; NULL: the kernel has no such one. Valid until the callback returns. */
const uint32_t *eng_step_register(const eng_step *step, unsigned reg);
const uint32_t *eng_step_uniform(const eng_step *step, unsigned ureg);
uint32_t eng_step_predicate(const eng_step *step, unsigned pred, bool uniform); /* a bit a lane */

#endif
