// Lanes that come apart and meet again, in as few instructions as it takes (test_meet.c).
//   nvcc -arch=sm_90 -O3 -cubin -o meet.sm_90.cubin meet.cu

// Lanes below `n` look at a value; those whose value is above 1 add it.
extern "C" __global__ void inner(const int *a, int *out, int n) {
    int t = threadIdx.x;
    if (t < n) {
        int v = a[t];
        if (v > 1) atomicAdd(out, v);
    }
    out[1 + t] = t;
}

// Lanes that have left the loop wait at its end for those that still shuffle, and these name all 32.
extern "C" __global__ void parted(float *out, int n) {
    float v = 0;
    for (int i = threadIdx.x; i < n; i += 32) v += __shfl_xor_sync(0xffffffffu, (float)i, 1);
    out[threadIdx.x] = v;
}

// The first n lanes of each four go through the loop and add the next one's value; they name all 32, of which the others wait at its end.
extern "C" __global__ void neighbours(const float *a, float *out, int n) {
    float v = a[threadIdx.x], sum = 0;
    for (int r = threadIdx.x & 3; r < n; r += 4) sum += v + __shfl_down_sync(0xffffffffu, v, 1, 4);
    out[threadIdx.x] = sum;
    out[threadIdx.x + 32] = v;
}

// Each lane names the lanes of its own label: the groups go on one after the other.
extern "C" __global__ void labelled(const int *label, const int *value, int *out) {
    int t = threadIdx.x;
    unsigned mine = __match_any_sync(0xffffffffu, label[t]);
    out[t] = __reduce_max_sync(mine, value[t]);
}

// Each lane names the lanes of its own label, but a shuffle asks for no group: all go on as one.
extern "C" __global__ void told(const int *label, int *out) {
    int t = threadIdx.x, k = label[t];
    unsigned mine = __match_any_sync(__activemask(), k);
    int first = __shfl_sync(mine, t + k, __ffs(mine) - 1);
    out[t] = first;
}

// Groups by key vote, in lanes that have not come apart and in some that have; n keys a lane.
extern "C" __global__ void votes(const int *key, unsigned *out, int n) {
    unsigned sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        int k = key[i];
        unsigned mine = __match_any_sync(0xffffffffu, k);
        sum = sum * 31 + __ballot_sync(mine, i % 3 == 0);
        if (k & 1) sum = sum * 31 + __ballot_sync(mine, i % 5 == 0) + __all_sync(mine, i % 7);
    }
    out[threadIdx.x] = sum;
}

// Lanes that come apart, with a mask that names only some of those that ask.
extern "C" __global__ void unnamed(const int *a, unsigned *out, unsigned mask, int n) {
    unsigned sum = 0;
    for (int i = threadIdx.x; i < n; i += 7)
        if (a[i] & 1) sum += __ballot_sync(mask, a[i] > 3);
    out[threadIdx.x] = sum;
}

// ACQBULK where P0 is true in the lanes of all blocks but the first, which do not come there; and where nothing wrote P0.
extern "C" __global__ void acquires_by_p0(int *out) {
    if (blockIdx.x) asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = 1;
}
extern "C" __global__ void acquires(int *out) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = 1;
}
