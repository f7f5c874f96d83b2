/* Copies of a box of a tensor (TMA with a tensor map): a tile, or pixels one after the other (im2col). */
#ifndef WG_ENGINE_TMA_H
#define WG_ENGINE_TMA_H

#include "engine/bulk.h"
#include "engine/tensor_map.h"

enum { TMA_ALIGN = 128 };

/* What is copied: the first element's coordinates; im2col: where in its window, added to those of the image. */
typedef struct tma_begin { int32_t at[TENSOR_DIMS], offset[TENSOR_SPACE]; } tma_begin;

/* Reads and checks the map at an address of global memory. False: told, and the launch ends. */
bool eng_tma_map(eng_bulk *b, uint64_t address, unsigned rank, bool im2col, tensor_map *map);
/* Does the hardware copy from there? The rows of the box begin at a multiple of 16 bytes of the tensor, what is written does not begin before
 * it, pixels begin within their corners, and these lie in the image where it is written. False: told, and the launch ends. */
bool eng_tma_begins(eng_bulk *b, const tensor_map *map, const tma_begin *c, bool writes);
/* Bytes of shared memory that a box reaches over from its place on: a swizzle may put its last rows behind its end. */
uint32_t eng_tma_extent(const tensor_map *map, uint64_t at);
/* The box that begins at c goes to all targets, or comes from the place. */
void eng_tma_load(eng_bulk *b, const tensor_map *map, const tma_begin *c, const eng_bulk_target *targets, unsigned count);
void eng_tma_store(eng_bulk *b, const tensor_map *map, const tma_begin *c, const eng_bulk_at *from);
void eng_tma_reduce(eng_bulk *b, const tensor_map *map, const tma_begin *c, const eng_bulk_at *from, unsigned op);

#endif
