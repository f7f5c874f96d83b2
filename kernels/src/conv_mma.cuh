// Instructions of tensor cores and of shared memory that CUDA C++ has no names for, and a float as a sum of
// two halves. For compute capability 8.0 and newer.
#ifndef WK_CONV_MMA_CUH
#define WK_CONV_MMA_CUH

#include <cuda_fp16.h>
#include <stdint.h>

// d = a b + c, a: 16 x 16 halves, b: 16 x 8 halves.
static __device__ __forceinline__ void mma(float *d, const uint4 &a, uint32_t b0, uint32_t b1, const float *c) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

// Two or four 8 x 8 matrices of halves; lane i gives the address of row i.
static __device__ __forceinline__ void load_matrices(uint32_t at, uint32_t (&m)[4]) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "r"(at)
                 : "memory");
}
static __device__ __forceinline__ void load_matrices(uint32_t at, uint32_t (&m)[2]) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(m[0]), "=r"(m[1]) : "r"(at) : "memory");
}

// Shared memory by 32-bit addresses, which take one register and no arithmetic.
static __device__ __forceinline__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
static __device__ __forceinline__ uint4 shared_load(uint32_t at) {
    uint4 v;
    asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at) : "memory");
    return v;
}
static __device__ __forceinline__ void shared_store(uint32_t at, uint2 v) {
    asm volatile("st.shared.v2.b32 [%0], {%1,%2};" ::"r"(at), "r"(v.x), "r"(v.y) : "memory");
}
static __device__ __forceinline__ void shared_store_if(bool wanted, uint32_t at, uint32_t v) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.shared.b32 [%0], %1; }" ::"r"(at), "r"(v), "r"((int)wanted)
                 : "memory");
}

// A value that stays in its register: what comes out of a shuffle is not computed again in every step of a
// loop, as ptxas does with addresses to save registers.
static __device__ __forceinline__ uint32_t kept(uint32_t v) { return __shfl_xor_sync(~0u, v, 0); }
static __device__ __forceinline__ int64_t kept(int64_t v) { return __shfl_xor_sync(~0u, v, 0); }

// Two floats as a pair of halves, and what these leave as another.
static __device__ __forceinline__ void split(float a, float b, uint32_t &high, uint32_t &low) {
    const __half2 h = __floats2half2_rn(a, b);
    const float2 f = __half22float2(h);
    const __half2 l = __floats2half2_rn(a - f.x, b - f.y);
    high = *(const uint32_t *)&h, low = *(const uint32_t *)&l;
}

// NaN when one of them is.
static __device__ __forceinline__ float max_magnitude(float m, float x) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(m), "f"(fabsf(x)));
    return r;
}

#endif
