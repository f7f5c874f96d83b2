/* The kernels of stats.cu one by one, from the cubin, without a GPU: results, counts, findings.
 * usage: test_stats STATS.cubin */
#include <stdio.h>

#include <warpgrind/test.h>

enum { N = 1000, BLOCK = 128, BLOCKS = (N + BLOCK - 1) / BLOCK };

static void test_scale(wg_device *dev, wg_address in, wg_address out) {
    const wg_launch_record *launch;
    wg_error err;
    float expected[N];
    wg_arg args[] = {wg_arg_address(out), wg_arg_address(in), wg_arg_f32(3.0f), wg_arg_i32(N)};
    for (int i = 0; i < N; i++) expected[i] = 3.0f * (float)i;
    WG_EXPECT_OK(wg_launch(dev, wg_kernel(dev, "scale", &err), wg_dim3(BLOCKS, 1, 1), wg_dim3(BLOCK, 1, 1), 0, args, 4, &launch, &err), &err);
    WG_EXPECT_F32(dev, out, expected, N, 0);
    WG_EXPECT_COUNTER(launch, "sectors_per_request", <=, 4);
    WG_EXPECT_COUNTER(launch, "wg__bytes_mem_global_op_ld.sum", ==, N * sizeof(float)); /* each value is read once */
    WG_EXPECT_NO_FINDINGS(launch);
}

static void test_block_sums(wg_device *dev, wg_address in, wg_address sums) {
    const wg_launch_record *launch;
    wg_error err;
    float expected[BLOCKS] = {0};
    wg_arg args[] = {wg_arg_address(sums), wg_arg_address(in), wg_arg_i32(N)};
    for (int i = 0; i < N; i++) expected[i / BLOCK] += (float)i;
    WG_EXPECT_OK(wg_launch(dev, wg_kernel(dev, "block_sums", &err), wg_dim3(BLOCKS, 1, 1), wg_dim3(BLOCK, 1, 1), 0, args, 3, &launch, &err), &err);
    WG_EXPECT_F32(dev, sums, expected, BLOCKS, 1e-3);
    WG_EXPECT_COUNTER(launch, "bank_conflicts", ==, 0);
    WG_EXPECT_NO_FINDINGS(launch);
}

int main(int argc, char **argv) {
    float readings[N];
    wg_device *dev;
    wg_error err;
    wg_address in, out, sums;
    for (int i = 0; i < N; i++) readings[i] = (float)i;
    WG_EXPECT_OK(wg_open(argc > 1 ? argv[1] : "stats.cubin", NULL, &dev, &err), &err);
    WG_EXPECT_OK(wg_alloc(dev, sizeof readings, &in, &err), &err);
    WG_EXPECT_OK(wg_alloc(dev, sizeof readings, &out, &err), &err);
    WG_EXPECT_OK(wg_alloc(dev, BLOCKS * sizeof(float), &sums, &err), &err);
    WG_EXPECT_OK(wg_copy_in(dev, in, readings, sizeof readings, &err), &err);
    test_scale(dev, in, out);
    test_block_sums(dev, in, sums);
    wg_close(dev);
    puts("all well");
    return 0;
}
