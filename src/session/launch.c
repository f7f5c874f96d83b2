/* One launch: checked, run, watched, recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/inner.h"
#include "watch/occupancy.h"

static uint64_t product(const uint32_t v[3]) { return (uint64_t)v[0] * v[1] * v[2]; }

/* Blocks of a cluster: as asked, else as compiled; 0,0,0: no clusters. */
static const uint32_t *cluster_of(const ses_launch *l) { return l->cluster[0] ? l->cluster : l->function->cluster; }

/* --- configuration ---------------------------------------------------------------------------- */
static wg_status check_configuration(session *ses, const ses_launch *l, wg_error *err) {
    static const uint32_t max_block[3] = {1024, 1024, 64}, max_grid[3] = {2147483647, 65535, 65535};
    const img_function *f = l->function;
    if (!ses_device(ses, err)) return err ? err->status : WG_ERR_STATE;
    const eng_gpu *gpu = eng_device_gpu(ses->device);
    for (int d = 0; d < 3; d++) {
        if (!l->grid[d] || l->grid[d] > max_grid[d])
            return wg_fail(err, WG_ERR_ARGUMENT, "%s: grid (%u, %u, %u): dimension %c must be 1 to %u", f->demangled, l->grid[0],
                           l->grid[1], l->grid[2], "xyz"[d], max_grid[d]);
        if (!l->block[d] || l->block[d] > max_block[d])
            return wg_fail(err, WG_ERR_ARGUMENT, "%s: block (%u, %u, %u): dimension %c must be 1 to %u", f->demangled, l->block[0],
                           l->block[1], l->block[2], "xyz"[d], max_block[d]);
    }
    uint64_t threads = product(l->block), bound = product(f->max_threads), registers;
    if (threads > gpu->max_threads_per_block)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s: %llu threads a block; the device allows %u", f->demangled,
                       (unsigned long long)threads, gpu->max_threads_per_block);
    if (bound && threads > bound)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s: %llu threads a block, but its __launch_bounds__ allow %llu", f->demangled,
                       (unsigned long long)threads, (unsigned long long)bound);
    registers = (threads + 31) / 32 * ((f->registers * 32 + 255) / 256 * 256);
    if (registers > gpu->registers_per_block)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s: %llu threads of %u registers need %llu registers; a block has %u", f->demangled,
                       (unsigned long long)threads, f->registers, (unsigned long long)registers, gpu->registers_per_block);
    if ((uint64_t)f->shared_static + l->shared_dynamic > gpu->shared_per_block_optin)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s: %u + %u bytes of shared memory; a block has %u", f->demangled, f->shared_static,
                       l->shared_dynamic, gpu->shared_per_block_optin);
    const uint32_t *c = cluster_of(l);
    for (int d = 0; c[0] && d < 3; d++)
        if (!c[d] || l->grid[d] % c[d])
            return wg_fail(err, WG_ERR_ARGUMENT, "%s: grid (%u, %u, %u) is no multiple of the cluster (%u, %u, %u)", f->demangled, l->grid[0],
                           l->grid[1], l->grid[2], c[0], c[1], c[2]);
    watch_footprint block = {(unsigned)threads, f->registers, f->shared_static, l->shared_dynamic};
    uint64_t holds = (uint64_t)watch_occupancy_of(gpu, &block, 1).blocks * gpu->sms;
    if (l->cooperative && product(l->grid) > holds)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s: a cooperative launch of %llu blocks; the device holds %llu of them at once", f->demangled,
                       (unsigned long long)product(l->grid), (unsigned long long)holds);
    return WG_OK;
}

/* --- findings ----------------------------------------------------------------------------------- */
typedef struct asked_for { eng_child child; uint64_t parent; } asked_for; /* parent: index of the launch */
typedef wg_vec(asked_for) children;

typedef struct hearing { /* what the engine tells while it runs */
    session *ses;
    watch_findings findings;
    wg_vec(eng_child) children;
    bool lost; /* no memory for one of them */
} hearing;

static void on_finding(void *ctx, const eng_finding *f) {
    hearing *h = ctx;
    watch_finding finding;
    if (f->fatal) h->ses->fault = f->kind;
    ses_finding_of_engine(f, &finding);
    if (f->kind == ENG_FAULT_STRAYED && watch_findings_hold(&h->findings, &finding)) return; /* how often it is noticed says nothing */
    watch_findings_add(&h->findings, &finding);
}

