/* warpgrind: runs CUDA kernels with no GPU, counts what the hardware would count, and finds faults.
 *
 * This is the C API, for C and C++: open an image (an executable, shared object, fatbin or cubin that nvcc made),
 * allocate, copy, launch, then read results, counters and findings. No CUDA toolkit and no GPU are needed.
 *
 *     #include <stdio.h>
 *     #include <warpgrind/warpgrind.h>
 *
 *     int main(void) {
 *         float host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
 *         wg_error err;
 *         wg_device *dev;
 *         wg_address in, out;
 *         const wg_launch_record *run;
 *         if (wg_open("scale.cubin", NULL, &dev, &err) != WG_OK ||
 *             wg_alloc(dev, sizeof host, &in, &err) != WG_OK || wg_alloc(dev, sizeof host, &out, &err) != WG_OK ||
 *             wg_copy_in(dev, in, host, sizeof host, &err) != WG_OK) {
 *             fprintf(stderr, "%s\n", err.text);
 *             return 1;
 *         }
 *         // __global__ void scale(float *out, const float *in, float factor, int n)
 *         wg_arg args[] = {wg_arg_address(out), wg_arg_address(in), wg_arg_f32(2.0f), wg_arg_i32(8)};
 *         if (wg_launch(dev, wg_kernel(dev, "scale", &err), wg_dim3(2, 1, 1), wg_dim3(4, 1, 1), 0, args, 4, &run, &err) != WG_OK ||
 *             wg_copy_out(dev, host, out, sizeof host, &err) != WG_OK)
 *             fprintf(stderr, "%s\n", err.text);
 *         else
 *             printf("%g ... %.0f sectors loaded\n", host[0],
 *                    wg_counter(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
 *         wg_close(dev);
 *     }
 *
 * Every function that can fail returns a wg_status and fills *err where the caller gave one: err.text says what went
 * wrong, where, and what to do. Sizes are in bytes, addresses are device addresses. A device and all that belongs to it
 * may be used by one thread at a time; different devices are independent of each other. */
#ifndef WARPGRIND_WARPGRIND_H
#define WARPGRIND_WARPGRIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <warpgrind/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A simulated device with the images that were loaded onto it, and the record of what ran. */
typedef struct wg_device wg_device;
/* A kernel of a loaded image; belongs to the device. */
typedef struct wg_function wg_function;
/* What one launch counted; belongs to the device. */
typedef struct wg_launch_record wg_launch_record;
/* An address on the device. 0 is no address. */
typedef uint64_t wg_address;

/* "warpgrind 0.1.0" */
WG_API const char *wg_version(void);

/* --- devices and images -------------------------------------------------------------------------- */
typedef struct wg_options { /* zeros are the defaults */
    const char *gpu;    /* "h200", ... (`warpgrind gpus` lists them); NULL: fits the image's code */
    unsigned jobs;      /* workers; results and counts do not depend on it; 0 = one a processor */
    const char *checks; /* kinds of findings (docs/checks.md), "all,-leak", "none"; NULL = all. What ends a launch is found whatever is asked */
    uint64_t seed;      /* another schedule of blocks and warps; 0 = the usual one */
    uint64_t max_instructions; /* warp instructions that a launch may take before it fails; 0 = no limit */
    unsigned chunk_bytes, group_threads; /* a model of transactions of your own, counted as wg__chunks_*; 0 = not counted */
    bool instructions;  /* also count for each instruction: they appear in the JSON report */
} wg_options;

/* Makes a device and loads an image onto it. options may be NULL. Ends with wg_close.
 * ERR_IO, ERR_FORMAT: path cannot be read or is no image; ERR_NOT_FOUND: no such GPU, or no code for it. */
WG_API wg_status wg_open(const char *path, const wg_options *options, wg_device **out, wg_error *err);
/* The same from memory, which is not needed after the call. */
WG_API wg_status wg_open_memory(const void *bytes, size_t size, const wg_options *options, wg_device **out, wg_error *err);
/* Loads one more image onto the same device. */
WG_API wg_status wg_load(wg_device *device, const char *path, wg_error *err);
/* Frees the device and everything that belongs to it. NULL is fine. */
WG_API void wg_close(wg_device *device);

