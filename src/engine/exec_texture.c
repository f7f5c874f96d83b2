/* Textures: TEX, TLD, TLD4, TXD. A lane at a time: what a texture returns is texture_sample.c's,
 * what is here is where the operands lie.
 *
 *   A          array index first (an integer), then the coordinates: floats, for TLD integers; TXD has the array index behind them
 *   B          the handle first in the forms .B (TXD has it in A), then the level of detail, and offsets; or TXD's derivatives along x, y by coordinate
 *   .SCR       A has the first half of all (the larger one), and B the rest
 *   .AOFFI     offsets of texels: four bits for each dimension, TLD4's six in a byte each; TXD has them above the array index
 *   handle     else from `extra`: a constant or a uniform register
 *   results    the components that the mask asks for: two from D on, the others from D2 on
 *   imm        D2; above it the counter of requests */
#include "engine/texel.h"
#include "engine/texture_sample.h"

/* x: operation | dimensions << 8 | (array) << 12 | (handle in B) << 13 | mask << 16 | level kind << 20 | component << 24
 * y: place of the memory range; a, b: A and B; c: the handle; d, imm: D and D2 */
enum { TEX_SAMPLE, TEX_FETCH, TEX_GATHER, TEX_GRADIENT };
enum { LOD_NONE, LOD_ZERO, LOD_BIAS, LOD_LEVEL };
enum { TEX_ARRAY = 1 << 12, TEX_HANDLE_IN_B = 1 << 13, TEX_SPLIT = 1 << 14, TEX_OFFSETS = 1 << 15 };

