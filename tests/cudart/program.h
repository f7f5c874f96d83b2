/* The host side of kernels.cu as nvcc writes it: a fatbin in the executable, registered by a constructor, and
 * an address for each kernel that stands for it. With it the tests need no nvcc. */
#ifndef WG_TEST_CUDART_PROGRAM_H
#define WG_TEST_CUDART_PROGRAM_H

#include "cudart/api.h"

/* What stands for a kernel on the host: nvcc writes a function, of which only the address is used. */
extern const char scale[1], take[1], reverse[1], bounded[1], count_up[1], store[1], trap[1], spin[1], publish[1], tally[1], deep[1], unregistered[1];

/* Host variables that stand for those of the device. */
extern int offset[4], bias[4], not_a_symbol;
int *shared_with_host(void); /* the managed variable, as the host's code reads it */

/* <<<grid, block, shared, stream>>>, through the calls that nvcc makes of it. */
void launch(const char *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, void **args);

#endif
