/* The same convolution through shared memory: a block loads its tile and the halo around it once,
 * with more threads than will compute an output, and reads the windows from there.
 * Sixteen values, sixteen reads. */
#include "conv_example.h"

#define TILE 2                  /* outputs of a block, in each direction */
#define PATCH (TILE + TAPS - 1) /* inputs they need: the tile and its halo */

__global__ void conv_tiled(const float *image, const float *filter, float *out, int side) {
    __shared__ float patch[PATCH][PATCH];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    bool inside = row < side && column < side;
    patch[threadIdx.y][threadIdx.x] = inside ? image[row * side + column] : 0.0f;

    __syncthreads(); /* the whole patch is there before anybody reads a neighbour's part of it */

    int valid = side - TAPS + 1;
    if (threadIdx.y >= TILE || threadIdx.x >= TILE || row >= valid || column >= valid) return;
    float sum = 0.0f;
    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++) sum += patch[threadIdx.y + i][threadIdx.x + j] * filter[i * TAPS + j];
    out[row * valid + column] = sum;
}

int main(void) {
    float image[SIDE * SIDE], filter[TAPS * TAPS], result[SIDE * SIDE];
    const int valid = SIDE - TAPS + 1;
    fill_image(image);
    fill_filter(filter);
    float *d_image = to_device(image, SIDE * SIDE), *d_filter = to_device(filter, TAPS * TAPS), *d_out = NULL;
    CHECK(cudaMalloc(&d_out, valid * valid * sizeof(float)));

    conv_tiled<<<1, dim3(PATCH, PATCH)>>>(d_image, d_filter, d_out, SIDE);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(result, d_out, valid * valid * sizeof(float), cudaMemcpyDeviceToHost));
    print_grid("tiled convolution, valid part:", result, valid, valid);
    CHECK(cudaFree(d_image));
    CHECK(cudaFree(d_filter));
    CHECK(cudaFree(d_out));
    return 0;
}
