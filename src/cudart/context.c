#include "cudart/context.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cudart/api.h"
#include "cudart/lastwords.h"
#include "cudart/module.h"
#include "cudart/shared.h"

rt_context rt = {
    .lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, /* a signal's handler may come back in */
};

static _Thread_local cudaError_t last_error; /* cudaGetLastError is per host thread */
static _Thread_local bool quiet, used;
static _Thread_local unsigned current; /* device */

unsigned rt_current(void) {
    return current;
}

void rt_set_current(unsigned device) {
    current = device;
}

unsigned rt_device_count(void) {
    static _Atomic unsigned count;
    if (!count) count = ses_gpus_asked();
    return count;
}

bool rt_any_sticky(void) {
    for (unsigned d = 0; d < rt_device_count(); d++)
        if (rt.devices[d].sticky) return true;
    return false;
}

void rt_quiet(bool on) {
    quiet = on;
}

bool rt_thread_used(void) {
    return used;
}

/* --- errors that nobody looked at -------------------------------------------------------------------------
 * Whether a program looks at what a call returns cannot be seen; that it asks for the error, its name or its text can.
 */

static struct unseen {
    pthread_mutex_t lock;
    cudaError_t error; /* the first one; cudaSuccess: all were seen */
    void *stack[RT_STACK_FRAMES];
    unsigned n_stack;
} unseen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void happened(cudaError_t error) {
    pthread_mutex_lock(&unseen.lock);
    if (!unseen.error) {
        unseen.error = error;
        unseen.n_stack = rt_stack(unseen.stack);
    }
    pthread_mutex_unlock(&unseen.lock);
}

void rt_seen(void) {
    pthread_mutex_lock(&unseen.lock);
    unseen.error = cudaSuccess;
    pthread_mutex_unlock(&unseen.lock);
}

void rt_unseen_write(void) {
    if (!unseen.error) return;
    ses_finding(rt.session, "api-error", "warning", unseen.stack, unseen.n_stack,
                "this call failed with %s (%s), and the program never asked for the error: check what calls return, "
                "and cudaGetLastError() after launches",
                rt_error_name(unseen.error), rt_error_text(unseen.error));
}

/* --- how a call enters and leaves ------------------------------------------------------------------------- */

/* "Not ready" is an answer and not an error: it is never kept. */
static bool is_error(cudaError_t error) {
    return error != cudaSuccess && error != cudaErrorNotReady;
}

cudaError_t rt_note(cudaError_t error) {
    if (!is_error(error) || quiet) return error;
    rt.failed = true;
    last_error = error;
    happened(error);
    return error;
}

cudaError_t rt_leave(cudaError_t error) {
    bool told = rt.told || rt_here()->sticky; /* there is a finding of it */
    rt.told = false;
    rt_shared_settle();
    pthread_mutex_unlock(&rt.lock);
    if (quiet) return error;
    if (is_error(error)) last_error = error, rt.failed = true;
    if (is_error(error) && !told) happened(error);
    return error;
}

/* Options that cannot be taken (an unknown --gpu) make every call fail; the program's own handling of
 * errors may hide that, so it is said once on standard error as well. */
static cudaError_t no_session(const wg_error *err) {
    fprintf(stderr, "warpgrind: %s\n", err->text);
    return err->status == WG_ERR_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInitializationError;
}

static unsigned host_stack(void **frames, unsigned room) {
    void *all[RT_STACK_FRAMES];
    unsigned n = rt_stack(all), kept = 0;
    for (; kept < n && kept < room; kept++) frames[kept] = all[kept];
    return kept;
}

/* Defaults of a fresh device, as the programming guide and an H200 give them; two of them depend on its size. */
static const size_t fresh_limits[] = {[cudaLimitStackSize] = 1024,
                                      [cudaLimitPrintfFifoSize] = 1 << 20,
                                      [cudaLimitMallocHeapSize] = 8 << 20,
                                      [cudaLimitDevRuntimeSyncDepth] = 2,
                                      [cudaLimitDevRuntimePendingLaunchCount] = 2048,
                                      [cudaLimitMaxL2FetchGranularity] = 64,
                                      [cudaLimitPersistingL2CacheSize] = 0};
_Static_assert(sizeof fresh_limits == sizeof rt.devices[0].limits, "every limit has a default");

static cudaError_t open_session(void) {
    static cudaError_t failed;
    if (failed) return failed;
    wg_error err = {0};
    session *ses = NULL;
    if (ses_open(NULL, &ses, &err) != WG_OK) return failed = no_session(&err);
    /* All code that the program carries is offered before the device is chosen. */
    for (size_t i = 0; i < rt.modules.count; i++) rt_module_offer(ses, rt.modules.at[i]);
    if (!ses_device(ses, &err)) {
        ses_free(ses);
        return failed = no_session(&err);
    }
    ses_on_stack(ses, host_stack);
    rt.session = ses;
    for (unsigned d = 0; d < rt_device_count(); d++) {
        memcpy(rt.devices[d].limits, fresh_limits, sizeof fresh_limits);
        rt.devices[d].limits[cudaLimitPrintfFifoSize] = (size_t)rt_gpu()->sms << 16;
        if (rt_gpu()->major >= 8) rt.devices[d].limits[cudaLimitPersistingL2CacheSize] = (size_t)rt_gpu()->l2 / 16 * 3;
    }
    rt.owner = getpid();
    rt_lastwords_arm();
    return cudaSuccess;
}

void rt_print(bool error, const char *text, size_t n) {
    wg_text_add_n(&rt.printed[error], text, n);
    if (rt.printed[error].count > rt_here()->limits[cudaLimitPrintfFifoSize]) rt_print_flush(); /* nothing is lost */
}

