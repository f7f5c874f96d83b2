/* A worker's view of memory during a launch: cached ranges, where it marks what it writes, where it counts reads.
 *
 * One worker writes straight into the shadows. Several workers each mark and count for themselves; when the launch
 * ends, eng_memory_conflict compares what they touched, and eng_memory_end either adds everything up or puts
 * every byte back (memory_parallel.c). */
#ifndef WG_ENGINE_VIEW_H
#define WG_ENGINE_VIEW_H

#include "engine/engine.h"
#include "engine/memory_inner.h"

typedef struct mem_range { /* the allocation that an instruction last touched; one cache line */
    uint64_t lo, size;   /* the bytes that may be accessed; size 0: nothing known */
    uint64_t plain;      /* so many bytes from lo need neither a look at the bits nor a mark */
    int64_t host;        /* host pointer = address + host */
    uint64_t shadow;     /* shadow offset = address + shadow */
    uint64_t bytes;      /* moved through this entry since it was filled */
    mem_alloc *alloc;
    uint16_t access;     /* ENG_READ | ENG_WRITE */
    uint16_t stored;     /* 1: the launch stores to the allocation (eng_view.apart_threads) */
} mem_range;
_Static_assert(sizeof(mem_range) == 64, "a range is one cache line");

/* Reads that are not yet in the plane: n bytes at shadow offset start were read `times` times. An instruction's accesses
 * mostly go on where one before ended, or stay where it was, and then cost one addition in here. Which one before: the
 * last that ended in the same window of memory, because a warp's accesses in a loop, and those of warps that lie below
 * each other, take turns at many places, each of which goes on. */
typedef struct mem_run {
    uint64_t start;
    uint32_t n, times; /* n 0: none, but one of so many times may begin here */
} mem_run;
enum {
    MEM_WINDOW = 11, /* log2 of its bytes */
    MEM_RUNS = 12,   /* log2 of how many runs a view has: so many that few share a place */
    MEM_LEAVING = 8,
    MEM_ENDED = 1024 /* how many runs of a launch are remembered that ended */
};

enum { MEM_NOT_KEPT, MEM_KEEPING, MEM_KEPT };

typedef struct eng_view {
    mem_range ranges[3 * MEM_RANGES]; /* loads, stores, atomics; by mem_range_slot */
    const uint8_t *defined; /* bits of what was written, by this launch (one worker) or before it (several) */
    uint8_t *marks;         /* bits that stores set: those same, or the worker's own */
    uint8_t *reds;          /* several workers: bits that reductions set, the worker's own; else NULL */
    uint8_t *touched;       /* a byte a chunk: marks may be set there without asking */
    _Atomic uint8_t *pages; /* several workers: a byte a page, MEM_KEPT once its old contents are safe; else NULL */
    int16_t *words;         /* read differences; NULL: reads are not counted */
    uint8_t *dirty;         /* several workers: a byte a tile, how many of its differences are not zero; else NULL */
    mem_run runs[1 << MEM_RUNS]; /* of loads, by instruction and window: mem_run_at; all empty between launches */
    uint64_t runs_used;     /* which 64ths of them may hold one that is not empty */
    mem_run leaving[MEM_LEAVING]; /* a ring of runs that ended: their words of the plane are asked for, and come meanwhile */
    unsigned n_left;
    uint8_t seen[256];      /* by register: the shape of its lanes when an access last looked (access.h) */
    uint64_t reach;         /* eng_launch.reach, eng_launch.device */
    unsigned device;
    const eng_rules *rules; /* eng_launch.rules */
    bool parallel;
    bool apart;             /* several workers that cannot meet: nothing is kept, nothing need be marked that is defined */
    const eng_apart *apart_threads; /* what is known of the launch's accesses; NULL: nothing */
    mem_plane plane;        /* what words is part of */
    eng_memory *mem;
    unsigned index;
    wg_u64map moved;        /* several workers: allocation id * 2 + (1: written) -> bytes */
    wg_vec(mem_alloc *) read; /* allocations that the view filled ranges of, for loads */
    wg_vec(mem_alloc *) texels; /* several workers: allocations read as textures or surfaces, which no plane counts */
    mem_run *ended;         /* several workers: the runs that ended first; a short launch has no others, and needs no plane */
    unsigned n_ended, most_ended;
    bool plane_used;        /* several workers: something was put into the plane */
    bool failed;            /* the host had no room for what had to be kept */
    bool done;              /* eng_memory_view_done */
} eng_view;

