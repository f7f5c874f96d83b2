/* Idle lanes bring zero to the shuffle, or have returned before it: see early_return.cu. */
#include "host.h"

static float run(wg_device *device, const char *kernel) {
    const float in[4] = {1, 2, 3, 4};
    float sum = 0.0f;
    wg_address d_in = to_device(device, in, sizeof in), d_sum = to_device(device, &sum, sizeof sum);
    wg_arg args[] = {wg_arg_address(d_in), wg_arg_address(d_sum), wg_arg_i32(4)};
    launch(device, kernel, wg_dim3(1, 1, 1), wg_dim3(8, 1, 1), args, 3);
    CHECK(wg_copy_out(device, &sum, d_sum, sizeof sum, &err));
    return sum;
}

int main(int argc, char **argv) {
    wg_device *device = open_cubin(argc, argv);
    printf("the sum of 1 2 3 4 over eight lanes: %g\n", (double)run(device, "sum_identity"));
    float sum = run(device, "sum_early_return");
    printf("when four lanes return early it is undefined: it is %s 10\n", sum == 10.0f ? "by luck" : "not");
    wg_close(device);
}
