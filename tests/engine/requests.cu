// Reads of textures by some lanes of a warp (test_requests.c).
//   for a in 80 90; do nvcc -arch=sm_$a -O3 -cubin -o requests.sm_$a.cubin requests.cu; done

extern "C" __global__ void fetch(cudaTextureObject_t t, float *out, unsigned lanes) {
    if (lanes >> threadIdx.x & 1) out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}

extern "C" __global__ void fetch_wide(cudaTextureObject_t t, float *out, unsigned lanes) {
    if (lanes >> threadIdx.x & 1) {
        float4 v = tex1Dfetch<float4>(t, threadIdx.x);
        out[threadIdx.x] = v.x + v.y + v.z + v.w;
    }
}

extern "C" __global__ void sample(cudaTextureObject_t t, float *out, unsigned lanes) {
    if (lanes >> threadIdx.x & 1) out[threadIdx.x] = tex2D<float>(t, threadIdx.x + .5f, .5f);
}

extern "C" __global__ void sample_first(cudaTextureObject_t t, float *out, unsigned lanes) {
    if (lanes >> threadIdx.x & 1) out[threadIdx.x] = tex2DLod<float>(t, threadIdx.x + .5f, .5f, 0.f);
}

extern "C" __global__ void query(cudaTextureObject_t t, float *out, unsigned lanes) {
    unsigned width;
    if (!(lanes >> threadIdx.x & 1)) return;
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(t));
    out[threadIdx.x] = width;
}
