/* Instructions that the other tests' kernels do not hold. test_isa_coverage.c has the host's answer to each kernel.
 *
 *   VECTOR  on words, one result a thread
 *   UNIFORM on the parameters alone: work that the compiler gives to the uniform datapath */
#include <cstdint>
#include <cuda_fp16.h>

typedef unsigned u32;
typedef unsigned long long u64;
#define VECTOR(name, ...)                                                                            \
    extern "C" __global__ void name(const u32 *pa, const u32 *pb, const u32 *pc, u64 *out) {        \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                               \
        u32 a = pa[i], b = pb[i], c = pc[i];                                                         \
        float fa = __uint_as_float(a), fb = __uint_as_float(b);                                      \
        u64 r = 0;                                                                                   \
        (void)a, (void)b, (void)c, (void)fa, (void)fb;                                                        \
        __VA_ARGS__;                                                                                 \
        out[i] = r;                                                                                  \
    }
#define UNIFORM(name, ...)                                                                           \
    extern "C" __global__ void name(u32 a, u32 b, u32 c, u64 *out) {                                 \
        u64 r = 0;                                                                                   \
        (void)b, (void)c;                                                                            \
        __VA_ARGS__;                                                                                 \
        out[blockIdx.x * blockDim.x + threadIdx.x] = r + threadIdx.x;                                \
    }

/* --- integers, conversions, halves -------------------------------------------------------------- */
VECTOR(v_sad4, { u32 x; asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(x) : "r"(a), "r"(b), "r"(0)); r = x; })
VECTOR(v_sad4_sum, { u32 x; asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(x) : "r"(a), "r"(b), "r"(c)); r = x; })
VECTOR(v_szext, { u32 x, y; asm("szext.wrap.s32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b)); asm("szext.clamp.u32 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(c & 63)); r = (u64)x << 32 | y; })
VECTOR(v_bmsk, { u32 x, y; asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b)); asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(y) : "r"(a & 63), "r"(b & 63)); r = (u64)x << 32 | y; })
VECTOR(v_pack, { u32 x; asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(x) : "r"(a), "r"(b), "r"(c)); r = x; })
VECTOR(v_pack16, { u32 x; asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b)); r = x; })
VECTOR(v_sat8, { u32 x, y; asm("cvt.sat.s8.s32 %0, %1;" : "=r"(x) : "r"(a)); asm("cvt.sat.u16.s32 %0, %1;" : "=r"(y) : "r"(b)); r = (x & 0xff) | (u64)(y & 0xffff) << 32; })
VECTOR(v_fset, { float x; asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(x) : "f"(fa), "f"(fb)); r = __float_as_uint(x); })
VECTOR(v_halves, { __half2 x = *(__half2 *)&a, y = *(__half2 *)&b, z = __hlt2(x, y); u32 w = *(u32 *)&z; r = w | (u64)__hbeq2(x, y) << 32 | (u64)__hbge2(x, y) << 33; })
VECTOR(v_hmul, { __half2 x = __hmul2(*(__half2 *)&a, *(__half2 *)&b); r = *(u32 *)&x; })
VECTOR(v_hchain, { __half2 x = *(__half2 *)&a, y = *(__half2 *)&b, z = *(__half2 *)&c, s = x; for (int k = 0; k < 4; k++) s = __hfma2(s, y, z), y = __hfma2(y, x, z); s = __hadd2(s, y); r = *(u32 *)&s; })
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
VECTOR(v_hminmax, { __half2 x = __hmin2(*(__half2 *)&a, *(__half2 *)&b), y = __hmax2(*(__half2 *)&a, *(__half2 *)&b); r = *(u32 *)&x | (u64)*(u32 *)&y << 32; })
#endif
VECTOR(v_f2d, { double x = (double)fa; long long y = __double2ll_rz(x); double z = rint(x); r = (u64)y ^ (z == z ? (u64)__double_as_longlong(z) : 0); })
VECTOR(v_f2h, { unsigned short h; asm("cvt.rz.f16.f64 %0, %1;" : "=h"(h) : "d"((double)fa)); r = h; })
VECTOR(v_int8, { float x = (float)(signed char)a, y = (float)(unsigned char)(b >> 8), z = (float)(unsigned short)(c >> 16); r = __float_as_uint(x + y * z); })
VECTOR(v_ftz, { float x; asm("cvt.rni.ftz.f32.f32 %0, %1;" : "=f"(x) : "f"(fa)); r = __float_as_uint(x); })
VECTOR(v_half_round, { __half h = hrint(__ushort_as_half((unsigned short)a)); r = __half_as_ushort(h) | (u64)(u32)__half2int_rz(__ushort_as_half((unsigned short)b)) << 32; })
VECTOR(v_flags, { /* more conditions than predicates */
    bool p[12];
    for (int k = 0; k < 12; k++) p[k] = (int)(a + k * 77) < (int)(b >> k);
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 12; k++) {
            if (p[k]) r = r * 3 + c + k;
            if (p[(k + 5) % 12] != p[k]) r ^= r >> 7;
        }
})
VECTOR(v_choose, { float x = (float)(a & 0xffff), y = (float)(b & 0xffff); x = x < y ? x : -y; y = x > 9.0f ? y + x : x; r = __float_as_uint(x * y + x); })
VECTOR(v_half_order, { __half x = __ushort_as_half((unsigned short)a), y = __ushort_as_half((unsigned short)b); r = __hlt(x, y) ? a + c : __heq(x, y) ? b : c; })
VECTOR(v_half_up, r = __half_as_ushort(__float2half_ru(fa)) | (u64)__half_as_ushort(__float2half_rd(fb)) << 16)
VECTOR(v_many_flags, { /* conditions that live through a loop */
    bool p[16];
    for (int k = 0; k < 16; k++) p[k] = (a >> k & b >> (31 - k) & 1) != 0;
    for (u32 n = 0; n < (c & 7); n++) {
        for (int k = 0; k < 16; k++) {
            if (p[k]) r = r * 3 + k;
            p[k] = p[k] != p[(k + 3) & 15];
        }
    }
})
VECTOR(v_clock, { u64 t = clock64(); u64 u = clock64(); r = u >= t; })
VECTOR(v_minmax3, {
    int x = (int)a, y = (int)b, z = (int)c;
    r = (u32)min(min(x, y), z) | (u64)(max(max(a, b), c)) << 32;
    r ^= (u32)max(x + y, z);
})
VECTOR(v_dpx, r = (u32)__vimax3_s32((int)a, (int)b, (int)c) | (u64)(u32)__viaddmax_s32_relu((int)a, (int)b, (int)c) << 32)

