// Particles as structs; a copy counts particles where it should count bytes.
// expect out-of-bounds error
#include "check.h"
struct particle { float x[3], v[3], mass; };
__global__ void move(particle *p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int d = 0; d < 3; d++) p[i].x[d] += dt * p[i].v[d]; // <-
}
int main() {
    const int n = 100;
    static particle p[n];
    for (int i = 0; i < n; i++) p[i] = {{1, 2, (float)i}, {1, 1, 1}, 1};
    particle *d;
#ifdef RIGHT
    CHECK(cudaMalloc(&d, n * sizeof(particle)));
    CHECK(cudaMemcpy(d, p, n * sizeof(particle), cudaMemcpyHostToDevice));
#else
    CHECK(cudaMalloc(&d, n * sizeof(particle *)));
    CHECK(cudaMemcpy(d, p, n * sizeof(particle *), cudaMemcpyHostToDevice));
#endif
    move<<<1, 128>>>(d, n, 0.5f);
    CHECK(cudaMemcpy(p, d, n * sizeof(particle *), cudaMemcpyDeviceToHost));
    printf("%g\n", p[3].x[0]);
    CHECK(cudaFree(d));
}
