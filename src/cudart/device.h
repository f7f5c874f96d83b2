/* The simulated device as the runtime describes it. */
#ifndef WG_CUDART_DEVICE_H
#define WG_CUDART_DEVICE_H

#include "cudart/context.h"

enum { RT_VERSION = 13000 }; /* of the runtime and the driver that programs see: 13.0 */

/* A launch of a function with such a frame: the limit of stacks becomes as large, and stays so, as on an H200. */
void rt_device_take_stack(rt_own *device, size_t frame);

#endif
