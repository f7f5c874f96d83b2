/* Opening and ending a run, its device, its modules. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/inner.h"

/* Takes us out of the environment, so that programs started from here are not followed. */
static void leave_environment(void) {
    const char *preload = getenv("LD_PRELOAD"), *rest = preload ? strchr(preload, ':') : NULL, *nvtx = getenv(SES_NVTX);
    size_t own = preload ? strcspn(preload, ":") : 0;
    if (nvtx && own && strlen(nvtx) == own && memcmp(nvtx, preload, own) == 0) unsetenv(SES_NVTX);
    char *others = rest ? strdup(rest + 1) : NULL; /* the command put our library first */
    if (others) setenv("LD_PRELOAD", others, 1);
    else unsetenv("LD_PRELOAD");
    unsetenv(SES_ENVIRONMENT);
    free(others);
}

wg_status ses_open(const ses_options *options, session **out, wg_error *err) {
    session *ses = calloc(1, sizeof *ses);
    if (!ses) return wg_fail(err, WG_ERR_MEMORY, "no memory for a session");
    const char *text = options ? NULL : getenv(SES_ENVIRONMENT);
    wg_status status = WG_OK;
    if (text) status = ses_options_read(text, &ses->options, err);
    else if (options && !ses_options_copy(&ses->options, options)) status = wg_fail(err, WG_ERR_MEMORY, "no memory for the options");
    const char *bad = NULL;
    if (status == WG_OK && !watch_checks_read(ses->options.checks ? ses->options.checks : "all", &ses->checks, &bad))
        status = wg_fail(err, WG_ERR_ARGUMENT, "'%s' is no kind of finding (docs/checks.md lists them)", bad);
    if (status == WG_OK && !ses_sink_open(&ses->sink, ses->options.record))
        status = wg_fail(err, WG_ERR_IO, "the file for the records, %s, cannot be opened: %s",
                         ses->options.record ? ses->options.record : "(memory)", strerror(errno));
    if (status != WG_OK) {
        ses_options_free(&ses->options);
        free(ses);
        return status;
    }
    if (text && ses->options.only_this_process) leave_environment();
    if (!ses->options.gpus) ses->options.gpus = 1;
    if (!ses->options.jobs) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        ses->options.jobs = n > 0 ? (unsigned)n : 1;
    }
    *out = ses;
    return WG_OK;
}

void ses_close(session *ses, const char *status, bool in_signal) {
    if (!ses || ses->closed) return;
    ses->closed = true;
    ses_host_end(ses);
    if (in_signal) ses_sink_last_words();
    ses_profiles_write(ses, true);
    if (ses->running) /* its memory is in motion: nothing can be said of it */
        ses_not_run(ses, ses->current->function->demangled, "the program ended while this kernel ran");
    else if (ses->device) ses_allocations_write(ses);
    ses_outputs_end(ses);
    json_t *end = json_object();
    if (status) json_object_set_new(end, "status", json_string(status));
    ses_write(ses, "end", end);
}

void ses_free(session *ses) {
    if (!ses) return;
    ses_close(ses, NULL, false);
    if (ses->device) {
        eng_memory_on_release(eng_device_memory(ses->device), NULL, NULL);
        eng_memory_on_copy_out(eng_device_memory(ses->device), NULL, NULL);
    }
    ses_order_free(ses);
    while (ses->modules.count) ses_unload(ses, ses->modules.at[ses->modules.count - 1].code);
    wg_vec_free(&ses->modules);
    wg_vec_free(&ses->profiles);
    wg_vec_free(&ses->offered);
    wg_u64map_free(&ses->elements);
    watch_scratch_free(ses->scratch);
    wg_u64map_free(&ses->roots);
    ses_tails_free(ses);
    wg_u64map_free(&ses->undefined_told);
    ses_writers_free(ses);
    json_decref(ses->last);
    free(ses->tracing);
    eng_device_free(ses->device);
    ses_sink_close(&ses->sink);
    ses_options_free(&ses->options);
    free(ses);
}

static json_t *gpu_json(const eng_gpu *gpu) {
    char cc[16];
    snprintf(cc, sizeof cc, "%d.%d", gpu->major, gpu->minor);
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:i, s:i, s:f}", "id", gpu->id, "name", gpu->name,
                     "compute_capability", cc, "multiprocessors", (int)gpu->sms, "warps_per_multiprocessor",
                     (int)gpu->max_warps_per_sm, "memory", (json_int_t)gpu->memory, "l2", (int)gpu->l2, "clock_khz",
                     (int)gpu->clock_khz, "bandwidth", gpu->bandwidth);
}

