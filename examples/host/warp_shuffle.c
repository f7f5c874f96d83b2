/* A sum without memory: see warp_shuffle.cu. */
#include "host.h"

enum { LANES = 8, COUNT = 1000 };

int main(int argc, char **argv) {
    float in[COUNT], rounds[3 * LANES], sum = 0.0f;
    for (int i = 0; i < COUNT; i++) in[i] = (float)(i + 1);
    wg_device *device = open_cubin(argc, argv);
    wg_address d_in = to_device(device, in, sizeof in), d_rounds = to_device(device, NULL, sizeof rounds);
    wg_address d_sum = to_device(device, &sum, sizeof sum);

    wg_arg eight[] = {wg_arg_address(d_in), wg_arg_address(d_rounds), wg_arg_address(d_sum)};
    launch(device, "sum_eight", wg_dim3(1, 1, 1), wg_dim3(LANES, 1, 1), eight, 3);
    CHECK(wg_copy_out(device, rounds, d_rounds, sizeof rounds, &err));
    CHECK(wg_copy_out(device, &sum, d_sum, sizeof sum, &err));
    for (int half = LANES / 2, round = 0; half > 0; half /= 2, round++) {
        printf("round %d:", round + 1);
        for (int lane = 0; lane < half; lane++) printf(" %g", (double)rounds[round * LANES + lane]);
        printf("\n");
    }
    printf("sum of eight lanes: %g\n", (double)sum);

    CHECK(wg_fill(device, d_sum, 0, sizeof sum, &err));
    wg_arg all[] = {wg_arg_address(d_in), wg_arg_address(d_sum), wg_arg_i32(COUNT)};
    launch(device, "sum_all", wg_dim3(4, 1, 1), wg_dim3(256, 1, 1), all, 3);
    CHECK(wg_copy_out(device, &sum, d_sum, sizeof sum, &err));
    printf("sum of 1..%d: %g\n", COUNT, (double)sum);
    wg_close(device);
}
