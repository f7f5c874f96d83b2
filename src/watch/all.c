/* The list of watches, and all of them on one launch. A new one: write its file, declare it here, add its counters
 * to counters.def. */
#include <stdlib.h>

#include "watch/watch.h"

extern const watch watch_launch, watch_execution, watch_memory, watch_shared;

const watch *const watch_all[] = {&watch_launch, &watch_execution, &watch_memory, &watch_shared, NULL};

/* The k-th watch that hears events; the others only look at the result. */
static const watch *listener(size_t k) {
    for (size_t i = 0; watch_all[i]; i++)
        if (watch_all[i]->wants && k-- == 0) return watch_all[i];
    return NULL;
}

bool watch_run_start(watch_run *run, const watch_context *ctx, unsigned workers) {
    *run = (watch_run){.ctx = *ctx, .workers = workers ? workers : 1};
    while (listener(run->n_sinks)) run->n_sinks++;
    run->sinks = calloc(run->workers * run->n_sinks, sizeof *run->sinks);
    if (!run->sinks) return false;
    for (size_t s = 0; s < run->workers * run->n_sinks; s++) {
        const watch *w = listener(s % run->n_sinks);
        run->sinks[s] = (eng_sink){.wants = w->wants, .events = w->events, .state = w->start(&run->ctx)};
        if (run->sinks[s].state) continue;
        watch_run_stop(run);
        return false;
    }
    return true;
}

void watch_run_finish(watch_run *run, const eng_result *result, watch_record *record) {
    for (size_t i = 0, k = 0; watch_all[i]; i++) {
        void *state = NULL;
        if (watch_all[i]->wants) {
            state = run->sinks[k].state;
            for (unsigned worker = 1; worker < run->workers; worker++)
                watch_all[i]->merge(state, run->sinks[worker * run->n_sinks + k].state);
            k++;
        }
        watch_all[i]->finish(state, &run->ctx, result, record);
    }
}

void watch_run_stop(watch_run *run) {
    for (size_t s = 0; run->sinks && s < run->workers * run->n_sinks; s++)
        if (run->sinks[s].state) listener(s % run->n_sinks)->stop(run->sinks[s].state);
    free(run->sinks);
    run->sinks = NULL;
}
