/* Textures and surfaces: TEX, TLD, TLD4, TXD; SULD, SUST. A lane at a time: what a texture returns is texture_sample.c's,
 * what is here is where the operands lie.
 *
 *   A          array index first (an integer), then the coordinates: floats, for TLD integers
 *   B          the handle first in the forms .B (TXD has it in A), then the level of detail, or TXD's derivatives along x, y by coordinate
 *   .SCR       A has the first half of all (the larger one), and B the rest
 *   handle     else from `extra`: a constant or a uniform register
 *   results    the components that the mask asks for: two from D on, the others from D2 on
 *   surfaces   x in bytes, y, then z or the layer */
#include <stdio.h>

#include "engine/access.h"
#include "engine/code.h"
#include "engine/texture_sample.h"

/* x: operation | dimensions << 8 | (array) << 12 | (handle in B) << 13 | mask << 16 | level kind << 20 | component << 24
 * y: place of the memory range; a, b: A and B; c: the handle; d, imm: D and D2 */
enum { TEX_SAMPLE, TEX_FETCH, TEX_GATHER, TEX_GRADIENT };
enum { LOD_NONE, LOD_ZERO, LOD_BIAS, LOD_LEVEL };
enum { TEX_ARRAY = 1 << 12, TEX_HANDLE_IN_B = 1 << 13, TEX_SPLIT = 1 << 14 };

typedef struct reader { /* of one warp's instruction */
    eng_view *view;
    mem_range *range;
    mem_alloc *noted; /* what it last read texels of */
    uint64_t wild;    /* address that is in no allocation; 0: none */
} reader;
/* Most are of a size whose copy is an instruction. */
static void copy_texel(void *to, const void *from, unsigned n) {
    switch (n) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, n);
    }
}
static void read_texel(void *ctx, uint64_t address, void *to, unsigned n) {
    reader *r = ctx;
    if (misses(r->range, address, n, 1) && (!mem_range_fill(r->view, r->range, address, ENG_READ) || misses(r->range, address, n, 1))) {
        r->wild = address;
        memset(to, 0, n);
        return;
    }
    r->range->bytes += n;
    if (r->range->alloc != r->noted) mem_texels_read(r->view, r->noted = r->range->alloc);
    if (address - r->range->lo + n > r->range->plain && !mem_seen_all(r->view, address + r->range->shadow, n))
        mem_read_mixed(r->view, r->range, address, n, to);
    else copy_texel(to, at_host(r->range, address), n);
}

static __attribute__((noinline)) bool no_object(const eng_ins *i, eng_warp *w, unsigned lane, uint32_t handle, const char *what) {
    eng_finding f = {.kind = ENG_FAULT_WILD, .lanes = 1u << lane, .space = ENG_GLOBAL, .access = ENG_READ, .address = handle, .fatal = true};
    snprintf(f.text, sizeof f.text, "there is no %s object 0x%x: it was destroyed, or the value is none", what, handle);
    eng_fault(w, i, &f);
    return false;
}

static float as_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static bool texture_lane(const eng_ins *i, eng_warp *w, uint8_t *R, unsigned l, const tex_reader *from) {
    unsigned operation = i->x & 0xff, dims = i->x >> 8 & 15, lod = i->x >> 20 & 15;
    uint32_t a = i->a, b = i->b, handle = eng_u32(R, i->c)[l];
#define NEXT(at) (at += ENG_SLOT, eng_u32(R, at - ENG_SLOT)[l])
    if (i->x & TEX_HANDLE_IN_B) handle = operation == TEX_GRADIENT ? NEXT(a) : NEXT(b);
    const eng_texture *t = eng_texture_get(w->worker->device, handle);
    if (!t) return no_object(i, w, l, handle, "texture");
    const bool levelled = operation != TEX_GRADIENT && (lod == LOD_LEVEL || lod == LOD_BIAS);
    unsigned in_a = (i->x & TEX_ARRAY ? 1u : 0) + dims;
    if (i->x & TEX_SPLIT) in_a = (in_a + levelled + ((i->x & TEX_HANDLE_IN_B) != 0) + 1) / 2;
#define NEXT_OF_BOTH() (in_a ? (in_a--, NEXT(a)) : NEXT(b))
    tex_place p = {.layer = i->x & TEX_ARRAY ? NEXT_OF_BOTH() : 0};
    for (unsigned d = 0; d < dims; d++) {
        uint32_t v = NEXT_OF_BOTH();
        p.at[d] = as_float(v);
        p.index[d] = (int32_t)v;
    }
    tex_value r;
    if (operation == TEX_GRADIENT) {
        float dx[3] = {0}, dy[3] = {0};
        for (unsigned d = 0; d < dims; d++) {
            dx[d] = as_float(NEXT(b));
            dy[d] = as_float(NEXT(b));
        }
        p.lod = tex_gradient_lod(t, dx, dy);
    } else if (levelled) {
        uint32_t v = NEXT_OF_BOTH();
        p.lod = operation == TEX_FETCH ? (float)(int32_t)v : as_float(v);
    }
#undef NEXT_OF_BOTH
#undef NEXT
    if (operation == TEX_FETCH) r = tex_fetch(t, &p, (uint32_t)p.lod, from);
    else if (operation == TEX_GATHER) r = tex_gather(t, &p, i->x >> 24 & 3, from);
    else r = tex_sample(t, &p, from);
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        if (!(i->x >> (16 + c) & 1)) continue;
        eng_u32(R, (n < 2 ? i->d : (uint32_t)i->imm) + n % 2 * ENG_SLOT)[l] = r.v[c];
        n++;
    }
    return true;
}
/* A lane left its object: a fault at the place it reached for; true when that ends the warp. */
static bool ends_wild(const eng_ins *i, eng_warp *w, unsigned l, reader *r) {
    ENG_ADDRESSES(A);
    A[l] = r->wild;
    r->wild = 0;
    return mem_fault(w, i, A, 1u << l);
}

