/* One run of a program: the device, its modules, the watches, and the records of what happened.
 * The runtime faces and the C API stand on this; reports are made of the records alone. */
#ifndef WG_SESSION_SESSION_H
#define WG_SESSION_SESSION_H

#include <jansson.h>

#include "engine/engine.h"

typedef struct ses_options {
    const char *gpu;          /* NULL: fits the code */
    unsigned jobs;            /* 0: as many as there are processors */
    const char *kernels;      /* pattern; launches of others run but are not recorded */
    uint64_t launch_skip, launch_count; /* count 0 = all */
    const char *checks;       /* --check */
    bool want_instructions;   /* per-instruction counters for every launch (JSON), else folded per kernel */
    uint64_t seed;
    unsigned chunk_bytes, group_threads; /* the chapter's own model of transactions; 0 = 32 bytes, 32 threads */
} ses_options;

typedef struct session session;

/* Reads options from the environment that the command set (WARPGRIND_OPTIONS), or defaults. */
wg_status ses_open(const ses_options *options, session **out, wg_error *err);
/* Ends the run: closes allocations and findings into the record. Idempotent; safe from a signal's last words. */
void ses_close(session *ses, const char *status);

eng_device *ses_device(session *ses);
/* Loads what a container holds for the session's device (chooses, assembles PTX if needed). */
wg_status ses_load(session *ses, const img_file *file, int container, eng_code **out, wg_error *err);

typedef struct ses_launch {
    eng_code *code;
    const img_function *function;
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic;
    const void *params;
    bool cooperative;
    uint64_t stream;
} ses_launch;

/* Runs it, watches it, records it. *nanoseconds gets the modelled duration. */
wg_status ses_run(session *ses, const ses_launch *launch, double *nanoseconds, wg_error *err);
/* A finding of the host side: leak, double free, wrong copy, a device pointer dereferenced. */
void ses_finding(session *ses, json_t *finding);
/* The run document as of now (docs/json.md); the caller owns it. */
json_t *ses_document(session *ses);
void ses_free(session *ses);

#endif
