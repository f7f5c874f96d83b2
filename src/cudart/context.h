/* The one context of the runtime's face: its lock, its session, its tables, and how a call enters and
 * leaves. Everything here that is not said to be otherwise is called with the lock held. */
#ifndef WG_CUDART_CONTEXT_H
#define WG_CUDART_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "cudart/types.h"
#include "engine/engine.h"
#include "session/session.h"

#define RT_API __attribute__((visibility("default"))) /* api.h does it for the calls that it declares */

enum { RT_STACK_FRAMES = 24 }; /* host return addresses kept for an allocation or a launch */

struct rt_module; /* module.h */

typedef struct rt_graph_pool { uint64_t reserved, idle, used_high, reserved_high; } rt_graph_pool; /* graph_memory.c */

/* What each device of the machine has of its own (its streams: stream.c, its pools: pool.c). */
typedef struct rt_own {
    cudaError_t sticky; /* an error that ended a kernel: every later call returns it */
    bool used_since;    /* a call other than a launch or a wait has returned it */
    unsigned flags;     /* cudaSetDeviceFlags */
    size_t limits[7];   /* by enum cudaLimit */
    uint64_t peers;     /* bit set of devices whose memory its kernels may touch too */
    rt_graph_pool graph_pool;
} rt_own;

typedef struct rt_context {
    pthread_mutex_t lock;
    session *session;   /* NULL until a call needs the device */
    pid_t owner;        /* the process that opened it */
    bool closed;        /* the last words were spoken */
    volatile int dying; /* a signal that waits for the running kernel to stop before the process dies of it */
    bool forked;        /* this process is a fork of one that had used the device */
    bool failed;        /* some call has returned an error */
    rt_own devices[SES_MOST_GPUS];
    wg_text printed[2]; /* by kernels, not yet seen: for standard output, for standard error */

    wg_vec(struct rt_module *) modules;
    wg_u64map functions; /* host function -> rt_function */
    wg_u64map kernels;   /* handles given out (rt_function) -> themselves */
    wg_u64map variables; /* host variable -> rt_variable */
    wg_u64map streams;   /* handles -> themselves */
    wg_u64map events;
    wg_u64map pools;
    wg_u64map pinned;    /* start of pinned or registered memory -> flags + 1 */
    wg_u64map libraries;
    wg_u64map opened;          /* memory of other processes: address -> where its mapping begins */
    wg_u64map arrays, mipmaps; /* handles -> themselves */
    wg_u64map textures;        /* texture and surface objects -> what the program made them of */
    wg_u64map graphs, nodes, execs, user_objects;
    wg_u64map graph_memory;    /* address -> rt_graph_memory */

    double host_ns;      /* modelled time of the host: clocks are never wall time (stream.c) */
    uint64_t streams_made;
    bool told;           /* the call in progress made a finding of its own */
} rt_context;

extern rt_context rt;

/* The device that calls of this thread mean, of rt_device_count(). */
unsigned rt_current(void);
void rt_set_current(unsigned device);
static inline rt_own *rt_here(void) { return &rt.devices[rt_current()]; }
unsigned rt_device_count(void);
static inline bool rt_is_device(int device) { return device >= 0 && (unsigned)device < rt_device_count(); }
/* Has a kernel failed, on any of them? */
bool rt_any_sticky(void);
/* cudaSuccess, or what a call about a device that does not exist returns. */
static inline cudaError_t rt_check_device(int device) { return rt_is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; }

/* Takes the lock, with the session open. Anything but cudaSuccess (a sticky error, no memory, a forked
 * process) has released the lock again, is kept for cudaGetLastError, and is what the call returns. */
cudaError_t rt_enter(void);
/* The same for calls that only wait. */
cudaError_t rt_enter_to_wait(void);
/* The same for launches. After a sticky error a launch is still looked at, for its findings alone (the sticky error is what it
 * returns), as long as nothing else was asked of the device since: what failed after that has no inputs. */
cudaError_t rt_enter_to_launch(void);
/* Releases the lock; keeps an error for cudaGetLastError; returns its argument. */
cudaError_t rt_leave(cudaError_t error);
/* The same for calls that do not need the device (no lock is held). */
cudaError_t rt_note(cudaError_t error);

/* Calls of this thread come from the driver's face: errors are not the runtime's to keep. */
void rt_quiet(bool quiet);
/* Has this thread called the runtime itself? Then the device's primary context is its own. */
bool rt_thread_used(void);

/* What kernels print waits until the host waits for them, or launches another: only then does a GPU's driver show it. */
void rt_print(bool error, const char *text, size_t n);
void rt_print_flush(void);

eng_device *rt_device(void); /* never NULL between rt_enter and rt_leave */
eng_memory *rt_memory(void);
const eng_gpu *rt_gpu(void);

/* Host return addresses of the program's call into this library, nearest first. */
unsigned rt_stack(void *frames[RT_STACK_FRAMES]);

/* The runtime's error for what a stage below reports. */
cudaError_t rt_error_of(wg_status status);
/* A finding about a call, with the host stack. */
void rt_finding(const char *kind, const char *severity, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same about the allocation at an address. */
void rt_finding_about(uint64_t address, const char *kind, const char *severity, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void rt_seen(void); /* the program asks what failed */
const char *rt_error_name(cudaError_t error);
const char *rt_error_text(cudaError_t error);
/* Told at exit: the first error that no call of the program asked for (cudaGetLastError, its name or its text). */
void rt_unseen_write(void);
/* A public call that is not implemented: a finding that names it, once a name, and cudaErrorNotSupported. */
cudaError_t rt_unsupported(const char *call);
/* The same with the error as the call's own face names it. */
cudaError_t rt_unsupported_as(const char *call, const char *error);

#endif
