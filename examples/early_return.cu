/* The trap where two good habits meet: a bounds check that returns early, and a shuffle that needs every
 * lane of the warp. A lane that has returned has nothing to hand down; what arrives in its place is undefined.
 *
 *   early_return           idle lanes bring the identity of the sum
 *   early_return --broken  idle lanes return before the shuffle */
#include "example.h"

#include <string.h>

#define LANES 8

__global__ void sum_identity(const float *in, float *sum, int n) {
    int lane = threadIdx.x;
    float value = lane < n ? in[lane] : 0.0f;
    for (int half = LANES / 2; half > 0; half /= 2) value += __shfl_down_sync(0xffu, value, half, LANES);
    if (lane == 0) *sum = value;
}

__global__ void sum_early_return(const float *in, float *sum, int n) {
    int lane = threadIdx.x;
    if (lane >= n) return;
    float value = in[lane];
    for (int half = LANES / 2; half > 0; half /= 2) value += __shfl_down_sync(0xffu, value, half, LANES);
    if (lane == 0) *sum = value;
}

int main(int argc, char **argv) {
    const float in[4] = {1, 2, 3, 4};
    float sum = 0.0f;
    float *d_in = to_device(in, 4), *d_sum = to_device(&sum, 1);
    bool broken = argc > 1 && strcmp(argv[1], "--broken") == 0;
    if (broken)
        sum_early_return<<<1, LANES>>>(d_in, d_sum, 4);
    else
        sum_identity<<<1, LANES>>>(d_in, d_sum, 4);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    if (broken)
        printf("four lanes returned early; the sum of 1 2 3 4 is undefined: it is %s 10\n", sum == 10.0f ? "by luck" : "not");
    else
        printf("the sum of 1 2 3 4 over eight lanes: %g\n", sum);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_sum));
    return 0;
}