void rt_print_flush(void) {
    FILE *const files[] = {stdout, stderr};
    for (int k = 0; k < 2; k++) {
        if (rt.printed[k].count) fwrite(rt.printed[k].at, 1, rt.printed[k].count, files[k]);
        wg_text_free(&rt.printed[k]);
    }
}

/* What a call is about, once a kernel has failed and every call returns the error. */
typedef enum purpose { USES_DEVICE, WAITS, LAUNCHES } purpose;

static cudaError_t enter(purpose why) {
    if (!quiet) used = true;
    /* A handler that calls CUDA while its own thread is in a call: there is nothing to wait for. */
    if (pthread_mutex_lock(&rt.lock)) return cudaErrorNotPermitted;
    if (rt.forked) {
        static bool said;
        if (!said)
            rt_finding("api-error", "error",
                       "the process forked after it had used CUDA, and the child calls CUDA: the child's "
                       "calls fail with "
                       "cudaErrorInitializationError, as on a GPU; fork before the first CUDA call, or exec "
                       "in the child");
        said = true;
        return rt_leave(cudaErrorInitializationError);
    }
    if (rt.closed) return rt_leave(cudaErrorCudartUnloading);
    if (!rt.session) {
        cudaError_t e = open_session();
        if (e) return rt_leave(e);
    }
    rt_lastwords_thread();
    rt_own *here = rt_here();
    if (!here->sticky) return cudaSuccess;
    if (why == LAUNCHES && !here->used_since) return cudaSuccess;
    if (why == USES_DEVICE) here->used_since = true;
    rt_print_flush(); /* of the kernel that failed */
    ses_order_all(rt.session); /* nothing runs any more, which the program now knows */
    return rt_leave(here->sticky);
}

cudaError_t rt_enter(void) {
    return enter(USES_DEVICE);
}
cudaError_t rt_enter_to_wait(void) {
    return enter(WAITS);
}
cudaError_t rt_enter_to_launch(void) {
    return enter(LAUNCHES);
}

eng_device *rt_device(void) {
    return ses_device(rt.session, NULL);
}
eng_memory *rt_memory(void) {
    return eng_device_memory(rt_device());
}
const eng_gpu *rt_gpu(void) {
    return eng_device_gpu(rt_device());
}

/* This library's own place in memory, by the linker's symbols. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

unsigned rt_stack(void *frames[RT_STACK_FRAMES]) {
    void *all[RT_STACK_FRAMES + 12];
    int n = backtrace(all, RT_STACK_FRAMES + 12), first = 0;
    while (first < n && (const char *)all[first] >= __ehdr_start && (const char *)all[first] < _end) first++;
    unsigned kept = 0;
    while (first < n && kept < RT_STACK_FRAMES) frames[kept++] = all[first++];
    return kept;
}

cudaError_t rt_error_of(wg_status status) {
    switch (status) {
    case WG_OK:
        return cudaSuccess;
    case WG_ERR_MEMORY:
        return cudaErrorMemoryAllocation;
    case WG_ERR_FAULT:
        return cudaErrorIllegalAddress;
    case WG_ERR_DEADLOCK:
    case WG_ERR_TIMEOUT:
        return cudaErrorLaunchTimeout;
    case WG_ERR_UNSUPPORTED:
        return cudaErrorNotSupported;
    case WG_ERR_NOT_FOUND:
        return cudaErrorNoKernelImageForDevice;
    case WG_ERR_FORMAT:
        return cudaErrorInvalidKernelImage;
    case WG_ERR_IO:
        return cudaErrorOperatingSystem;
    case WG_ERR_ARGUMENT:
        return cudaErrorInvalidValue;
    case WG_ERR_STATE:
        break;
    }
    return cudaErrorUnknown;
}

/* address NULL: about none. */
static void tell(const uint64_t *address, const char *kind, const char *severity, const char *fmt, va_list args) {
    if (!rt.session) return;
    void *frames[RT_STACK_FRAMES];
    unsigned n = rt_stack(frames);
    char text[600];
    vsnprintf(text, sizeof text, fmt, args);
    rt.told = true;
    if (address)
        ses_finding_about(rt.session, *address, kind, severity, frames, n, "%s", text);
    else
        ses_finding(rt.session, kind, severity, frames, n, "%s", text);
}

void rt_finding(const char *kind, const char *severity, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    tell(NULL, kind, severity, fmt, args);
    va_end(args);
}

void rt_finding_about(uint64_t address, const char *kind, const char *severity, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    tell(&address, kind, severity, fmt, args);
    va_end(args);
}

cudaError_t rt_unsupported(const char *call) {
    return rt_unsupported_as(call, "cudaErrorNotSupported");
}

cudaError_t rt_unsupported_as(const char *call, const char *error) {
    cudaError_t e = rt_enter();
    if (e) return e;
    static wg_strmap said; /* under the lock */
    if (!wg_strmap_get(&said, call)) {
        wg_strmap_set(&said, call, &said);
        rt_finding("api-error", "error",
                   "%s is not implemented by warpgrind: the call returned %s", call, error);
    }
    return rt_leave(cudaErrorNotSupported);
}

cudaError_t cudaPeekAtLastError(void) {
    rt_seen();
    return last_error;
}

cudaError_t cudaGetLastError(void) {
    rt_seen();
    cudaError_t e = last_error;
    /* A sticky error is not reset; it is unseen until some call has returned it (kernels end "later"). */
    if (e != rt_here()->sticky || !e) last_error = cudaSuccess;
    return e;
}
