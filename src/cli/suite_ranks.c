/* The share of a rank. mpirun, srun and the like tell each process its rank in its environment; results travel through the
 * folder that all ranks write to. So no MPI library is needed, neither to build nor to run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/suite.h"

static bool number(const char *name, unsigned *out) {
    const char *text = name ? getenv(name) : NULL;
    char *end;
    if (!text || !*text) return false;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || value > 1000000) return false;
    *out = (unsigned)value;
    return true;
}

suite_ranks suite_ranks_find(void) {
    static const struct { const char *rank, *size, *job, *step; } launchers[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", NULL},  /* Open MPI */
        {"PMI_RANK", "PMI_SIZE", NULL, NULL},                                    /* MPICH, Intel MPI */
        {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID", "SLURM_STEP_ID"}};
    suite_ranks r = {.rank = 0, .size = 1, .job = "0"};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        unsigned rank, size;
        if (!number(launchers[i].rank, &rank) || !number(launchers[i].size, &size) || rank >= size) continue;
        r.rank = rank;
        r.size = size;
        const char *job = launchers[i].job ? getenv(launchers[i].job) : NULL, *step = launchers[i].step ? getenv(launchers[i].step) : NULL;
        snprintf(r.job, sizeof r.job, "%.40s%s%.20s", job ? job : "0", step ? "." : "", step ? step : "");
        break;
    }
    for (char *at = r.job; *at; at++)
        if (*at == '/') *at = '_';
    return r;
}

static char *file_of(const suite_ranks *ranks, const char *folder, unsigned rank) {
    char *path = NULL;
    return asprintf(&path, "%s/.rank-%u-of-%u.%s", folder, rank, ranks->size, ranks->job) < 0 ? NULL : path;
}

void suite_ranks_begin(const suite_ranks *ranks, const char *folder) {
    char *path = file_of(ranks, folder, ranks->rank);
    if (path) unlink(path);
    free(path);
}

wg_status suite_ranks_send(const suite_ranks *ranks, const char *folder, const json_t *results, wg_error *err) {
    char *path = file_of(ranks, folder, ranks->rank), *text = json_dumps(results, JSON_COMPACT);
    wg_status status = path && text ? wg_file_write(path, text, strlen(text), err) : wg_fail(err, WG_ERR_MEMORY, "no memory for the results");
    free(path);
    free(text);
    return status;
}

/* The file takes its name when it is whole, so what can be read is all of it. */
static json_t *receive(const char *path, double until) {
    struct timespec now, pause = {.tv_nsec = 100000000};
    for (;;) {
        json_t *part = access(path, R_OK) == 0 ? json_load_file(path, 0, NULL) : NULL;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (part || (double)now.tv_sec > until) return part;
        nanosleep(&pause, NULL);
    }
}

wg_status suite_ranks_gather(const suite_ranks *ranks, const char *folder, double seconds, json_t *results, wg_error *err) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (unsigned rank = 1; rank < ranks->size; rank++) {
        char *path = file_of(ranks, folder, rank);
        if (!path) return wg_fail(err, WG_ERR_MEMORY, "no memory for the results");
        json_t *part = receive(path, (double)now.tv_sec + seconds);
        if (part) unlink(path);
        free(path);
        if (!part) return wg_fail(err, WG_ERR_TIMEOUT, "rank %u of %u gave no results; do all ranks see %s?", rank, ranks->size, folder);
        json_array_extend(results, part);
        json_decref(part);
    }
    return WG_OK;
}
