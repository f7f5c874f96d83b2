/* Events: what the engine tells the watches. One event a warp and access, never one a lane.
 *
 * A worker writes events into a batch and hands the full batch to each sink that asked for one of
 * its kinds: the hot path stores 40 bytes and calls nobody. Events of one block keep their order;
 * a batch never mixes blocks. What nobody wants is not written (decided when a kernel is planned). */
#ifndef WG_ENGINE_EVENT_H
#define WG_ENGINE_EVENT_H

#include <stdbool.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum eng_event_kind {
    ENG_EV_ACCESS,   /* global, shared, local, generic (resolved to its space), atomics included */
    ENG_EV_BRANCH,   /* a conditional branch: mask = lanes that took it, more = lanes that did not */
    ENG_EV_BARRIER,  /* a warp arrives at a block barrier; more = barrier number | kind << 8; address = threads it
                        waits for, 0: all */
    ENG_EV_RELEASE,  /* a block barrier completed; more = its number, address = its warps, a bit each; mask = 0: all lanes
                        came to it with the same instruction */
    ENG_EV_CLUSTER_ARRIVE, /* lanes in mask arrive at the barrier of their cluster; more = how often it had completed */
    ENG_EV_CLUSTER_WAIT,   /* lanes in mask go on behind it; more = which completion, from 0, they waited for */
    ENG_EV_SYNCWARP, /* lanes in mask arrive at __syncwarp; more = mask named in the code, 0: the code does not hold it;
                        access = eng_meeting */
    ENG_EV_MASK,     /* lanes in mask go to a shuffle, vote or __syncwarp that names the lanes in more */
    ENG_EV_WARP_OP,  /* SHFL, VOTE, MATCH, REDUX: address = inactive lanes that were read; general: where each lane read,
                        once a shuffle of this warp has read an inactive one, else ENG_UNIFORM. Until then, of several by all
                        lanes that live, with no other event of the warp between them, only the first is told */
    ENG_EV_FENCE,    /* more = scope; access = eng_fence */
    ENG_EV_PHASE,    /* an asynchronous barrier in shared memory at address: more = eng_phase | (number of its phase, modulo 2) << 8 */
    ENG_EV_ASYNC,    /* cp.async groups: more = eng_async | groups left open << 8 | scoreboard << 16 */
    ENG_EV_EXIT,     /* lanes in mask ended; more = 1 when they never did a load, store, atomic, shuffle, barrier */
    ENG_EV_BLOCK,    /* a block starts: address = its linear index */
    ENG_EV_BLOCK_END,
    ENG_EV_UNDEFINED, /* an undefined value decides: mask = the lanes; more = eng_undefined_use; general: an eng_origin in
                         the vector of addresses (origin.h). Who listens to it has values followed, which costs where
                         there are undefined ones */
    ENG_EV_GIVEN, /* device-side malloc gave the lane in mask memory at address: more = its size in 16 bytes */
    ENG_EV_STRAY,     /* an access to global memory of which lanes were stopped, as hardware, which knows no allocations, makes it: mask = all
                         its lanes. That of the others, if any, comes behind it, and is ENG_DROPPED */
    ENG_EV_VALUES,    /* no event: who wants it is told what stores store (eng_event.value) */
    ENG_EV_KINDS
} eng_event_kind;

typedef enum eng_space {
    ENG_GLOBAL, ENG_SHARED, ENG_LOCAL, ENG_CONST, ENG_PARAM,
    ENG_CLUSTER /* shared memory of another block of the cluster: its rank << 24 | the offset there */
} eng_space;
typedef enum eng_class {
    ENG_UNIFORM,    /* all lanes the same address */
    ENG_CONTIGUOUS, /* lane l at address + l * width */
    ENG_STRIDED,    /* lane l at address + l * stride */
    ENG_ROWS,       /* lanes in rows of n, as blocks narrower than a warp make them:
                       lane l at address + l / n * stride + l % n * step; more = n | step << 8 */
    ENG_GENERAL     /* lane l at lanes[l] */
} eng_class;
enum { ENG_READ = 1, ENG_WRITE = 2, ENG_ATOMIC = 4 /* with READ, WRITE or both */, ENG_STRONG = 8, ENG_ASYNC = 16,
       ENG_REDUCTION = 32 /* RED: no result */, ENG_VOLATILE = 64, ENG_DROPPED = 128 /* lanes that were stopped are not in mask: ENG_EV_STRAY told of all */,
       ENG_BULK = ENG_ASYNC | ENG_REDUCTION /* by a bulk copy (bulk.h): any number of bytes; more: eng_bulk_end */ };
