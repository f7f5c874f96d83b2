/* Device memory: one reserved address range, an allocation table, and shadows.
 *
 * The program sees the range at [base, base+size) without access (PROT_NONE); the engine reaches the
 * same pages through an alias (one memfd, mapped twice) at a constant distance. Managed and pinned allocations
 * live in the same range with access opened, so that host and device share their address. Registered host
 * memory lies outside the range; the table knows it, and it has shadow addresses of its own.
 *
 * Nothing is filled when memory is allocated. A byte that nobody wrote holds no value of its own: whoever reads it
 * gets ENG_PATTERN, because the shadow says that it is undefined. So 64 GiB cost nothing until they are touched.
 * Managed, pinned and registered memory counts as written (zeros, or what the host put there).
 *
 * Shadows, all mapped lazily:
 *   defined  one bit a byte, and for each allocation the length of its defined beginning, which needs no bits
 *   reads    how often each 4-byte word was read, as differences: a run of words read once adds 1 at its first
 *            word and takes 1 away behind its last, so that an access of a whole warp costs two additions. 16 bits a
 *            word; sums that do not fit go exactly to a table. Runs that do not begin and end at words are
 *            counted the same way by bytes, beside it.
 * Everything that copies or sets memory goes through this file, so that the shadows cannot lag.
 * Nothing here may be called while a launch runs, except from the engine itself. */
#ifndef WG_ENGINE_MEMORY_H
#define WG_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What undefined memory reads as, by 4-byte words: a NaN as float, as double and in the upper half. */
#define ENG_PATTERN 0x7ffbadbau

enum { ENG_PAGE = 4096 }; /* of the host; managed and pinned allocations begin at one */

typedef struct eng_memory eng_memory;

typedef enum eng_alloc_kind {
    ENG_ALLOC_DEVICE, ENG_ALLOC_MANAGED, ENG_ALLOC_PINNED, ENG_ALLOC_REGISTERED, ENG_ALLOC_GLOBAL /* __device__ */,
    ENG_ALLOC_HEAP /* device-side malloc */
} eng_alloc_kind;

typedef struct eng_allocation {
    uint64_t address;
    uint64_t size;        /* as asked */
    eng_alloc_kind kind;
    uint32_t id;          /* in order of allocation, from 1; never reused */
    bool freed;           /* kept (quarantined) after free, so that later accesses can be named */
    bool read_only;       /* kernels do not write it: __constant__ variables */
    uint8_t device;       /* whose memory it is, or that its program used when it asked for it */
    uint64_t open;        /* bit set of other devices that may touch it, peers or not */
    const char *name;     /* __device__ variables; else NULL */
    const char *label;    /* what the program calls it; NULL: nothing */
    void *const *stack;   /* host return addresses of the allocating call; n_stack of them */
    unsigned n_stack;
    void *const *free_stack;
    unsigned n_free_stack;
    uint64_t bytes_read, bytes_written; /* by kernels: lanes times width, dropped accesses not counted */
} eng_allocation;

typedef enum eng_copy_kind { ENG_HOST_TO_DEVICE, ENG_DEVICE_TO_HOST, ENG_DEVICE_TO_DEVICE, ENG_HOST_TO_HOST } eng_copy_kind;

/* capacity: bytes of the simulated device. The host limit starts at most of what the machine (or its cgroup) has free. */
wg_status eng_memory_new(uint64_t capacity, eng_memory **out, wg_error *err);
void eng_memory_free(eng_memory *mem);
/* Bytes of device memory that may really be touched, shadows not included; beyond, copies and kernels fail with
 * ERR_MEMORY instead of meeting the system's killer. */
void eng_memory_set_host_limit(eng_memory *mem, uint64_t bytes);

/* Aligned to 256 bytes, guard gaps between allocations; addresses are not reused while others are left.
 * ERR_MEMORY when the device (or, for managed and pinned, the host) is full. */
wg_status eng_memory_alloc(eng_memory *mem, uint64_t size, eng_alloc_kind kind, const eng_allocation **out, wg_error *err);
wg_status eng_memory_register(eng_memory *mem, void *host, uint64_t size, wg_error *err);
wg_status eng_memory_unregister(eng_memory *mem, void *host, wg_error *err);
/* ERR_ARGUMENT: not the start of a live allocation (double free and wild free are told apart in the text). */
wg_status eng_memory_release(eng_memory *mem, uint64_t address, wg_error *err);
/* Called for each allocation while its shadows can still be read: when it is released, before they are dropped. */
void eng_memory_on_release(eng_memory *mem, void (*fn)(void *ctx, const eng_allocation *allocation), void *ctx);
/* Called when bytes [at, at + size) of an allocation were copied to the host. */
void eng_memory_on_copy_out(eng_memory *mem, void (*fn)(void *ctx, const eng_allocation *allocation, uint64_t at, uint64_t size), void *ctx);
/* Attaches the host call stack (copied). */
void eng_memory_set_stack(eng_memory *mem, uint64_t address, void *const *stack, unsigned n, bool of_free);
void eng_memory_set_read_only(eng_memory *mem, uint64_t address); /* for kernels */
void eng_memory_set_name(eng_memory *mem, uint64_t address, const char *name);
void eng_memory_set_label(eng_memory *mem, uint64_t address, const char *label);
void eng_memory_set_device(eng_memory *mem, uint64_t address, unsigned device);
void eng_memory_set_open(eng_memory *mem, uint64_t address, uint64_t devices);