/* --- memory --------------------------------------------------------------------------------------- */
/* Aligned to 256 bytes. The content is undefined, and reading it in a kernel gives a pattern that is no one's result.
 * ERR_MEMORY: the simulated device, or this machine, is full. */
WG_API wg_status wg_alloc(wg_device *device, size_t size, wg_address *out, wg_error *err);
/* ERR_ARGUMENT: not the start of a living allocation. */
WG_API wg_status wg_free(wg_device *device, wg_address address, wg_error *err);
/* Host to device, device to host, device to device. ERR_ARGUMENT: not inside one living allocation. */
WG_API wg_status wg_copy_in(wg_device *device, wg_address to, const void *from, size_t size, wg_error *err);
WG_API wg_status wg_copy_out(wg_device *device, void *to, wg_address from, size_t size, wg_error *err);
WG_API wg_status wg_copy(wg_device *device, wg_address to, wg_address from, size_t size, wg_error *err);
WG_API wg_status wg_fill(wg_device *device, wg_address to, uint8_t value, size_t size, wg_error *err);
/* A __device__ variable of an image, by name. size may be NULL. */
WG_API wg_status wg_variable(wg_device *device, const char *name, wg_address *out, size_t *size, wg_error *err);

/* --- launches -------------------------------------------------------------------------------------- */
/* A kernel by its mangled name, or by its demangled one with or without the argument list. NULL: none of this name
 * (*err lists what there is). */
WG_API const wg_function *wg_kernel(wg_device *device, const char *name, wg_error *err);
/* The i-th kernel's demangled name; NULL past the end. */
WG_API const char *wg_kernel_name(const wg_device *device, size_t i);
/* Bytes of a kernel's i-th parameter; 0 past the end. */
WG_API size_t wg_parameter_size(const wg_function *function, size_t i);

typedef struct wg_dim { uint32_t x, y, z; } wg_dim;
static inline wg_dim wg_dim3(uint32_t x, uint32_t y, uint32_t z) {
    wg_dim d = {x, y, z};
    return d;
}

/* One argument of a kernel, by value. */
typedef struct wg_arg {
    size_t size;         /* bytes; must be those of the kernel's parameter */
    const void *at;      /* where the bytes are; NULL: in small */
    unsigned char small[8];
} wg_arg;
static inline wg_arg wg_arg_small(const void *value, size_t size) {
    wg_arg a;
    memset(&a, 0, sizeof a);
    a.size = size;
    memcpy(a.small, value, size);
    return a;
}
static inline wg_arg wg_arg_address(wg_address v) { return wg_arg_small(&v, sizeof v); } /* any pointer */
static inline wg_arg wg_arg_i32(int32_t v) { return wg_arg_small(&v, sizeof v); }
static inline wg_arg wg_arg_u32(uint32_t v) { return wg_arg_small(&v, sizeof v); }
static inline wg_arg wg_arg_i64(int64_t v) { return wg_arg_small(&v, sizeof v); }
static inline wg_arg wg_arg_u64(uint64_t v) { return wg_arg_small(&v, sizeof v); } /* size_t too */
static inline wg_arg wg_arg_f32(float v) { return wg_arg_small(&v, sizeof v); }
static inline wg_arg wg_arg_f64(double v) { return wg_arg_small(&v, sizeof v); }
/* A struct, or any other type; the bytes are read when the kernel is launched. */
static inline wg_arg wg_arg_bytes(const void *at, size_t size) {
    wg_arg a;
    memset(&a, 0, sizeof a);
    a.size = size;
    a.at = at;
    return a;
}

/* Runs a kernel to its end. function NULL (a kernel that wg_kernel did not find) gives ERR_NOT_FOUND and leaves *err as it is.
 * shared: bytes of dynamic shared memory. *record (may be NULL) is filled also when the kernel failed on its way.
 * ERR_ARGUMENT: the configuration is not possible on the device, or an argument's size or number is wrong;
 * ERR_UNSUPPORTED: an instruction that is not executed, named; ERR_FAULT, ERR_DEADLOCK, ERR_TIMEOUT: see the findings. */
