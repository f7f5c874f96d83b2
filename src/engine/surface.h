/* Where an element of a surface lies: for exec_surface.c, and exec_atomic.c's SURED and SUATOM.
 *
 *   A          x in bytes (.BA) or in what is accessed, y, then z or the layer
 *   handle     `extra`: a constant, a uniform register, or a register */
#ifndef WG_ENGINE_SURFACE_H
#define WG_ENGINE_SURFACE_H

#include "engine/texel.h"

enum { BOUNDARY_IGNORE, BOUNDARY_CLAMP, BOUNDARY_TRAP };
enum { SURF_1D, SURF_BUFFER, SURF_1D_ARRAY, SURF_2D, SURF_2D_ARRAY, SURF_3D };
enum { SURF_ELEMENTS = 1 << 8 };
/* A place: boundary | dimension << 4 | (x in elements) << 8; width: bytes of an access, 0: the surface's elements */
static inline unsigned surface_place(const sass_instr *in) {
    return in->byte | in->shape << 4 | (in->hi >> (72 - 64) & 1 ? 0u : SURF_ELEMENTS);
}

static __attribute__((noinline, unused)) bool surface_trap(const eng_ins *i, eng_warp *w, unsigned l, uint32_t handle) {
    eng_finding f = {.kind = ENG_FAULT_OUT_OF_BOUNDS, .lanes = 1u << l, .space = ENG_GLOBAL, .access = i->access, .width = i->width,
                     .address = handle, .fatal = true};
    snprintf(f.text, sizeof f.text, "outside the surface, whose accesses trap there (cudaBoundaryModeTrap)");
    eng_fault(w, i, &f);
    return false;
}
static __attribute__((noinline, unused)) bool surface_misaligned(const eng_ins *i, eng_warp *w, unsigned l, uint64_t x) {
    eng_finding f = {.kind = ENG_FAULT_MISALIGNED, .lanes = 1u << l, .space = ENG_GLOBAL, .access = i->access, .width = i->width, .address = x, .fatal = true};
    snprintf(f.text, sizeof f.text, "x is in bytes, and must be a multiple of the element's");
    eng_fault(w, i, &f);
    return false;
}
/* *address gets where a lane's element lies; 0: outside, and it reads as zero or is not written. False: the launch ends. */
static inline bool surface_element(const eng_ins *i, eng_warp *w, uint8_t *R, unsigned l, uint32_t handle, unsigned place, uint64_t *address) {
    const eng_texture *t = eng_texture_get(w->worker->device, handle);
    if (!t) return no_object(i, w, l, handle, "surface");
    unsigned boundary = place & 15, dim = place >> 4 & 15, texel = eng_texel_bytes(t);
    int64_t width = i->width ? i->width : texel;
    const eng_tex_level *v = &t->levels[0];
    int32_t c[3];
    *address = 0;
    for (unsigned d = 0; d < 3; d++) c[d] = (int32_t)eng_u32(R, i->a + d * ENG_SLOT)[l];
    int64_t row = (int64_t)v->width * texel, size[3] = {row, 1, 1}, at[3] = {place & SURF_ELEMENTS ? c[0] * width : c[0], 0, 0};
    if (dim == SURF_1D_ARRAY) at[2] = c[1] & 0xffff, size[2] = (int64_t)t->layers * (t->cube ? 6 : 1); /* a layer has 16 bits, and no sign */
    if (dim >= SURF_2D) at[1] = c[1], size[1] = v->height;
    if (dim == SURF_2D_ARRAY) at[2] = c[2] & 0xffff, size[2] = (int64_t)(t->layers ? t->layers : 1) * (t->cube ? 6 : 1);
    if (dim == SURF_3D) at[2] = c[2], size[2] = v->depth;
    if (at[0] % width) return surface_misaligned(i, w, l, (uint64_t)at[0]);
    for (unsigned d = 0; d < 3; d++) {
        int64_t last = d ? size[d] - 1 : size[d] - width;
        if (at[d] >= 0 && at[d] <= last) continue;
        if (boundary == BOUNDARY_TRAP) return surface_trap(i, w, l, handle);
        if (boundary != BOUNDARY_CLAMP) return true;
        at[d] = at[d] < 0 ? 0 : last;
    }
    *address = v->address + (uint64_t)at[2] * v->slice + (uint64_t)at[1] * v->pitch + (uint64_t)at[0];
    return true;
}

#endif
