/* A program that does, after one good launch, what its argument says: for tests of how a run can end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
__global__ void spin(volatile int *p) {
    for (int n = 0; *p == 0; n++) p[1] = n; // a wait that changes nothing would be found to be a deadlock
}
__global__ void last(int *p) { *p = blockIdx.x; } // which block has the last word?
__global__ void unguarded(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

static void tell(const char *what) { printf("%s: %s\n", what, cudaGetErrorString(cudaDeviceSynchronize())); }

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    float *a;
    int *flag;
    if (!strcmp(how, "no-cuda")) return 4;
    cudaMalloc(&a, 400), cudaMemset(a, 0, 400);
    cudaMalloc(&flag, 8), cudaMemset(flag, 0, 8);
    add<<<1, 128>>>(a, 100);
    cudaDeviceSynchronize();
    if (!strcmp(how, "spin")) spin<<<1, 1>>>(flag), tell("spin");
    if (!strcmp(how, "out-of-bounds")) unguarded<<<1, 128>>>(a), tell("out of bounds");
    if (!strcmp(how, "null")) unguarded<<<1, 128>>>(0), tell("null");
    if (!strcmp(how, "many"))
        for (int k = 0; k < 9; k++) add<<<k + 1, 32>>>(a, 100);
    if (!strcmp(how, "copied-order") || !strcmp(how, "printed-order")) {
        int *shared, number = 0;
        cudaMallocManaged(&shared, 4);
        last<<<64, 1>>>(how[0] == 'c' ? flag : shared);
        cudaDeviceSynchronize();
        cudaMemcpy(&number, a, 4, cudaMemcpyDeviceToHost);
        if (how[0] == 'c') cudaMemcpy(&number, flag, 4, cudaMemcpyDeviceToHost);
        else printf("the last is\n%d\n", *shared);
    }
    if (!strcmp(how, "process")) printf("%d\n", (int)getpid());
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "segv")) *(volatile int *)1 = 1;
    if (!strcmp(how, "_exit")) _exit(7);
    if (!strcmp(how, "exit")) exit(5);
    if (!strcmp(how, "host")) printf("%f\n", a[0]);
    if (!strcmp(how, "child")) {
        if (fork() == 0) execl(argv[0], argv[0], "exit", (char *)0);
        wait(NULL);
    }
    if (!strcmp(how, "close")) { /* a program that closes every descriptor it knows of */
        for (int fd = 3; fd < 1024; fd++) close(fd);
        add<<<1, 32>>>(a, 100);
    }
    if (!strcmp(how, "wait")) puts("waiting"), fflush(stdout), pause();
    return 0;
}