static __attribute__((noinline)) const eng_ins *texture(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    reader r = {.view = view_of(w), .range = range_of(view_of(w), i)};
    tex_reader from = {read_texel, &r};
    w->worked |= on;
    ENG_LANES(l, on) {
        if (ENG_UNLIKELY(!texture_lane(i, w, R, l, &from))) ENG_GOTO(eng_end(w, i));
        if (ENG_UNLIKELY(r.wild && ends_wild(i, w, l, &r))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT;
}

static bool bind_texture(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned operation, unsigned lod) {
    static const uint8_t dims[4] = {1, 2, 3, 3};
    if (in->pdst[0].present && in->pdst[0].reg != SASS_PT) return eng_refuse(plan, "whether a texture's page is there");
    if (in->hi >> (76 - 64) & 1) return eng_refuse(plan, "offsets of texels");
    if ((operation == TEX_SAMPLE || operation == TEX_FETCH) && in->hi >> (78 - 64) & 1) return eng_refuse(plan, "a comparison, or samples");
    if (lod > LOD_LEVEL) return eng_refuse(plan, "a clamped level of detail");
    bool in_b = in->extra.kind == SASS_NONE;
    out->d = eng_slot_dst(plan, &in->dst);
    out->imm = eng_slot_dst(plan, &in->dst2);
    out->a = eng_slot_src(plan, &in->a);
    out->b = eng_slot_src(plan, &in->b);
    out->c = in_b ? eng_slot_value(plan, 0) : eng_slot_src(plan, &in->extra);
    out->x = operation | (uint32_t)dims[in->shape & 3] << 8 | (in->shape & 4 ? TEX_ARRAY : 0) |
             (in_b ? TEX_HANDLE_IN_B : 0) | (operation != TEX_GRADIENT && in->lo >> 60 & 1 ? TEX_SPLIT : 0) | (uint32_t)(in->byte & 15) << 16 | lod << 20;
    out->y = mem_range_slot(out->id, ENG_READ);
    out->fn = texture;
    return true;
}
static bool bind_tex(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_texture(p, in, out, TEX_SAMPLE, in->sub); }
static bool bind_tld(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_texture(p, in, out, TEX_FETCH, in->sub); }
static bool bind_txd(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_texture(p, in, out, TEX_GRADIENT, LOD_NONE); }
static bool bind_tld4(eng_plan *p, const sass_instr *in, eng_ins *out) {
    if (!bind_texture(p, in, out, TEX_GATHER, LOD_NONE)) return false;
    out->x |= (uint32_t)in->sub << 24;
    return true;
}
/* --- surfaces ------------------------------------------------------------------------------------------------- */

enum { BOUNDARY_IGNORE, BOUNDARY_CLAMP, BOUNDARY_TRAP };
enum { SURF_1D, SURF_BUFFER, SURF_1D_ARRAY, SURF_2D, SURF_2D_ARRAY, SURF_3D };
/* z: boundary | dimension << 4; x: as for textures (the handle); width: bytes of an element */

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

ENG_FAMILY(texture, {"tex", bind_tex}, {"tld", bind_tld}, {"tld4", bind_tld4}, {"txd", bind_txd}, {"suld", bind_suld},
           {"sust", bind_sust});
