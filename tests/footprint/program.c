/* program KERNEL MIB: touches so many MiB of device memory, all of it, then lets the kernel loose on it. holes: the kernel that
 * changes words in place, with some that nobody wrote. As nvcc would have written it: a fatbin in the executable, registered by a
 * constructor. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/api.h"

__asm__(".section .nv_fatbin,\"a\",@progbits\n"
        ".balign 8\n"
        "fatbin:  .long 0xba55ed50\n"
        "         .short 1, 16\n"
        "         .quad fatbin_end - entry\n"
        "entry:   .short 2, 0x0101\n" /* a cubin, stored */
        "         .long 64\n"
        "         .quad fatbin_end - payload\n"
        "         .long 0, 0\n"
        "         .short 8, 0\n"
        "         .long 80, 0, 0\n"
        "         .quad 0x11, 0, 0\n"
        "payload: .incbin \"" KERNELS "\"\n"
        "         .balign 8\n"
        "fatbin_end:\n"
        ".section .nvFatBinSegment,\"aw\",@progbits\n"
        ".balign 8\n"
        "wrapper: .long 0x466243b1, 1\n"
        "         .quad fatbin, 0\n"
        ".text\n");
extern char wrapper[];

static const char words[1], bytes[1], change[1], meet[1];

__attribute__((constructor)) static void register_all(void) {
    void **handle = __cudaRegisterFatBinary(wrapper);
    __cudaRegisterFunction(handle, words, (char *)"words", "words", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, bytes, (char *)"bytes", "bytes", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, change, (char *)"change", "change", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, meet, (char *)"meet", "meet", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

enum { SPARSE = 256 /* bytes of memory for one that is read */, THREADS = 256, PART = 1 << 16, HOLE = 64 };

static bool fill(char *memory, unsigned long size, bool holes) {
    if (!holes) return !cudaMemset(memory, 1, size);
    for (unsigned long at = 0; at < size; at += PART)
        if (cudaMemset(memory + at + HOLE, 1, PART - HOLE)) return false;
    return true;
}

static const char *kernel_of(const char *name) {
    if (!strcmp(name, "words")) return words;
    if (!strcmp(name, "bytes")) return bytes;
    return !strcmp(name, "meet") ? meet : change;
}

int main(int argc, char **argv) {
    const char *name = argc > 2 ? argv[1] : "", *kernel = kernel_of(name);
    unsigned long size = argc > 2 ? strtoul(argv[2], NULL, 10) << 20 : 0;
    unsigned width = kernel == bytes || kernel == meet ? 1 : 4;
    unsigned long sparse = kernel == meet ? 32 : SPARSE, step = kernel == change ? 16 : sparse / width, n = size / width / step;
    void *memory, *out;
    if (!size || size & (size - 1)) return fprintf(stderr, "usage: program words|bytes|change|holes|meet MIB (a power of two)\n"), 2;
    if (cudaMalloc(&memory, size) || cudaMalloc(&out, 4) || !fill(memory, size, !strcmp(name, "holes"))) return 1;
    dim3 grid = {(unsigned)(kernel == change ? n / THREADS : 1024), 1, 1}, block = {THREADS, 1, 1};
    void *args[] = {&memory, &n, &step, &out};
    return cudaLaunchKernel(kernel, grid, block, args, 0, NULL) || cudaDeviceSynchronize();
}
