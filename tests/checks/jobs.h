/* A report is the same, byte for byte, for every number of workers, whichever of them runs which block. */
#ifndef WG_TEST_CHECKS_JOBS_H
#define WG_TEST_CHECKS_JOBS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpgrind/warpgrind.h"

/* What is told of the kernel with these checks, so many workers and this seed; NULL: it could not be run. */
typedef json_t *report_by_options(const void *kernel, const char *cubin, const wg_options *options);

/* How the blocks came to how many workers. */
typedef struct dealt {
    const char *how;
    unsigned jobs;
} dealt;
static const dealt ways[] = {{"", 1}, {"each", 4}, {"back", 2},
#ifndef __SANITIZE_ADDRESS__ /* which takes its time */
                             {"each", 2}, {"parts", 2}, {"parts", 4}, {"back", 4}, {"1", 3}, {"2", 4},
#endif
};

static char *text_of(report_by_options *report, const void *kernel, const char *cubin, wg_options options, const dealt *way) {
    options.jobs = way->jobs;
    setenv("WARPGRIND_DEAL", way->how, 1);
    json_t *document = report(kernel, cubin, &options);
    char *text = document ? json_dumps(document, JSON_COMPACT) : NULL;
    unsetenv("WARPGRIND_DEAL");
    json_decref(document);
    return text;
}

/* The first way that gave another report than one worker; NULL: none did. Of all kinds, and without races, which may have one
 * worker only, in the usual order of blocks and in another one. */
static const dealt *other_when_dealt(report_by_options *report, const void *kernel, const char *cubin) {
    static const wg_options options[] = {{.checks = "all"}, {.checks = "all,-race"}, {.checks = "all,-race", .seed = 5}};
    const dealt *other = NULL;
    for (unsigned k = 0; k < sizeof options / sizeof *options; k++) {
        char *first = text_of(report, kernel, cubin, options[k], &ways[0]);
        for (unsigned w = 1; w < sizeof ways / sizeof *ways && !other; w++) {
            char *text = text_of(report, kernel, cubin, options[k], &ways[w]);
            if (!first || !text || strcmp(first, text) != 0) other = &ways[w];
            free(text);
        }
        free(first);
    }
    return other;
}

/* False: text says which way differs. */
static bool same_when_dealt(report_by_options *report, const void *kernel, const char *cubin, char text[100]) {
    const dealt *other = other_when_dealt(report, kernel, cubin);
    if (other) snprintf(text, 100, "another report with %u workers, blocks dealt as '%s' says", other->jobs, other->how);
    return !other;
}

#endif
