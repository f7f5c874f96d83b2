/* The simulated device as the runtime describes it. */
#ifndef WG_CUDART_DEVICE_H
#define WG_CUDART_DEVICE_H

#include "cudart/context.h"

enum { RT_VERSION = 13000 }; /* of the runtime and the driver that programs see: 13.0 */

/* All properties of the device of this number; a pure function of its row in gpus.def. */
void rt_device_describe(const eng_gpu *gpu, unsigned device, struct cudaDeviceProp *out);

#endif
