/* Each value is loaded once, into shared memory: see conv_tiled.cu. */
#include "conv_host.h"

enum { TILE = 2, PATCH = TILE + TAPS - 1 };

int main(int argc, char **argv) {
    float image[SIDE * SIDE], filter[TAPS * TAPS], result[VALID * VALID];
    fill_image(image);
    fill_filter(filter);
    wg_device *device = open_cubin(argc, argv);
    wg_address d_image = to_device(device, image, sizeof image), d_filter = to_device(device, filter, sizeof filter);
    wg_address d_out = to_device(device, NULL, sizeof result);
    wg_arg args[] = {wg_arg_address(d_image), wg_arg_address(d_filter), wg_arg_address(d_out), wg_arg_i32(SIDE)};
    const wg_launch_record *record = launch(device, "conv_tiled", wg_dim3(1, 1, 1), wg_dim3(PATCH, PATCH, 1), args, 4);
    CHECK(wg_copy_out(device, result, d_out, sizeof result, &err));
    print_grid("tiled convolution, valid part:", result, VALID, VALID);
    print_reads(device, d_image, SIDE);
    print_loads("conv_tiled", record);
    wg_close(device);
}