WG_API wg_status wg_launch(wg_device *device, const wg_function *function, wg_dim grid, wg_dim block, uint32_t shared, const wg_arg *args,
                           size_t n_args, const wg_launch_record **record, wg_error *err);
/* The same as cudaLaunchCooperativeKernel does it: all blocks are there at once, and grid.sync() works. ERR_ARGUMENT also when the
 * device does not hold the grid. */
WG_API wg_status wg_launch_cooperative(wg_device *device, const wg_function *function, wg_dim grid, wg_dim block, uint32_t shared,
                                       const wg_arg *args, size_t n_args, const wg_launch_record **record, wg_error *err);

/* --- what was counted ------------------------------------------------------------------------------- */
/* A counter of a launch by its name (docs/counters.md; Nsight Compute's names where the meaning is the same).
 * NaN: no such counter. Counts up to 2^53 are exact. */
WG_API double wg_counter(const wg_launch_record *record, const char *name);
/* True: the counter exists, and equals the hardware's where the hardware has it. False: it follows from a stated model. */
WG_API bool wg_counter_is_exact(const wg_launch_record *record, const char *name);

/* A counter, two of them as COUNTER/COUNTER, or a short name of docs/ci.md ("sectors_per_request", "bank_conflicts", ...) of
 * a launch. NaN: not counted, divided by zero, or of the whole run ("reads_per_value": see wg_allocation_reads). */
WG_API double wg_quantity(const wg_launch_record *record, const char *name);
/* False: a fault, a deadlock or a limit ended the launch; its counters say how far it came. */
WG_API bool wg_launch_complete(const wg_launch_record *record);

typedef struct wg_finding {
    const char *kind;     /* "out-of-bounds", ... (docs/json.md) */
    const char *severity; /* "error", "warning", "note" */
    const char *message;
    const char *kernel;   /* NULL: of the host side */
    const char *file;     /* NULL: no line information */
    uint32_t line;        /* 0: unknown */
    uint64_t launch;      /* number of the launch on this device, from 0 */
    uint64_t times;       /* how often the same was found at the same instructions in that launch */
} wg_finding;
/* Findings so far; fills up to n of them. The texts belong to the device. */
WG_API size_t wg_findings(wg_device *device, wg_finding *out, size_t n);
/* Those of one launch. NULL as record has none. The texts are valid until findings are asked for again. */
WG_API size_t wg_launch_findings(const wg_launch_record *record, wg_finding *out, size_t n);
/* Checks the run so far against the rules of a budget (docs/ci.md). *broken gets how many are broken, and err->text the first
 * of them. Rules that name a source line need wg_options.instructions. ERR_IO, ERR_ARGUMENT: the file, or a rule in it. */
WG_API wg_status wg_budget(wg_device *device, const char *path, size_t *broken, wg_error *err);

typedef struct wg_reads {
    uint64_t elements; /* of the allocation */
    uint64_t distinct; /* elements read at least once by a kernel */
    uint64_t reads;    /* reads in all */
    uint64_t most;     /* reads of the most read element */
} wg_reads;
/* How often kernels read the elements (of width bytes) of the allocation that starts at address.
 * map (may be NULL) gets the count of each of the first n elements. */
WG_API wg_status wg_allocation_reads(wg_device *device, wg_address address, size_t width, wg_reads *out, uint64_t *map, size_t n,
                                     wg_error *err);
/* True when every byte of [address, address + size) was written, by a kernel or a copy. */
WG_API bool wg_is_written(wg_device *device, wg_address address, size_t size);

/* --- reports ------------------------------------------------------------------------------------------ */
/* The run so far, as JSON (docs/json.md) or as text for people. The result is freed with free(). NULL: no memory. */
WG_API char *wg_report_json(wg_device *device);
WG_API char *wg_report_text(wg_device *device);

#ifdef __cplusplus
}
#endif
#endif