static void write_begin(session *ses) {
    json_t *begin = json_object();
    json_object_set_new(begin, "parent", json_integer(getppid()));
    json_object_set_new(begin, "gpu", gpu_json(eng_device_gpu(ses->device)));
    if (ses->options.gpus > 1) json_object_set_new(json_object_get(begin, "gpu"), "count", json_integer(ses->options.gpus));
    ses_write(ses, "begin", begin);
}

void ses_forked(session *ses) {
    ses->sink.pid = getpid();
    if (ses->device) write_begin(ses);
}

const ses_options *ses_options_of(const session *ses) { return &ses->options; }
bool ses_cancel(session *ses) {
    ses->cancel = true;
    return ses->running;
}

/* --- the device ----------------------------------------------------------------------------- */
/* Architectures that the engine executes, the preferred first. */
static const int executed[] = {90, 89, 86, 80, 75};
enum { EXECUTED = sizeof executed / sizeof executed[0] };

/* How a container's code fits executed[k]: bit k of each third. */
enum { EXACT = 0, COMPATIBLE = 16, FROM_PTX = 32 };

static uint64_t architectures(const img_file *file, int container) {
    uint64_t set = 0;
    for (size_t e = 0; e < file->n_entries; e++) {
        const img_entry *entry = &file->entries[e];
        if (entry->container != container) continue;
        for (int k = 0; k < EXECUTED; k++) {
            bool runs = entry->sm / 10 == executed[k] / 10 && entry->sm <= executed[k];
            if (entry->kind == IMG_PTX && entry->sm <= executed[k]) set |= (uint64_t)1 << (FROM_PTX + k);
            if (entry->kind == IMG_CUBIN && runs) set |= (uint64_t)1 << (COMPATIBLE + k);
            if (entry->kind == IMG_CUBIN && entry->sm == executed[k]) set |= (uint64_t)1 << (EXACT + k);
        }
    }
    return set;
}

void ses_offer(session *ses, const img_file *file) {
    for (int c = 0; c < file->n_containers; c++) wg_vec_push(&ses->offered, architectures(file, c));
}

/* The newest architecture that every container was compiled for; else the oldest that runs the machine code of
 * all; else the newest for which the PTX of some can be assembled. */
static int fitting_sm(const session *ses) {
    uint64_t code = ~(uint64_t)0, any = ~(uint64_t)0;
    for (size_t i = 0; i < ses->offered.count; i++) {
        uint64_t set = ses->offered.at[i];
        if (!set) continue; /* nothing here runs anywhere: its kernels will say so */
        code &= set;
        any &= set >> COMPATIBLE | set >> FROM_PTX;
    }
    if (!ses->offered.count) return executed[0];
    for (int k = 0; k < EXECUTED; k++)
        if (code >> (EXACT + k) & 1) return executed[k];
    for (int k = EXECUTED - 1; k >= 0; k--)
        if (code >> (COMPATIBLE + k) & 1) return executed[k];
    for (int k = 0; k < EXECUTED; k++)
        if (any >> k & 1) return executed[k];
    return executed[0];
}

eng_device *ses_device(session *ses, wg_error *err) {
    if (ses->device) return ses->device;
    const eng_gpu *gpu = ses->options.gpu ? eng_gpu_find(ses->options.gpu) : eng_gpu_for_sm(fitting_sm(ses));
    if (!gpu) {
        wg_fail(err, WG_ERR_NOT_FOUND, "there is no device '%s'; `warpgrind gpus` lists them",
                ses->options.gpu ? ses->options.gpu : "");
        return NULL;
    }
    if (eng_devices_new(gpu, ses->options.gpus, &ses->device, err) != WG_OK) return ses->device = NULL;
    ses_allocations_watch(ses);
    write_begin(ses);
    return ses->device;
}

/* --- modules -------------------------------------------------------------------------------- */
static wg_status read_module(session *ses, const img_file *file, int container, ses_module *out, wg_error *err) {
    const eng_gpu *gpu = eng_device_gpu(ses->device);
    int sm = gpu->major * 10 + gpu->minor;
    const img_entry *entry = NULL;
    bool needs_ptxas = false;
    wg_status status = img_choose(file, container, sm, &entry, &needs_ptxas, err);
    if (status != WG_OK) return status;
    const uint8_t *cubin = entry->data;
    size_t size = entry->size;
    if (needs_ptxas) {
        if (!(out->arena = wg_arena_new())) return wg_fail(err, WG_ERR_MEMORY, "no memory to assemble PTX");
        status = img_assemble(entry, sm, out->arena, &cubin, &size, err);
        if (status != WG_OK) return status;
        ses_note(ses, "the program holds PTX but no machine code for sm_%d: it was assembled with ptxas, so its counts are "
                      "those of that ptxas", sm);
    }
    return img_module_read(cubin, size, &out->module, err);
}

