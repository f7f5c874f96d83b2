/* Copies of a box of a tensor (TMA with a tensor map), in tiles. */
#ifndef WG_ENGINE_TMA_H
#define WG_ENGINE_TMA_H

#include "engine/bulk.h"
#include "engine/tensor_map.h"

enum { TMA_ALIGN = 128 };

/* Reads and checks the map at an address of global memory. False: told, and the launch ends. */
bool eng_tma_map(eng_bulk *b, uint64_t address, unsigned rank, tensor_map *map);
/* The rows of the box begin at a multiple of 16 bytes of the tensor, and what is written not before it: the hardware refuses others.
 * False: told, and the launch ends. */
bool eng_tma_begins(eng_bulk *b, const tensor_map *map, const int32_t *c, bool writes);
/* Bytes of shared memory that a box reaches over from its place on: a swizzle may put its last rows behind its end. */
uint32_t eng_tma_extent(const tensor_map *map, uint64_t at);
/* The box whose first element has the coordinates c goes to all targets, or comes from the place. */
void eng_tma_load(eng_bulk *b, const tensor_map *map, const int32_t *c, const eng_bulk_target *targets, unsigned count);
void eng_tma_store(eng_bulk *b, const tensor_map *map, const int32_t *c, const eng_bulk_at *from);
void eng_tma_reduce(eng_bulk *b, const tensor_map *map, const int32_t *c, const eng_bulk_at *from, unsigned op);

#endif
