/* Convolution, the direct way: every output reads its whole window from global memory.
 * Four outputs read nine values each: 36 reads for 16 values, the inner four of them four times. */
#include "conv_example.h"

__global__ void conv_naive(const float *image, const float *filter, float *out, int side, int taps) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    int valid = side - taps + 1;
    if (row >= valid || column >= valid) return;
    float sum = 0.0f;
    for (int i = 0; i < taps; i++)
        for (int j = 0; j < taps; j++) sum += image[(row + i) * side + column + j] * filter[i * taps + j];
    out[row * valid + column] = sum;
}

int main(void) {
    float image[SIDE * SIDE], filter[TAPS * TAPS], result[SIDE * SIDE];
    const int valid = SIDE - TAPS + 1;
    fill_image(image);
    fill_filter(filter);
    float *d_image = to_device(image, SIDE * SIDE), *d_filter = to_device(filter, TAPS * TAPS), *d_out = NULL;
    CHECK(cudaMalloc(&d_out, valid * valid * sizeof(float)));

    conv_naive<<<1, dim3(valid, valid)>>>(d_image, d_filter, d_out, SIDE, TAPS);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(result, d_out, valid * valid * sizeof(float), cudaMemcpyDeviceToHost));
    print_grid("naive convolution, valid part:", result, valid, valid);
    CHECK(cudaFree(d_image));
    CHECK(cudaFree(d_filter));
    CHECK(cudaFree(d_out));
    return 0;
}
