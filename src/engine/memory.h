/* Device memory: one reserved address range, an allocation table, and shadows.
 *
 * The program sees the range at [base, base+size) without access (PROT_NONE); the engine reaches the
 * same pages at address + alias. Managed and pinned allocations live in the same range with access
 * opened, so that host and device share their address. Registered host memory lies outside the range
 * and is found in the table only.
 *
 * Shadows, all lazily mapped and indexed from the address by shift alone:
 *   defined  one bit a byte
 *   reads    one saturating 16-bit count per 4-byte word (split into bytes on demand, overflow table)
 * Everything that copies or sets memory goes through this file, so that the shadows cannot lag. */
#ifndef WG_ENGINE_MEMORY_H
#define WG_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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
    const char *name;     /* __device__ variables; else NULL */
    void *const *stack;   /* host return addresses of the allocating call; n_stack of them */
    unsigned n_stack;
    void *const *free_stack;
    unsigned n_free_stack;
} eng_allocation;

typedef enum eng_copy_kind { ENG_HOST_TO_DEVICE, ENG_DEVICE_TO_HOST, ENG_DEVICE_TO_DEVICE, ENG_HOST_TO_HOST } eng_copy_kind;

/* capacity: bytes of the simulated device; host_limit: bytes this process may use for it. */
wg_status eng_memory_new(uint64_t capacity, eng_memory **out, wg_error *err);
void eng_memory_free(eng_memory *mem);

/* Aligned to 256 bytes, guard gaps between allocations. ERR_MEMORY when the device or the host is full. */
wg_status eng_memory_alloc(eng_memory *mem, uint64_t size, eng_alloc_kind kind, const eng_allocation **out, wg_error *err);
wg_status eng_memory_register(eng_memory *mem, void *host, uint64_t size, wg_error *err);
wg_status eng_memory_unregister(eng_memory *mem, void *host, wg_error *err);
/* ERR_ARGUMENT: not the start of a live allocation (double free and wild free are told apart in the text). */
wg_status eng_memory_release(eng_memory *mem, uint64_t address, wg_error *err);
/* Attaches the host call stack (copied). */
void eng_memory_set_stack(eng_memory *mem, uint64_t address, void *const *stack, unsigned n, bool of_free);
void eng_memory_set_name(eng_memory *mem, uint64_t address, const char *name);

/* The allocation that contains address, live first, else freed; NULL. *near (may be NULL) gets the closest
 * one below when none contains it. */
const eng_allocation *eng_memory_find(const eng_memory *mem, uint64_t address, const eng_allocation **near);
/* The i-th allocation in order of id, for reports; NULL past the end. */
const eng_allocation *eng_memory_at(const eng_memory *mem, size_t i);
bool eng_memory_contains(const eng_memory *mem, uint64_t address); /* in the reserved range at all */
uint64_t eng_memory_used(const eng_memory *mem);
uint64_t eng_memory_capacity(const eng_memory *mem);

/* Host-side copies and fills; both ranges are checked whole before a byte moves. */
wg_status eng_memory_copy(eng_memory *mem, uint64_t dst, uint64_t src, uint64_t size, eng_copy_kind kind, wg_error *err);
wg_status eng_memory_fill(eng_memory *mem, uint64_t dst, const void *value, size_t width, uint64_t count, wg_error *err);
/* Where the engine sees an address of the range: valid for a whole allocation. */
void *eng_memory_host(const eng_memory *mem, uint64_t address);

/* Reads of the shadows, for reports. */
bool eng_memory_defined(const eng_memory *mem, uint64_t address, uint64_t size); /* all bytes written */
uint64_t eng_memory_reads(const eng_memory *mem, uint64_t address, unsigned width); /* times the element was read */

#endif
