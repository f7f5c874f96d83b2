/* stmatrix: nvcc -arch=sm_90 -cubin. which: shape and count; what was not stored stays 0xffff. */
#include <cstdint>
__device__ static uint32_t shared_at(void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
extern "C" __global__ void store_matrices(uint16_t *out, int which) {
    __shared__ __align__(16) uint16_t m[256];
    const unsigned l = threadIdx.x, v = l * 2 | (l * 2 + 1) << 16, row = shared_at(m + 8 * l);
    for (unsigned i = l; i < 256; i += 32) m[i] = 0xffff;
    __syncwarp();
    if (which == 0) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(row), "r"(v) : "memory");
    if (which == 1) asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" :: "r"(row), "r"(v) : "memory");
    if (which == 2) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" :: "r"(row), "r"(v), "r"(v + 0x00400040) : "memory");
    if (which == 3) asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" :: "r"(row), "r"(v), "r"(v + 0x00400040), "r"(v + 0x00800080), "r"(v + 0x00c000c0) : "memory");
    if (which == 4) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(row + (l == 3 ? 8 : 0)), "r"(v) : "memory");
    if (which == 5) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(row + (l == 3 ? 512 : 0)), "r"(v) : "memory");
    __syncwarp();
    for (unsigned i = l; i < 256; i += 32) out[i] = m[i];
}
