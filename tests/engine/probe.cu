/* One operation a kernel, on words: test_families.c has the host's answer to each. */
#include <cstdint>
#include <cuda_fp16.h>

typedef unsigned u32;
typedef unsigned long long u64;
#define TEST(name, type, ...)                                                                        \
    extern "C" __global__ void name(const u32 *pa, const u32 *pb, const u32 *pc, type *out) {       \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                               \
        u32 a = pa[i], b = pb[i], c = pc[i];                                                         \
        u64 ab = (u64)b << 32 | a, ca = (u64)a << 32 | c;                                            \
        float fa = __uint_as_float(a), fb = __uint_as_float(b), fc = __uint_as_float(c);             \
        double da = __longlong_as_double(ab), db = __longlong_as_double(ca);                         \
        (void)c, (void)ab, (void)ca, (void)fa, (void)fb, (void)fc, (void)da, (void)db;               \
        out[i] = __VA_ARGS__;                                                                        \
    }
TEST(i_add64, u64, ab + ca)
TEST(i_sub64, u64, ab - ca)
TEST(i_mul64, u64, ab * ca)
TEST(i_mulhi64, u64, __umul64hi(ab, ca))
TEST(i_div64, u64, ab / (ca | 1))
TEST(i_rem32, u32, (u32)((int)a % (int)(b | 1)))
TEST(i_udiv32, u32, a / (b | 1))
TEST(i_mulhi, u32, __umulhi(a, b))
TEST(i_smulhi, u32, (u32)__mulhi((int)a, (int)b))
TEST(i_wide, u64, (u64)((long long)(int)a * (int)b + (long long)ca))
TEST(i_shl64, u64, ab << (c & 63))
TEST(i_shr64, u64, ab >> (c & 63))
TEST(i_sar64, u64, (u64)((long long)ab >> (c & 63)))
TEST(i_funnel, u32, __funnelshift_l(a, b, c) ^ __funnelshift_rc(a, b, c))
TEST(i_prmt, u32, __byte_perm(a, b, c) ^ __byte_perm(a, b, 0x2f71))
TEST(i_bits, u32, __popc(a) | __clz(b) << 8 | __ffs(c) << 16)
TEST(i_brev, u32, __brev(a))
TEST(i_minmax, u32, (u32)min((int)a, (int)b) ^ max(a, c))
TEST(i_logic, u32, ((a & b) | (~b & c)) ^ (a | ~c))
TEST(i_sad, u32, __sad((int)a, (int)b, c) ^ __usad(a, b, c))
TEST(i_dp4a, u32, (u32)__dp4a((int)a, (int)b, (int)c))
TEST(i_cmp64, u32, (ab < ca) | ((long long)ab < (long long)ca) << 1 | (ab == ca) << 2 | ((long long)ab >= (long long)ca) << 3)
TEST(i_abs, u32, (u32)abs((int)a))
TEST(i_sel, u32, (int)a < 0 ? b + c : b - c)
TEST(f_add_rn, float, __fadd_rn(fa, fb))
TEST(f_add_rz, float, __fadd_rz(fa, fb))
TEST(f_add_ru, float, __fadd_ru(fa, fb))
TEST(f_add_rd, float, __fadd_rd(fa, fb))
TEST(f_mul_rn, float, __fmul_rn(fa, fb))
TEST(f_mul_rz, float, __fmul_rz(fa, fb))
TEST(f_mul_ru, float, __fmul_ru(fa, fb))
TEST(f_mul_rd, float, __fmul_rd(fa, fb))
TEST(f_fma_rn, float, __fmaf_rn(fa, fb, fc))
TEST(f_fma_rz, float, __fmaf_rz(fa, fb, fc))
TEST(f_fma_ru, float, __fmaf_ru(fa, fb, fc))
TEST(f_fma_rd, float, __fmaf_rd(fa, fb, fc))
TEST(f_fnma, float, __fmaf_rn(-fa, fb, -fc))
TEST(f_div, float, __fdiv_rn(fa, fb))
TEST(f_sqrt, float, __fsqrt_rn(fabsf(fa)))
TEST(f_sat, float, __saturatef(fa + fb))
TEST(f_min, float, fminf(fa, fb))
TEST(f_max, float, fmaxf(fa, fb))
TEST(f_cmp, u32, (fa < fb) | (fa <= fb) << 1 | (fa == fb) << 2 | (fa != fb) << 3 | !(fa < fb) << 4 | !(fa >= fc) << 5)
TEST(d_add, double, da + db)
TEST(d_mul_ru, double, __dmul_ru(da, db))
TEST(d_fma_rd, double, __fma_rd(da, db, da))
TEST(d_fma, double, __fma_rn(da, db, db))
TEST(d_cmp, u32, (da < db) | (da >= db) << 1 | (da == db) << 2 | (da != db) << 3)
TEST(c_f2i, u32, (u32)__float2int_rz(fa) ^ (u32)__float2int_rn(fb))
TEST(c_f2u, u32, __float2uint_rd(fa) ^ __float2uint_ru(fb))
TEST(c_f2ll, u64, (u64)__float2ll_rn(fa) ^ __float2ull_rz(fb))
TEST(c_d2i, u64, (u64)(u32)__double2int_rn(da) << 32 | __double2uint_rz(db))
TEST(c_i2f, float, __int2float_rn((int)a))
TEST(c_u2f_rz, float, __uint2float_rz(a))
TEST(c_ll2f, float, __ll2float_rn((long long)ab))
TEST(c_ull2f_ru, float, __ull2float_ru(ab))
TEST(c_i2d, double, (double)(int)a + (double)b)
TEST(c_ll2d, double, __ll2double_rn((long long)ab))
TEST(c_d2f, float, __double2float_rn(da))
TEST(c_d2f_rz, float, __double2float_rz(da))
TEST(c_f2d, double, (double)fa)
TEST(c_round, float, floorf(fa) + rintf(fb))
TEST(h_of_f, u32, __half_as_ushort(__float2half_rn(fa)) | (u32)__half_as_ushort(__float2half_rz(fb)) << 16)
TEST(h_to_f, float, __half2float(__ushort_as_half((unsigned short)a)))
TEST(h_fma, u32, __half_as_ushort(__hfma(__ushort_as_half((unsigned short)a), __ushort_as_half((unsigned short)b), __ushort_as_half((unsigned short)c))))
TEST(h_add, u32, __half_as_ushort(__hadd(__ushort_as_half((unsigned short)a), __ushort_as_half((unsigned short)b))))

