/* One run of a program: the device, its modules, the watches, and the records of what happened.
 * The runtime faces and the C API stand on this; reports are made of the records alone.
 *
 * Records are JSON objects, one a line. Under `warpgrind run` they are appended, each with one write,
 * to a file that the command reads when the program is gone: nothing is lost however it dies. Without
 * such a file they are kept in memory, and ses_document makes the run document of them. Either way
 * ses_assemble is the only place where records become a document (docs/json.md). */
#ifndef WG_SESSION_SESSION_H
#define WG_SESSION_SESSION_H

#include <jansson.h>

#include "engine/engine.h"

typedef struct ses_options {
    const char *gpu;                    /* NULL: fits the code */
    unsigned gpus;                      /* how many of them; 0: one */
    unsigned jobs;                      /* 0: as many as there are processors */
    const char *kernels;                /* pattern (fnmatch, or a part of the name); others run unrecorded */
    uint64_t launch_skip, launch_count; /* of the launches that match; count 0 = all */
    const char *checks;                 /* --check: kinds as watch_checks_read takes them ("all,-leak"); NULL = all */
    const char *trace;                  /* the warp to trace, as watch_trace_read takes it; NULL = none */
    bool want_samples;                  /* an example of each access, for pictures */
    bool want_outputs;                  /* records of what is copied to the host, as hashes */
    bool want_instructions;             /* per-instruction counters in each launch (JSON), else folded by kernel */
    bool progress;                      /* a line on standard error while a launch takes long */
    uint64_t seed;                      /* of the schedule; 0 = the fixed order */
    unsigned chunk_bytes, group_threads; /* the own model of transactions; 0 = 32 bytes, 32 threads */
    uint64_t max_instructions;          /* warp instructions a launch may take; 0 = no limit */
    bool kill;                          /* the face ends the program after the last launch that is reported (ses_had_its_launches) */
    bool stop_on_error;                 /* the face ends the program after a launch with an error (ses_errors) */
    bool only_this_process;             /* programs that it starts are not followed */
    const char *record;                 /* file that records are appended to; NULL: kept in memory */
} ses_options;

/* WARPGRIND_OPTIONS carries the options from the command to the library, as JSON. */
#define SES_ENVIRONMENT "WARPGRIND_OPTIONS"
/* Names the library that NVTX hands its calls to: ours, unless the user has another one. */
#define SES_NVTX "NVTX_INJECTION64_PATH"
char *ses_options_write(const ses_options *options); /* malloc'd; NULL: no memory */

enum { SES_MOST_GPUS = 64 };
/* How many devices programs see, before there is a session: from the environment. */
unsigned ses_gpus_asked(void);

typedef struct session session;

/* options NULL: from the environment, or defaults where it has none. The texts are copied. */
wg_status ses_open(const ses_options *options, session **out, wg_error *err);
/* Ends the run: puts allocations and what is still folded into the record. status says how the program
 * ended, in words ("exit 0", "signal 11"), NULL when unknown. Idempotent. A face calls it at exit, _exit,
 * abort, and from handlers of fatal signals (with in_signal: then nothing is waited for, and what needs a
 * lock that is held is left out). */
void ses_close(session *ses, const char *status, bool in_signal);
void ses_free(session *ses);
/* After fork, in the child: it has records of its own (its first record tells the new process). */
void ses_forked(session *ses);

/* What code the program carries, told before the device is first needed: the default device fits the
 * newest architecture that every container offers and the engine executes. */
void ses_offer(session *ses, const img_file *file);
/* The device, made on first use; NULL with *err (no such --gpu, no memory). */
eng_device *ses_device(session *ses, wg_error *err);
const ses_options *ses_options_of(const session *ses);

/* Loads what one container of a file holds for the session's device: chooses, assembles PTX if needed
 * (with a note). The file must outlive the code; the module belongs to the session. */
wg_status ses_load(session *ses, const img_file *file, int container, eng_code **out, wg_error *err);
/* The same for one of several devices; first: the same code on the device where it was loaded before, or NULL. */
wg_status ses_load_on(session *ses, unsigned device, const img_file *file, int container, const eng_code *first, eng_code **out, wg_error *err);
void ses_unload(session *ses, eng_code *code);

typedef struct ses_launch {
    eng_code *code;
    const img_function *function;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* 0,0,0: what the kernel was compiled for, if anything */
    uint32_t shared_dynamic;
    const void *params;
    bool cooperative;
    unsigned device;        /* of several */
    uint64_t reach;         /* bit set of devices whose memory it may touch; 0: there is only one */
    const eng_rules *rules; /* what the program has told of its memory; NULL: nothing */
    void (*print)(bool error, const char *text, size_t n); /* device-side printf; NULL: stdout, and stderr for errors */
    uint32_t stack_bytes;   /* of a thread, where the code does not state how deep it calls; 0 = 1 KiB */
    uint64_t heap_bytes;    /* for device-side malloc; 0 = 8 MiB */
    uint64_t parent;        /* 1 + index of the launch whose device code asked for it; 0: the host did */
    bool after_fault;       /* a device would not have run it: only its findings are recorded */
    uint64_t stream;        /* number for the record; 0 = the default stream */
    uint64_t timeline;      /* of its order; 0: its stream's */
    void *const *stack;     /* host return addresses of the launching call; may be NULL */
    unsigned n_stack;
} ses_launch;

/* Runs it, watches it, records it (a kernel that cannot run or does not finish goes to not_run too).
 * *nanoseconds (may be NULL) gets the modelled duration. One launch at a time: callers hold a lock. */
