/* The simulated device as the runtime describes it. */
#ifndef WG_CUDART_DEVICE_H
#define WG_CUDART_DEVICE_H

#include "cudart/context.h"

enum { RT_VERSION = 13000 }; /* of the runtime and the driver that programs see: 13.0 */

#endif
