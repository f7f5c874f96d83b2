/* The engine: loads modules onto a simulated device and runs launches. */
#ifndef WG_ENGINE_ENGINE_H
#define WG_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/event.h"
#include "engine/memory.h"
#include "engine/trace.h"
#include "image/image.h"
#include "sass/sass.h"

/* --- simulated devices (gpus.def) ----------------------------------------------------- */
typedef struct eng_gpu {
    const char *id;   /* "h200", as --gpu takes it */
    const char *name; /* "NVIDIA H200", as cudaGetDeviceProperties gives it */
    int major, minor; /* compute capability */
    unsigned sms, max_warps_per_sm, max_blocks_per_sm, max_threads_per_sm, max_threads_per_block;
    unsigned registers_per_sm, registers_per_block;
    unsigned shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved; /* bytes */
    uint64_t memory; /* bytes */
    unsigned l2;     /* bytes */
    unsigned clock_khz, memory_clock_khz, bus_bits;
    double bandwidth; /* bytes per second, from the vendor's datasheet */
    const unsigned *carveouts; /* bytes, ascending, 0-terminated: the sizes that an SM's shared memory is set to */
} eng_gpu;
const eng_gpu *eng_gpu_find(const char *id); /* case-insensitive; NULL: none */
const eng_gpu *eng_gpu_at(unsigned i);       /* NULL past the end */
const eng_gpu *eng_gpu_for_sm(int sm);       /* the default device for code of this architecture */

/* --- modules -------------------------------------------------------------------------- */
typedef struct eng_device eng_device;
typedef struct eng_code eng_code; /* a module on the device: decoded, planned lazily, globals allocated */

wg_status eng_device_new(const eng_gpu *gpu, eng_device **out, wg_error *err);
/* The same for `count` such devices of one machine. They share an address range and the workers; eng_allocation.device tells
 * whose memory it is, eng_launch.reach which of them a kernel may touch. */
wg_status eng_devices_new(const eng_gpu *gpu, unsigned count, eng_device **out, wg_error *err);
void eng_device_free(eng_device *device);
const eng_gpu *eng_device_gpu(const eng_device *device);
eng_memory *eng_device_memory(eng_device *device);

/* Takes the module by reference; it must outlive the code. Allocates globals, applies relocations. */
wg_status eng_load(eng_device *device, const img_module *module, eng_code **out, wg_error *err);
/* The same for device `number` of several: variables of its own, but the managed ones of `first`, the same module on
 * another device (NULL: there is none yet). */
wg_status eng_load_on(eng_device *device, unsigned number, const img_module *module, const eng_code *first, eng_code **out, wg_error *err);
void eng_unload(eng_code *code);
const img_module *eng_code_module(const eng_code *code);
/* Device address of a __device__ or __constant__ variable; constants also by eng_constant: where c[0x3] is read. */
uint64_t eng_variable_address(const eng_code *code, const img_variable *variable);
uint8_t *eng_constant(eng_code *code, const img_variable *variable);
/* The decoded instructions of a function (n = code_size / 16), for watches and reports. */
const sass_instr *eng_instructions(const eng_code *code, const img_function *function);
/* OK, or ERR_UNSUPPORTED naming the first instruction the engine cannot execute. */
wg_status eng_can_run(eng_code *code, const img_function *function, wg_error *err);

