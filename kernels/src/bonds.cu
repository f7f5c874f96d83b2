// Pricing, bond by bond. Over the struct of arrays every field is one coalesced access; over the array of
// structs a thread reads its record's half, and each access of a warp touches 32 sectors.
#include <warpkernels/bonds.h>
#include <warpkernels/map.cuh>

#include "bonds.cuh"
#include "internal.cuh"

// --- struct of arrays ------------------------------------------------------------

struct total_rate_op {
    __device__ void operator()(const float *in, float *out) const { out[0] = in[0] + in[1]; }
};

struct present_value_op {
    __device__ void operator()(const float *in, float *out) const {
        out[0] = bond_present_value(in[0], in[1], in[2] + in[3]);
    }
};

struct price_op {
    __device__ void operator()(const float *in, float *out) const {
        const float rate = in[2] + in[3];
        out[0] = bond_present_value(in[0], in[1], rate);
        out[1] = rate;
        out[2] = in[1];
    }
};

struct yield_op {
    __device__ void operator()(const float *in, float *out) const { out[0] = logf(in[0] / in[1]) / in[2]; }
};

struct weight_op {
    const double *value;
    __device__ void operator()(const float *in, float *out) const {
        out[0] = (float)((double)in[0] / __ldg(value));
    }
};

extern "C" wk_status wk_bonds_total_rate_soa(const wk_bonds *bonds, int64_t n, float *out,
                                             cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    return wk_map<2, 1, float>(total_rate_op{}, {{bonds->risk_free_rate, bonds->credit_spread}}, {{out}}, n,
                               stream);
}

extern "C" wk_status wk_bonds_present_value_soa(const wk_bonds *bonds, int64_t n, float *out,
                                                cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    return wk_map<4, 1, float>(
        present_value_op{},
        {{bonds->face_value, bonds->time_to_maturity, bonds->risk_free_rate, bonds->credit_spread}}, {{out}},
        n, stream);
}

extern "C" wk_status wk_bonds_price_soa(const wk_bonds *bonds, int64_t n, cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    return wk_map<4, 3, float>(
        price_op{},
        {{bonds->face_value, bonds->time_to_maturity, bonds->risk_free_rate, bonds->credit_spread}},
        {{bonds->present_value, bonds->yield_to_maturity, bonds->duration}}, n, stream);
}

extern "C" wk_status wk_bonds_yield_soa(const wk_bonds *bonds, int64_t n, cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    return wk_map<3, 1, float>(yield_op{},
                               {{bonds->face_value, bonds->present_value, bonds->time_to_maturity}},
                               {{bonds->yield_to_maturity}}, n, stream);
}

extern "C" wk_status wk_bonds_weights_soa(const wk_bonds *bonds, int64_t n, const double *value,
                                          cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    WK_TRY(wk_check_array(value, 1));
    return wk_map<1, 1, float>(weight_op{value}, {{bonds->present_value}}, {{bonds->portfolio_weight}}, n,
                               stream);
}

// --- array of structs ------------------------------------------------------------

enum { BOND_THREADS = 256 };

// Half a record, as one 16-byte access where the array allows it.
struct alignas(16) bond_half {
    float v[4];
};

template <bool VECTOR> static __device__ __forceinline__ bond_half load_half(const float *p) {
    bond_half h;
    if (VECTOR) {
        const float4 x = *(const float4 *)p;
        h.v[0] = x.x, h.v[1] = x.y, h.v[2] = x.z, h.v[3] = x.w;
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) h.v[i] = p[i];
    }
    return h;
}

enum bond_work { TOTAL_RATE, PRESENT_VALUE };

template <bond_work WORK, bool VECTOR>
__global__ void __launch_bounds__(BOND_THREADS)
    wk_bonds_aos_kernel(const wk_bond *bonds, int64_t n, float *out) {
    const int64_t stride = (int64_t)gridDim.x * BOND_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * BOND_THREADS + threadIdx.x; i < n; i += stride) {
        if (WORK == TOTAL_RATE) {
            out[i] = bonds[i].risk_free_rate + bonds[i].credit_spread;
        } else {
            const bond_half terms = load_half<VECTOR>(&bonds[i].face_value);
            out[i] = bond_present_value(terms.v[0], terms.v[1], terms.v[2] + terms.v[3]);
        }
    }
}

// The second half of a record is read too, though only its weight is kept: its sector comes
// with the first half, and one whole store replaces three.
template <bool VECTOR>
__global__ void __launch_bounds__(BOND_THREADS) wk_bonds_price_aos_kernel(wk_bond *bonds, int64_t n) {
    const int64_t stride = (int64_t)gridDim.x * BOND_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * BOND_THREADS + threadIdx.x; i < n; i += stride) {
        const bond_half terms = load_half<VECTOR>(&bonds[i].face_value);
        const float rate = terms.v[2] + terms.v[3];
        const float value = bond_present_value(terms.v[0], terms.v[1], rate);
        if (VECTOR) {
            *(float4 *)&bonds[i].present_value =
                make_float4(value, rate, terms.v[1], bonds[i].portfolio_weight);
        } else {
            bonds[i].present_value = value;
            bonds[i].yield_to_maturity = rate;
            bonds[i].duration = terms.v[1];
        }
    }
}

template <bond_work WORK>
static wk_status launch_aos(const wk_bond *bonds, int64_t n, float *out, cudaStream_t stream) {
    WK_TRY(wk_check_array(bonds, n));
    WK_TRY(wk_check_array(out, n));
    if (wk_overlap(bonds, n * (int64_t)sizeof *bonds, out, n * (int64_t)sizeof *out)) return WK_ERROR_OVERLAP;
    if (n == 0) return WK_SUCCESS;
    return wk_launch_kernel(wk_aligned16(bonds) ? wk_bonds_aos_kernel<WORK, true>
                                                : wk_bonds_aos_kernel<WORK, false>,
                            wk_grid(n, BOND_THREADS), BOND_THREADS, 0, stream, bonds, n, out);
}

extern "C" wk_status wk_bonds_total_rate_aos(const wk_bond *bonds, int64_t n, float *out,
                                             cudaStream_t stream) {
    return launch_aos<TOTAL_RATE>(bonds, n, out, stream);
}

extern "C" wk_status wk_bonds_present_value_aos(const wk_bond *bonds, int64_t n, float *out,
                                                cudaStream_t stream) {
    return launch_aos<PRESENT_VALUE>(bonds, n, out, stream);
}

extern "C" wk_status wk_bonds_price_aos(wk_bond *bonds, int64_t n, cudaStream_t stream) {
    WK_TRY(wk_check_array(bonds, n));
    if (n == 0) return WK_SUCCESS;
    return wk_launch_kernel(wk_aligned16(bonds) ? wk_bonds_price_aos_kernel<true>
                                                : wk_bonds_price_aos_kernel<false>,
                            wk_grid(n, BOND_THREADS), BOND_THREADS, 0, stream, bonds, n);
}