static float as_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static int32_t signed_field(uint32_t word, unsigned lo, unsigned bits) { return (int32_t)(word << (32 - lo - bits)) >> (32 - bits); }
static void take_offsets(tex_place *p, uint32_t word, unsigned operation) {
    for (unsigned d = 0; d < 3; d++) p->offset[d] = operation == TEX_GATHER ? signed_field(word, 8 * d, 6) : signed_field(word, 4 * d, 4);
}
/* Words of both operands, one after the other: `in_a` of the first. */
typedef struct operands {
    uint8_t *R;
    uint32_t a, b, in_a;
    unsigned lane;
} operands;
static uint32_t next_of(operands *from, uint32_t *at) { return *at += ENG_SLOT, eng_u32(from->R, *at - ENG_SLOT)[from->lane]; }
static uint32_t next(operands *from) { return from->in_a ? from->in_a--, next_of(from, &from->a) : next_of(from, &from->b); }
static void take_coordinates(operands *from, tex_place *p, unsigned dims) {
    for (unsigned d = 0; d < dims; d++) {
        uint32_t v = next(from);
        p->at[d] = as_float(v);
        p->index[d] = (int32_t)v;
    }
}
/* TXD: the layer has 16 bits, without a sign. */
static void take_gradient(operands *from, const eng_ins *i, const eng_texture *t, unsigned dims, tex_place *p) {
    float dx[3] = {0}, dy[3] = {0};
    from->in_a = dims + (i->x & (TEX_ARRAY | TEX_OFFSETS) ? 1 : 0);
    take_coordinates(from, p, dims);
    uint32_t more = i->x & (TEX_ARRAY | TEX_OFFSETS) ? next(from) : 0;
    if (i->x & TEX_ARRAY) p->layer = more & 0xffff;
    if (i->x & TEX_OFFSETS) take_offsets(p, more >> 16, TEX_GRADIENT);
    for (unsigned d = 0; d < dims; d++) {
        dx[d] = as_float(next(from));
        dy[d] = as_float(next(from));
    }
    p->lod = tex_gradient_lod(t, dx, dy);
}
static void take_place(operands *from, const eng_ins *i, unsigned operation, unsigned dims, tex_place *p) {
    const bool levelled = (i->x >> 20 & 15) == LOD_LEVEL, array = i->x & TEX_ARRAY, offsets = i->x & TEX_OFFSETS;
    from->in_a = array + dims;
    if (i->x & TEX_SPLIT) from->in_a = (from->in_a + levelled + offsets + ((i->x & TEX_HANDLE_IN_B) != 0) + 1) / 2;
    if (array) p->layer = next(from);
    take_coordinates(from, p, dims);
    if (levelled) {
        uint32_t v = next(from);
        p->lod = operation == TEX_FETCH ? (float)(int32_t)v : as_float(v);
    }
    if (offsets) take_offsets(p, next(from), operation);
}
/* TEX without a level: the places of a quad choose it. Registers of lanes that are not on count, too. */
static float quad_level(const eng_ins *i, uint8_t *R, unsigned lane, const eng_texture *t, unsigned dims) {
    tex_place p[3] = {0};
    for (unsigned k = 0; k < 3; k++) {
        operands from = {.R = R, .a = i->a, .b = i->b, .lane = (lane & ~3u) + k};
        if (i->x & TEX_HANDLE_IN_B) next_of(&from, &from.b);
        take_place(&from, i, TEX_SAMPLE, dims, &p[k]);
    }
    return tex_quad_lod(t, p[0].at, p[1].at, p[2].at);
}
static bool texture_lane(const eng_ins *i, eng_warp *w, uint8_t *R, unsigned l, const tex_reader *reader) {
    unsigned operation = i->x & 0xff, dims = i->x >> 8 & 15;
    operands from = {.R = R, .a = i->a, .b = i->b, .lane = l};
    uint32_t handle = eng_u32(R, i->c)[l];
    if (i->x & TEX_HANDLE_IN_B) handle = next_of(&from, operation == TEX_GRADIENT ? &from.a : &from.b);
    const eng_texture *t = eng_texture_get(w->worker->device, handle);
    if (!t) return no_object(i, w, l, handle, "texture");
    tex_place p = {0};
    if (operation == TEX_GRADIENT) take_gradient(&from, i, t, dims, &p);
    else take_place(&from, i, operation, dims, &p);
    if (operation == TEX_SAMPLE && (i->x >> 20 & 15) == LOD_NONE) p.lod = quad_level(i, R, l, t, dims);
    tex_value r;
    if (operation == TEX_FETCH) r = tex_fetch(t, &p, (uint32_t)p.lod, reader);
    else if (operation == TEX_GATHER) r = tex_gather(t, &p, i->x >> 24 & 3, reader);
    else r = tex_sample(t, &p, reader);
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        if (!(i->x >> (16 + c) & 1)) continue;
        eng_u32(R, (n < 2 ? i->d : (uint32_t)i->imm) + n % 2 * ENG_SLOT)[l] = r.v[c];
        n++;
    }
    return true;
}
static unsigned quads_of(uint32_t lanes) {
    unsigned n = 0;
    for (; lanes; lanes >>= 4) n += (lanes & 15) != 0;
    return n;
}
/* Lanes that lie together make a request: four; of plain memory (TLD), and where the level is the first (TEX.LZ), eight while two requests'
 * texels fit into one (equal to an H200: tests/engine/test_requests.c; wide texels of TEX.LZ were not measured). */
static unsigned requests(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t on) {
    unsigned together = 4;
    const bool first_level = (i->x & 0xff) == TEX_SAMPLE && (i->x >> 20 & 15) == LOD_ZERO;
    if (on && ((i->x & 0xff) == TEX_FETCH || first_level)) {
        const unsigned l = (unsigned)__builtin_ctz(on);
        const eng_texture *t = eng_texture_get(w->worker->device, eng_u32(R, i->x & TEX_HANDLE_IN_B ? i->b : i->c)[l]);
        if (t && (first_level || t->kind == ENG_TEX_LINEAR) && eng_texel_bytes(t) <= 8) together = 8;
    }
    unsigned n = 0;
    for (; on; on = together == 8 ? on >> 8 : on >> 4) n += (on & ((1u << together) - 1)) != 0;
    return n;
}