typedef enum eng_bulk_end { /* when such an access has ended */
    ENG_BULK_GROUP,   /* with the group that is closed next (ENG_ASYNC_COMMIT) */
    ENG_BULK_BARRIER, /* with the phase that the last ENG_PHASE_COPIES said */
    ENG_BULK_MATRIX   /* wgmma reads its operands: with the group of matrices that is closed next, for all warps of the warp group */
} eng_bulk_end;
static inline bool eng_is_bulk(unsigned access) { return (access & ENG_BULK) == ENG_BULK; }

typedef enum eng_async {
    ENG_ASYNC_COMMIT, /* LDGDEPBAR: the copies so far are a group */
    ENG_ASYNC_WAIT,   /* DEPBAR.LE: until at most so many groups are open */
    ENG_ASYNC_MATRIX_COMMIT, /* the same of groups of wgmma, */
    ENG_ASYNC_MATRIX_WAIT    /* WARPGROUP.DEPBAR.LE: which end for the four warps together */
} eng_async;

typedef enum eng_phase {
    ENG_PHASE_BEGINS,  /* the barrier is initialised */
    ENG_PHASE_ARRIVES, /* lanes in mask arrive */
    ENG_PHASE_COPIED,  /* it is told that the copies of lanes in mask so far (cp.async) have ended */
    ENG_PHASE_BYTES,   /* it is told of bytes: that releases nothing */
    ENG_PHASE_SEEN,    /* lanes in mask saw that the phase they waited for, the one before this, has ended */
    ENG_PHASE_LOOKED,  /* they looked; for which phase is not known */
    ENG_PHASE_COPIES,  /* the bulk copies that the warp tells of from now on count for it, in the phase that is under way */
    ENG_PHASE_KIND = 15,
    ENG_PHASE_ENDS = 16 /* or-ed: the phase ends with that */
} eng_phase;

typedef enum eng_meeting {
    ENG_MEETS,             /* __syncwarp */
    ENG_MEETS_FOR_WARP_OP, /* lanes only come together for a shuffle or vote, which orders no memory */
    ENG_MEETS_FOR_BARRIER  /* or for a block barrier */
} eng_meeting;

typedef enum eng_fence {
    ENG_FENCE_BOTH,    /* MEMBAR */
    ENG_FENCE_ACQUIRE, /* CCTL.IVALL: what was read before is acquired */
    ENG_FENCE_ASYNC    /* FENCE.VIEW.ASYNC.S (fence.proxy.async): of no scope, for bulk copies and wgmma */
} eng_fence;

typedef struct eng_event {
    uint64_t address;  /* of lane 0, were it active (all classes but general); local: offset in the lane's frame */
    uint32_t instr;    /* index of the instruction in its function (offset / 16) */
    uint16_t function; /* index in img_module.functions */
    uint16_t warp;     /* in its block */
    uint32_t mask;     /* lanes that did it (guard applied) */
    uint32_t more;     /* by kind */
    int32_t stride;    /* strided, rows */
    uint8_t kind, cls, space, width; /* width: bytes a lane */
    uint8_t access;    /* ENG_READ | ... */
    uint8_t scope;     /* sass_scope of a strong access or fence */
    uint16_t general;  /* index of the address vector in eng_batch.lanes (general) */
    uint32_t value;    /* of a store, for ENG_EV_VALUES. Odd: all lanes store this, as a hash. Even: a hash of which values go to which
                        * places. 0: lanes store different values to one place, or nothing is known */
} eng_event;

enum { ENG_BATCH_EVENTS = 128, ENG_BATCH_GENERAL = 64 };

typedef struct eng_batch {
    uint64_t block;  /* linear index of the block */
    uint64_t turn;   /* how many blocks come before it in the launch's order: the same but for a seed */
    unsigned worker; /* 0 .. jobs-1 */
    size_t count, n_general;
    eng_event events[ENG_BATCH_EVENTS];
    size_t n_other;                   /* events that are no access: most watches look only for those, among many */
    uint8_t other[ENG_BATCH_EVENTS];  /* their places in events, in order; made by eng_batch_index */
    uint64_t lanes[ENG_BATCH_GENERAL][32]; /* lanes outside the mask hold no meaning */
} eng_batch;

