// What every program here does with what a call returns.
#include <cstdio>
#include <cstdlib>
#define CHECK(call)                                                                              \
    do {                                                                                         \
        cudaError_t e_ = (call);                                                                 \
        if (e_ != cudaSuccess) {                                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));          \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)
template <class T> T *device(size_t n, const T *from = nullptr) {
    T *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    if (from) CHECK(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice));
    else CHECK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
