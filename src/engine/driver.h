/* Functions that device code calls and the driver provides: vprintf, malloc, free, __assertfail, launches, textures' gradients. */
#ifndef WG_ENGINE_DRIVER_H
#define WG_ENGINE_DRIVER_H

#include "base/map.h"
#include "engine/code.h"

/* What device-side malloc gives out: one allocation, of which the table is the engine's. */
struct eng_heap {
    uint64_t start, size, top; /* top: bytes from start that were ever given out */
    wg_u64map live;            /* address -> bytes, rounded up */
    wg_u64map idle;            /* bytes, rounded up -> the block that was freed last */
    wg_u64map next;            /* a freed block -> the one freed before it, of the same size */
};

/* What launches from device code keep while one is under way (nested.c). */
struct eng_nest {
    wg_u64map buffers; /* of parameters: address -> eng_child, malloc'd; 0 when it was launched */
    wg_u64map errors;  /* thread of the grid -> what cudaGetLastError is to give it */
    uint64_t handles;  /* of streams and events: given out so far */
};
#define ENG_PARAMETER_BUFFER "__cuda_syscall_cnpv2GetParameterBufferV2"
void eng_nest_clear(struct eng_nest *nest, struct eng_heap *heap); /* between launches */

/* Code addresses of these functions, as eng_scatter sees them. */
#define ENG_EXTERN_PLACE (ENG_EXTERN_BASE - ENG_CODE_BASE)

/* Does the module's code call one of these? Then its blocks run in order: what they print and which memory they get
 * depends on it. */
bool eng_driver_wanted(const img_module *module);
/* Before a launch of such a module: its heap is there (bytes 0: the default size). */
wg_status eng_heap_make(eng_device *device, const img_module *module, uint64_t bytes, wg_error *err);
void eng_heap_free(struct eng_heap *heap);
/* Makes the calls of those lanes whose place is one of these functions, and lets place say where they return to. False:
 * a call ended the launch. */
bool eng_driver_call(eng_warp *w, const eng_ins *i, uint64_t place[32], uint32_t lanes);

#endif