wg_status ses_run(session *ses, const ses_launch *launch, double *nanoseconds, wg_error *err);
/* What ended the latest launch that failed with ERR_FAULT, ERR_DEADLOCK, ... */
eng_finding_kind ses_last_fault(const session *ses);
/* Ends a running launch soon; what it counted is recorded. For signal handlers and --timeout. True when one is
 * running: its ses_run returns ERR_TIMEOUT, after which the face says its last words; false: say them at once. */
bool ses_cancel(session *ses);
/* The record of the latest launch, for counters by name; owned by the session; NULL: none, or not recorded. */
const json_t *ses_last_launch(const session *ses);

/* A kernel that could not even be loaded or started: name (mangled or demangled), reason. */
void ses_not_run(session *ses, const char *kernel, const char *reason);
/* A finding of the host side (leak, double free, wrong copy, device pointer dereferenced): kind as in
 * docs/json.md ("double-free"), severity "error", "warning" or "note", host stack may be NULL. */
void ses_finding(session *ses, const char *kind, const char *severity, void *const *stack, unsigned n_stack,
                 const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The same about the allocation at an address, live or freed: who made it, who freed it. */
void ses_finding_about(session *ses, uint64_t address, const char *kind, const char *severity, void *const *stack, unsigned n_stack,
                       const char *fmt, ...) __attribute__((format(printf, 7, 8)));
/* Who can tell the host stack of the call that is being answered: for findings that a call brings to light further down. */
void ses_on_stack(session *ses, unsigned (*stack)(void **frames, unsigned room));
/* --- the order of operations (order.c): a face tells it, races between operations of streams are found by it ---
 * Timelines: the host's, stream number + 1 for each stream, and those that ses_order_branch gives. */
enum { SES_HOST = 0 };
void ses_order_begin(session *ses); /* there is a second stream: from here on order is kept */
void ses_order_share(session *ses); /* or there is memory that the host can touch, too: managed, pinned */
/* A timeline for a branch of a graph; 0: there is none left, or no order is kept. */
uint64_t ses_order_branch(session *ses);
/* The branch runs in the stream of a timeline from now on. */
void ses_order_branch_in(session *ses, uint64_t branch, uint64_t timeline);
/* What the later timeline does from now on comes after all that the earlier one has done. */
void ses_order_after(session *ses, uint64_t later, uint64_t earlier);
void ses_order_all(session *ses); /* the host has waited for all */
void ses_order_record(session *ses, const void *event, uint64_t timeline);
void ses_order_drop(session *ses, const void *event); /* destroyed */
void ses_order_await(session *ses, uint64_t timeline, const void *event);
typedef struct ses_range {
    uint64_t address, size;
    bool writes;
} ses_range;
/* A copy or fill; what is no device memory is passed over. */
void ses_order_ranges(session *ses, uint64_t timeline, const char *call, const ses_range *ranges, size_t n, void *const *stack, unsigned n_stack);
/* The allocation at an address begins, or ends, where the stream has come to. */
void ses_order_life(session *ses, uint64_t timeline, const char *call, uint64_t address, bool frees, void *const *stack, unsigned n_stack);
bool ses_order_kept(const session *ses);

/* --- the host's own accesses (host.c) ---
 * What an operation that the host has not waited for touches of shared memory is shut to the program: wholly where it writes, for
 * writing where it reads. A face that handles the faults asks what there is to them. */
/* Shuts what came since the last time. Before a call of the program returns. */
void ses_host_settle(session *ses);
typedef struct ses_touch {
    uint64_t from, end;
    bool writes;
    void *const *stack;
    unsigned n_stack;
} ses_touch;
typedef enum ses_met {
    SES_OPEN,   /* nothing is shut there, or is any longer */
    SES_SPARED, /* nothing that is in a race with it: opened for this access, and to be shut again behind it */
} ses_met;
/* Writes a finding where the host is in a race. */
ses_met ses_host_touches(session *ses, const ses_touch *touch);
void ses_host_shut_again(session *ses, uint64_t from, uint64_t end);
void ses_host_give(session *ses, uint64_t from, uint64_t end); /* opened for good */
void ses_host_end(session *ses); /* nobody handles faults any more: all is open from here on */

/* Findings of what is not freed now. A face calls it where everything should be: when the program ends, or resets the
 * device. */
void ses_leaks_write(session *ses);
/* Is this kind looked for? Findings of others are not recorded. */
bool ses_checks(const session *ses, const char *kind);
uint64_t ses_errors(const session *ses); /* findings so far that are errors */
bool ses_had_its_launches(const session *ses); /* as many as launch_count asks for */
/* Something the reader should know that is no fault ("PTX was assembled for sm_90"). */
void ses_note(session *ses, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* --- the run document ----------------------------------------------------------------- */
/* What the command knows of the program; the library's own runs leave most of it empty. */
typedef struct ses_program {
    const char *path;
    char *const *argv; /* NULL-terminated, argv[0] included; NULL: unknown */
    int exit_status;   /* -1: not ended yet */
    int signal;        /* 0: none */
    bool timeout;
} ses_program;

/* The run document as of now, of a session that keeps its records; the caller owns it. */
json_t *ses_document(session *ses);
/* Of a record file; process 0 = all processes, else only that one (process ids as recorded). */
json_t *ses_assemble(json_t *records, const ses_program *program, long process);
json_t *ses_read_records(const char *path, wg_error *err); /* an array; a torn last line is left out */

#endif
