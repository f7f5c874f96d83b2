/* A module on a device, as the engine sees it. */
#ifndef WG_ENGINE_CODE_H
#define WG_ENGINE_CODE_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"
#include "engine/engine.h"
#include "engine/isa.h"
#include "engine/machine.h"
#include "engine/texture.h"

struct eng_textures {
    eng_texture **at;
    size_t count, room;
};

struct eng_device {
    const eng_gpu *gpu;
    unsigned count; /* of such devices, which the machine has */
    eng_memory *memory;
    uint64_t grid_barrier; /* device address of what the grid barrier of cooperative groups counts in; 0: not made yet */
    struct eng_heap *heap; /* of device-side malloc (driver.h) */
    struct eng_nest *nest; /* launches from device code (driver.h) */
    struct eng_textures textures; /* by handle - 1; NULL where one was destroyed */
    struct wg_pool *pool;  /* the workers' threads; NULL: not started yet */
    pid_t pool_process;    /* whose threads they are */
    eng_isa isa;
    bool native; /* plans get native code (native.h) */
    bool proofs; /* accesses are looked for that are apart (threads_apart.h) */
    eng_dealing dealing; /* of launches that say nothing about it */
    eng_bind binders[SASS_OP_COUNT]; /* NULL: not executed */
    eng_fn stop, count_block, count_spin, count_guard, trace;
    eng_fn undefined_step, undefined_block, undefined_after; /* undefined.h */
};

struct eng_code {
    eng_device *device;
    const img_module *module;
    wg_arena *arena;
    uint8_t *bytes;         /* the module's code with its relocations done */
    uint64_t constants;     /* device address of const3; 0: none */
    uint8_t *const3, *const4;
    uint8_t **const2;       /* of each function */
    uint64_t *variables;    /* device address of each variable */
    const struct eng_code *first; /* eng_load_on: whose managed variables are this one's too; NULL */
    unsigned number;              /* of the device that it is for */
    sass_instr **instrs;    /* of each function, decoded when first asked for */
    eng_plan *plans;
};

/* Code addresses as programs see them (function pointers, return addresses): place in the module's code + this. */
#define ENG_CODE_BASE   UINT64_C(0x100000)
/* Functions that the driver provides (vprintf, malloc, ...): 16 bytes each, in order of img_module.externs. */
#define ENG_EXTERN_BASE UINT64_C(0x40000000)

void eng_textures_free(eng_device *device);

eng_bind eng_find_binder(eng_isa isa, const char *name); /* NULL: no family has it */

#endif