static __attribute__((noinline)) const eng_ins *texture(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    reader r = {.view = view_of(w), .range = range_of(view_of(w), i)};
    tex_reader from = {read_texel, &r};
    w->worked |= on;
    w->counts[(uint64_t)i->imm >> 32] += requests(i, w, R, on);
    ENG_LANES(l, on) {
        if (ENG_UNLIKELY(!texture_lane(i, w, R, l, &from))) ENG_GOTO(eng_end(w, i));
        if (ENG_UNLIKELY(r.wild && ends_wild(i, w, l, &r))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT;
}

static bool bind_texture(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned operation, unsigned lod) {
    static const uint8_t dims[4] = {1, 2, 3, 3};
    if (in->pdst[0].present && in->pdst[0].reg != SASS_PT) return eng_refuse(plan, "whether a texture's page is there");
    if (in->flags & SASS_COMPARES && operation == TEX_FETCH) return eng_refuse(plan, "samples of a texel");
    if (in->flags & SASS_CLAMPED || lod > LOD_LEVEL) return eng_refuse(plan, "a clamped level of detail");
    if (lod == LOD_BIAS) return eng_refuse(plan, "a bias of the level of detail");
    bool in_b = in->extra.kind == SASS_NONE;
    out->d = eng_slot_dst(plan, &in->dst);
    out->imm = (int64_t)((uint64_t)eng_request_counter(plan) << 32 | eng_slot_dst(plan, &in->dst2));
    out->a = eng_slot_src(plan, &in->a);
    out->b = eng_slot_src(plan, &in->b);
    out->c = in_b ? eng_slot_value(plan, 0) : eng_slot_src(plan, &in->extra);
    out->x = operation | (uint32_t)dims[in->shape & 3] << 8 | (in->shape & 4 ? TEX_ARRAY : 0) |
             (in_b ? TEX_HANDLE_IN_B : 0) | (operation != TEX_GRADIENT && in->lo >> 60 & 1 ? TEX_SPLIT : 0) | (in->flags & SASS_OFFSETS ? TEX_OFFSETS : 0) | (uint32_t)(in->byte & 15) << 16 | lod << 20;
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
/* --- TXQ ------------------------------------------------------------------------------------------------------- */

/* Of the level in A: width, height and depth, of layered ones the layers behind the other dimensions; and how many levels there are. A cube
 * is two-dimensional. A level that is not there has no size. */
static void sizes(const eng_texture *t, uint32_t level, uint32_t v[4]) {
    memset(v, 0, 4 * sizeof *v);
    v[3] = t->n_levels;
    if (level >= t->n_levels) return;
    v[0] = t->levels[level].width;
    v[1] = t->dims > 1 ? t->levels[level].height : t->layered ? t->layers : 1;
    v[2] = t->dims > 2 ? t->levels[level].depth : t->dims > 1 && t->layered ? t->layers : 0;
}
static __attribute__((noinline)) const eng_ins *query(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    w->worked |= on;
    w->counts[(uint64_t)i->imm >> 32] += quads_of(on);
    ENG_LANES(l, on) {
        uint32_t handle = eng_u32(R, i->c)[l], v[4];
        const eng_texture *t = eng_texture_get(w->worker->device, handle);
        if (!t) {
            no_object(i, w, l, handle, "texture");
            ENG_GOTO(eng_end(w, i));
        }
        sizes(t, eng_u32(R, i->a)[l], v);
        unsigned n = 0;
        for (unsigned c = 0; c < 4; c++)
            if (i->x >> (16 + c) & 1) {
                eng_u32(R, (n < 2 ? i->d : (uint32_t)i->imm) + n % 2 * ENG_SLOT)[l] = v[c];
                n++;
            }
    }
    ENG_NEXT;
}
static bool bind_txq(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    enum { DIMENSION };
    if (in->sub != DIMENSION) return eng_refuse(plan, "what is asked of the texture");
    if (in->extra.kind == SASS_NONE) return eng_refuse(plan, "a handle in a register");
    out->d = eng_slot_dst(plan, &in->dst);
    out->imm = (int64_t)((uint64_t)eng_request_counter(plan) << 32 | eng_slot_dst(plan, &in->dst2));
    out->a = eng_slot_src(plan, &in->a);
    out->c = eng_slot_src(plan, &in->extra);
    out->x = (uint32_t)(in->byte & 15) << 16;
    out->fn = query;
    return true;
}

ENG_FAMILY(texture, {"txq", bind_txq}, {"tex", bind_tex}, {"tld", bind_tld}, {"tld4", bind_tld4}, {"txd", bind_txd});
