// All places of a word in a text; the last places look behind the end of the text.
// expect out-of-bounds error
#include "check.h"
#include <cstring>
__global__ void find(const char *text, int n, const char *word, int m, int *hits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RIGHT
    if (i + m > n) return;
#else
    if (i >= n) return;
#endif
    int k = 0;
    while (k < m && text[i + k] == word[k]) k++; // <-
    if (k == m) atomicAdd(hits, 1);
}
int main() {
    char text[512];
    for (int i = 0; i < 512; i++) text[i] = "ab"[i % 2];
    const char *word = "ababx";
    char *d_text = device(512, text), *d_word = device(strlen(word), word);
    int *hits = device<int>(1), n;
    find<<<4, 128>>>(d_text, 512, d_word, (int)strlen(word), hits);
    CHECK(cudaMemcpy(&n, hits, sizeof n, cudaMemcpyDeviceToHost));
    printf("%d\n", n);
    CHECK(cudaFree(d_text)); CHECK(cudaFree(d_word)); CHECK(cudaFree(hits));
}
