#include "image.h"

#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 256, LARGEST_SIDE = 1 << 16 };

void image_free(image *i) {
    free(i->samples);
    i->samples = NULL;
}

static const char *allocate(image *i, int width, int height, int planes) {
    i->width = width, i->height = height, i->planes = planes;
    i->samples = malloc((size_t)width * (size_t)height * (size_t)planes * sizeof(float));
    return i->samples ? NULL : "out of memory";
}

/* Interleaved bytes to planes and back. */
static void from_bytes(image *i, const uint8_t *bytes, float scale) {
    const size_t n = (size_t)i->width * (size_t)i->height;
    for (size_t p = 0; p < (size_t)i->planes; p++)
        for (size_t k = 0; k < n; k++)
            i->samples[p * n + k] = (float)bytes[k * (size_t)i->planes + p] * scale;
}

static uint8_t to_byte(float x) {
    if (!(x > 0)) return 0; /* NaN too */
    return x >= 1 ? 255 : (uint8_t)(x * 255 + 0.5f);
}

static uint8_t *to_bytes(const image *i) {
    const size_t n = (size_t)i->width * (size_t)i->height, planes = (size_t)i->planes;
    uint8_t *bytes = malloc(n * planes);
    if (!bytes) return NULL;
    for (size_t p = 0; p < planes; p++)
        for (size_t k = 0; k < n; k++) bytes[k * planes + p] = to_byte(i->samples[p * n + k]);
    return bytes;
}

static const char *read_png(FILE *f, image *out, char *message) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    const char *error = NULL;
    uint8_t *bytes = NULL;
    if (!png_image_begin_read_from_stdio(&png, f)) {
        error = png.message;
        goto done;
    }
    const int planes = png.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    png.format = planes == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    if (png.width > LARGEST_SIDE || png.height > LARGEST_SIDE) {
        error = "the image is larger than 65536 pixels on a side";
        goto done;
    }
    bytes = malloc(PNG_IMAGE_SIZE(png));
    if (!bytes) {
        error = "out of memory";
        goto done;
    }
    png_color black = {0, 0, 0}; /* behind transparent pixels */
    if (!png_image_finish_read(&png, &black, bytes, 0, NULL)) {
        error = png.message;
        goto done;
    }
    error = allocate(out, (int)png.width, (int)png.height, planes);
    if (!error) from_bytes(out, bytes, 1.0f / 255);
done:
    if (error) error = strncpy(message, error, MESSAGE - 1);
    png_image_free(&png);
    free(bytes);
    return error;
}

/* A number of a PNM header; comments run from # to the end of the line. */
static int read_number(FILE *f) {
    int c = fgetc(f);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#') {
        while (c == '#') do
                c = fgetc(f);
            while (c != '\n' && c != EOF);
        if (c != EOF) c = fgetc(f);
    }
    int n = 0;
    if (c < '0' || c > '9') return -1;
    for (; c >= '0' && c <= '9'; c = fgetc(f)) {
        n = n * 10 + (c - '0');
        if (n > LARGEST_SIDE) return -1;
    }
    return n; /* one character behind it is consumed, as the format says */
}

static const char *read_pnm(FILE *f, int planes, image *out) {
    const int width = read_number(f), height = read_number(f), most = read_number(f);
    if (width < 1 || height < 1) return "the header gives no size between 1 and 65536";
    if (most < 1 || most > 255) return "only samples of one byte (maxval 1 to 255) are read";
    const size_t n = (size_t)width * (size_t)height * (size_t)planes;
    uint8_t *bytes = malloc(n);
    if (!bytes) return "out of memory";
    const char *error = fread(bytes, 1, n, f) == n ? allocate(out, width, height, planes)
                                                   : "the file ends before its samples do";
    if (!error) from_bytes(out, bytes, 1.0f / (float)most);
    free(bytes);
    return error;
}

const char *image_read(const char *path, image *out, char message[MESSAGE]) {
    memset(out, 0, sizeof *out);
    memset(message, 0, MESSAGE);
    FILE *f = fopen(path, "rb");
    if (!f) return "cannot be opened";
    unsigned char magic[2] = {0, 0};
    const char *error = NULL;
    if (fread(magic, 1, 2, f) != 2) {
        error = "is no image: too short";
    } else if (magic[0] == 'P' && (magic[1] == '5' || magic[1] == '6')) {
        error = read_pnm(f, magic[1] == '5' ? 1 : 3, out);
    } else if (magic[0] == 0x89 && magic[1] == 'P') {
        rewind(f);
        error = read_png(f, out, message);
    } else {
        error = "is neither PNG nor binary PGM or PPM (P5, P6)";
    }
    fclose(f);
    if (error) image_free(out);
    return error;
}

const char *image_write(const char *path, const image *in, char message[MESSAGE]) {
    memset(message, 0, MESSAGE);
    const char *dot = strrchr(path, '.');
    const int pnm = dot && (strcmp(dot, ".pgm") == 0 || strcmp(dot, ".ppm") == 0);
    if (!pnm && !(dot && strcmp(dot, ".png") == 0)) return "ends neither in .png nor in .pgm or .ppm";
    if (pnm && (dot[2] == 'p') != (in->planes == 3))
        return in->planes == 3 ? "is to hold colour: use .ppm or .png" : "is to hold grey: use .pgm or .png";
    uint8_t *bytes = to_bytes(in);
    if (!bytes) return "out of memory";
    const char *error = NULL;
    if (pnm) {
        const size_t n = (size_t)in->width * (size_t)in->height * (size_t)in->planes;
        FILE *f = fopen(path, "wb");
        int failed =
            !f || fprintf(f, "P%c\n%d %d\n255\n", in->planes == 3 ? '6' : '5', in->width, in->height) < 0 ||
            fwrite(bytes, 1, n, f) != n;
        if (f && fclose(f) != 0) failed = 1;
        if (failed) error = "cannot be written";
    } else {
        png_image png;
        memset(&png, 0, sizeof png);
        png.version = PNG_IMAGE_VERSION;
        png.width = (png_uint_32)in->width;
        png.height = (png_uint_32)in->height;
        png.format = in->planes == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
        if (!png_image_write_to_file(&png, path, 0, bytes, 0, NULL))
            error = strncpy(message, png.message, MESSAGE - 1);
    }
    free(bytes);
    return error;
}
