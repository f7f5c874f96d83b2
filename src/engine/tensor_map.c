/* The layout of the 128 bytes was read off what the driver's encoders write on an H200 (driver 580), parameter by parameter:
 *
 *   word 0  address
 *   word 1  bit 0 im2col, 4..6 dimensions - 1, 7..10 type, 11..12 interleave, 13..14 swizzle, 15 fill with NaN, 16 rounds to TF32, 17..18 L2 promotion;
 *           high half: stride 1 in units of 16 bytes
 *   word 2  strides 2 and 3
 *   word 3  stride 4; high half: bits 32..35 of all four, 4 bits each
 *   word 4  dimensions 0 and 1, less 1    word 5  2 and 3
 *   word 6  dimension 4, less 1; from bit 32 on the steps less 1, 3 bits each; bits 56..63 the box along dimension 0, less 1
 *   word 7  the box along dimensions 1 to 4, less 1, 8 bits each; of im2col: the lower corner, from bit 16 on the upper one (16, 8 or 5 bits
 *           a dimension, by how many there are), from bit 32 on the pixels, less 1
 *   word 8  bytes of the box               word 9  how a place in shared memory is aligned, so that the swizzle begins there */
#include "engine/tensor_map.h"

#include <string.h>

enum { WORDS = TENSOR_MAP_BYTES / 8, UNIT = 16 /* of strides */ };
enum { IM2COL = 0, RANK = 4, TYPE = 7, INTERLEAVE = 11, SWIZZLE = 13, FILL = 15, TF32 = 16, PROMOTION = 17, UPPER = 16, PIXELS = 32 };

