// One of everything that nvcc's host code asks of the runtime. Built in several ways by check_nvcc, whose runs all
// have to print nvcc_program.expected.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        cudaError_t e = call;                                                                                          \
        if (e) return printf("%s: %s\n", #call, cudaGetErrorString(e)), 1;                                             \
    } while (0)

__device__ int offset[2] = {10, 20};
static __constant__ float weight[3]; // a static one in each translation unit
__managed__ int managed = 5;
int other_unit(int *d);

template <typename T> __global__ void add(T *p, T by) { p[threadIdx.x] += by + (T)offset[threadIdx.x & 1]; }
static __global__ void weigh(float *p) { p[threadIdx.x] = weight[threadIdx.x]; }
__global__ void bump() { managed += 1; }
__global__ void sum_all(int *p, int *out)
{
    extern __shared__ int part[];
    part[threadIdx.x] = p[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int s = blockDim.x / 2; s; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
__global__ void wait_for_all(int *p, int *out)
{
    p[blockIdx.x] = blockIdx.x;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0)
        for (int i = 0; i < gridDim.x; i++) *out += p[i];
}
__global__ void wait_cycles(long long n) { for (long long begin = clock64(); clock64() - begin < n;) { } }
__global__ void store_bytes(unsigned char *p) // thousands of instructions in a row that take the slow way: check_nvcc keeps the stack small
{
#pragma unroll
    for (int i = 0; i < 3000; i++) p[threadIdx.x * 3001 + i] = i;
}
// On devices before sm_90 the layer and x lie in one pair of registers, y and the level in another.
__global__ void read_level(cudaTextureObject_t t, int *out) { *out = tex2DLod<float>(t, 0.8f, 0.6f, 0.0f); }
__global__ void read_layer(cudaTextureObject_t t, int layer, int *out) { *out = tex2DLayered<float>(t, 2.5f, 1.5f, layer); }
struct large { int v[300]; };
__global__ void take(large l, int *out, char c) { *out = l.v[299] + c; }

int main()
{
    int *d, *out, h[256], got;
    TRY(cudaMalloc(&d, sizeof h));
    TRY(cudaMalloc(&out, sizeof got));
    for (int i = 0; i < 256; i++) h[i] = i;
    TRY(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    add<int><<<1, 256>>>(d, 1);
    TRY(cudaGetLastError());
    TRY(cudaMemset(out, 0, 4));
    sum_all<<<4, 64, 64 * sizeof(int)>>>(d, out);
    TRY(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    printf("sum %d\n", got); // 255 * 128 + 256 + 128 * 30

    float *f, w[3] = {0.5f, 1.5f, 2.5f}, back[3];
    TRY(cudaMalloc(&f, sizeof back));
    TRY(cudaMemcpyToSymbol(weight, w, sizeof w));
    weigh<<<1, 3>>>(f);
    add<float><<<1, 3>>>(f, 100.0f);
    TRY(cudaMemcpy(back, f, sizeof back, cudaMemcpyDeviceToHost));
    printf("weights %g %g %g\n", back[0], back[1], back[2]);

    managed += 2;
    bump<<<1, 1>>>();
    TRY(cudaDeviceSynchronize());
    printf("managed %d\n", managed);

    cudaStream_t stream;
    cudaEvent_t begin, end;
    TRY(cudaStreamCreate(&stream));
    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    TRY(cudaEventRecord(begin, stream));
    bump<<<1, 1, 0, stream>>>();
    TRY(cudaEventRecord(end, stream));
    TRY(cudaEventSynchronize(end));
    float ms;
    TRY(cudaEventElapsedTime(&ms, begin, end));
    printf("managed %d, time %s\n", managed, ms > 0 ? "passed" : "stood still");

    int blocks = 8;
    TRY(cudaMemset(out, 0, 4));
    void *args[] = {&d, &out};
    TRY(cudaLaunchCooperativeKernel(wait_for_all, dim3(blocks), dim3(1), args, 0, 0));
    TRY(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    printf("after the grid's barrier %d\n", got);

    wait_cycles<<<2, 32>>>(20000000000ll); // some ten seconds of a GPU, and not of ours
    TRY(cudaDeviceSynchronize());
    printf("waited\n");

    unsigned char *bytes, last;
    TRY(cudaMalloc(&bytes, 32 * 3001));
    store_bytes<<<1, 32>>>(bytes);
    TRY(cudaMemcpy(&last, bytes + 31 * 3001 + 2999, 1, cudaMemcpyDeviceToHost));
    printf("bytes %d\n", last);

    float texels[2 * 3 * 4];
    for (int i = 0; i < 24; i++) texels[i] = i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    TRY(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 3, 2), cudaArrayLayered));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, 16, 4, 3), copy.dstArray = array, copy.extent = make_cudaExtent(4, 3, 2), copy.kind = cudaMemcpyHostToDevice;
    TRY(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
    cudaTextureDesc sampling = {};
    cudaTextureObject_t texture;
    TRY(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    read_layer<<<1, 1>>>(texture, 1, out);
    TRY(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    printf("texel %d\n", got); // 12 + 4 + 2

    cudaMipmappedArray_t levels;
    TRY(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(4, 3, 0), 2));
    TRY(cudaGetMipmappedArrayLevel(&array, levels, 0));
    copy.dstArray = array, copy.extent = make_cudaExtent(4, 3, 1);
    TRY(cudaMemcpy3D(&copy));
    resource.resType = cudaResourceTypeMipmappedArray, resource.res.mipmap.mipmap = levels;
    TRY(cudaCreateTextureObject(&texture, &resource, &sampling, NULL)); // coordinates are not normalised, it says, but they are
    read_level<<<1, 1>>>(texture, out);
    TRY(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    printf("level's texel %d\n", got); // 4 + 3

    large l;
    for (int i = 0; i < 300; i++) l.v[i] = i;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1), config.blockDim = dim3(1);
    TRY(cudaLaunchKernelEx(&config, take, l, out, (char)1));
    TRY(cudaMemcpyFromSymbol(h, offset, sizeof offset));
    TRY(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
    printf("large %d, offset %d %d\n", got, h[0], h[1]);

    int grid, block;
    TRY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, sum_all, 0, 256));
    cudaFuncAttributes a;
    TRY(cudaFuncGetAttributes(&a, sum_all));
    printf("blocks of at most %d, threads of at most %d\n", block, a.maxThreadsPerBlock);

    printf("other unit %d\n", other_unit(d));
    add<int><<<1, 2048>>>(d, 1);
    cudaError_t e = cudaGetLastError();
    printf("%s, then %s\n", cudaGetErrorName(e), cudaGetErrorName(cudaGetLastError()));
    TRY(cudaFree(d));
    TRY(cudaDeviceReset());
    return 0;
}
