/* Findings are the same, byte for byte, for every number of workers. */
#ifndef WG_TEST_CHECKS_JOBS_H
#define WG_TEST_CHECKS_JOBS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What is found of the kernel with these checks and so many workers; NULL: it could not be run. */
typedef json_t *findings_by_jobs(const void *kernel, const char *cubin, const char *checks, unsigned jobs);

/* The number of workers that gave other findings than one; 0: none did. Of all kinds, and without races, which may have one
 * worker only. */
static unsigned other_with_jobs(findings_by_jobs *find, const void *kernel, const char *cubin) {
    static const char *const checks[] = {"all", "all,-race"};
    unsigned other = 0;
    for (unsigned k = 0; k < sizeof checks / sizeof *checks; k++) {
        char *first = NULL;
        for (unsigned jobs = 1; jobs <= 4; jobs *= 2) {
            json_t *findings = find(kernel, cubin, checks[k], jobs);
            char *text = findings ? json_dumps(findings, JSON_COMPACT) : NULL;
            if (!text || (first && strcmp(first, text) != 0)) other = jobs;
            if (first) free(text);
            else first = text;
            json_decref(findings);
        }
        free(first);
    }
    return other;
}

#endif