/* Memory of a device that the launch's own may not touch (eng_launch.reach). What lies on the host is everybody's. */
static inline bool mem_beyond_reach(const eng_view *v, const eng_allocation *a) {
    return v->reach && !(v->reach >> a->device & 1) && !(a->open >> v->device & 1) && (a->kind == ENG_ALLOC_DEVICE || a->kind == ENG_ALLOC_GLOBAL);
}

/* The place of an instruction's range in the view, in bytes from its start. */
static inline uint32_t mem_range_slot(uint32_t instr, unsigned access) {
    unsigned kind = access & ENG_ATOMIC ? 2 : access & ENG_WRITE ? 1 : 0;
    return (kind * MEM_RANGES + (instr & (MEM_RANGES - 1))) * (uint32_t)sizeof(mem_range);
}

/* The run that an access at shadow offset `at` may go on, by the instruction's place of its range. */
static inline mem_run *mem_run_at(eng_view *v, uint32_t slot, uint64_t at) {
    uint32_t key = (uint32_t)(at >> MEM_WINDOW) + slot * 0x2545f491u; /* neighbours end up far from each other: Fibonacci hashing */
    return &v->runs[key * 0x9e3779b1u >> (32 - MEM_RUNS)];
}
static inline void mem_run_use(eng_view *v, const mem_run *run) { v->runs_used |= UINT64_C(1) << ((run - v->runs) >> (MEM_RUNS - 6)); }

/* For a launch with so many workers. ERR_MEMORY with several workers: run it with one. apart: it is known that none of
 * them touches what another one writes, and that the launch will be kept. */
wg_status eng_memory_begin(eng_memory *mem, unsigned workers, bool count_reads, bool apart, wg_error *err);
eng_view *eng_memory_view(eng_memory *mem, unsigned worker);
/* Between two blocks. False: what the workers keep for themselves takes more memory than a launch may (and they may meet:
 * if they cannot, the view gives it up by itself). The launch has to be run by one worker. */
bool eng_memory_view_fits(eng_view *v);
/* The worker has run its last block: what it can do for the end by itself, on its own thread. Where it was not called, the end
 * does it. */
void eng_memory_view_done(eng_view *v);
/* With all workers stopped: did one touch what another wrote, or could something not be kept? Then the result may not
 * be that of running the blocks in order. Always false with one worker. */
bool eng_memory_conflict(eng_memory *mem);
/* keep false (several workers only): memory, its shadows and counts are again as they were at the beginning. */
void eng_memory_end(eng_memory *mem, bool keep);

/* Makes r know the live allocation that holds address. False: there is none. */
bool mem_range_fill(eng_view *v, mem_range *r, uint64_t address, unsigned access);
/* The worker reads texels, anywhere in the allocation. */
void mem_texels_read(eng_view *v, mem_alloc *a);
/* Puts a run into the plane. */
void mem_run_flush(eng_view *v, const mem_run *run);
/* Before the bytes at shadow offset `at` change: marks them, accounts for the chunk, keeps the old contents when
 * several workers run. red: by a reduction. False: the host has no room; do not write. */
bool mem_mark(eng_view *v, const mem_range *r, uint64_t address, uint64_t n, bool red);
/* Is anything, is everything of the n bytes defined, for this worker? */
bool mem_seen_all(const eng_view *v, uint64_t shadow, uint64_t n);
/* Copies n <= 16 bytes for a reader, undefined ones as the pattern. */
void mem_read_mixed(const eng_view *v, const mem_range *r, uint64_t address, unsigned n, void *out);

#endif
