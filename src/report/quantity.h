/* What people ask of a kernel in one word, and the counters that answer: sectors_per_request, bank_conflicts, ... Budgets,
 * differences and annotations name a quantity by its short name, by a counter, or as COUNTER/COUNTER. */
#ifndef WG_REPORT_QUANTITY_H
#define WG_REPORT_QUANTITY_H

#include "report/report.h"

typedef struct rep_short_name {
    const char *name;
    const char *above[2], *below[2]; /* counters that are summed and divided; below NULL: not a ratio */
    bool more_is_better;
    bool of_run; /* counted by allocation and for the whole run, not by launch; above: what lines have to do with it */
    const char *meaning;
} rep_short_name;
/* In the order of docs/ci.md; ends with a row whose name is NULL. */
extern const rep_short_name rep_short_names[];

typedef enum rep_value_state { REP_VALUE, REP_NO_COUNTER /* none of them is there */, REP_NO_BASE /* divided by zero */ } rep_value_state;
typedef struct rep_value {
    rep_value_state state;
    double above, below; /* below 1 where it is no ratio */
    double value;
} rep_value;
/* Of a launch, an instruction, or a sum of them. */
rep_value rep_quantity(const char *name, const json_t *counters);
bool rep_is_ratio(const char *name);
/* Quantities of the whole run: of reads_per_value the largest of its allocations, of unwritten all elements of those that
 * kernels wrote. */
bool rep_is_of_run(const char *name);
rep_value rep_run_quantity(const char *name, const json_t *document);
/* What a line has to do with a quantity, its counters being summed: its share, for a ratio as far as it goes beyond limit. */
double rep_line_share(const char *name, double limit, const json_t *counters);

/* A kernel by its demangled or mangled name, by the demangled one without return type, arguments and template arguments,
 * by the last part of that, or by a pattern with * or ? over any of these. */
bool rep_kernel_is(const json_t *launch, const char *pattern);

bool rep_plain_name(const char *demangled, char *out, size_t size); /* "void ns::sum<int>(int*)" to "ns::sum" */

/* The place of an instruction or finding that its author would point at: the innermost that is not in a header of the
 * toolkit. False: no line information. */
typedef struct rep_place {
    const char *file;
    json_int_t line;
} rep_place;
bool rep_place_of(const json_t *item, rep_place *out);
/* Is one of the places (the innermost or a call around it) this line? file is a name, or the end of a path. */
bool rep_place_is(const json_t *item, const char *file, json_int_t line);

#endif
