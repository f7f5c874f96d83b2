/* Warp-group MMA of every type, with A in registers (rs) or shared memory (ss): what gpu_wgmma.cu runs on a GPU and test_wgmma.c here.
 * nvcc -O1 -gencode arch=compute_90a,code=sm_90a. A kernel's variants are the signs and transpositions that its type has. */
#include <stdint.h>

enum { IMAGE = 32768 };
struct Arg { const uint32_t *a; const uint8_t *image; const uint32_t *c; uint64_t da, db; uint32_t aoff, boff; int scale, variant; uint32_t *out; };

__device__ static uint32_t window(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ static uint64_t described(const uint8_t *s, uint32_t off, uint64_t as) { return as | ((window(s) + off) >> 4 & 0x3fff); }
__device__ static void finish() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define OUT2 "+r"(d[0]), "+r"(d[1])
#define OUT4 OUT2, "+r"(d[2]), "+r"(d[3])
#define OUT8 OUT4, "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define OUT16 OUT8, "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15])
#define OUT32 OUT16, "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), \
              "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])
#define LIST2 "%0,%1"
#define LIST4 LIST2 ",%2,%3"
#define LIST8 LIST4 ",%4,%5,%6,%7"
#define LIST16 LIST8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define LIST32 LIST16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
/* operands behind the accumulators */
#define SS2 "%2, %3", "%4"
#define SS4 "%4, %5", "%6"
#define SS16 "%16, %17", "%18"
#define SS32 "%32, %33", "%34"
#define RS2 "{%2,%3,%4,%5}, %6", "%7"
#define RS4 "{%4,%5,%6,%7}, %8", "%9"
#define RS32 "{%32,%33,%34,%35}, %36", "%37"

#define DO_(R, operands, p, text, tail, ...) \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, " p ", 0; wgmma.mma_async.sync.aligned." text " {" LIST##R "}, " operands ", p" tail "; }" : OUT##R : __VA_ARGS__, "l"(db), "r"(g.scale) : "memory")
#define DO(R, which, text, tail, ...) DO_(R, which, text, tail, __VA_ARGS__)
#define GIVEN_SS "l"(da)
#define GIVEN_RS "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])

#define BEGIN(R)                                                                                                        \
    extern __shared__ __align__(16) uint8_t room[];                                                                     \
    uint8_t *s = room + (1024 - (window(room) & 1023)) % 1024;                                                          \
    uint32_t d[R], a[4], t = threadIdx.x;                                                                               \
    _Pragma("unroll 1") for (unsigned i = t; i < IMAGE / 4; i += 128)((uint32_t *)s)[i] = ((const uint32_t *)g.image)[i]; \
    _Pragma("unroll") for (int r = 0; r < R; r++) d[r] = g.c[t * R + r];                                                \
    _Pragma("unroll") for (int r = 0; r < 4; r++) a[r] = g.a[t * 4 + r];                                                \
    uint64_t da = described(s, g.aoff, g.da), db = described(s, g.boff, g.db);                                          \
    (void)a, (void)da;                                                                                                  \
    asm volatile("fence.proxy.async;" ::: "memory");                                                                    \
    __syncthreads();                                                                                                    \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#define END(R) \
    finish();  \
    _Pragma("unroll") for (int r = 0; r < R; r++) g.out[t * R + r] = d[r];
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(128) name(Arg g)

/* halves and bfloat16: signs, and both operands transposed */
#define HALVES(name, R, text)                                                                                                      \
    KERNEL(w_##name##_ss) {                                                                                                        \
        BEGIN(R)                                                                                                                   \
        switch (g.variant) {                                                                                                       \
        case 0: DO(R, SS##R, text, ", 1, 1, 0, 0", GIVEN_SS); break;                                                                \
        case 1: DO(R, SS##R, text, ", 1, 1, 1, 0", GIVEN_SS); break;                                                                \
        case 2: DO(R, SS##R, text, ", 1, 1, 0, 1", GIVEN_SS); break;                                                                \
        case 3: DO(R, SS##R, text, ", 1, 1, 1, 1", GIVEN_SS); break;                                                                \
        case 4: DO(R, SS##R, text, ", -1, 1, 0, 0", GIVEN_SS); break;                                                               \
        case 5: DO(R, SS##R, text, ", 1, -1, 0, 0", GIVEN_SS); break;                                                               \
        case 6: DO(R, SS##R, text, ", -1, -1, 0, 0", GIVEN_SS); break;                                                              \
        }                                                                                                                          \
        END(R)                                                                                                                     \
    }                                                                                                                              \
    KERNEL(w_##name##_rs) {                                                                                                        \
        BEGIN(R)                                                                                                                   \
        switch (g.variant) {                                                                                                       \
        case 0: DO(R, RS##R, text, ", 1, 1, 0", GIVEN_RS); break;                                                                   \
        case 1: DO(R, RS##R, text, ", 1, 1, 1", GIVEN_RS); break;                                                                   \
        case 2: DO(R, RS##R, text, ", -1, 1, 0", GIVEN_RS); break;                                                                  \
        case 3: DO(R, RS##R, text, ", 1, -1, 0", GIVEN_RS); break;                                                                  \
        case 4: DO(R, RS##R, text, ", -1, -1, 0", GIVEN_RS); break;                                                                 \
        }                                                                                                                          \
        END(R)                                                                                                                     \
    }
/* other floats: signs */
#define SIGNS(name, R, text, which, WHICH)                                                                                         \
    KERNEL(w_##name##_##which) {                                                                                                   \
        BEGIN(R)                                                                                                                   \
        switch (g.variant) {                                                                                                       \
        case 0: DO(R, WHICH##R, text, ", 1, 1", GIVEN_##WHICH); break;                                                              \
        case 1: DO(R, WHICH##R, text, ", -1, 1", GIVEN_##WHICH); break;                                                             \
        case 2: DO(R, WHICH##R, text, ", 1, -1", GIVEN_##WHICH); break;                                                             \
        case 3: DO(R, WHICH##R, text, ", -1, -1", GIVEN_##WHICH); break;                                                            \
        }                                                                                                                          \
        END(R)                                                                                                                     \
    }
#define FLOATS(name, R, text) SIGNS(name, R, text, ss, SS) SIGNS(name, R, text, rs, RS)
#define PLAIN(name, R, text, which, WHICH) KERNEL(w_##name##_##which) { BEGIN(R) DO(R, WHICH##R, text, "", GIVEN_##WHICH); END(R) }
#define INTEGERS(name, R, text) PLAIN(name, R, text, ss, SS) PLAIN(name, R, text, rs, RS)

HALVES(f32_f16_f16_float_8, 4, "m64n8k16.f32.f16.f16")
HALVES(f32_f16_f16_float_64, 32, "m64n64k16.f32.f16.f16")
HALVES(f16_f16_f16_float_8, 2, "m64n8k16.f16.f16.f16")
HALVES(f32_bf16_bf16_float_8, 4, "m64n8k16.f32.bf16.bf16")
FLOATS(f32_tf32_tf32_float_8, 4, "m64n8k8.f32.tf32.tf32")
FLOATS(f32_e4m3_e4m3_float_8, 4, "m64n8k32.f32.e4m3.e4m3")
FLOATS(f32_e4m3_e5m2_float_8, 4, "m64n8k32.f32.e4m3.e5m2")
FLOATS(f32_e5m2_e4m3_float_8, 4, "m64n8k32.f32.e5m2.e4m3")
FLOATS(f32_e5m2_e5m2_float_8, 4, "m64n8k32.f32.e5m2.e5m2")
FLOATS(f16_e4m3_e4m3_float_8, 2, "m64n8k32.f16.e4m3.e4m3")
FLOATS(f16_e4m3_e5m2_float_8, 2, "m64n8k32.f16.e4m3.e5m2")
FLOATS(f16_e5m2_e4m3_float_8, 2, "m64n8k32.f16.e5m2.e4m3")
FLOATS(f16_e5m2_e5m2_float_8, 2, "m64n8k32.f16.e5m2.e5m2")
INTEGERS(s32_s8_s8_int_8, 4, "m64n8k32.s32.s8.s8")
INTEGERS(s32_s8_u8_int_8, 4, "m64n8k32.s32.s8.u8")
INTEGERS(s32_u8_s8_int_8, 4, "m64n8k32.s32.u8.s8")
INTEGERS(s32_u8_u8_int_8, 4, "m64n8k32.s32.u8.u8")
INTEGERS(s32_s8_s8_sat_8, 4, "m64n8k32.s32.s8.s8.satfinite")
INTEGERS(s32_u8_s8_sat_8, 4, "m64n8k32.s32.u8.s8.satfinite")
INTEGERS(s32_b1_b1_bit_8, 4, "m64n8k256.s32.b1.b1.and.popc")
PLAIN(s32_s8_s8_int_32, 16, "m64n32k32.s32.s8.s8", ss, SS)
PLAIN(s32_b1_b1_bit_32, 16, "m64n32k256.s32.b1.b1.and.popc", ss, SS)