wg_status ses_load(session *ses, const img_file *file, int container, eng_code **out, wg_error *err) {
    return ses_load_on(ses, 0, file, container, NULL, out, err);
}

wg_status ses_load_on(session *ses, unsigned device, const img_file *file, int container, const eng_code *first, eng_code **out, wg_error *err) {
    if (!ses_device(ses, err)) return err ? err->status : WG_ERR_STATE;
    ses_module module = {0};
    wg_status status = read_module(ses, file, container, &module, err);
    if (status == WG_OK) status = eng_load_on(ses->device, device, module.module, first, &module.code, err);
    if (status == WG_OK && !wg_vec_push(&ses->modules, module)) status = wg_fail(err, WG_ERR_MEMORY, "no memory for a module");
    if (status != WG_OK) {
        if (module.code) eng_unload(module.code);
        if (module.module) img_module_free(module.module);
        wg_arena_free(module.arena);
        return status;
    }
    *out = module.code;
    return WG_OK;
}

void ses_unload(session *ses, eng_code *code) {
    for (size_t i = 0; i < ses->modules.count; i++) {
        ses_module *m = &ses->modules.at[i];
        if (m->code != code) continue;
        ses_profiles_forget(ses, code);
        ses_order_unload(ses, code);
        ses_roots_forget(ses, code);
        eng_unload(m->code);
        img_module_free(m->module);
        wg_arena_free(m->arena);
        *m = ses->modules.at[--ses->modules.count];
        return;
    }
}

/* --- findings and notes of the host side ----------------------------------------------------- */
void ses_not_run(session *ses, const char *kernel, const char *reason) {
    ses_write(ses, "not_run", json_pack("{s:s, s:s}", "kernel", kernel, "reason", reason));
}

bool ses_checks(const session *ses, const char *kind) {
    uint32_t set;
    return !watch_checks_read(kind, &set, NULL) || set & ses->checks;
}

uint64_t ses_errors(const session *ses) { return ses->errors; }

static void host_finding(session *ses, const eng_allocation *a, uint64_t address, const char *kind, const char *severity,
                         void *const *stack, unsigned n_stack, const char *fmt, va_list args) {
    char text[600];
    if (!ses_checks(ses, kind)) return;
    vsnprintf(text, sizeof text, fmt, args);
    if (strcmp(severity, "error") == 0) ses->errors++;
    json_t *finding = json_pack("{s:s, s:s, s:s}", "kind", kind, "severity", severity, "message", text);
    if (n_stack) json_object_set_new(finding, "stack", ses_stack_json(stack, n_stack));
    if (a) json_object_set_new(finding, "allocation", ses_allocation_json(a, address));
    ses_write(ses, "finding", finding);
}

void ses_finding(session *ses, const char *kind, const char *severity, void *const *stack, unsigned n_stack,
                 const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    host_finding(ses, NULL, 0, kind, severity, stack, n_stack, fmt, args);
    va_end(args);
}

void ses_finding_about(session *ses, uint64_t address, const char *kind, const char *severity, void *const *stack, unsigned n_stack,
                       const char *fmt, ...) {
    const eng_allocation *a = ses->device ? eng_memory_find(eng_device_memory(ses->device), address, NULL) : NULL;
    va_list args;
    va_start(args, fmt);
    host_finding(ses, a, address, kind, severity, stack, n_stack, fmt, args);
    va_end(args);
}

void ses_on_stack(session *ses, unsigned (*stack)(void **frames, unsigned room)) { ses->host_stack = stack; }

void ses_note(session *ses, const char *fmt, ...) {
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ses_write(ses, "note", json_pack("{s:s}", "text", text));
}

json_t *ses_document(session *ses) {
    if (!ses->sink.kept) return NULL;
    /* Allocations that still live and profiles are told in the document, but not kept as final. */
    json_t *kept = ses->sink.kept, *copy = json_copy(kept);
    if (!copy) return NULL;
    ses->sink.kept = copy;
    if (!ses->closed && ses->device) {
        ses_profiles_write(ses, true);
        ses_allocations_write(ses);
    }
    ses->sink.kept = kept;
    ses_program none = {.exit_status = -1};
    json_t *document = ses_assemble(copy, &none, 0);
    json_decref(copy);
    return document;
}
