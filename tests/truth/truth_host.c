/* truth-host CUBIN [JOBS]: the launches of truth.cu from its checked-in cubin, with the same inputs;
 * writes the run as JSON to standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <warpgrind/warpgrind.h>

enum { N = 1000000, BYTES = 64 << 20, THREADS = 256, GRID = (N + THREADS - 1) / THREADS };

static wg_error err;

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        if ((call) != WG_OK) {                                                                               \
            fprintf(stderr, "truth-host:%d: %s\n", __LINE__, err.text);                                      \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* truth.cu's own generator, so that data-dependent kernels see the values the hardware saw. */
static uint64_t state = 1;
static uint64_t next_random(void) { return state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); }

typedef enum input { NONE, A, B, C, P, COUNT, TAPS3, SIDE1024, VALID1022, SIDE256 } input;

static const struct {
    const char *kernel;
    wg_dim grid, block;
    input args[9]; /* up to the first NONE */
} launches[] = {
#define LINEAR {GRID, 1, 1}, {THREADS, 1, 1}
#define SMALL  {100, 1, 1}, {256, 1, 1}
    {"soa_sum", LINEAR, {C, A, B, COUNT}},
    {"aos_sum", LINEAR, {C, A, COUNT}},
    {"aos12", LINEAR, {C, A, COUNT}},
    {"strided<1>", LINEAR, {C, A, COUNT}},
    {"strided<2>", LINEAR, {C, A, COUNT}},
    {"strided<3>", LINEAR, {C, A, COUNT}},
    {"strided<8>", LINEAR, {C, A, COUNT}},
    {"strided<32>", LINEAR, {C, A, COUNT}},
    {"offset<1>", LINEAR, {C, A, COUNT}},
    {"offset<7>", LINEAR, {C, A, COUNT}},
    {"offset<8>", LINEAR, {C, A, COUNT}},
    {"vec2", LINEAR, {C, A, COUNT}},
    {"vec4", LINEAR, {C, A, COUNT}},
    {"bytes_", LINEAR, {C, A, COUNT}},
    {"doubles_", LINEAR, {C, A, COUNT}},
    {"gather_", LINEAR, {C, A, P, COUNT}},
    {"scatter_", LINEAR, {C, A, P, COUNT}},
    {"broadcast_", LINEAR, {C, A, COUNT}},
    {"half_warp", LINEAR, {C, A, COUNT}},
    {"sh_stride<1>", SMALL, {C, A}},
    {"sh_stride<2>", SMALL, {C, A}},
    {"sh_stride<4>", SMALL, {C, A}},
    {"sh_stride<32>", SMALL, {C, A}},
    {"sh_stride<33>", SMALL, {C, A}},
    {"sh_stride<0>", SMALL, {C, A}},
    {"transpose<0>", {32, 32, 1}, {32, 8, 1}, {C, A, SIDE1024}},
    {"transpose<1>", {32, 32, 1}, {32, 8, 1}, {C, A, SIDE1024}},
    {"sh_vec4", SMALL, {C, A}},
    {"sh_vec4s<2>", SMALL, {C, A}},
    {"sh_vec4s<4>", SMALL, {C, A}},
    {"sh_f64", SMALL, {C, A}},
    {"sh_byte", SMALL, {C, A}},
    {"conv_naive", {64, 64, 1}, {16, 16, 1}, {A, SIDE1024, SIDE1024, B, TAPS3, TAPS3, C, VALID1022, VALID1022}},
    {"conv_tiled", {64, 64, 1}, {18, 18, 1}, {A, SIDE1024, SIDE1024, B, C, VALID1022, VALID1022}},
    {"reduce_tree", LINEAR, {A, C, COUNT}},
    {"reduce_interleaved", LINEAR, {A, C, COUNT}},
    {"reduce_shfl", LINEAR, {A, C, COUNT}},
    {"histo", LINEAR, {P, C, COUNT}},
    {"divergent", LINEAR, {C, A, COUNT}},
    {"local_arr", LINEAR, {C, P, COUNT}},
    {"grid_stride", {132, 1, 1}, {256, 1, 1}, {C, A, COUNT}},
    {"matmul", {8, 8, 1}, {32, 32, 1}, {A, B, C, SIDE256}},
};

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: truth-host CUBIN [JOBS]\n"), 2;
    wg_options options = {.gpu = "h200", .jobs = argc > 2 ? (unsigned)atoi(argv[2]) : 1};
    wg_device *device;
    CHECK(wg_open(argv[1], &options, &device, &err));

    static uint32_t floats[BYTES / 4];
    static int32_t indices[N];
    for (size_t i = 0; i < BYTES / 4; i++) {
        float f = (float)(next_random() >> 40) / 16777216.0f;
        memcpy(&floats[i], &f, sizeof f);
    }
    for (int i = 0; i < N; i++) indices[i] = (int32_t)((next_random() >> 33) % N);

    wg_address a, b, c, p;
    CHECK(wg_alloc(device, BYTES, &a, &err));
    CHECK(wg_alloc(device, BYTES, &b, &err));
    CHECK(wg_alloc(device, BYTES, &c, &err));
    CHECK(wg_alloc(device, sizeof indices, &p, &err));
    CHECK(wg_copy_in(device, a, floats, BYTES, &err));
    CHECK(wg_copy_in(device, b, floats, BYTES, &err));
    CHECK(wg_copy_in(device, p, indices, sizeof indices, &err));
    const wg_arg values[] = {
        [A] = wg_arg_address(a),   [B] = wg_arg_address(b),   [C] = wg_arg_address(c),        [P] = wg_arg_address(p),
        [COUNT] = wg_arg_i32(N),   [TAPS3] = wg_arg_i32(3),   [SIDE1024] = wg_arg_i32(1024),  [VALID1022] = wg_arg_i32(1022),
        [SIDE256] = wg_arg_i32(256),
    };

    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        wg_arg args[9];
        size_t n = 0;
        for (; n < 9 && launches[i].args[n] != NONE; n++) args[n] = values[launches[i].args[n]];
        CHECK(wg_launch(device, wg_kernel(device, launches[i].kernel, &err), launches[i].grid, launches[i].block, 0, args, n,
                        NULL, &err));
    }
    char *json = wg_report_json(device);
    if (json) puts(json);
    free(json);
    wg_close(device);
    return json ? 0 : 1;
}
