/* Surfaces: SULD, SUST. A lane at a time; where an element lies is surface.h's. */
#include "engine/small_float.h"
#include "engine/surface.h"

static float as_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
/* x: MEM_SIGNED, SURF_FORMATTED, the components of .P << 8; imm: the place; c: the handle */
enum { SURF_FORMATTED = 1 << 16 };

static bool read_element(const eng_ins *i, uint8_t *R, unsigned l, reader *r, uint64_t address) {
    uint32_t words[4] = {0};
    if (address) read_texel(r, address, words, i->width);
    if (i->x & MEM_SIGNED && i->width < 4) words[0] = (uint32_t)((int32_t)(words[0] << (32 - 8 * i->width)) >> (32 - 8 * i->width));
    for (unsigned k = 0; k < (i->width + 3u) / 4; k++) eng_u32(R, i->d + k * ENG_SLOT)[l] = words[k];
    return true;
}
static bool write_bytes(const eng_ins *i, eng_warp *w, reader *r, uint64_t address, const void *bytes, unsigned n) {
    if (misses(r->range, address, n, 1) && (!mem_range_fill(r->view, r->range, address, ENG_WRITE) || misses(r->range, address, n, 1))) {
        r->wild = address;
        return true;
    }
    if (!mem_mark(r->view, r->range, address, n, false)) return mem_no_room(w, i), false;
    memcpy(at_host(r->range, address), bytes, n);
    r->range->bytes += n;
    return true;
}
static bool write_element(const eng_ins *i, eng_warp *w, uint8_t *R, unsigned l, reader *r, uint64_t address) {
    uint32_t words[4] = {0};
    if (!address) return true;
    for (unsigned k = 0; k < (i->width + 3u) / 4; k++) words[k] = eng_u32(R, i->b + k * ENG_SLOT)[l];
    return write_bytes(i, w, r, address, words, i->width);
}

/* --- SUST.P: components in the surface's own format, a register each; those that are not given become 0 ---- */

static uint32_t clamped(int64_t v, int64_t least, int64_t most) { return (uint32_t)(v < least ? least : v > most ? most : v); }
static uint32_t component_of(const eng_texture *t, uint32_t word) {
    if (t->bits == 32) return word;
    if (t->format == ENG_TEX_FLOAT) return small_encode((double)as_float(word), false, SASS_RZ_);
    if (t->format == ENG_TEX_SIGNED) return clamped((int32_t)word, -(INT64_C(1) << (t->bits - 1)), (INT64_C(1) << (t->bits - 1)) - 1);
    return clamped(word, 0, (INT64_C(1) << t->bits) - 1);
}
static bool write_formatted(const eng_ins *i, eng_warp *w, uint8_t *R, unsigned l, reader *r, const eng_texture *t, uint64_t address) {
    uint8_t bytes[16] = {0};
    unsigned n = t->bits / 8u, given = i->x >> 8 & 7;
    if (!address) return true;
    for (unsigned c = 0; c < t->components; c++) {
        uint32_t v = c < given ? component_of(t, eng_u32(R, i->b + c * ENG_SLOT)[l]) : 0;
        memcpy(bytes + c * n, &v, n);
    }
    return write_bytes(i, w, r, address, bytes, n * t->components);
}
static bool surface_lane(const eng_ins *i, eng_warp *w, uint8_t *R, unsigned l, reader *r) {
    uint32_t handle = eng_u32(R, i->c)[l];
    uint64_t address;
    if (!surface_element(i, w, R, l, handle, (unsigned)i->imm, &address)) return false;
    if (!(i->x & SURF_FORMATTED)) return i->access & ENG_WRITE ? write_element(i, w, R, l, r, address) : read_element(i, R, l, r, address);
    return write_formatted(i, w, R, l, r, eng_texture_get(w->worker->device, handle), address);
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
static void bind_place(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned access) {
    out->a = eng_slot_reg(plan, in->mem.base);
    out->c = eng_slot_src(plan, &in->extra);
    if (access & ENG_WRITE) out->b = eng_slot_src(plan, &in->a);
    else out->d = eng_slot_dst(plan, &in->dst);
    out->access = (uint8_t)access;
    out->z = (uint16_t)access;
    out->imm = surface_place(in);
    out->y = mem_range_slot(out->id, access);
    out->fn = surface;
}
static bool bind_surface(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned access) {
    if (in->pdst[0].present && in->pdst[0].reg != SASS_PT) return eng_refuse(plan, "whether a surface's page is there");
    bind_place(plan, in, out, access);
    out->width = in->width;
    out->x = in->type == SASS_S8 || in->type == SASS_S16 ? MEM_SIGNED : 0;
    return in->width && in->shape <= SURF_3D;
}
static bool bind_sust_p(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_place(plan, in, out, ENG_WRITE);
    out->imm |= SURF_ELEMENTS;
    out->x = SURF_FORMATTED | (in->sub == 1 ? 1u : in->sub == 3 ? 2u : 4u) << 8;
    return in->shape <= SURF_3D;
}
static bool bind_suld(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_surface(p, in, out, ENG_READ); }
static bool bind_sust(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_surface(p, in, out, ENG_WRITE); }

ENG_FAMILY(surface, {"suld", bind_suld}, {"sust", bind_sust}, {"sust_p", bind_sust_p});
