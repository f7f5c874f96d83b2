/* Launches folded by kernel, and their instructions by source line: what people read. */
#ifndef WG_REPORT_FOLD_H
#define WG_REPORT_FOLD_H

#include <jansson.h>

#include "base/arena.h"
#include "base/vec.h"

typedef struct rep_spot { /* an instruction, or all instructions of a source line */
    const char *file;     /* NULL: no line information */
    json_int_t line;
    const char *function; /* a device function that is not the kernel itself, else NULL */
    json_int_t offset;    /* of the (first) instruction */
    const json_t *example; /* the (first) instruction as a launch holds it */
    const char *sass;     /* of the instruction that moves most sectors or needs most wavefronts */
    json_int_t weight;    /* by which that one was chosen */
    json_t *counters;     /* summed; .max: the largest */
} rep_spot;

typedef struct rep_kernel {
    const char *name, *mangled;
    const json_t *first;   /* its first launch */
    size_t launches, incomplete, with_driver_code;
    bool grids_vary, blocks_vary, occupancy_varies;
    json_t *counters;      /* ".sum" and counts of threads and blocks summed, ".max" the largest, others of the first */
    wg_vec(rep_spot) spots; /* instructions, in order of offset */
    json_int_t spot_launches; /* launches that the spots speak of; 0: all */
} rep_kernel;

typedef struct rep_fold {
    wg_vec(rep_kernel *) kernels; /* most warp instructions first */
} rep_fold;

bool rep_fold_make(const json_t *document, rep_fold *out); /* false: no memory */
void rep_fold_free(rep_fold *fold);

/* A member that is a text; "?" when there is none, so that a document of another hand does no harm. */
const char *rep_word(const json_t *object, const char *name);
/* A counter; 0 when it is absent. */
double rep_get(const json_t *counters, const char *name);
bool rep_has(const json_t *counters, const char *name);
/* Adds b's counters to a's. */
void rep_add(json_t *a, const json_t *b);
/* Instructions merged by source line; those without a line stay alone. Caller frees with rep_spots_free. */
typedef wg_vec(rep_spot) rep_spots;
bool rep_lines_of(const rep_kernel *kernel, rep_spots *out);
void rep_spots_free(rep_spots *spots);

#endif