/* Address of one active lane of an access. */
static inline uint64_t eng_lane_address(const eng_batch *batch, const eng_event *ev, unsigned lane) {
    switch (ev->cls) {
    case ENG_UNIFORM: return ev->address;
    case ENG_CONTIGUOUS: return ev->address + (uint64_t)lane * ev->width;
    case ENG_STRIDED: return ev->address + (uint64_t)((int64_t)lane * ev->stride);
    case ENG_ROWS: {
        unsigned n = ev->more & 0xff;
        return ev->address + (uint64_t)((int64_t)(lane / n) * ev->stride) + (uint64_t)(lane % n) * (ev->more >> 8);
    }
    default: return batch->lanes[ev->general][lane];
    }
}

/* Accesses of an instruction by whole warps that are contiguous or uniform: nearly all there are in good kernels, and all
 * that most listeners want of them is how many. Contiguous ones from the start of a 32-byte sector; others; those of global memory
 * that touch a 128-byte line more than they fill, either way; uniform ones. */
enum {
    ENG_PLAIN_ALIGNED, ENG_PLAIN_SHIFTED, ENG_PLAIN_CROSSING, ENG_PLAIN_UNIFORM = 4, ENG_PLAIN_SHAPES,
    ENG_PLAIN_SECTOR = 32, ENG_PLAIN_LINE = 128
};
/* Of a contiguous one. */
static inline unsigned eng_plain_shape(uint64_t address, unsigned space, unsigned width) {
    unsigned shape = (address & (ENG_PLAIN_SECTOR - 1)) != 0, room = (unsigned)-(int)(32 * width) & (ENG_PLAIN_LINE - 1);
    if (space == ENG_GLOBAL) shape += ENG_PLAIN_CROSSING * ((address & (ENG_PLAIN_LINE - 1)) > room);
    return shape;
}
typedef struct eng_plain {
    unsigned function;
    uint32_t instr;
    eng_space space;
    uint64_t n[ENG_PLAIN_SHAPES];
} eng_plain;

static inline void eng_batch_index(eng_batch *batch) {
    size_t n = 0;
    for (size_t i = 0; i < batch->count; i++) {
        batch->other[n] = (uint8_t)i;
        n += batch->events[i].kind != ENG_EV_ACCESS;
    }
    batch->n_other = n;
}

/* Of the accesses of one launch by an instruction: can a thread touch, by a plain access, what another one touches, one of the two
 * writing and no barrier between them? */
typedef enum eng_apart_kind {
    ENG_MAY_MEET,
    ENG_APART_UNSTORED, /* only inside of what the launch stores to: eng_apart.stored */
    ENG_APART
} eng_apart_kind;
typedef struct eng_span { uint64_t from, end; } eng_span;
enum { ENG_APART_SPANS = 8 };
typedef struct eng_apart {
    unsigned function;   /* the kernel: nothing is known of other functions */
    uint32_t n;          /* its instructions */
    bool all;            /* they are all ENG_APART */
    const uint8_t *of;   /* eng_apart_kind of each; of shared memory, but for what follows a release that is not aligned */
    unsigned n_stored;   /* global memory that is stored to, by plain accesses or atomics, as far as that is known */
    eng_span stored[ENG_APART_SPANS];
} eng_apart;

/* Does [from, end) hold a byte that the launch may store to? */
static inline bool eng_apart_stored(const eng_apart *apart, uint64_t from, uint64_t end) {
    for (unsigned k = 0; k < apart->n_stored; k++)
        if (from < apart->stored[k].end && apart->stored[k].from < end) return true;
    return false;
}

/* Somebody who listens. One sink object per worker (state is never shared between workers). */
typedef struct eng_sink {
    uint32_t wants; /* 1 << eng_event_kind, or-ed */
    void (*events)(void *state, const eng_batch *batch);
    void *state;
    /* Takes sums: of an instruction's plain accesses in a shape only the first comes as an event for sure, and how many
     * others there were is told when the launch has ended. NULL: all of them come as events. */
    void (*plain)(void *state, const eng_plain *sums);
    /* Told before the launch begins, each time that it does: it takes sums only of what is apart, and hears of everything
     * else. NULL as apart: nothing is known to be. NULL as the function: it takes sums of whatever comes. */
    void (*apart)(void *state, const eng_apart *apart);
    /* It takes sums, but hears all accesses of the blocks for which this is true. NULL: of none. */
    bool (*block)(void *state, uint64_t linear);
    /* Forgets everything it was told: the launch begins again (several workers met a conflict). NULL: it cannot, and
     * the launch gets one worker. */
    void (*restart)(void *state);
    /* After a run by several workers: must it hear the launch once more, from one worker and in the order of blocks? NULL: never. */
    bool (*again)(void *state);
} eng_sink;

#endif
