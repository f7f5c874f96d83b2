/* A report is the same, byte for byte, for every number of workers, whichever of them runs which block. */
#ifndef WG_TEST_CHECKS_JOBS_H
#define WG_TEST_CHECKS_JOBS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What is told of the kernel with these checks and so many workers; NULL: it could not be run. */
typedef json_t *report_by_jobs(const void *kernel, const char *cubin, const char *checks, unsigned jobs);

/* How the blocks came to how many workers. */
typedef struct dealt {
    const char *how;
    unsigned jobs;
} dealt;
static const dealt ways[] = {{"", 1}, {"each", 2}, {"each", 4}, {"parts", 2}, {"parts", 4}, {"back", 2}, {"back", 4}, {"1", 3}, {"2", 4}};

static char *text_of(report_by_jobs *report, const void *kernel, const char *cubin, const char *checks, dealt way) {
    setenv("WARPGRIND_DEAL", way.how, 1);
    json_t *document = report(kernel, cubin, checks, way.jobs);
    char *text = document ? json_dumps(document, JSON_COMPACT) : NULL;
    unsetenv("WARPGRIND_DEAL");
    json_decref(document);
    return text;
}

/* The first way that gave another report than one worker; NULL: none did. Of all kinds, and without races, which may have one
 * worker only. */
static const dealt *other_when_dealt(report_by_jobs *report, const void *kernel, const char *cubin) {
    static const char *const checks[] = {"all", "all,-race"};
    const dealt *other = NULL;
    for (unsigned k = 0; k < sizeof checks / sizeof *checks; k++) {
        char *first = text_of(report, kernel, cubin, checks[k], ways[0]);
        for (unsigned w = 1; w < sizeof ways / sizeof *ways && !other; w++) {
            char *text = text_of(report, kernel, cubin, checks[k], ways[w]);
            if (!first || !text || strcmp(first, text) != 0) other = &ways[w];
            free(text);
        }
        free(first);
    }
    return other;
}

#endif
