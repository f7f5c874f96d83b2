// Lists made with device-side malloc; one kernel frees them twice.
// expect double-free error
#include "check.h"
struct node { int value; node *next; };
__global__ void build(node **heads) {
    node *head = nullptr;
    for (int i = 0; i < 3; i++) {
        node *n = (node *)malloc(sizeof *n);
        *n = {i, head};
        head = n;
    }
    heads[threadIdx.x] = head;
}
__global__ void drop(node **heads) {
    node *n = heads[threadIdx.x];
    while (n) {
        node *next = n->next;
        free(n); // <-
        n = next;
    }
#ifdef RIGHT
    heads[threadIdx.x] = nullptr;
#endif
}
int main() {
    node **heads = device<node *>(8);
    build<<<1, 8>>>(heads);
    drop<<<1, 8>>>(heads);
    CHECK(cudaDeviceSynchronize());
#ifdef RIGHT
    drop<<<1, 8>>>(heads);
#else
    drop<<<1, 4>>>(heads);
#endif
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(heads);
}
