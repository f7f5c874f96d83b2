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
