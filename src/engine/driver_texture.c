/* Textures that the driver reads for device code of sm_90, which has no instruction for the level of detail that gradients choose in three dimensions and
 * on cubes: tex3DGrad, texCubemapGrad, texCubemapLayeredGrad. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/driver_inner.h"
#include "engine/mufu.h"
#include "engine/texture_sample.h"
#include "engine/undefined.h"

/* (texture, layer of layered ones, four coordinates, four components of the gradient along x, and on the stack four of that along y): whether all
 * texels were there, and four components. */
enum { COORDINATES = DRV_ARGUMENT + 4, STACK_POINTER = 1 };

typedef struct place_reader {
    const eng_warp *w;
    unsigned lane;
    uint64_t wild; /* a texel that is not there; 0: none */
} place_reader;
static void read_place(void *ctx, uint64_t address, void *to, unsigned n) {
    place_reader *r = ctx;
    if (drv_fetch(r->w, r->lane, address, to, n)) return;
    memset(to, 0, n);
    r->wild = address;
}

static bool ends(eng_warp *w, const eng_ins *i, unsigned lane, uint64_t address, const char *why) {
    eng_finding f = {.kind = ENG_FAULT_WILD, .lanes = 1u << lane, .space = ENG_GLOBAL, .access = ENG_READ, .address = address, .fatal = true};
    snprintf(f.text, sizeof f.text, "%s", why);
    eng_fault(w, i, &f);
    return false;
}
static void floats_of(const eng_warp *w, unsigned r, unsigned lane, float to[3]) {
    for (unsigned d = 0; d < 3; d++) memcpy(&to[d], drv_reg(w, r + d, lane), sizeof *to);
}
static float level_of_detail(const eng_texture *t, const float at[3], const float dx[3], const float dy[3]) {
    float at_x[3], at_y[3];
    for (unsigned d = 0; d < 3; d++) at_x[d] = at[d] + dx[d], at_y[d] = at[d] + dy[d];
    return tex_quad_lod(t, at, at_x, at_y);
}
/* A direction by its largest component, as compiled code has it before TEX. */
static void divide(float v[3]) {
    uint32_t bits;
    float most = fmaxf(fmaxf(fabsf(v[0]), fabsf(v[1])), fabsf(v[2])), factor;
    memcpy(&bits, &most, sizeof bits);
    bits = mufu_rcp_of(bits, mufu_value(mufu_rcp_at(bits)));
    memcpy(&factor, &bits, sizeof factor);
    for (unsigned d = 0; d < 3; d++) v[d] *= factor;
}
static bool read_gradient(eng_warp *w, const eng_ins *i, unsigned lane, bool layered) {
    const uint64_t handle = drv_get64(w, DRV_ARGUMENT, lane);
    const eng_texture *t = eng_texture_get(w->worker->device, handle);
    const unsigned first = COORDINATES + layered;
    place_reader from = {.w = w, .lane = lane};
    const tex_reader reader = {read_place, &from};
    tex_place p = {.layer = layered ? *drv_reg(w, COORDINATES, lane) : 0};
    float dx[3], dy[3];
    if (!t) return ends(w, i, lane, handle, "there is no such texture object: it was destroyed, or the value is none");
    floats_of(w, first, lane, p.at);
    floats_of(w, COORDINATES + 4, lane, dx);
    if (!drv_fetch(w, lane, ENG_LOCAL_WINDOW + *drv_reg(w, STACK_POINTER, lane), dy, sizeof dy))
        return ends(w, i, lane, *drv_reg(w, STACK_POINTER, lane), "the gradient along y is not on the stack");
    p.lod = level_of_detail(t, p.at, dx, dy);
    if (t->cube) divide(p.at);
    tex_value v = tex_sample(t, &p, &reader);
    if (from.wild) return ends(w, i, lane, from.wild, "the texture's memory is gone");
    *drv_reg(w, DRV_ARGUMENT, lane) = 1;
    for (unsigned c = 0; c < 4; c++) *drv_reg(w, DRV_ARGUMENT + 1 + c, lane) = v.v[c];
    for (unsigned r = 0; r < 5; r++) eng_undefined_clear(w, (DRV_ARGUMENT + r) * ENG_SLOT, 1u << lane);
    return true;
}
static bool call_gradient(eng_warp *w, const eng_ins *i, unsigned lane) { return read_gradient(w, i, lane, false); }
static bool call_layered_gradient(eng_warp *w, const eng_ins *i, unsigned lane) { return read_gradient(w, i, lane, true); }

#define GRADIENT(shape, call) {"__cuda_syscall_tex_grad_" shape "_v4_f32_f32", call, NULL}, {"__cuda_syscall_tex_grad_" shape "_v4_s32_f32", call, NULL}, \
                              {"__cuda_syscall_tex_grad_" shape "_v4_u32_f32", call, NULL}
const drv_function drv_textures[] = {GRADIENT("3d", call_gradient), GRADIENT("cube", call_gradient), GRADIENT("acube", call_layered_gradient), {0}};
