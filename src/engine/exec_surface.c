/* Surfaces: SULD, SUST. A lane at a time.
 *
 *   A          x in bytes, y, then z or the layer
 *   handle     `extra`: a constant, a uniform register, or a register */
#include "engine/texel.h"

enum { BOUNDARY_IGNORE, BOUNDARY_CLAMP, BOUNDARY_TRAP };
enum { SURF_1D, SURF_BUFFER, SURF_1D_ARRAY, SURF_2D, SURF_2D_ARRAY, SURF_3D };
/* z: boundary | dimension << 4; x: MEM_SIGNED; width: bytes of an element */

/* Where a lane's element lies; 0: outside, and it reads as zero or is not written. */
static uint64_t element(const eng_ins *i, const eng_texture *t, const uint8_t *R, unsigned l, bool *trap) {
    unsigned boundary = i->z & 15, dim = i->z >> 4;
    const eng_tex_level *v = &t->levels[0];
    int32_t c[3];
    for (unsigned d = 0; d < 3; d++) c[d] = (int32_t)((const uint32_t *)(const void *)(R + i->a + d * ENG_SLOT))[l];
    int64_t row = (int64_t)v->width * eng_texel_bytes(t), size[3] = {row, 1, 1}, at[3] = {c[0], 0, 0};
    if (dim == SURF_1D_ARRAY) at[2] = c[1], size[2] = (int64_t)t->layers * (t->cube ? 6 : 1);
    if (dim >= SURF_2D) at[1] = c[1], size[1] = v->height;
    if (dim == SURF_2D_ARRAY) at[2] = c[2], size[2] = (int64_t)(t->layers ? t->layers : 1) * (t->cube ? 6 : 1);
    if (dim == SURF_3D) at[2] = c[2], size[2] = v->depth;
    for (unsigned d = 0; d < 3; d++) {
        int64_t last = d ? size[d] - 1 : size[d] - i->width;
        if (at[d] >= 0 && at[d] <= last) continue;
        if (boundary == BOUNDARY_TRAP) *trap = true;
        if (boundary != BOUNDARY_CLAMP) return 0;
        at[d] = at[d] < 0 ? 0 : last;
    }
    return v->address + (uint64_t)at[2] * v->slice + (uint64_t)at[1] * v->pitch + (uint64_t)(at[0] / i->width * i->width);
}
static __attribute__((noinline)) bool surface_trap(const eng_ins *i, eng_warp *w, unsigned l, uint32_t handle) {
    eng_finding f = {.kind = ENG_FAULT_OUT_OF_BOUNDS, .lanes = 1u << l, .space = ENG_GLOBAL, .access = i->access, .width = i->width,
                     .address = handle, .fatal = true};
    snprintf(f.text, sizeof f.text, "outside the surface, whose accesses trap there (cudaBoundaryModeTrap)");
    eng_fault(w, i, &f);
    return false;
}
static bool surface_lane(const eng_ins *i, eng_warp *w, uint8_t *R, unsigned l, reader *r) {
    uint32_t handle = eng_u32(R, i->c)[l];
    const eng_texture *t = eng_texture_get(w->worker->device, handle);
    bool trap = false, write = i->access & ENG_WRITE;
    uint32_t words[4] = {0};
    if (!t) return no_object(i, w, l, handle, "surface");
    uint64_t address = element(i, t, R, l, &trap);
    if (trap) return surface_trap(i, w, l, handle);
    unsigned n = (i->width + 3u) / 4;
    if (write) {
        if (!address) return true;
        for (unsigned k = 0; k < n; k++) words[k] = eng_u32(R, i->b + k * ENG_SLOT)[l];
        if (misses(r->range, address, i->width, 1) && (!mem_range_fill(r->view, r->range, address, ENG_WRITE) || misses(r->range, address, i->width, 1))) {
            r->wild = address;
            return true;
        }
        if (!mem_mark(r->view, r->range, address, i->width, false)) return mem_no_room(w, i), false;
        memcpy(at_host(r->range, address), words, i->width);
        r->range->bytes += i->width;
        return true;
    }
    if (address) read_texel(r, address, words, i->width);
    if (i->x & MEM_SIGNED && i->width < 4) words[0] = (uint32_t)((int32_t)(words[0] << (32 - 8 * i->width)) >> (32 - 8 * i->width));
    for (unsigned k = 0; k < n; k++) eng_u32(R, i->d + k * ENG_SLOT)[l] = words[k];
    return true;
}
static __attribute__((noinline)) const eng_ins *surface(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    reader r = {.view = view_of(w), .range = range_of(view_of(w), i)};
    w->worked |= on;
    ENG_LANES(l, on) {
        if (ENG_UNLIKELY(!surface_lane(i, w, R, l, &r))) ENG_GOTO(eng_end(w, i));
        if (ENG_UNLIKELY(r.wild && ends_wild(i, w, l, &r))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT;
}
static bool bind_surface(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned access) {
    if (!(in->hi >> (72 - 64) & 1)) return eng_refuse(plan, "a surface addressed by elements");
    out->a = eng_slot_reg(plan, in->mem.base);
    out->c = eng_slot_src(plan, &in->extra);
    if (access & ENG_WRITE) out->b = eng_slot_src(plan, &in->a);
    else out->d = eng_slot_dst(plan, &in->dst);
    out->width = in->width;
    out->access = (uint8_t)access;
    out->x = in->type == SASS_S8 || in->type == SASS_S16 ? MEM_SIGNED : 0;
    out->z = (uint16_t)(in->byte | in->shape << 4);
    out->y = mem_range_slot(out->id, access);
    out->fn = surface;
    return in->width && in->shape <= SURF_3D;
}
static bool bind_suld(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_surface(p, in, out, ENG_READ); }
static bool bind_sust(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_surface(p, in, out, ENG_WRITE); }

ENG_FAMILY(surface, {"suld", bind_suld}, {"sust", bind_sust});
