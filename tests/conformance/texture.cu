/* Fetches of every kind, one a thread: nvcc -arch=sm_90 -cubin. */
#define FETCH(name, expression)                                                                                                       \
    extern "C" __global__ void name(cudaTextureObject_t t, float4 *out, const float4 *at, int n) {                                    \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                                 \
        if (i >= n) return;                                                                                                            \
        float4 p = at[i];                                                                                                              \
        out[i] = expression;                                                                                                           \
    }
__device__ float4 floats(int4 v) { return make_float4(__int_as_float(v.x), __int_as_float(v.y), __int_as_float(v.z), __int_as_float(v.w)); }
FETCH(f_index, tex1Dfetch<float4>(t, (int)floorf(p.x)))
FETCH(f_1d, tex1D<float4>(t, p.x))
FETCH(f_2d, tex2D<float4>(t, p.x, p.y))
FETCH(f_3d, tex3D<float4>(t, p.x, p.y, p.z))
FETCH(f_1d_layer, tex1DLayered<float4>(t, p.x, (int)p.w))
FETCH(f_2d_layer, tex2DLayered<float4>(t, p.x, p.y, (int)p.w))
FETCH(f_cube, texCubemap<float4>(t, p.x, p.y, p.z))
FETCH(f_cube_layer, texCubemapLayered<float4>(t, p.x, p.y, p.z, (int)p.w))
FETCH(f_gather0, tex2Dgather<float4>(t, p.x, p.y, 0))
FETCH(f_gather2, tex2Dgather<float4>(t, p.x, p.y, 2))
FETCH(f_2d_lod, tex2DLod<float4>(t, p.x, p.y, p.w))
FETCH(f_3d_lod, tex3DLod<float4>(t, p.x, p.y, p.z, p.w))
FETCH(f_2d_grad, tex2DGrad<float4>(t, p.x, p.y, make_float2(p.z * 0.25f, p.w * 0.125f), make_float2(p.w * 0.0625f, p.z * 0.5f)))
FETCH(f_2d_int, floats(tex2D<int4>(t, p.x, p.y)))
FETCH(f_1d_int, floats(tex1D<int4>(t, p.x)))
/* What C++ has no functions for: offsets of texels (of those that PTX takes, four bits, six of gathers, are left). */
#define OFFSETS "r"(i * 5 % 21 - 10), "r"(i * 3 % 17 - 8)
#define PTX(text, ...) ([&] { float4 v; asm volatile(text : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), __VA_ARGS__); return v; }())
FETCH(f_2d_offset, PTX("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4,{%5,%6}], {%7,%8};", "f"(p.x), "f"(p.y), OFFSETS))
FETCH(f_1d_offset, PTX("tex.1d.v4.f32.f32 {%0,%1,%2,%3}, [%4,{%5}], {%6};", "f"(p.x), "r"(i * 5 % 21 - 10)))
FETCH(f_3d_offset, PTX("tex.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4,{%5,%6,%7,%7}], {%8,%9,%10,%10};", "f"(p.x), "f"(p.y), "f"(p.z), OFFSETS, "r"(i % 7 - 3)))
FETCH(f_2d_lod_offset, PTX("tex.level.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4,{%5,%6}], %7, {%8,%9};", "f"(p.x), "f"(p.y), "f"(p.w), OFFSETS))
FETCH(f_2d_grad_offset, PTX("tex.grad.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4,{%5,%6}], {%7,%8}, {%8,%7}, {%9,%10};", "f"(p.x), "f"(p.y), "f"(p.z * 0.25f), "f"(p.w * 0.125f), OFFSETS))
FETCH(f_2d_layer_offset, PTX("tex.a2d.v4.f32.f32 {%0,%1,%2,%3}, [%4,{%7,%5,%6,%6}], {%8,%9};", "f"(p.x), "f"(p.y), "r"((int)p.w), OFFSETS))
FETCH(f_index_offset, PTX("tex.2d.v4.f32.s32 {%0,%1,%2,%3}, [%4,{%5,%6}], {%7,%8};", "r"((int)floorf(p.x)), "r"((int)floorf(p.y)), OFFSETS))
FETCH(f_index_layer, PTX("tex.a2d.v4.f32.s32 {%0,%1,%2,%3}, [%4,{%7,%5,%6,%6}];", "r"((int)floorf(p.x)), "r"((int)floorf(p.y)), "r"((int)p.w)))
FETCH(f_gather_offset, PTX("tld4.g.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4,{%5,%6}], {%7,%8};", "f"(p.x), "f"(p.y), "r"(i * 5 % 85 - 42), "r"(i * 3 % 71 - 35)))
FETCH(f_gather_layer, PTX("tld4.r.a2d.v4.f32.f32 {%0,%1,%2,%3}, [%4,{%7,%5,%6,%6}];", "f"(p.x), "f"(p.y), "r"((int)p.w)))
FETCH(f_2d_layer_grad, tex2DLayeredGrad<float4>(t, p.x, p.y, (int)p.w, make_float2(p.z * 0.25f, p.w * 0.125f), make_float2(p.w * 0.0625f, p.z * 0.5f)))
FETCH(f_1d_layer_grad, tex1DLayeredGrad<float4>(t, p.x, (int)p.w, p.y * 0.25f, p.z * 0.125f))
FETCH(f_3d_grad, tex3DGrad<float4>(t, p.x, p.y, p.z, make_float4(p.z * 0.25f, p.w * 0.125f, p.y * 0.5f, 0), make_float4(p.w * 0.0625f, p.z * 0.5f, p.x * 0.25f, 0)))
/* Directions and their gradients: three vectors a thread. */
#define CUBE(name, expression)                                                                                                        \
    extern "C" __global__ void name(cudaTextureObject_t t, float4 *out, const float4 *in, int n) {                                    \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                                 \
        if (i >= n) return;                                                                                                            \
        float4 p = in[3 * i], dx = in[3 * i + 1], dy = in[3 * i + 2];                                                                  \
        out[i] = expression;                                                                                                           \
    }
