/* What a kernel may be launched with, on the simulated device. */
#ifndef WG_CUDART_FUNCTION_H
#define WG_CUDART_FUNCTION_H

#include "cudart/module.h"

/* Threads a block by __launch_bounds__; 0: none. */
unsigned rt_function_bound(const img_function *image);
/* The largest block, in threads, by the kernel's bounds and registers. */
unsigned rt_function_max_threads(const rt_function *fn);
/* Bytes of dynamic shared memory that a launch may ask for. */
size_t rt_function_max_dynamic(const rt_function *fn);
/* Blocks that an SM, and the whole device, hold at once. */
unsigned rt_function_per_sm(const rt_function *fn, unsigned threads, size_t dynamic);
/* Blocks that a cluster of it may have. */
unsigned rt_function_max_cluster(const rt_function *fn);
/* The cluster of a launch that asks for one (0, 0, 0: for none): what the function requires, or what is asked for. False: that is not what it
 * requires, or has a dimension of 0. */
bool rt_function_cluster(const rt_function *fn, dim3 asked, dim3 *cluster);
uint64_t rt_function_resident(const rt_function *fn, unsigned threads, size_t dynamic);

#endif