static void on_child(void *ctx, const eng_child *child) {
    hearing *h = ctx;
    eng_child kept = *child;
    kept.params = malloc(child->function->param_bytes + 1);
    if (kept.params) memcpy(kept.params, child->params, child->function->param_bytes);
    if (kept.params && wg_vec_push(&h->children, kept)) return;
    free(kept.params);
    h->lost = true;
}

static void on_print(void *ctx, bool error, const char *text, size_t n) {
    const hearing *h = ctx;
    const ses_launch *l = h->ses->current;
    if (l->print) l->print(error, text, n);
    else fwrite(text, 1, n, error ? stderr : stdout);
}

/* --- the record ------------------------------------------------------------------------------------ */
static json_t *counters_json(const watch_record *record) {
    json_t *counters = json_object();
    for (int c = 0; c < WATCH_COUNTERS; c++) {
        const watch_value *v = &record->launch[c];
        if (v->kind == WATCH_ABSENT) continue;
        json_object_set_new_nocheck(counters, watch_counter_table[c].name,
                                    v->kind == WATCH_COUNT ? json_integer((json_int_t)v->count) : json_real(v->real));
    }
    return counters;
}

/* The driver's functions that it called, by name. */
static json_t *driver_code_json(const img_module *module, const eng_result *result) {
    json_t *names = json_array();
    for (size_t k = 0; k < module->n_externs; k++)
        if (result->externs_called >> (k < 63 ? k : 63) & 1) json_array_append_new(names, json_string(module->externs[k]));
    return names;
}

static json_t *launch_json(session *ses, const ses_launch *l, uint64_t index, const watch_record *record,
                           const eng_result *result, const char *why, double nanoseconds) {
    const img_function *f = l->function;
    json_t *out = json_pack(
        "{s:I, s:s, s:s, s:[i,i,i], s:[i,i,i], s:i, s:i, s:i, s:I, s:i, s:b, s:f}", "index", (json_int_t)index, "kernel",
        f->demangled, "mangled", f->name, "grid", (int)l->grid[0], (int)l->grid[1], (int)l->grid[2], "block",
        (int)l->block[0], (int)l->block[1], (int)l->block[2], "shared_static", (int)f->shared_static, "shared_dynamic",
        (int)l->shared_dynamic, "registers", (int)f->registers, "stream", (json_int_t)l->stream, "sm",
        eng_code_module(l->code)->sm, "complete", result->complete && !record->failed ? 1 : 0, "nanoseconds_modelled", nanoseconds);
    if (!out) return NULL;
    const uint32_t *c = cluster_of(l);
    if (c[0]) json_object_set_new(out, "cluster", json_pack("[i,i,i]", (int)c[0], (int)c[1], (int)c[2]));
    if (l->reach) json_object_set_new(out, "device", json_integer(l->device));
    if (l->parent) json_object_set_new(out, "parent", json_integer((json_int_t)l->parent - 1));
    if (why) json_object_set_new(out, "error", json_string(why));
    if (result->externs_called) json_object_set_new(out, "driver_code", driver_code_json(eng_code_module(l->code), result));
    json_object_update(out, record->extra);
    json_object_set_new(out, "counters", counters_json(record));
    if (ses->options.want_instructions)
        json_object_set_new(out, "instructions", ses_instructions_json(l->code, f, record));
    if (l->n_stack) json_object_set_new(out, "stack", ses_stack_json(l->stack, l->n_stack));
    return out;
}

static const char NOT_WHOLE[] = "there was no memory to watch all of it: its counts and findings are not whole";

/* why: the launch failed; NULL: it did not. False: what is recorded is not whole. */
static bool record_launch(session *ses, const ses_launch *l, uint64_t index, watch_run *watching, const eng_result *result,
                          const char *why, double nanoseconds, watch_findings *findings) {
    watch_record record;
    if (!watch_record_init(&record, eng_code_module(l->code))) return false;
    watch_run_finish(watching, result, &record);
    bool whole = !record.failed;
    json_t *out = launch_json(ses, l, index, &record, result, why || whole ? why : NOT_WHOLE, nanoseconds);
    if (!ses->options.want_instructions) ses_profile_add(ses, l->code, l->function, &record);
    watch_findings_merge(findings, &record.findings);
    ses_tails_add(ses, l, index, &record);
    watch_record_free(&record);
    json_decref(ses->last);
    ses->last = out ? json_incref(out) : NULL;
    ses_write(ses, "launch", out);
    return whole && out;
}