CUBE(c_grad, texCubemapGrad<float4>(t, p.x, p.y, p.z, dx, dy))
__device__ bool takes_part(int i) { return i * 2654435761u >> 13 & 1; } // some lanes of a quad, or none
CUBE(c_some_grad, takes_part(i) ? texCubemapGrad<float4>(t, p.x, p.y, p.z, dx, dy) : make_float4(i, p.x, p.y, p.z))
CUBE(c_layer_grad, texCubemapLayeredGrad<float4>(t, p.x, p.y, p.z, i & 1, dx, dy))
/* Handles that only memory knows, one a lane; surfaces. */
#define FROM_MEMORY(name, expression)                                                                                                 \
    extern "C" __global__ void name(const cudaTextureObject_t *all, float4 *out, const float4 *at, int n) {                           \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                                 \
        if (i >= n) return;                                                                                                            \
        float4 p = at[i];                                                                                                              \
        cudaTextureObject_t t = all[i & 1];                                                                                            \
        out[i] = expression;                                                                                                           \
    }
FROM_MEMORY(m_2d, tex2D<float4>(t, p.x, p.y))
FROM_MEMORY(m_gather, tex2Dgather<float4>(t, p.x, p.y, 0))
FROM_MEMORY(m_grad, tex2DGrad<float4>(t, p.x, p.y, make_float2(p.z * 0.25f, p.w * 0.125f), make_float2(p.w * 0.0625f, p.z * 0.5f)))
FROM_MEMORY(m_index, tex1Dfetch<float4>(t, (int)floorf(p.x)))
extern "C" __global__ void s_copy(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h) surf2Dwrite(surf2Dread<unsigned>(from, x * 4 - 8, y + 1, cudaBoundaryModeClamp) + surf2Dread<unsigned char>(from, x + w * 4 - 8, y, cudaBoundaryModeZero),
                                    to, x * 4, y);
}
extern "C" __global__ void s_memory(const cudaSurfaceObject_t *all, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h) surf2Dwrite(surf2Dread<unsigned>(all[0], x * 4, y) ^ 0x5a5a, all[1 + (x & 0)], x * 4, y);
}
