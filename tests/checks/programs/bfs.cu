// Breadth-first search by levels: the flag that says whether anything changed is set by all without an atomic (harmless), but the
// distance is read and written by different blocks in one launch.
// expect race error
#include "check.h"
enum { N = 300 };
__global__ void level(const int *next, int *distance, int depth, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N || distance[i] != depth) return; // <-
    for (int k = 0; k < 2; k++) {
        int to = next[2 * i + k];
#ifdef RIGHT
        if (atomicCAS(&distance[to], -1, depth + 1) == -1) atomicExch(changed, 1);
#else
        if (distance[to] < 0) {         // <-
            distance[to] = depth + 1;   // <-
            *changed = 1;
        }
#endif
    }
}
#ifdef RIGHT
__global__ void copy(int *to, const int *from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) to[i] = from[i];
}
__global__ void level2(const int *next, const int *before, int *distance, int depth, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N || before[i] != depth) return;
    for (int k = 0; k < 2; k++)
        if (atomicCAS(&distance[next[2 * i + k]], -1, depth + 1) == -1) atomicExch(changed, 1);
}
#endif
int main() {
    static int next[2 * N], distance[N];
    for (int i = 0; i < N; i++) next[2 * i] = (i * 2 + 1) % N, next[2 * i + 1] = (i * 2 + 2) % N, distance[i] = i ? -1 : 0;
    int *d_next = device(2 * N, next), *d = device(N, distance), *changed = device<int>(1), more = 1;
#ifdef RIGHT
    int *before = device<int>(N);
#endif
    for (int depth = 0; more && depth < 12; depth++) {
        CHECK(cudaMemset(changed, 0, sizeof(int)));
#ifdef RIGHT
        copy<<<(N + 63) / 64, 64>>>(before, d);
        level2<<<(N + 63) / 64, 64>>>(d_next, before, d, depth, changed);
#else
        level<<<(N + 63) / 64, 64>>>(d_next, d, depth, changed);
#endif
        CHECK(cudaMemcpy(&more, changed, sizeof more, cudaMemcpyDeviceToHost));
    }
    CHECK(cudaMemcpy(distance, d, sizeof distance, cudaMemcpyDeviceToHost));
    printf("%d\n", distance[N - 1]);
#ifdef RIGHT
    CHECK(cudaFree(before));
#endif
    CHECK(cudaFree(d_next)); CHECK(cudaFree(d)); CHECK(cudaFree(changed));
}
