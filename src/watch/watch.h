/* Watches: observers of a launch. One file a watch; each owns one section of the launch's record.
 * A watch has one state for each worker; states are merged, in order of worker, when the launch ends.
 * All sums commute, so the record is the same for every number of workers. */
#ifndef WG_WATCH_WATCH_H
#define WG_WATCH_WATCH_H

#include <jansson.h>

#include "engine/engine.h"

typedef enum watch_exactness { WATCH_EXACT, WATCH_MODEL } watch_exactness;

typedef struct watch_context {
    eng_code *code;
    const img_function *function; /* the kernel */
    const eng_launch *launch;
    const eng_gpu *gpu;
    eng_memory *memory;
} watch_context;

typedef struct watch {
    const char *name;
    uint32_t wants; /* event kinds */
    void *(*start)(const watch_context *ctx); /* a worker's state; NULL: no memory */
    void (*events)(void *state, const eng_batch *batch);
    void (*merge)(void *into, void *from); /* frees nothing */
    /* Adds its counters: launch-wide with watch_set, per instruction with watch_set_at. */
    void (*finish)(void *state, const watch_context *ctx, const eng_result *result, struct watch_record *record);
    void (*stop)(void *state);
} watch;

/* All watches, NULL-terminated: counters.def names every counter once (name, unit, exactness, meaning, source). */
extern const watch *const watch_all[];

#endif
