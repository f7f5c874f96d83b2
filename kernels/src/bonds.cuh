// The pricing formula, once for all kernels. See bonds.h for the model.
#ifndef WK_BONDS_CUH
#define WK_BONDS_CUH

static __device__ __forceinline__ float bond_present_value(float face, float years, float rate) {
    return face * expf(-rate * years);
}

#endif