/* Its findings are all that is wanted of it. False: they are not whole. */
static bool hear_watches(const ses_launch *l, watch_run *watching, const eng_result *result, watch_findings *findings) {
    watch_record record;
    if (!watch_record_init(&record, eng_code_module(l->code))) return false;
    watch_run_finish(watching, result, &record);
    bool whole = !record.failed;
    watch_findings_merge(findings, &record.findings);
    watch_record_free(&record);
    return whole;
}

static void record_not_run(session *ses, const ses_launch *l, uint64_t index, const char *reason, bool started) {
    ses_write(ses, "not_run",
              json_pack("{s:s, s:s, s:I, s:b, s:s}", "kernel", l->function->demangled, "mangled", l->function->name, "launch",
                        (json_int_t)index, "started", started ? 1 : 0, "reason", reason));
}

/* --- running ---------------------------------------------------------------------------------------- */
/* Is this launch one of those that were asked for? */
static bool wanted(session *ses, const ses_launch *l) {
    const char *pattern = ses->options.kernels;
    if (pattern && !(strpbrk(pattern, "*?") ? wg_glob(pattern, l->function->demangled) || wg_glob(pattern, l->function->name)
                                            : strstr(l->function->demangled, pattern) != NULL))
        return false;
    uint64_t n = ses->matched++;
    return n >= ses->options.launch_skip &&
           (!ses->options.launch_count || n - ses->options.launch_skip < ses->options.launch_count);
}

bool ses_had_its_launches(const session *ses) {
    return ses->options.launch_count && ses->matched >= ses->options.launch_skip + ses->options.launch_count;
}

/* --- launches from device code: grids that wait for others to end, the next one last -------------------- */

static void drop(children *list) {
    while (list->count) free(list->at[--list->count].child.params);
    wg_vec_free(list);
}

/* What a grid has asked for goes before what waits already: its children in order, then those of its tail stream. */
static bool put_first(children *waiting, hearing *heard, uint64_t parent) {
    for (unsigned tail = 2; tail-- > 0;)
        for (size_t c = heard->children.count; c-- > 0;)
            if (heard->children.at[c].tail == (tail == 1)) {
                if (!wg_vec_push(waiting, ((asked_for){heard->children.at[c], parent}))) return false;
                heard->children.at[c].params = NULL;
            }
    return true;
}

static bool begin_watching(session *ses, const ses_launch *l, eng_launch *launch, watch_extents *extents, watch_run *watching) {
    if (!ses->scratch) ses->scratch = watch_scratch_new();
    uint32_t checks = ses->checks;
    if (l->after_fault) checks &= ~(WATCH_CHECK(UNINITIALISED) | WATCH_CHECK(COVERAGE)); /* the failed kernel left its work half done */
    watch_context ctx = {.code = l->code, .module = eng_code_module(l->code), .function = l->function, .launch = launch,
                         .gpu = eng_device_gpu(ses->device), .memory = eng_device_memory(ses->device), .elements = &ses->elements, .scratch = ses->scratch, .extents = extents,
                         .chunk_bytes = ses->options.chunk_bytes, .group_threads = ses->options.group_threads,
                         .checks = checks, .samples = ses->options.want_samples};
    if (!watch_run_start(watching, &ctx, launch->jobs)) return false;
    launch->sinks = watching->sinks;
    launch->n_sinks = watching->n_sinks;
    launch->count_reads = true;
    return true;
}

/* What became of it, where it did not end well or is not known whole. */
static void record_outcome(session *ses, const ses_launch *l, uint64_t index, const watch_findings *findings, wg_status status, const char *why, bool whole) {
    const char *fatal = ses_fatal_message(findings);
    if (status != WG_OK && !l->after_fault) record_not_run(ses, l, index, fatal && status != WG_ERR_TIMEOUT ? fatal : why, true);
    else if (!whole || findings->lost) record_not_run(ses, l, index, NOT_WHOLE, true);
}

