/* Reads the textures of texture_cases.h on this machine's GPU.   gpu_texture raw: float4 results of each case in turn.
 * nvcc -arch=sm_90 gpu_texture.cu */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "texture.cu"
#include "texture_cases.h"

static void need(cudaError_t e, const char *what) {
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)), exit(1);
}
static cudaChannelFormatDesc format_of(const texture_case &c) {
    cudaChannelFormatKind kind = c.format == T_FLOAT ? cudaChannelFormatKindFloat : c.format == T_SIGNED ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
    return cudaCreateChannelDesc(c.bits, c.components > 1 ? c.bits : 0, c.components > 2 ? c.bits : 0, c.components > 2 ? c.bits : 0, kind);
}
static void fill(const texture_case &c, int level, cudaArray_t array, int w, int h, int d) {
    size_t texel = (size_t)c.components * c.bits / 8, rows = h ? h : 1, planes = d ? d : 1;
    std::vector<uint8_t> bytes(texel * w * rows * planes);
    texture_fill(&c, level, bytes.data(), bytes.size());
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(bytes.data(), texel * w, w, rows);
    p.dstArray = array;
    p.extent = make_cudaExtent(w, rows, planes);
    p.kind = cudaMemcpyHostToDevice;
    need(cudaMemcpy3D(&p), "cudaMemcpy3D");
}
typedef void kernel(cudaTextureObject_t, float4 *, const float4 *, int);
#define K(name) {#name, name}
static const struct { const char *name; kernel *fn; } kernels[] = {K(f_index), K(f_1d), K(f_2d), K(f_3d), K(f_1d_layer), K(f_2d_layer), K(f_cube),
    K(f_cube_layer), K(f_gather0), K(f_gather2), K(f_2d_lod), K(f_3d_lod), K(f_2d_grad), K(f_2d_int), K(f_1d_int),
    K(f_2d_offset), K(f_1d_offset), K(f_3d_offset), K(f_2d_lod_offset), K(f_2d_grad_offset), K(f_2d_layer_offset), K(f_index_offset), K(f_index_layer), K(f_gather_offset),
    K(f_gather_layer), K(f_2d_layer_grad), K(f_1d_layer_grad), K(f_3d_grad)};

int main(int, char **argv) {
    FILE *raw = fopen(argv[1], "wb");
    float4 *at, *out;
    need(cudaMalloc(&at, TEXTURE_POINTS * 16), "cudaMalloc");
    need(cudaMalloc(&out, TEXTURE_POINTS * 16), "cudaMalloc");
    static float points[TEXTURE_POINTS][4], result[TEXTURE_POINTS][4];
    for (const texture_case &c : texture_cases) {
        cudaChannelFormatDesc format = format_of(c);
        cudaResourceDesc res = {};
        cudaTextureDesc tex = {};
        int planes = c.cube ? 6 * (c.depth ? c.depth : 1) : c.depth;
        unsigned flags = (c.layered ? cudaArrayLayered : 0) | (c.cube ? cudaArrayCubemap : 0) | (strstr(c.kernel, "gather") && !c.layered ? cudaArrayTextureGather : 0);
        if (!c.levels) {
            size_t n = (size_t)c.width * c.components * c.bits / 8;
            std::vector<uint8_t> bytes(n);
            texture_fill(&c, 0, bytes.data(), n);
            res.resType = cudaResourceTypeLinear;
            need(cudaMalloc(&res.res.linear.devPtr, n), "cudaMalloc");
            need(cudaMemcpy(res.res.linear.devPtr, bytes.data(), n, cudaMemcpyHostToDevice), "cudaMemcpy");
            res.res.linear.desc = format;
            res.res.linear.sizeInBytes = n;
        } else if (c.levels == 1) {
            res.resType = cudaResourceTypeArray;
            need(cudaMalloc3DArray(&res.res.array.array, &format, make_cudaExtent(c.width, c.height, planes), flags), "cudaMalloc3DArray");
            fill(c, 0, res.res.array.array, c.width, c.height, planes);
        } else {
            res.resType = cudaResourceTypeMipmappedArray;
            need(cudaMallocMipmappedArray(&res.res.mipmap.mipmap, &format, make_cudaExtent(c.width, c.height, planes), c.levels, flags), "cudaMallocMipmappedArray");
            for (int l = 0; l < c.levels; l++) {
                cudaArray_t level;
                need(cudaGetMipmappedArrayLevel(&level, res.res.mipmap.mipmap, l), "cudaGetMipmappedArrayLevel");
                fill(c, l, level, c.width >> l ? c.width >> l : 1, c.height && !(c.height >> l) ? 1 : c.height >> l, planes && !(planes >> l) ? 1 : planes >> l);
            }
        }
        for (int d = 0; d < 3; d++) tex.addressMode[d] = (cudaTextureAddressMode)c.address;
        tex.filterMode = c.linear ? cudaFilterModeLinear : cudaFilterModePoint;
        tex.mipmapFilterMode = tex.filterMode;
        tex.readMode = c.normalised_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
        tex.normalizedCoords = c.normalised_coords;
        tex.borderColor[0] = 0.25f, tex.borderColor[1] = -0.5f, tex.borderColor[2] = 0.75f, tex.borderColor[3] = 1.0f;
        tex.sRGB = c.srgb, tex.mipmapLevelBias = c.bias, tex.minMipmapLevelClamp = c.level_min, tex.seamlessCubemap = c.seamless;
        tex.maxMipmapLevelClamp = (float)(c.levels > 1 ? c.levels - 1 : 0);
        cudaTextureObject_t t = 0;
        need(cudaCreateTextureObject(&t, &res, &tex, NULL), "cudaCreateTextureObject");
        texture_points(&c, points);
        need(cudaMemcpy(at, points, sizeof points, cudaMemcpyHostToDevice), "cudaMemcpy");
        for (auto &k : kernels)
            if (!strcmp(k.name, c.kernel)) k.fn<<<TEXTURE_POINTS / 256, 256>>>(t, out, at, TEXTURE_POINTS);
        cudaError_t e = cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
        if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", c.kernel, cudaGetErrorString(e)), memset(result, 0, sizeof result);
        fwrite(result, 1, sizeof result, raw);
        cudaDestroyTextureObject(t);
    }
    fclose(raw);
    printf("%d textures\n", (int)TEXTURE_CASES);
}
