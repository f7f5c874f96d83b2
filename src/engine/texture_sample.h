/* What a texture returns at a place: filtering, addressing, conversion. Pure but for `texel`, which reads memory.
 * The fixed-point steps are those that reproduce an H200 bit for bit (tests/conformance says where they do). */
#ifndef WG_ENGINE_TEXTURE_SAMPLE_H
#define WG_ENGINE_TEXTURE_SAMPLE_H

#include "engine/texture.h"

typedef struct tex_value { /* floats as bits, or integers */
    uint32_t v[4];
} tex_value;

typedef struct tex_reader { /* reads `n` bytes of device memory */
    void (*read)(void *ctx, uint64_t address, void *to, unsigned n);
    void *ctx;
} tex_reader;

typedef struct tex_place {
    float at[3];       /* coordinates; of a cube map its direction */
    int32_t index[3];  /* TLD: texels */
    int32_t offset[3]; /* AOFFI: added to texel indices */
    uint32_t layer;    /* of layered textures */
    float lod;         /* level of detail */
} tex_place;

tex_value tex_sample(const eng_texture *t, const tex_place *p, const tex_reader *reader);
/* By integer indices, unfiltered: zero outside. */
tex_value tex_fetch(const eng_texture *t, const tex_place *p, uint32_t level, const tex_reader *reader);
/* Component c of the four texels that a bilinear filter would use: (0,1) (1,1) (1,0) (0,0). */
tex_value tex_gather(const eng_texture *t, const tex_place *p, unsigned c, const tex_reader *reader);
/* The level of detail that gradients choose, or a place and those beside it along x and y (texture_gradient.c). */
float tex_gradient_lod(const eng_texture *t, const float dx[3], const float dy[3]);
float tex_quad_lod(const eng_texture *t, const float at[3], const float at_x[3], const float at_y[3]);
/* Of a direction: the face, by its axis, odd ones look back. */
unsigned tex_cube_face(const float direction[3]);

#endif
