/* What every example does with a CUDA error: say which call, and stop. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t status_ = (call);                                                                        \
        if (status_ != cudaSuccess) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_));      \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* A device copy of a host array. */
template <typename T> static T *to_device(const T *host, size_t count) {
    T *device = NULL;
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

static void print_grid(const char *title, const float *values, int rows, int columns) {
    printf("%s\n", title);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) printf("%s%g", c ? " " : "  ", values[r * columns + c]);
        printf("\n");
    }
}

#endif
