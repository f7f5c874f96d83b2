/* A frame of zeros makes the output as large as the image: see conv_padded.cu. */
#include "conv_host.h"

enum { BORDER = TAPS / 2, FRAME = SIDE + 2 * BORDER };

int main(int argc, char **argv) {
    float image[SIDE * SIDE], filter[TAPS * TAPS], frame[FRAME * FRAME] = {0}, result[SIDE * SIDE];
    fill_image(image);
    fill_filter(filter);
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) frame[(r + BORDER) * FRAME + c + BORDER] = image[r * SIDE + c];
    wg_device *device = open_cubin(argc, argv);
    wg_address d_frame = to_device(device, frame, sizeof frame), d_filter = to_device(device, filter, sizeof filter);
    wg_address d_out = to_device(device, NULL, sizeof result);
    wg_arg args[] = {wg_arg_address(d_frame), wg_arg_address(d_filter), wg_arg_address(d_out), wg_arg_i32(SIDE)};
    const wg_launch_record *record = launch(device, "conv_framed", wg_dim3(1, 1, 1), wg_dim3(SIDE, SIDE, 1), args, 4);
    CHECK(wg_copy_out(device, result, d_out, sizeof result, &err));
    print_grid("padded convolution, same size as the image:", result, SIDE, SIDE);
    print_reads(device, d_frame, FRAME);
    print_loads("conv_framed", record);
    wg_close(device);
}
