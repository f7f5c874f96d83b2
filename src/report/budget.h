/* Budgets: what kernels may cost, as rules in a file (docs/ci.md), checked against a run document.
 *
 *     # KERNEL[@FILE:LINE]  COUNTER[/COUNTER]  <=|==|>=  VALUE
 *     scale                 sectors_per_request  <=  4
 *     conv_*@conv.cu:42     bank_conflicts       ==  0
 *
 * A rule speaks of every launch of every kernel that it names. One that meets no launch, or no instruction at its line, is
 * broken, and so is one whose counter nobody counts: a rule never passes because there was nothing to check. */
#ifndef WG_REPORT_BUDGET_H
#define WG_REPORT_BUDGET_H

#include "base/arena.h"
#include "base/vec.h"
#include "report/report.h"

typedef struct rep_rule {
    const char *file;     /* of the budget */
    unsigned number;      /* its line */
    const char *text;     /* as written, spaces folded */
    const char *kernel;   /* pattern */
    const char *at_file;  /* NULL: the whole kernel */
    json_int_t at_line;
    const char *counter;
    char relation[3];
    double limit;
} rep_rule;

typedef struct rep_budget {
    wg_vec(rep_rule) rules;
    wg_arena *arena; /* of the texts */
} rep_budget;

/* Adds a file's rules; *budget starts as {0}. ERR_ARGUMENT names file, line and what is wrong. */
wg_status rep_budget_read(const char *path, rep_budget *budget, wg_error *err);
bool rep_budget_has_places(const rep_budget *budget); /* some rule names a source line: instructions are needed */
void rep_budget_free(rep_budget *budget);

/* Checks all rules and puts the outcome into the document as "budget". Returns the broken ones; -1: no memory. */
int rep_budget_apply(const rep_budget *budget, json_t *document);
/* The broken rules of a document that rep_budget_apply was here for; 0 otherwise. */
size_t rep_budget_broken(const json_t *document);
/* The table: value, limit, verdict and rule; when quiet of the broken ones alone, nothing without a budget. */
void rep_write_budget(const json_t *document, const rep_style *style, wg_text *out);
/* Rules that the run just keeps. */
bool rep_budget_write(const json_t *document, wg_text *out);

#endif
