/* What the files of this folder share. Not for other folders. */
#ifndef WG_SESSION_INNER_H
#define WG_SESSION_INNER_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/vec.h"
#include "session/session.h"
#include "watch/watch.h"

/* Where records go: appended to a file, or kept. */
typedef struct ses_sink {
    char *path; /* NULL: kept */
    int fd;     /* -1: not open */
    dev_t dev;  /* of the file, so that a descriptor that the program closed and reused is noticed */
    ino_t ino;
    json_t *kept;
    pid_t pid;
} ses_sink;

/* Counters of a kernel's instructions over its recorded launches, for the text report. */
typedef struct ses_profile {
    eng_code *code;
    const img_function *function;
    uint64_t launches, written; /* recorded so far; at the latest record of this profile */
    watch_record sum;
} ses_profile;

typedef struct ses_module { /* what ses_load made */
    eng_code *code;
    img_module *module;
    wg_arena *arena; /* of an assembled cubin; NULL */
} ses_module;

typedef struct ses_tail { /* elements that a grid left out, until it is known whether somebody misses them */
    uint32_t allocation;
    uint64_t from, base;     /* offsets in it: of the first byte left out, of thread 0's store */
    uint64_t threads;        /* of the grid */
    unsigned block_threads;
    uint32_t stride;         /* bytes from one thread's store to the next one's */
    json_t *finding;         /* all but what is missing */
} ses_tail;

struct session {
    ses_options options; /* texts owned */
    ses_sink sink;
    eng_device *device;
    wg_vec(uint64_t) offered; /* a bit set of executed architectures for each container offered */
    wg_vec(ses_module) modules;
    wg_vec(ses_profile *) profiles;
    wg_u64map elements; /* allocation id -> width of its narrowest access */
    watch_scratch *scratch;
    struct ses_order *order; /* of streams; NULL: there is one stream, or nobody asks */
    uint64_t launches, matched; /* launches asked for; those that match --kernel */
    json_t *last;      /* the latest launch's record */
    _Atomic bool running;
    const ses_launch *current; /* while running */
    eng_finding_kind fault;    /* what ended the latest launch that failed */
    volatile bool cancel;
    bool closed;
    wg_vec(ses_tail) tails;
    wg_u64map writers; /* allocation id -> who stored to it last (writers.c) */
    wg_u64map undefined_told; /* allocation id << 32 | number of a store: told (uninitialised.c) */
    unsigned (*host_stack)(void **frames, unsigned room); /* of the program's call that is being answered; NULL: unknown */
    uint32_t checks; /* what is looked for: 1 << watch_kind, or-ed */
    wg_u64map roots; /* roots.c: function -> what ses_roots_of gives */
    uint64_t errors; /* findings that are errors */
    uint64_t outputs, outputs_rest; /* outputs.c: how many; a hash of those that are not recorded one by one */
    struct ses_tracing *tracing; /* trace.c; NULL: nothing is traced */
};

/* --- options.c ---------------------------------------------------------------------------- */
bool ses_options_copy(ses_options *to, const ses_options *from);
void ses_options_free(ses_options *options);
wg_status ses_options_read(const char *json, ses_options *out, wg_error *err); /* texts owned by *out */

/* --- sink.c ------------------------------------------------------------------------------- */
/* Adds "record": kind and "process" and writes; steals the record. */
void ses_write(session *ses, const char *kind, json_t *record);
bool ses_sink_open(ses_sink *sink, const char *path);
void ses_sink_close(ses_sink *sink);
/* From here on nothing is taken from the program's heap: it may be locked or broken. */
void ses_sink_last_words(void);

/* --- findings.c --------------------------------------------------------------------------- */
void ses_finding_of_engine(const eng_finding *finding, watch_finding *out);
/* Writes those that are looked for, and those that ended the launch. */
void ses_findings_write(session *ses, const ses_launch *launch, uint64_t index, watch_findings *findings);
json_t *ses_finding_json(const session *ses, const ses_launch *launch, uint64_t index, const watch_finding *finding);
json_t *ses_allocation_json(const eng_allocation *allocation, uint64_t address); /* "allocation" of a finding */
const char *ses_fatal_message(const watch_findings *findings); /* what ended the launch; NULL: nothing that was found */

