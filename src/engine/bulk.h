/* Bulk copies (TMA): what one thread asks for, and the copy engine does on its own. Not warp accesses: one lane, any number of
 * bytes.
 *
 * Like cp.async they take effect at once here, which is one of the permitted orders; that a program waits for them is for the race
 * watch to check, from the events: accesses that are ENG_BULK, of one lane and up to a row of 128 bytes each. Their `more` says when
 * they have ended (eng_bulk_end); those of a copy that a barrier is told of come behind an event that says which (ENG_PHASE_COPIES). */
#ifndef WG_ENGINE_BULK_H
#define WG_ENGINE_BULK_H

#include <string.h>

#include "engine/cluster.h"

typedef struct eng_bulk {
    eng_warp *w;
    eng_ins ins;    /* the instruction, with the width and access that a fault is told with */
    unsigned lane;  /* that asks */
    bool barrier;   /* a barrier is told of it */
    bool faulted;   /* a fault in global memory has been told */
    bool ended;     /* the launch ends: nothing more is done */
    bool undefined; /* it has read bytes that nobody wrote */
} eng_bulk;

typedef struct eng_bulk_at { /* in shared memory of a block of the cluster, checked */
    eng_reach reach;
    uint64_t at;    /* the address as events have it; its byte is reach.at[at] */
} eng_bulk_at;

/* Lanes that execute the instruction together ask once. */
eng_bulk eng_bulk_begin(eng_warp *w, const eng_ins *i, uint32_t lanes);

/* Global memory. Bytes that may not be touched are told once, read as the pattern and not written. A read counts. */
void eng_bulk_read(eng_bulk *b, uint64_t at, uint64_t n, uint8_t *to);
void eng_bulk_write(eng_bulk *b, uint64_t at, uint64_t n, const uint8_t *from);
/* The elements are `width` bytes, op a sass_atom, type a sass_type. */
void eng_bulk_reduce(eng_bulk *b, uint64_t at, uint64_t n, const uint8_t *from, unsigned op, unsigned type);
/* One element: what memory holds afterwards. */
uint64_t eng_bulk_combine(unsigned op, unsigned type, uint64_t old, uint64_t data);
unsigned eng_bulk_type_bytes(unsigned type);

/* n bytes of shared memory, aligned to `align`; the address says of which block. False: told, and the launch ends. */
bool eng_bulk_find(eng_bulk *b, uint32_t address, uint64_t n, unsigned align, unsigned access, eng_bulk_at *out);
/* Tells of an access there, and marks what is written as defined. */
void eng_bulk_shared(eng_bulk *b, const eng_bulk_at *place, uint64_t offset, uint64_t n, unsigned access);

/* What is undefined there (undefined.h) goes along, where somebody asks: at most n bytes from a multiple of 16, from global memory to the
 * own block's shared memory; from there to global memory; from there to there. */
void eng_bulk_undefined_in(eng_bulk *b, uint64_t from, const eng_bulk_at *to, uint64_t offset, uint64_t n);
void eng_bulk_undefined_out(eng_bulk *b, const eng_bulk_at *from, uint64_t offset, uint64_t to, uint64_t n);
void eng_bulk_undefined_across(eng_bulk *b, const eng_bulk_at *from, const eng_bulk_at *to, uint64_t offset, uint64_t n);
/* Undefined elements that are to be combined with others are told. */
void eng_bulk_undefined_operand(eng_bulk *b, const eng_bulk_at *from, uint64_t offset, uint64_t n);

/* The barrier at the place (8 bytes) is the one that is told of the copies that follow, and is told of so many bytes. */
void eng_bulk_for(eng_bulk *b, const eng_bulk_at *barrier);
void eng_bulk_complete(eng_bulk *b, const eng_bulk_at *barrier, uint32_t bytes);

/* Where a copy to shared memory goes, and the barrier that is told of it: in the block that the addresses name, or, where `blocks` is not 0,
 * in each of those at the same offsets. How many; 0: told, and the launch ends. */
typedef struct eng_bulk_target { eng_bulk_at data, barrier; } eng_bulk_target;
unsigned eng_bulk_targets(eng_bulk *b, uint32_t data, uint32_t barrier, uint64_t n, unsigned align, uint32_t blocks, eng_bulk_target *t);

/* n bytes that the copy engine reads for itself, as a tensor map. False: told, and the launch ends. */
bool eng_bulk_peek(eng_bulk *b, uint64_t at, uint64_t n, uint8_t *to);

/* Words of a run of uniform registers. */
static inline uint32_t eng_bulk_word(const uint8_t *R, uint32_t slot, unsigned n) {
    uint32_t value;
    memcpy(&value, R + slot + n * ENG_SLOT, 4);
    return value;
}
static inline uint64_t eng_bulk_pair(const uint8_t *R, uint32_t slot) {
    return eng_bulk_word(R, slot, 0) | (uint64_t)eng_bulk_word(R, slot, 1) << 32;
}

/* An aligned address of global memory. False: told, and the launch ends. */
bool eng_bulk_aligned(eng_bulk *b, uint64_t address, unsigned align);

#endif