/* --- memory -------------------------------------------------------------------------------------- */
VECTOR(m_spaces, {
    __shared__ u32 tile[64];
    u32 own[2] = {a, b};
    const void *p = (c & 3) == 0 ? (const void *)(pa + i) : (c & 3) == 1 ? (const void *)&tile[threadIdx.x & 63] : (const void *)&own[c >> 2 & 1];
    tile[threadIdx.x & 63] = threadIdx.x & 63;
    __syncthreads();
    r = *(const volatile u32 *)p;
    r |= (u64)__isGlobal(p) << 32 | (u64)__isShared(p) << 33 | (u64)__isLocal(p) << 34;
})
VECTOR(m_generic_atomics, {
    __shared__ u32 tile[128];
    u32 *low = (u32 *)&out[i], *p = c & 1 ? low : &tile[threadIdx.x];
    *p = a;
    r = atomicAdd(p, b);
    r += (u64)atomicCAS(p, a + b, c) << 32;
    r ^= *(volatile u32 *)p;
})
VECTOR(m_generic_float, {
    __shared__ float tile[128];
    float *low = (float *)&out[i], *p = c & 1 ? low : &tile[threadIdx.x];
    *p = (float)(int)(a & 0xffff);
    r = __float_as_uint(atomicAdd(p, (float)(b & 0xffff)));
    r |= (u64)__float_as_uint(*(volatile float *)p) << 32;
})
VECTOR(m_global_atomics, {
    u32 *low = (u32 *)&out[i];
    low[0] = a;
    float *high = (float *)low + 1;
    *high = 1.5f;
    r = atomicMax(low, b);
    r += atomicCAS(low, a, c);
    r ^= __float_as_uint(atomicAdd(high, (float)(c & 0xff)));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(low), "r"(7) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(high), "f"(2.0f) : "memory");
    r += (u64)*(volatile u32 *)low << 32;
    r ^= __float_as_uint(*(volatile float *)high);
})
VECTOR(m_shared_atomics, {
    __shared__ u32 tile[128];
    tile[threadIdx.x] = a;
    __syncthreads();
    r = atomicAdd(&tile[threadIdx.x ^ 1], b);
    __syncthreads();
    r |= (u64)atomicCAS(&tile[threadIdx.x], a, c) << 32;
})
VECTOR(m_fences, {
    volatile u64 *slot = out + i;
    *slot = a;
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    asm volatile("prefetch.global.L2 [%0];" ::"l"(pa + i));
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    r = *slot + b;
})
VECTOR(m_matrix, {
    __shared__ __align__(16) u32 tile[128];
    tile[threadIdx.x] = a;
    __syncthreads();
    u32 x, y, at = (u32)__cvta_generic_to_shared(tile + (threadIdx.x & 15) * 4 + (threadIdx.x >> 6) * 64);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));
    r = (u64)y << 32 | x;
})
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
VECTOR(m_async, {
    __shared__ u32 tile[128];
    u32 at = (u32)__cvta_generic_to_shared(tile + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(pb + i) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    r = tile[threadIdx.x ^ 3];
})
#endif
__constant__ u32 table[256];
extern "C" __global__ void m_constant(const u32 *pa, const u32 *, const u32 *, u64 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[pa[i] & 255] + table[blockIdx.x & 255] * 2ull;
}

/* --- control ------------------------------------------------------------------------------------- */
__device__ __noinline__ u32 twice(u32 x) { return x * 2; }
__device__ __noinline__ u32 flip(u32 x) { return ~x; }
__device__ __noinline__ u32 swap(u32 x) { return x << 16 | x >> 16; }
typedef u32 (*step)(u32);
__device__ volatile step steps[3] = {twice, flip, swap};
VECTOR(t_pointers, for (u32 k = 0; k < (b & 3); k++) r += steps[(a + k) % 3](c + k))
VECTOR(t_break, { /* ways out of loops within loops */
    for (u32 x = a & 15; x < 40; x++) {
        u32 y = b & 7;
        while (true) {
            r += x * y;
            if (r % 31 == c % 31) goto out_of_both;
            if (++y > 9 + (x & 3)) break;
            if (r % 5 == 2) { r += 3; break; }
        }
        r ^= __popc(__activemask()) > 0;
    }
out_of_both:
    r += 1000;
})
VECTOR(t_table, { /* a jump table; results in place */
    volatile u32 *at = (volatile u32 *)(out + i);
    at[0] = b, at[1] = c;
    switch (a & 7) { case 0: at[0] = b * 3 + 1; break; case 1: at[1] = 4 * at[0]; break; case 2: at[0] = b / 3; break;
        case 3: at[1] = c ^ 7; break; case 4: at[1] = __popc(at[0]); break; case 5: at[0] = c % 5; break; case 6: at[1] = b | 1; break; default: at[0] = 0; }
    r = *(volatile u64 *)at;
})
VECTOR(t_heap, { /* functions that the driver provides */ u32 *p = (u32 *)malloc(8); p[1] = a ^ b; r = *(volatile u32 *)(p + 1); free(p); })
VECTOR(t_sleep, { __nanosleep(20); for (u32 k = a & 3; k; k--) __nanosleep(1); r = a; })
#if __CUDA_ARCH__ >= 800
__device__ u32 count_in(u32 group) { return __reduce_add_sync(group, 1u); }
#else
__device__ u32 count_in(u32 group) { return __popc(group); }
#endif
VECTOR(t_syncs, { /* a shuffle and a vote among the lanes that came here */
    if (a & 1) r = __shfl_sync(__activemask(), b, __ffs(__activemask()) - 1);
    else r = (u64)__ballot_sync(__activemask(), b & 2) << 32;
    __syncwarp();
    u32 group = __match_any_sync(~0u, a & 3);
    if ((a & 3) == 1) r += count_in(group);
})
VECTOR(t_match_all, { int p; u32 x = __match_all_sync(~0u, a >> 31, &p); r = x | (u64)p << 32; })
VECTOR(t_vote, r = __ballot_sync(~0u, a & 1) | (u64)__any_sync(~0u, b == 0) << 32 | (u64)__all_sync(~0u, (int)threadIdx.x >= 0) << 33)
VECTOR(t_count, r = (u64)__syncthreads_count((int)(a & 1)) | (u64)(__syncthreads_or((int)(b == 1)) != 0) << 32)
extern "C" __global__ void t_trap(u64 *out) { if (out[threadIdx.x] == 5) __trap(); out[threadIdx.x] = 1; }
#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
VECTOR(t_dependents, {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    r = a + 1;
})
#endif

/* --- the uniform datapath -------------------------------------------------------------------------- */
UNIFORM(u_add, r = (u64)(a + b * 3) + ((u64)c << 20))
UNIFORM(u_wide, r = (u64)a * b + c)
UNIFORM(u_swide, r = (u64)((long long)(int)a * (int)b))
UNIFORM(u_high, r = __umulhi(a, b) + (u64)(u32)__mulhi((int)a, (int)c))
UNIFORM(u_logic, r = ((a & b) | (~b & c)) ^ 0x1234)
UNIFORM(u_shift, r = ((u64)b << 32 | a) >> (c & 31) ^ (u64)(a << (b & 31)))
UNIFORM(u_prmt, r = __byte_perm(a, b, 0x6240) ^ __byte_perm(a, c, b & 0x7777))
UNIFORM(u_bits, r = __popc(a) | __clz(b) << 8 | (u64)__brev(c) << 32)
UNIFORM(u_field, { u32 x, y; asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(b)); asm("szext.wrap.s32 %0, %1, %2;" : "=r"(y) : "r"(c), "r"(b)); r = (u64)x << 32 | y; })
UNIFORM(u_select, r = (int)a < (int)b ? (u64)c * 5 : a > c && b != 7 ? b - c : a ^ c)
UNIFORM(u_loop, for (u32 k = 0; k < (a & 15); k++) { r = r * 5 + (b >> k); if ((r & 7) == (c & 7)) r += 9; })
UNIFORM(u_table, for (u32 k = 0; k < (a & 15); k++) r += table[(b + k * c) & 255])
UNIFORM(u_switch, {
    switch (a & 15) {
    case 0: r = b * 3ull; break;
    case 1: r = b ^ 0x55; break;
    case 2: r = __popc(c); break;
    case 3: r = b / 7; break;
    case 4: r = b % 11; break;
    case 5: r = ~b; break;
    case 6: r = (u64)b << 3; break;
    case 7: r = b >> 5; break;
    case 8: r = b + 1234; break;
    default: r = 9;
    }
})
UNIFORM(u_jump, {
    volatile u32 *at = (volatile u32 *)(out + blockIdx.x * blockDim.x + threadIdx.x);
    at[0] = b, at[1] = c;
    switch (a & 7) { case 0: at[0] = b * 3 + 1; break; case 1: at[1] = 4 * at[0]; break; case 2: at[0] = b / 3; break;
        case 3: at[1] = c ^ 7; break; case 4: at[1] = __popc(at[0]); break; case 5: at[0] = c % 5; break; case 6: at[1] = b | 1; break; default: at[0] = 0; }
    r = *(volatile u64 *)at;
})
UNIFORM(u_tenth, r = a / 10 + b % 1000)
UNIFORM(u_flags, {
    bool p = a > b, q = b > c, s = (a ^ c) & 1, t = (int)c < 0;
    for (u32 k = 0; k < (c & 7); k++) { bool n = (p && q) || (s && !t); p = q != n; q = s; s = t || n; t = n; r = r * 2 + n; }
})
UNIFORM(u_address, { u64 base = (u64)out + (u64)a * 16 + b; r = base - (u64)out; })
UNIFORM(u_lea, r = (a << 4) + b + (((u64)c << 3) + a))
UNIFORM(u_reduce, { u32 lane = threadIdx.x & 31; r = __shfl_sync(~0u, lane + a, 5) + (u64)__ballot_sync(~0u, lane < (b & 31)); })
