/* Watches: observers of a launch. One file a watch; each owns one part of the launch's record.
 * A watch has one state for each worker; states are merged, in order of worker, when the launch ends.
 * All sums commute, so the record is the same for every number of workers. */
#ifndef WG_WATCH_WATCH_H
#define WG_WATCH_WATCH_H

#include <jansson.h>

#include "base/map.h"
#include "engine/engine.h"
#include "watch/extents.h"
#include "watch/finding.h"

/* --- counters: one row each in counters.def --------------------------------------------- */
typedef enum watch_exactness {
    WATCH_EXACT, /* counted from the executed code; equal to the hardware's counter where it has one */
    WATCH_MODEL  /* follows from a stated model */
} watch_exactness;
typedef enum watch_scope {
    WATCH_LAUNCH,     /* of a launch */
    WATCH_INSTRUCTION /* of a launch, and of each of its instructions to which it applies */
} watch_scope;
typedef enum watch_counter {
#define WATCH_ROW(id, ...) WATCH_##id,
#include "watch/counters.def"
#undef WATCH_ROW
    WATCH_COUNTERS
} watch_counter;
typedef struct watch_counter_info {
    const char *name, *unit;
    watch_exactness exactness;
    watch_scope scope;
    const char *meaning, *source;
} watch_counter_info;
extern const watch_counter_info watch_counter_table[WATCH_COUNTERS];
int watch_counter_find(const char *name); /* -1: no such counter */

/* --- the record of a launch ------------------------------------------------------------- */
typedef struct watch_value {
    enum { WATCH_ABSENT, WATCH_COUNT, WATCH_REAL } kind;
    union { uint64_t count; double real; };
} watch_value;
typedef struct watch_table { /* counters of one function's instructions */
    size_t n;                /* instructions; 0: nothing was counted here */
    uint64_t *values[WATCH_COUNTERS]; /* NULL: no value for any instruction */
    uint64_t *present[WATCH_COUNTERS]; /* bit set of instructions that have a value */
} watch_table;
/* A store that the end of the grid ended, before the end of what it stores into (coverage.c). */
typedef struct watch_tail {
    watch_side at; /* the last thread's store; its address is the first that a further thread would have stored to */
    const eng_allocation *allocation;
    uint64_t base, threads; /* address of thread 0's store; threads of the grid */
    unsigned block_threads;
    uint32_t stride; /* bytes from one thread's store to the next one's */
} watch_tail;
typedef struct watch_record {
    watch_value launch[WATCH_COUNTERS];
    watch_table *tables; /* by function of the module */
    size_t n_tables;
    json_t *samples; /* of accesses, by watch_sample_key; NULL: none */
    json_t *extra; /* more members for the launch's JSON ("occupancy", ...) */
    watch_findings findings;
    wg_vec(watch_tail) tails;
    bool failed;   /* no memory: the record is not whole */
} watch_record;

typedef struct watch_sample_key { char text[24]; } watch_sample_key;
watch_sample_key watch_sample_key_of(unsigned function, uint32_t instr);
bool watch_record_init(watch_record *record, const img_module *module); /* false: no memory */
void watch_record_free(watch_record *record);
void watch_set(watch_record *record, watch_counter counter, uint64_t value);
void watch_set_real(watch_record *record, watch_counter counter, double value);
/* Adds to a count; an absent one starts at 0. */
void watch_add(watch_record *record, watch_counter counter, uint64_t value);
/* Adds to an instruction's counter alone; and to the launch's as well. */
void watch_put_at(watch_record *record, watch_counter counter, unsigned function, uint32_t instr, uint64_t value);
void watch_add_at(watch_record *record, watch_counter counter, unsigned function, uint32_t instr, uint64_t value);
bool watch_get_at(const watch_record *record, watch_counter counter, unsigned function, uint32_t instr, uint64_t *value);

/* --- watches ---------------------------------------------------------------------------- */
/* Memory for the length of a launch, kept for the next one. */
typedef struct watch_scratch watch_scratch;
watch_scratch *watch_scratch_new(void); /* NULL: no memory */
void *watch_scratch_take(watch_scratch *scratch, size_t size, bool zeros); /* at a multiple of 64; NULL: no memory */
void watch_scratch_clear(watch_scratch *scratch); /* all that was taken is given back */
void watch_scratch_free(watch_scratch *scratch);
/* For a state of its own, as each worker has one: what nobody has, until it is given back. NULL: no memory. */
watch_scratch *watch_scratch_lend(watch_scratch *scratch);
void watch_scratch_give_back(watch_scratch *lent);

