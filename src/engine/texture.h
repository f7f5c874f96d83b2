/* Textures and surfaces: what a handle stands for. The runtime fills the descriptors, the handlers of TEX, TLD, TLD4,
 * SULD, SUST and their kin read them.
 *
 * A program's cudaTextureObject_t or cudaSurfaceObject_t is the handle, a small number that is never zero: the machine
 * code takes its low 32 bits. Texels lie in device memory (eng_memory_alloc), rows in order: the hardware's order inside an
 * array is not visible to a program, but through the counters of its cache. */
#ifndef WG_ENGINE_TEXTURE_H
#define WG_ENGINE_TEXTURE_H

#include "engine/engine.h"

typedef enum eng_tex_kind {
    ENG_TEX_LINEAR, /* cudaResourceTypeLinear: width texels, only fetched by index */
    ENG_TEX_ARRAY,  /* arrays, and cudaResourceTypePitch2D */
} eng_tex_kind;
typedef enum eng_tex_format { ENG_TEX_UNSIGNED, ENG_TEX_SIGNED, ENG_TEX_FLOAT } eng_tex_format;
typedef enum eng_tex_address { ENG_TEX_WRAP, ENG_TEX_CLAMP, ENG_TEX_MIRROR, ENG_TEX_BORDER } eng_tex_address; /* as cudaTextureAddressMode */

enum { ENG_TEX_LEVELS = 16 };
typedef struct eng_tex_level {
    uint64_t address;              /* device address of texel (0, 0, 0) */
    uint32_t width, height, depth; /* texels, at least 1 each */
    uint64_t pitch;                /* bytes from a row to the next */
    uint64_t slice;                /* bytes from a plane (3-D) or a layer (or a face) to the next */
} eng_tex_level;

typedef struct eng_texture {
    bool surface;           /* made by cudaCreateSurfaceObject: reads and writes, nothing below `bits` matters */
    uint8_t kind;           /* eng_tex_kind */
    uint8_t dims;           /* 1, 2, 3 */
    bool layered, cube;     /* cube: 6 faces a layer, in the order +x -x +y -y +z -z */
    uint32_t layers;        /* layered: layers, of a cube array: cubes; else 1 */
    uint8_t n_levels;       /* 1 without mipmaps */
    eng_tex_level levels[ENG_TEX_LEVELS];
    uint8_t format;         /* eng_tex_format of a component */
    uint8_t components;     /* 1, 2, 4 */
    uint8_t bits;           /* of a component: 8, 16, 32 */

    bool normalised_float;  /* cudaReadModeNormalizedFloat: integers of 8 and 16 bits read as [0, 1] or [-1, 1] */
    bool normalised_coords;
    bool linear;            /* cudaFilterModeLinear */
    bool linear_levels;     /* mipmapFilterMode */
    bool srgb;
    bool seamless;          /* cubes: filters take texels of the neighbouring faces; no address mode then */
    uint8_t address[3];     /* eng_tex_address of x, y, z */
    float border[4];
    float level_bias, level_min, level_max; /* mipmaps */
    uint8_t anisotropy;     /* maxAnisotropy; not modelled: gradients choose a level as isotropic ones do */
} eng_texture;

/* A handle for a copy of the descriptor; 0: the table is full or memory ran out. Not while a launch runs. */
uint64_t eng_texture_add(eng_device *device, const eng_texture *texture);
/* NULL: no such handle. The pointer is good until the next add or remove. */
const eng_texture *eng_texture_get(const eng_device *device, uint64_t handle);
bool eng_texture_remove(eng_device *device, uint64_t handle);

static inline unsigned eng_texel_bytes(const eng_texture *t) { return t->components * t->bits / 8u; }

#endif
