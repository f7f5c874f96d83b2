/* What is wrong with a run, as one list: findings, broken rules of a budget, kernels that did not run. The forms that
 * other tools read (SARIF, JUnit, annotations) are made of it. */
#ifndef WG_REPORT_PROBLEMS_H
#define WG_REPORT_PROBLEMS_H

#include "base/arena.h"
#include "base/vec.h"
#include "report/quantity.h"

typedef enum rep_level { REP_NOTE, REP_WARNING, REP_ERROR } rep_level;

typedef struct rep_problem {
    const char *id;        /* the finding's kind, "budget", "not-run" */
    rep_level level;
    const char *message;   /* one line */
    const char *what;      /* of a finding: the part of the message that makes it the same one in another run; NULL: all of it */
    const char *kernel;    /* NULL: of the host side */
    rep_place place;       /* file NULL: unknown */
    rep_place other;       /* the other side, or the origin; file NULL: none */
    const char *other_message;
} rep_problem;

typedef struct rep_problems {
    wg_vec(rep_problem) list;
    wg_arena *arena; /* of what is not the document's */
} rep_problems;

/* root: paths below it are made relative to it (NULL: they stay); the texts live as long as the document and the list. */
bool rep_problems_of(const json_t *document, const char *root, rep_problems *out);
void rep_problems_free(rep_problems *problems);

#endif
