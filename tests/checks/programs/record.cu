// The least and the greatest of an array, and whether there are any, as one record; it lies at the start of a buffer that has a byte more,
// as a library's scratch memory has. Right: the three bytes behind the flag are padding. Wrong: the greatest is forgotten.
// expect uninitialised warning
#include "check.h"

struct range { bool any; float least, most; };

__global__ void find(range *r, const float *a, int n) {
    float least = a[0], most = a[0];
    for (int i = 1; i < n; i++) least = fminf(least, a[i]), most = fmaxf(most, a[i]);
    r->any = n > 0;
    r->least = least;
#ifdef RIGHT
    r->most = most;
#else
    if (most < least) r->most = most;
#endif
}

int main(void) {
    float values[100];
    for (int i = 0; i < 100; i++) values[i] = i * 37 % 100;
    float *a = device(100, values);
    char *scratch;
    CHECK(cudaMalloc(&scratch, sizeof(range) + 1));
    find<<<1, 1>>>((range *)scratch, a, 100);
    range r;
    CHECK(cudaMemcpy(&r, scratch, sizeof r, cudaMemcpyDeviceToHost)); // <-
    printf("%g to %g\n", r.least, r.most);
    CHECK(cudaFree(a));
    CHECK(cudaFree(scratch));
    return 0;
}
