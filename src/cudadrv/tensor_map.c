/* Tensor maps: what TMA copies tiles and pixels of a tensor by. */
#include "cudadrv/driver.h"
#include "engine/tensor_map.h"

enum { ALIGN = 16, ALIGN_32B = 32 };

/* What both encoders are given. False: more than a map has room for. */
static bool begin_map(tensor_map *m, CUtensorMapDataType type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides, const unsigned *steps,
                      CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    if (!dims || !steps || rank < 1 || rank > TENSOR_DIMS || (rank > 1 && !strides)) return false;
    if ((unsigned)type >= TENSOR_MAP_TYPES || (unsigned)interleave > UINT8_MAX || (unsigned)swizzle > UINT8_MAX || (unsigned)promotion > UINT8_MAX || (unsigned)fill > 1)
        return false;
    *m = (tensor_map){.address = (uintptr_t)address, .type = (uint8_t)type, .rank = (uint8_t)rank, .interleave = (uint8_t)interleave,
                      .swizzle = (uint8_t)swizzle, .promotion = (uint8_t)promotion, .fill = (uint8_t)fill};
    for (unsigned d = 0; d < rank; d++) {
        m->dim[d] = dims[d];
        m->step[d] = steps[d];
        m->stride[d] = d ? strides[d - 1] : tensor_type_bytes(m->type);
    }
    return true;
}
static CUresult finish_map(const tensor_map *m, CUtensorMap *map) {
    if (!tensor_map_valid(m)) return CUDA_ERROR_INVALID_VALUE;
    tensor_map_pack(m, (uint8_t *)map->opaque);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                const unsigned *box, const unsigned *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    tensor_map m;
    if (!map || !box || !begin_map(&m, type, rank, address, dims, strides, steps, interleave, swizzle, promotion, fill)) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned d = 0; d < rank; d++) m.box[d] = box[d];
    return finish_map(&m, map);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                 const int *low, const int *high, unsigned channels, unsigned pixels, const unsigned *steps, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    tensor_map m;
    if (!map || !low || !high || rank < 3 || !begin_map(&m, type, rank, address, dims, strides, steps, interleave, swizzle, promotion, fill)) return CUDA_ERROR_INVALID_VALUE;
    m.im2col = true;
    m.box[0] = channels;
    m.pixels = pixels;
    for (unsigned d = 0; d + 2 < rank; d++) {
        m.low[d] = low[d];
        m.high[d] = high[d];
    }
    return finish_map(&m, map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
    tensor_map m;
    if (!map || !tensor_map_unpack((const uint8_t *)map->opaque, &m)) return CUDA_ERROR_INVALID_VALUE;
    if ((uintptr_t)address % (m.interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? ALIGN_32B : ALIGN)) return CUDA_ERROR_INVALID_VALUE;
    m.address = (uintptr_t)address;
    tensor_map_pack(&m, (uint8_t *)map->opaque);
    return CUDA_SUCCESS;
}
