#include "cudart/program.h"

#include <stdio.h>
#include <stdlib.h>

__asm__(".section .nv_fatbin,\"a\",@progbits\n"
        ".balign 8\n"
        "fatbin:  .long 0xba55ed50\n"
        "         .short 1, 16\n"
        "         .quad fatbin_end - entry\n"
        "entry:   .short 2, 0x0101\n" /* a cubin, stored */
        "         .long 64\n"
        "         .quad fatbin_end - payload\n"
        "         .long 0, 0\n"
        "         .short 8, 1\n"
        "         .long 80, 0, 0\n"
        "         .quad 0x11, 0, 0\n"
        "payload: .incbin \"" KERNELS "\"\n"
        "         .balign 8\n"
        "fatbin_end:\n"
        ".section .nvFatBinSegment,\"aw\",@progbits\n"
        ".balign 8\n"
        ".globl wrapper\n"
        "wrapper: .long 0x466243b1, 1\n"
        "         .quad fatbin, 0\n"
        ".text\n");
extern char wrapper[];

const char scale[1], take[1], reverse[1], bounded[1], count_up[1], store[1], trap[1], spin[1], publish[1], tally[1], deep[1], unregistered[1];

int offset[4], bias[4], not_a_symbol;
static int *managed;
static void **handle;

static void unregister(void) { __cudaUnregisterFatBinary(handle); }

static void add(const char *host, char *name) {
    __cudaRegisterFunction(handle, host, name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

__attribute__((constructor)) static void register_all(void) {
    handle = __cudaRegisterFatBinary(wrapper);
    add(scale, "scale");
    add(take, "take");
    add(reverse, "reverse");
    add(bounded, "bounded");
    add(count_up, "count_up");
    add(store, "store");
    add(trap, "trap");
    add(spin, "spin");
    add(publish, "publish");
    add(tally, "tally");
    add(deep, "deep");
    add(spin, "spin"); /* -rdc registers templates twice */
    __cudaRegisterVar(handle, (char *)offset, "offset", "offset", 0, sizeof offset, 0, 0);
    __cudaRegisterVar(handle, (char *)bias, "bias", "bias", 0, sizeof bias, 1, 0);
    __cudaRegisterManagedVar(handle, (void **)&managed, "shared_with_host", "shared_with_host", 0, sizeof(int), 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(unregister);
}

int *shared_with_host(void) {
    __cudaInitModule(handle);
    return managed;
}

void launch(const char *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, void **args) {
    if (__cudaPushCallConfiguration(grid, block, shared, stream)) return;
    cudaKernel_t handle_of = NULL;
    __cudaGetKernel(&handle_of, kernel);
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream)) return;
    __cudaLaunchKernel(handle_of, grid, block, args, shared, stream);
}