static wg_status run(session *ses, const ses_launch *l, uint64_t index, children *asked, double *nanoseconds, wg_error *err) {
    hearing heard = {.ses = ses};
    watch_extents extents = {0};
    eng_launch launch = {.function = l->function, .shared_dynamic = l->shared_dynamic, .params = l->params,
                         .cooperative = l->cooperative, .device = l->device, .reach = l->reach, .rules = l->rules, .jobs = ses->options.jobs,
                         .max_instructions = ses->options.max_instructions, .seed = ses->options.seed, .number = index,
                         .finding = on_finding, .print = on_print, .child = on_child, .heap_bytes = l->heap_bytes, .stack_bytes = l->stack_bytes, .ctx = &heard, .cancel = &ses->cancel};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    memcpy(launch.cluster, cluster_of(l), sizeof launch.cluster);
    watch_run watching = {0};
    bool watched = wanted(ses, l), whole = true;
    bool ordered = watched && ses_order_wants(ses, l, &extents);
    if (watched && !begin_watching(ses, l, &launch, ordered ? &extents : NULL, &watching)) {
        wg_fail(err, WG_ERR_MEMORY, "no memory to watch %s", l->function->demangled);
        return record_not_run(ses, l, index, err->text, false), WG_ERR_MEMORY;
    }
    launch.roots = ses_roots_of(ses, l);
    launch.roots_function = (uint16_t)(l->function - eng_code_module(l->code)->functions);
    launch.trace = ses_trace_begin(ses, l, &launch);
    if (ses->options.progress) ses_write(ses, "start", json_pack("{s:s}", "kernel", l->function->demangled));
    eng_result result = {0};
    ses->current = l;
    ses->running = true;
    wg_status status = eng_run(l->code, &launch, &result, err);
    ses->running = false;
    *nanoseconds = (double)result.cycles * 1e6 / eng_device_gpu(ses->device)->clock_khz;
    if (watched && l->after_fault) whole = hear_watches(l, &watching, &result, &heard.findings);
    else if (watched) whole = record_launch(ses, l, index, &watching, &result, status != WG_OK ? err->text : NULL, *nanoseconds, &heard.findings);
    if (launch.trace) ses_trace_end(ses, l, index);
    record_outcome(ses, l, index, &heard.findings, status, err->text, whole);
    ses_findings_write(ses, l, index, &heard.findings);
    if (ses->checks & WATCH_CHECK(UNINITIALISED)) ses_writers_note(ses, l, index);
    if (ordered) ses_order_launch(ses, l, index, &extents);
    watch_extents_free(&extents);
    watch_findings_free(&heard.findings);
    eng_result_free(&result);
    watch_run_stop(&watching);
    if (status == WG_OK && (heard.lost || !put_first(asked, &heard, index))) status = wg_fail(err, WG_ERR_MEMORY, "no memory for a launch from device code");
    for (size_t c = 0; status != WG_OK && c < heard.children.count; c++) free(heard.children.at[c].params);
    wg_vec_free(&heard.children);
    return status;
}

/* One grid, without what its device code launches. */
static wg_status run_grid(session *ses, const ses_launch *l, children *asked, double *nanoseconds, wg_error *err) {
    uint64_t index = ses->launches++;
    wg_status status = check_configuration(ses, l, err);
    if (status != WG_OK) return status; /* the program's own mistake: the runtime's error says it */
    status = eng_can_run(l->code, l->function, err);
    if (status == WG_OK) status = run(ses, l, index, asked, nanoseconds, err);
    else record_not_run(ses, l, index, err->text, false);
    return status;
}

wg_status ses_run(session *ses, const ses_launch *l, double *nanoseconds, wg_error *err) {
    wg_error own;
    double ns = 0, more = 0;
    children waiting = {0};
    if (!err) err = &own;
    wg_status status = run_grid(ses, l, &waiting, &ns, err);
    while (status == WG_OK && waiting.count) {
        asked_for next = waiting.at[--waiting.count];
        ses_launch child = *l;
        child.function = next.child.function;
        memcpy(child.grid, next.child.grid, sizeof child.grid);
        memcpy(child.block, next.child.block, sizeof child.block);
        memset(child.cluster, 0, sizeof child.cluster);
        child.shared_dynamic = next.child.shared_dynamic;
        child.params = next.child.params;
        child.cooperative = false;
        child.parent = next.parent + 1;
        status = run_grid(ses, &child, &waiting, &more, err);
        free(next.child.params);
        ns += more;
    }
    drop(&waiting);
    if (nanoseconds) *nanoseconds = ns;
    return status;
}

eng_finding_kind ses_last_fault(const session *ses) { return ses->fault; }

const json_t *ses_last_launch(const session *ses) { return ses->last; }
