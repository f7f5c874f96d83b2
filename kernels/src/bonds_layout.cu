// Array of structs to struct of arrays and back. A warp turns 128 records (4 KiB) over in shared memory,
// so that both sides move 16 bytes a lane, contiguous over the warp. Warps need no one else: no barrier of
// the block.
#include <warpkernels/bonds.h>

#include "internal.cuh"

enum {
    FIELDS = 8,
    LAYOUT_THREADS = 256,
    LAYOUT_WARPS = LAYOUT_THREADS / 32,
    TILE_RECORDS = 128, // of a warp: four of each field a lane
    // Words from one field to the next in shared memory. Half a record is written by each lane: even lanes
    // bring fields 0-3, odd lanes 4-7, and 4 * 132 = 16 (mod 32) puts them on different banks.
    // A multiple of 4, so that four records of a field are one aligned 16-byte access.
    FIELD_STEP = TILE_RECORDS + 4,
};

struct field_arrays {
    float *p[FIELDS];
};

// Copies between a tile in shared memory (fields apart) and the records in memory.
template <bool VECTOR, bool STORE>
static __device__ __forceinline__ void move_records(float *tile, wk_bond *records, int lane) {
    if (VECTOR) {
        float4 x[8];
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const int half = k * 32 + lane, record = half / 2, field = half % 2 * 4;
            float *column = tile + field * FIELD_STEP + record;
            if (STORE) {
                x[k].x = column[0 * FIELD_STEP];
                x[k].y = column[1 * FIELD_STEP];
                x[k].z = column[2 * FIELD_STEP];
                x[k].w = column[3 * FIELD_STEP];
                ((float4 *)records)[half] = x[k];
            } else {
                x[k] = ((const float4 *)records)[half];
            }
        }
        if (!STORE) {
#pragma unroll
            for (int k = 0; k < 8; k++) {
                const int half = k * 32 + lane, record = half / 2, field = half % 2 * 4;
                float *column = tile + field * FIELD_STEP + record;
                column[0 * FIELD_STEP] = x[k].x;
                column[1 * FIELD_STEP] = x[k].y;
                column[2 * FIELD_STEP] = x[k].z;
                column[3 * FIELD_STEP] = x[k].w;
            }
        }
    } else {
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            const int word = k * 32 + lane;
            float *at = tile + word % FIELDS * FIELD_STEP + word / FIELDS;
            if (STORE)
                ((float *)records)[word] = *at;
            else
                *at = ((const float *)records)[word];
        }
    }
}

// Copies between a tile in shared memory and the eight arrays, from record `first` on.
template <bool VECTOR, bool STORE>
static __device__ __forceinline__ void move_fields(float *tile, const field_arrays &arrays, int64_t first,
                                                   int lane) {
    if (VECTOR) {
        float4 x[FIELDS];
#pragma unroll
        for (int f = 0; f < FIELDS; f++) {
            float4 *shared = (float4 *)(tile + f * FIELD_STEP) + lane;
            float4 *global = (float4 *)(arrays.p[f] + first) + lane;
            if (STORE)
                *global = *shared;
            else
                x[f] = *global;
        }
        if (!STORE) {
#pragma unroll
            for (int f = 0; f < FIELDS; f++) ((float4 *)(tile + f * FIELD_STEP))[lane] = x[f];
        }
    } else {
#pragma unroll
        for (int f = 0; f < FIELDS; f++) {
#pragma unroll
            for (int k = 0; k < TILE_RECORDS; k += 32) {
                float *at = tile + f * FIELD_STEP + k + lane;
                if (STORE)
                    arrays.p[f][first + k + lane] = *at;
                else
                    *at = arrays.p[f][first + k + lane];
            }
        }
    }
}

// TO_ARRAYS gives the direction. Records beyond the last whole tile go one by one.
template <bool TO_ARRAYS, bool ARRAYS_VECTOR, bool RECORDS_VECTOR>
__global__ void __launch_bounds__(LAYOUT_THREADS)
    wk_bonds_layout_kernel(wk_bond *records, field_arrays arrays, int64_t n) {
    __shared__ __align__(16) float tiles[LAYOUT_WARPS][FIELDS * FIELD_STEP];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float *tile = tiles[warp];

    const int64_t step = (int64_t)gridDim.x * LAYOUT_WARPS * TILE_RECORDS;
    int64_t first = ((int64_t)blockIdx.x * LAYOUT_WARPS + warp) * TILE_RECORDS;
    for (; first + TILE_RECORDS <= n; first += step) {
        if (TO_ARRAYS)
            move_records<RECORDS_VECTOR, false>(tile, records + first, lane);
        else
            move_fields<ARRAYS_VECTOR, false>(tile, arrays, first, lane);
        __syncwarp();
        if (TO_ARRAYS)
            move_fields<ARRAYS_VECTOR, true>(tile, arrays, first, lane);
        else
            move_records<RECORDS_VECTOR, true>(tile, records + first, lane);
        __syncwarp(); // before the tile is filled again
    }
    for (int64_t i = first + lane; i < n; i += 32) {
        float *record = (float *)(records + i);
#pragma unroll
        for (int f = 0; f < FIELDS; f++) {
            if (TO_ARRAYS)
                arrays.p[f][i] = record[f];
            else
                record[f] = arrays.p[f][i];
        }
    }
}

template <bool TO_ARRAYS>
static wk_status convert(wk_bond *records, const wk_bonds *bonds, int64_t n, cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    const field_arrays arrays = {{bonds->face_value, bonds->time_to_maturity, bonds->risk_free_rate,
                                  bonds->credit_spread, bonds->present_value, bonds->yield_to_maturity,
                                  bonds->duration, bonds->portfolio_weight}};
    WK_TRY(wk_check_array(records, n));
    bool vector = true;
    for (int f = 0; f < FIELDS; f++) {
        const int64_t bytes = n * (int64_t)sizeof(float);
        WK_TRY(wk_check_array(arrays.p[f], n));
        if (wk_overlap(arrays.p[f], bytes, records, n * (int64_t)sizeof *records)) return WK_ERROR_OVERLAP;
        for (int g = 0; TO_ARRAYS && g < f; g++)
            if (wk_overlap(arrays.p[f], bytes, arrays.p[g], bytes)) return WK_ERROR_OVERLAP;
        vector &= wk_aligned16(arrays.p[f]);
    }
    if (n == 0) return WK_SUCCESS;
    auto kernel = wk_aligned16(records) ? (vector ? wk_bonds_layout_kernel<TO_ARRAYS, true, true>
                                                  : wk_bonds_layout_kernel<TO_ARRAYS, false, true>)
                                        : (vector ? wk_bonds_layout_kernel<TO_ARRAYS, true, false>
                                                  : wk_bonds_layout_kernel<TO_ARRAYS, false, false>);
    return wk_launch_kernel(kernel, wk_grid(n, LAYOUT_WARPS * TILE_RECORDS), LAYOUT_THREADS, 0, stream,
                            records, arrays, n);
}

extern "C" wk_status wk_bonds_aos_to_soa(const wk_bond *in, int64_t n, const wk_bonds *out,
                                         cudaStream_t stream) {
    return convert<true>((wk_bond *)in, out, n, stream);
}

extern "C" wk_status wk_bonds_soa_to_aos(const wk_bonds *in, int64_t n, wk_bond *out, cudaStream_t stream) {
    return convert<false>(out, in, n, stream);
}
