/* The small image of the convolution examples, small enough to check every read by hand. */
#ifndef CONV_EXAMPLE_H
#define CONV_EXAMPLE_H

#include "example.h"

#define SIDE 4 /* the image is SIDE x SIDE: 1 2 3 ... 16 */
#define TAPS 3 /* the filter is TAPS x TAPS: ones and zeros in turn, like a chess board */

static void fill_image(float image[SIDE * SIDE]) {
    for (int i = 0; i < SIDE * SIDE; i++) image[i] = (float)(i + 1);
}

static void fill_filter(float filter[TAPS * TAPS]) {
    for (int i = 0; i < TAPS * TAPS; i++) filter[i] = i % 2 ? 0.0f : 1.0f;
}

#endif
