/* Tensor maps: what TMA copies tiles of a tensor by. */
#include "cudadrv/driver.h"
#include "engine/tensor_map.h"

enum { ALIGN = 16, ALIGN_32B = 32 };

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                const unsigned *box, const unsigned *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    if (!map || !dims || !box || !steps || rank < 1 || rank > TENSOR_DIMS || (rank > 1 && !strides)) return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned)type >= TENSOR_MAP_TYPES || (unsigned)interleave > UINT8_MAX || (unsigned)swizzle > UINT8_MAX || (unsigned)promotion > UINT8_MAX || (unsigned)fill > 1)
        return CUDA_ERROR_INVALID_VALUE;
    tensor_map m = {.address = (uintptr_t)address, .type = (uint8_t)type, .rank = (uint8_t)rank, .interleave = (uint8_t)interleave,
                    .swizzle = (uint8_t)swizzle, .promotion = (uint8_t)promotion, .fill = (uint8_t)fill};
    for (unsigned d = 0; d < rank; d++) {
        m.dim[d] = dims[d];
        m.box[d] = box[d];
        m.step[d] = steps[d];
        m.stride[d] = d ? strides[d - 1] : tensor_type_bytes(m.type);
    }
    if (!tensor_map_valid(&m)) return CUDA_ERROR_INVALID_VALUE;
    if (interleave) return CUDA_ERROR_NOT_SUPPORTED; /* channels in slices of 16 or 32 bytes */
    tensor_map_pack(&m, (uint8_t *)map->opaque);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
    tensor_map m;
    if (!map || !tensor_map_unpack((const uint8_t *)map->opaque, &m)) return CUDA_ERROR_INVALID_VALUE;
    if ((uintptr_t)address % (m.interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? ALIGN_32B : ALIGN)) return CUDA_ERROR_INVALID_VALUE;
    m.address = (uintptr_t)address;
    tensor_map_pack(&m, (uint8_t *)map->opaque);
    return CUDA_SUCCESS;
}
