/* Tensor maps: what TMA copies tiles of a tensor by. */
#include "cudadrv/driver.h"
#include "engine/tensor_map.h"

enum { ALIGN = 16, ALIGN_32B = 32, MOST_BOX = 256, MOST_STEP = 8 };

static bool dimension_fits(uint64_t dim, uint32_t box, uint32_t step) {
    return dim && dim <= UINT64_C(1) << 32 && box && box <= MOST_BOX && step && step <= MOST_STEP;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                                const unsigned *box, const unsigned *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    const uint64_t align = interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? ALIGN_32B : ALIGN;
    if (!map || !dims || !box || !steps || (unsigned)type >= TENSOR_MAP_TYPES || rank < 1 || rank > TENSOR_DIMS || (rank > 1 && !strides)) return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned)swizzle > CU_TENSOR_MAP_SWIZZLE_128B || (unsigned)promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B || (unsigned)fill > 1) return CUDA_ERROR_INVALID_VALUE;
    if (fill && type < CU_TENSOR_MAP_DATA_TYPE_FLOAT16) return CUDA_ERROR_INVALID_VALUE;
    if (interleave) return CUDA_ERROR_NOT_SUPPORTED; /* channels in slices of 16 or 32 bytes */
    if ((uintptr_t)address % align) return CUDA_ERROR_INVALID_VALUE;
    tensor_map m = {.address = (uintptr_t)address, .type = (uint8_t)type, .rank = (uint8_t)rank, .interleave = (uint8_t)interleave,
                    .swizzle = (uint8_t)swizzle, .promotion = (uint8_t)promotion, .fill = (uint8_t)fill};
    const uint32_t element = tensor_type_bytes(m.type);
    m.stride[0] = element;
    for (unsigned d = 0; d < rank; d++) {
        if (!dimension_fits(dims[d], box[d], steps[d])) return CUDA_ERROR_INVALID_VALUE;
        m.dim[d] = dims[d];
        m.box[d] = box[d];
        m.step[d] = steps[d];
        if (!d) continue;
        if (strides[d - 1] % align || strides[d - 1] >> 40) return CUDA_ERROR_INVALID_VALUE;
        m.stride[d] = strides[d - 1];
    }
    uint32_t row = box[0] * element;
    if (row % ALIGN || (swizzle && row > 16u << swizzle)) return CUDA_ERROR_INVALID_VALUE;
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
