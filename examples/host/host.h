/* The examples' kernels from C, with no CUDA toolkit: each program here loads the checked-in cubin of one
 * example, launches the same kernels over the same values as the .cu, and prints what they give and cost.
 *
 *     conv_naive ../cubin/conv_naive.sm_80.cubin
 */
#ifndef EXAMPLES_HOST_H
#define EXAMPLES_HOST_H

#include <stdio.h>
#include <stdlib.h>
#include <warpgrind/warpgrind.h>

static wg_error err;

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        if ((call) != WG_OK) {                                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, err.text);                                    \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static inline wg_device *open_cubin(int argc, char **argv) {
    wg_device *device = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: %s CUBIN\n", argv[0]);
        exit(2);
    }
    CHECK(wg_open(argv[1], NULL, &device, &err));
    return device;
}

static inline wg_address to_device(wg_device *device, const void *host, size_t bytes) {
    wg_address address = 0;
    CHECK(wg_alloc(device, bytes, &address, &err));
    if (host) CHECK(wg_copy_in(device, address, host, bytes, &err));
    return address;
}

/* Launches a kernel with these arguments and returns what it counted. */
static inline const wg_launch_record *launch(wg_device *device, const char *kernel, wg_dim grid, wg_dim block,
                                             const wg_arg *args, size_t n_args) {
    const wg_launch_record *record = NULL;
    CHECK(wg_launch(device, wg_kernel(device, kernel, &err), grid, block, 0, args, n_args, &record, &err));
    return record;
}

static inline void print_loads(const char *what, const wg_launch_record *record) {
    double requests = wg_counter(record, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
    double sectors = wg_counter(record, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    printf("%s: %.0f load requests, %.0f sectors, %.1f sectors a request\n", what, requests, sectors,
           sectors / requests);
}

/* How often each value of a square array of floats was read. */
static inline void print_reads(wg_device *device, wg_address array, int side) {
    wg_reads reads;
    uint64_t *map = calloc((size_t)side * side, sizeof *map);
    CHECK(map ? WG_OK : WG_ERR_MEMORY);
    CHECK(wg_allocation_reads(device, array, sizeof(float), &reads, map, (size_t)side * side, &err));
    printf("%llu reads of %llu values\n", (unsigned long long)reads.reads, (unsigned long long)reads.distinct);
    for (int r = 0; r < side; r++) {
        for (int c = 0; c < side; c++) printf("%s%llu", c ? " " : "  ", (unsigned long long)map[r * side + c]);
        printf("\n");
    }
    free(map);
}

static inline void print_grid(const char *title, const float *values, int rows, int columns) {
    printf("%s\n", title);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) printf("%s%g", c ? " " : "  ", (double)values[r * columns + c]);
        printf("\n");
    }
}

#endif