typedef struct watch_context {
    eng_code *code;
    const img_module *module;
    const img_function *function; /* the kernel */
    const eng_launch *launch;
    const eng_gpu *gpu;
    eng_memory *memory;
    wg_u64map *elements; /* allocation id -> width of the narrowest access to it; may be NULL */
    watch_extents *extents; /* gets what the launch touches; NULL: nobody wants it */
    watch_scratch *scratch; /* of the one launch that runs; may be NULL */
    unsigned chunk_bytes, group_threads; /* the own model of transactions; 0 = not asked for */
    uint32_t checks; /* what is looked for, 1 << watch_kind, or-ed (finding.h) */
    bool samples;    /* an example of each access is kept */
} watch_context;

typedef struct watch {
    const char *name;
    uint32_t checks; /* kinds that it looks for: it takes part when one of them is asked for; 0: always */
    bool (*asked)(const watch_context *ctx); /* more to ask before it takes part; NULL: nothing */
    bool (*again)(void *state); /* after several workers: must it hear all blocks in their order from one? NULL: never */
    uint32_t wants; /* 1 << eng_event_kind, or-ed; 0: only the result */
    void *(*start)(const watch_context *ctx); /* a worker's state; NULL: no memory. May be NULL when wants is 0 */
    void (*events)(void *state, const eng_batch *batch);
    void (*plain)(void *state, const eng_plain *sums); /* it takes sums of plain accesses (event.h); NULL: it does not */
    bool (*takes_sums)(const watch_context *ctx);      /* does it this time? NULL: always */
    bool (*block)(void *state, uint64_t linear); /* of which blocks it hears all the same (event.h); NULL: of none */
    void (*apart)(void *state, const eng_apart *apart); /* of which sums will do (event.h); NULL: of all that come */
    void (*merge)(void *into, void *from); /* frees nothing */
    /* Adds its counters to the record. */
    void (*finish)(void *state, const watch_context *ctx, const eng_result *result, watch_record *record);
    void (*stop)(void *state);
} watch;

/* All watches, NULL-terminated. */
extern const watch *const watch_all[];

/* All watches on one launch: start, put the sinks into the launch, run it, finish, stop. */
enum { WATCH_MOST = 16 };
typedef struct watch_run {
    watch_context ctx;
    unsigned workers;
    const watch *watches[WATCH_MOST]; /* that hear events, in the order of watch_all */
    eng_sink *sinks; /* sinks[worker * n_sinks + k], as eng_launch wants them */
    struct watch_listener *listeners; /* one a sink */
    size_t n_sinks;
} watch_run;
bool watch_run_start(watch_run *run, const watch_context *ctx, unsigned workers); /* false: no memory */
/* Merges the workers' states and lets every watch write what it counted. */
void watch_run_finish(watch_run *run, const eng_result *result, watch_record *record);
void watch_run_stop(watch_run *run);

/* --- a cell an instruction: the state that most watches keep ----------------------------- */
/* Zeroed cells of `size` bytes for every instruction of the functions that ran; a function's cells come with
 * its first event. */
typedef struct watch_cells {
    const img_module *module;
    size_t size;
    void **at; /* by function */
} watch_cells;
bool watch_cells_init(watch_cells *cells, const watch_context *ctx, size_t size);
void *watch_cells_more(watch_cells *cells, unsigned function); /* NULL: no memory */
void watch_cells_free(watch_cells *cells);
/* The cell of an instruction; NULL: no memory. */
static inline void *watch_cell(watch_cells *cells, unsigned function, uint32_t instr) {
    char *row = cells->at[function];
    if (__builtin_expect(!row, 0)) {
        row = watch_cells_more(cells, function);
        if (!row) return NULL;
    }
    return row + instr * cells->size;
}

/* --- results remembered an instruction --------------------------------------------------- */
/* What a request costs depends on its place modulo 128 bytes and on its shape, and an instruction makes the same
 * few requests again and again. A cell remembers its latest four. Not for ENG_GENERAL and not for local memory. */
typedef struct watch_memo {
    struct watch_remembered {
        uint32_t mask, more;
        int32_t stride;
        uint8_t phase, cls, valid;
        uint16_t result[3];
    } at[4];
} watch_memo;
/* The place for this request; *known says whether its result is there. */
static inline struct watch_remembered *watch_recall(watch_memo *memo, const eng_event *ev, bool *known) {
    uint8_t phase = ev->address & 127;
    uint32_t more = ev->cls == ENG_ROWS ? ev->more : 0;
    int32_t stride = ev->cls == ENG_ROWS || ev->cls == ENG_STRIDED ? ev->stride : 0;
    struct watch_remembered *r = &memo->at[(phase >> 2 ^ phase >> 4) & 3];
    *known = r->valid && r->phase == phase && r->cls == ev->cls && r->mask == ev->mask && r->stride == stride && r->more == more;
    if (!*known)
        *r = (struct watch_remembered){.mask = ev->mask, .more = more, .stride = stride, .phase = phase, .cls = ev->cls, .valid = 1};
    return r;
}

#endif