/* --- warps and blocks --------------------------------------------------------------------------- */
TEST(w_shfl, u32, __shfl_sync(~0u, a, (int)(b & 31)) ^ __shfl_up_sync(~0u, b, 3) ^ __shfl_xor_sync(~0u, c, 5) ^ __shfl_down_sync(~0u, a, 7, 16))
TEST(w_vote, u32, __ballot_sync(~0u, a & 1) ^ (u32)__any_sync(~0u, (b & 63) == 0) ^ (u32)__all_sync(~0u, c != 0) << 1)
TEST(w_match, u32, __match_any_sync(~0u, a & 3))
TEST(w_redux, u32, __reduce_add_sync(~0u, a) ^ __reduce_min_sync(~0u, b) ^ (u32)__reduce_max_sync(~0u, (int)c) ^ __reduce_xor_sync(~0u, a))
TEST(b_count, u32, (u32)__syncthreads_count((int)(a & 1)) | (u32)__syncthreads_and((int)(b != 0)) << 16 | (u32)__syncthreads_or(c == 1) << 20)

extern "C" __global__ void d_loops(const u32 *pa, u32 *out) { /* lanes leave at different times, and come together */
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 x = pa[i], n = 0;
    while (x != 1 && n < 200) {
        if (x & 1) x = 3 * x + 1;
        else x >>= 1;
        if (x % 7 == 3) { n += 5; continue; }
        n++;
    }
    out[i] = n + __popc(__ballot_sync(~0u, n > 50));
}
__device__ __noinline__ u32 ackermann(u32 m, u32 n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void d_calls(const u32 *pa, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = ackermann(pa[i] & 1, pa[i] >> 1 & 3);
}
extern "C" __global__ void d_switch(const u32 *pa, u32 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 x = pa[i], r;
    switch (x & 15) {
    case 0: r = x * 3; break;
    case 1: r = x ^ 0x55; break;
    case 2: r = __popc(x); break;
    case 3: r = x / 7; break;
    case 4: r = x % 11; break;
    case 5: r = ~x; break;
    case 6: r = x << 3; break;
    case 7: r = x >> 5; break;
    case 8: r = x + 1234; break;
    default: r = 9;
    }
    out[i] = r;
}
extern "C" __global__ void d_lock(u32 *lock, u32 *out) { /* a lock that lanes of one warp take from each other */
    bool done = false;
    while (!done)
        if (atomicCAS(lock, 0u, 1u) == 0) {
            *(volatile u32 *)out = *(volatile u32 *)out + 1;
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
}
extern "C" __global__ void d_spin(u32 *lock, u32 *out) { /* the winner leaves the loop before it gives the lock back */
    while (atomicCAS(lock, 0u, 1u) != 0) {}
    *(volatile u32 *)out = *(volatile u32 *)out + 1;
    __threadfence();
    atomicExch(lock, 0u);
}
extern "C" __global__ void d_blocks(volatile u32 *count, u32 *out) { /* every block waits for all others */
    if (threadIdx.x == 0) {
        atomicAdd((u32 *)count, 1u);
        while (*count < gridDim.x) {}
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *count;
}
extern "C" __global__ void d_deadlock(u32 *out) {
    if (threadIdx.x < 32) __syncwarp();
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 96;");
    else asm volatile("bar.sync 2, 96;");
    out[threadIdx.x] = 1;
}
extern "C" __global__ void d_local(const u32 *pa, u32 *out) {
    u32 v[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++) v[(k * 5 + pa[i]) & 15] = pa[i] + k;
    out[i] = v[pa[i] >> 4 & 15] - v[pa[i] >> 8 & 15];
}
