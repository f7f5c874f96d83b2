/* What the functions of the driver share: a lane's arguments, its memory, the heap. For driver.c and nested.c. */
#ifndef WG_ENGINE_DRIVER_INNER_H
#define WG_ENGINE_DRIVER_INNER_H

#include "engine/driver.h"
#include "engine/warp.h"

/* A call finds its arguments where the ABI of device functions puts them: from R4 on, 64 bits in even pairs; it answers in
 * R4 and returns to R20:R21. */
enum { DRV_ARGUMENT = 4, DRV_RETURN = 20, DRV_REGISTERS = 22 };

static inline uint32_t *drv_reg(const eng_warp *w, unsigned r, unsigned lane) {
    return (uint32_t *)(void *)(w->R + r * ENG_SLOT) + lane;
}
static inline uint64_t drv_get64(const eng_warp *w, unsigned r, unsigned lane) {
    return (uint64_t)*drv_reg(w, r + 1, lane) << 32 | *drv_reg(w, r, lane);
}
static inline void drv_put64(eng_warp *w, unsigned r, unsigned lane, uint64_t v) {
    *drv_reg(w, r, lane) = (uint32_t)v;
    *drv_reg(w, r + 1, lane) = (uint32_t)(v >> 32);
}
/* The driver's answer is defined. */
void drv_answered(eng_warp *w, unsigned lane);

/* Reads, or writes, n bytes at a generic address. False: not all of them are there. */
bool drv_fetch(const eng_warp *w, unsigned lane, uint64_t address, void *to, size_t n);
bool drv_store(eng_warp *w, unsigned lane, uint64_t address, const void *from, size_t n);

/* Device-side malloc's blocks. 0: the heap is full; false: no live block begins there. */
uint64_t drv_heap_take(struct eng_heap *heap, uint64_t bytes);
bool drv_heap_give(struct eng_heap *heap, uint64_t at);

/* A function that the driver provides. */
typedef struct drv_function {
    const char *name;
    bool (*call)(eng_warp *w, const eng_ins *i, unsigned lane);   /* false: the launch ends */
    bool (*after)(eng_warp *w, const eng_ins *i, uint32_t lanes); /* where all of them have called; NULL: nothing */
} drv_function;
extern const drv_function drv_nested[], drv_textures[]; /* nested.c, driver_texture.c; the last one has no name */

#endif
