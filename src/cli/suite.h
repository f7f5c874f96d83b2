/* `warpgrind suite`: many programs from a list, in parallel and over the ranks of an MPI or Slurm job. */
#ifndef WG_CLI_SUITE_H
#define WG_CLI_SUITE_H

#include <jansson.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

typedef struct suite_entry {
    const char *name;
    char **options; /* of `warpgrind run`; NULL-terminated */
    char **program;
    unsigned line;  /* of the list */
} suite_entry;

/* suite_list.c. A line: NAME [OPTIONS...] -- PROGRAM [ARGS...]; words as the shell splits them, with quotes and
 * backslashes but no expansions; # begins a comment. */
typedef struct suite_list {
    wg_vec(suite_entry) entries;
    wg_arena *arena;
} suite_list;
wg_status suite_list_read(const char *path, suite_list *out, wg_error *err);
void suite_list_free(suite_list *list);

/* suite_ranks.c: which share of the list is ours. One rank of one when nothing started us as more. */
typedef struct suite_ranks {
    unsigned rank, size;
    char job[80]; /* the same in all ranks of a job, another in the next job */
} suite_ranks;
suite_ranks suite_ranks_find(void);
/* Takes away what a job that was ended left of this rank, where jobs have no names of their own. */
void suite_ranks_begin(const suite_ranks *ranks, const char *folder);
/* Puts this rank's results where rank 0 finds them: a file in folder, which all ranks see. */
wg_status suite_ranks_send(const suite_ranks *ranks, const char *folder, const json_t *results, wg_error *err);
/* Waits for the results of the other ranks and appends them; ERR_TIMEOUT names a rank that gave none. */
wg_status suite_ranks_gather(const suite_ranks *ranks, const char *folder, double seconds, json_t *results, wg_error *err);

/* suite_run.c: runs entries rank, rank + size, ..., at most jobs at once; appends a result each. Results of an entry lie
 * below folder as NAME.json (the run document), NAME.log (the report) and NAME.out (what the program printed). */
typedef struct suite_run {
    const char *command;     /* this executable */
    const char *home;        /* where programs are run: the folder of the list */
    const char *folder;      /* absolute */
    unsigned jobs;
} suite_run;
wg_status suite_run_all(const suite_run *run, const suite_list *list, const suite_ranks *ranks, json_t *results, wg_error *err);

#endif