/* The program's own frame of an instruction, with the instruction as text. */
json_t *ses_own_place_json(const eng_code *code, const img_function *function, uint32_t instr);

/* --- order.c ------------------------------------------------------------------------------ */
/* Must it be known what the launch touches? Then extents is made ready. */
bool ses_order_wants(const session *ses, const ses_launch *l, watch_extents *extents);
/* Looks for races of a launch with what may run at the same time. Takes what it touched. */
void ses_order_launch(session *ses, const ses_launch *l, uint64_t index, watch_extents *extents);
void ses_order_unload(session *ses, const eng_code *code);
void ses_order_free(session *ses);

/* --- outputs.c ---------------------------------------------------------------------------- */
void ses_outputs_copied(session *ses, const eng_allocation *allocation, uint64_t at, uint64_t size); /* to the host */
void ses_outputs_end(session *ses);

/* --- host.c ------------------------------------------------------------------------------- */
void ses_host_forget(session *ses, const eng_allocation *allocation); /* it goes away */

/* --- trace.c ------------------------------------------------------------------------------ */
/* What the engine is to trace in this launch; NULL: nothing. Then, when the launch has ended, its record. */
eng_trace *ses_trace_begin(session *ses, const ses_launch *l, const eng_launch *launch);
void ses_trace_end(session *ses, const ses_launch *l, uint64_t index);

/* --- roots.c ------------------------------------------------------------------------------- */
/* By instruction of the kernel, for eng_launch.roots; NULL: nothing is known. Kept until the code is unloaded. */
const uint16_t *ses_roots_of(session *ses, const ses_launch *launch);
void ses_roots_forget(session *ses, const eng_code *code);

/* --- coverage.c, leaks.c -------------------------------------------------------------------- */
void ses_tails_add(session *ses, const ses_launch *launch, uint64_t index, const watch_record *record);
void ses_tails_copied(session *ses, const eng_allocation *allocation, uint64_t at, uint64_t size); /* to the host */
/* Does a tail that waits, or was told, hold this byte? */
bool ses_tails_hold(const session *ses, const eng_allocation *allocation, uint64_t at);
void ses_undefined_copied(session *ses, const eng_allocation *allocation, uint64_t at, uint64_t size); /* uninitialised.c */
/* Stores of undefined values in this launch that a race among its findings explains: not told any more. */
void ses_undefined_explained(session *ses, uint64_t launch, const watch_findings *findings);
void ses_undefined_end(session *ses, const eng_allocation *allocation, bool final); /* as for tails */
/* The allocation goes away (final), or the document is made as of now. */
void ses_tails_end(session *ses, const eng_allocation *allocation, bool final);
void ses_tails_free(session *ses);

/* --- profile.c, allocations.c, places.c ---------------------------------------------------- */
void ses_profile_add(session *ses, eng_code *code, const img_function *function, const watch_record *record);
void ses_profiles_write(session *ses, bool all); /* all: also those that were written not long ago */
void ses_profiles_forget(session *ses, const eng_code *code); /* before the code is unloaded */
void ses_allocations_watch(session *ses); /* allocations are recorded when they are freed */
void ses_allocations_write(session *ses); /* and the others now */
json_t *ses_stack_json(void *const *stack, unsigned n);
/* offset, sass, file, line, inlined of one instruction. */
json_t *ses_place_json(const eng_code *code, const img_function *function, uint32_t instr);
/* "instructions" of a launch or profile: what ran, in order of function and offset. */
json_t *ses_instructions_json(const eng_code *code, const img_function *kernel, const watch_record *record);
json_t *ses_hex(uint64_t value);

/* Who stored to an allocation last: after a launch; in words, false: not known. writers.c */
void ses_writers_note(session *ses, const ses_launch *l, uint64_t index);
bool ses_writers_tell(const session *ses, const eng_allocation *a, char *text, size_t size);
void ses_writers_free(session *ses);
/* A new array, where those that later launches repeat are one with the first; which get a larger count. repeated.c */
json_t *ses_fold_repeated(json_t *findings);

#endif