/* --- launches ------------------------------------------------------------------------- */
typedef enum eng_finding_kind { /* what the engine itself sees, whatever is checked */
    ENG_FAULT_WILD, ENG_FAULT_NULL, ENG_FAULT_OUT_OF_BOUNDS, ENG_FAULT_STRAYED, ENG_FAULT_FREED, ENG_FAULT_MISALIGNED, ENG_FAULT_HOST_POINTER, ENG_FAULT_READ_ONLY, ENG_FAULT_PEER,
    ENG_FAULT_BETWEEN, ENG_FAULT_GIVEN_BACK, ENG_FAULT_FORBIDDEN, /* by eng_rules */
    ENG_FAULT_SHARED, ENG_FAULT_CLUSTER /* of a block of the cluster */, ENG_FAULT_ENDED, ENG_FAULT_LOCAL, ENG_FAULT_CONSTANT, ENG_FAULT_DEADLOCK, ENG_FAULT_DEADLOCK_IN_BRANCH /* at a block barrier */, ENG_FAULT_TIMEOUT, ENG_FAULT_UNSUPPORTED,
    ENG_FAULT_TRAP, ENG_FAULT_ILLEGAL /* an instruction that the device refuses */, ENG_FAULT_ASSERT, ENG_FAULT_STACK,
    ENG_FAULT_FREE, ENG_FAULT_TENSOR_MAP
} eng_finding_kind;

typedef struct eng_finding {
    eng_finding_kind kind;
    uint16_t function;
    uint32_t instr;
    uint64_t block;      /* linear index */
    unsigned warp, lane; /* first lane concerned */
    uint32_t lanes;      /* all lanes of the warp concerned */
    eng_space space;
    uint8_t access, width;
    uint64_t address;
    const eng_allocation *allocation; /* nearest or containing; NULL none */
    bool fatal;                       /* ended the launch */
    char text[400];                   /* more, e.g. who waits where */
} eng_finding;

typedef struct eng_instr_count { /* exact, whatever is watched */
    uint64_t warps;      /* times a warp (a converged group) issued the instruction */
    uint64_t lanes;      /* active lanes, summed, whatever the guard said */
    uint64_t lanes_on;   /* lanes whose guard was true; of a branch or an end, its other predicates too */
    uint64_t warps_again, lanes_again; /* of `warps` and `lanes`, those that had issued it before: lanes that waited, or that a jump left over */
    uint64_t lanes_guarded; /* lanes whose guard was true, whatever other predicates said, each once */
    uint64_t parted, further;  /* branches: groups that split, and into how many more than two */
    uint64_t requests;   /* to a texture */
} eng_instr_count;

/* What the program has told of its memory beyond its allocations: what it has given out of them, who may do what with it. */
typedef enum eng_rule {
    ENG_RULE_ALLOWED,
    ENG_RULE_BETWEEN,    /* in a pool, of which it is not given out */
    ENG_RULE_GIVEN_BACK, /* given out once, and no more */
    ENG_RULE_FORBIDDEN   /* not for such an access */
} eng_rule;
typedef struct eng_rules {
    void *ctx;
    /* Of the byte at address, in a live allocation. *span gets bytes around it for which all is alike (allowed: for one access, too). text, of
     * size bytes: why not; NULL: nobody asks. Called by several threads, often. */
    eng_rule (*at)(void *ctx, const eng_allocation *allocation, uint64_t address, unsigned access, unsigned device, eng_span *span, char *text, size_t size);
} eng_rules;

/* A launch that device code asked for. It is due when the grid that asked has ended. */
typedef struct eng_child {
    const img_function *function;
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic;
    bool tail;    /* due after all other children, and theirs */
    void *params; /* param_bytes of the function */
} eng_child;

/* How the blocks come to several workers. Nothing but the time depends on it: tests see to that. */
typedef struct eng_dealing {
    enum {
        ENG_DEAL_AS_THEY_COME, /* whoever is free takes the next ones */
        ENG_DEAL_EACH,         /* block b to worker b % n */
        ENG_DEAL_PARTS,        /* a part of the grid to each, the first one to the first worker */
        ENG_DEAL_BACK,         /* the first part to the last worker */
        ENG_DEAL_RANDOM        /* as the seed says */
    } kind;
    uint64_t seed;
} eng_dealing;

