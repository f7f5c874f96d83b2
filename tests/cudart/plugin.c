/* A shared object with kernels and a runtime of its own. */
#include "cudart/program.h"

/* 0 when a kernel of the plug-in ran and its result is right, else where it failed. */
__attribute__((visibility("default"))) int plugin(void);
int plugin(void) {
    int *d = NULL, data[4] = {1, 2, 3, 4}, n = 4, by = 2;
    if (cudaMalloc((void **)&d, sizeof data)) return 1;
    if (cudaMemcpy(d, data, sizeof data, cudaMemcpyHostToDevice)) return 2;
    launch(scale, (dim3){1, 1, 1}, (dim3){32, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    if (cudaMemcpy(data, d, sizeof data, cudaMemcpyDeviceToHost)) return 3;
    for (int i = 0; i < 4; i++)
        if (data[i] != 2 * (i + 1) + 100 * (i + 1)) return 4;
    return cudaFree(d) ? 5 : 0;
}
