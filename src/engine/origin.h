/* Where an undefined value comes from: told with an ENG_EV_UNDEFINED event, and remembered for memory that holds one. */
#ifndef WG_ENGINE_ORIGIN_H
#define WG_ENGINE_ORIGIN_H

#include "engine/engine.h"

typedef enum eng_undefined_use { /* eng_event.more of ENG_EV_UNDEFINED: what the value decides */
    ENG_DECIDES_BRANCH,  /* where the lane goes on, or whether it ends */
    ENG_DECIDES_JUMP,    /* the same, by an address in a register */
    ENG_DECIDES_ADDRESS, /* of a memory access; event: access, space, width, address */
    ENG_DECIDES_STORE,   /* whether a store or an atomic is done */
    ENG_DECIDES_ATOMIC,  /* operand of an atomic */
    ENG_DECIDES_MEMORY,  /* an atomic's own memory was never written; event: address */
    ENG_DECIDES_VOTE,
    ENG_DECIDES_BARRIER, /* whether it is waited at, or what it reduces */
    ENG_DECIDES_USES
} eng_undefined_use;

typedef enum eng_origin_kind {
    ENG_ORIGIN_UNKNOWN,
    ENG_ORIGIN_MEMORY,  /* a load of bytes that nobody wrote */
    ENG_ORIGIN_REGISTER /* a register that the kernel reads before it writes it: a variable without a value */
} eng_origin_kind;

/* Who did it. An origin is one; so is a store of an undefined value. */
typedef struct eng_actor {
    uint16_t function, warp;
    uint32_t instr;
    uint64_t block;
    uint64_t address; /* of memory, else 0 */
    uint8_t lane, space, width;
} eng_actor;

typedef struct eng_origin {
    eng_origin_kind kind;
    eng_actor at;       /* the load; for a register: the kernel's first instruction */
    uint32_t allocation; /* id, of global memory; 0: none */
    uint32_t store;     /* number of the store that put the undefined value into the memory (eng_undefined_store); 0: none */
} eng_origin;

/* A store of an undefined value to global memory, by some launch. */
typedef struct eng_undefined_store {
    const eng_code *code;
    const img_function *kernel;
    uint32_t grid[3], threads[3];
    uint64_t launch; /* eng_launch.number */
    uint32_t allocation; /* id */
    bool computed;   /* not just moved from memory to memory, as padding is with the struct around it */
    eng_actor at;
    eng_origin origin;
} eng_undefined_store;

/* The store that left the undefined byte at address so; NULL: none is known. Numbers from 1. */
const eng_undefined_store *eng_memory_undefined_store(const eng_memory *mem, uint64_t address, uint32_t *number);
/* NULL: there is none, or its code is gone. */
const eng_undefined_store *eng_memory_undefined_store_at(const eng_memory *mem, uint32_t number);

uint32_t eng_memory_undefined_stores(const eng_memory *mem); /* the highest number */

#endif
