/* Tensor maps (CUtensorMap): what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col write into 128 bytes, and TMA reads.
 *
 * Of an interleaved map the channels are cut into slices of 16 or 32 bytes, whatever the type. Its dimension 0 is the first of an image, and
 * its last but one counts the slices, of which a copy takes one; an element is a slice of a pixel. Else dimension 0 is the channels. The last
 * dimension counts the images.
 *
 * A copy takes a box of elements, or (im2col) so many pixels one after the other, row after row of an image, image after image, of those that
 * lie from the lower corner on to the upper one, which is counted from the image's last pixel. */
#ifndef WG_ENGINE_TENSOR_MAP_H
#define WG_ENGINE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_DIMS = 5, TENSOR_SPACE = TENSOR_DIMS - 2 /* dimensions of an image */, TENSOR_MAP_BYTES = 128 };
typedef enum tensor_type { /* CUtensorMapDataType */
    TENSOR_MAP_U8, TENSOR_MAP_U16, TENSOR_MAP_U32, TENSOR_MAP_S32, TENSOR_MAP_U64, TENSOR_MAP_S64, TENSOR_MAP_F16, TENSOR_MAP_F32, TENSOR_MAP_F64, TENSOR_MAP_BF16,
    TENSOR_MAP_F32_FTZ, TENSOR_MAP_TF32, TENSOR_MAP_TF32_FTZ, TENSOR_MAP_TYPES
} tensor_type;

typedef struct tensor_map {
    uint64_t address;
    uint64_t dim[TENSOR_DIMS];        /* elements */
    uint64_t stride[TENSOR_DIMS];     /* bytes; [0]: of an element */
    uint32_t box[TENSOR_DIMS];        /* elements of the tensor that the box spans; im2col: [0], of a pixel */
    uint32_t step[TENSOR_DIMS];       /* every so many of them are taken */
    uint8_t type, rank, interleave, swizzle, promotion, fill;
    bool im2col;
    uint32_t pixels;                  /* im2col: that a copy takes */
    int32_t low[TENSOR_SPACE], high[TENSOR_SPACE]; /* of the dimensions of an image */
} tensor_map;

unsigned tensor_type_bytes(unsigned type);
/* Does the driver's encoder take these parameters? */
bool tensor_map_valid(const tensor_map *map);
void tensor_map_pack(const tensor_map *map, uint8_t out[TENSOR_MAP_BYTES]);
/* False: no such map. */
bool tensor_map_unpack(const uint8_t in[TENSOR_MAP_BYTES], tensor_map *map);

/* The first of the dimensions of an image, which has rank - 2 (im2col, interleaved). */
static inline unsigned tensor_map_image(const tensor_map *map) { return map->interleave ? 0 : 1; }

/* How many elements the box takes along a dimension. A row of it: the elements of dimension 0 side by side, or a slice. Bytes of all of it. */
uint32_t tensor_map_count(const tensor_map *map, unsigned dim);
uint32_t tensor_map_row_bytes(const tensor_map *map);
uint64_t tensor_map_rows(const tensor_map *map);
uint64_t tensor_map_box_bytes(const tensor_map *map);
/* From one row of the box to the next in shared memory, where a swizzle keeps its width to itself; bytes of the place. */
uint32_t tensor_map_pitch(const tensor_map *map);
uint64_t tensor_map_place_bytes(const tensor_map *map);

#endif
