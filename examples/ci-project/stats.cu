// Scales readings and sums them. The tests break it in three places and expect to be told where.
#include <cstdio>
#include <vector>

__global__ void scale(float *out, const float *in, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i];
        out[i] = factor * x;
    }
}

__global__ void block_sums(float *sums, const float *in, int n) {
    __shared__ float part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main() {
    const int n = 1000, block = 128;
    const int blocks = (n + block - 1) / block;
    std::vector<float> in(n, 1.0f), out(n), sums(blocks);
    float *d_in, *d_out, *d_sums;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMalloc(&d_sums, blocks * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<blocks, block>>>(d_out, d_in, 2.0f, n);
    block_sums<<<blocks, block>>>(d_sums, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums.data(), d_sums, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_sums);
    float total = 0;
    for (float s : sums) total += s;
    std::printf("%d readings, the last one %g, in all %g\n", n, out[n - 1], total);
    return 0;
}
