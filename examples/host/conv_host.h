/* The image and the filter of the convolution examples. */
#ifndef EXAMPLES_CONV_HOST_H
#define EXAMPLES_CONV_HOST_H

#include "host.h"

enum { SIDE = 4, TAPS = 3, VALID = SIDE - TAPS + 1 };

static inline void fill_image(float image[SIDE * SIDE]) {
    for (int i = 0; i < SIDE * SIDE; i++) image[i] = (float)(i + 1);
}

static inline void fill_filter(float filter[TAPS * TAPS]) {
    for (int i = 0; i < TAPS * TAPS; i++) filter[i] = i % 2 ? 0.0f : 1.0f;
}

#endif
