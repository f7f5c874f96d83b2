/* How many blocks cover N elements, how many threads are launched for nothing, and what is lost
 * when somebody saves those threads by rounding down.
 *
 *   launch_configuration          the right grid
 *   launch_configuration --floor  the grid that drops the tail: warpgrind says which elements */
#include "example.h"

#include <string.h>

__global__ void twice(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i];
}

/* Blocks that cover `count` elements, `threads` at a time; written so that the sum cannot overflow. */
static int blocks_for(int count, int threads) { return count / threads + (count % threads != 0); }

static void explain(int count, int threads) {
    int blocks = blocks_for(count, threads);
    long launched = (long)blocks * threads;
    long first_of_last = (long)(blocks - 1) * threads;
    printf("%d elements, %d threads a block: %d blocks, %ld threads, %ld of them idle\n", count, threads, blocks,
           launched, launched - count);
    printf("  last block %d covers %ld..%ld: %ld threads work, %ld stand aside\n", blocks - 1, first_of_last,
           launched - 1, count - first_of_last, launched - count);
    if (count % threads)
        printf("  rounding down would launch %d blocks and never touch elements %d..%d\n", count / threads,
               count / threads * threads, count - 1);
}

static void run(int count, int blocks, int threads, int show) {
    float *host = (float *)malloc(count * sizeof(float));
    for (int i = 0; i < count; i++) host[i] = (float)(i + 1);
    float *in = to_device(host, count);
    float *out = NULL;
    CHECK(cudaMalloc(&out, count * sizeof(float)));
    twice<<<blocks, threads>>>(out, in, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, count * sizeof(float), cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < count; i++) right += host[i] == 2.0f * (i + 1);
    printf("twice<<<%d, %d>>> over %d elements: %d right", blocks, threads, count, right);
    if (show)
        for (int i = 0; i < count; i++) printf("%s%g", i ? " " : ": ", host[i]);
    printf("\n");
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    free(host);
}

int main(int argc, char **argv) {
    bool floor_division = argc > 1 && strcmp(argv[1], "--floor") == 0;
    explain(1000000, 256);
    explain(10000, 128);
    run(8, 2, 4, 1);
    run(10000, floor_division ? 10000 / 128 : blocks_for(10000, 128), 128, 0);
    return 0;
}
