/* The trace of one warp: every instruction that it issued, with the values that its lanes got.
 *
 * Not one of watch_all: it listens to the engine's steps and not to events, and only when it is asked for. */
#ifndef WG_WATCH_TRACE_H
#define WG_WATCH_TRACE_H

#include <jansson.h>

#include "engine/engine.h"

/* What to trace:  KERNEL[block 3, warp 1, lanes 0-7, registers R5 R7, launch 0, steps 2000]
 * Each part in the brackets may be left out, and so may the brackets. A block is a number or (x,y,z). */
typedef struct watch_trace_spec {
    char kernel[256];     /* a pattern: a part of the name, or the whole of it when it holds * or ? */
    bool linear;          /* the block is block[0], counted through */
    uint32_t block[3];
    unsigned warp;
    unsigned first_lane, last_lane; /* to be shown; all are recorded */
    uint64_t launch;      /* of those whose kernel matches, from 0 */
    uint32_t steps;       /* recorded at most */
    uint64_t registers[4];/* to be shown, a bit each; all zero: what the text view finds fit */
} watch_trace_spec;
enum { WATCH_TRACE_STEPS = 2000, WATCH_TRACE_MOST_STEPS = 1000000 };
/* ERR_ARGUMENT with what is wrong. */
wg_status watch_trace_read(const char *text, watch_trace_spec *out, wg_error *err);
bool watch_trace_wants(const watch_trace_spec *spec, const img_function *kernel);

typedef struct watch_trace watch_trace;
/* ERR_ARGUMENT when the launch has no such block or warp. The engine's trace is to be put into the launch. */
wg_status watch_trace_start(const watch_trace_spec *spec, eng_code *code, const eng_launch *launch, watch_trace **out,
                            eng_trace **engine, wg_error *err);
/* Places of the instructions are the session's to give: function and index, in the order of "instructions". */
size_t watch_trace_places(const watch_trace *trace);
void watch_trace_place(const watch_trace *trace, size_t i, unsigned *function, uint32_t *instr);
/* "block", "warp", "lanes", "instructions", "steps", ... of docs/json.md; NULL: no memory. */
json_t *watch_trace_json(const watch_trace *trace);
void watch_trace_free(watch_trace *trace);

/* trace_types.c: what the bits of a register are, found from the instructions that made them or used them.
 * order: the instructions as they were executed, each an index into instrs. */
typedef enum watch_type { WATCH_TYPE_UNKNOWN, WATCH_TYPE_INT, WATCH_TYPE_F32, WATCH_TYPE_F64, WATCH_TYPE_F16X2,
                          WATCH_TYPE_BF16X2, WATCH_TYPE_ADDRESS /* 64 bits in two registers */ } watch_type;
extern const char *const watch_type_names[];
typedef struct watch_typed { watch_type result, data /* of what a store or a shuffle takes */; } watch_typed;
void watch_trace_types(const sass_instr *const *instrs, size_t n, const uint32_t *order, size_t n_order, watch_typed *out);

#endif
