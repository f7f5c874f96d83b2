/* From the counters of blocks, branches and guards to counts of instructions. */
#include <stdlib.h>

#include "engine/native.h"
#include "engine/run.h"

static unsigned block_end(const eng_unit *unit, unsigned index) {
    while (index + 1 < unit->n && unit->planned[index + 1].block == unit->planned[index].block) index++;
    return index;
}

void eng_count_part(eng_worker *worker, const eng_unit *unit, unsigned index, uint32_t lanes, int sign) {
    if (index >= unit->n) return;
    eng_part part = {.function = (uint16_t)unit->function, .first = index, .last = block_end(unit, index),
                     .warps = sign, .lanes = sign * (int64_t)lanes};
    if (!wg_vec_push(&worker->findings->parts, part)) {
        worker->status = wg_fail(&worker->err, WG_ERR_MEMORY, "no memory for counts");
        worker->stop = true;
    }
}

/* Adds to the last correction of the same instruction, so that a loop does not fill the memory. */
enum { RECENT = 16 };
void eng_count_one(eng_worker *worker, unsigned function, unsigned index, int warps, uint32_t lanes) {
    struct eng_findings *f = worker->findings;
    for (size_t n = f->parts.count; n-- > 0 && f->parts.count - n <= RECENT;) {
        eng_part *part = &f->parts.at[n];
        if (!part->again || part->function != function || part->first != index) continue;
        part->warps += warps;
        part->lanes += lanes;
        return;
    }
    eng_part part = {.function = (uint16_t)function, .first = index, .last = index, .warps = warps, .lanes = lanes, .again = true};
    if (!wg_vec_push(&f->parts, part)) {
        worker->status = wg_fail(&worker->err, WG_ERR_MEMORY, "no memory for counts");
        worker->stop = true;
    }
}

static void add_worker(const eng_plan *plan, const eng_worker *k, eng_result *result) {
    for (size_t u = 0; u < plan->units.count; u++) {
        const eng_unit *unit = &plan->units.at[u];
        for (unsigned n = 0; n < unit->n; n++) {
            const eng_planned *p = &unit->planned[n];
            eng_instr_count *c = &result->counts[unit->function][n];
            c->warps += k->counts[p->block + ENG_COUNT_WARPS];
            c->lanes += k->counts[p->block + ENG_COUNT_LANES];
            if (p->branch != ENG_NO_INDEX) {
                c->parted += k->counts[p->branch + ENG_COUNT_DIVERGENT];
                c->further += k->counts[p->branch + ENG_COUNT_FURTHER];
                c->lanes_on += k->counts[p->branch + ENG_COUNT_ON];
                c->lanes_guarded += k->counts[p->branch + ENG_COUNT_BARRED];
            }
            if (p->requests != ENG_NO_INDEX) c->requests += k->counts[p->requests];
            if (p->guard != ENG_NO_INDEX) c->lanes_on += k->counts[p->guard];
        }
    }
    for (size_t k2 = 0; k2 < k->findings->parts.count; k2++) {
        const eng_part *part = &k->findings->parts.at[k2];
        for (uint32_t n = part->first; n <= part->last; n++) {
            result->counts[part->function][n].warps += (uint64_t)part->warps;
            result->counts[part->function][n].lanes += (uint64_t)part->lanes;
            if (!part->again) continue;
            result->counts[part->function][n].warps_again += (uint64_t)part->warps;
            result->counts[part->function][n].lanes_again += (uint64_t)part->lanes;
        }
    }
    result->idle_threads += k->idle_threads;
    result->blocks_run += k->blocks_run;
    result->externs_called |= k->externs_called;
}

/* Tells a worker's sinks of the plain accesses that they have not heard of: the first one was an event. */
static void tell_plain(const eng_worker *k, const eng_unit *unit, unsigned n) {
    const uint64_t *counts = k->counts + unit->planned[n].plain;
    eng_plain sums = {.function = unit->function, .instr = n, .space = unit->planned[n].space};
    for (unsigned s = 0; s < ENG_PLAIN_SHAPES; s++) sums.n[s] = counts[s] ? counts[s] - 1 : 0;
    for (size_t s = 0; s < k->n_sinks; s++)
        if (k->sinks[s].plain) k->sinks[s].plain(k->sinks[s].state, &sums);
}
static void tell_sums(const eng_plan *plan, const eng_worker *k) {
    eng_native_spread(plan, k->counts);
    for (size_t u = 0; u < plan->units.count; u++)
        for (unsigned n = 0; n < plan->units.at[u].n; n++)
            if (plan->units.at[u].planned[n].plain != ENG_NO_INDEX) tell_plain(k, &plan->units.at[u], n);
}

static bool is_guarded(const sass_instr *in) { return in->guard.reg != SASS_PT || in->guard.inv; }

wg_status eng_counts_result(const eng_plan *plan, eng_worker *const *workers, unsigned n, eng_result *result, wg_error *err) {
    const img_module *m = plan->code->module;
    result->n_functions = m->n_functions;
    result->counts = calloc(m->n_functions + 1, sizeof *result->counts);
    bool ok = result->counts != NULL;
    for (size_t u = 0; ok && u < plan->units.count; u++) {
        const eng_unit *unit = &plan->units.at[u];
        ok = (result->counts[unit->function] = calloc(unit->n + 1, sizeof **result->counts)) != NULL;
    }
    if (!ok) {
        eng_result_free(result);
        return wg_fail(err, WG_ERR_MEMORY, "no memory for the counts of %s", plan->kernel->demangled);
    }
    for (unsigned k = 0; k < n; k++) {
        add_worker(plan, workers[k], result);
        tell_sums(plan, workers[k]);
    }
    for (size_t u = 0; u < plan->units.count; u++) {
        const eng_unit *unit = &plan->units.at[u];
        for (unsigned i = 0; i < unit->n; i++) {
            eng_instr_count *c = &result->counts[unit->function][i];
            if (unit->planned[i].guard == ENG_NO_INDEX && unit->planned[i].branch == ENG_NO_INDEX) c->lanes_on = c->lanes;
            if (is_guarded(&unit->instrs[i])) c->lanes_guarded += c->lanes_on;
            else c->lanes_guarded = c->lanes - c->lanes_again;
            if (unit->planned[i].branch != ENG_NO_INDEX) c->lanes_on += c->lanes_again;
            result->warp_instructions += c->warps;
            result->thread_instructions += c->lanes;
        }
    }
    return WG_OK;
}

void eng_result_free(eng_result *result) {
    for (size_t f = 0; result->counts && f < result->n_functions; f++) free(result->counts[f]);
    free(result->counts);
    *result = (eng_result){0};
}
