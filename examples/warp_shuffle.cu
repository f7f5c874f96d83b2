/* The last rounds of a sum need no memory: lanes hand their values down the warp.
 * Eight lanes with 1..8: after the first round 6 8 10 12, then 16 20, then 36. */
#include "example.h"

#define LANES 8

__global__ void sum_eight(const float *in, float *rounds, float *sum) {
    int lane = threadIdx.x;
    float value = in[lane];
    for (int half = LANES / 2, round = 0; half > 0; half /= 2, round++) {
        value += __shfl_down_sync(0xffu, value, half, LANES);
        rounds[round * LANES + lane] = value;
    }
    if (lane == 0) *sum = value;
}

/* A whole array: each warp sums 32 values, then one atomic a warp. */
__global__ void sum_all(const float *in, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0.0f; /* idle lanes bring zero: all of them reach the shuffle */
    for (int half = 16; half > 0; half /= 2) value += __shfl_down_sync(0xffffffffu, value, half);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
}

int main(void) {
    float in[1000], rounds[3 * LANES], sum = 0.0f;
    for (int i = 0; i < 1000; i++) in[i] = (float)(i + 1);
    float *d_in = to_device(in, 1000), *d_sum = to_device(&sum, 1), *d_rounds = NULL;
    CHECK(cudaMalloc(&d_rounds, sizeof rounds));

    sum_eight<<<1, LANES>>>(d_in, d_rounds, d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(rounds, d_rounds, sizeof rounds, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    for (int half = LANES / 2, round = 0; half > 0; half /= 2, round++) {
        printf("round %d:", round + 1);
        for (int lane = 0; lane < half; lane++) printf(" %g", rounds[round * LANES + lane]);
        printf("\n");
    }
    printf("sum of eight lanes: %g\n", sum);

    CHECK(cudaMemset(d_sum, 0, sizeof sum));
    sum_all<<<4, 256>>>(d_in, d_sum, 1000);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    printf("sum of 1..1000: %g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_sum));
    CHECK(cudaFree(d_rounds));
    return 0;
}
