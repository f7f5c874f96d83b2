// Two small kernels in one translation unit: the content of the test fatbins.
__constant__ int factor[3];
__global__ void twice(int *values) { values[threadIdx.x] *= 2; }
__global__ void times(int *values) { values[threadIdx.x] *= factor[1]; }
