/* usage: cudart_array_cases NAME: arrays, their copies, texture and surface objects, a case in a process. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "cudart/api.h"

static const struct cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat},
                                          bytes4 = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};

static void made(void) {
    cudaArray_t a, b;
    struct cudaChannelFormatDesc d;
    struct cudaExtent e;
    unsigned flags;
    OK(cudaMallocArray(&a, &bytes4, 10, 0, 0));
    OK(cudaArrayGetInfo(&d, &e, &flags, a));
    SAME(d.w, 8);
    SAME(d.f, cudaChannelFormatKindUnsigned);
    SAME(e.width, 10);
    SAME(e.height, 0);
    OK(cudaMalloc3DArray(&b, &floats, (struct cudaExtent){4, 4, 6}, cudaArrayCubemap | cudaArraySurfaceLoadStore));
    OK(cudaArrayGetInfo(&d, &e, &flags, b));
    SAME(e.depth, 6);
    SAME(flags, cudaArrayCubemap | cudaArraySurfaceLoadStore);
    struct cudaChannelFormatDesc three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned}, odd = {24, 0, 0, 0, cudaChannelFormatKindSigned};
    cudaArray_t c;
    FAILS(cudaMallocArray(&c, &three, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
    FAILS(cudaMallocArray(&c, &odd, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
    FAILS(cudaMallocArray(&c, &floats, 0, 4, 0), cudaErrorInvalidValue);
    FAILS(cudaMalloc3DArray(&c, &floats, (struct cudaExtent){4, 5, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
    OK(cudaFreeArray(a));
    FAILS(cudaFreeArray(a), cudaErrorInvalidValue);
    FAILS(cudaGetChannelDesc(&d, a), cudaErrorInvalidValue);
    size_t before = 0, after = 0, total;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaFreeArray(b));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(after - before >= 4 * 4 * 6 * sizeof(float));
}

static void rows(void) {
    enum { W = 5, H = 3 };
    float in[H][W + 2], out[H][W], small[2][2];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W + 2; x++) in[y][x] = (float)(10 * y + x);
    cudaArray_t a, b;
    OK(cudaMallocArray(&a, &floats, W, H, 0));
    OK(cudaMallocArray(&b, &floats, W, H, 0));
    OK(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], W * 4, H, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(out, sizeof out[0], a, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    CHECK(out[2][4] == 24 && out[0][0] == 0 && out[1][0] == 10);
    OK(cudaMemcpy2DFromArray(small, 8, a, 8, 1, 8, 2, cudaMemcpyDeviceToHost));
    CHECK(small[0][0] == 12 && small[1][1] == 23);
    FAILS(cudaMemcpy2DFromArray(small, 8, a, 16, 1, 8, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidValue); /* past the row */
    FAILS(cudaMemcpy2DFromArray(small, 4, a, 0, 0, 8, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    OK(cudaMemcpy2DArrayToArray(b, 4, 0, a, 0, 1, 8, 2, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy2DFromArray(small, 8, b, 4, 0, 8, 2, cudaMemcpyDeviceToHost));
    CHECK(small[0][0] == 10 && small[1][1] == 21);
    float line[7] = {1, 2, 3, 4, 5, 6, 7}; /* on from the middle of a row to the next */
    OK(cudaMemcpyToArray(a, 8, 0, line, sizeof line, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(out, sizeof out[0], a, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    CHECK(out[0][1] == 1 && out[0][2] == 1 && out[0][4] == 3 && out[1][0] == 4 && out[1][3] == 7 && out[1][4] == 14);
    memset(line, 0, sizeof line);
    OK(cudaMemcpyFromArray(line, a, 16, 0, 8, cudaMemcpyDeviceToHost));
    CHECK(line[0] == 3 && line[1] == 4 && line[2] == 0);
}

/* In cudaMemcpy3D the extent and an array's positions are texels, and positions in memory bytes. */
static void boxes(void) {
    enum { W = 4, H = 3, D = 2 };
    uint8_t in[D][H][W][4], out[D][H][W][4] = {{{{0}}}};
    for (unsigned i = 0; i < sizeof in; i++) ((uint8_t *)in)[i] = (uint8_t)i;
    cudaArray_t a;
    OK(cudaMalloc3DArray(&a, &bytes4, (struct cudaExtent){W, H, D}, 0));
    struct cudaMemcpy3DParms p = {.srcPtr = {in, W * 4, W, H}, .dstArray = a, .extent = {W, H, D}, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&p));
    struct cudaMemcpy3DParms q = {.srcArray = a, .srcPos = {1, 1, 1}, .dstPtr = {out, W * 4, W, H}, .dstPos = {4, 0, 0},
                                  .extent = {2, 2, 1}, .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&q));
    SAME(out[0][0][1][0], in[1][1][1][0]);
    SAME(out[0][1][2][3], in[1][2][2][3]);
    SAME(out[0][0][0][0], 0);
    SAME(out[0][0][3][0], 0);
    q.extent.width = 4;
    FAILS(cudaMemcpy3D(&q), cudaErrorInvalidValue);
    q.dstArray = a; /* two destinations */
    FAILS(cudaMemcpy3D(&q), cudaErrorInvalidValue);
    cudaArray_t layers; /* one-dimensional, layered: a layer is a plane of one row */
    OK(cudaMalloc3DArray(&layers, &bytes4, (struct cudaExtent){W, 0, D}, cudaArrayLayered));
    struct cudaMemcpy3DParms l = {.srcPtr = {in, W * 4, W, 1}, .dstArray = layers, .extent = {W, 1, D}, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&l));
    struct cudaMemcpy3DParms back = {.srcArray = layers, .srcPos = {0, 0, 1}, .dstPtr = {out, W * 4, W, 1}, .extent = {W, 1, 1}, .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&back));
    SAME(out[0][0][3][3], in[0][1][3][3]);
    struct cudaMemcpy3DPeerParms peer = {.srcArray = a, .dstArray = a, .dstPos = {0, 0, 1}, .extent = {W, H, 1}};
    OK(cudaMemcpy3DPeer(&peer));
    peer.dstDevice = 1;
    FAILS(cudaMemcpy3DPeer(&peer), cudaErrorInvalidDevice);
}

static void mipmaps(void) {
    cudaMipmappedArray_t m;
    cudaArray_t level;
    struct cudaExtent e;
    OK(cudaMallocMipmappedArray(&m, &floats, (struct cudaExtent){16, 4, 0}, 20, 0)); /* more levels than it can have */
    OK(cudaGetMipmappedArrayLevel(&level, m, 4));
    OK(cudaArrayGetInfo(NULL, &e, NULL, level));
    SAME(e.width, 1);
    SAME(e.height, 1);
    FAILS(cudaGetMipmappedArrayLevel(&level, m, 5), cudaErrorInvalidValue);
    FAILS(cudaFreeArray(level), cudaErrorInvalidValue);
    OK(cudaFreeMipmappedArray(m));
    FAILS(cudaGetMipmappedArrayLevel(&level, m, 0), cudaErrorInvalidResourceHandle);
}

static void objects(void) {
    cudaArray_t plain, stored;
    float *d;
    OK(cudaMallocArray(&plain, &floats, 8, 8, 0));
    OK(cudaMallocArray(&stored, &bytes4, 8, 8, cudaArraySurfaceLoadStore));
    OK(cudaMalloc((void **)&d, 1024));
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray, .res.array.array = plain}, back;
    struct cudaTextureDesc t = {.addressMode = {cudaAddressModeWrap}, .filterMode = cudaFilterModeLinear, .normalizedCoords = 1}, asked;
    cudaTextureObject_t a, b, c;
    OK(cudaCreateTextureObject(&a, &r, &t, NULL));
    CHECK(a);
    OK(cudaGetTextureObjectResourceDesc(&back, a));
    CHECK(back.res.array.array == plain);
    OK(cudaGetTextureObjectTextureDesc(&asked, a));
    SAME(asked.filterMode, cudaFilterModeLinear);
    r.res.array.array = stored; /* integers are not filtered, unless they are read as floats */
    FAILS(cudaCreateTextureObject(&b, &r, &t, NULL), cudaErrorInvalidFilterSetting);
    t.readMode = cudaReadModeNormalizedFloat;
    OK(cudaCreateTextureObject(&b, &r, &t, NULL));
    CHECK(b != a);
    struct cudaResourceDesc linear = {.resType = cudaResourceTypeLinear, .res.linear = {d, floats, 1024}};
    t = (struct cudaTextureDesc){.readMode = cudaReadModeElementType};
    OK(cudaCreateTextureObject(&c, &linear, &t, NULL));
    linear.res.linear.sizeInBytes = 1028;
    FAILS(cudaCreateTextureObject(&c, &linear, &t, NULL), cudaErrorInvalidValue); /* more than there is */
    struct cudaResourceDesc pitched = {.resType = cudaResourceTypePitch2D, .res.pitch2D = {d, floats, 8, 8, 64}};
    OK(cudaCreateTextureObject(&c, &pitched, &t, NULL));
    pitched.res.pitch2D.pitchInBytes = 24;
    FAILS(cudaCreateTextureObject(&c, &pitched, &t, NULL), cudaErrorInvalidValue);
    struct cudaResourceViewDesc view = {.format = cudaResViewFormatUnsignedChar1, .width = 8, .height = 8}; /* another size of texel */
    FAILS(cudaCreateTextureObject(&c, &r, &t, &view), cudaErrorInvalidValue);
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &r));
    FAILS(cudaGetTextureObjectResourceDesc(&back, s), cudaErrorInvalidValue); /* it is a surface */
    OK(cudaGetSurfaceObjectResourceDesc(&back, s));
    r.res.array.array = plain;
    FAILS(cudaCreateSurfaceObject(&s, &r), cudaErrorInvalidValue); /* made without the flag */
    OK(cudaDestroyTextureObject(a));
    FAILS(cudaDestroyTextureObject(a), cudaErrorInvalidValue);
    OK(cudaDestroyTextureObject(0));
    OK(cudaDeviceReset());
    FAILS(cudaDestroyTextureObject(b), cudaErrorInvalidValue);
    FAILS(cudaFreeArray(plain), cudaErrorInvalidValue);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    {"made", made}, {"rows", rows}, {"boxes", boxes}, {"mipmaps", mipmaps}, {"objects", objects},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc == 1) puts(cases[i].name);
        else if (!strcmp(argv[1], cases[i].name)) return cases[i].run(), 0;
    }
    return argc > 1 ? 2 : 0;
}