typedef struct eng_launch {
    const img_function *function;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];       /* blocks of a cluster, of which the grid is a multiple; 0,0,0: none was asked for */
    uint32_t shared_dynamic;   /* bytes */
    const void *params;        /* param_bytes of the function, laid out as img_param says */
    bool cooperative;
    unsigned device;           /* that it runs on, of several */
    uint64_t reach;            /* bit set of devices whose memory it may touch; 0 = there is only one */
    const eng_rules *rules;    /* NULL: none, allocations are all there is */
    unsigned jobs;             /* workers; 0 = 1 */
    eng_dealing dealing;       /* as they come: what WARPGRIND_DEAL said when the device was made */
    uint64_t max_instructions; /* thread of patience: warp instructions before ENG_FAULT_TIMEOUT; 0 = no limit */
    bool count_reads;          /* count how often each element of global memory is read (memory.h) */
    uint64_t number;           /* of the launch, for who asks later who stored something (origin.h) */
    uint64_t seed;             /* 0 = the fixed order; else another order of blocks, warps and divergent groups, the same for
                                * the same seed */
    /* sinks[worker * n_sinks + k] */
    eng_sink *sinks;
    size_t n_sinks;
    void (*finding)(void *ctx, const eng_finding *finding); /* in order of block, warp and occurrence; from the calling thread */
    void *ctx;
    /* What device code prints (error: assertions that failed); NULL: stdout and stderr. */
    void (*print)(void *ctx, bool error, const char *text, size_t n);
    void (*child)(void *ctx, const eng_child *child); /* in the order of blocks and warps; NULL: refused */
    uint32_t stack_bytes;      /* of a thread, for calls whose depth the code does not state (cudaLimitStackSize); 0 = 1 KiB */
    uint64_t heap_bytes;       /* for device-side malloc, when it is first used; 0 = 8 MiB */
    /* By instruction of the kernel's own code: 1 + byte offset of the parameter whose pointer its address starts from, 0 where that is not
     * known. What ends up in another allocation is ENG_FAULT_STRAYED. NULL: nothing is known. */
    const uint16_t *roots;
    uint16_t roots_function; /* index in img_module.functions: the kernel's */
    struct eng_trace *trace; /* one warp is watched step by step (trace.h); NULL: none */
    const volatile bool *cancel; /* set by another thread or a signal: the launch ends with ERR_TIMEOUT */
} eng_launch;

/* Clusters: how many blocks one may have, and where an address of the cluster's shared memory holds a block's rank. Clusters are counted as
 * blocks are, x first, and so are the blocks of each, by their ranks. */
enum { ENG_CLUSTER_BLOCKS = 16, ENG_RANK_SHIFT = 24 };
uint64_t eng_cluster_block(const uint32_t grid[3], const uint32_t cluster[3], uint64_t number, uint32_t rank);
uint64_t eng_cluster_of(const uint32_t grid[3], const uint32_t cluster[3], uint64_t block, uint32_t *rank);

typedef struct eng_result {
    /* counts[f][i]: function f of the module (NULL where nothing ran), instruction i */
    eng_instr_count **counts;
    size_t n_functions;
    uint64_t warp_instructions, thread_instructions; /* totals */
    uint64_t blocks_run;
    uint64_t cycles;  /* modelled (docs/counters.md says how): never wall time */
    uint64_t idle_threads;
    uint64_t externs_called; /* bit k: of the module's externs the k-th, whose own instructions are not counted; of many, 63 is the rest */
    bool complete;    /* every block ran to its end */
    /* How, which is for the curious only; the rest of the result does not depend on it. */
    unsigned workers; /* 1 after several met a conflict */
    bool apart;       /* several, and it was known before that they cannot meet */
} eng_result;

/* Runs one launch. Status FAULT, DEADLOCK, TIMEOUT, UNSUPPORTED as in the findings. *result is filled as far as
 * the launch came and is freed with eng_result_free. Launch limits (threads per block, ...) are the caller's. */
wg_status eng_run(eng_code *code, const eng_launch *launch, eng_result *result, wg_error *err);
void eng_result_free(eng_result *result);

#endif
