/* The list of watches, and all of them on one launch. A new one: write its file, declare it here, add its counters
 * to counters.def. */
#include <stdlib.h>

#include "watch/watch.h"

extern const watch watch_launch, watch_execution, watch_mix, watch_accesses, watch_samples, watch_coverage, watch_race, watch_barriers, watch_lanes, watch_uninitialised, watch_of_extents, watch_proxy;

const watch *const watch_all[] = {&watch_launch, &watch_execution, &watch_mix, &watch_accesses, &watch_samples, &watch_coverage, &watch_race, &watch_barriers, &watch_lanes, &watch_uninitialised, &watch_of_extents, &watch_proxy, NULL};
_Static_assert(sizeof watch_all / sizeof *watch_all <= WATCH_MOST, "room in watch_run");

static bool takes_part(const watch *w, const watch_context *ctx) { return (!w->checks || w->checks & ctx->checks) && (!w->asked || w->asked(ctx)); }

/* What a sink's state is: a watch's state, which can be begun anew. */
struct watch_listener {
    const watch *watch;
    const watch_context *ctx;
    void *state;
};
static void relay(void *state, const eng_batch *batch) {
    struct watch_listener *l = state;
    if (l->state) l->watch->events(l->state, batch);
}
static void relay_plain(void *state, const eng_plain *sums) {
    struct watch_listener *l = state;
    if (l->state) l->watch->plain(l->state, sums);
}
static void relay_apart(void *state, const eng_apart *apart) {
    struct watch_listener *l = state;
    if (l->state) l->watch->apart(l->state, apart);
}
static bool again(void *state) {
    struct watch_listener *l = state;
    return !l->state || l->watch->again(l->state);
}
static bool relay_block(void *state, uint64_t linear) {
    struct watch_listener *l = state;
    return l->state && l->watch->block(l->state, linear);
}
static void restart(void *state) {
    struct watch_listener *l = state;
    if (l->state) l->watch->stop(l->state);
    l->state = l->watch->start(l->ctx); /* NULL, without memory: the record will say that it is not whole */
}

bool watch_run_start(watch_run *run, const watch_context *ctx, unsigned workers) {
    *run = (watch_run){.ctx = *ctx, .workers = workers ? workers : 1};
    for (size_t i = 0; watch_all[i]; i++)
        if (watch_all[i]->wants && takes_part(watch_all[i], ctx)) run->watches[run->n_sinks++] = watch_all[i];
    run->sinks = calloc(run->workers * run->n_sinks, sizeof *run->sinks);
    run->listeners = calloc(run->workers * run->n_sinks, sizeof *run->listeners);
    bool ok = run->sinks && run->listeners;
    for (size_t s = 0; ok && s < run->workers * run->n_sinks; s++) {
        const watch *w = run->watches[s % run->n_sinks];
        run->listeners[s] = (struct watch_listener){.watch = w, .ctx = &run->ctx, .state = w->start(&run->ctx)};
        run->sinks[s] = (eng_sink){.wants = w->wants, .events = relay, .state = &run->listeners[s], .restart = restart,
                                  .again = w->again ? again : NULL};
        if (w->plain && (!w->takes_sums || w->takes_sums(ctx))) run->sinks[s].plain = relay_plain;
        if (w->block) run->sinks[s].block = relay_block;
        if (w->apart) run->sinks[s].apart = relay_apart;
        ok = run->listeners[s].state != NULL;
    }
    if (!ok) watch_run_stop(run);
    return ok;
}

void watch_run_finish(watch_run *run, const eng_result *result, watch_record *record) {
    for (size_t i = 0, k = 0; watch_all[i]; i++) {
        void *state = NULL;
        if (!takes_part(watch_all[i], &run->ctx)) continue;
        if (watch_all[i]->wants) {
            state = run->listeners[k].state;
            for (unsigned worker = 1; state && worker < run->workers; worker++) {
                void *from = run->listeners[worker * run->n_sinks + k].state;
                if (from) watch_all[i]->merge(state, from);
                else record->failed = true;
            }
            k++;
            if (!state) record->failed = true;
            if (!state) continue;
        }
        watch_all[i]->finish(state, &run->ctx, result, record);
    }
}

void watch_run_stop(watch_run *run) {
    for (size_t s = 0; run->listeners && s < run->workers * run->n_sinks; s++)
        if (run->listeners[s].state) run->listeners[s].watch->stop(run->listeners[s].state);
    free(run->sinks);
    free(run->listeners);
    run->sinks = NULL;
    run->listeners = NULL;
}
