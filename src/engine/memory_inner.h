/* Inner layout of memory, shared by memory*.c, shadow*.c and the memory families. Not for other folders.
 *
 * A shadow offset is an address minus the start of the reserved range; registered host memory has shadow offsets in a
 * part of the range that is never handed out. */
#ifndef WG_ENGINE_MEMORY_INNER_H
#define WG_ENGINE_MEMORY_INNER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "base/vec.h"
#include "engine/event.h"
#include "engine/memory.h"

enum {
    MEM_ALIGN = 256,
    MEM_PAGE = ENG_PAGE,
    MEM_CHUNK = 16, /* log2 of the bytes by which touched memory is accounted */
    MEM_TILE = 7,   /* log2 of the bytes of memory whose read differences fill a cache line */
    MEM_RANGES = 64 /* cached ranges of each kind of access; a power of two */
};

typedef struct mem_alloc {
    eng_allocation pub;
    uint64_t end;    /* address + size */
    uint64_t extent; /* end of its guard gap */
    uint64_t shadow; /* shadow offset of its first byte */
    uint64_t prefix; /* bytes from its start that are defined, whatever the bits say */
    bool purged;     /* freed, and its addresses were given to another */
    bool was_read;   /* by a kernel: its read shadows may hold something */
} mem_alloc;

/* Read counts as differences (memory.h). A plane belongs to one worker while a launch runs. */
typedef struct mem_plane {
    int16_t *words;   /* indexed by shadow offset / 4 */
    int8_t *bytes;    /* indexed by shadow offset */
    bool bytes_used;  /* anything in bytes or not */
    wg_u64map spills; /* shadow offset * 2 + (1: of bytes) -> int64_t that the difference lacks */
} mem_plane;

struct eng_memory {
    uint64_t base, span;  /* the program's view of the range */
    int64_t alias;        /* host pointer = address + alias */
    int fd;
    uint64_t capacity, used;
    uint64_t next;        /* addresses above were never handed out */
    uint8_t *defined;     /* bits */
    uint8_t *stored;      /* bits: what is not defined but was stored nevertheless, as an undefined value */
    mem_plane plane;
    uint8_t *touched;     /* a byte a chunk: its memory is accounted for */
    _Atomic uint64_t touched_bytes;
    uint64_t host_limit;
    wg_vec(mem_alloc *) all;   /* by id */
    wg_vec(mem_alloc *) table; /* by address; purged ones are gone */
    void (*on_release)(void *ctx, const eng_allocation *allocation);
    void *release_ctx;
    void (*on_copy_out)(void *ctx, const eng_allocation *allocation, uint64_t at, uint64_t size);
    void *copy_out_ctx;
    struct mem_parallel *parallel; /* the workers' views (memory_parallel.c) */
    struct mem_stores *stores;     /* of undefined values (undefined_memory.c); NULL: none */
};

/* --- allocation table (memory.c) ------------------------------------------------------ */
/* Contains address, or NULL; *below gets the closest one that starts at or below. */
mem_alloc *mem_find(const eng_memory *m, uint64_t address, mem_alloc **below);
/* Accounts for the chunks of [shadow, shadow + size); false: over the host limit. Thread-safe. */
bool mem_touch(eng_memory *m, uint64_t shadow, uint64_t size);
void mem_untouch(eng_memory *m, uint64_t shadow, uint64_t size); /* only whole chunks inside */
/* Gives the pages of [at, at+size) back to the system, whole pages inside only; contents become zero. */
void mem_drop(void *at, uint64_t size);
void mem_parallel_free(eng_memory *m); /* memory_parallel.c */
static inline int64_t mem_host_delta(const eng_memory *m, const mem_alloc *a) {
    return a->pub.kind == ENG_ALLOC_REGISTERED ? 0 : m->alias;
}

/* --- defined (shadow_defined.c) ------------------------------------------------------- */
void mem_bits_set(uint8_t *bits, uint64_t at, uint64_t n);
bool mem_bits_all(const uint8_t *bits, uint64_t at, uint64_t n);
bool mem_bits_any(const uint8_t *bits, uint64_t at, uint64_t n);
/* End (at most `end`) of the run of equal bits that starts at `at`; *set gets their value. */
uint64_t mem_bits_run(const uint8_t *bits, uint64_t at, uint64_t end, bool *set);
/* The same for bytes of an allocation, with its prefix: offsets from its start. */
uint64_t mem_defined_run(const eng_memory *m, const mem_alloc *a, uint64_t at, uint64_t end, bool *set);
/* Run of bytes that are read as they lie: what is defined, and what an undefined value was stored to, for a program may make of such a
 * value one that does not depend on it. Others read as the pattern. */
uint64_t mem_held_run(const eng_memory *m, const mem_alloc *a, uint64_t at, uint64_t end, bool *held);
void mem_define(eng_memory *m, mem_alloc *a, uint64_t at, uint64_t n);   /* offsets from its start */
void mem_undefine(eng_memory *m, mem_alloc *a, uint64_t at, uint64_t n);
/* Undefined bytes of an allocation that an undefined value was stored to; those of another one that are copied. */
void mem_note_stored(eng_memory *m, const mem_alloc *a, uint64_t at, uint64_t n);
void mem_copy_stored(eng_memory *m, const mem_alloc *to, uint64_t to_at, const mem_alloc *from, uint64_t at, uint64_t n);
void mem_advance(eng_memory *m, mem_alloc *a); /* lengthens the prefix over bits that are set meanwhile */
/* Writes the pattern that belongs to address into out. */
void mem_pattern(void *out, uint64_t address, uint64_t n);

/* --- stores of undefined values (undefined_memory.c) ------------------------------------- */
void mem_forget_code(eng_memory *m, const void *code); /* stores by this eng_code: it goes away */
void mem_stores_free(eng_memory *m);

/* --- reads (shadow_reads.c) ----------------------------------------------------------- */
/* Bytes [at, at + n) were read `times` times. */
void mem_reads_run(mem_plane *plane, uint64_t at, uint64_t n, int times);
/* Adds `from` over the allocation's range into `into` (NULL: to nothing) and empties that range of `from`.
 * dirty: a byte for each tile, how many of its differences are not zero; cleared on the way. */
void mem_reads_merge(mem_plane *into, mem_plane *from, const mem_alloc *a, uint8_t *dirty);
/* Gives the allocation's part of a plane back to the system, empty. To fault it in again costs more than a small launch. */
void mem_reads_unmap(mem_plane *plane, const mem_alloc *a);
/* Takes spills of all ranges too; call once, after all mem_reads_merge. */
void mem_reads_merge_spills(mem_plane *into, mem_plane *from);
void mem_reads_clear(mem_plane *plane, const mem_alloc *a);

#endif