/* The allocation that contains address, live first, else freed; NULL. *near (may be NULL) gets the closest
 * one below when none contains it. */
const eng_allocation *eng_memory_find(const eng_memory *mem, uint64_t address, const eng_allocation **near);
/* The i-th allocation in order of id, for reports; NULL past the end. */
const eng_allocation *eng_memory_at(const eng_memory *mem, size_t i);
uint32_t eng_memory_newest(const eng_memory *mem); /* id of the latest; 0: none */
bool eng_memory_contains(const eng_memory *mem, uint64_t address); /* in the reserved range at all */
uint64_t eng_memory_range(const eng_memory *mem, uint64_t *size);  /* where that begins */
uint64_t eng_memory_used(const eng_memory *mem);
uint64_t eng_memory_capacity(const eng_memory *mem);
uint64_t eng_memory_used_of(const eng_memory *mem, unsigned device); /* by allocations of one device; slow: looks at all */
uint64_t eng_memory_touched(const eng_memory *mem); /* bytes of it that cost host memory, by chunks of 64 KiB */

/* Host-side copies and fills; device ranges are checked whole before a byte moves (ERR_ARGUMENT names the allocation).
 * Undefined bytes arrive at the host as ENG_PATTERN, and stay undefined in copies between allocations. */
wg_status eng_memory_copy(eng_memory *mem, uint64_t dst, uint64_t src, uint64_t size, eng_copy_kind kind, wg_error *err);
/* count elements of width (1, 2, 4) bytes. */
wg_status eng_memory_fill(eng_memory *mem, uint64_t dst, const void *value, size_t width, uint64_t count, wg_error *err);
/* Where the engine sees an address of the range: valid for a whole allocation. NULL: in none. */
void *eng_memory_host(const eng_memory *mem, uint64_t address);

/* Is this managed or pinned memory, which host and device share at one address? */
bool eng_memory_shared(const eng_memory *mem, uint64_t address);
/* What the program itself may do there until the next call: 0, ENG_READ, or ENG_READ | ENG_WRITE. Whole pages of shared allocations;
 * the engine goes on through its alias. False: the system refused. */
bool eng_memory_permit(eng_memory *mem, uint64_t address, uint64_t size, unsigned access);

/* The file that holds an address of the range, and where in it: another process maps it to share the memory. */
int eng_memory_file(const eng_memory *mem, uint64_t address, uint64_t *offset);

/* --- the shadows, for reports -------------------------------------------------------------------- */
bool eng_memory_defined(const eng_memory *mem, uint64_t address, uint64_t size); /* all bytes written */
void eng_memory_define(eng_memory *mem, uint64_t address, uint64_t size); /* they count as written, as far as they are allocated */
/* The first run of undefined bytes of an allocation at or after byte offset `from`. False: none. */
bool eng_memory_gap(const eng_memory *mem, const eng_allocation *allocation, uint64_t from, uint64_t *start, uint64_t *size);

/* The same of bytes that nobody wrote, not even with an undefined value. */
bool eng_memory_unwritten(const eng_memory *mem, const eng_allocation *allocation, uint64_t from, uint64_t *start, uint64_t *size);

/* How often kernels read each element (of width 1, 2, 4, 8, ... bytes) of an allocation, in order:
 *     eng_read_map map; eng_read_map_open(&map, mem, a, 4);
 *     while ((n = eng_read_map_next(&map, counts, 1024))) ...
 *     eng_read_map_close(&map);
 * An element's count is that of its most read byte. A last partial element counts as one. */
typedef struct eng_read_map {
    const eng_memory *mem;
    const eng_allocation *allocation;
    unsigned width;
    uint64_t next;              /* byte offset */
    int64_t words, bytes;       /* running sums of the differences */
    void *spills;               /* what did not fit, sorted */
    size_t n_spills, spill;
} eng_read_map;
wg_status eng_read_map_open(eng_read_map *map, const eng_memory *mem, const eng_allocation *allocation, unsigned width);
size_t eng_read_map_next(eng_read_map *map, uint64_t *counts, size_t n); /* 0: at the end */
void eng_read_map_close(eng_read_map *map);

typedef struct eng_read_summary { uint64_t elements, distinct, reads, most; } eng_read_summary;
/* Elements in all, elements read at least once, reads, reads of the most read element. Untouched parts cost no time. */
wg_status eng_memory_read_summary(const eng_memory *mem, const eng_allocation *allocation, unsigned width, eng_read_summary *out);
uint64_t eng_memory_reads(const eng_memory *mem, uint64_t address, unsigned width); /* one element; slow: from the start */
/* Forgets all reads, for instance between launches. */
void eng_memory_reads_reset(eng_memory *mem);

#endif
