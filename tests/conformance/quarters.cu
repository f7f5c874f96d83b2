/* Matrices of 8-bit floats: nvcc -cubin -arch=sm_89, and -arch=sm_90, which has HMMA do it. in: 13 words a lane: A, B, C, metadata. */
#include <cstdint>
#define A4 "{%4, %5, %6, %7}"
#define B4 "{%8, %9, %10, %11}"
#define SOURCES "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7])
#define FLOATS  "f"(__uint_as_float(v[8])), "f"(__uint_as_float(v[9])), "f"(__uint_as_float(v[10])), "f"(__uint_as_float(v[11]))
#define MMA(shape, types, a, b)                                                                                               \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." types ".f32 {%0, %1, %2, %3}, " a ", " b ", {%12, %13, %14, %15};" \
                 : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3]) : SOURCES, FLOATS)
#define HALVES(shape, types, a, b)                                                                                      \
    asm volatile("mma.sync.aligned." shape ".row.col.f16." types ".f16 {%0, %1}, " a ", " b ", {%12, %13};"             \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : SOURCES, "r"(v[8]), "r"(v[9]))
#define SPARSE(types)                                                                                                            \
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32." types ".f32 {%0, %1, %2, %3}, " A4 ", " B4       \
                 ", {%12, %13, %14, %15}, %16, 0x0;" : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3]) : SOURCES, FLOATS, "r"(v[12]))
extern "C" __global__ void quarters(const uint32_t *in, uint32_t *out, int which) {
    uint32_t v[13], d[4] = {0, 0, 0, 0};
    float f[4] = {0, 0, 0, 0};
    for (int k = 0; k < 13; k++) v[k] = in[k * 32 + threadIdx.x];
    if (which == 0) MMA("m16n8k32", "e4m3.e4m3", A4, "{%8, %9}");
    if (which == 1) MMA("m16n8k32", "e4m3.e5m2", A4, "{%8, %9}");
    if (which == 2) MMA("m16n8k32", "e5m2.e4m3", A4, "{%8, %9}");
    if (which == 3) MMA("m16n8k16", "e4m3.e4m3", "{%4, %5}", "{%8}");
    if (which == 4) MMA("m16n8k16", "e5m2.e5m2", "{%4, %5}", "{%8}");
    if (which == 5) HALVES("m16n8k32", "e4m3.e4m3", A4, "{%8, %9}");
    if (which == 6) HALVES("m16n8k16", "e4m3.e5m2", "{%4, %5}", "{%8}");
    if (which == 7) SPARSE("e4m3.e4m3");
    if (which == 8) SPARSE("e4m3.e5m2");
    for (int k = 0; k < 4; k++) out[k * 32 + threadIdx.x] = which == 5 || which == 6 ? d[k] : __float_as_uint(f[k]);
}
