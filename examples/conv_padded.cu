/* An output as large as the input needs a border to read from: the image is laid into a frame of zeros.
 * The corner sums what is left of its window (11 at the upper right), an inner output what the valid
 * convolution had (30). */
#include "conv_example.h"

#define BORDER (TAPS / 2)
#define FRAME (SIDE + 2 * BORDER)

__global__ void conv_framed(const float *frame, const float *filter, float *out, int side) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= side || column >= side) return;
    int pitch = side + 2 * BORDER;
    float sum = 0.0f;
    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++) sum += frame[(row + i) * pitch + column + j] * filter[i * TAPS + j];
    out[row * side + column] = sum;
}

int main(void) {
    float image[SIDE * SIDE], filter[TAPS * TAPS], frame[FRAME * FRAME] = {0}, result[SIDE * SIDE];
    fill_image(image);
    fill_filter(filter);
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) frame[(r + BORDER) * FRAME + c + BORDER] = image[r * SIDE + c];
    float *d_frame = to_device(frame, FRAME * FRAME), *d_filter = to_device(filter, TAPS * TAPS), *d_out = NULL;
    CHECK(cudaMalloc(&d_out, sizeof result));

    conv_framed<<<1, dim3(SIDE, SIDE)>>>(d_frame, d_filter, d_out, SIDE);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(result, d_out, sizeof result, cudaMemcpyDeviceToHost));
    print_grid("padded convolution, same size as the image:", result, SIDE, SIDE);
    printf("upper right corner %g, inside %g\n", result[SIDE - 1], result[SIDE + 1]);
    CHECK(cudaFree(d_frame));
    CHECK(cudaFree(d_filter));
    CHECK(cudaFree(d_out));
    return 0;
}
