/* Images for the examples: PNG through libpng, PGM and PPM by themselves. Planes of floats, 0 to 1. */
#ifndef WK_EXAMPLE_IMAGE_H
#define WK_EXAMPLE_IMAGE_H

#include <stddef.h>

typedef struct image {
    int width, height, planes; /* planes: 1 grey, 3 colour */
    float *samples;            /* plane by plane, row by row, dense */
} image;

/* Reads or writes by the file's content or the name's ending (.png, .pgm, .ppm). Returns NULL, or what went
 * wrong (a static string or one in `message`, which holds 256 bytes). */
const char *image_read(const char *path, image *out, char message[256]);
const char *image_write(const char *path, const image *in, char message[256]);
void image_free(image *i);

#endif