unsigned tensor_type_bytes(unsigned type) {
    static const uint8_t bytes[TENSOR_MAP_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

enum { ALIGN = 16, MOST_BOX = 256, MOST_STEP = 8, MOST_PIXELS = 1024, MOST_BYTES = 228 << 10, INTERLEAVED_32B = 2, MOST_SWIZZLE = 3, MOST_PROMOTION = 3 };

static unsigned dimensions_of_image(const tensor_map *map) { return map->rank - 2u; }
/* Bits of a coordinate of a corner. */
static unsigned corner_bits(const tensor_map *map) { return 16 / dimensions_of_image(map); }

static bool dimension_valid(const tensor_map *map, unsigned d, uint64_t align) {
    if (!map->dim[d] || map->dim[d] > UINT64_C(1) << 32 || !map->step[d] || map->step[d] > MOST_STEP) return false;
    if ((!map->im2col || !d) && (!map->box[d] || map->box[d] > MOST_BOX)) return false;
    return !d || (map->stride[d] % align == 0 && map->stride[d] >> 40 == 0);
}
static bool fits(int32_t n, unsigned bits) { return n >= -(1 << (bits - 1)) && n < 1 << (bits - 1); }
static bool corners_valid(const tensor_map *map) {
    if (map->rank < 3 || !map->pixels || map->pixels > MOST_PIXELS) return false;
    for (unsigned d = 0; d < dimensions_of_image(map); d++) {
        if (!fits(map->low[d], corner_bits(map)) || !fits(map->high[d], corner_bits(map))) return false;
        const int64_t end = (int32_t)(uint32_t)map->dim[tensor_map_image(map) + d]; /* the driver counts in 32 bits */
        if (end + map->high[d] <= map->low[d]) return false;                        /* no pixel lies between */
    }
    return true;
}

/* What the driver takes for the bytes of a box: of an interleaved one more or fewer than there are. */
static uint64_t elements_bytes(const tensor_map *map) {
    uint64_t n = map->im2col ? (uint64_t)map->box[0] * map->pixels : 1;
    for (unsigned d = 0; d < map->rank && !map->im2col; d++) n *= d || map->interleave ? (map->box[d] + map->step[d] - 1) / map->step[d] : map->box[d];
    return n * tensor_type_bytes(map->type);
}

bool tensor_map_valid(const tensor_map *map) {
    const uint64_t align = map->interleave == INTERLEAVED_32B ? 2 * ALIGN : ALIGN;
    if (map->type >= TENSOR_MAP_TYPES || map->rank < 1 || map->rank > TENSOR_DIMS || map->interleave > INTERLEAVED_32B || (map->interleave && map->rank < 3)) return false;
    if (map->swizzle > MOST_SWIZZLE || map->promotion > MOST_PROMOTION || map->fill > 1 || (map->fill && map->type < TENSOR_MAP_F16) || map->address % align) return false;
    if (map->im2col && !corners_valid(map)) return false;
    for (unsigned d = 0; d < map->rank; d++)
        if (!dimension_valid(map, d, align)) return false;
    const uint32_t row = map->box[0] * tensor_type_bytes(map->type);
    return row % ALIGN == 0 && (map->interleave || !map->swizzle || row <= 16u << map->swizzle) && elements_bytes(map) <= MOST_BYTES;
}

/* The hardware's number of a type, with TF32 << 4. */
static const uint8_t type_codes[TENSOR_MAP_TYPES] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7 | 1 << 4, 8 | 1 << 4};

static uint64_t units(const tensor_map *map, unsigned d) { return d < map->rank ? map->stride[d] / UNIT : 0; }
static uint64_t less_one(const tensor_map *map, unsigned d) { return d < map->rank ? map->dim[d] - 1 : 0; }

static uint64_t pack_corners(const tensor_map *map) {
    const unsigned bits = corner_bits(map);
    uint64_t word = (map->pixels - 1ull) << PIXELS;
    for (unsigned d = 0; d < dimensions_of_image(map); d++)
        word |= ((uint64_t)map->low[d] & ((1u << bits) - 1)) << d * bits | ((uint64_t)map->high[d] & ((1u << bits) - 1)) << (UPPER + d * bits);
    return word;
}
static int32_t signed_bits(uint64_t word, unsigned at, unsigned bits) { return (int32_t)((uint32_t)(word >> at) << (32 - bits)) >> (32 - bits); }
static void unpack_corners(uint64_t word, tensor_map *map) {
    const unsigned bits = corner_bits(map);
    map->pixels = (uint32_t)(word >> PIXELS & (MOST_PIXELS - 1)) + 1;
    for (unsigned d = 0; d < dimensions_of_image(map); d++) {
        map->low[d] = signed_bits(word, d * bits, bits);
        map->high[d] = signed_bits(word, UPPER + d * bits, bits);
    }
}

void tensor_map_pack(const tensor_map *map, uint8_t out[TENSOR_MAP_BYTES]) {
    static const uint64_t period[] = {16, 256, 512, 1024};
    uint64_t w[WORDS] = {map->address}, code = type_codes[map->type], bytes = tensor_type_bytes(map->type);
    w[1] = (uint64_t)map->im2col << IM2COL | (uint64_t)(map->rank - 1u) << RANK | (code & 15) << TYPE | (uint64_t)map->interleave << INTERLEAVE | (uint64_t)map->swizzle << SWIZZLE |
           (uint64_t)map->fill << FILL | code >> 4 << TF32 | (uint64_t)map->promotion << PROMOTION;
    w[1] |= units(map, 1) << 32;
    w[2] = (units(map, 2) & UINT32_MAX) | units(map, 3) << 32;
    w[3] = units(map, 4) & UINT32_MAX;
    w[4] = less_one(map, 0) | less_one(map, 1) << 32;
    w[5] = less_one(map, 2) | less_one(map, 3) << 32;
    w[6] = less_one(map, 4) | (map->box[0] - 1ull) << 56;
    for (unsigned d = 0; d < map->rank; d++) {
        if (d) w[3] |= (units(map, d) >> 32 & 15) << (28 + 4 * d);
        w[6] |= (map->step[d] - 1ull) << (32 + 3 * d);
        if (map->im2col) continue;
        if (d) w[7] |= (map->box[d] - 1ull) << 8 * (d - 1);
        bytes *= map->box[d] / map->step[d];
    }
    if (map->im2col) {
        w[7] = pack_corners(map);
        bytes *= map->box[0] * map->pixels;
    }
    w[8] = bytes;
    w[9] = period[map->swizzle & 3];
    memcpy(out, w, TENSOR_MAP_BYTES);
}

bool tensor_map_unpack(const uint8_t in[TENSOR_MAP_BYTES], tensor_map *map) {
    uint64_t w[WORDS];
    memcpy(w, in, sizeof w);
    uint32_t code = (uint32_t)(w[1] >> TYPE & 15) | (uint32_t)(w[1] >> TF32 & 1) << 4;
    *map = (tensor_map){.address = w[0], .rank = (uint8_t)((w[1] >> RANK & 7) + 1), .interleave = w[1] >> INTERLEAVE & 3, .swizzle = w[1] >> SWIZZLE & 3,
                        .fill = w[1] >> FILL & 1, .promotion = w[1] >> PROMOTION & 3, .im2col = w[1] >> IM2COL & 1};
    while (map->type < TENSOR_MAP_TYPES && type_codes[map->type] != code) map->type++;
    if (map->type == TENSOR_MAP_TYPES || map->rank > TENSOR_DIMS || map->interleave == 3 || (w[1] & UINT32_MAX) >> (PROMOTION + 2) || w[1] & 14) return false;
    if (map->im2col && map->rank < 3) return false;
    if (map->im2col) unpack_corners(w[7], map);
    const uint64_t strides[] = {0, w[1] >> 32, w[2] & UINT32_MAX, w[2] >> 32, w[3] & UINT32_MAX};
    const uint64_t dims[] = {w[4] & UINT32_MAX, w[4] >> 32, w[5] & UINT32_MAX, w[5] >> 32, w[6] & UINT32_MAX};
    for (unsigned d = 0; d < map->rank; d++) {
        map->dim[d] = dims[d] + 1;
        map->stride[d] = d ? (strides[d] | (w[3] >> (28 + 4 * d) & 15) << 32) * UNIT : tensor_type_bytes(map->type);
        map->step[d] = (uint32_t)(w[6] >> (32 + 3 * d) & 7) + 1;
        if (!d || !map->im2col) map->box[d] = (d ? (uint32_t)(w[7] >> 8 * (d - 1) & 255) : (uint32_t)(w[6] >> 56)) + 1;
    }
    return true;
}

uint32_t tensor_map_count(const tensor_map *map, unsigned dim) {
    if (dim >= map->rank || (map->interleave && dim == map->rank - 2u)) return 1;
    return dim == 0 && !map->interleave ? map->box[0] : (map->box[dim] + map->step[dim] - 1) / map->step[dim];
}

uint32_t tensor_map_row_bytes(const tensor_map *map) { return map->interleave ? 16u * map->interleave : map->box[0] * tensor_type_bytes(map->type); }

uint64_t tensor_map_rows(const tensor_map *map) {
    if (map->im2col) return map->pixels;
    uint64_t rows = 1;
    for (unsigned d = tensor_map_image(map); d < map->rank; d++) rows *= tensor_map_count(map, d);
    return rows;
}

uint64_t tensor_map_box_bytes(const tensor_map *map) { return tensor_map_rows(map) * tensor_map_row_bytes(map); }

uint32_t tensor_map_pitch(const tensor_map *map) { return map->swizzle && !map->interleave ? 16u << map->swizzle : tensor_map_row_bytes(map); }

uint64_t tensor_map_place_bytes(const tensor_map *map) { return tensor_map_rows(map) * tensor_map_pitch(map); }
