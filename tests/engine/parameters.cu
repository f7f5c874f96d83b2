// A parameter whose address is taken is read as memory (test_parameters.c).
//   for a in 75 80 90 100; do nvcc -arch=sm_$a -O3 -cubin -o parameters.sm_$a.cubin parameters.cu; done

struct table { int at[8]; };

__device__ __noinline__ int entry(const table &t, int i) { return t.at[i]; }

extern "C" __global__ void pick(int scale, const __grid_constant__ table t, int *out, int shift) {
    out[threadIdx.x] = scale * entry(t, (threadIdx.x + shift) & 7);
}

extern "C" __global__ void past(const __grid_constant__ table t, int *out, int shift) { out[0] = entry(t, shift); }
