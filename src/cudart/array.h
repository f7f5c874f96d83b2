/* CUDA arrays: texels in device memory, rows in order and without gaps. The hardware's own order inside an array is seen
 * by no program. With the lock held. */
#ifndef WG_CUDART_ARRAY_H
#define WG_CUDART_ARRAY_H

#include "cudart/context.h"
#include "cudart/memory.h"

typedef struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;   /* texels, as asked for: 0 where there is no such dimension */
    unsigned flags;
    unsigned texel;             /* bytes */
    uint64_t address;
    struct cudaMipmappedArray *mipmap; /* whose level it is; NULL: its own */
} rt_array;

typedef struct cudaMipmappedArray {
    unsigned n_levels;
    rt_array *levels[];
} rt_mipmap;

/* By handle; NULL: there is no such array. */
rt_array *rt_array_of(cudaArray_const_t handle);
rt_mipmap *rt_mipmap_of(cudaMipmappedArray_const_t handle);
/* Bytes of a row, rows of a plane, planes (slices or layers): at least 1 each. */
size_t rt_array_pitch(const rt_array *array);
size_t rt_array_rows(const rt_array *array);
size_t rt_array_planes(const rt_array *array);
/* Bytes of a texel of this format; 0: no array has it. */
unsigned rt_texel_bytes(const struct cudaChannelFormatDesc *desc);
/* All handles end (cudaDeviceReset; the memory itself is released with all other). */
void rt_arrays_reset(void);
void rt_textures_reset(void); /* texture.c: the same for texture and surface objects */

/* The box that begins at (x bytes, y rows, z planes) and has this many; false: it is not in the array, and a finding says so. */
bool rt_array_box(const rt_array *array, size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth, rt_box *box);

#endif
