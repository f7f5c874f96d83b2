/* The grid that covers 10000 elements, and the one that drops the last sixteen: see launch_configuration.cu. */
#include "host.h"

enum { COUNT = 10000, THREADS = 128 };

static void run(wg_device *device, uint32_t blocks) {
    static float values[COUNT];
    for (int i = 0; i < COUNT; i++) values[i] = (float)(i + 1);
    wg_address in = to_device(device, values, sizeof values), out = to_device(device, NULL, sizeof values);
    wg_arg args[] = {wg_arg_address(out), wg_arg_address(in), wg_arg_i32(COUNT)};
    const wg_launch_record *record = launch(device, "twice", wg_dim3(blocks, 1, 1), wg_dim3(THREADS, 1, 1), args, 3);
    CHECK(wg_copy_out(device, values, out, sizeof values, &err));
    int right = 0;
    for (int i = 0; i < COUNT; i++) right += values[i] == 2.0f * (float)(i + 1);
    printf("%u blocks of %d: %d of %d right, every element written: %s\n", blocks, THREADS, right, COUNT,
           wg_is_written(device, out, sizeof values) ? "yes" : "no");
    print_loads("  twice", record);
    CHECK(wg_free(device, in, &err));
    CHECK(wg_free(device, out, &err));
}

int main(int argc, char **argv) {
    wg_device *device = open_cubin(argc, argv);
    run(device, (COUNT + THREADS - 1) / THREADS);
    run(device, COUNT / THREADS);
    wg_close(device);
}
