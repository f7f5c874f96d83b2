/* usage: checks_host            the names of all cases, and what must be found in them: "KIND SEVERITY" or "silent"
 *        checks_host NAME       runs one of them
 *
 * What a program does wrong on the host's side, and how it is right (check_host runs them and reads the records). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "cudart/program.h"

static const dim3 one = {1, 1, 1};
static int numbers[32];

static int *device(void) {
    int *d = NULL;
    if (cudaMalloc((void **)&d, sizeof numbers)) exit(1);
    if (cudaMemcpy(d, numbers, sizeof numbers, cudaMemcpyHostToDevice)) exit(1);
    return d;
}

static void leak_device(void) { device(); }
static void freed_device(void) { cudaFree(device()); }
static void leak_in_loop(void) {
    for (int i = 0; i < 3; i++) device();
}
static void freed_in_loop(void) {
    for (int i = 0; i < 3; i++) cudaFree(device());
}
static void leak_pinned(void) {
    void *p = NULL;
    cudaFree(device());
    cudaMallocHost(&p, 64);
}
static void freed_pinned(void) {
    void *p = NULL;
    cudaFree(device());
    cudaMallocHost(&p, 64);
    cudaFreeHost(p);
}
static void leak_managed(void) {
    void *p = NULL;
    cudaMallocManaged(&p, 64, cudaMemAttachGlobal);
}
static void leak_before_reset(void) { device(), cudaDeviceReset(); }
static void freed_before_reset(void) { cudaFree(device()), cudaDeviceReset(); }

static void twice_freed(void) {
    int *d = device();
    cudaFree(d);
    if (cudaFree(d) == cudaSuccess) exit(1);
}
static void freed_null(void) { cudaFree(device()), cudaFree(NULL); }
static void freed_inside(void) {
    int *d = device();
    if (cudaFree(d + 4) == cudaSuccess) exit(1);
    cudaFree(d);
}
static void freed_wild(void) {
    int *d = device(), *host = malloc(64);
    if (cudaFree(host) == cudaSuccess) exit(1);
    free(host);
    cudaFree(d);
}
static void freed_otherwise(void) {
    void *p = NULL;
    cudaMallocHost(&p, 64);
    if (cudaFree(p) == cudaSuccess) exit(1);
    cudaFreeHost(p);
}

static void copied_from_freed(void) {
    int *d = device();
    cudaFree(d);
    cudaMemcpy(numbers, d, sizeof numbers, cudaMemcpyDeviceToHost);
}
static void copied_to_freed(void) {
    int *d = device();
    cudaFree(d);
    cudaMemcpy(d, numbers, sizeof numbers, cudaMemcpyHostToDevice);
}
static void copied_between_freed(void) {
    int *d = device(), *e = device();
    cudaFree(d);
    cudaMemcpy(d, e, sizeof numbers, cudaMemcpyDeviceToDevice);
    cudaFree(e);
}
static void filled_freed(void) {
    int *d = device();
    cudaFree(d);
    cudaMemset(d, 0, sizeof numbers);
}
static void copied_before_free(void) {
    int *d = device(), *e = device();
    cudaMemcpy(numbers, d, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaMemcpy(d, e, sizeof numbers, cudaMemcpyDeviceToDevice);
    cudaMemset(d, 0, sizeof numbers);
    cudaFree(d), cudaFree(e);
}

static void wrong_way(void) {
    int *d = device();
    cudaMemcpy(d, numbers, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaFree(d);
}
static void default_way(void) {
    int *d = device();
    cudaMemcpy(d, numbers, sizeof numbers, cudaMemcpyDefault);
    cudaFree(d);
}
static void copied_too_much(void) {
    static int more[64];
    int *d = device();
    cudaMemcpy(more, d, sizeof more, cudaMemcpyDeviceToHost); /* elements for bytes goes wrong like this */
    cudaFree(d);
}
static void copied_past_the_end(void) {
    int *d = device();
    cudaMemcpy(d + 1, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaFree(d);
}
static void copied_to_the_end(void) {
    int *d = device();
    cudaMemcpy(d + 1, numbers, sizeof numbers - sizeof *d, cudaMemcpyHostToDevice);
    cudaFree(d);
}
static void filled_too_much(void) {
    int *d = device();
    cudaMemset(d, 0, sizeof numbers + 1);
    cudaFree(d);
}

static void error_unseen(void) {
    int *d = device();
    cudaSetDevice(99);
    cudaFree(d);
}
static void error_asked_for(void) {
    int *d = device();
    cudaSetDevice(99);
    if (cudaGetLastError() == cudaSuccess) exit(1);
    cudaFree(d);
}
static void error_named(void) {
    int *d = device();
    if (!cudaGetErrorString(cudaSetDevice(99))) exit(1);
    cudaFree(d);
}
static void launch_unseen(void) {
    int *d = device(), n = 32, by = 1;
    launch(scale, one, (dim3){2048, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    cudaFree(d);
}
static void launch_right(void) {
    int *d = device(), n = 32, by = 1;
    launch(scale, one, (dim3){32, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    cudaFree(d);
}

static const checked_case cases[] = {
#define CASE(name, found) {#name, name, found}
    CASE(leak_device, "leak warning"),
    CASE(freed_device, "silent"),
    CASE(leak_in_loop, "leak warning"),
    CASE(freed_in_loop, "silent"),
    CASE(leak_pinned, "leak warning"),
    CASE(freed_pinned, "silent"),
    CASE(leak_managed, "leak warning"),
    CASE(leak_before_reset, "leak warning"),
    CASE(freed_before_reset, "silent"),
    CASE(twice_freed, "double-free error"),
    CASE(freed_null, "silent"),
    CASE(freed_inside, "double-free error"),
    CASE(freed_wild, "double-free error"),
    CASE(freed_otherwise, "double-free error"),
    CASE(copied_from_freed, "use-after-free error"),
    CASE(copied_to_freed, "use-after-free error"),
    CASE(copied_between_freed, "use-after-free error"),
    CASE(filled_freed, "use-after-free error"),
    CASE(copied_before_free, "silent"),
    CASE(wrong_way, "api-error error"),
    CASE(default_way, "silent"),
    CASE(copied_too_much, "api-error error"),
    CASE(copied_past_the_end, "api-error error"),
    CASE(copied_to_the_end, "silent"),
    CASE(filled_too_much, "api-error error"),
    CASE(error_unseen, "api-error warning"),
    CASE(error_asked_for, "silent"),
    CASE(error_named, "silent"),
    CASE(launch_unseen, "api-error error"),
    CASE(launch_right, "silent"),
#undef CASE
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
