/* Kernels to be read, not run: build a cubin and look at the strides in the machine code.
 *
 *   nvcc -arch=sm_80 -cubin -lineinfo sass_evidence.cu && warpgrind sass --list sass_evidence.cubin
 *
 * The layout shows in the multiplier of the address: 4 bytes a lane where each field is an array,
 * 32 bytes where a record is, with the fields at +0x8 and +0xc; the store steps 4 in both. */
struct Bond {
    float face_value, time_to_maturity, risk_free_rate, credit_spread;
    float present_value, yield_to_maturity, duration, portfolio_weight;
};

__global__ void rates_from_arrays(float *out, const float *rate, const float *spread, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = rate[i] + spread[i];
}

__global__ void rates_from_records(const Bond *bonds, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = bonds[i].risk_free_rate + bonds[i].credit_spread;
}
