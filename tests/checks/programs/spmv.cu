// A sparse matrix in rows; the row pointers have one element fewer than they should.
// expect out-of-bounds error
#include "check.h"
__global__ void spmv(int rows, const int *start, const int *column, const float *value, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = start[r]; k < start[r + 1]; k++) sum += value[k] * x[column[k]]; // <-
    y[r] = sum;
}
int main() {
    const int rows = 64;
    static int start[rows + 1], column[3 * rows];
    static float value[3 * rows], x[rows];
    for (int r = 0; r <= rows; r++) start[r] = 3 * r;
    for (int k = 0; k < 3 * rows; k++) column[k] = k * 5 % rows, value[k] = 1;
#ifdef RIGHT
    int *d_start = device(rows + 1, start);
#else
    int *d_start = device(rows, start);
#endif
    int *d_column = device(3 * rows, column);
    float *d_value = device(3 * rows, value), *d_x = device(rows, x), *d_y = device<float>(rows);
    spmv<<<1, rows>>>(rows, d_start, d_column, d_value, d_x, d_y);
    CHECK(cudaMemcpy(x, d_y, sizeof x, cudaMemcpyDeviceToHost));
    printf("%g\n", x[0]);
    CHECK(cudaFree(d_start)); CHECK(cudaFree(d_column)); CHECK(cudaFree(d_value)); CHECK(cudaFree(d_x)); CHECK(cudaFree(d_y));
}
